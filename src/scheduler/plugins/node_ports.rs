//! `NodePorts`: a port of a node has one user.

use crate::scheduler::framework::{NodeInfo, PodInfo, Status};

/// The plugin's name.
pub const NAME: &str = "NodePorts";

/// Refuses nodes where a wanted port is taken.
pub fn filter(pod: &PodInfo, node: &NodeInfo) -> Status {
    if pod.host_ports.iter().any(|want| node.used_ports().iter().any(|used| used.conflicts(want))) {
        return Status::unschedulable("node(s) didn't have free ports for the requested pod ports");
    }
    Status::SUCCESS
}
