//! Comparison with serde_json's own reading and writing of the same structs.

#![allow(clippy::unwrap_used)]

use k8s_openapi::serde::Serialize;
use k8s_openapi::serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Reader, to_value};
use crate::api::go_types::{self, GoStruct, Type};
use crate::api::{Kind, Object, types};

/// A value that fills every field of a type; `around` are the structs that it stands in. A struct inside itself is
/// empty: a JSON schema has a dozen fields that are schemas again.
fn full(kind: Type, around: &mut Vec<*const GoStruct>) -> Value {
    match kind.bare() {
        Type::Bool => true.into(),
        Type::Int32 | Type::Int64 | Type::IntOrString => 7.into(),
        Type::Float => 1.5.into(),
        Type::Bytes => "YQ==".into(),
        Type::Time | Type::MicroTime => "2026-01-02T03:04:05Z".into(),
        Type::Duration => "1s".into(),
        Type::Quantity => "2Gi".into(),
        Type::List(item) => json!([full(*item, around), full(*item, around)]),
        Type::Map(item) => json!({"k": full(*item, around)}),
        Type::Struct(s) | Type::SchemaOr(_, s) => {
            let inside_itself = around.iter().any(|outer| std::ptr::eq(*outer, s));
            if inside_itself { json!({}) } else { object(s, around) }
        }
        Type::FieldsV1 | Type::Any => json!({"f:x": {"a": [1, null, "b"]}}),
        _ => "text".into(),
    }
}

fn object(of: &'static GoStruct, around: &mut Vec<*const GoStruct>) -> Value {
    let whole = around.is_empty();
    around.push(of);
    let fields = of.fields.iter().filter(|f| !whole || !matches!(f.name, "apiVersion" | "kind"));
    let value = fields.map(|f| (f.name.to_owned(), full(f.kind, around))).collect();
    around.pop();
    value
}

/// Adds the path of every place in a value.
fn places(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        // Two items are equal, so one is enough.
        Value::Array(items) => items.iter().take(1).for_each(|v| places(v, &format!("{at}/0"), out)),
        Value::Object(map) => map.iter().for_each(|(k, v)| places(v, &format!("{at}/{k}"), out)),
        _ => {}
    }
}

fn of_every_type() -> Vec<Value> {
    vec![
        Value::Null,
        true.into(),
        7.into(),
        (-3_000_000_000_i64).into(),
        u64::MAX.into(),
        1e300.into(),
        "".into(),
        "x".into(),
        "YQ==".into(),
        "2026-01-02T03:04:05.123456Z".into(),
        json!([]),
        json!([null]),
        json!(["a", 1]),
        json!({}),
        json!({"apiVersion": "other/v1", "kind": "Other", "a": null}),
    ]
}

fn same<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(kind: Kind) {
    let whole = object(go_types::of(kind), &mut Vec::new());
    let mut all = Vec::new();
    places(&whole, "", &mut all);
    for place in all {
        for other in of_every_type() {
            // Large kinds would take long, and their parts occur in other kinds, too.
            let mut value = whole.clone();
            *value.pointer_mut(&place).unwrap() = other.clone();
            let ours = Reader::read(value.clone(), |r| r.get::<T>());
            if let Some(map) = value.as_object_mut() {
                map.remove("apiVersion");
                map.remove("kind");
            }
            match (serde_json::from_value::<T>(value), ours.error) {
                (Ok(theirs), None) => {
                    assert_eq!(theirs, ours.value, "{kind:?} {place} {other}");
                    assert_eq!(serde_json::to_value(&theirs).unwrap(), to_value(&ours.value));
                }
                (Err(_), Some(_)) => {}
                (theirs, ours) => panic!("{kind:?} {place} {other}: {:?}, {ours:?}", theirs.err()),
            }
        }
    }
}

#[test]
fn what_is_read_and_written_is_what_serde_json_reads_and_writes() {
    same::<types::Event>(Kind::EVENT);
    same::<types::Secret>(Kind::SECRET);
    same::<types::Node>(Kind::NODE);
    same::<types::Service>(Kind::SERVICE);
    same::<types::PersistentVolumeClaim>(Kind::PERSISTENT_VOLUME_CLAIM);
    same::<types::PodDisruptionBudget>(Kind::POD_DISRUPTION_BUDGET);
}

/// A value that no visitor accepts must not reach one: see `Never`.
#[test]
fn no_value_in_no_place_of_any_kind_stops_the_reader() {
    for kind in Kind::BUILT_IN {
        let whole = object(go_types::of(*kind), &mut Vec::new());
        let d = Object::decode(*kind, whole.clone()).unwrap();
        assert!(d.unknown.is_empty(), "{kind:?} {:?}", d.unknown);
        let mut all = Vec::new();
        places(&whole, "", &mut all);
        for place in all {
            // Only the value in its place, so that this is quick.
            let steps: Vec<&str> = place.split('/').skip(1).collect();
            for other in of_every_type() {
                let value = steps.iter().rev().fold(other, |inner, step| match *step {
                    "0" => json!([inner]),
                    key => json!({key: inner}),
                });
                let _ = Object::decode(*kind, value);
            }
        }
    }
}

#[test]
fn the_first_that_does_not_fit_is_named() {
    let error = |v| Object::decode(Kind::POD, v).unwrap_err().to_string();
    let of = |c: Value| json!({"spec": {"containers": [{"name": "a"}, c]}});
    assert_eq!(error(json!([])), "invalid type: sequence, expected Pod");
    assert_eq!(
        error(of(json!({"ports": [{"containerPort": "x"}], "tty": 1}))),
        "spec.containers[1].ports[0].containerPort: invalid type: string \"x\", expected i32"
    );
    assert_eq!(
        error(of(json!({"resources": {"limits": {"cpu": true}}}))),
        "spec.containers[1].resources.limits.cpu: invalid type: boolean `true`, expected Quantity"
    );
    assert_eq!(
        error(json!({"metadata": {"creationTimestamp": "today"}})),
        "metadata.creationTimestamp: invalid type: string \"today\", expected an RFC 3339 date-time"
    );
}
