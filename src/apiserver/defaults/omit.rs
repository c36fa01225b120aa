//! What Go does not write: a field that is empty, false or 0 and may be left out.
//!
//! The API server answers with what its structs hold. A body's `paused: false` or `labels: {}`
//! leaves no trace there; a pointer's `runAsUser: 0` or `emptyDir: {}` does.

use serde_json::Value;

use crate::api::Kind;
use crate::api::go_types::{self, GoField, GoStruct, Type};

/// Whether it is the zero value of its type; a value of another type is for decoding to refuse.
fn is_zero(value: &Value, ty: &str) -> bool {
    match (ty, value) {
        (_, Value::Null) => true,
        ("b", Value::Bool(b)) => !b,
        ("i", Value::Number(n)) => n.as_f64() == Some(0.0),
        ("s", Value::String(s)) => s.is_empty(),
        ("l", Value::Array(a)) => a.is_empty(),
        ("m", Value::Object(o)) => o.is_empty(),
        _ => false,
    }
}

/// The fields, each by its struct, whose empty list or map Go's defaulting or validation tells from none, so that the
/// empty one has to be kept until then: a HorizontalPodAutoscaler's policies are defaulted where there is no list, and
/// an empty list is refused; the refusal of a PersistentVolume's capacity quotes the map.
const EMPTY_SAYS_SOMETHING: &[(&str, &str)] =
    &[("HPAScalingRules", "policies"), ("PersistentVolumeSpec", "capacity")];

fn empty_says_something(of: &GoStruct, field: &GoField) -> bool {
    EMPTY_SAYS_SOMETHING.contains(&(of.name, field.name))
}

/// What Go leaves out of a value of a type, by its struct's tags: what is empty and no pointer.
fn drop_empty(kind: Type, value: &mut Value) {
    match (kind.bare(), value) {
        (Type::Struct(s), Value::Object(map)) => {
            for field in s.fields {
                let Some(value) = map.get_mut(field.name) else { continue };
                drop_empty(field.kind, value);
                let ty = match field.kind {
                    Type::Pointer(_) => "pointer",
                    kind => match kind.bare() {
                        Type::Text => "s",
                        Type::Bool => "b",
                        Type::Int32 | Type::Int64 => "i",
                        Type::List(_) => "l",
                        Type::Map(_) => "m",
                        _ => "struct",
                    },
                };
                let kept = !value.is_null() && empty_says_something(s, field);
                if field.omitempty && is_zero(value, ty) && !kept {
                    map.remove(field.name);
                }
            }
        }
        (Type::List(of), Value::Array(items)) => items.iter_mut().for_each(|v| drop_empty(*of, v)),
        _ => {}
    }
}

/// Takes out of a body what Go would not write back.
pub(in crate::apiserver) fn omit_empty(kind: Kind, body: &mut Value) {
    omit_empty_of(go_types::of(kind), body);
}

/// [`omit_empty`] for the JSON of a struct.
pub(in crate::apiserver) fn omit_empty_of(of: &'static GoStruct, body: &mut Value) {
    drop_empty(Type::Struct(of), body);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_go_leaves_out() {
        let mut body = json!({
            "metadata": {"name": "p", "labels": {}, "annotations": null},
            "spec": {"hostNetwork": false, "nodeName": "", "hostPID": "", "volumes": [{"name": "e", "emptyDir": {}}],
                "containers": [{"name": "c", "command": [], "stdin": false, "resources": {"limits": {}},
                    "ports": [], "readinessProbe": {"tcpSocket": {"port": 80}, "initialDelaySeconds": 0},
                    "securityContext": {"privileged": false, "runAsUser": 0}}]}
        });
        omit_empty(Kind::POD, &mut body);
        assert_eq!(
            body,
            json!({
                "metadata": {"name": "p"},
                "spec": {"hostPID": "", "volumes": [{"name": "e", "emptyDir": {}}],
                    "containers": [{"name": "c", "resources": {},
                        "readinessProbe": {"tcpSocket": {"port": 80}},
                        "securityContext": {"privileged": false, "runAsUser": 0}}]}
            })
        );
    }
}
