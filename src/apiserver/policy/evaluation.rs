//! Evaluating the expressions of a policy for a request (`activation.go`, `condition.go` and `composition.go` of
//! `k8s.io/apiserver/pkg/admission/plugin/cel`).

use std::cell::OnceCell;
use std::rc::Rc;

use crate::cel::{Activation, Authorizer, EvalError, Evaluation, PER_CALL_LIMIT, Program, Question, Value};

/// Why no further expression is evaluated.
const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// An expression, and its program or what is wrong with it.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) text: String,
    pub(super) compiled: Result<Program, String>,
}

/// A variable of a policy.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) compiled: Result<Program, String>,
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
    pub(super) authorizer: (Rc<dyn Authorizer>, Question),
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
