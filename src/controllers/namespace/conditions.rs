//! The conditions of a namespace that is being deleted (`status_condition_utils.go`).

use crate::api::types::{NamespaceCondition, NamespaceStatus, Time};
use crate::api::{Timestamp, order, seconds};

use super::Remaining;

/// Types, reasons and messages of the conditions without a problem, in the order in which they are written.
const OK: [(&str, &str, &str); 5] = [
    ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    ("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"),
    ("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
];

/// The reason and message of a condition with a problem; `None` if there is none.
fn failure(type_: &str, remaining: &Remaining, pods_first: bool) -> Option<(&'static str, String)> {
    match type_ {
        "NamespaceDeletionContentFailure" if !remaining.errors.is_empty() => {
            let mut errors = remaining.errors.clone();
            order::sort(&mut errors);
            let message = format!(
                "Failed to delete all resource types, {} remaining: {}",
                errors.len(),
                errors.join(", ")
            );
            Some(("ContentDeletionFailed", message))
        }
        "NamespaceContentRemaining" if !pods_first && !remaining.objects.is_empty() => {
            let mut kinds: Vec<String> = remaining
                .objects
                .iter()
                .map(|(k, n)| format!("{}.{} has {n} resource instances", k.plural(), k.group()))
                .collect();
            order::sort(&mut kinds);
            Some(("SomeResourcesRemain", format!("Some resources are remaining: {}", kinds.join(", "))))
        }
        "NamespaceFinalizersRemaining" if !pods_first && !remaining.finalizers.is_empty() => {
            let all: Vec<String> =
                remaining.finalizers.iter().map(|(f, n)| format!("{f} in {n} resource instances")).collect();
            let message =
                format!("Some content in the namespace has finalizers remaining: {}", all.join(", "));
            Some(("SomeFinalizersRemain", message))
        }
        _ => None,
    }
}

/// Brings the conditions up to date. Returns whether anything changed.
pub(super) fn update(
    status: &mut NamespaceStatus,
    remaining: &Remaining,
    pods_first: bool,
    now: Timestamp,
) -> bool {
    let now = Time(seconds(now));
    let conditions = status.conditions.get_or_insert_default();
    let mut changed = false;
    for (type_, ok_reason, ok_message) in OK {
        let (value, reason, message) = match failure(type_, remaining, pods_first) {
            Some((reason, message)) => ("True", reason, message),
            None => ("False", ok_reason, ok_message.to_owned()),
        };
        let new = NamespaceCondition {
            type_: type_.into(),
            status: value.into(),
            reason: Some(reason.into()),
            message: Some(message),
            last_transition_time: Some(now.clone()),
        };
        match conditions.iter_mut().find(|c| c.type_ == type_) {
            None => {
                conditions.push(new);
                changed = true;
            }
            Some(old) => {
                if old.status == new.status && old.reason == new.reason && old.message == new.message {
                    continue;
                }
                let since = if old.status == new.status {
                    old.last_transition_time.clone()
                } else {
                    new.last_transition_time.clone()
                };
                *old = NamespaceCondition { last_transition_time: since, ..new };
                changed = true;
            }
        }
    }
    changed
}
