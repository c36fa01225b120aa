//! CSIDriver.
//!
//! Read from Kubernetes' `pkg/apis/storage/types.go`, `pkg/apis/storage/v1/{conversion,defaults}.go`,
//! `pkg/apis/storage/validation/validation.go`, `pkg/registry/storage/csidriver/strategy.go`,
//! `pkg/registry/storage/csidriver/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::CSIDriver;
use crate::apiserver::printers;
use crate::apiserver::validation::Errors;

impl Strategy for CSIDriver {
    const COLUMNS: &'static [Column] = &[NAME, AGE];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;

    fn convert(_body: &mut Value) {}

    fn default(_this: &mut Rc<Self>) {}

    fn prepare_for_create(_this: &mut Rc<Self>, _creation: &mut Creation<'_>) {}

    fn prepare_for_update(_this: &mut Rc<Self>, _old: &Self) {}

    fn prepare_for_status_update(_this: &mut Rc<Self>, _old: &Self, _now: Timestamp) {}

    fn validate(&self, _errs: &mut Errors) {}

    fn validate_update(&self, _old: &Self, _errs: &mut Errors) {}

    fn validate_status_update(&self, _old: &Self, _errs: &mut Errors) {}

    fn warnings_on_create(&self, _out: &mut Vec<String>) {}

    fn warnings_on_update(&self, _old: &Self, _out: &mut Vec<String>) {}

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        vec![printers::name(&self.metadata), printers::created(&self.metadata, now)]
    }
}
