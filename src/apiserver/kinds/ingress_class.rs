//! IngressClass.
//!
//! Read from Kubernetes' `pkg/apis/networking/types.go`, `pkg/apis/networking/v1/{conversion,defaults}.go`,
//! `pkg/apis/networking/validation/validation.go`, `pkg/registry/networking/ingressclass/strategy.go`,
//! `pkg/registry/networking/ingressclass/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::types::IngressClass;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::validation::Errors;
use crate::apiserver::{defaults, printers, validation};

impl Strategy for IngressClass {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Controller", "Controller that is responsible for handling this class"),
        Column::text("Parameters", "A reference to a resource with additional parameters"),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;

    fn convert(_body: &mut Value) {}

    fn default(this: &mut Rc<Self>) {
        defaults::networking::class(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        if this.spec != old.spec {
            Rc::make_mut(this).metadata.generation = Some(old.metadata.generation() + 1);
        }
    }

    fn prepare_for_status_update(_this: &mut Rc<Self>, _old: &Self, _now: Timestamp) {}

    fn validate(&self, errs: &mut Errors) {
        validation::networking::class(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::networking::class_update(errs, self, old);
    }

    fn validate_status_update(&self, _old: &Self, _errs: &mut Errors) {}

    fn warnings_on_create(&self, _out: &mut Vec<String>) {}

    fn warnings_on_update(&self, _old: &Self, _out: &mut Vec<String>) {}

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::networking::class(self, now)
    }
}
