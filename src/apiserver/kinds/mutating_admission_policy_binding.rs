//! MutatingAdmissionPolicyBinding.
//!
//! Read from Kubernetes' `pkg/apis/admissionregistration/types.go`, `pkg/apis/admissionregistration/v1/defaults.go`,
//! `pkg/apis/admissionregistration/validation/validation.go`,
//! `pkg/registry/admissionregistration/mutatingadmissionpolicybinding/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::storage::Storage;
use super::{Column, Creation, SelectableFields, Strategy, admission_policy as policy};
use crate::api::Timestamp;
use crate::api::types::MutatingAdmissionPolicyBinding;
use crate::api::types::admission::MutatingAdmissionPolicyBindingSpec;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::{Errors, or_default, semantic_eq, text};

impl Strategy for MutatingAdmissionPolicyBinding {
    const COLUMNS: &'static [Column] = policy::BINDING_COLUMNS;
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! { convert, prepare_for_status_update, validate_status_update, field }

    fn default(this: &mut Rc<Self>) {
        let spec = Rc::make_mut(this).spec.get_or_insert_default();
        if let Some(wanted) = &mut spec.match_resources {
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
        let none = MutatingAdmissionPolicyBindingSpec::default();
        let spec = or_default(&self.spec, &none);
        let common = policy::BindingSpec {
            policy_name: text(&spec.policy_name),
            params: spec.param_ref.as_ref(),
            looks_at: spec.match_resources.as_ref(),
            mutates: true,
        };
        policy::validate_binding(errs, &self.metadata, &common);
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
        let none = MutatingAdmissionPolicyBindingSpec::default();
        let spec = or_default(&self.spec, &none);
        vec![
            name(&self.metadata),
            text(&spec.policy_name).to_owned(),
            policy::param_ref_cell(spec.param_ref.as_ref()),
            created(&self.metadata, now),
        ]
    }
}
