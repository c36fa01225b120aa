//! `NodeName`: a pod with `spec.nodeName` runs on that node only.

use crate::api::Kind;
use crate::scheduler::framework::{Actions, EventResource, Hint, NodeInfo, PodInfo, Registered, Status};

/// The plugin's name.
pub const NAME: &str = "NodeName";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] =
    &[Registered { resource: EventResource::Of(Kind::NODE), actions: Actions::ADD, hint: Hint::Queue }];

/// Refuses every node but the one that the pod names.
pub fn filter(pod: &PodInfo, node: &NodeInfo) -> Status {
    match pod.pod.spec.as_ref().and_then(|s| s.node_name.as_deref()) {
        Some(name) if !name.is_empty() && name != &**node.name() => {
            Status::unresolvable("node(s) didn't match the requested node name")
        }
        _ => Status::SUCCESS,
    }
}
