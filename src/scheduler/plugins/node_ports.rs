//! `NodePorts`: two pods on a node cannot use the same host port.

use crate::api::Kind;
use crate::api::types::Pod;
use crate::scheduler::framework::{
    Actions, Asked, Change, EventResource, Hint, NodeInfo, PodInfo, Registered, Status, frees_node,
    host_ports,
};

/// The plugin's name.
pub const NAME: &str = "NodePorts";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[
    Registered { resource: EventResource::Pod, actions: Actions::DELETE, hint: Hint::Pod(after_pod_deleted) },
    Registered { resource: EventResource::Of(Kind::NODE), actions: Actions::ADD, hint: Hint::Queue },
];

/// Refuses nodes on which one of the pod's host ports is in use.
pub fn filter(pod: &PodInfo, node: &NodeInfo) -> Status {
    if pod.host_ports.iter().any(|want| node.used_ports().iter().any(|used| used.conflicts(want))) {
        return Status::unschedulable("node(s) didn't have free ports for the requested pod ports");
    }
    Status::SUCCESS
}

fn after_pod_deleted(asked: Asked<'_>, pod: Change<'_, Pod>) -> bool {
    let Some(gone) = pod.old else { return true };
    let freed = host_ports(gone);
    frees_node(gone) && asked.pod.host_ports.iter().any(|want| freed.iter().any(|f| f.conflicts(want)))
}
