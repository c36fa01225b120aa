//! What a write keeps of a definition, and what it adds
//! (`pkg/registry/customresourcedefinition/strategy.go` and `etcd.go`).

use super::conditions::{self, condition};
use super::internal::Spec;
use super::types::{CustomResourceDefinition, CustomResourceDefinitionStatus};
use super::visit::visit;
use super::{finalizer, values};
use crate::api::Timestamp;
use crate::api::quote::go_quote;
use crate::api::types::Time;
use crate::apiserver::validation::text;

/// A new definition: its status begins anew.
pub fn prepare_for_create(crd: &mut CustomResourceDefinition) {
    crd.status = Some(CustomResourceDefinitionStatus::default());
    crd.metadata.generation = Some(1);
    note_storage_version(crd);
}

/// An update: the status stays, a changed spec is a new generation.
pub fn prepare_for_update(new: &mut CustomResourceDefinition, old: &CustomResourceDefinition) {
    new.status.clone_from(&old.status);
    if new.spec != old.spec {
        new.metadata.generation = Some(old.metadata.generation.unwrap_or_default() + 1);
    }
    note_storage_version(new);
}

/// An update of the status: the spec stays. Metadata may change with it, as in Kubernetes.
pub fn prepare_for_status_update(new: &mut CustomResourceDefinition, old: &CustomResourceDefinition) {
    new.spec.clone_from(&old.spec);
}

/// Adds the version that objects are now stored in to those that they may be stored in.
fn note_storage_version(crd: &mut CustomResourceDefinition) {
    let Some(version) = crd.spec.versions.iter().find(|v| v.storage) else { return };
    let stored = crd.status.get_or_insert_default().stored_versions.get_or_insert_default();
    if !stored.contains(&version.name) {
        stored.push(version.name.clone());
    }
}

/// The first request to delete a definition: its objects have to go first, so it is only marked, and
/// the answer is the marked definition. One that is marked already is deleted as any other object is.
pub fn mark_for_deletion(crd: &mut CustomResourceDefinition, now: Timestamp) {
    crd.metadata.deletion_timestamp.get_or_insert(Time(now));
    let finalizers = crd.metadata.finalizers.get_or_insert_default();
    if !finalizers.iter().any(|f| f == finalizer::NAME) {
        finalizers.push(finalizer::NAME.to_owned());
    }
    let pending = condition(
        conditions::TERMINATING,
        "True",
        "InstanceDeletionPending",
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    );
    conditions::set_condition(crd.status.get_or_insert_default(), pending, now);
}

/// The warnings about a new definition that is valid: formats that are not known.
pub fn warnings_on_create(crd: &CustomResourceDefinition) -> Vec<String> {
    unrecognized(crd)
        .into_iter()
        .map(|format| format!("unrecognized format {format}", format = go_quote(format)))
        .collect()
}

/// [`warnings_on_create`] for an update: warnings about parts that were there before are left out.
pub fn warnings_on_update(new: &CustomResourceDefinition, old: &CustomResourceDefinition) -> Vec<String> {
    let before = unrecognized(old);
    let added = unrecognized(new).into_iter().filter(|f| !before.contains(f));
    added.map(|format| format!("unrecognized format {format}", format = go_quote(format))).collect()
}

fn unrecognized(crd: &CustomResourceDefinition) -> Vec<&str> {
    let mut out = Vec::new();
    for schema in Spec::of(crd).schemas() {
        visit(schema, &mut |s| {
            let format = text(&s.format);
            if !format.is_empty() && !values::formats::is_recognized(text(&s.type_), format) {
                out.push(format);
            }
        });
    }
    out
}
