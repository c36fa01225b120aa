//! Namespace.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/namespace/strategy.go`,
//! `pkg/registry/core/namespace/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, keep};
use crate::api::Timestamp;
use crate::api::types::{Namespace, NamespaceStatus};
use crate::apimachinery::NAMESPACE_FINALIZER;
use crate::apiserver::validation::Errors;
use crate::apiserver::{defaults, printers, validation};

impl Strategy for Namespace {
    const COLUMNS: &'static [Column] = &[NAME, Column::text("Status", "The status of the namespace"), AGE];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::These(&["status.phase", "metadata.name"]);
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;

    fn convert(_body: &mut Value) {}

    fn default(this: &mut Rc<Self>) {
        defaults::core::namespace(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.status = Some(NamespaceStatus { phase: Some("Active".into()), conditions: None });
        let finalizers = this.spec.get_or_insert_default().finalizers.get_or_insert_default();
        if !finalizers.iter().any(|f| f == NAMESPACE_FINALIZER) {
            finalizers.push(NAMESPACE_FINALIZER.into());
        }
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.spec.clone_from(&old.spec);
        this.status.clone_from(&old.status);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
    }

    fn validate(&self, errs: &mut Errors) {
        validation::config::namespace(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::config::namespace_update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::config::namespace_status_update(errs, self, old);
    }

    fn warnings_on_create(&self, _out: &mut Vec<String>) {}

    fn warnings_on_update(&self, _old: &Self, _out: &mut Vec<String>) {}

    fn field(&self, path: &str) -> Option<String> {
        self.status.as_ref().filter(|_| path == "status.phase")?.phase.clone()
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::core::namespace(self, now)
    }
}
