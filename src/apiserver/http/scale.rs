//! `autoscaling/v1` Scale: the size of what has one, as an object of its own.

use serde_json::{Value, json};

use super::decode::Expected;
use crate::api::types::{Deployment, LabelSelector, ReplicaSet, ReplicationController, StatefulSet};
use crate::api::{ApiKind, MetaExt, Object, go_types, labels};
use crate::apimachinery::Status;
use crate::apiserver::apiextensions::{Absent, View};

pub(super) fn expected() -> Expected {
    Expected { kind: "Scale", api_version: "autoscaling/v1", layout: go_types::scale() }
}

/// The scale of an object, to be read.
///
/// # Errors
/// 404: its kind has none. 500: a custom object does not say how many replicas it wants.
pub(super) fn shown(object: &Object, view: Option<&View>) -> Result<Value, Status> {
    match view {
        Some(view) => view.scale_of(object, Absent::Refused),
        None => of(object).ok_or_else(Status::no_such_path),
    }
}

/// The scale of an object, to be changed.
///
/// # Errors
/// 404: its kind has none.
pub(in crate::apiserver) fn current(object: &Object, view: Option<&View>) -> Result<Value, Status> {
    match view {
        Some(view) => view.scale_of(object, Absent::Marked),
        None => of(object).ok_or_else(Status::no_such_path),
    }
}

/// The scale of an object that was changed.
///
/// # Errors
/// 404: its kind has none.
pub(super) fn after(object: &Object, view: Option<&View>) -> Result<Value, Status> {
    match view {
        Some(view) => view.scale_of(object, Absent::LeftOut),
        None => of(object).ok_or_else(Status::no_such_path),
    }
}

/// The scale of an object; `None` if its kind has none.
pub(in crate::apiserver) fn of(object: &Object) -> Option<Value> {
    let mut by_labels = LabelSelector::default();
    let (spec, status, selector) = if let Some(d) = Deployment::from_object(object) {
        let spec = d.spec.as_ref();
        (
            spec.and_then(|s| s.replicas),
            d.status.as_ref().and_then(|s| s.replicas).unwrap_or(0),
            spec.map(|s| &s.selector),
        )
    } else if let Some(s) = StatefulSet::from_object(object) {
        let spec = s.spec.as_ref();
        (
            spec.and_then(|s| s.replicas),
            s.status.as_ref().map_or(0, |s| s.replicas),
            spec.map(|s| &s.selector),
        )
    } else if let Some(r) = ReplicationController::from_object(object) {
        let spec = r.spec.as_ref();
        by_labels.match_labels = spec.and_then(|s| s.selector.clone());
        (spec.and_then(|s| s.replicas), r.status.as_ref().map_or(0, |s| s.replicas), Some(&by_labels))
    } else {
        let rs = ReplicaSet::from_object(object)?;
        let spec = rs.spec.as_ref();
        (
            spec.and_then(|s| s.replicas),
            rs.status.as_ref().map_or(0, |s| s.replicas),
            spec.map(|s| &s.selector),
        )
    };
    let meta = object.meta();
    let mut spec_value = json!({});
    // Zero is left out.
    if let Some(n) = spec.filter(|n| *n != 0) {
        spec_value["replicas"] = n.into();
    }
    let mut value = json!({
        "kind": "Scale", "apiVersion": "autoscaling/v1",
        "metadata": {"name": meta.name(), "namespace": meta.namespace(), "uid": meta.uid()},
        "spec": spec_value,
        "status": {"replicas": status},
    });
    if let Some(rv) = &meta.resource_version {
        value["metadata"]["resourceVersion"] = rv.as_str().into();
    }
    if let Some(t) = &meta.creation_timestamp {
        value["metadata"]["creationTimestamp"] = t.0.to_string().into();
    }
    let selector = labels::Selector::from_label_selector(selector).ok().map(|s| s.to_string());
    if let Some(s) = selector.filter(|s| !s.is_empty()) {
        value["status"]["selector"] = s.into();
    }
    Some(value)
}

/// `spec.replicas` and `metadata.resourceVersion` of a Scale.
pub(super) fn wanted(scale: &Value) -> (i32, Option<String>) {
    let replicas = scale.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(0);
    let version = scale.pointer("/metadata/resourceVersion").and_then(Value::as_str);
    (i32::try_from(replicas).unwrap_or(i32::MAX), version.filter(|v| !v.is_empty()).map(str::to_owned))
}
