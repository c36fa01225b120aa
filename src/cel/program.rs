//! An expression that is ready to be evaluated.

use std::rc::Rc;

use super::ast::{Expr, ExprKind};
use super::check::{Checked, check};
use super::cost::{CostEstimate, estimate};
use super::env::Env;
use super::eval::{Activation, Evaluation, evaluate};
use super::issues::Issues;
use super::parse::parse;
use super::type_names::{TypeNames, find_type_names};
use super::types::Type;

/// An expression that was read and checked. Cloning it copies a pointer.
#[derive(Clone, Debug)]
pub struct Program(Rc<Compiled>);

#[derive(Debug)]
struct Compiled {
    root: Expr,
    checked: Checked,
    env: Env,
    type_names: TypeNames,
}

impl Env {
    /// Reads and checks an expression.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn compile(&self, source: &str) -> Result<Program, Issues> {
        let mut parsed = parse(source, self.has_bindings())?;
        let checked =
            check(self, &mut parsed.root, parsed.nodes).map_err(|issues| Issues::new(source, issues))?;
        Ok(Program::new(parsed.root, checked, self.clone()))
    }
}

impl Program {
    pub(crate) fn new(root: Expr, checked: Checked, env: Env) -> Program {
        let type_names = find_type_names(&root, &env);
        Program(Rc::new(Compiled { root, checked, env, type_names }))
    }

    /// The type of what it gives.
    pub fn output_type(&self) -> &Type {
        self.0.checked.type_of(&self.0.root)
    }

    /// Whether it gives a bool, surely.
    pub fn is_bool(&self) -> bool {
        *self.output_type() == Type::Bool
    }

    /// Whether it gives a string, surely.
    pub fn is_string(&self) -> bool {
        *self.output_type() == Type::String
    }

    /// Whether it names a variable.
    pub fn uses(&self, variable: &str) -> bool {
        let mut uses = false;
        self.0.root.walk(&mut |node| uses |= matches!(&node.kind, ExprKind::Ident(name) if name == variable));
        uses
    }

    /// How many loops (`all`, `map`, …) lie in each other at most.
    pub fn loops(&self) -> usize {
        loops(&self.0.root)
    }

    /// What evaluating it costs at least and at most, as far as the sizes in the types of its variables tell
    /// (`checker/cost.go` of cel-go with the estimator of `k8s.io/apiserver/pkg/cel/library/cost.go`).
    pub fn estimate_cost(&self) -> CostEstimate {
        estimate(&self.0.root, &self.0.checked, &self.0.env)
    }

    /// Evaluates it. It fails once it costs more than `limit`: see [`super::PER_CALL_LIMIT`].
    pub fn evaluate(&self, activation: &Activation, limit: u64) -> Evaluation {
        let Compiled { root, checked, env, type_names } = &*self.0;
        evaluate(root, checked, type_names, env, activation, limit)
    }
}

fn loops(node: &Expr) -> usize {
    let most = |nodes: &mut dyn Iterator<Item = &Expr>| nodes.map(loops).max().unwrap_or(0);
    match &node.kind {
        ExprKind::Broken | ExprKind::Literal(_) | ExprKind::Ident(_) => 0,
        ExprKind::Select { operand, .. } => loops(operand),
        ExprKind::Call(call) => most(&mut call.target.iter().chain(&call.args)),
        ExprKind::List(items) => most(&mut items.iter().map(|i| &i.value)),
        ExprKind::Map(entries) => most(&mut entries.iter().flat_map(|e| [&e.key, &e.value])),
        ExprKind::Struct(_, fields) => most(&mut fields.iter().map(|f| &f.value)),
        ExprKind::Fold(fold) => {
            let outside = most(&mut [&fold.range, &fold.init, &fold.result].into_iter());
            outside.max(1 + most(&mut [&fold.condition, &fold.step].into_iter()))
        }
    }
}
