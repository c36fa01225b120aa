//! Conversions between types, and sizes.

use super::super::super::time::{duration_seconds, from_seconds, parse_timestamp};
use super::super::value::{Library, Value};
use super::super::{EvalError, EvalResult, numbers};
use crate::api::duration;

/// A conversion that does not work, in cel-go's words.
fn refuse(value: &Value, to: &str) -> EvalError {
    EvalError::new(format!("type conversion error from '{}' to '{to}'", value.type_name()))
}

/// Numbers that `int` and `uint` take are between these.
const INT_BOUND: f64 = 9_223_372_036_854_775_808.0;
const UINT_BOUND: f64 = 18_446_744_073_709_551_616.0;

pub(super) fn global(function: &str, args: &[Value]) -> Option<EvalResult> {
    let [value] = args else { return None };
    Some(match function {
        "size" => return size(value),
        "type" => Ok(Value::Type(value.type_of())),
        "dyn" => Ok(value.clone()),
        "bool" => match value {
            Value::Bool(_) => Ok(value.clone()),
            Value::String(s) => match &**s {
                "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Value::Bool(true)),
                "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Value::Bool(false)),
                _ => Err(refuse(value, "bool")),
            },
            _ => return None,
        },
        "bytes" => match value {
            Value::Bytes(_) => Ok(value.clone()),
            Value::String(s) => Ok(Value::Bytes(s.as_bytes().into())),
            _ => return None,
        },
        "int" => return int(value),
        "uint" => return uint(value),
        "double" => match value {
            Value::Double(_) => Ok(value.clone()),
            Value::Int(n) => Ok(Value::Double(*n as f64)),
            Value::Uint(n) => Ok(Value::Double(*n as f64)),
            Value::String(s) => s.parse().map(Value::Double).map_err(|_| refuse(value, "double")),
            _ => return None,
        },
        "string" => return string(value),
        "timestamp" => match value {
            Value::Timestamp(_) => Ok(value.clone()),
            Value::Int(n) => {
                from_seconds(*n).map(Value::Timestamp).ok_or_else(|| EvalError::new("timestamp overflow"))
            }
            Value::String(s) => parse_timestamp(s)
                .map(Value::Timestamp)
                .ok_or_else(|| refuse(value, "google.protobuf.Timestamp")),
            _ => return None,
        },
        "duration" => match value {
            Value::Duration(_) => Ok(value.clone()),
            Value::Int(n) => Ok(Value::Duration(*n)),
            Value::String(s) => duration::parse(s)
                .ok()
                .map(Value::Duration)
                .ok_or_else(|| refuse(value, "google.protobuf.Duration")),
            _ => return None,
        },
        _ => return None,
    })
}

/// `size`, as a function or on a value.
pub(super) fn size(value: &Value) -> Option<EvalResult> {
    match value {
        Value::String(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_) => {
            Some(Ok(Value::Int(i64::try_from(value.size()).unwrap_or(i64::MAX))))
        }
        _ => None,
    }
}

fn int(value: &Value) -> Option<EvalResult> {
    let overflow = || EvalError::new("integer overflow");
    Some(match value {
        Value::Int(_) => Ok(value.clone()),
        Value::Uint(n) => i64::try_from(*n).map(Value::Int).map_err(|_| overflow()),
        Value::Double(d) if *d > -INT_BOUND && *d < INT_BOUND => Ok(Value::Int(*d as i64)),
        Value::Double(_) => Err(overflow()),
        Value::Duration(n) => Ok(Value::Int(*n)),
        Value::Timestamp(t) => Ok(Value::Int(t.as_nanosecond().div_euclid(1_000_000_000) as i64)),
        Value::String(s) => s.parse().map(Value::Int).map_err(|_| refuse(value, "int")),
        _ => return None,
    })
}

fn uint(value: &Value) -> Option<EvalResult> {
    let overflow = || EvalError::new("unsigned integer overflow");
    Some(match value {
        Value::Uint(_) => Ok(value.clone()),
        Value::Int(n) => u64::try_from(*n).map(Value::Uint).map_err(|_| overflow()),
        Value::Double(d) if *d >= 0.0 && *d < UINT_BOUND => Ok(Value::Uint(*d as u64)),
        Value::Double(_) => Err(overflow()),
        Value::String(s) => {
            let plain = Some(s).filter(|s| !s.starts_with('+'));
            plain.and_then(|s| s.parse().ok()).map(Value::Uint).ok_or_else(|| refuse(value, "uint"))
        }
        _ => return None,
    })
}

fn string(value: &Value) -> Option<EvalResult> {
    Some(Ok(Value::string(&match value {
        Value::String(_) => return Some(Ok(value.clone())),
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Uint(n) => n.to_string(),
        Value::Double(d) => numbers::double_string(*d),
        Value::Bytes(b) => match std::str::from_utf8(b) {
            Ok(text) => text.to_owned(),
            Err(_) => return Some(Err(EvalError::new("invalid UTF-8 in bytes, cannot convert to string"))),
        },
        Value::Timestamp(t) => t.to_string(),
        Value::Duration(d) => duration_seconds(*d),
        Value::Library(library) => match &**library {
            Library::Ip(ip) => ip.to_string(),
            Library::Cidr(cidr) => cidr.to_string(),
            _ => return None,
        },
        _ => return None,
    })))
}
