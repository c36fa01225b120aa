//! `NodeDeclaredFeatures`: a pod that needs a feature of the kubelet runs on a node that declares it
//! (KEP-5328).

use crate::api::Kind;
use crate::api::types::{Node, Pod};
use crate::scheduler::framework::{
    Actions, Asked, Change, EventResource, Hint, NodeInfo, PodInfo, Registered, Status,
};

/// The plugin's name.
pub const NAME: &str = "NodeDeclaredFeatures";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[
    Registered {
        resource: EventResource::Of(Kind::NODE),
        actions: Actions::ADD.or(Actions::UPDATE_NODE_DECLARED_FEATURE),
        hint: Hint::Node(after_node),
    },
    Registered { resource: EventResource::Pod, actions: Actions::UPDATE, hint: Hint::Pod(after_pod) },
];

/// The features that a pod needs at scheduling time. Two features can be inferred from a pod's spec.
pub fn pre_filter(pod: &PodInfo) -> Vec<&'static str> {
    needs(&pod.pod)
}

fn needs(pod: &Pod) -> Vec<&'static str> {
    let Some(spec) = &pod.spec else { return Vec::new() };
    let mut needs = Vec::new();
    let containers = spec.containers.iter().chain(spec.init_containers.iter().flatten());
    let mut rules = containers.flat_map(|c| c.restart_policy_rules.iter().flatten());
    if rules.any(|r| r.action == "RestartAllContainers") {
        needs.push("RestartAllContainersOnContainerExits");
    }
    if spec.host_network == Some(true) && spec.host_users == Some(false) {
        needs.push("UserNamespacesHostNetworkSupport");
    }
    needs
}

/// Refuses nodes that do not declare all of the features.
pub fn filter(needs: &[&'static str], node: &NodeInfo) -> Status {
    if needs.is_empty() {
        return Status::SUCCESS;
    }
    let status = node.node().and_then(|n| n.status.as_ref());
    let declared = status.and_then(|s| s.declared_features.as_deref()).unwrap_or_default();
    if needs.iter().all(|need| declared.iter().any(|d| d == need)) {
        return Status::SUCCESS;
    }
    Status::unresolvable("node(s) didn't match Pod's required features")
}

/// Whether a node is new, or declares other features than before (`isSchedulableAfterNodeChange`).
fn after_node(_: Asked<'_>, node: Change<'_, Node>) -> bool {
    let declared = |n: &Node| n.status.as_ref().and_then(|s| s.declared_features.clone()).unwrap_or_default();
    let (Some(old), Some(new)) = (node.old, node.new) else { return true };
    declared(old) != declared(new)
}

/// Whether the pod itself needs other features than before (`isSchedulableAfterPodUpdate`).
fn after_pod(asked: Asked<'_>, pod: Change<'_, Pod>) -> bool {
    let (Some(old), Some(new)) = (pod.old, pod.new) else { return true };
    new.metadata.uid == asked.pod.pod.metadata.uid && needs(old) != needs(new)
}
