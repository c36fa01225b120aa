//! Text in the order of Go's fields, and what Go writes for an empty struct.

use serde_json::Value;

use super::{GoField, GoStruct, Type};
use crate::api::order;

/// A value as Go's encoder writes it: fields in the order of the structs. Where `touched` has an
/// object, keys are sorted instead: those objects went through a map.
pub fn to_json(kind: &'static GoStruct, value: &Value, touched: Option<&Value>) -> String {
    let mut out = String::new();
    write(Type::Struct(kind), value, touched, &mut out);
    out
}

/// A value of no struct as Go's encoder writes it: keys sorted.
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
                // Stable: what the struct does not have comes last, sorted.
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
        _ => scalar(value, out),
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
        scalar(&Value::String(k.clone()), out);
        out.push(':');
        write(kind, v, touched, out);
    }
    out.push('}');
}

/// Go writes `<`, `>` and `&` so that they are safe in HTML.
fn scalar(value: &Value, out: &mut String) {
    let text = value.to_string();
    if value.is_string() && text.contains(['<', '>', '&']) {
        out.push_str(&text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026"));
    } else {
        out.push_str(&text);
    }
}

/// What Go writes for a struct in which nothing was set: inner structs, and zeros where they are
/// not left out.
pub fn empty(kind: &'static GoStruct) -> Value {
    let fields = kind.fields.iter().filter_map(|f| Some((f.name.to_owned(), unset(f)?)));
    Value::Object(fields.collect())
}

/// What Go writes for a field that was not set; `None` if it leaves the field out.
fn unset(field: &GoField) -> Option<Value> {
    match unnamed(field.kind) {
        // `omitempty` says nothing of a struct.
        Type::Struct(s) => Some(empty(s)),
        _ if field.omitempty => None,
        Type::List(_) | Type::Map(_) | Type::Bytes => Some(Value::Null),
        t => Some(super::decode::zero(t)),
    }
}

/// Adds what Go writes and k8s-openapi leaves out: a field that is not set but is no pointer and has no `omitempty`
/// is written as its type's zero, a time or a list as null, and a struct with what it has inside. A list or a map
/// without items is written as null, too: an object that went to etcd and back through protobuf has none.
/// Readers of either form take the other, but what is shown is what a cluster shows.
pub fn write_unset(of: &'static GoStruct, value: &mut Value) {
    write_unset_of(Type::Struct(of), value);
}

fn write_unset_of(kind: Type, value: &mut Value) {
    match (kind.bare(), value) {
        (Type::Struct(s), Value::Object(map)) => {
            for field in s.fields {
                match map.get_mut(field.name) {
                    Some(value) if !field.omitempty && is_empty(field.kind, value) => *value = Value::Null,
                    Some(value) => write_unset_of(field.kind, value),
                    None => {
                        if let Some(value) = unset(field) {
                            map.insert(field.name.into(), value);
                        }
                    }
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
    match (unnamed(kind), value) {
        (Type::List(_), Value::Array(items)) => items.is_empty(),
        (Type::Map(_), Value::Object(map)) => map.is_empty(),
        _ => false,
    }
}

/// Without names; a pointer stays one.
fn unnamed(kind: Type) -> Type {
    match kind {
        Type::Named(_, of) => unnamed(*of),
        kind => kind,
    }
}
