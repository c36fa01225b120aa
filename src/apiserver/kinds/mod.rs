//! Built-in kinds, one file each: what the API server does differently for objects of each kind.
//!
//! A file implements `Strategy` for one kind. The trait has no default bodies, so a kind that forgets something
//! does not compile; methods that do nothing for the kind are named in `nothing_for!`. And `strategy` goes through the
//! table of kinds, so a kind without a file does not compile either. The rest of the API server calls the functions of
//! this module with an [`Object`] and never asks which kind it has before it.
//!
//! Objects of kinds that a CustomResourceDefinition made have no strategy here: what their definition says of them is
//! in `apiserver::apiextensions`.

use serde_json::Value;

use super::validation::Errors;
use crate::api::types::{ObjectMeta, PodTemplateSpec};
use crate::api::{Kind, MetaExt, Object, Timestamp};

/// Writes out the methods of [`Strategy`] that do nothing for a kind, by their names. A kind lists them one by one, so a
/// new method of the trait has to be decided for every kind.
macro_rules! nothing_for {
    ($($method:ident),*) => { $(nothing_for!(@$method);)* };
    (@convert) => {
        fn convert(_: &mut serde_json::Value) -> Result<(), String> {
            Ok(())
        }
    };
    (@default) => {
        fn default(_: &mut std::rc::Rc<Self>) {}
    };
    (@prepare_for_create) => {
        fn prepare_for_create(_: &mut std::rc::Rc<Self>, _: &mut crate::apiserver::kinds::Creation<'_>) {}
    };
    (@prepare_for_update) => {
        fn prepare_for_update(_: &mut std::rc::Rc<Self>, _: &Self) {}
    };
    (@prepare_for_status_update) => {
        fn prepare_for_status_update(_: &mut std::rc::Rc<Self>, _: &Self, _: crate::api::Timestamp) {}
    };
    (@validate_status_update) => {
        fn validate_status_update(&self, _: &Self, _: &mut crate::apiserver::validation::Errors) {}
    };
    (@warnings_on_create) => {
        fn warnings_on_create(&self, _: &mut Vec<String>) {}
    };
    (@warnings_on_update) => {
        fn warnings_on_update(&self, _: &Self, _: &mut Vec<String>) {}
    };
    (@field) => {
        fn field(&self, _: &str) -> Option<String> {
            None
        }
    };
}

/// Writes out [`Strategy::prepare_for_status_update`] of a kind of whose status updates only the spec is set back.
macro_rules! status_keeps_spec {
    () => {
        fn prepare_for_status_update(this: &mut std::rc::Rc<Self>, old: &Self, _: crate::api::Timestamp) {
            crate::apiserver::kinds::keep(&mut std::rc::Rc::make_mut(this).spec, &old.spec);
        }
    };
}

mod admission_policy;
pub(super) mod certificate_signing_request;
mod cluster_role;
mod cluster_role_binding;
mod column;
mod config_map;
mod controller_revision;
pub(super) mod cron_job;
mod csi_driver;
mod csi_node;
mod csi_storage_capacity;
mod custom_resource_definition;
mod daemon_set;
mod deployment;
mod device_class;
mod endpoint_slice;
mod endpoints;
mod event;
pub(super) mod horizontal_pod_autoscaler;
pub(super) mod ingress;
mod ingress_class;
mod ip_address;
mod job;
mod lease;
mod limit_range;
mod mutating_admission_policy;
mod mutating_admission_policy_binding;
pub(super) mod namespace;
mod network_policy;
pub(super) mod node;
mod persistent_volume;
mod persistent_volume_claim;
pub(super) mod pod;
mod pod_disruption_budget;
mod pod_template;
mod priority_class;
mod replica_set;
mod replication_controller;
pub(super) mod resource_claim;
mod resource_claim_template;
mod resource_quota;
mod resource_slice;
mod role;
pub(super) mod role_binding;
mod runtime_class;
mod secret;
pub(super) mod service;
mod service_account;
mod service_cidr;
mod stateful_set;
mod storage;
mod storage_class;
mod strategy;
mod validating_admission_policy;
mod validating_admission_policy_binding;
mod version;
pub(super) mod versions;
mod volume_attachment;
mod volume_attributes_class;

pub use column::Column;
pub(super) use column::{AGE, CREATED_AT, NAME};
pub use pod::row::{Summary, summarize};
pub(super) use storage::{Replicas, Storage};
use strategy::strategy;
pub(super) use strategy::{Creation, SelectableFields, Strategy};

/// The columns of a kind's table.
pub fn columns(kind: Kind) -> &'static [Column] {
    strategy(kind).map_or(&[NAME, AGE], |s| s.columns())
}

/// The cells of an object, one for each of its kind's columns.
pub fn row(object: &Object, now: Timestamp) -> Vec<String> {
    strategy(object.kind()).and_then(|s| s.row(object, now)).unwrap_or_else(|| {
        let age = crate::api::duration::age(object.meta().creation_timestamp.as_ref(), now);
        vec![object.name().to_owned(), age]
    })
}

/// Which fields a kind can be selected by.
pub(super) fn selectable_fields(kind: Kind) -> SelectableFields {
    strategy(kind).map_or(SelectableFields::NameAndNamespace, |s| s.selectable_fields())
}

/// The value of a selectable field other than name and namespace.
pub(super) fn field(object: &Object, path: &str) -> Option<String> {
    strategy(object.kind())?.field(object, path)
}

/// Whether a PUT makes the object where there is none. It does not for custom kinds
/// (`apiextensions-apiserver/pkg/registry/customresource/strategy.go`).
pub(super) fn allow_create_on_update(kind: Kind) -> bool {
    strategy(kind).is_some_and(|s| s.allow_create_on_update())
}

/// Whether an object of the kind can be replaced without saying which version is replaced. Custom ones cannot.
pub(super) fn allow_unconditional_update(kind: Kind) -> bool {
    strategy(kind).is_some_and(|s| s.allow_unconditional_update())
}

/// How the store of a kind differs from the generic one; that of custom kinds does not.
pub(super) fn storage(kind: Kind) -> Storage {
    strategy(kind).map_or(Storage::PLAIN, |s| s.storage())
}

/// What the kind alone does to a body before it is decoded.
///
/// # Errors
/// Why the body cannot be read.
pub(super) fn convert(kind: Kind, body: &mut Value) -> Result<(), String> {
    strategy(kind).map_or(Ok(()), |strategy| strategy.convert(body))
}

/// Fills in the defaults of the object's kind.
pub(super) fn default(object: &mut Object) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.default(object);
    }
}

/// Sets what a new object starts with.
pub(super) fn prepare_for_create(object: &mut Object, creation: &mut Creation<'_>) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.prepare_for_create(object, creation);
    }
}

/// Sets back what an update may not touch, and counts a change of what is wanted.
pub(super) fn prepare_for_update(object: &mut Object, old: &Object) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.prepare_for_update(object, old);
    }
}

/// Sets back everything that an update of the status may not touch.
pub(super) fn prepare_for_status_update(object: &mut Object, old: &Object, now: Timestamp) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.prepare_for_status_update(object, old, now);
    }
}

/// Finds what the kind's own rules refuse of a new object.
pub(super) fn validate(object: &Object, errs: &mut Errors) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.validate(object, errs);
    }
}

/// Finds what the kind's own rules refuse of an update.
pub(super) fn validate_update(object: &Object, old: &Object, errs: &mut Errors) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.validate_update(object, old, errs);
    }
}

/// Finds what the kind's own rules refuse of an update of the status.
pub(super) fn validate_status_update(object: &Object, old: &Object, errs: &mut Errors) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.validate_status_update(object, old, errs);
    }
}

/// What a client is warned of at a create that is valid.
pub(super) fn warnings_on_create(object: &Object) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(strategy) = strategy(object.kind()) {
        strategy.warnings_on_create(object, &mut out);
    }
    out
}

/// What a client is warned of at an update that is valid.
pub(super) fn warnings_on_update(object: &Object, old: &Object) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(strategy) = strategy(object.kind()) {
        strategy.warnings_on_update(object, old, &mut out);
    }
    out
}

/// Counts a change of what is wanted in `metadata.generation`.
fn count_change(meta: &mut ObjectMeta, old: &ObjectMeta, changed: bool) {
    if changed {
        meta.generation = Some(old.generation() + 1);
    }
}

/// Drops the fields of a pod template that belong to features which are off, unless the old template has them
/// (`DropDisabledTemplateFields`).
fn drop_disabled(template: Option<&mut PodTemplateSpec>, old: Option<&PodTemplateSpec>) {
    if let Some(spec) = template.and_then(|t| t.spec.as_mut()) {
        pod::disabled::drop_disabled(spec, old.and_then(|t| t.spec.as_ref()));
    }
}

/// Sets back the metadata that an update of the status may not change (`ResetObjectMetaForStatus`).
fn reset_meta_for_status(new: &mut ObjectMeta, old: &ObjectMeta) {
    new.deletion_timestamp.clone_from(&old.deletion_timestamp);
    new.generation = old.generation;
    new.self_link.clone_from(&old.self_link);
    new.labels.clone_from(&old.labels);
    new.annotations.clone_from(&old.annotations);
    new.finalizers.clone_from(&old.finalizers);
    new.owner_references.clone_from(&old.owner_references);
}

/// Sets back what may not change. Most often it has not, and what is large is not copied.
fn keep<T: Clone + PartialEq>(new: &mut T, old: &T) {
    if new != old {
        new.clone_from(old);
    }
}

/// Marks `spec.selector: {}` with an empty `matchLabels`. A selector that is empty is an error of its own, other than
/// one that is missing, but the typed struct has no room for a selector that is absent.
fn mark_empty_selector(body: &mut Value) {
    if let Some(Value::Object(selector)) = body.pointer_mut("/spec/selector")
        && selector.is_empty()
    {
        selector.insert("matchLabels".into(), Value::Object(Default::default()));
    }
}

#[cfg(test)]
mod tests;
