//! What has to happen to a body before it is decoded, because the typed form cannot express it.

use serde_json::Value;

use crate::api::Kind;
use crate::apiserver::kinds;

/// Names of maps whose values are quantities, wherever they stand under `spec` or `status`.
const QUANTITY_MAPS: &[&str] =
    &["limits", "requests", "overhead", "capacity", "allocatable", "allocatedResources", "hard", "used"];
/// The same of a LimitRange, whose `limits` are a list.
const LIMITS: &[&str] = &["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];
/// Names of single quantities.
const QUANTITIES: &[&str] = &["sizeLimit", "divisor"];
/// Names of maps whose keys a person chooses: nothing in them is a field.
const FREE_MAPS: &[&str] = &[
    "labels",
    "annotations",
    "matchLabels",
    "nodeSelector",
    "parameters",
    "options",
    "volumeAttributes",
    "data",
    "binaryData",
    "stringData",
    "managedFields",
];

/// Brings a body into a form from which decoding loses nothing:
///
/// - a quantity may be a JSON number (`cpu: 0.5`); it becomes a string, a `null` becomes `0`;
/// - what is empty, `false` or `0` and may be left out is left out, as Go does when it answers;
/// - another version of the kind than the stored one becomes the stored one;
/// - what the kind's own strategy says of it.
pub fn prepare(kind: Kind, body: &mut Value) {
    for part in ["spec", "status"] {
        if let Some(value) = body.get_mut(part) {
            quantities(kind, value, 0);
        }
    }
    super::omit::omit_empty(kind, body);
    kinds::versions::to_stored(kind, body);
    kinds::convert(kind, body);
}

/// Far deeper than any quantity stands; decoding refuses deeper nesting anyway.
const MAX_DEPTH: usize = 64;

fn quantities(kind: Kind, value: &mut Value, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|v| quantities(kind, v, depth + 1)),
        Value::Object(fields) => {
            for (name, field) in fields {
                let name = name.as_str();
                let is = |names: &[&str]| names.contains(&name);
                if is(QUANTITIES) {
                    to_text(field);
                } else if is(QUANTITY_MAPS) || (kind == Kind::LIMIT_RANGE && is(LIMITS)) {
                    match field {
                        Value::Object(map) => map.values_mut().for_each(to_text),
                        other => quantities(kind, other, depth + 1),
                    }
                } else if !is(FREE_MAPS) {
                    quantities(kind, field, depth + 1);
                }
            }
        }
        _ => {}
    }
}

/// A quantity that is a JSON number becomes a string, and `null` becomes `0`.
pub(in crate::apiserver) fn to_text(value: &mut Value) {
    match value {
        Value::Number(n) => *value = Value::String(n.to_string()),
        Value::Null => *value = Value::String("0".to_owned()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_become_text_only_where_a_quantity_stands() {
        let mut v = json!({"spec": {"containers": [{"resources": {"limits": {"cpu": 0.5}}, "ports": [{"containerPort": 1}]}],
            "nodeSelector": {"limits": 1}}});
        prepare(Kind::POD, &mut v);
        assert_eq!(
            v,
            json!({"spec": {"containers": [{"resources": {"limits": {"cpu": "0.5"}}, "ports": [{"containerPort": 1}]}],
                "nodeSelector": {"limits": 1}}})
        );
    }
}
