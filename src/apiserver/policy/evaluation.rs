//! Evaluating the expressions of a policy for a request (`activation.go`, `condition.go` and `composition.go` of
//! `k8s.io/apiserver/pkg/admission/plugin/cel`).

use std::cell::OnceCell;
use std::rc::Rc;

use super::attributes::{Attributes, Part};
use super::authority::Authority;
use crate::api::types::{Namespace, admission};
use crate::api::{ApiKind, Kind, go_types};
use crate::apiserver::ApiServer;
use crate::cel::{Activation, EvalError, Evaluation, PER_CALL_LIMIT, PolicyCompiler, Program, Value, Wanted};

/// Why no further expression is evaluated.
const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";
/// What match conditions may cost together (`RuntimeCELCostBudgetMatchConditions`).
const MATCH_CONDITIONS_BUDGET: u64 = 2_500_000;

/// An expression, and its program or what is wrong with it.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) text: String,
    pub(super) compiled: Result<Program, String>,
}

impl Expression {
    pub(super) fn of(compiler: &PolicyCompiler, text: &str, authorizer: bool, wanted: Wanted) -> Expression {
        Expression { text: text.to_owned(), compiled: compiler.compile(text, authorizer, wanted) }
    }
}

/// A variable of a policy.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) compiled: Result<Program, String>,
}

impl Variable {
    /// The variables of a policy, which the expressions after them may name.
    pub(super) fn all(of: &[admission::Variable], compiler: &mut PolicyCompiler) -> Vec<Variable> {
        let compiled = |v: &admission::Variable| Variable {
            name: v.name.clone(),
            compiled: compiler.variable(&v.name, &v.expression),
        };
        of.iter().map(compiled).collect()
    }
}

/// The conditions under which a policy looks at a request, and what becomes of a request for which the policy cannot be evaluated.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    expressions: Vec<Expression>,
    /// Whether such a request fails (`failurePolicy`).
    pub(super) fails: bool,
}

impl Conditions {
    pub(super) fn of(
        conditions: &[admission::MatchCondition],
        compiler: &PolicyCompiler,
        failure_policy: &str,
    ) -> Conditions {
        let expression =
            |c: &admission::MatchCondition| Expression::of(compiler, &c.expression, true, Wanted::Bool);
        Conditions {
            expressions: conditions.iter().map(expression).collect(),
            fails: failure_policy != "Ignore",
        }
    }

    /// Whether a request meets the conditions.
    ///
    /// # Errors
    /// One cannot be evaluated, none is false, and the policy's `failurePolicy` is `Fail`.
    pub(super) fn are_met(&self, inputs: &Inputs, variables: &[Variable]) -> Result<bool, String> {
        let inputs = Inputs { namespace: Value::Null, ..inputs.clone() };
        let mut evaluator = Evaluator::new(&inputs, variables, MATCH_CONDITIONS_BUDGET);
        let mut errors: Vec<String> = Vec::new();
        let mut unmet = false;
        for condition in &self.expressions {
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

/// What the expressions of a policy read of one request.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    pub(super) object: Value,
    pub(super) old: Value,
    pub(super) params: Value,
    pub(super) request: Value,
    /// `namespaceObject`. Match conditions see none.
    pub(super) namespace: Value,
    /// Whom expressions ask what the sender may do, and the question about the request itself.
    pub(super) authorizer: Authority,
}

impl Inputs {
    /// What the expressions of a policy that was matched by this kind read, but for its params.
    pub(super) fn of(api: &ApiServer, of: &Attributes, matched: Kind, authorizer: Authority) -> Inputs {
        let kind = of.kind_for(matched);
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
            authorizer,
        }
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

/// Evaluates expressions of one kind, such as all validations, one after the other.
pub(super) struct Evaluator<'a> {
    activation: Activation,
    variables: &'a [Variable],
    /// The values of the variables, once an expression named them, and what they cost.
    composed: OnceCell<Value>,
    budget: u64,
}

impl<'a> Evaluator<'a> {
    /// An evaluator that may spend `budget`.
    pub(super) fn new(inputs: &Inputs, variables: &'a [Variable], budget: u64) -> Evaluator<'a> {
        let (authorizer, question) = &inputs.authorizer;
        let activation = Activation::new()
            .with("object", inputs.object.clone())
            .with("oldObject", inputs.old.clone())
            .with("params", inputs.params.clone())
            .with("request", inputs.request.clone())
            .with("namespaceObject", inputs.namespace.clone())
            .with("authorizer", Value::authorizer(authorizer.clone()))
            .with("authorizer.requestResource", Value::resource_check(authorizer.clone(), question.clone()));
        Evaluator { activation, variables, composed: OnceCell::new(), budget }
    }

    /// What is left of the budget.
    pub(super) fn left(&self) -> u64 {
        self.budget
    }

    /// The value of an expression, or why it has none.
    ///
    /// # Errors
    /// The budget is spent.
    pub(super) fn evaluate(&mut self, expression: &Expression) -> Result<Result<Value, String>, String> {
        let program = match &expression.compiled {
            Ok(program) => program,
            Err(why) => return Ok(Err(format!("compilation error: {why}"))),
        };
        let mut activation = self.activation.clone();
        if program.uses("variables") {
            activation = activation.with("variables", self.variables()?);
        }
        let Evaluation { result, cost } = program.evaluate(&activation, PER_CALL_LIMIT);
        self.spend(cost)?;
        Ok(result.map_err(|why| format!("expression '{}' resulted in error: {why}", expression.text)))
    }

    fn spend(&mut self, cost: u64) -> Result<(), String> {
        self.budget = self.budget.checked_sub(cost).ok_or(OUT_OF_BUDGET)?;
        Ok(())
    }

    /// `variables`. A variable that has no value is an error where an expression reads it, and nowhere else.
    fn variables(&mut self) -> Result<Value, String> {
        if let Some(known) = self.composed.get() {
            return Ok(known.clone());
        }
        let mut values: Vec<(&str, Value)> = Vec::new();
        for Variable { name, compiled } in self.variables {
            let value = match compiled {
                Err(why) => {
                    Value::invalid(&format!("composited variable \"{name}\" fails to compile: {why}"))
                }
                Ok(program) => {
                    let known = Value::from_entries(values.iter().cloned());
                    let activation = self.activation.clone().with("variables", known);
                    let Evaluation { result, cost } = program.evaluate(&activation, PER_CALL_LIMIT);
                    self.spend(cost)?;
                    let failed = |why: EvalError| {
                        Value::invalid(&format!("composited variable \"{name}\" fails to evaluate: {why}"))
                    };
                    result.unwrap_or_else(failed)
                }
            };
            values.retain(|(n, _)| n != name);
            values.push((name, value));
        }
        let composed = Value::from_entries(values);
        Ok(self.composed.get_or_init(|| composed).clone())
    }
}
