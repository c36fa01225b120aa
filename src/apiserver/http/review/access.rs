//! What a review of access must say (`pkg/apis/authorization/validation`).

use serde_json::Value;

use super::{Review, quoted, text};
use crate::api::go_types;
use crate::apimachinery::Status;
use crate::apiserver::validation::invalid_as;
use crate::apiserver::validation::{BadValue, FieldError, Path, meta, names};

/// Where the attributes of a request for objects stand.
const RESOURCE: &str = "/spec/resourceAttributes";
/// Where those of a request for something else stand.
const OTHER: &str = "/spec/nonResourceAttributes";

/// Checks a review of access.
pub(super) fn check(review: Review, asked: &Value) -> Result<(), Status> {
    let mut errors = Vec::new();
    spec(&mut errors, review, asked);
    metadata(&mut errors, review, asked);
    if review == Review::LocalSubjectAccess {
        in_its_namespace(&mut errors, asked);
    }
    // The name of the kind is empty there, too: the decoded object has none.
    if errors.is_empty() { Ok(()) } else { Err(invalid_as("", "authorization.k8s.io", "", &errors)) }
}

/// The attributes of a request that is not for objects, as the internal type writes them.
fn non_resource(asked: &Value) -> BadValue {
    let json = go_types::go_json;
    let attributes = asked.pointer(OTHER).map(|of| {
        let part = |key: &str| json(&text(of, key).into());
        format!("{{\"Path\":{},\"Verb\":{}}}", part("/path"), part("/verb"))
    });
    BadValue::Json(attributes.unwrap_or_else(|| "null".to_owned()))
}

fn spec(errors: &mut Vec<FieldError>, review: Review, asked: &Value) {
    let path = Path::new("spec");
    match (asked.pointer(RESOURCE), asked.pointer(OTHER)) {
        (Some(_), Some(_)) => errors.push(FieldError::invalid(
            &path.child("nonResourceAttributes"),
            non_resource(asked),
            "cannot be specified in combination with resourceAttributes",
        )),
        (None, None) => errors.push(FieldError::invalid(
            &path.child("resourceAttributes"),
            non_resource(asked),
            "exactly one of nonResourceAttributes or resourceAttributes must be specified",
        )),
        _ => {}
    }
    let somebody = !text(asked, "/spec/user").is_empty() || asked.pointer("/spec/groups").is_some();
    if review != Review::SelfSubjectAccess && !somebody {
        let detail = "at least one of user or group must be specified";
        errors.push(FieldError::invalid(&path.child("user"), "", detail));
    }
    if let Some(attributes) = asked.pointer(RESOURCE) {
        let path = path.child("resourceAttributes");
        for (field, of_labels) in [("fieldSelector", false), ("labelSelector", true)] {
            if let Some(given) = attributes.get(field) {
                selector(errors, given, of_labels, &path.child(field));
            }
        }
    }
}

/// A selector by which the objects of a request are limited. An operator that is not known is let through: a newer client
/// may know it.
fn selector(errors: &mut Vec<FieldError>, selector: &Value, of_labels: bool, path: &Path) {
    let raw = text(selector, "/rawSelector");
    let requirements =
        selector.get("requirements").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if !raw.is_empty() && !requirements.is_empty() {
        let detail = "may not specified at the same time as requirements";
        errors.push(FieldError::invalid(&path.child("rawSelector"), raw, detail));
    }
    if raw.is_empty() && requirements.is_empty() {
        let detail = format!("when {path} is specified, requirements or rawSelector is required");
        errors.push(FieldError::required(&path.child("requirements"), detail));
    }
    for (i, requirement) in requirements.iter().enumerate() {
        let path = path.child("requirements").index(i);
        let (key, operator) = (text(requirement, "/key"), text(requirement, "/operator"));
        let values = requirement.get("values").and_then(Value::as_array).into_iter().flatten();
        let values: Vec<String> = values.filter_map(Value::as_str).map(str::to_owned).collect();
        if !of_labels && key.is_empty() {
            errors.push(FieldError::required(&path.child("key"), "must be specified"));
        }
        if matches!(operator, "In" | "NotIn" | "Exists" | "DoesNotExist") {
            meta::selector_values(errors, operator, &values, &path);
        }
        if of_labels {
            meta::label_name(errors, key, &path.child("key"));
            for (i, value) in values.iter().enumerate() {
                meta::invalid_each(errors, &path.child("values").index(i), value, names::label_value(value));
            }
        }
    }
}

/// A review has no name, labels or other metadata.
fn metadata(errors: &mut Vec<FieldError>, review: Review, asked: &Value) {
    let meta = asked.get("metadata").unwrap_or(&Value::Null);
    let says = |key: &str| key != "managedFields" && !(key == "namespace" && review.namespaced());
    if meta.as_object().is_some_and(|m| m.keys().any(|key| says(key))) {
        let detail = if review.namespaced() { "must be empty except for namespace" } else { "must be empty" };
        errors.push(FieldError::invalid(
            &Path::new("metadata"),
            quoted(go_types::object_meta(), meta),
            detail,
        ));
    }
}

fn in_its_namespace(errors: &mut Vec<FieldError>, asked: &Value) {
    let path = Path::new("spec");
    if let Some(attributes) = asked.pointer(RESOURCE) {
        let namespace = text(attributes, "/namespace");
        if namespace != text(asked, "/metadata/namespace") {
            let path = path.child("resourceAttributes").child("namespace");
            errors.push(FieldError::invalid(&path, namespace, "must match metadata.namespace"));
        }
    }
    if asked.pointer(OTHER).is_some() {
        let path = path.child("nonResourceAttributes");
        errors.push(FieldError::invalid(&path, non_resource(asked), "disallowed on this kind of request"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(review: Review, asked: &Value) -> String {
        check(review, asked).err().map(|s| s.message).unwrap_or_default()
    }

    #[test]
    fn a_review_asks_one_question_about_somebody() {
        let neither = json!({"metadata": {}, "spec": {}});
        assert_eq!(
            refused(Review::SelfSubjectAccess, &neither),
            ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified"
        );
        let both =
            json!({"spec": {"user": "u", "resourceAttributes": {}, "nonResourceAttributes": {"path": "/"}}});
        assert_eq!(
            refused(Review::SubjectAccess, &both),
            ".authorization.k8s.io \"\" is invalid: spec.nonResourceAttributes: Invalid value: {\"Path\":\"/\",\"Verb\":\"\"}: cannot be specified in combination with resourceAttributes"
        );
        let nobody = json!({"spec": {"resourceAttributes": {}}});
        assert!(refused(Review::SubjectAccess, &nobody).contains("at least one of user or group"));
        assert_eq!(refused(Review::SelfSubjectAccess, &nobody), "");
        let elsewhere = json!({"metadata": {"namespace": "a"}, "spec": {"user": "u", "resourceAttributes": {"namespace": "b"}}});
        assert!(
            refused(Review::LocalSubjectAccess, &elsewhere).contains("\"b\": must match metadata.namespace")
        );
        let named = json!({"metadata": {"name": "x"}, "spec": {"user": "u", "resourceAttributes": {}}});
        assert!(
            refused(Review::SubjectAccess, &named)
                .contains("metadata: Invalid value: {\"name\":\"x\"}: must be empty")
        );
    }

    #[test]
    fn selectors_are_checked_and_unknown_operators_are_let_through() {
        let with = |selector: Value| {
            let asked = json!({"spec": {"resourceAttributes": {"fieldSelector": selector}}});
            refused(Review::SelfSubjectAccess, &asked)
        };
        assert!(with(json!({})).contains("when spec.resourceAttributes.fieldSelector is specified"));
        let one = |r: Value| json!({"requirements": [r]});
        assert!(with(one(json!({"operator": "Exists"}))).contains("requirements[0].key: Required value"));
        assert!(
            with(one(json!({"key": "a", "operator": "In"}))).contains("requirements[0].values: Required")
        );
        assert_eq!(with(one(json!({"key": "a", "operator": "Later"}))), "");
    }
}
