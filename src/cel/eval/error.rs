//! Why an evaluation gives no value.

use std::fmt;
use std::rc::Rc;

/// What went wrong, in the words of cel-go and of Kubernetes' libraries.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalError {
    message: Rc<str>,
    fatal: bool,
}

impl EvalError {
    pub(crate) fn new(message: impl AsRef<str>) -> EvalError {
        EvalError { message: message.as_ref().into(), fatal: false }
    }

    pub(crate) fn overload() -> EvalError {
        EvalError::new("no such overload")
    }

    pub(crate) fn cost_limit() -> EvalError {
        EvalError { message: "operation cancelled: actual cost limit exceeded".into(), fatal: true }
    }

    /// Whether the types of values did not fit an operator or function, which the checker leaves to the evaluation
    /// for values of any type.
    pub fn is_overload(&self) -> bool {
        self.message.starts_with("no such overload")
    }

    /// Whether the evaluation was ended because it costs too much.
    pub fn is_cost_limit(&self) -> bool {
        self.fatal
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EvalError {}
