//! `NodeUnschedulable`: no new pods on cordoned nodes.

use crate::api::Kind;
use crate::api::toleration::tolerates;
use crate::api::types::{Node, Pod, Taint, Toleration};
use crate::api::well_known::TAINT_NODE_UNSCHEDULABLE;
use crate::scheduler::framework::{
    Actions, Asked, Change, EventResource, Hint, NodeInfo, PodInfo, Registered, Status,
};

/// The plugin's name.
pub const NAME: &str = "NodeUnschedulable";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[
    Registered {
        resource: EventResource::Of(Kind::NODE),
        actions: Actions::ADD.or(Actions::UPDATE_NODE_TAINT),
        hint: Hint::Node(after_node),
    },
    Registered {
        resource: EventResource::Pod,
        actions: Actions::UPDATE_POD_TOLERATION,
        hint: Hint::Pod(after_toleration),
    },
];

/// Refuses a cordoned node unless the pod tolerates the taint `node.kubernetes.io/unschedulable`.
pub fn filter(pod: &PodInfo, node: &NodeInfo) -> Status {
    if !node.unschedulable() {
        return Status::SUCCESS;
    }
    if tolerates_cordon(pod.tolerations()) {
        return Status::SUCCESS;
    }
    Status::unresolvable("node(s) were unschedulable")
}

/// Whether one of the tolerations is for the taint `node.kubernetes.io/unschedulable`.
fn tolerates_cordon(tolerations: &[Toleration]) -> bool {
    let taint = Taint {
        key: TAINT_NODE_UNSCHEDULABLE.to_owned(),
        effect: "NoSchedule".to_owned(),
        ..Taint::default()
    };
    tolerations.iter().any(|t| tolerates(t, &taint))
}

fn after_node(_: Asked<'_>, node: Change<'_, Node>) -> bool {
    let cordoned = |n: &Node| n.spec.as_ref().is_some_and(|s| s.unschedulable == Some(true));
    node.new.is_some_and(|n| !cordoned(n)) && node.old.is_none_or(|n| cordoned(n))
}

fn after_toleration(asked: Asked<'_>, pod: Change<'_, Pod>) -> bool {
    let Some(new) = pod.new.filter(|p| p.metadata.uid == asked.pod.pod.metadata.uid) else { return false };
    tolerates_cordon(new.spec.as_ref().and_then(|s| s.tolerations.as_deref()).unwrap_or_default())
}
