//! What the kernel is told about the processes of a container, in case that memory runs out (`pkg/kubelet/qos/policy.go`).

use crate::api::quantity::amount_of;
use crate::api::resource::qos_class;
use crate::api::types::{Container, PodSpec};

/// The adjustment of containers whose pod has all that it uses guaranteed.
const GUARANTEED: i64 = -997;
/// The adjustment of containers whose pod asks for nothing.
const BEST_EFFORT: i64 = 1000;

/// The process with the highest score is killed first; this is added to its share of the memory in thousandths
/// (`GetContainerOOMScoreAdjust`).
pub(super) fn oom_score_adj(spec: &PodSpec, container: &Container, capacity: i64) -> i64 {
    if spec.priority_class_name.as_deref() == Some("system-node-critical") {
        return GUARANTEED;
    }
    match qos_class(spec) {
        "Guaranteed" => return GUARANTEED,
        "BestEffort" => return BEST_EFFORT,
        _ => {}
    }
    let capacity = capacity.max(1);
    let request = |c: &Container| {
        amount_of(c.resources.as_ref().and_then(|r| r.requests.as_ref()?.get("memory"))).value()
    };
    // What the pod as a whole asks for beyond its containers is shared by them.
    let of_pod = spec.resources.as_ref().and_then(|r| r.requests.as_ref()?.get("memory"));
    let sidecar = |c: &&Container| c.restart_policy.as_deref() == Some("Always");
    let sidecars = || spec.init_containers.iter().flatten().filter(sidecar);
    let share = of_pod.map_or(0, |pod| {
        let sum = spec.containers.iter().chain(sidecars()).map(request).fold(0, i64::saturating_add);
        let count = i64::try_from(spec.containers.iter().chain(sidecars()).count()).unwrap_or(i64::MAX);
        amount_of(Some(pod)).value().saturating_sub(sum).max(0) / count.max(1)
    });
    let score = |request: i64| 1000 - request.saturating_add(share).saturating_mul(1000) / capacity;
    let mut adjust = score(request(container));
    if sidecars().any(|c| c.name == container.name) {
        // A sidecar shall not go before the containers that it is for.
        let least = spec.containers.iter().map(request).min().unwrap_or(0);
        adjust = adjust.min(score(least));
    }
    adjust.clamp(1000 + GUARANTEED, BEST_EFFORT - 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::*;

    /// `pkg/kubelet/qos/policy_test.go`, `TestGetContainerOOMScoreAdjust`
    #[test]
    fn who_asks_for_more_is_killed_later() {
        let adj = |spec: Value| {
            let spec: PodSpec = serde_json::from_value(spec).unwrap();
            oom_score_adj(&spec, &spec.containers[0], 8_000_000_000)
        };
        let one = |resources: Value| json!({"containers": [{"name": "c", "resources": resources}]});
        assert_eq!(adj(one(json!({}))), 1000);
        assert_eq!(adj(one(json!({"requests": {"cpu": "1"}}))), 999);
        assert_eq!(adj(one(json!({"requests": {"memory": "4G"}}))), 500);
        assert_eq!(adj(one(json!({"requests": {"memory": "8G"}}))), 3);
        let both = json!({"cpu": "1", "memory": "1G"});
        assert_eq!(adj(one(json!({"requests": both, "limits": both}))), -997);
        let mut critical = one(json!({}));
        critical["priorityClassName"] = "system-node-critical".into();
        assert_eq!(adj(critical), -997);
    }
}
