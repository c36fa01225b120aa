//! The rules of a schema (`x-kubernetes-validations`), after
//! `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go`.

use serde_json::Value as Json;

use super::cost::PER_CALL_LIMIT;
use super::decl::{DeclType, MAX_REQUEST_SIZE_BYTES};
use super::env::Env;
use super::eval::{Activation, Evaluation, Value};
use super::issues::Issues;
use super::program::Program;

/// The value that a rule stands at.
const SELF: &str = "self";
/// The value that it had before the update.
const OLD_SELF: &str = "oldSelf";
/// The name of the root's type. Kubernetes makes a new one each time, so that no rule can rely on it.
const TYPE_NAME: &str = "selfType";

/// One rule as the schema has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rule<'a> {
    /// The expression that must be true.
    pub rule: &'a str,
    /// The expression that gives the message; empty if there is none.
    pub message_expression: &'a str,
    /// Whether `oldSelf` is an optional value.
    pub optional_old_self: bool,
}

/// One rule, ready to be evaluated, or what is wrong with it.
#[derive(Clone, Debug, Default)]
pub struct CompiledRule {
    /// What is wrong with the rule.
    pub error: Option<String>,
    /// The rule. Nothing if there is an error, or if the rule is blank.
    pub program: Option<Program>,
    /// Whether it names `oldSelf`.
    pub uses_old_self: bool,
    /// What it costs at most.
    pub max_cost: u64,
    /// How often data of the schema's type fits into a request.
    pub max_cardinality: u64,
    /// The message's expression, if there is one that is right.
    pub message_expression: Option<Program>,
    /// What is wrong with the message's expression.
    pub message_expression_error: Option<String>,
    /// What the message's expression costs at most.
    pub message_expression_max_cost: u64,
}

/// What the rules of one schema see: `self`, and `oldSelf`.
#[derive(Clone, Debug)]
pub struct RuleScope {
    decl: DeclType,
    env: Env,
    optional_env: Env,
}

impl RuleScope {
    /// The scope of a schema with this type.
    pub fn new(decl: &DeclType) -> RuleScope {
        let decl = decl.named(TYPE_NAME);
        let base = Env::base().variable(SELF, decl.clone());
        let env = base.clone().variable(OLD_SELF, decl.clone());
        let optional_env = base.optional_variable(OLD_SELF, decl.clone());
        RuleScope { decl, env, optional_env }
    }

    /// Reads, checks and estimates a rule and its message's expression.
    pub fn compile(&self, rule: &Rule) -> CompiledRule {
        let mut compiled = CompiledRule::default();
        if rule.rule.trim().is_empty() {
            return compiled;
        }
        let env = if rule.optional_old_self { &self.optional_env } else { &self.env };
        let program = match env.compile(rule.rule) {
            Ok(program) if program.is_bool() => program,
            Ok(_) => {
                compiled.error = Some("cel expression must evaluate to a bool".to_owned());
                return compiled;
            }
            Err(issues) => {
                compiled.error = Some(failed("", &issues));
                return compiled;
            }
        };
        compiled.uses_old_self = program.uses(OLD_SELF);
        compiled.max_cost = program.estimate_cost().max;
        // At least a comma stands between two of them.
        compiled.max_cardinality = MAX_REQUEST_SIZE_BYTES / self.decl.min_serialized_size().saturating_add(1);
        compiled.program = Some(program);
        if rule.message_expression.is_empty() {
            return compiled;
        }
        match env.compile(rule.message_expression) {
            Ok(message) if message.is_string() => {
                compiled.message_expression_max_cost = message.estimate_cost().max;
                compiled.message_expression = Some(message);
            }
            Ok(_) => {
                let why = "messageExpression must evaluate to a string";
                compiled.message_expression_error = Some(why.to_owned());
            }
            Err(issues) => compiled.message_expression_error = Some(failed("messageExpression ", &issues)),
        }
        compiled
    }

    /// Evaluates a program of this scope on a value, and on the value before if there is one. With
    /// `optional_old_self` the latter may be missing; without, naming it then is an error.
    pub fn evaluate(
        &self,
        program: &Program,
        value: &Json,
        old: Option<&Json>,
        optional_old_self: bool,
    ) -> Evaluation {
        let mut activation = Activation::new().with(SELF, Value::typed(value, &self.decl));
        let old = old.map(|old| Value::typed(old, &self.decl));
        if optional_old_self {
            activation = activation.with(OLD_SELF, old.map_or(Value::Optional(None), Value::some));
        } else if let Some(old) = old {
            activation = activation.with(OLD_SELF, old);
        }
        program.evaluate(&activation, PER_CALL_LIMIT)
    }
}

fn failed(what: &str, issues: &Issues) -> String {
    format!("{what}compilation failed: {issues}")
}

#[cfg(test)]
mod tests;
