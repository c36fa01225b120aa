//! What parts of an expression are, and what they are made of: constants, paths into values.

use super::super::ast::{Expr, ExprKind, Literal, operators as op};
use super::super::cost::SELECT_OR_IDENT;
use super::value::{Key, Value};
use super::{EvalError, EvalResult, operators};

/// A value that an expression may use.
pub(super) fn valid(value: Value) -> EvalResult {
    match value {
        Value::Invalid(why) => Err(EvalError::new(&*why)),
        value => Ok(value),
    }
}

/// What a path costs that begins with the value of another expression, and not with a variable.
pub(super) fn relative(node: &Expr) -> u64 {
    let path = match &node.kind {
        ExprKind::Ident(_) | ExprKind::Select { .. } => true,
        ExprKind::Call(call) => {
            matches!(call.function.as_str(), op::INDEX | op::OPT_INDEX | op::OPT_SELECT | op::CONDITIONAL)
        }
        _ => false,
    };
    if path { 0 } else { SELECT_OR_IDENT }
}

pub(super) fn not_optional(what: &str, value: &Value) -> EvalError {
    EvalError::new(format!(
        "cannot initialize optional {what} from non-optional value of type {}",
        value.type_name()
    ))
}

pub(super) fn constant(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(b) => Value::Bool(*b),
        Literal::Int(n) => Value::Int(*n),
        Literal::Uint(n) => Value::Uint(*n),
        Literal::Double(d) => Value::Double(*d),
        Literal::String(s) => Value::string(s),
        Literal::Bytes(b) => Value::Bytes(b.as_slice().into()),
    }
}

/// What cel-go computes before it evaluates, and so for nothing: lists and maps of literals, and conversions of them.
pub(super) fn is_constant(node: &Expr) -> bool {
    let literal = |n: &Expr| matches!(n.kind, ExprKind::Literal(_)) || is_constant(n);
    match &node.kind {
        ExprKind::List(items) => items.iter().all(|i| !i.optional && literal(&i.value)),
        ExprKind::Map(entries) => entries.iter().all(|e| !e.optional && literal(&e.key) && literal(&e.value)),
        ExprKind::Call(call) => {
            const CONVERSIONS: [&str; 10] =
                ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];
            let conversion = call.target.is_none() && CONVERSIONS.contains(&call.function.as_str());
            conversion && matches!(call.args.as_slice(), [Expr { kind: ExprKind::Literal(_), .. }])
        }
        _ => false,
    }
}

/// `operand.field`
pub(super) fn select(of: &Value, field: &str) -> EvalResult {
    match of {
        Value::Map(map) => match map.find(&Key::String(field.into())) {
            Some(value) => valid(value.clone()),
            None => Err(EvalError::new(format!("no such key: {field}"))),
        },
        Value::Optional(None) => Ok(Value::Optional(None)),
        Value::Optional(Some(inner)) => operators::optional_index(inner, &Value::string(field)),
        scalar if is_scalar(scalar) => Err(EvalError::new(format!("no such key: {field}"))),
        _ => Err(EvalError::overload()),
    }
}

/// Whether a value has no parts. It has no fields then, rather than that it could not be asked (`refQualify` of cel-go's
/// `interpreter/attributes.go`).
fn is_scalar(value: &Value) -> bool {
    matches!(
        value,
        Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Timestamp(_)
            | Value::Duration(_)
    )
}

/// `has(operand.field)`
pub(super) fn has(of: &Value, field: &str) -> EvalResult {
    match of {
        Value::Map(map) => Ok(Value::Bool(map.find(&Key::String(field.into())).is_some())),
        Value::Optional(None) => Ok(Value::Bool(false)),
        Value::Optional(Some(inner)) => has(inner, field),
        scalar if is_scalar(scalar) => Ok(Value::Bool(false)),
        _ => Err(EvalError::overload()),
    }
}
