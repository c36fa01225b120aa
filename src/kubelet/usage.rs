//! What the containers of a node use of CPU and memory, as the kubelet measures it (`/metrics/resource`,
//! `k8s.io/kubernetes/pkg/kubelet/metrics/collectors/resource_metrics.go`).
//!
//! There are no processes to measure: what a container uses follows from the annotations of its pod, from the
//! load that reaches the pod, and from the container's limits.

use crate::api::metrics::{self, ContainerMetrics, PodMetrics, Usage};
use crate::api::quantity::{Amount, amount_of};
use crate::api::types::{Container, Node, Pod};
use crate::api::{Key, MetaExt, Object};
use crate::client::Reading;

use super::behaviour::annotation;
use super::state::State;

/// What a container uses without an annotation: an idle process.
const IDLE: (&str, &str) = ("1m", "16Mi");
/// What a node uses beside its pods: the system and the kubelet.
const SYSTEM: (&str, &str) = ("100m", "400Mi");

fn usage(of: (&str, &str)) -> Usage {
    let amount = |text| Amount::parse(text).unwrap_or(Amount::ZERO);
    Usage { cpu: amount(of.0), memory: amount(of.1) }
}

/// What the node and the containers that run on it use now.
pub(super) fn read(state: &State, node: &Key, reading: &Reading<'_>) -> Option<Vec<Object>> {
    let mut all = Vec::new();
    let mut sum = usage(SYSTEM);
    for (key, runtime) in &state.pods {
        let Some(pod) = reading.caches.get::<Pod>(key).filter(|p| *runtime.uid == *p.metadata.uid()) else {
            continue;
        };
        let load = reading.load.get(key).copied().unwrap_or(0);
        let running = runtime.containers.iter().filter_map(|c| Some((&c.name, c.running()?)));
        let containers: Vec<ContainerMetrics> = running
            .map(|(name, running)| ContainerMetrics {
                name: name.to_string(),
                usage: of_container(pod, name, load),
                start: Some(running.since),
            })
            .collect();
        sum = containers.iter().fold(sum, |sum, c| sum.plus(c.usage));
        let measured =
            PodMetrics { key: key.clone(), timestamp: reading.now, window: Default::default(), containers };
        all.extend(measured.to_object(&pod.metadata, reading.now));
    }
    let node = reading.caches.get::<Node>(node)?;
    all.extend(metrics::of_node(&node.metadata, reading.now, Default::default(), sum, reading.now));
    Some(all)
}

/// What a container that runs uses. `load` is what reaches its pod, in billionths of a CPU; it is work for the first
/// container.
fn of_container(pod: &Pod, name: &str, load: i64) -> Usage {
    let containers = pod.spec.as_ref().map(|s| s.containers.as_slice()).unwrap_or_default();
    let init = pod.spec.iter().flat_map(|s| s.init_containers.iter().flatten());
    let spec = containers.iter().chain(init).find(|c| c.name == name);
    let said = |what: &str| {
        let amount = annotation(&pod.metadata, name, what).and_then(|text| Amount::parse(text).ok());
        amount.filter(|a| a.sign() >= 0)
    };
    let idle = usage(IDLE);
    let mut cpu = said("cpu").unwrap_or(idle.cpu);
    if load > 0 && containers.first().is_some_and(|c| c.name == name) {
        cpu = cpu.plus(Amount::parse(&format!("{load}n")).unwrap_or(Amount::ZERO));
    }
    let memory = said("memory").unwrap_or(idle.memory);
    // A container does not get more CPU than its limit; one that needs more memory is killed.
    Usage { cpu: limited(cpu, spec, "cpu"), memory: limited(memory, spec, "memory") }
}

fn limited(wants: Amount, container: Option<&Container>, resource: &str) -> Amount {
    let limits = container.and_then(|c| c.resources.as_ref()?.limits.as_ref());
    match limits.and_then(|l| l.get(resource)).map(|q| amount_of(Some(q))) {
        Some(limit) if limit < wants => limit,
        _ => wants,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn usage_follows_from_annotations_load_and_limits() {
        let pod = |annotations: serde_json::Value| -> Pod {
            let limited = json!({"limits": {"cpu": "300m", "memory": "100Mi"}});
            let containers = json!([{"name": "a", "resources": limited}, {"name": "b"}]);
            serde_json::from_value(json!({
                "metadata": {"name": "p", "annotations": annotations}, "spec": {"containers": containers},
            }))
            .unwrap()
        };
        let of = |annotations: serde_json::Value, name: &str, load: i64| {
            let used = of_container(&pod(annotations), name, load);
            (used.cpu.canonical(), used.memory.canonical())
        };
        let text = |cpu: &str, memory: &str| (cpu.to_owned(), memory.to_owned());
        assert_eq!(of(json!({}), "a", 0), text("1m", "16Mi"));
        let said = json!({"sim.steady/cpu": "150m", "sim.steady/memory": "64Mi", "sim.steady/cpu.b": "2"});
        assert_eq!(of(said.clone(), "a", 0), text("150m", "64Mi"));
        assert_eq!(of(said.clone(), "b", 0), text("2", "64Mi"));
        // The load is the first container's, which has a limit.
        assert_eq!(of(said.clone(), "a", 50_000_000), text("200m", "64Mi"));
        assert_eq!(of(said.clone(), "a", 500_000_000), text("300m", "64Mi"));
        assert_eq!(of(said, "b", 500_000_000), text("2", "64Mi"));
        assert_eq!(of(json!({"sim.steady/memory": "1Gi"}), "a", 0), text("1m", "100Mi"));
        assert_eq!(of(json!({"sim.steady/cpu": "much"}), "a", 0), text("1m", "16Mi"));
    }
}
