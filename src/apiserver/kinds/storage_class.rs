//! StorageClass.
//!
//! Read from Kubernetes' `pkg/apis/storage/types.go`, `pkg/apis/storage/v1/{conversion,defaults}.go`,
//! `pkg/apis/storage/validation/validation.go`, `pkg/registry/storage/storageclass/strategy.go`,
//! `pkg/registry/storage/storageclass/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::StorageClass;
use crate::apiserver::validation::Errors;
use crate::apiserver::{defaults, printers, validation, warnings};

impl Strategy for StorageClass {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Provisioner", "provisioner indicates the type of the provisioner."),
        Column::text(
            "ReclaimPolicy",
            "reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this storage class. Defaults to Delete.",
        ),
        Column::text(
            "VolumeBindingMode",
            "volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound.  When unset, VolumeBindingImmediate is used. This field is only honored by servers that enable the VolumeScheduling feature.",
        ),
        Column::of(
            "AllowVolumeExpansion",
            "string",
            "allowVolumeExpansion shows whether the storage class allow volume expand.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;

    fn convert(_body: &mut Value) {}

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        defaults::default(&mut this.reclaim_policy, "Delete");
        defaults::default(&mut this.volume_binding_mode, "Immediate");
    }

    fn prepare_for_create(_this: &mut Rc<Self>, _creation: &mut Creation<'_>) {}

    fn prepare_for_update(_this: &mut Rc<Self>, _old: &Self) {}

    fn prepare_for_status_update(_this: &mut Rc<Self>, _old: &Self, _now: Timestamp) {}

    fn validate(&self, errs: &mut Errors) {
        validation::storage::class(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::storage::class_update(errs, self, old);
    }

    fn validate_status_update(&self, _old: &Self, _errs: &mut Errors) {}

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        warnings::topologies(out, self);
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        warnings::topologies(out, self);
    }

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::storage::class(self, now)
    }
}
