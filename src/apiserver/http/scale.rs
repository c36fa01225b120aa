//! `autoscaling/v1` Scale: the size of what has one, as an object of its own.

use serde_json::Value;

use super::decode::Expected;
use crate::api::{Object, go_types};
use crate::apimachinery::Status;
use crate::apiserver::apiextensions::{Absent, View};
use crate::apiserver::registry::scale_of;

pub(super) fn expected() -> Expected {
    Expected { kind: "Scale", api_version: "autoscaling/v1", also: None, layout: go_types::scale() }
}

/// The scale of an object, to be read.
///
/// # Errors
/// 404: its kind has none. 500: a custom object does not say how many replicas it wants.
pub(super) fn shown(object: &Object, view: Option<&View>) -> Result<Value, Status> {
    match view {
        Some(view) => view.scale_of(object, Absent::Refused),
        None => scale_of(object).ok_or_else(Status::no_such_path),
    }
}

/// The scale of an object, to be changed.
///
/// # Errors
/// 404: its kind has none.
pub(in crate::apiserver) fn current(object: &Object, view: Option<&View>) -> Result<Value, Status> {
    match view {
        Some(view) => view.scale_of(object, Absent::Marked),
        None => scale_of(object).ok_or_else(Status::no_such_path),
    }
}

/// The scale of an object that was changed.
///
/// # Errors
/// 404: its kind has none.
pub(super) fn after(object: &Object, view: Option<&View>) -> Result<Value, Status> {
    match view {
        Some(view) => view.scale_of(object, Absent::LeftOut),
        None => scale_of(object).ok_or_else(Status::no_such_path),
    }
}

/// `spec.replicas` and `metadata.resourceVersion` of a Scale.
pub(super) fn wanted(scale: &Value) -> (i32, Option<String>) {
    let replicas = scale.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(0);
    let version = scale.pointer("/metadata/resourceVersion").and_then(Value::as_str);
    (i32::try_from(replicas).unwrap_or(i32::MAX), version.filter(|v| !v.is_empty()).map(str::to_owned))
}
