//! The expressions of a lesson: conditions of goals and the answers of predictions, in CEL over the cluster's objects and over
//! what happened since the step began. docs/lessons.md lists the variables.

use std::fmt;
use std::marker::PhantomData;

use serde::{Deserialize, Deserializer};

use crate::api::Kind;
use crate::cel::{Activation, DeclField, DeclType, Env, EvalError, Program, RUNTIME_COST_BUDGET, Value};

/// Which variables an expression has, and what it gives.
pub trait Scope {
    /// Whether it may ask for `steady`, `next`, `traffic`, `prints` and `journeys`, which are known of the moment that is shown only.
    const NOW: bool;
    /// Whether it has to be true or false.
    const CONDITION: bool;
}

/// The scope of a condition at the moment that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now;

/// The scope of a condition at any moment since the step began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtMoment;

/// The scope of a prediction's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer;

/// The scope of a number that is measured after every write since the step began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure;

impl Scope for Measure {
    const NOW: bool = false;
    const CONDITION: bool = false;
}

impl Scope for Now {
    const NOW: bool = true;
    const CONDITION: bool = true;
}

impl Scope for AtMoment {
    const NOW: bool = false;
    const CONDITION: bool = true;
}

impl Scope for Answer {
    const NOW: bool = true;
    const CONDITION: bool = false;
}

/// The field of `now` and `before` with the objects of custom kinds, by the plural names of their kinds.
pub(super) const CUSTOM: &str = "custom";

/// A compiled expression.
#[derive(Clone)]
pub struct Expression<S> {
    source: String,
    program: Program,
    scope: PhantomData<S>,
}

impl<S: Scope> Expression<S> {
    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// What CEL says of it.
    pub fn compile(source: &str) -> Result<Expression<S>, String> {
        let program = env(S::NOW).compile(source).map_err(|issues| issues.to_string())?;
        if S::CONDITION && !program.is_bool() {
            return Err(format!(
                "{source:?} gives {}, and a condition is true or false",
                program.output_type().name()
            ));
        }
        Ok(Expression { source: source.to_owned(), program, scope: PhantomData })
    }

    /// The expression as it is written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether it names a variable.
    pub(super) fn uses(&self, variable: &str) -> bool {
        self.program.uses(variable)
    }

    /// Its value. What it costs is taken from a budget.
    ///
    /// # Errors
    ///
    /// What CEL says, for example that an object has no such field, or that the budget is used up.
    pub(super) fn evaluate(&self, activation: &Activation, budget: &mut u64) -> Result<Value, EvalError> {
        let evaluated = self.program.evaluate(activation, RUNTIME_COST_BUDGET.min(*budget));
        *budget = budget.saturating_sub(evaluated.cost);
        evaluated.result
    }
}

impl<S> PartialEq for Expression<S> {
    fn eq(&self, other: &Expression<S>) -> bool {
        self.source == other.source
    }
}

impl<S> fmt::Debug for Expression<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.source)
    }
}

impl<'de, S: Scope> Deserialize<'de> for Expression<S> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Expression<S>, D::Error> {
        Expression::compile(&String::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}

/// The variables. Objects have no declared types, because tests of their fields would otherwise depend on schemas; the kinds are
/// declared, so that a kind that is misspelt is found when the lesson is read.
fn env(now: bool) -> Env {
    let list = || DeclType::list(DeclType::dyn_type(), None);
    let world = || {
        let kinds = Kind::BUILT_IN.iter().map(|kind| DeclField::new(kind.plural(), list(), true));
        let custom = DeclField::new(CUSTOM, DeclType::map(list(), None), true);
        DeclType::object(kinds.chain([custom]).collect())
    };
    let env = Env::base()
        .variable("now", world())
        .variable("before", world())
        .variable("commands", list())
        .variable("seconds", DeclType::int());
    if !now {
        return env;
    }
    env.variable("steady", DeclType::bool())
        .variable("next", list())
        .variable("traffic", list())
        .variable("prints", DeclType::map(DeclType::string(None), None))
        .variable("journeys", DeclType::map(DeclType::dyn_type(), None))
}
