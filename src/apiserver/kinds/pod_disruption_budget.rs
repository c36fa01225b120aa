//! PodDisruptionBudget.
//!
//! Read from Kubernetes' `pkg/apis/policy/types.go`, `pkg/apis/policy/v1/{conversion,defaults}.go`,
//! `pkg/apis/policy/validation/validation.go`, `pkg/registry/policy/poddisruptionbudget/strategy.go`,
//! `pkg/registry/policy/poddisruptionbudget/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, keep};
use crate::api::Timestamp;
use crate::api::types::PodDisruptionBudget;
use crate::apiserver::validation::Errors;
use crate::apiserver::{printers, validation};

impl Strategy for PodDisruptionBudget {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Min Available", "The minimum number of pods that must be available."),
        Column::text("Max Unavailable", "The maximum number of pods that may be unavailable."),
        Column::of(
            "Allowed Disruptions",
            "integer",
            "Calculated number of pods that may be disrupted at this time.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;

    fn convert(_body: &mut Value) {}

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        // Go writes the status' counts even when they are 0.
        this.status.get_or_insert_default();
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
    }

    fn validate(&self, errs: &mut Errors) {
        validation::policy::budget(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::policy::budget_update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::policy::budget_status_update(errs, self, old);
    }

    fn warnings_on_create(&self, _out: &mut Vec<String>) {}

    fn warnings_on_update(&self, _old: &Self, _out: &mut Vec<String>) {}

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::workloads::disruption_budget(self, now)
    }
}
