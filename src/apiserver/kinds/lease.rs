//! Lease.
//!
//! Read from Kubernetes' `pkg/apis/coordination/types.go`, `pkg/apis/coordination/v1/{conversion,defaults}.go`,
//! `pkg/apis/coordination/validation/validation.go`, `pkg/registry/coordination/lease/strategy.go`,
//! `pkg/registry/coordination/lease/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::Lease;
use crate::apiserver::validation::Errors;
use crate::apiserver::{printers, validation};

impl Strategy for Lease {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Holder",
            "holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name field.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = true;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;

    fn convert(_body: &mut Value) {}

    fn default(_this: &mut Rc<Self>) {}

    fn prepare_for_create(_this: &mut Rc<Self>, _creation: &mut Creation<'_>) {}

    fn prepare_for_update(_this: &mut Rc<Self>, _old: &Self) {}

    fn prepare_for_status_update(_this: &mut Rc<Self>, _old: &Self, _now: Timestamp) {}

    fn validate(&self, errs: &mut Errors) {
        validation::policy::lease(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::policy::lease_update(errs, self, old);
    }

    fn validate_status_update(&self, _old: &Self, _errs: &mut Errors) {}

    fn warnings_on_create(&self, _out: &mut Vec<String>) {}

    fn warnings_on_update(&self, _old: &Self, _out: &mut Vec<String>) {}

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::core::lease(self, now)
    }
}
