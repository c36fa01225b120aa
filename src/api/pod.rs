//! What a pod's status says, as everybody reads it (`k8s.io/kubernetes/pkg/api/v1/pod`).

use super::MetaExt;
use super::types::{Pod, PodCondition};

/// A condition's status, `True`, `False` or `Unknown`.
pub fn pod_condition<'a>(pod: &'a Pod, type_: &str) -> Option<&'a PodCondition> {
    pod.status.as_ref()?.conditions.as_ref()?.iter().find(|c| c.type_ == type_)
}

/// The pod's phase; empty if it has none.
pub fn phase(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|s| s.phase.as_deref()).unwrap_or_default()
}

/// `podutil.IsPodReady`
pub fn is_ready(pod: &Pod) -> bool {
    pod_condition(pod, "Ready").is_some_and(|c| c.status == "True")
}

/// `podutil.IsPodTerminal`
pub fn is_terminal(pod: &Pod) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

/// `controller.IsPodActive`
pub fn is_active(pod: &Pod) -> bool {
    !is_terminal(pod) && !pod.metadata.is_deleting()
}

/// `controller.IsPodTerminating`
pub fn is_terminating(pod: &Pod) -> bool {
    !is_terminal(pod) && pod.metadata.is_deleting()
}
