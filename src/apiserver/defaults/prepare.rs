//! What has to happen to a body before it is decoded, because the typed form cannot express it.

use serde_json::Value;

use crate::api::Kind;

/// Names of maps whose values are quantities, wherever they stand under `spec` or `status`.
const QUANTITY_MAPS: &[&str] = &[
    "limits",
    "requests",
    "overhead",
    "podFixed",
    "capacity",
    "allocatable",
    "allocatedResources",
    "hard",
    "used",
];
/// Names of maps whose values are quantities in the items of a LimitRange, whose `limits` are a list.
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

/// Far deeper than any quantity stands; decoding refuses deeper nesting anyway.
const MAX_DEPTH: usize = 64;

/// Turns the quantities of a spec or a status that are JSON numbers into text, `null` into `0`.
pub(in crate::apiserver) fn quantities_as_text(kind: Kind, value: &mut Value) {
    quantities(kind, value, 0);
}

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
                } else if kind == Kind::CSI_NODE {
                    // It has a field `allocatable`, too, which is a number of volumes.
                    quantities(kind, field, depth + 1);
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
