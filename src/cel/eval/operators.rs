//! Operators: arithmetic, comparison, membership and indices.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::super::ast::operators as op;
use super::super::decl::ListType;
use super::super::escape::escape;
use super::super::time::from_nanos;
use super::meter::Meter;
use super::value::{Items, Key, List, Value};
use super::{EvalError, EvalResult, valid};

const INT_OVERFLOW: &str = "integer overflow";
const UINT_OVERFLOW: &str = "unsigned integer overflow";
const DURATION_OVERFLOW: &str = "duration overflow";
const TIMESTAMP_OVERFLOW: &str = "timestamp overflow";

fn or<T>(value: Option<T>, make: fn(T) -> Value, message: &str) -> EvalResult {
    value.map(make).ok_or_else(|| EvalError::new(message))
}

/// A binary or unary operator; nothing if the function is none.
pub(super) fn call(function: &str, args: &[Value], meter: &mut Meter) -> Option<EvalResult> {
    Some(match (function, args) {
        (op::NOT, [Value::Bool(b)]) => Ok(Value::Bool(!b)),
        (op::NEGATE, [Value::Int(n)]) => or(n.checked_neg(), Value::Int, INT_OVERFLOW),
        (op::NEGATE, [Value::Double(d)]) => Ok(Value::Double(-d)),
        (op::NOT | op::NEGATE, _) => Err(EvalError::overload()),
        (op::ADD, [a, b]) => add(a, b, meter),
        (op::SUBTRACT, [a, b]) => subtract(a, b),
        (op::MULTIPLY, [a, b]) => match (a, b) {
            (Value::Int(a), Value::Int(b)) => or(a.checked_mul(*b), Value::Int, INT_OVERFLOW),
            (Value::Uint(a), Value::Uint(b)) => or(a.checked_mul(*b), Value::Uint, UINT_OVERFLOW),
            (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a * b)),
            _ => Err(EvalError::overload()),
        },
        (op::DIVIDE, [a, b]) => match (a, b) {
            (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
                Err(EvalError::new("division by zero"))
            }
            (Value::Int(a), Value::Int(b)) => or(a.checked_div(*b), Value::Int, INT_OVERFLOW),
            (Value::Uint(a), Value::Uint(b)) => or(a.checked_div(*b), Value::Uint, UINT_OVERFLOW),
            (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a / b)),
            _ => Err(EvalError::overload()),
        },
        (op::MODULO, [a, b]) => match (a, b) {
            (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
                Err(EvalError::new("modulus by zero"))
            }
            (Value::Int(a), Value::Int(b)) => or(a.checked_rem(*b), Value::Int, INT_OVERFLOW),
            (Value::Uint(a), Value::Uint(b)) => or(a.checked_rem(*b), Value::Uint, UINT_OVERFLOW),
            _ => Err(EvalError::overload()),
        },
        (op::EQUALS, [a, b]) => equal(a, b, meter).map(Value::Bool),
        (op::NOT_EQUALS, [a, b]) => equal(a, b, meter).map(|equal| Value::Bool(!equal)),
        (op::LESS, [a, b]) => compare(a, b).map(|o| Value::Bool(o == Some(Ordering::Less))),
        (op::GREATER, [a, b]) => compare(a, b).map(|o| Value::Bool(o == Some(Ordering::Greater))),
        (op::LESS_EQUALS, [a, b]) => compare(a, b).map(|o| Value::Bool(o.is_some_and(Ordering::is_le))),
        (op::GREATER_EQUALS, [a, b]) => compare(a, b).map(|o| Value::Bool(o.is_some_and(Ordering::is_ge))),
        (op::IN, _) => contains(args, meter),
        (op::INDEX, [Value::Optional(None), _]) => Ok(Value::Optional(None)),
        (op::INDEX, [Value::Optional(Some(of)), at]) => optional_index(of, at),
        (op::INDEX, [of, at]) => index(of, at),
        (op::OPT_INDEX | op::OPT_SELECT, [Value::Optional(None), _]) => Ok(Value::Optional(None)),
        (op::OPT_INDEX | op::OPT_SELECT, [Value::Optional(Some(of)), at]) => optional_index(of, at),
        (op::OPT_INDEX | op::OPT_SELECT, [of, at]) => optional_index(of, at),
        (op::MAP_INSERT, [Value::Map(map), key, value]) => insert(map.entries.clone(), key, value),
        (op::MAP_INSERT, [Value::Map(map), Value::Map(more)]) => {
            let mut entries = Ok(Value::map(map.entries.clone()));
            for (key, value) in &more.entries {
                entries = match (entries, meter.work(1)) {
                    (Ok(Value::Map(map)), Ok(())) => insert(map.entries, &key.value(), value),
                    (other, Ok(())) => other,
                    (_, Err(e)) => Err(e),
                };
            }
            entries
        }
        _ => return None,
    })
}

fn insert(mut entries: super::Entries, key: &Value, value: &Value) -> EvalResult {
    let Some(key) = key.key() else {
        return Err(EvalError::new(format!("unsupported key type: {}", key.type_name())));
    };
    if entries.contains_key(&key) {
        return Err(EvalError::new(format!("insert failed: key {} already exists", said(&key.value()))));
    }
    entries.insert(key, value.clone());
    Ok(Value::map(entries))
}

/// A scalar as error messages write it.
pub(super) fn said(value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Uint(n) => n.to_string(),
        Value::Double(d) => super::numbers::double_string(*d),
        Value::String(s) => s.to_string(),
        other => other.type_name(),
    }
}

fn add(a: &Value, b: &Value, meter: &mut Meter) -> EvalResult {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => or(a.checked_add(*b), Value::Int, INT_OVERFLOW),
        (Value::Uint(a), Value::Uint(b)) => or(a.checked_add(*b), Value::Uint, UINT_OVERFLOW),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a + b)),
        (Value::String(a), Value::String(b)) => {
            meter.work((a.len() + b.len()) as u64 / 8)?;
            Ok(Value::String(format!("{a}{b}").into()))
        }
        (Value::Bytes(a), Value::Bytes(b)) => {
            meter.work((a.len() + b.len()) as u64 / 8)?;
            Ok(Value::Bytes([&**a, &**b].concat().into()))
        }
        (Value::Duration(a), Value::Duration(b)) => or(a.checked_add(*b), Value::Duration, DURATION_OVERFLOW),
        (Value::Timestamp(t), Value::Duration(d)) | (Value::Duration(d), Value::Timestamp(t)) => {
            or(from_nanos(t.as_nanosecond() + i128::from(*d)), Value::Timestamp, TIMESTAMP_OVERFLOW)
        }
        (Value::List(a), Value::List(b)) => concat(a, b, meter),
        _ => Err(EvalError::overload()),
    }
}

/// `+` of lists: a set takes what it lacks, a list of objects with keys takes the new ones in place of its own.
fn concat(a: &List, b: &List, meter: &mut Meter) -> EvalResult {
    let Some(of) = a.of.as_deref() else {
        if a.items.len().checked_add(b.items.len()).is_none() {
            return Err(EvalError::cost_limit());
        }
        let mut items = a.items.clone();
        items.append(b.items.clone());
        return Ok(Value::list(items));
    };
    let mut items = a.items.clone();
    let mut places = BTreeMap::new();
    for (at, item) in a.items.iter().enumerate() {
        places.insert(identity(item, of, meter)?, at);
    }
    for item in &b.items {
        let key = identity(item, of, meter)?;
        match places.get(&key) {
            Some(at) if matches!(of, ListType::Map(_)) => {
                if let Some(old) = items.get_mut(*at) {
                    *old = item.clone();
                }
            }
            Some(_) => {}
            None => {
                places.insert(key, items.len());
                items.push_back(item.clone());
            }
        }
    }
    Ok(Value::List(List { items, of: a.of.clone() }))
}

/// What tells an item from others in a list, as text.
fn identity(item: &Value, of: &ListType, meter: &mut Meter) -> Result<String, EvalError> {
    let mut text = String::new();
    match (of, item) {
        (ListType::Map(keys), Value::Map(map)) => {
            for key in keys {
                let name = escape(key).unwrap_or_else(|| key.clone());
                let value = map.entries.get(&Key::String(name.as_str().into()));
                canonical(value.unwrap_or(&Value::Null), &mut text, meter)?;
            }
        }
        (ListType::Map(_), _) => {
            return Err(EvalError::new(
                "unexpected data format for element of array with x-kubernetes-list-type=map",
            ));
        }
        _ => canonical(item, &mut text, meter)?,
    }
    Ok(text)
}

/// A value as text that is the same for equal values.
fn canonical(value: &Value, text: &mut String, meter: &mut Meter) -> Result<(), EvalError> {
    meter.work(1)?;
    match value {
        Value::List(list) => {
            text.push('[');
            for item in &list.items {
                canonical(item, text, meter)?;
            }
            text.push(']');
        }
        Value::Map(map) => {
            text.push('{');
            for (key, value) in &map.entries {
                canonical(&key.value(), text, meter)?;
                canonical(value, text, meter)?;
            }
            text.push('}');
        }
        Value::String(s) => text.push_str(&format!("{s:?}")),
        Value::Null => text.push_str("null,"),
        other => text.push_str(&format!("{}:{},", other.type_name(), said(other))),
    }
    Ok(())
}

fn subtract(a: &Value, b: &Value) -> EvalResult {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => or(a.checked_sub(*b), Value::Int, INT_OVERFLOW),
        (Value::Uint(a), Value::Uint(b)) => or(a.checked_sub(*b), Value::Uint, UINT_OVERFLOW),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a - b)),
        (Value::Duration(a), Value::Duration(b)) => or(a.checked_sub(*b), Value::Duration, DURATION_OVERFLOW),
        (Value::Timestamp(t), Value::Duration(d)) => {
            or(from_nanos(t.as_nanosecond() - i128::from(*d)), Value::Timestamp, TIMESTAMP_OVERFLOW)
        }
        (Value::Timestamp(a), Value::Timestamp(b)) => {
            let nanos = i64::try_from(a.as_nanosecond() - b.as_nanosecond()).ok();
            or(nanos, Value::Duration, DURATION_OVERFLOW)
        }
        _ => Err(EvalError::overload()),
    }
}

fn numbers(a: &Value, b: &Value) -> Option<Option<Ordering>> {
    Some(match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Uint(a), Value::Uint(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Uint(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Uint(a), Value::Int(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Double(a), Value::Int(b)) => a.partial_cmp(&(*b as f64)),
        (Value::Int(a), Value::Double(b)) => (*a as f64).partial_cmp(b),
        (Value::Double(a), Value::Uint(b)) => a.partial_cmp(&(*b as f64)),
        (Value::Uint(a), Value::Double(b)) => (*a as f64).partial_cmp(b),
        _ => return None,
    })
}

/// The order of two values; none if one is not a number.
pub(super) fn compare(a: &Value, b: &Value) -> Result<Option<Ordering>, EvalError> {
    if let Some(order) = numbers(a, b) {
        return match order {
            None => Err(EvalError::new("NaN values cannot be ordered")),
            some => Ok(some),
        };
    }
    Ok(Some(match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::Timestamp(a), Value::Timestamp(b)) => a.cmp(b),
        (Value::Duration(a), Value::Duration(b)) => a.cmp(b),
        _ => return Err(EvalError::overload()),
    }))
}

/// Whether two values are equal. Values of different types are not, but for numbers.
pub(super) fn equal(a: &Value, b: &Value, meter: &mut Meter) -> Result<bool, EvalError> {
    meter.work(1)?;
    if let Some(order) = numbers(a, b) {
        return Ok(order == Some(Ordering::Equal));
    }
    Ok(match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::Timestamp(a), Value::Timestamp(b)) => a == b,
        (Value::Duration(a), Value::Duration(b)) => a == b,
        (Value::Type(a), Value::Type(b)) => a.name() == b.name(),
        (Value::Library(a), Value::Library(b)) => a == b,
        (Value::Unknown(a), Value::Unknown(b)) => a == b,
        (Value::Optional(a), Value::Optional(b)) => match (a, b) {
            (Some(a), Some(b)) => equal(a, b, meter)?,
            (None, None) => true,
            _ => false,
        },
        (Value::List(a), Value::List(b)) => return lists_equal(a, b, meter),
        (Value::Map(a), Value::Map(b)) => {
            if a.entries.len() != b.entries.len() || a.unknown != b.unknown || a.made != b.made {
                return Ok(false);
            }
            for (key, value) in &a.entries {
                match b.entries.get(key) {
                    Some(other) if equal(value, other, meter)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (Value::Invalid(why), _) | (_, Value::Invalid(why)) => return Err(EvalError::new(&**why)),
        _ => false,
    })
}

fn lists_equal(a: &List, b: &List, meter: &mut Meter) -> Result<bool, EvalError> {
    if a.items.len() != b.items.len() {
        return Ok(false);
    }
    match a.of.as_deref() {
        None | Some(ListType::Atomic) => {
            for (a, b) in a.items.iter().zip(&b.items) {
                if !equal(a, b, meter)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Some(of @ ListType::Set) => {
            let mut all = |items: &Items| {
                items.iter().map(|i| identity(i, of, meter)).collect::<Result<BTreeSet<_>, _>>()
            };
            Ok(all(&a.items)? == all(&b.items)?)
        }
        Some(of) => {
            let mut own = BTreeMap::new();
            for item in &a.items {
                own.insert(identity(item, of, meter)?, item);
            }
            let mut seen = BTreeSet::new();
            for item in &b.items {
                let key = identity(item, of, meter)?;
                match own.get(&key) {
                    Some(other) if equal(other, item, meter)? => {}
                    _ => return Ok(false),
                }
                seen.insert(key);
            }
            Ok(seen.len() == own.len())
        }
    }
}

/// `in`
pub(super) fn contains(args: &[Value], meter: &mut Meter) -> EvalResult {
    match args {
        [value, Value::List(list)] => {
            for item in &list.items {
                if equal(item, value, meter)? {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        [value, Value::Map(map)] => {
            Ok(Value::Bool(value.key().is_some_and(|key| map.entries.contains_key(&key))))
        }
        _ => Err(EvalError::overload()),
    }
}

fn place(at: &Value) -> Option<i64> {
    match at {
        Value::Int(n) => Some(*n),
        Value::Uint(n) => i64::try_from(*n).ok(),
        Value::Double(d) if d.fract() == 0.0 && d.abs() < 9.0e15 => Some(*d as i64),
        _ => None,
    }
}

fn index(of: &Value, at: &Value) -> EvalResult {
    match of {
        Value::List(list) => {
            let Some(n) = place(at) else {
                return Err(EvalError::new(format!("unsupported index type '{}' in list", at.type_name())));
            };
            match usize::try_from(n).ok().and_then(|n| list.items.get(n)) {
                Some(value) => valid(value.clone()),
                None => Err(EvalError::new(format!("index out of bounds: {n}"))),
            }
        }
        Value::Map(map) => match at.key().and_then(|key| map.find(&key).cloned()) {
            Some(value) => valid(value),
            None => Err(EvalError::new(format!("no such key: {}", said(at)))),
        },
        _ => Err(EvalError::overload()),
    }
}

/// An item, or no value if there is none.
pub(super) fn optional_index(of: &Value, at: &Value) -> EvalResult {
    let found = match of {
        Value::List(list) => {
            let n = place(at).and_then(|n| usize::try_from(n).ok());
            n.and_then(|n| list.items.get(n)).cloned()
        }
        Value::Map(map) => at.key().and_then(|key| map.find(&key).cloned()),
        Value::Optional(None) => None,
        Value::Optional(Some(inner)) => return optional_index(inner, at),
        _ => return Err(EvalError::overload()),
    };
    match found.map(valid).transpose()? {
        Some(value) => Ok(Value::some(value)),
        None => Ok(Value::Optional(None)),
    }
}
