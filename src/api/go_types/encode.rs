//! JSON as Go's encoder writes it, and the zero values that Go writes.

use serde_json::Value;

use super::{GoField, GoStruct, Type};
use crate::api::order;
use crate::api::quote::push_go_json;

/// A value of a struct as Go's encoder writes it: fields in the order of the struct. Objects that `touched`
/// has in the same place have sorted keys instead, because in Kubernetes they went through a map.
pub fn to_json(kind: &'static GoStruct, value: &Value, touched: Option<&Value>) -> String {
    let mut out = String::new();
    write(Type::Struct(kind), value, touched, &mut out);
    out
}

/// A value without a struct as Go's encoder writes it: keys sorted.
pub fn go_json(value: &Value) -> String {
    let mut out = String::new();
    write(Type::Any, value, None, &mut out);
    out
}

fn write(kind: Type, value: &Value, touched: Option<&Value>, out: &mut String) {
    match (kind.bare(), value) {
        (Type::Struct(s), Value::Object(map)) => {
            let sorted = matches!(touched, Some(Value::Object(_) | Value::Array(_)));
            let mut fields: Vec<(&String, &Value)> = map.iter().collect();
            if !sorted {
                // The sort is stable: keys that the struct does not have come last, sorted.
                order::sort_by_key(&mut fields, |(k, _)| {
                    s.fields.iter().position(|f| f.name == *k).unwrap_or(usize::MAX)
                });
            }
            let fields = fields.into_iter().map(|(k, v)| {
                let kind = s.field(k).map_or(Type::Any, |f| f.kind);
                (k, v, kind, touched.and_then(|t| t.get(k)))
            });
            object(fields, out);
        }
        (bare, Value::Object(map)) => {
            let item = if let Type::Map(item) = bare { *item } else { Type::Any };
            object(map.iter().map(|(k, v)| (k, v, item, touched.and_then(|t| t.get(k)))), out);
        }
        (bare, Value::Array(items)) => {
            let item = if let Type::List(item) = bare { *item } else { Type::Any };
            out.push('[');
            for (i, v) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                let inside = match touched {
                    Some(Value::Array(t)) => t.get(i),
                    Some(Value::Object(t)) => t.get(&i.to_string()),
                    _ => None,
                };
                write(item, v, inside, out);
            }
            out.push(']');
        }
        (_, Value::String(text)) => push_go_json(out, text),
        _ => out.push_str(&value.to_string()),
    }
}

fn object<'a>(
    fields: impl Iterator<Item = (&'a String, &'a Value, Type, Option<&'a Value>)>,
    out: &mut String,
) {
    out.push('{');
    for (i, (k, v, kind, touched)) in fields.enumerate() {
        if i > 0 {
            out.push(',');
        }
        push_go_json(out, k);
        out.push(':');
        write(kind, v, touched, out);
    }
    out.push('}');
}

/// What Go writes for a struct without any field set: inner structs, and zero values of fields without
/// `omitempty`.
pub fn empty(kind: &'static GoStruct) -> Value {
    let fields = kind.fields.iter().filter_map(|f| Some((f.name.to_owned(), unset(f)?)));
    Value::Object(fields.collect())
}

/// What Go writes for a field that is not set; `None` if it omits the field.
fn unset(field: &GoField) -> Option<Value> {
    match field.kind.unnamed() {
        Type::Struct(s) => Some(empty(s)),
        _ if field.omitempty => None,
        Type::List(_) | Type::Map(_) | Type::Bytes => Some(Value::Null),
        t => Some(super::decode::zero(t)),
    }
}

/// Adds what Go writes and k8s-openapi omits: a field that is not set, is not a pointer and has no
/// `omitempty` is written as its type's zero value, a time or a list as null, and a struct with its fields.
/// A list or a map without items is written as null, too: an object that was stored as protobuf has none.
/// Readers of either form accept the other, but shown text should be that of a real cluster.
pub fn write_unset(of: &'static GoStruct, value: &mut Value) {
    write_unset_of(Type::Struct(of), value);
}

fn write_unset_of(kind: Type, value: &mut Value) {
    match (kind.bare(), value) {
        (Type::Struct(s), Value::Object(map)) => {
            // Most values have no structs in them, and most fields are omitted if they are not set; neither needs a
            // look-up.
            for (name, value) in map.iter_mut().filter(|(_, v)| v.is_object() || v.is_array()) {
                let concerns = |f: &&GoField| (f.nested || f.always) && f.name == name;
                let Some(field) = s.fields.iter().find(concerns) else { continue };
                if !field.omitempty && is_empty(field.kind, value) {
                    *value = Value::Null;
                } else if field.nested {
                    write_unset_of(field.kind, value);
                }
            }
            for field in s.fields.iter().filter(|f| f.always) {
                if !map.contains_key(field.name)
                    && let Some(value) = unset(field)
                {
                    map.insert(field.name.into(), value);
                }
            }
        }
        (Type::List(of), Value::Array(items)) => items.iter_mut().for_each(|v| write_unset_of(*of, v)),
        (Type::Map(of), Value::Object(map)) => map.values_mut().for_each(|v| write_unset_of(*of, v)),
        _ => {}
    }
}

/// Whether a value of a type is a list or a map without items.
fn is_empty(kind: Type, value: &Value) -> bool {
    match (kind.unnamed(), value) {
        (Type::List(_), Value::Array(items)) => items.is_empty(),
        (Type::Map(_), Value::Object(map)) => map.is_empty(),
        _ => false,
    }
}

/// The Go type of a value that Go decoded into an `interface{}`, as `%T` prints it. Numbers without a fraction are
/// `int64`, as in `k8s.io/apimachinery/pkg/util/json`.
pub fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(n) if n.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}
