//! Values that may not be there: `OptionalTypes` in `cel/library.go` of cel-go.

use super::super::value::Value;
use super::super::{EvalError, EvalResult};

pub(super) fn global(function: &str, args: &[Value]) -> Option<EvalResult> {
    Some(Ok(match (function, args) {
        ("optional.of", [value]) => Value::some(value.clone()),
        ("optional.none", []) => Value::Optional(None),
        ("optional.ofNonZeroValue", [value]) if is_zero(value) => Value::Optional(None),
        ("optional.ofNonZeroValue", [value]) => Value::some(value.clone()),
        ("optional.unwrap", [list]) => return unwrap(list),
        _ => return None,
    }))
}

pub(super) fn member(function: &str, args: &[Value]) -> Option<EvalResult> {
    Some(match (function, args) {
        ("value", [Value::Optional(Some(value))]) => Ok((**value).clone()),
        ("value", [Value::Optional(None)]) => Err(EvalError::new("optional.none() dereference")),
        ("hasValue", [Value::Optional(value)]) => Ok(Value::Bool(value.is_some())),
        ("unwrapOpt", [list]) => return unwrap(list),
        _ => return None,
    })
}

fn unwrap(list: &Value) -> Option<EvalResult> {
    let Value::List(list) = list else { return None };
    let values = list.items.iter().filter_map(|item| match item {
        Value::Optional(Some(value)) => Some((**value).clone()),
        _ => None,
    });
    Some(Ok(Value::list(values.collect())))
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Optional(None) => true,
        Value::Bool(b) => !b,
        Value::Int(n) => *n == 0,
        Value::Uint(n) => *n == 0,
        Value::Double(d) => *d == 0.0,
        Value::Duration(d) => *d == 0,
        Value::Map(map) => map.entries.is_empty(),
        Value::String(_) | Value::Bytes(_) | Value::List(_) => value.size() == 0,
        _ => false,
    }
}
