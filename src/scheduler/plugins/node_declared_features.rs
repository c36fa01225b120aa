//! `NodeDeclaredFeatures`: a pod that needs a feature of the kubelet runs on a node that declares it
//! (KEP-5328).

use crate::api::Kind;
use crate::api::types::Node;
use crate::scheduler::framework::{
    Actions, Asked, Change, EventResource, Hint, NodeInfo, PodInfo, Registered, Status,
};

/// The plugin's name.
pub const NAME: &str = "NodeDeclaredFeatures";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[Registered {
    resource: EventResource::Of(Kind::NODE),
    actions: Actions::ADD.or(Actions::UPDATE_NODE_DECLARED_FEATURE),
    hint: Hint::Node(after_node),
}];

/// The features that a pod needs at scheduling time. Two features can be inferred from a pod's spec.
pub fn pre_filter(pod: &PodInfo) -> Vec<&'static str> {
    let Some(spec) = &pod.pod.spec else { return Vec::new() };
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

fn after_node(asked: Asked<'_>, node: Change<'_, Node>) -> bool {
    let needs = pre_filter(asked.pod);
    let declares = |n: &std::rc::Rc<Node>| filter(&needs, &NodeInfo::of_node(n.clone())).is_success();
    node.new.is_some_and(declares) && !node.old.is_some_and(declares)
}
