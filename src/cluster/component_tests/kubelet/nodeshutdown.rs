//! What a node is told of itself: graceful shutdown (`pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux_test.go`,
//! `test/e2e_node/node_shutdown_linux_test.go`), and what it reserves (`pkg/kubelet/cm/node_container_manager_linux_test.go`).

use serde_json::{Value, json};

use super::{Lab, one};
use crate::api::Kind;

fn pod(class: &str, grace: i64) -> Value {
    let mut pod = one(json!({}));
    pod["spec"]["terminationGracePeriodSeconds"] = grace.into();
    // It ignores SIGTERM, so that it is killed when its time is over.
    pod["metadata"]["annotations"] = json!({"sim.steady/ignores-sigterm": "true"});
    if !class.is_empty() {
        pod["spec"]["priorityClassName"] = class.into();
    }
    pod
}

/// When the containers of a pod ended, in seconds after the start of the lab.
fn ended(lab: &Lab, name: &str) -> i64 {
    let pod = lab.pod_named(name);
    let state = pod.status.as_ref().unwrap().container_statuses.as_ref().unwrap()[0].state.clone();
    let at = state.unwrap().terminated.unwrap().finished_at.unwrap().0;
    at.duration_since(lab.start).as_secs()
}

/// "should be able to gracefully shutdown pods with various grace periods" `nodeshutdown_manager.go`, `killPods`;
/// `nodeshutdown_manager_linux.go`, `Admit`.
#[test]
fn critical_pods_are_ended_last() {
    let mut lab = Lab::new();
    lab.annotate_node(json!({
        "sim.steady/shutdown-grace-period": "30s", "sim.steady/shutdown-grace-period-critical-pods": "10s",
    }));
    lab.named("long", pod("", 600))
        .named("short", pod("", 5))
        .named("critical", pod("system-node-critical", 600));
    lab.steady();
    let start = lab.cluster.now().duration_since(lab.start).as_secs();
    lab.annotate_node(json!({"sim.steady/shutdown": "true"})).wait(1);
    let node = serde_json::to_value(lab.node().status.as_ref().unwrap()).unwrap();
    let ready = node["conditions"].as_array().unwrap().iter().find(|c| c["type"] == "Ready").unwrap();
    assert_eq!((&ready["status"], &ready["reason"]), (&json!("False"), &json!("KubeletNotReady")));
    assert_eq!(ready["message"], "node is shutting down");
    lab.named("late", pod("system-node-critical", 5)).steady();
    assert_eq!(lab.phase("late"), "Failed NodeShutdown");
    let after = ["short", "long", "critical"].map(|name| (ended(&lab, name) - start, lab.phase(name)));
    let failed = || "Failed Terminated".to_owned();
    // 20 s for the others, then 10 s for critical pods, each no longer than its own.
    assert_eq!(after, [(5, failed()), (20, failed()), (30, failed())]);
    let status = serde_json::to_value(lab.pod_named("long").status.as_ref().unwrap()).unwrap();
    let told = "Pod was terminated in response to imminent node shutdown.";
    assert_eq!(status["message"], told);
    let target =
        status["conditions"].as_array().unwrap().iter().find(|c| c["type"] == "DisruptionTarget").unwrap();
    assert_eq!((&target["reason"], &target["message"]), (&json!("TerminationByKubelet"), &json!(told)));
    let told = ("node-1".to_owned(), "Shutdown manager detected shutdown event".to_owned(), 1);
    assert!(lab.events("Shutdown").contains(&told));
    // It is cancelled.
    lab.annotate_node(json!({"sim.steady/shutdown": null})).steady();
    assert_eq!(lab.node_condition("Ready").0, "True");
    lab.named("next", pod("", 5)).steady();
    assert_eq!(lab.phase("next"), "Running");
}

/// KEP-2712, and `pkg/kubelet/nodeshutdown/nodeshutdown_manager.go`, `groupByPriority`: each priority has a time of its own, and a pod is of the
/// group with the highest priority that is not above its own.
#[test]
fn pods_are_ended_by_priority() {
    let mut lab = Lab::new();
    lab.annotate_node(json!({
        "sim.steady/shutdown-grace-period-by-pod-priority": "1000=20s,0=10s,2000000000=30s",
    }));
    for (name, value) in [("below", -5), ("low", 999), ("middle", 1000)] {
        lab.create(Kind::PRIORITY_CLASS, json!({"metadata": {"name": name}, "value": value}));
        lab.named(name, pod(name, 600));
    }
    lab.named("high", pod("system-cluster-critical", 600)).steady();
    let start = lab.cluster.now().duration_since(lab.start).as_secs();
    lab.annotate_node(json!({"sim.steady/shutdown": "true"})).steady();
    let after = ["below", "low", "middle", "high"].map(|name| ended(&lab, name) - start);
    assert_eq!(after, [10, 10, 30, 60]);
}

/// A kubelet with such flags does not start (`pkg/kubelet/apis/config/validation/validation.go`); here it starts without them, and says so.
#[test]
fn what_cannot_be_read_of_a_kubelets_flags_is_told() {
    let mut lab = Lab::new();
    lab.annotate_node(json!({
        "sim.steady/evicton-hard": "memory.available<1Gi", "sim.steady/kube-reserved": "cpu:1",
        "sim.steady/shutdown-grace-period": "30", "sim.steady/image-gc-high-threshold": "70",
    }));
    lab.steady();
    let told: Vec<String> =
        lab.events("InvalidKubeletConfiguration").into_iter().map(|(_, message, _)| message).collect();
    assert_eq!(
        told,
        [
            "a kubelet knows no annotation sim.steady/evicton-hard, did you mean sim.steady/eviction-hard?",
            "invalid argument \"30\" for \"--shutdown-grace-period\" flag: time: missing unit in duration \"30\"",
            "invalid argument \"70\" for \"--image-gc-high-threshold\" flag: the low threshold 80 has to be less than the high one 70",
            "invalid argument \"cpu:1\" for \"--kube-reserved\" flag: cpu:1 must be formatted as name=value",
        ]
    );
    // Once, until something else is wrong.
    lab.annotate_node(json!({"sim.steady/pid-max": "1000"})).steady();
    assert_eq!(lab.events("InvalidKubeletConfiguration").len(), 4);
    lab.annotate_node(json!({"sim.steady/shutdown-grace-period-by-pod-priority": "0=1m,0=2m"})).steady();
    let told = lab.events("InvalidKubeletConfiguration");
    assert!(
        told.iter().any(|(_, message, _)| message.ends_with("the priority 0 stands there twice")),
        "{told:?}"
    );
}

/// Without `shutdownGracePeriod` nobody is told: the node goes down as it is. `nodeshutdown_manager_linux.go`, `NewManager`:
/// without any period it is a manager that does nothing.
#[test]
fn a_kubelet_without_a_grace_period_takes_no_notice() {
    let mut lab = Lab::new();
    lab.named("p", pod("", 5)).steady();
    lab.annotate_node(json!({"sim.steady/shutdown": "true"})).steady();
    assert_eq!((lab.phase("p").as_str(), lab.node_condition("Ready").0.as_str()), ("Running", "True"));
}

/// What is reserved, and what the hard thresholds keep free, is not for pods. `node_container_manager_linux.go`,
/// `GetNodeAllocatableReservation`; `pkg/kubelet/nodestatus/setters.go`, `MachineInfo`.
#[test]
fn a_node_reserves_something_for_itself() {
    let mut lab = Lab::new();
    lab.annotate_node(json!({
        "sim.steady/kube-reserved": "cpu=500m,memory=512Mi", "sim.steady/system-reserved": "cpu=500m,ephemeral-storage=1Gi",
    }));
    lab.steady();
    let node = serde_json::to_value(lab.node().status.as_ref().unwrap()).unwrap();
    let of = |name: &str| node["allocatable"][name].as_str().unwrap().to_owned();
    let all = ["cpu", "memory", "pods", "ephemeral-storage"].map(of);
    // 8192 - 512 - 100; 100Gi - 1Gi - 10 %, which is 10737418400 bytes.
    assert_eq!(all, ["3", "7580Mi", "110", "95563022176"]);
    assert_eq!(node["capacity"]["cpu"], "4");
    let mut pod = one(json!({"resources": {"requests": {"cpu": "3500m"}}}));
    pod["metadata"] = json!({});
    lab.named("p", pod).steady();
    assert_eq!(lab.phase("p"), "Failed OutOfcpu");
}
