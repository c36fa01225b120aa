//! Counts of replicas in a status (`pkg/apis/apps/validation/validation.go`).

use super::field::{Errors, FieldError, Path};
use super::meta::non_negative;

/// The message for a count that is greater than the number of replicas.
pub(in crate::apiserver) const MORE_THAN_REPLICAS: &str = "cannot be greater than status.replicas";

/// The message for more available replicas than ready ones.
pub(in crate::apiserver) const MORE_THAN_READY: &str = "cannot be greater than readyReplicas";

/// Whether a count went down; an absent one is less than any other (`IsDecremented`).
pub(in crate::apiserver) fn is_decremented(new: Option<i32>, old: Option<i32>) -> bool {
    match (new, old) {
        (None, Some(_)) => true,
        (Some(new), Some(old)) => new < old,
        _ => false,
    }
}

/// Validates the counts of a ReplicaSet or ReplicationController. `counts` are those of all replicas, of fully labeled, ready
/// and available ones (`ValidateReplicaSetStatus`).
pub(in crate::apiserver) fn status_counts(
    errs: &mut Errors,
    counts: [i32; 4],
    terminating: Option<i32>,
    observed: Option<i64>,
) {
    let path = Path::new("status");
    let [replicas, labeled, ready, available] = counts;
    for (name, count) in [
        ("replicas", replicas),
        ("fullyLabeledReplicas", labeled),
        ("readyReplicas", ready),
        ("availableReplicas", available),
    ] {
        non_negative(errs, count, &path.child(name));
    }
    non_negative(errs, observed.unwrap_or_default(), &path.child("observedGeneration"));
    non_negative(errs, terminating.unwrap_or_default(), &path.child("terminatingReplicas"));
    for (name, count) in
        [("fullyLabeledReplicas", labeled), ("readyReplicas", ready), ("availableReplicas", available)]
    {
        if count > replicas {
            errs.push(FieldError::invalid(&path.child(name), count, MORE_THAN_REPLICAS));
        }
    }
    if available > ready {
        errs.push(FieldError::invalid(&path.child("availableReplicas"), available, MORE_THAN_READY));
    }
}
