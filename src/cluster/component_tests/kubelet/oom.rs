//! The kernel's killing when memory is used up before the kubelet has looked (`mm/oom_kill.c` of Linux; `pkg/kubelet/qos/policy.go`,
//! `pkg/kubelet/oom/oom_watcher_linux.go`).

use serde_json::{Value, json};

use super::Lab;
use super::eviction::{memory, requests, said};

/// Why the only container of a pod has ended before, and how often it was restarted.
fn state(lab: &Lab, name: &str) -> (String, i64) {
    let status = serde_json::to_value(lab.pod_named(name).status.as_ref().unwrap()).unwrap();
    let c = &status["containerStatuses"][0];
    let of = |state: &Value| state["terminated"]["reason"].as_str().unwrap_or("-").to_owned();
    (of(&c["lastState"]), c["restartCount"].as_i64().unwrap())
}

/// `mm/oom_kill.c`, `pkg/kubelet/qos/policy.go`: more is used than there is before the kubelet has looked, so the kernel kills
/// the container with the highest score. It does not ask for the pod.
#[test]
fn the_kernel_kills_when_memory_is_used_up_at_once() {
    let mut lab = Lab::new();
    let both = json!({"resources": {"requests": {"cpu": "1", "memory": "5Gi"}, "limits": {"cpu": "1", "memory": "5Gi"}}});
    lab.named("guaranteed", said(json!({"memory": "5Gi"}), both))
        .named("burstable", said(json!({"memory": "1Gi"}), requests(json!({"memory": "2Gi"}))))
        .named("best-effort", memory("16Mi"))
        .steady();
    lab.annotate("burstable", json!({"sim.steady/memory": "4Gi"}));
    lab.wait(1);
    // In thousandths of the memory: 500 and 750, as it requests a quarter, are more than 2 and 1000.
    assert_eq!(state(&lab, "best-effort").1, 0);
    assert_eq!(state(&lab, "burstable"), ("OOMKilled".to_owned(), 1));
    assert_eq!(state(&lab, "guaranteed").1, 0);
    let told = lab.events("SystemOOM");
    assert_eq!(told[0].0, "node-1");
    assert!(told[0].1.starts_with("System OOM encountered, victim process: app, pid: "), "{told:?}");
    assert_eq!(lab.events("Evicted").len(), 0);
}

/// A container that comes to need more than its limit while it runs is killed, and runs on if it needs less in time. The kernel's
/// `Documentation/admin-guide/cgroup-v2.rst`: `memory.max`.
#[test]
fn a_container_grows_over_its_limit() {
    let mut lab = Lab::new();
    let limited = || said(json!({"memory": "50Mi"}), json!({"resources": {"limits": {"memory": "64Mi"}}}));
    lab.named("a", limited()).named("b", limited()).steady();
    lab.annotate("a", json!({"sim.steady/memory": "80Mi"}))
        .annotate("b", json!({"sim.steady/memory": "80Mi"}))
        .wait(3);
    lab.annotate("b", json!({"sim.steady/memory": "60Mi"})).wait(4);
    let restarts = |name: &str| {
        lab.pod_named(name).status.as_ref().unwrap().container_statuses.as_ref().unwrap()[0].restart_count
    };
    assert_eq!((restarts("a"), restarts("b")), (1, 0));
    assert_eq!(lab.events("SystemOOM"), []);
}

/// `enforceNodeAllocatableCgroups`, `getNodeAllocatableInternalAbsolute` (`pkg/kubelet/cm/node_container_manager_linux.go`, whose test is
/// `TestNodeAllocatableForEnforcement`): all pods share a limit, the capacity without what is reserved, whatever the system uses of
/// that. The kernel kills among the pods, and as a cgroup's limit is no end of the machine's memory, no event tells of it (`oom_watcher_linux.go`,
/// `Start`).
#[test]
fn the_kernel_kills_when_pods_use_what_is_reserved() {
    for (reserved, system) in [("kube", "10Mi"), ("system", "10Mi"), ("kube", "2000Mi")] {
        let mut lab = Lab::new();
        lab.annotate_node(json!({
            format!("sim.steady/{reserved}-reserved"): "memory=2Gi", "sim.steady/system-memory": system,
        }));
        lab.named("large", said(json!({"memory": "4Gi"}), requests(json!({"memory": "4Gi"}))))
            .named("small", memory("16Mi"))
            .steady();
        // 6144Mi are for pods.
        lab.annotate("large", json!({"sim.steady/memory": "6200Mi"})).wait(1);
        assert_eq!(state(&lab, "large"), ("OOMKilled".to_owned(), 1), "{system}");
        assert_eq!(state(&lab, "small").1, 0);
        assert_eq!((lab.events("SystemOOM"), lab.events("Evicted")), (Vec::new(), Vec::new()));
    }
}

/// The same: what the thresholds keep free is not taken off that limit (`TestNodeAllocatableForEnforcement`), so pods that use some of it are evicted and
/// not killed.
#[test]
fn a_limit_for_all_pods_leaves_what_thresholds_keep_free() {
    let mut lab = Lab::new();
    lab.annotate_node(json!({
        "sim.steady/kube-reserved": "memory=2Gi", "sim.steady/eviction-hard": "memory.available<1Gi",
    }));
    lab.named("large", said(json!({"memory": "4Gi"}), requests(json!({"memory": "4Gi"}))))
        .named("small", memory("16Mi"))
        .steady();
    lab.annotate("large", json!({"sim.steady/memory": "6100Mi"})).wait(1);
    assert_eq!(state(&lab, "large").1, 0);
    lab.steady();
    assert_eq!(lab.phase("large"), "Failed Evicted");
    assert_eq!(state(&lab, "small").1, 0);
}

/// `validateNodeAllocatable` (`TestNodeAllocatableInputValidation` of the same file's tests): such a kubelet does not start. Here it
/// reserves nothing.
#[test]
fn a_node_does_not_reserve_more_than_it_has() {
    let mut lab = Lab::new();
    lab.annotate_node(json!({"sim.steady/kube-reserved": "memory=8100Mi"}))
        .named("p", memory("1Gi"))
        .steady();
    // With the 100Mi that a threshold keeps free.
    let why = "invalid argument \"memory=8100Mi\" for \"--kube-reserved\" flag: Resource \"memory\" has a reservation of 8200Mi but \
               capacity of 8Gi. Expected capacity >= reservation.";
    assert_eq!(lab.events("InvalidKubeletConfiguration"), [("node-1".into(), why.into(), 1)]);
    assert_eq!(lab.phase("p"), "Running");
    let node = serde_json::to_value(lab.node().status.as_ref().unwrap()).unwrap();
    assert_eq!(node["allocatable"], node["capacity"]);
}
