//! `NodePorts`: two pods on a node cannot use the same host port.

use crate::scheduler::framework::{NodeInfo, PodInfo, Status};

/// The plugin's name.
pub const NAME: &str = "NodePorts";

/// Refuses nodes on which one of the pod's host ports is in use.
pub fn filter(pod: &PodInfo, node: &NodeInfo) -> Status {
    if pod.host_ports.iter().any(|want| node.used_ports().iter().any(|used| used.conflicts(want))) {
        return Status::unschedulable("node(s) didn't have free ports for the requested pod ports");
    }
    Status::SUCCESS
}
