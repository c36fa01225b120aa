//! What the containers of a node use of CPU and memory, as the kubelet measures it (`/metrics/resource`,
//! `k8s.io/kubernetes/pkg/kubelet/metrics/collectors/resource_metrics.go`).
//!
//! There are no processes to measure: what a container uses follows from the annotations of its pod, from the
//! load that reaches the pod, and from the container's limits.

use crate::api::metrics::{self, ContainerMetrics, PodMetrics, Usage};
use crate::api::quantity::{Amount, Format, amount_of};
use crate::api::types::{Container, Node, Pod, ResourceRequirements};
use crate::api::{Key, Object};
use crate::client::Reading;

use super::behaviour::{Uses, annotation};
use super::container_state::Running;
use super::cpu_share::{self, Wants};
use super::limits;
use super::state::State;

/// The CPU that a container uses without an annotation, in thousandths, and its memory in bytes: an idle process.
const IDLE: (i64, i64) = (1, 16 << 20);
/// The CPU that a node uses beside its pods, in thousandths: the system and the kubelet.
pub(super) const SYSTEM_CPU: i64 = 100;

fn usage(milli_cpu: i64, memory: i64) -> Usage {
    Usage {
        cpu: Amount::from_milli(milli_cpu, Format::DecimalSI),
        memory: Amount::from_value(memory, Format::BinarySI),
    }
}

/// What the node and the containers that run on it use now.
pub(super) fn read(state: &State, node: &Key, reading: &Reading<'_>) -> Option<Vec<Object>> {
    let mut measured = Vec::new();
    for (key, runtime) in &state.pods {
        let Some(pod) = runtime.pod(key, reading.caches) else { continue };
        let running = runtime.containers.iter().filter_map(|c| Some((&c.name, c.running()?)));
        let mut containers: Vec<ContainerMetrics> = running
            .map(|(name, running)| ContainerMetrics {
                name: name.to_string(),
                usage: of_container(
                    pod,
                    name,
                    running.own.uses,
                    reading.load.of(key, name, is_first(pod, name)),
                ),
                start: Some(running.since),
            })
            .collect();
        share_out(pod, &mut containers);
        measured.push((key, &**pod, containers));
    }
    let node = reading.caches.get::<Node>(node)?;
    contend(node, &mut measured);
    let mut all = Vec::new();
    let mut sum = usage(SYSTEM_CPU, state.settings.system.memory);
    for (key, pod, containers) in measured {
        sum = containers.iter().fold(sum, |sum, c| sum.plus(c.usage));
        let measured =
            PodMetrics { key: key.clone(), timestamp: reading.now, window: Default::default(), containers };
        all.extend(measured.to_object(&pod.metadata, reading.now));
    }
    all.extend(metrics::of_node(&node.metadata, reading.now, Default::default(), sum, reading.now));
    Some(all)
}

/// The containers of a pod with a limit of CPU share it in proportion to what they want.
fn share_out(pod: &Pod, containers: &mut [ContainerMetrics]) {
    let limit = pod.spec.as_deref().and_then(|s| limits::of_pod(s, "cpu")).map(|q| nanos(amount_of(Some(q))));
    let wanted = containers.iter().map(|c| nanos(c.usage.cpu)).fold(0, i64::saturating_add);
    let Some(limit) = limit.filter(|limit| wanted > *limit) else { return };
    for c in containers {
        let part = i128::from(nanos(c.usage.cpu)) * i128::from(limit) / i128::from(wanted.max(1));
        c.usage.cpu = Amount::parse(&format!("{part}n")).unwrap_or(Amount::ZERO);
    }
}

/// Containers that want more CPU than the node has get what their requests weigh ([`super::cpu_share`]).
fn contend(node: &Node, pods: &mut [(&Key, &Pod, Vec<ContainerMetrics>)]) {
    let capacity = node.status.as_ref().and_then(|s| s.capacity.as_ref()?.get("cpu"));
    let Some(capacity) = capacity.map(|q| nanos(amount_of(Some(q)))) else { return };
    let mut wants = Vec::with_capacity(pods.len());
    for (_, pod, containers) in pods.iter() {
        let Some(spec) = pod.spec.as_deref() else { return };
        let containers = containers.iter().map(|c| (c.name.as_str(), nanos(c.usage.cpu))).collect();
        wants.push(Wants { spec, containers });
    }
    let left = capacity.saturating_sub(SYSTEM_CPU * 1_000_000);
    let Some(got) = cpu_share::hand_out(left, &wants) else { return };
    drop(wants);
    for ((.., containers), got) in pods.iter_mut().zip(got) {
        for (c, got) in containers.iter_mut().zip(got) {
            c.usage.cpu = Amount::parse(&format!("{got}n")).unwrap_or(Amount::ZERO);
        }
    }
}

/// An amount of CPU in billionths of one.
fn nanos(cpu: Amount) -> i64 {
    cpu.scaled_value(-9)
}

fn is_first(pod: &Pod, name: &str) -> bool {
    pod.spec.as_ref().and_then(|s| s.containers.first()).is_some_and(|c| c.name == name)
}

/// What a container that runs uses. `load` is its work for others, in billionths of a CPU.
fn of_container(pod: &Pod, name: &str, uses: Option<Uses>, load: i64) -> Usage {
    let containers = pod.spec.as_ref().map(|s| s.containers.as_slice()).unwrap_or_default();
    let init = pod.spec.iter().flat_map(|s| s.init_containers.iter().flatten());
    let spec = containers.iter().chain(init).find(|c| c.name == name);
    let idle = uses.map_or(usage(IDLE.0, IDLE.1), |uses| usage(uses.cpu, uses.memory));
    let mut cpu = said(pod, name, "cpu").unwrap_or(idle.cpu);
    if load > 0 {
        cpu = cpu.plus(Amount::parse(&format!("{load}n")).unwrap_or(Amount::ZERO));
    }
    let memory = said(pod, name, "memory").unwrap_or(idle.memory);
    // A container does not get more CPU than its limit; one that needs more memory is killed.
    Usage { cpu: limited(cpu, pod, spec, "cpu"), memory: limited(memory, pod, spec, "memory") }
}

/// What the pod's annotations say of a container; `None` if they say nothing, or no amount.
pub(super) fn said(pod: &Pod, name: &str, what: &str) -> Option<Amount> {
    let amount = annotation(&pod.metadata, name, what).and_then(|text| Amount::parse(text).ok());
    amount.filter(|a| a.sign() >= 0)
}

/// The CPU that a container wants by itself, in thousandths; an idle process wants next to nothing.
pub(super) fn cpu_of(pod: &Pod, name: &str, uses: Option<Uses>) -> i64 {
    let said = said(pod, name, "cpu").map(|cpu| cpu.milli_value());
    said.unwrap_or_else(|| uses.map_or(IDLE.0, |uses| uses.cpu))
}

/// The CPU that a container with these resources wants by itself, in thousandths: no more than its limit.
pub(super) fn own_cpu(
    pod: &Pod,
    name: &str,
    resources: Option<&ResourceRequirements>,
    uses: Option<Uses>,
) -> i64 {
    let wants = cpu_of(pod, name, uses);
    let limit = limits::of_container(pod.spec.as_deref(), resources, "cpu");
    limit.map_or(wants, |limit| wants.min(amount_of(Some(limit)).milli_value()))
}

/// The memory that a container uses while it runs, in bytes.
pub(super) fn memory(pod: &Pod, container: &Container, running: &Running) -> i64 {
    memory_of(pod, &container.name, container.resources.as_ref(), running.own.uses)
}

/// The same of a container that has these resources, and whose program uses so much.
pub(super) fn memory_of(
    pod: &Pod,
    name: &str,
    resources: Option<&ResourceRequirements>,
    uses: Option<Uses>,
) -> i64 {
    let wants = said(pod, name, "memory").map(Amount::value);
    let wants = wants.or(uses.map(|uses| uses.memory)).unwrap_or(IDLE.1);
    let limit = limits::of_container(pod.spec.as_deref(), resources, "memory");
    limit.map_or(wants, |limit| wants.min(amount_of(Some(limit)).value()))
}

fn limited(wants: Amount, pod: &Pod, container: Option<&Container>, resource: &str) -> Amount {
    let own = container.and_then(|c| c.resources.as_ref());
    match limits::of_container(pod.spec.as_deref(), own, resource).map(|q| amount_of(Some(q))) {
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
            let used = of_container(&pod(annotations), name, None, load);
            (used.cpu.canonical(), used.memory.canonical())
        };
        let text = |cpu: &str, memory: &str| (cpu.to_owned(), memory.to_owned());
        assert_eq!(of(json!({}), "a", 0), text("1m", "16Mi"));
        let said = json!({"sim.steady/cpu": "150m", "sim.steady/memory": "64Mi", "sim.steady/cpu.b": "2"});
        assert_eq!(of(said.clone(), "a", 0), text("150m", "64Mi"));
        assert_eq!(of(said.clone(), "b", 0), text("2", "64Mi"));
        // The container has a limit.
        assert_eq!(of(said.clone(), "a", 50_000_000), text("200m", "64Mi"));
        assert_eq!(of(said.clone(), "a", 500_000_000), text("300m", "64Mi"));
        assert_eq!(of(said, "b", 500_000_000), text("2500m", "64Mi"));
        assert_eq!(of(json!({"sim.steady/memory": "1Gi"}), "a", 0), text("1m", "100Mi"));
        assert_eq!(of(json!({"sim.steady/cpu": "much"}), "a", 0), text("1m", "16Mi"));
    }
}
