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

    /// The adjustments of the containers and init containers of a pod, by their names.
    fn adjustments(spec: Value, capacity: i64) -> Vec<(String, i64)> {
        let spec: PodSpec = serde_json::from_value(spec).unwrap();
        let all = spec.containers.iter().chain(spec.init_containers.iter().flatten());
        all.map(|c| (c.name.clone(), oom_score_adj(&spec, c, capacity))).collect()
    }

    /// A container with a request of memory, in bytes, and a limit that is larger.
    fn burstable(name: &str, request: i64) -> Value {
        let memory = |bytes: i64| json!({"memory": bytes.to_string()});
        json!({"name": name, "resources": {"requests": memory(request), "limits": memory(request + 1000)}})
    }

    fn sidecar(mut container: Value) -> Value {
        container["restartPolicy"] = "Always".into();
        container
    }

    /// `TestGetContainerOOMScoreAdjust`, "burstable-mixed-…": a sidecar is not killed before the containers that it is for, and an init
    /// container has what its own request says.
    #[test]
    fn a_sidecar_is_killed_no_earlier_than_the_main_containers() {
        let eighth = 1_000_000_000;
        let of = |sidecars: Vec<Value>| {
            let init: Vec<Value> = [burstable("init", eighth)].into_iter().chain(sidecars).collect();
            let spec = json!({"containers": [burstable("main", eighth)], "initContainers": init});
            adjustments(spec, 8 * eighth)
        };
        let all = |scores: &[(&str, i64)]| -> Vec<(String, i64)> {
            scores.iter().map(|(name, score)| ((*name).to_owned(), *score)).collect()
        };
        assert_eq!(of(vec![]), all(&[("main", 875), ("init", 875)]));
        for (request, score) in [(eighth * 2 / 5, 875), (eighth, 875), (eighth * 4, 500)] {
            let scores = of(vec![sidecar(burstable("sidecar", request))]);
            assert_eq!(scores, all(&[("main", 875), ("init", 875), ("sidecar", score)]), "{request}");
        }
    }

    /// `TestGetContainerOOMScoreAdjust`, "…-pod-resources-…": what a pod requests beyond its containers is shared by them, and the class of a
    /// pod with requests of its own follows from these.
    #[test]
    fn what_a_pod_requests_counts_for_its_containers() {
        let pod = |limit: i64, containers: Value, init: Value| {
            let list = |bytes: i64| json!({"cpu": "5m", "memory": bytes.to_string()});
            let resources = json!({"requests": list(2_000_000_000), "limits": list(limit)});
            let spec = json!({"resources": resources, "containers": containers, "initContainers": init});
            let scores = adjustments(spec, 4_000_000_000);
            scores.into_iter().map(|(_, score)| score).collect::<Vec<_>>()
        };
        let (same, more) = (2_000_000_000, 2_000_001_000);
        let none = |name: &str| json!({"name": name});
        let (g, half) = (1_000_000_000, 500_000_000);
        // Guaranteed, whatever the containers request.
        assert_eq!(pod(same, json!([none("a"), none("b")]), json!([])), [-997, -997]);
        assert_eq!(pod(same, json!([burstable("a", g), burstable("b", g)]), json!([])), [-997, -997]);
        assert_eq!(pod(same, json!([burstable("a", g), none("b")]), json!([])), [-997, -997]);
        // Burstable.
        assert_eq!(pod(more, json!([none("a"), none("b")]), json!([])), [750, 750]);
        assert_eq!(pod(more, json!([burstable("a", g), burstable("b", g)]), json!([])), [750, 750]);
        assert_eq!(pod(more, json!([burstable("a", g), none("b")]), json!([])), [625, 875]);
        // With a sidecar, which has a share, too.
        let with = |container: Value| json!([sidecar(container)]);
        assert_eq!(pod(more, json!([none("a")]), with(none("s"))), [750, 750]);
        assert_eq!(pod(more, json!([burstable("a", g)]), with(burstable("s", g))), [750, 750]);
        let unequal = json!([burstable("a", g), burstable("b", half)]);
        assert_eq!(pod(more, unequal, with(burstable("s", 200_000_000))), [725, 850, 850]);
    }
}
