//! ValidatingAdmissionPolicy: what a request must not do, by the rules of policies that bindings switch on
//! (`policy/validating/dispatcher.go` and `validator.go`).

use std::rc::Rc;

use super::attributes::{Attributes, Part};
use super::evaluation::{Evaluator, Expression, Inputs, Variable};
use super::{authority, matching, params};
use crate::api::types::admission::{
    AuditAnnotation, ValidatingAdmissionPolicy, ValidatingAdmissionPolicySpec, Validation,
};
use crate::api::types::{Namespace, ValidatingAdmissionPolicyBinding};
use crate::api::{ApiKind, Kind, MetaExt, go_types};
use crate::apimachinery::{Cause, Status};
use crate::apiserver::ApiServer;
use crate::apiserver::validation::{list, text};
use crate::cel::{PolicyCompiler, RUNTIME_COST_BUDGET, Value, Wanted};

/// The plug-in's name.
pub(super) const NAME: &str = "ValidatingAdmissionPolicy";

/// What match conditions may cost together (`RuntimeCELCostBudgetMatchConditions`).
const MATCH_CONDITIONS_BUDGET: u64 = 2_500_000;
/// The longest message that an expression gives, in bytes (`MaxEvaluatedMessageExpressionSizeBytes`).
const MAX_MESSAGE: usize = 5 * 1024;

/// A refusal of a policy.
struct Denied {
    message: String,
    /// The reason of the answer; empty for `Invalid`.
    reason: String,
}

impl Denied {
    fn because(message: impl Into<String>) -> Denied {
        Denied { message: message.into(), reason: String::new() }
    }
}

/// What a policy says of a request with one of its params.
#[derive(Default)]
struct Verdict {
    /// The rules that do not hold.
    denied: Vec<Denied>,
    /// The annotations for the audit log that cannot be made.
    unannotated: Vec<Denied>,
}

/// Asks the policies whether a request may be carried out, and warns of what those say that only warn.
///
/// # Errors
/// The first rule that does not hold, or a policy that cannot be evaluated and whose `failurePolicy` is `Fail`.
pub(super) fn validate(api: &ApiServer, of: &Attributes, warnings: &mut Vec<String>) -> Result<(), Status> {
    let mut denied: Vec<(Denied, String)> = Vec::new();
    for (_, record) in api.etcd.range(Kind::VALIDATING_ADMISSION_POLICY, None) {
        let Some(policy) = ValidatingAdmissionPolicy::from_object(&record.object) else { continue };
        ask(api, of, policy, &mut denied, warnings);
    }
    let Some((first, by)) = denied.into_iter().next() else { return Ok(()) };
    let message = format!("{by} denied request: {}", first.message);
    let mut status = Status::forbidden(of.resource, of.name_in_refusal(), &message);
    let (code, reason) = match first.reason.as_str() {
        "Forbidden" => (403, "Forbidden"),
        "Unauthorized" => (401, "Unauthorized"),
        "RequestEntityTooLarge" => (413, "RequestEntityTooLarge"),
        _ => (422, "Invalid"),
    };
    status.code = code;
    status.reason = reason.into();
    status.details.get_or_insert_default().causes.push(Cause { message, ..Cause::default() });
    Err(status)
}

/// Asks one policy by all of its bindings.
fn ask(
    api: &ApiServer,
    of: &Attributes,
    policy: &Rc<ValidatingAdmissionPolicy>,
    denied: &mut Vec<(Denied, String)>,
    warnings: &mut Vec<String>,
) {
    let name = policy.metadata.name();
    let bindings = api.etcd.range(Kind::VALIDATING_ADMISSION_POLICY_BINDING, None);
    let bindings = bindings.filter_map(|(_, r)| ValidatingAdmissionPolicyBinding::from_object(&r.object));
    let mut bindings = bindings.filter(|b| b.spec.policy_name == name).peekable();
    let none = ValidatingAdmissionPolicySpec::default();
    let spec = policy.spec.as_ref().unwrap_or(&none);
    let (Some(constraints), Some(_)) = (&spec.match_constraints, bindings.peek()) else { return };
    let fails = fails(spec);
    let by_policy = format!("ValidatingAdmissionPolicy '{name}'");
    let misconfigured = |what: &str, why: &str, by: &str| {
        let refusal = Denied::because(format!("failed to configure {what}: {why}"));
        fails.then(|| (refusal, by.to_owned()))
    };
    let matched = match matching::matches(api, of, constraints) {
        Err(why) => {
            denied.extend(misconfigured("policy", &why, &by_policy));
            return;
        }
        Ok(None) => return,
        Ok(Some(matched)) => matched,
    };
    let param_kind = match spec.param_kind.as_ref().map(|k| params::kind_of(api, k)).transpose() {
        Ok(kind) => kind,
        Err(why) => {
            denied.extend(misconfigured("policy", &why, &by_policy));
            return;
        }
    };
    let validator = Validator::of(spec);
    let mut inputs = None;
    for binding in bindings {
        let by = format!("ValidatingAdmissionPolicy '{name}' with binding '{}'", binding.metadata.name());
        let binds = match &binding.spec.match_resources {
            None => Ok(true),
            Some(wanted) => matching::matches(api, of, wanted).map(|matched| matched.is_some()),
        };
        let found = match binds {
            Ok(false) => continue,
            Ok(true) => params::collect(api, of, param_kind, binding.spec.param_ref.as_ref()),
            Err(why) => Err(why),
        };
        let found = match found {
            Ok(found) => found,
            Err(why) => {
                denied.extend(misconfigured("binding", &why, &by));
                continue;
            }
        };
        for param in found {
            let inputs = inputs.get_or_insert_with(|| inputs_of(api, spec, of, matched));
            inputs.params = param.as_ref().map_or(Value::Null, Value::from_json);
            let verdict = validator.validate(inputs);
            for refusal in verdict.denied {
                let actions = &binding.spec.validation_actions;
                if actions.iter().any(|a| a == "Warn") {
                    warnings.push(format!("Validation failed for {by}: {}", refusal.message));
                }
                if actions.iter().any(|a| a == "Deny") {
                    denied.push((refusal, by.clone()));
                }
            }
            denied.extend(verdict.unannotated.into_iter().map(|d| (d, by.clone())));
        }
    }
}

/// What the expressions of a policy read, but for its params.
fn inputs_of(
    api: &ApiServer,
    spec: &ValidatingAdmissionPolicySpec,
    of: &Attributes,
    matched: Kind,
) -> Inputs {
    let kind = if of.converts() { matched } else { of.kind };
    let part = |part: &Option<Part>| {
        part.as_ref().map_or(Value::Null, |part| Value::from_json(&of.present(part, kind)))
    };
    let namespace = (of.resource != Kind::NAMESPACE).then(|| api.namespace(of.namespace)).flatten();
    Inputs {
        object: part(&of.object),
        old: part(&of.old),
        params: Value::Null,
        request: Value::from_json(&of.to_request(matched)),
        namespace: namespace.and_then(Namespace::from_object).map_or(Value::Null, namespace_object),
        authorizer: authority::of(api, spec, of),
    }
}

/// `namespaceObject` (`CreateNamespaceObject`): a namespace without what expressions may not see of it.
fn namespace_object(namespace: &Rc<Namespace>) -> Value {
    let mut namespace = Rc::clone(namespace);
    let this = Rc::make_mut(&mut namespace);
    this.metadata.owner_references = None;
    this.metadata.managed_fields = None;
    let mut value = crate::api::to_value(&*namespace);
    go_types::write_unset(go_types::of(Kind::NAMESPACE), &mut value);
    Value::from_json(&value)
}

/// A policy whose expressions are compiled.
struct Validator<'a> {
    variables: Vec<Variable>,
    conditions: Vec<Expression>,
    rules: Vec<(&'a Validation, Expression, Option<Expression>)>,
    annotations: Vec<Expression>,
    fails: bool,
}

impl<'a> Validator<'a> {
    fn of(spec: &'a ValidatingAdmissionPolicySpec) -> Validator<'a> {
        let mut compiler = PolicyCompiler::new(spec.param_kind.is_some(), true);
        let mut variables = Vec::new();
        for v in list(&spec.variables) {
            let compiled = compiler.variable(&v.name, &v.expression);
            variables.push(Variable { name: v.name.clone(), compiled });
        }
        let expression = |text: &str, authorizer: bool, wanted: Wanted| Expression {
            text: text.to_owned(),
            compiled: compiler.compile(text, authorizer, wanted),
        };
        let conditions = list(&spec.match_conditions).iter();
        let annotation = |a: &AuditAnnotation| expression(&a.value_expression, true, Wanted::StringOrNull);
        let rule = |v: &'a Validation| {
            let message = text(&v.message_expression);
            let message = (!message.is_empty()).then(|| expression(message, false, Wanted::String));
            (v, expression(&v.expression, true, Wanted::Bool), message)
        };
        Validator {
            conditions: conditions.map(|c| expression(&c.expression, true, Wanted::Bool)).collect(),
            rules: list(&spec.validations).iter().map(rule).collect(),
            annotations: list(&spec.audit_annotations).iter().map(annotation).collect(),
            fails: fails(spec),
            variables,
        }
    }

    /// A verdict about a policy that cannot be evaluated.
    fn failed(&self, why: String) -> Verdict {
        let denied = if self.fails { vec![Denied::because(why)] } else { Vec::new() };
        Verdict { denied, unannotated: Vec::new() }
    }

    fn validate(&self, inputs: &Inputs) -> Verdict {
        match self.meets_conditions(inputs) {
            Ok(true) => {}
            Ok(false) => return Verdict::default(),
            Err(why) => return self.failed(why),
        }
        let mut evaluator = Evaluator::new(inputs, &self.variables, RUNTIME_COST_BUDGET);
        let mut results = Vec::new();
        for (_, rule, _) in &self.rules {
            match evaluator.evaluate(rule) {
                Ok(result) => results.push(result),
                Err(why) => return self.failed(why),
            }
        }
        let mut messages = Evaluator::new(inputs, &self.variables, evaluator.left());
        let mut spent = None;
        let mut texts = Vec::new();
        for (_, _, message) in &self.rules {
            let message = message.as_ref().filter(|_| spent.is_none());
            match message.map(|m| messages.evaluate(m)).transpose() {
                Ok(result) => texts.push(result.and_then(Result::ok)),
                Err(why) => spent = Some(why),
            }
        }
        let mut verdict = Verdict::default();
        for (i, ((validation, _, _), result)) in self.rules.iter().zip(results).enumerate() {
            match (result, &spent) {
                (Err(why), _) if self.fails => verdict.denied.push(Denied::because(why)),
                (Err(_), _) => {}
                (_, Some(why)) if self.fails => {
                    verdict.denied.push(Denied::because(format!("failed messageExpression: {why}")));
                }
                (_, Some(_)) => {}
                (Ok(value), None) if value.as_bool() == Some(true) => {}
                (Ok(_), None) => verdict.denied.push(Denied {
                    message: message_of(validation, texts.get(i).and_then(Option::as_ref)),
                    reason: text(&validation.reason).to_owned(),
                }),
            }
        }
        // The values of the annotations would stand in the audit log, which is not kept here.
        let mut annotations = Evaluator::new(inputs, &self.variables, RUNTIME_COST_BUDGET);
        for annotation in &self.annotations {
            match annotations.evaluate(annotation) {
                Ok(Err(why)) if self.fails => verdict.unannotated.push(Denied::because(why)),
                Ok(_) => {}
                Err(why) => return self.failed(why),
            }
        }
        verdict
    }

    /// Whether a request meets the match conditions.
    ///
    /// # Errors
    /// One cannot be evaluated, none is false, and the policy's `failurePolicy` is `Fail`.
    fn meets_conditions(&self, inputs: &Inputs) -> Result<bool, String> {
        let inputs = Inputs { namespace: Value::Null, ..inputs.clone() };
        let mut evaluator = Evaluator::new(&inputs, &self.variables, MATCH_CONDITIONS_BUDGET);
        let mut errors: Vec<String> = Vec::new();
        let mut unmet = false;
        for condition in &self.conditions {
            match evaluator.evaluate(condition) {
                Ok(Ok(value)) => unmet |= value.as_bool() == Some(false),
                Ok(Err(why)) => {
                    if !errors.contains(&why) {
                        errors.push(why);
                    }
                }
                Err(why) if self.fails => return Err(why),
                Err(_) => return Ok(false),
            }
        }
        match errors.as_slice() {
            _ if unmet => Ok(false),
            [] => Ok(true),
            _ if !self.fails => Ok(false),
            [one] => Err(one.clone()),
            several => Err(format!("[{}]", several.join(", "))),
        }
    }
}

/// Whether a request fails if a policy cannot be evaluated for it (`failurePolicy`).
fn fails(spec: &ValidatingAdmissionPolicySpec) -> bool {
    text(&spec.failure_policy) != "Ignore"
}

/// What a rule that does not hold says: what its expression makes, or its text, or itself.
fn message_of(validation: &Validation, made: Option<&Value>) -> String {
    let made = made.and_then(Value::as_str).map(str::trim);
    let made = made.filter(|m| !m.is_empty() && m.len() <= MAX_MESSAGE && !m.contains('\n'));
    let own = Some(text(&validation.message).trim()).filter(|m| !m.is_empty());
    match made.or(own) {
        Some(message) => message.to_owned(),
        None => format!("failed expression: {}", validation.expression.trim()),
    }
}
