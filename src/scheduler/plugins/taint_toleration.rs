//! `TaintToleration`: a pod does not run on nodes with taints that it does not tolerate.

use crate::api::types::{Taint, Toleration};
use crate::scheduler::framework::{NodeInfo, PodInfo, Status};

/// The plugin's name.
pub const NAME: &str = "TaintToleration";

/// Whether a toleration matches a taint (`Toleration.ToleratesTaint`). The operators `Lt` and `Gt` belong to
/// a feature gate that is off in 1.36.
pub fn tolerates(t: &Toleration, taint: &Taint) -> bool {
    let differs = |s: Option<&str>, other: &str| s.is_some_and(|s| !s.is_empty() && s != other);
    if differs(t.effect.as_deref(), &taint.effect) || differs(t.key.as_deref(), &taint.key) {
        return false;
    }
    match t.operator.as_deref().unwrap_or_default() {
        "" | "Equal" => t.value.as_deref().unwrap_or_default() == taint.value.as_deref().unwrap_or_default(),
        "Exists" => true,
        _ => false,
    }
}

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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn tolerations_cover_taints_as_in_go() {
        let taint: Taint =
            serde_json::from_value(json!({"key": "k", "value": "v", "effect": "NoSchedule"})).unwrap();
        let table = [
            (json!({"key": "k", "value": "v", "effect": "NoSchedule"}), true),
            (json!({"key": "k", "operator": "Equal", "value": "v"}), true),
            (json!({"key": "k", "operator": "Equal", "value": "w"}), false),
            (json!({"key": "k", "operator": "Exists"}), true),
            (json!({"operator": "Exists"}), true),
            (json!({"key": "j", "operator": "Exists"}), false),
            (json!({"key": "k", "operator": "Exists", "effect": "NoExecute"}), false),
            (json!({"key": "k", "operator": "Gt", "value": "1"}), false),
        ];
        for (t, want) in table {
            let toleration: Toleration = serde_json::from_value(t.clone()).unwrap();
            assert_eq!(tolerates(&toleration, &taint), want, "{t}");
        }
    }
}
