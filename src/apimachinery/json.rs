//! JSON of what has no struct in `api::go_types`: statuses, tables, discovery.

use serde_json::Value;

use crate::api::order;

/// The keys that Kubernetes' structs have first; all others follow in order of their names.
const FIRST: &[&str] = &[
    "kind",
    "apiVersion",
    "metadata",
    "status",
    "message",
    "reason",
    "details",
    "code",
    "groups",
    "groupVersion",
    "name",
    "versions",
    "resources",
    "columnDefinitions",
    "rows",
];
/// The keys of `metav1.StatusDetails`.
const DETAILS: &[&str] = &["name", "group", "kind", "uid", "causes", "retryAfterSeconds"];
/// The keys of `metav1.StatusCause`.
const CAUSE: &[&str] = &["reason", "message", "field"];

/// The JSON of a value, its keys in the order of Kubernetes' structs. The order is that of the outermost object, and
/// of the details of a status.
pub fn ordered(value: &Value) -> String {
    in_order(value, FIRST, &|key, value| match key {
        "details" => in_order(value, DETAILS, &|key, value| match (key, value) {
            ("causes", Value::Array(causes)) => {
                let causes: Vec<String> = causes.iter().map(|c| in_order(c, CAUSE, &plain)).collect();
                format!("[{}]", causes.join(","))
            }
            _ => plain(key, value),
        }),
        _ => plain(key, value),
    })
}

fn plain(_key: &str, value: &Value) -> String {
    value.to_string()
}

fn in_order(value: &Value, first: &[&str], text_of: &dyn Fn(&str, &Value) -> String) -> String {
    let Value::Object(map) = value else { return value.to_string() };
    let mut fields: Vec<(&String, &Value)> = map.iter().collect();
    order::sort_by_key(&mut fields, |(k, _)| first.iter().position(|f| f == k).unwrap_or(first.len()));
    let fields: Vec<String> =
        fields.into_iter().map(|(k, v)| format!("{}:{}", Value::String(k.clone()), text_of(k, v))).collect();
    format!("{{{}}}", fields.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_details_of_a_status_are_in_the_order_of_the_struct() {
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 422, "reason": "Invalid",
            "message": "no", "details": {
                "retryAfterSeconds": 1, "causes": [{"field": "spec", "message": "bad", "reason": "FieldValueInvalid"}],
                "kind": "Pod", "group": "g", "name": "p", "uid": "u",
            },
        });
        assert_eq!(
            ordered(&status),
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":"Invalid","details":{"name":"p","group":"g","kind":"Pod","uid":"u","causes":[{"reason":"FieldValueInvalid","message":"bad","field":"spec"}],"retryAfterSeconds":1},"code":422}"#
        );
    }
}
