//! `TaintToleration`: a pod does not run on nodes with taints that it does not tolerate.

use crate::api::toleration::tolerates;
use crate::api::types::{Taint, Toleration};
use crate::scheduler::framework::{NodeInfo, PodInfo, Status};

/// The plugin's name.
pub const NAME: &str = "TaintToleration";

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
