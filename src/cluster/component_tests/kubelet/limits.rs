//! Limits of memory and of CPU that a pod has as a whole (`spec.resources`).

use serde_json::{Value, json};

use super::Lab;

fn pod(memory: Value, limit: &str, containers: Value) -> Value {
    json!({
        "metadata": {"annotations": memory},
        "spec": {"resources": {"limits": {"memory": limit, "cpu": "500m"}}, "containers": containers},
    })
}

/// `kuberuntime_container_linux.go`, `getMemoryLimit`: a container without a limit has that of its pod.
#[test]
fn a_container_is_killed_at_the_limit_of_its_pod() {
    let mut lab = Lab::new();
    lab.pod(pod(json!({"sim.steady/memory": "500Mi"}), "100Mi", json!([{"name": "app"}]))).wait(10);
    assert!(lab.log.contains("OOMKilled 137"), "{}", lab.log);
}

/// `cm/helpers_linux.go`, `ResourceConfigForPod`: the pod has a cgroup of its own, in which the kernel kills the process with the
/// highest score.
#[test]
fn the_containers_of_a_pod_share_its_limit() {
    let both = json!([
        {"name": "small", "resources": {"requests": {"memory": "20Mi"}, "limits": {"memory": "80Mi"}}},
        {"name": "large", "resources": {"requests": {"memory": "20Mi"}, "limits": {"memory": "80Mi"}}},
    ]);
    let uses = |large: &str| json!({"sim.steady/memory.small": "40Mi", "sim.steady/memory.large": large});
    let mut lab = Lab::new();
    lab.pod(pod(uses("60Mi"), "100Mi", both.clone())).wait(20);
    assert!(!lab.log.contains("OOMKilled"), "{}", lab.log);
    lab.annotate("p", json!({"sim.steady/memory.large": "61Mi"})).wait(10);
    assert!(lab.log.contains("large: OOMKilled 137"), "{}", lab.log);
    assert!(!lab.log.contains("small: OOMKilled"), "{}", lab.log);
}

/// `kubelet_resources.go`, `defaultPodLimitsForDownwardAPI`, and `cpu.max` of the container's cgroup.
#[test]
fn a_container_is_told_the_limit_of_its_pod() {
    let mut lab = Lab::new();
    let container = json!([{
        "name": "app", "image": "busybox",
        "command": ["sh", "-c", "echo $MEMORY $CPU; cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/memory.max"],
        "env": [
            {"name": "MEMORY", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}},
            {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1m"}}},
        ],
    }]);
    let mut pod = pod(json!({}), "100Mi", container);
    pod["spec"]["restartPolicy"] = "Never".into();
    lab.pod(pod).steady();
    assert_eq!(super::programs::logs(&lab), "100 500\n50000 100000\n104857600\n");
}
