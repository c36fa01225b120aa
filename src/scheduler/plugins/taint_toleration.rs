//! `TaintToleration`: a pod does not run on nodes with taints that it does not tolerate.

use crate::api::Kind;
use crate::api::toleration::tolerates;
use crate::api::types::{Node, Pod, Taint, Toleration};
use crate::scheduler::framework::{
    Actions, Asked, Change, EventResource, Hint, NodeInfo, PodInfo, Registered, Status,
};

/// The plugin's name.
pub const NAME: &str = "TaintToleration";

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

/// Whether a node has a taint with the effect `NoSchedule` or `NoExecute` that the pod does not tolerate.
pub fn has_untolerated(taints: &[Taint], tolerations: &[Toleration]) -> bool {
    taints
        .iter()
        .filter(|t| t.effect == "NoSchedule" || t.effect == "NoExecute")
        .any(|taint| !tolerations.iter().any(|t| tolerates(t, taint)))
}

/// Refuses nodes with a taint that the pod does not tolerate.
pub fn filter(pod: &PodInfo, node: &NodeInfo) -> Status {
    if has_untolerated(node.taints(), pod.tolerations()) {
        return Status::unresolvable("node(s) had untolerated taint(s)");
    }
    Status::SUCCESS
}

/// The number of `PreferNoSchedule` taints that the pod does not tolerate. Less is better: normalisation
/// reverses it.
pub fn score(pod: &PodInfo, node: &NodeInfo) -> i64 {
    let taints = node.taints().iter().filter(|t| t.effect == "PreferNoSchedule");
    let intolerable = taints.filter(|taint| !pod.tolerations().iter().any(|t| tolerates(t, taint)));
    i64::try_from(intolerable.count()).unwrap_or(i64::MAX)
}

fn after_node(asked: Asked<'_>, node: Change<'_, Node>) -> bool {
    let tolerated = |n: &Node| {
        let taints = n.spec.as_ref().and_then(|s| s.taints.as_deref()).unwrap_or_default();
        !has_untolerated(taints, asked.pod.tolerations())
    };
    node.new.is_some_and(|n| tolerated(n)) && !node.old.is_some_and(|n| tolerated(n))
}

fn after_toleration(asked: Asked<'_>, pod: Change<'_, Pod>) -> bool {
    pod.new.is_some_and(|p| p.metadata.uid == asked.pod.pod.metadata.uid)
}
