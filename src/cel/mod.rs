//! Kubernetes' CEL: the Common Expression Language with the functions, the checks and the costs that Kubernetes
//! gives it (`k8s.io/apiserver/pkg/cel`, on cel-go).
//!
//! An [`Env`] says which variables there are. It [compiles](Env::compile) an expression into a [`Program`], which
//! knows its type and [what it costs](Program::estimate_cost) at most, and gives an [`Evaluation`] for the values of an
//! [`Activation`]. [`RuleScope`] is all of this for the rules of a CustomResourceDefinition.
//!
//! ```
//! use serde_json::json;
//! use steady::cel::{DeclField, DeclType, Rule, RuleScope};
//! let field = |name: &str| DeclField::new(name, DeclType::int(), true);
//! let scope = RuleScope::new(&DeclType::object(vec![field("min"), field("max")]));
//! let rule = scope.compile(&Rule { rule: "self.min <= self.max", ..Rule::default() });
//! let program = rule.program.expect("it is right");
//! let of = |value| scope.evaluate(&program, &value, None, false).result.ok().and_then(|v| v.as_bool());
//! assert_eq!(of(json!({"min": 1, "max": 2})), Some(true));
//! assert_eq!(of(json!({"min": 3, "max": 2})), Some(false));
//! ```

mod ast;
mod check;
mod cost;
mod decl;
mod device;
mod env;
mod escape;
mod eval;
mod issues;
mod overloads;
mod parse;
mod policy;
mod program;
mod regexes;
mod rules;
mod time;
mod type_names;
mod types;

pub use cost::{
    CostEstimate, PER_CALL_LIMIT, RUNTIME_COST_BUDGET, STATIC_ESTIMATED_COST_LIMIT,
    STATIC_ESTIMATED_CRD_COST_LIMIT, cost_error_message, expression_cost,
};
pub use decl::{DeclField, DeclType, ListType, MAX_REQUEST_SIZE_BYTES};
pub use device::DeviceCompiler;
pub use env::Env;
pub use escape::escape;
pub(crate) use escape::is_reserved;
pub use eval::{
    Activation, AllowAll, Asked, Authorizer, EvalError, Evaluation, Key, Library, List, Map, Question, Value,
    Verdict,
};
pub use issues::{Issue, Issues};
pub use policy::{PolicyCompiler, Wanted};
pub use program::Program;
pub use rules::{CompiledRule, Rule, RuleScope};
pub use types::{Params, Type};

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
