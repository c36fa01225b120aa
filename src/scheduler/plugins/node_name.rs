//! `NodeName`: a pod with `spec.nodeName` runs on that node only.

use crate::scheduler::framework::{NodeInfo, PodInfo, Status};

/// The plugin's name.
pub const NAME: &str = "NodeName";

/// Refuses every node but the one that the pod names.
pub fn filter(pod: &PodInfo, node: &NodeInfo) -> Status {
    match pod.pod.spec.as_ref().and_then(|s| s.node_name.as_deref()) {
        Some(name) if !name.is_empty() && name != &**node.name() => {
            Status::unresolvable("node(s) didn't match the requested node name")
        }
        _ => Status::SUCCESS,
    }
}
