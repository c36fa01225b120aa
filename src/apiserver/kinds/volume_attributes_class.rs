//! VolumeAttributesClass.
//!
//! Read from Kubernetes' `pkg/apis/storage/types.go`, `pkg/apis/storage/validation/validation.go`,
//! `pkg/registry/storage/volumeattributesclass/strategy.go` and `pkg/printers/internalversion/printers.go`.

use super::storage::Storage;
use super::storage_class::{validate_parameters, validate_provisioner};
use super::{AGE, Column, NAME, SelectableFields, Strategy};
use crate::api::types::VolumeAttributesClass;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::printers::created;
use crate::apiserver::validation::meta::{object_meta, object_meta_update};
use crate::apiserver::validation::{Errors, FieldError, Path, name_is_dns_subdomain};

impl Strategy for VolumeAttributesClass {
    const COLUMNS: &'static [Column] =
        &[NAME, Column::text("DriverName", "Name of the CSI driver This field is immutable."), AGE];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::RETURNS_DELETED_OBJECT;

    nothing_for! {
        convert, default, prepare_for_create, prepare_for_update, prepare_for_status_update,
        validate_status_update, warnings_on_create, warnings_on_update, field
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, name_is_dns_subdomain);
        validate_provisioner(errs, &self.driver_name, &Path::new("driverName"));
        let at = Path::new("parameters");
        validate_parameters(errs, self.parameters.as_ref(), &at);
        if self.parameters.as_ref().is_none_or(|p| p.is_empty()) {
            errs.push(FieldError::required(&at, "must contain at least one key/value pair"));
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        for (name, changed) in [
            ("driverName", self.driver_name != old.driver_name),
            ("parameters", self.parameters != old.parameters),
        ] {
            if changed {
                let message = format!("updates to {name} are forbidden.");
                errs.push(FieldError::forbidden(&Path::new(name), message));
            }
        }
        self.validate(errs);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        vec![self.metadata.name().to_owned(), self.driver_name.clone(), created(&self.metadata, now)]
    }
}
