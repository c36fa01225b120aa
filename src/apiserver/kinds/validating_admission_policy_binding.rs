//! ValidatingAdmissionPolicyBinding.
//!
//! Read from Kubernetes' `pkg/apis/admissionregistration/types.go`, `pkg/apis/admissionregistration/v1/defaults.go`,
//! `pkg/apis/admissionregistration/validation/validation.go`,
//! `pkg/registry/admissionregistration/validatingadmissionpolicybinding/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::storage::Storage;
use super::{Column, Creation, SelectableFields, Strategy, admission_policy as policy};
use crate::api::Timestamp;
use crate::api::types::ValidatingAdmissionPolicyBinding;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::{Errors, FieldError, Path, json_strings, semantic_eq, text};

impl Strategy for ValidatingAdmissionPolicyBinding {
    const COLUMNS: &'static [Column] = policy::BINDING_COLUMNS;
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! { convert, prepare_for_status_update, validate_status_update, field }

    fn default(this: &mut Rc<Self>) {
        if this.spec.match_resources.is_some()
            && let Some(wanted) = &mut Rc::make_mut(this).spec.match_resources
        {
            policy::default_match_resources(wanted);
        }
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        Rc::make_mut(this).metadata.generation = Some(1);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let changed = !semantic_eq(&this.spec, &old.spec);
        super::count_change(&mut Rc::make_mut(this).metadata, &old.metadata, changed);
    }

    fn validate(&self, errs: &mut Errors) {
        let spec = &self.spec;
        let common = policy::BindingSpec {
            policy_name: &spec.policy_name,
            params: spec.param_ref.as_ref(),
            looks_at: spec.match_resources.as_ref(),
            mutates: false,
        };
        policy::validate_binding(errs, &self.metadata, &common);
        actions(errs, &spec.validation_actions, &Path::new("spec").child("validationActions"));
    }

    fn validate_update(&self, _old: &Self, errs: &mut Errors) {
        self.validate(errs);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        policy::warn_of_name(out, text(&self.metadata.name));
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        self.warnings_on_create(out);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        vec![
            name(&self.metadata),
            self.spec.policy_name.clone(),
            policy::param_ref_cell(self.spec.param_ref.as_ref()),
            created(&self.metadata, now),
        ]
    }
}

/// What becomes of a request that the policy refuses (`validateValidationActions`).
fn actions(errs: &mut Errors, actions: &[String], path: &Path) {
    let mut seen = BTreeSet::new();
    for (i, action) in actions.iter().enumerate() {
        let at = path.index(i);
        if !matches!(action.as_str(), "Audit" | "Deny" | "Warn") {
            errs.push(FieldError::not_supported(&at, action, &["Audit", "Deny", "Warn"]));
        }
        if !seen.insert(action.as_str()) {
            errs.push(FieldError::duplicate(&at, action));
        }
    }
    if seen.contains("Deny") && seen.contains("Warn") {
        let why = "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
        errs.push(FieldError::invalid(path, json_strings(actions), why));
    }
    if seen.is_empty() {
        errs.push(FieldError::required(path, "at least one validation action is required"));
    }
}
