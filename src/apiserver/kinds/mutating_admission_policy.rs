//! MutatingAdmissionPolicy.
//!
//! Read from Kubernetes' `pkg/apis/admissionregistration/types.go`, `pkg/apis/admissionregistration/v1/defaults.go`,
//! `pkg/apis/admissionregistration/validation/validation.go`,
//! `pkg/registry/admissionregistration/mutatingadmissionpolicy/strategy.go` and `pkg/printers/internalversion/printers.go`. The
//! plug-in that acts on it is in `apiserver::policy`.

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, admission_policy as policy};
use crate::api::Timestamp;
use crate::api::types::MutatingAdmissionPolicy;
use crate::api::types::admission::{MutatingAdmissionPolicySpec, Mutation};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::{Errors, FieldError, Path, list, or_default, semantic_eq, text};
use crate::cel::{PolicyCompiler, Wanted};

impl Strategy for MutatingAdmissionPolicy {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::of(
            "Mutations",
            "integer",
            "Mutation indicates the number of mutations rules defined in this configuration",
        ),
        policy::PARAM_KIND,
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! { convert, prepare_for_status_update, validate_status_update, field }

    fn default(this: &mut Rc<Self>) {
        let spec = Rc::make_mut(this).spec.get_or_insert_default();
        spec.failure_policy.get_or_insert_with(|| "Fail".to_owned());
        if let Some(constraints) = &mut spec.match_constraints {
            policy::default_match_resources(constraints);
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
        validate(errs, self, true);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        let none = MutatingAdmissionPolicySpec::default();
        let (new, old) = (or_default(&self.spec, &none), or_default(&old.spec, &none));
        let same = new.param_kind == old.param_kind && new.match_conditions == old.match_conditions;
        validate(errs, self, !same);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        policy::warn_of_name(out, text(&self.metadata.name));
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        self.warnings_on_create(out);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let none = MutatingAdmissionPolicySpec::default();
        let spec = or_default(&self.spec, &none);
        vec![
            name(&self.metadata),
            list(&spec.mutations).len().to_string(),
            policy::param_kind_cell(spec.param_kind.as_ref()),
            created(&self.metadata, now),
        ]
    }
}

/// `validateMutatingAdmissionPolicySpec`. `conditions`: whether the match conditions are looked at, too.
fn validate(errs: &mut Errors, this: &MutatingAdmissionPolicy, conditions: bool) {
    let none = MutatingAdmissionPolicySpec::default();
    let spec = or_default(&this.spec, &none);
    let common = policy::PolicySpec {
        failure_policy: spec.failure_policy.as_deref(),
        param_kind: spec.param_kind.as_ref(),
        constraints: spec.match_constraints.as_ref(),
        conditions: list(&spec.match_conditions),
        mutates: true,
    };
    policy::validate_policy(errs, &this.metadata, &common, conditions);
    let path = Path::new("spec");
    let params = spec.param_kind.is_some();
    let mut compiler = PolicyCompiler::new(params, true);
    policy::variables(errs, list(&spec.variables), &mut compiler, &path.child("variables"));
    let at = path.child("mutations");
    let mutations = list(&spec.mutations);
    if mutations.is_empty() {
        errs.push(FieldError::required(&at, "mutations must contain at least one item"));
    }
    for (i, of) in mutations.iter().enumerate() {
        mutation(errs, &compiler, of, &at.index(i));
    }
    let at = path.child("reinvocationPolicy");
    match text(&spec.reinvocation_policy) {
        "" => errs.push(FieldError::required(&at, "")),
        "IfNeeded" | "Never" => {}
        other => errs.push(FieldError::not_supported(&at, other, &["IfNeeded", "Never"])),
    }
}

/// `validateMutation`
fn mutation(errs: &mut Errors, compiler: &PolicyCompiler, of: &Mutation, path: &Path) {
    let configuration = of.apply_configuration.as_ref().map(|c| text(&c.expression));
    let json_patch = of.json_patch.as_ref().map(|p| text(&p.expression));
    let configures = ("applyConfiguration", configuration, Wanted::Object);
    let patches = ("jsonPatch", json_patch, Wanted::JsonPatch);
    let (wanted, other) = match of.patch_type.as_str() {
        "" => {
            errs.push(FieldError::required(&path.child("patchType"), ""));
            return;
        }
        "ApplyConfiguration" => (configures, patches),
        "JSONPatch" => (patches, configures),
        unknown => {
            let known = ["ApplyConfiguration", "JSONPatch"];
            errs.push(FieldError::not_supported(&path.child("patchType"), unknown, &known));
            return;
        }
    };
    let (field, expression, gives) = wanted;
    match expression {
        None => {
            let why = format!("must be specified when patchType is {}", of.patch_type);
            errs.push(FieldError::required(&path.child(field), why));
        }
        Some(expression) => {
            let at = path.child(field).child("expression");
            policy::compiled(errs, compiler, expression.trim(), true, gives, &at);
        }
    }
    if let (field, Some(_), _) = other {
        let why = format!("must not be specified when patchType is {}", of.patch_type);
        errs.push(FieldError::invalid(&path.child(field), format!("{{{field}}}").as_str(), why));
    }
}
