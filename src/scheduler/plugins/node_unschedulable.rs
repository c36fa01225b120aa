//! `NodeUnschedulable`: no new pods on cordoned nodes.

use crate::api::toleration::tolerates;
use crate::api::types::Taint;
use crate::scheduler::framework::{NodeInfo, PodInfo, Status};

/// The plugin's name.
pub const NAME: &str = "NodeUnschedulable";

/// Refuses a cordoned node unless the pod tolerates the taint `node.kubernetes.io/unschedulable`.
pub fn filter(pod: &PodInfo, node: &NodeInfo) -> Status {
    if !node.unschedulable() {
        return Status::SUCCESS;
    }
    let taint = Taint {
        key: "node.kubernetes.io/unschedulable".to_owned(),
        effect: "NoSchedule".to_owned(),
        ..Taint::default()
    };
    if pod.tolerations().iter().any(|t| tolerates(t, &taint)) {
        return Status::SUCCESS;
    }
    Status::unresolvable("node(s) were unschedulable")
}
