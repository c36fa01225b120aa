//! How long the deletion of a Pod takes, and which pods may be evicted whatever budgets say
//! (`CheckGracefulDelete` in `pkg/registry/core/pod/strategy.go`, `pkg/registry/core/pod/storage/eviction.go`).

use crate::api::types::Pod;
use crate::api::{ApiKind, MetaExt, Object};

/// How long a pod has to stop, in seconds: what the request asked for, else what the pod's spec says; 0 if the pod runs
/// nowhere.
pub(in crate::apiserver) fn grace_period(pod: &Pod, asked: Option<i64>) -> i64 {
    let spec = pod.spec.as_ref();
    let own = spec.and_then(|s| s.termination_grace_period_seconds).unwrap_or(0);
    let period = asked.unwrap_or(own);
    let unscheduled = spec.and_then(|s| s.node_name.as_deref()).unwrap_or_default().is_empty();
    if unscheduled || is_terminal(pod) {
        return 0;
    }
    if period < 0 { 1 } else { period }
}

fn is_terminal(pod: &Pod) -> bool {
    matches!(pod.status.as_ref().and_then(|s| s.phase.as_deref()), Some("Succeeded" | "Failed"))
}

/// Whether a pod may be evicted whatever its budgets say (`canIgnorePDB`): it has ended, is being deleted or has not
/// started.
pub(in crate::apiserver) fn can_ignore_budget(object: &Object) -> bool {
    Pod::from_object(object).is_none_or(|p| {
        is_terminal(p)
            || p.metadata.is_deleting()
            || p.status.as_ref().and_then(|s| s.phase.as_deref()) == Some("Pending")
    })
}
