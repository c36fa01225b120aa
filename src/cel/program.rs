//! An expression that is ready to be evaluated.

use std::rc::Rc;

use super::ast::{Kind, Node};
use super::check::Checked;
use super::cost::{CostEstimate, estimate};
use super::env::Env;
use super::eval::{Activation, Evaluation, evaluate};
use super::types::Type;

/// An expression that was read and checked. Cloning it copies a pointer.
#[derive(Clone, Debug)]
pub struct Program(Rc<Compiled>);

#[derive(Debug)]
struct Compiled {
    root: Node,
    checked: Checked,
    env: Env,
    types: Types,
}

/// Which identifiers of the expression are types.
pub(crate) type Types = std::collections::BTreeMap<usize, Type>;

impl Program {
    pub(crate) fn new(root: Node, checked: Checked, env: Env) -> Program {
        let mut types = Types::new();
        let mut locals = Vec::new();
        find_types(&root, &env, &mut locals, &mut types);
        Program(Rc::new(Compiled { root, checked, env, types }))
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
        self.0.root.walk(&mut |node| uses |= matches!(&node.kind, Kind::Ident(name) if name == variable));
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
        evaluate(&self.0.root, &self.0.checked, &self.0.types, activation, limit)
    }
}

fn loops(node: &Node) -> usize {
    let most = |nodes: &mut dyn Iterator<Item = &Node>| nodes.map(loops).max().unwrap_or(0);
    match &node.kind {
        Kind::Broken | Kind::Literal(_) | Kind::Ident(_) => 0,
        Kind::Select { operand, .. } => loops(operand),
        Kind::Call(call) => most(&mut call.target.iter().chain(&call.args)),
        Kind::List(items) => most(&mut items.iter().map(|i| &i.value)),
        Kind::Map(entries) => most(&mut entries.iter().flat_map(|e| [&e.key, &e.value])),
        Kind::Struct(_, fields) => most(&mut fields.iter().map(|f| &f.value)),
        Kind::Fold(fold) => {
            let outside = most(&mut [&fold.range, &fold.init, &fold.result].into_iter());
            outside.max(1 + most(&mut [&fold.condition, &fold.step].into_iter()))
        }
    }
}

/// Finds the identifiers that stand for types and for no variable.
fn find_types<'n>(node: &'n Node, env: &Env, locals: &mut Vec<&'n str>, types: &mut Types) {
    let mut each = |nodes: &mut dyn Iterator<Item = &'n Node>, locals: &mut Vec<&'n str>| {
        nodes.for_each(|n| find_types(n, env, locals, types));
    };
    match &node.kind {
        Kind::Broken | Kind::Literal(_) => {}
        Kind::Ident(name) => {
            let plain = name.strip_prefix('.').unwrap_or(name);
            if !locals.contains(&name.as_str())
                && env.declared(plain).is_none()
                && let Some(t @ Type::Type(_)) = env.lookup(plain)
            {
                types.insert(node.id, t.param(0));
            }
        }
        Kind::Select { operand, .. } => each(&mut std::iter::once(&**operand), locals),
        Kind::Call(call) => each(&mut call.target.iter().chain(&call.args), locals),
        Kind::List(items) => each(&mut items.iter().map(|i| &i.value), locals),
        Kind::Map(entries) => each(&mut entries.iter().flat_map(|e| [&e.key, &e.value]), locals),
        Kind::Struct(_, fields) => each(&mut fields.iter().map(|f| &f.value), locals),
        Kind::Fold(fold) => {
            each(&mut [&fold.range, &fold.init].into_iter(), locals);
            let outside = locals.len();
            locals.push(&fold.accu);
            locals.push(&fold.var);
            locals.extend(fold.var2.as_deref());
            each(&mut [&fold.condition, &fold.step].into_iter(), locals);
            locals.truncate(outside + 1);
            each(&mut std::iter::once(&fold.result), locals);
            locals.truncate(outside);
        }
    }
}
