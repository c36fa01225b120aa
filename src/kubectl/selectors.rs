//! Which pods a Service for an object selects (`k8s.io/kubectl/pkg/polymorphichelpers/mapbasedselectorforobject.go`).

use serde_json::{Value, json};

use super::go;
use crate::api::Object;
use crate::api::types::Pod;

/// The labels of the pods behind an object, or why a Service cannot select them.
pub(super) type Selects = fn(&Object) -> std::result::Result<Value, String>;

/// A pod is selected by its labels.
pub(super) fn of_pod(object: &Object) -> std::result::Result<Value, String> {
    let labels = object.get::<Pod>().and_then(|p| p.metadata.labels.as_ref()).filter(|l| !l.is_empty());
    labels.map(|l| json!(l)).ok_or_else(|| "the pod has no labels and cannot be exposed".to_owned())
}

/// `spec.selector` is a map of labels.
pub(super) fn of_selector(object: &Object) -> std::result::Result<Value, String> {
    let selector = object.to_value().pointer("/spec/selector").cloned();
    selector.ok_or_else(|| "the service has no pod selector set".to_owned())
}

/// `spec.selector` is a LabelSelector; one that is more than a map of labels cannot be a Service's.
pub(super) fn of_match_labels(object: &Object) -> std::result::Result<Value, String> {
    let value = object.to_value();
    let labels =
        value.pointer("/spec/selector/matchLabels").filter(|l| l.as_object().is_some_and(|l| !l.is_empty()));
    let Some(labels) = labels else {
        let kind = object.kind().as_str().to_lowercase();
        return Err(format!("invalid {kind}: no selectors, therefore cannot be exposed"));
    };
    match value.pointer("/spec/selector/matchExpressions").and_then(Value::as_array) {
        Some(all) if !all.is_empty() => Err(format!(
            "couldn't convert expressions - \"{}\" to map-based selector format",
            go::format_value(&Value::Array(all.clone()))
        )),
        _ => Ok(labels.clone()),
    }
}
