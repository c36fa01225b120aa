//! ValidatingAdmissionPolicy.
//!
//! Read from Kubernetes' `pkg/apis/admissionregistration/types.go`, `pkg/apis/admissionregistration/v1/defaults.go`,
//! `pkg/apis/admissionregistration/validation/validation.go`,
//! `pkg/registry/admissionregistration/validatingadmissionpolicy/strategy.go` and `pkg/printers/internalversion/printers.go`. The
//! plug-in that acts on it is in `apiserver::policy`.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, admission_policy as policy};
use super::{keep, reset_meta_for_status};
use crate::api::Timestamp;
use crate::api::types::admission::{
    AuditAnnotation, ValidatingAdmissionPolicy, ValidatingAdmissionPolicySpec, Validation,
};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{conditions, label_name};
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, go_json_string, list, or_default, semantic_eq, text,
};
use crate::cel::{PolicyCompiler, Wanted};

/// How many audit annotations a policy may have.
const MAX_ANNOTATIONS: usize = 20;
/// How long the expression of an audit annotation may be, in bytes.
const MAX_ANNOTATION: usize = 5 * 1024;

impl Strategy for ValidatingAdmissionPolicy {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::of(
            "Validations",
            "integer",
            "Validations indicates the number of validation rules defined in this configuration",
        ),
        policy::PARAM_KIND,
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;
    const STORAGE: Storage = Storage { reset: &[("status", &[&["metadata"], &["spec"]])], ..Storage::PLAIN };

    nothing_for! { convert, field }

    fn default(this: &mut Rc<Self>) {
        let spec = Rc::make_mut(this).spec.get_or_insert_default();
        spec.failure_policy.get_or_insert_with(|| "Fail".to_owned());
        if let Some(constraints) = &mut spec.match_constraints {
            policy::default_match_resources(constraints);
        }
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.status = None;
        this.metadata.generation = Some(1);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        keep(&mut this.status, &old.status);
        let changed = !semantic_eq(&this.spec, &old.spec);
        super::count_change(&mut this.metadata, &old.metadata, changed);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
        reset_meta_for_status(&mut this.metadata, &old.metadata);
    }

    fn validate(&self, errs: &mut Errors) {
        validate(errs, self, true);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        let none = ValidatingAdmissionPolicySpec::default();
        let (new, old) = (or_default(&self.spec, &none), or_default(&old.spec, &none));
        let same = new.param_kind == old.param_kind && new.match_conditions == old.match_conditions;
        validate(errs, self, !same);
    }

    fn validate_status_update(&self, _old: &Self, errs: &mut Errors) {
        let Some(status) = &self.status else { return };
        let path = Path::new("status");
        let warnings = status.type_checking.as_ref().map_or(&[][..], |t| list(&t.expression_warnings));
        for (i, warning) in warnings.iter().enumerate() {
            let at = path.child("typeChecking").child("expressionWarnings").index(i);
            if warning.warning.is_empty() {
                errs.push(FieldError::required(&at.child("warning"), ""));
            }
            if warning.field_ref.trim().is_empty() {
                errs.push(FieldError::required(&at.child("fieldRef"), ""));
            }
        }
        conditions(errs, list(&status.conditions), &path.child("conditions"));
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        policy::warn_of_name(out, text(&self.metadata.name));
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        self.warnings_on_create(out);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let none = ValidatingAdmissionPolicySpec::default();
        let spec = or_default(&self.spec, &none);
        vec![
            name(&self.metadata),
            list(&spec.validations).len().to_string(),
            policy::param_kind_cell(spec.param_kind.as_ref()),
            created(&self.metadata, now),
        ]
    }
}

/// `validateValidatingAdmissionPolicy`. `conditions`: whether the match conditions are looked at, too.
fn validate(errs: &mut Errors, this: &ValidatingAdmissionPolicy, conditions: bool) {
    let none = ValidatingAdmissionPolicySpec::default();
    let spec = or_default(&this.spec, &none);
    let common = policy::PolicySpec {
        failure_policy: spec.failure_policy.as_deref(),
        param_kind: spec.param_kind.as_ref(),
        constraints: spec.match_constraints.as_ref(),
        conditions: list(&spec.match_conditions),
        mutates: false,
    };
    policy::validate_policy(errs, &this.metadata, &common, conditions);
    let path = Path::new("spec");
    let params = spec.param_kind.is_some();
    let variables = list(&spec.variables);
    let mut compiler = PolicyCompiler::new(params, !variables.is_empty());
    policy::variables(errs, variables, &mut compiler, &path.child("variables"));
    let (rules, annotations) = (list(&spec.validations), list(&spec.audit_annotations));
    let of_annotations = path.child("auditAnnotations");
    if rules.is_empty() && annotations.is_empty() {
        let why = "validations or auditAnnotations must contain at least one item";
        errs.push(FieldError::required(&path.child("validations"), why));
        errs.push(FieldError::required(&of_annotations, why));
        return;
    }
    for (i, rule) in rules.iter().enumerate() {
        validation(errs, &compiler, rule, &path.child("validations").index(i));
    }
    if annotations.len() > MAX_ANNOTATIONS {
        let why = format!("must not have more than {MAX_ANNOTATIONS} auditAnnotations");
        let value = |a: &AuditAnnotation| {
            let (key, expression) = (go_json_string(&a.key), go_json_string(&a.value_expression));
            format!("{{\"Key\":{key},\"ValueExpression\":{expression}}}")
        };
        let values: Vec<String> = annotations.iter().map(value).collect();
        let value = BadValue::Json(format!("[{}]", values.join(",")));
        errs.push(FieldError::invalid(&of_annotations, value, why));
    }
    let mut seen = BTreeSet::new();
    for (i, of) in annotations.iter().enumerate() {
        let at = of_annotations.index(i);
        annotation(errs, &compiler, text(&this.metadata.name), of, &at);
        if !seen.insert(&of.key) {
            errs.push(FieldError::duplicate(&at.child("key"), &of.key));
        }
    }
}

/// `validateValidation`
fn validation(errs: &mut Errors, compiler: &PolicyCompiler, rule: &Validation, path: &Path) {
    const EMPTY: &str = "must be non-empty if specified";
    let at = path.child("expression");
    if rule.expression.trim().is_empty() {
        errs.push(FieldError::required(&at, "expression is not specified"));
    } else {
        policy::compiled(errs, compiler, &rule.expression, true, Wanted::Bool, &at);
    }
    let (expression, at) = (text(&rule.message_expression), path.child("messageExpression"));
    if !expression.is_empty() && expression.trim().is_empty() {
        errs.push(FieldError::invalid(&at, expression, EMPTY));
    } else if !expression.is_empty() {
        policy::compiled(errs, compiler, expression, false, Wanted::String, &at);
    }
    let (message, at) = (text(&rule.message), path.child("message"));
    if !message.is_empty() && message.trim().is_empty() {
        errs.push(FieldError::invalid(&at, message, EMPTY));
    } else if message.trim().contains(['\n', '\r']) {
        errs.push(FieldError::invalid(&at, message, "must not contain line breaks"));
    }
    const REASONS: &[&str] = &["Forbidden", "Invalid", "RequestEntityTooLarge"];
    if let Some(reason) = rule.reason.as_deref().filter(|r| !REASONS.contains(r)) {
        errs.push(FieldError::not_supported(&path.child("reason"), reason, REASONS));
    }
}

/// `validateAuditAnnotation`
fn annotation(errs: &mut Errors, compiler: &PolicyCompiler, policy: &str, of: &AuditAnnotation, path: &Path) {
    let at = path.child("key");
    if policy.is_empty() {
        errs.push(FieldError::invalid(&at, &of.key, "requires metadata.name be non-empty"));
    } else {
        label_name(errs, &format!("{policy}/{}", of.key), &at);
    }
    let at = path.child("valueExpression");
    let expression = of.value_expression.trim();
    if expression.is_empty() {
        errs.push(FieldError::required(&at, "valueExpression is not specified"));
    } else if expression.len() > MAX_ANNOTATION {
        let why = format!("must not exceed {MAX_ANNOTATION} bytes in length");
        errs.push(FieldError::required(&at, why));
    } else if let Err(why) = compiler.compile(expression, true, Wanted::StringOrNull) {
        errs.push(FieldError::invalid(&at, &of.value_expression, why));
    }
}
