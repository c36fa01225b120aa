//! The end of a definition: its objects are deleted before it goes
//! (`pkg/controller/finalizer/crd_finalizer.go`).

use super::conditions::{self, TERMINATING, condition};
use super::types::{CustomResourceDefinition, CustomResourceDefinitionStatus};
use crate::api::{MetaExt, Timestamp};

/// The finalizer that a definition has while its objects are deleted.
pub const NAME: &str = "customresourcecleanup.apiextensions.k8s.io";

/// How the deletion of the objects went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstanceDeletion {
    /// No object is left.
    Completed,
    /// The definition was never served, so there are no objects.
    NeverEstablished,
    /// The definition is of a resource that is built in, whose objects are left alone.
    Overlapping,
    /// The objects could not be listed, with the error.
    NotListed(String),
    /// Deletions were refused, with the errors.
    NotDeleted(String),
    /// Objects are left after a minute, with the error.
    NotConfirmed(String),
}

/// Whether the finalizer has something to do: the definition is being deleted and waits for it.
pub fn is_waiting(crd: &CustomResourceDefinition) -> bool {
    crd.metadata.is_deleting() && crd.metadata.finalizers.iter().flatten().any(|f| f == NAME)
}

/// Whether a definition is of a resource that is built in, which ends as [`InstanceDeletion::Overlapping`]
/// (`OverlappingBuiltInResources`).
pub fn overlaps(crd: &CustomResourceDefinition) -> bool {
    matches!(
        (crd.spec.group.as_str(), crd.spec.names.plural.as_str()),
        ("apiregistration.k8s.io", "apiservices") | (super::GROUP, "customresourcedefinitions")
    )
}

/// Before objects are deleted: says so.
pub fn begin(crd: &CustomResourceDefinition, now: Timestamp) -> CustomResourceDefinitionStatus {
    let mut status = crd.status.clone().unwrap_or_default();
    let message = "CustomResource deletion is in progress";
    conditions::set_condition(
        &mut status,
        condition(TERMINATING, "True", "InstanceDeletionInProgress", message),
        now,
    );
    status
}

/// After that: the definition as it is to be written to its status subresource. The finalizer goes
/// when no objects are left, and with it the definition.
pub fn end(
    crd: &CustomResourceDefinition,
    outcome: &InstanceDeletion,
    now: Timestamp,
) -> CustomResourceDefinition {
    let failed = |message: String| condition(TERMINATING, "True", "InstanceDeletionFailed", message);
    let (new, done) = match outcome {
        InstanceDeletion::Completed => {
            (condition(TERMINATING, "False", "InstanceDeletionCompleted", "removed all instances"), true)
        }
        InstanceDeletion::NeverEstablished => {
            (condition(TERMINATING, "False", "NeverEstablished", "resource was never established"), true)
        }
        InstanceDeletion::Overlapping => (
            condition(
                TERMINATING,
                "False",
                "OverlappingBuiltInResource",
                "instances overlap with built-in resources in storage",
            ),
            true,
        ),
        InstanceDeletion::NotListed(error) => (failed(format!("could not list instances: {error}")), false),
        InstanceDeletion::NotDeleted(error) => {
            (failed(format!("could not issue all deletes: {error}")), false)
        }
        InstanceDeletion::NotConfirmed(error) => (
            condition(
                TERMINATING,
                "True",
                "InstanceDeletionCheck",
                format!("could not confirm zero CustomResources remaining: {error}"),
            ),
            false,
        ),
    };
    let mut out = crd.clone();
    conditions::set_condition(out.status.get_or_insert_default(), new, now);
    if done && let Some(finalizers) = &mut out.metadata.finalizers {
        finalizers.retain(|f| f != NAME);
    }
    out
}
