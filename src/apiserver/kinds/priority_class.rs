//! PriorityClass.
//!
//! Read from Kubernetes' `pkg/apis/scheduling/types.go`, `pkg/apis/scheduling/v1/{conversion,defaults}.go`,
//! `pkg/apis/scheduling/validation/validation.go`, `pkg/registry/scheduling/priorityclass/strategy.go`,
//! `pkg/registry/scheduling/priorityclass/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::PriorityClass;
use crate::apiserver::validation::Errors;
use crate::apiserver::{defaults, printers, validation};

impl Strategy for PriorityClass {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::of(
            "Value",
            "integer",
            "value represents the integer value of this priority class. This is the actual priority that pods receive when they have the name of this class in their pod spec.",
        ),
        Column::of(
            "Global-Default",
            "boolean",
            "globalDefault specifies whether this PriorityClass should be considered as the default priority for pods that do not have any priority class. Only one PriorityClass can be marked as `globalDefault`. However, if more than one PriorityClasses exists with their `globalDefault` field set to true, the smallest value of such global default PriorityClasses will be used as the default priority.",
        ),
        AGE,
        Column::text(
            "PreemptionPolicy",
            "preemptionPolicy is the Policy for preempting pods with lower priority. One of Never, PreemptLowerPriority. Defaults to PreemptLowerPriority if unset.",
        ),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;

    fn convert(_body: &mut Value) {}

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        defaults::default(&mut this.preemption_policy, "PreemptLowerPriority");
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
    }

    fn prepare_for_update(_this: &mut Rc<Self>, _old: &Self) {}

    fn prepare_for_status_update(_this: &mut Rc<Self>, _old: &Self, _now: Timestamp) {}

    fn validate(&self, errs: &mut Errors) {
        validation::policy::priority_class(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::policy::priority_class_update(errs, self, old);
    }

    fn validate_status_update(&self, _old: &Self, _errs: &mut Errors) {}

    fn warnings_on_create(&self, _out: &mut Vec<String>) {}

    fn warnings_on_update(&self, _old: &Self, _out: &mut Vec<String>) {}

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::core::priority_class(self, now)
    }
}
