//! Data as its schema declares it, after `k8s.io/apiserver/pkg/cel/common/valuesunstructured.go`.

use std::rc::Rc;

use base64::Engine as _;
use serde_json::Value as Json;

use super::super::decl::{DeclKind, DeclType, ListType};
use super::super::escape::escape;
use super::super::time::{parse_date, parse_timestamp};
use super::super::types::Type;
use super::value::{Entries, Key, List, Map, Value};
use crate::api::duration;

const NO_MAP: &str = "invalid data, expected a map for the provided schema with type=object";

impl Value {
    /// JSON as a value of a declared type. What does not fit the type is an error once an expression uses it.
    pub fn typed(json: &Json, decl: &DeclType) -> Value {
        if json.is_null()
            && !matches!(decl.kind(), DeclKind::Unknown | DeclKind::Simple(Type::Dyn | Type::Any))
        {
            if decl.is_nullable() {
                return Value::Null;
            }
            return Value::Invalid("invalid data, got null for schema with nullable=false".into());
        }
        match decl.kind() {
            DeclKind::Simple(t) => simple(json, t),
            DeclKind::Date => text(json, "date", |s| parse_date(s).map(Value::Timestamp)),
            DeclKind::IntOrString => match json {
                Json::String(s) => Value::string(s),
                Json::Number(n) => match n.as_i64() {
                    Some(n) => Value::Int(n),
                    None => {
                        invalid("invalid data, expected XIntOrString value to be either a string or integer")
                    }
                },
                _ => invalid("invalid data, expected XIntOrString value to be either a string or integer"),
            },
            DeclKind::List(items, of) => match json {
                Json::Array(array) => {
                    let of = (*of != ListType::Atomic).then(|| Rc::new(of.clone()));
                    Value::List(List { items: array.iter().map(|i| Value::typed(i, items)).collect(), of })
                }
                _ => invalid("invalid data, expected an array for the provided schema with type=array"),
            },
            DeclKind::Map(values) => match json {
                Json::Object(map) => {
                    let entry =
                        |(k, v): (&String, &Json)| (Key::String(k.as_str().into()), Value::typed(v, values));
                    Value::map(map.iter().map(entry).collect())
                }
                _ => invalid(NO_MAP),
            },
            DeclKind::Object(_, fields) => {
                let Json::Object(map) = json else { return invalid(NO_MAP) };
                let (mut entries, mut unknown) = (Entries::new(), serde_json::Map::new());
                for (name, value) in map {
                    // A property that is null counts as absent.
                    match (fields.get(name), escape(name)) {
                        (Some(_), Some(_)) if value.is_null() => {}
                        (Some(field), Some(escaped)) => {
                            entries.insert(Key::String(escaped.into()), Value::typed(value, field.decl()));
                        }
                        _ => {
                            unknown.insert(name.clone(), value.clone());
                        }
                    }
                }
                let unknown = (!unknown.is_empty()).then(|| Rc::new(unknown));
                Value::Map(Map { entries, unknown, ..Map::default() })
            }
            DeclKind::Unknown => Value::Unknown(Rc::new(json.clone())),
        }
    }
}

fn invalid(message: &str) -> Value {
    Value::Invalid(message.into())
}

/// The Go type that JSON is read into.
fn go_type(json: &Json) -> &'static str {
    match json {
        Json::Null => "<nil>",
        Json::Bool(_) => "bool",
        Json::Number(n) if n.is_f64() => "float64",
        Json::Number(_) => "int64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    }
}

fn expected(what: &str, json: &Json) -> Value {
    invalid(&format!("invalid data, expected {what}, got {}", go_type(json)))
}

fn text(json: &Json, format: &str, read: impl Fn(&str) -> Option<Value>) -> Value {
    let Json::String(s) = json else { return expected("a string", json) };
    read(s).unwrap_or_else(|| invalid(&format!("Invalid {format} {s}")))
}

fn simple(json: &Json, t: &Type) -> Value {
    match (t, json) {
        (Type::Bool, Json::Bool(b)) => Value::Bool(*b),
        (Type::Bool, other) => expected("bool", other),
        (Type::Int, Json::Number(n)) => match (n.as_i64(), n.as_f64()) {
            (Some(n), _) => Value::Int(n),
            (None, Some(d)) if d.fract() == 0.0 && d.abs() < 9.0e18 => Value::Int(d as i64),
            _ => expected("int", json),
        },
        (Type::Int, other) => expected("int", other),
        (Type::Uint, other) => other.as_u64().map_or_else(|| expected("uint", other), Value::Uint),
        (Type::Double, other) => other.as_f64().map_or_else(|| expected("float", other), Value::Double),
        (Type::String, Json::String(s)) => Value::string(s),
        (Type::String, other) => expected("string", other),
        (Type::Bytes, other) => text(other, "byte formatted string", |s| {
            let bytes = base64::engine::general_purpose::STANDARD.decode(s).ok()?;
            Some(Value::Bytes(bytes.into()))
        }),
        (Type::Duration, other) => text(other, "duration", |s| duration::parse(s).ok().map(Value::Duration)),
        (Type::Timestamp, other) => text(other, "timestamp", |s| parse_timestamp(s).map(Value::Timestamp)),
        (Type::Null, Json::Null) => Value::Null,
        _ => Value::from_json(json),
    }
}
