//! CSIStorageCapacity.
//!
//! Read from Kubernetes' `pkg/apis/storage/types.go`, `pkg/apis/storage/validation/validation.go`,
//! `pkg/registry/storage/csistoragecapacity/strategy.go`, `pkg/api/storage/util.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::storage::Storage;
use super::{Column, NAME, SelectableFields, Strategy};
use crate::api::quantity::amount_of;
use crate::api::types::CSIStorageCapacity;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::defaults::{prepare::to_text, quantities};
use crate::apiserver::validation::field::json_of;
use crate::apiserver::validation::meta::{
    IMMUTABLE, NEGATIVE, invalid_each, label_selector, object_meta, object_meta_update,
};
use crate::apiserver::validation::{Errors, FieldError, Path, name_is_dns_subdomain, semantic_eq};
use crate::apiserver::warnings;

impl Strategy for CSIStorageCapacity {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "StorageClassName",
            "storageClassName represents the name of the StorageClass that the reported capacity applies to. It must meet the same requirements as the name of a StorageClass object (non-empty, DNS subdomain). If that object no longer exists, the CSIStorageCapacity object is obsolete and should be removed by its creator. This field is immutable.",
        ),
        Column::text(
            "Capacity",
            "capacity is the value reported by the CSI driver in its GetCapacityResponse for a GetCapacityRequest with topology and parameters that match the previous fields.\n\nThe semantic is currently (CSI spec 1.2) defined as: The available capacity, in bytes, of the storage that can be used to provision volumes. If not set, that information is currently unavailable.",
        ),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! {
        prepare_for_create, prepare_for_update, prepare_for_status_update, validate_status_update, field
    }

    fn convert(body: &mut Value) -> Result<(), String> {
        for name in ["capacity", "maximumVolumeSize"] {
            body.get_mut(name).filter(|v| v.is_number()).map(to_text);
        }
        Ok(())
    }

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        quantities::optional(&mut this.capacity);
        quantities::optional(&mut this.maximum_volume_size);
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        label_selector(errs, self.node_topology.as_ref(), &Path::new("nodeTopology"));
        let class = &self.storage_class_name;
        invalid_each(
            errs,
            &Path::new("storageClassName"),
            class,
            crate::api::names::is_dns1123_subdomain(class),
        );
        if let Some(capacity) = &self.capacity
            && amount_of(Some(capacity)) < amount_of(None)
        {
            errs.push(FieldError::invalid(&Path::new("capacity"), &capacity.0, NEGATIVE));
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        self.validate(errs);
        object_meta_update(errs, &self.metadata, &old.metadata);
        if !semantic_eq(&self.node_topology, &old.node_topology) {
            let at = Path::new("nodeTopology");
            errs.push(FieldError::invalid(&at, json_of(&self.node_topology), IMMUTABLE));
        }
        if self.storage_class_name != old.storage_class_name {
            let at = Path::new("storageClassName");
            errs.push(FieldError::invalid(&at, &self.storage_class_name, IMMUTABLE));
        }
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        if let Some(selector) = &self.node_topology {
            warnings::node_labels(out, selector, &Path::new("nodeTopology"));
        }
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        self.warnings_on_create(out);
    }

    fn row(&self, _now: Timestamp) -> Vec<String> {
        let capacity = self.capacity.as_ref().map_or("<unset>", |c| &c.0);
        vec![self.metadata.name().to_owned(), self.storage_class_name.clone(), capacity.to_owned()]
    }
}
