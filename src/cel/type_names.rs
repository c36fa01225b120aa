//! The identifiers of an expression that are names of types, such as `int` in `type(x) == int`.

use std::collections::BTreeMap;

use super::ast::{Expr, ExprKind};
use super::env::Env;
use super::types::Type;

/// The types that identifiers name, by the ids of their nodes.
pub(crate) type TypeNames = BTreeMap<usize, Type>;

/// Finds the identifiers that name types: those that name no variable.
pub(super) fn find_type_names(root: &Expr, env: &Env) -> TypeNames {
    let mut types = TypeNames::new();
    find(root, env, &mut Vec::new(), &mut types);
    types
}

fn find<'n>(node: &'n Expr, env: &Env, locals: &mut Vec<&'n str>, types: &mut TypeNames) {
    let mut each = |nodes: &mut dyn Iterator<Item = &'n Expr>, locals: &mut Vec<&'n str>| {
        nodes.for_each(|n| find(n, env, locals, types));
    };
    match &node.kind {
        ExprKind::Broken | ExprKind::Literal(_) => {}
        ExprKind::Ident(name) => {
            let plain = name.strip_prefix('.').unwrap_or(name);
            if !locals.contains(&name.as_str())
                && env.declared(plain).is_none()
                && let Some(t @ Type::Type(_)) = env.lookup(plain)
            {
                types.insert(node.id, t.param(0));
            }
        }
        ExprKind::Select { operand, .. } => each(&mut std::iter::once(&**operand), locals),
        ExprKind::Call(call) => each(&mut call.target.iter().chain(&call.args), locals),
        ExprKind::List(items) => each(&mut items.iter().map(|i| &i.value), locals),
        ExprKind::Map(entries) => each(&mut entries.iter().flat_map(|e| [&e.key, &e.value]), locals),
        ExprKind::Struct(_, fields) => each(&mut fields.iter().map(|f| &f.value), locals),
        ExprKind::Fold(fold) => {
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
