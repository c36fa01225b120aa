//! CustomResourceDefinition. What it says of the objects of its kind is in `apiserver::apiextensions`.
//!
//! Read from `k8s.io/apiextensions-apiserver`: `pkg/apis/apiextensions/v1/{conversion,defaults}.go`,
//! `pkg/apis/apiextensions/validation/validation.go` and `pkg/registry/customresourcedefinition/strategy.go`.

use std::rc::Rc;

use super::storage::Storage;
use super::{CREATED_AT, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::CustomResourceDefinition;
use crate::apiserver::validation::Errors;
use crate::apiserver::{apiextensions, printers};

impl Strategy for CustomResourceDefinition {
    const COLUMNS: &'static [Column] = &[NAME, CREATED_AT];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;
    const STORAGE: Storage =
        Storage { prefix: Some("apiextensions.k8s.io/customresourcedefinitions"), ..Storage::PLAIN };

    nothing_for!(convert, field);

    fn default(this: &mut Rc<Self>) {
        apiextensions::defaults::set_defaults(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        apiextensions::strategy::prepare_for_create(Rc::make_mut(this));
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        apiextensions::strategy::prepare_for_update(Rc::make_mut(this), old);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        apiextensions::strategy::prepare_for_status_update(Rc::make_mut(this), old);
    }

    fn validate(&self, errs: &mut Errors) {
        errs.extend(apiextensions::validation::validate_create(self));
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        errs.extend(apiextensions::validation::validate_update(self, old));
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        errs.extend(apiextensions::validation::validate_status_update(self, old));
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        out.extend(apiextensions::strategy::warnings_on_create(self));
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        out.extend(apiextensions::strategy::warnings_on_update(self, old));
    }

    fn row(&self, _now: Timestamp) -> Vec<String> {
        printers::created_at(&self.metadata)
    }
}
