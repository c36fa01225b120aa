//! `NodeAffinity`: `nodeSelector` and node affinity.

use crate::api::Kind;
use crate::api::node_selector::NodeNames;
use crate::api::types::Node;
use crate::scheduler::framework::{
    Actions, Asked, Change, EventResource, Hint, NodeInfo, PodInfo, Registered, Status,
};

/// The plugin's name.
pub const NAME: &str = "NodeAffinity";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[Registered {
    resource: EventResource::Of(Kind::NODE),
    actions: Actions::ADD.or(Actions::UPDATE_NODE_LABEL),
    hint: Hint::Node(after_node),
}];

/// The nodes to which the pod's required affinity confines it by name.
///
/// # Errors
/// The refusal of every node, if the requirements exclude each other.
pub fn pre_filter(pod: &PodInfo) -> Result<NodeNames, Status> {
    match pod.node_affinity.node_names() {
        NodeNames::Conflict => Err(Status::unresolvable("pod affinity terms conflict")),
        names => Ok(names),
    }
}

/// Refuses nodes that do not match `nodeSelector` and required affinity.
pub fn filter(pod: &PodInfo, node: &NodeInfo) -> Status {
    if pod.node_affinity.is_empty() || node.node().is_some_and(|n| pod.node_affinity.matches(n)) {
        return Status::SUCCESS;
    }
    Status::unresolvable("node(s) didn't match Pod's node affinity/selector")
}

/// The sum of the weights of the preferred terms that match the node.
pub fn score(pod: &PodInfo, node: &NodeInfo) -> i64 {
    let Some(node) = node.node() else { return 0 };
    pod.preferred_node_affinity.iter().filter(|(term, _)| term.matches(node)).map(|(_, weight)| weight).sum()
}

fn after_node(asked: Asked<'_>, node: Change<'_, Node>) -> bool {
    let matches = |n: &Node| asked.pod.node_affinity.matches(n);
    node.new.is_some_and(|n| matches(n)) && !node.old.is_some_and(|n| matches(n))
}
