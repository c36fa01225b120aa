//! What can be said of literals before anything is evaluated: the validators in `cel/validator.go` of cel-go that
//! Kubernetes turns on.

use super::super::ast::{Expr, ExprKind, Literal};
use super::super::issues::Issue;
use super::super::types::Type;
use super::super::{regexes, time};
use super::Checked;
use crate::api::duration;
use crate::api::order;

/// Durations, moments and patterns that are written into the expression must be valid, and the items of a list and
/// the keys and values of a map of one type.
pub(super) fn check(root: &Expr, checked: &Checked, issues: &mut Vec<Issue>) {
    // What a text formats may be of any types.
    let mut exempt = Vec::new();
    root.walk(&mut |node| {
        if matches!(&node.kind, ExprKind::Call(call) if call.function == "format") {
            node.walk(&mut |inner| exempt.push(inner.id));
        }
    });
    order::sort(&mut exempt);
    root.walk(&mut |node| match &node.kind {
        ExprKind::Call(call) => {
            let Some(Expr { at, kind: ExprKind::Literal(Literal::String(text)), .. }) = call.args.first()
            else {
                return;
            };
            let valid = match call.function.as_str() {
                "duration" => duration::parse(text).is_ok(),
                "timestamp" => time::parse_timestamp(text).is_some(),
                "matches" => regexes::compile(text).is_ok(),
                _ => true,
            };
            if !valid {
                issues.push(Issue { at: Some(*at), message: format!("invalid {} argument", call.function) });
            }
        }
        ExprKind::List(items) if exempt.binary_search(&node.id).is_err() => {
            let mut same = Same::new(checked);
            let _ = items.iter().all(|item| same.goes_on(item.optional, &item.value, issues));
        }
        ExprKind::Map(entries) if exempt.binary_search(&node.id).is_err() => {
            let (mut keys, mut values) = (Same::new(checked), Same::new(checked));
            for entry in entries {
                keys.goes_on(false, &entry.key, issues);
                values.goes_on(entry.optional, &entry.value, issues);
            }
        }
        _ => {}
    });
}

/// The type that all of several expressions must have.
struct Same<'c> {
    checked: &'c Checked,
    first: Option<Type>,
}

impl Same<'_> {
    fn new(checked: &Checked) -> Same<'_> {
        Same { checked, first: None }
    }

    fn goes_on(&mut self, optional: bool, node: &Expr, issues: &mut Vec<Issue>) -> bool {
        let t = self.checked.type_of(node);
        let t = if optional { t.param(0) } else { t.clone() };
        let first = self.first.get_or_insert_with(|| t.clone());
        let same = *first == t;
        if !same {
            let message = format!("expected type '{first}' but found '{t}'");
            issues.push(Issue { at: Some(node.at), message });
        }
        same
    }
}
