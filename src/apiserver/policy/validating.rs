//! ValidatingAdmissionPolicy: what a request must not do, by the rules of policies that bindings switch on
//! (`policy/validating/dispatcher.go` and `validator.go`).

use super::attributes::Attributes;
use super::authority;
use super::bound::{self, Asked, Binding, Definition, Outcome};
use super::evaluation::{Conditions, Evaluator, Expression, Inputs, Variable};
use crate::api::types::ValidatingAdmissionPolicyBinding;
use crate::api::types::admission::{
    AuditAnnotation, ValidatingAdmissionPolicy, ValidatingAdmissionPolicySpec, Validation,
};
use crate::api::{ApiKind, Kind, MetaExt, Object};
use crate::apimachinery::{Cause, Status};
use crate::apiserver::ApiServer;
use crate::apiserver::validation::{list, text};
use crate::cel::{PolicyCompiler, RUNTIME_COST_BUDGET, Value, Wanted};

/// The plug-in's name.
pub(super) const NAME: &str = "ValidatingAdmissionPolicy";

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
        ask(api, of, (&record.object, policy), &mut denied, warnings);
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
    (object, policy): (&Object, &ValidatingAdmissionPolicy),
    denied: &mut Vec<(Denied, String)>,
    warnings: &mut Vec<String>,
) {
    let name = policy.metadata.name();
    let bindings = api.etcd.range(Kind::VALIDATING_ADMISSION_POLICY_BINDING, None);
    let bindings = bindings.filter_map(|(_, r)| ValidatingAdmissionPolicyBinding::from_object(&r.object));
    let bindings: Vec<_> = bindings.filter(|b| b.spec.policy_name == name).collect();
    let Some(spec) = &policy.spec else { return };
    let definition =
        Definition { constraints: spec.match_constraints.as_ref(), param_kind: spec.param_kind.as_ref() };
    let looks = bindings
        .iter()
        .map(|b| Binding { looks_at: b.spec.match_resources.as_ref(), params: b.spec.param_ref.as_ref() });
    let outcomes = bound::outcomes(api, of, &definition, &looks.collect::<Vec<_>>());
    if outcomes.is_empty() {
        return;
    }
    let by_policy = format!("ValidatingAdmissionPolicy '{name}'");
    let validator = api.compiled_policies.validator(object, spec);
    let mut inputs = None;
    for Outcome { binding, of: outcome } in outcomes {
        let binding = binding.and_then(|i| bindings.get(i));
        let by = binding.map_or_else(
            || by_policy.clone(),
            |b| format!("{by_policy} with binding '{}'", b.metadata.name()),
        );
        let (matched, params) = match outcome {
            Ok(Asked { matched, params }) => (matched, params),
            Err(why) => {
                denied.extend(validator.conditions.fails.then(|| (Denied::because(why), by)));
                continue;
            }
        };
        let inputs = inputs
            .get_or_insert_with(|| Inputs::of(api, of, matched, authority::of(api, validator.asks, of)));
        inputs.params = params.as_ref().map_or(Value::Null, Value::from_json);
        let verdict = validator.validate(inputs);
        let actions = binding.map_or(&[][..], |b| &b.spec.validation_actions);
        for refusal in verdict.denied {
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

/// Whether an expression of a policy names the authorizer.
fn asks(spec: &ValidatingAdmissionPolicySpec) -> bool {
    let all = list(&spec.validations).iter().map(|v| v.expression.as_str());
    let all = all.chain(list(&spec.variables).iter().map(|v| v.expression.as_str()));
    let all = all.chain(list(&spec.match_conditions).iter().map(|c| c.expression.as_str()));
    let all = all.chain(list(&spec.audit_annotations).iter().map(|a| a.value_expression.as_str()));
    authority::is_named(all)
}

/// A policy whose expressions are compiled.
pub(super) struct Validator {
    variables: Vec<Variable>,
    conditions: Conditions,
    rules: Vec<(Validation, Expression, Option<Expression>)>,
    /// Whether one of its expressions names the authorizer.
    asks: bool,
    annotations: Vec<Expression>,
}

impl Validator {
    pub(super) fn of(spec: &ValidatingAdmissionPolicySpec) -> Validator {
        let mut compiler = PolicyCompiler::new(spec.param_kind.is_some(), true);
        let variables = Variable::all(list(&spec.variables), &mut compiler);
        let expression = |text: &str, authorizer: bool, wanted: Wanted| {
            Expression::of(&compiler, text, authorizer, wanted)
        };
        let annotation = |a: &AuditAnnotation| expression(&a.value_expression, true, Wanted::StringOrNull);
        let rule = |v: &Validation| {
            let message = text(&v.message_expression);
            let message = (!message.is_empty()).then(|| expression(message, false, Wanted::String));
            (v.clone(), expression(&v.expression, true, Wanted::Bool), message)
        };
        Validator {
            conditions: Conditions::of(list(&spec.match_conditions), &compiler, text(&spec.failure_policy)),
            rules: list(&spec.validations).iter().map(rule).collect(),
            annotations: list(&spec.audit_annotations).iter().map(annotation).collect(),
            asks: asks(spec),
            variables,
        }
    }

    /// A verdict about a policy that cannot be evaluated.
    fn failed(&self, why: String) -> Verdict {
        let denied = if self.conditions.fails { vec![Denied::because(why)] } else { Vec::new() };
        Verdict { denied, unannotated: Vec::new() }
    }

    fn validate(&self, inputs: &Inputs) -> Verdict {
        match self.conditions.are_met(inputs, &self.variables) {
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
                (Err(why), _) if self.conditions.fails => verdict.denied.push(Denied::because(why)),
                (Err(_), _) => {}
                (_, Some(why)) if self.conditions.fails => {
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
                Ok(Err(why)) if self.conditions.fails => verdict.unannotated.push(Denied::because(why)),
                Ok(_) => {}
                Err(why) => return self.failed(why),
            }
        }
        verdict
    }
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
