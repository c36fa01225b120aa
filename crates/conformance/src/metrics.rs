//! The metrics server of the recordings: a stand-in, like the [kubelet](crate::kubelet).
//!
//! It serves `metrics.k8s.io/v1beta1` in a cluster with [`Setup::metrics`](crate::Setup::metrics). The use
//! of pods is not measured, but read from the ConfigMap `fake-metrics` of their namespace.

use serde_json::{Value, json};
use steady::api::types::{ConfigMap, Node, Pod, Time};

/// The name of the ConfigMap with the use of pods.
pub const CONFIG_MAP: &str = "fake-metrics";

/// The memory use of a container for which the ConfigMap has none.
const MEMORY: &str = "64Mi";

/// The PodMetrics of the running pods of a namespace at a time. `pods` are in the order of creation; `usage`
/// is the namespace's ConfigMap [`CONFIG_MAP`].
///
/// The value for a pod's label `app` is the use of each of the pod's containers: `150m`, or `150m,64Mi` for
/// CPU and memory. Several values, separated by blanks, are for the pods with that label in order, the last
/// one for all further pods; `-` stands for no metrics.
pub fn pod_metrics(pods: &[Pod], usage: Option<&ConfigMap>, at: &Time) -> Vec<Value> {
    let mut counted: std::collections::BTreeMap<&str, usize> = Default::default();
    let mut out = Vec::new();
    for pod in pods {
        let app = pod.metadata.labels.as_ref().and_then(|l| l.get("app")).map_or("", String::as_str);
        if pod.status.as_ref().and_then(|s| s.phase.as_deref()) != Some("Running") {
            continue;
        }
        let place = counted.entry(app).or_default();
        let values = usage.and_then(|u| u.data.as_ref()?.get(app)).map_or("", String::as_str);
        let values: Vec<&str> = values.split_whitespace().collect();
        let value = values.get(*place).or(values.last()).copied().unwrap_or("-");
        *place += 1;
        if value == "-" {
            continue;
        }
        let (cpu, memory) = value.split_once(',').unwrap_or((value, MEMORY));
        let containers = pod.spec.iter().flat_map(|s| &s.containers);
        let containers: Vec<Value> =
            containers.map(|c| json!({"name": c.name, "usage": {"cpu": cpu, "memory": memory}})).collect();
        let metadata = json!({
            "name": pod.metadata.name,
            "namespace": pod.metadata.namespace,
            "labels": pod.metadata.labels,
            "creationTimestamp": at,
        });
        out.push(json!({
            "kind": "PodMetrics",
            "apiVersion": "metrics.k8s.io/v1beta1",
            "metadata": metadata,
            "timestamp": at,
            "window": "15s",
            "containers": containers,
        }));
    }
    out
}

/// The NodeMetrics of a node at a time: always half a CPU and 1Gi.
pub fn node_metrics(node: &Node, at: &Time) -> Value {
    json!({
        "kind": "NodeMetrics",
        "apiVersion": "metrics.k8s.io/v1beta1",
        "metadata": {"name": node.metadata.name, "labels": node.metadata.labels, "creationTimestamp": at},
        "timestamp": at,
        "window": "15s",
        "usage": {"cpu": "500m", "memory": "1Gi"},
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use steady::api::Timestamp;

    fn used(value: Option<&str>, phases: &[&str]) -> Vec<(String, String, String)> {
        let pod = |(i, phase): (usize, &&str)| -> Pod {
            let spec = json!({"containers": [{"name": "c"}]});
            let metadata = json!({"name": format!("p{i}"), "labels": {"app": "web"}});
            serde_json::from_value(json!({"metadata": metadata, "spec": spec, "status": {"phase": phase}}))
                .unwrap()
        };
        let pods: Vec<Pod> = phases.iter().enumerate().map(pod).collect();
        let map: Option<ConfigMap> =
            value.map(|v| serde_json::from_value(json!({"metadata": {}, "data": {"web": v}})).unwrap());
        let text = |m: &Value, p: &str| m.pointer(p).unwrap().as_str().unwrap().to_owned();
        pod_metrics(&pods, map.as_ref(), &Time(Timestamp::UNIX_EPOCH))
            .iter()
            .map(|m| {
                let usage = |of: &str| text(m, &format!("/containers/0/usage/{of}"));
                (text(m, "/metadata/name"), usage("cpu"), usage("memory"))
            })
            .collect()
    }

    fn row(name: &str, cpu: &str, memory: &str) -> (String, String, String) {
        (name.into(), cpu.into(), memory.into())
    }

    #[test]
    fn one_value_is_for_all_running_pods() {
        let all = ["Running", "Pending", "Running"];
        assert_eq!(used(Some("150m"), &all), [row("p0", "150m", "64Mi"), row("p2", "150m", "64Mi")]);
    }

    #[test]
    fn several_values_are_for_the_pods_in_order() {
        let want = [row("p0", "10m", "300Mi"), row("p2", "20m", "64Mi")];
        assert_eq!(used(Some("10m,300Mi - 20m"), &["Running"; 3]), want);
    }

    #[test]
    fn without_a_value_there_are_no_metrics() {
        assert_eq!(used(None, &["Running"]), []);
        assert_eq!(used(Some(""), &["Running"]), []);
    }
}
