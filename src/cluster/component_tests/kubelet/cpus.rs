//! Processors that a container has for itself (`pkg/kubelet/cm/cpumanager/policy_static_test.go`,
//! `pkg/kubelet/cm/topologymanager/policy_test.go`, `test/e2e_node/cpu_manager_test.go`).

use serde_json::{Value, json};

use super::{Lab, one};

/// A lab whose node has the static policy, with one processor of four reserved, and these further annotations.
fn lab(more: Value) -> Lab {
    let mut lab = Lab::new();
    let mut all = json!({"sim.steady/cpu-manager-policy": "static", "sim.steady/kube-reserved": "cpu=500m",
        "sim.steady/system-reserved": "cpu=500m"});
    for (k, v) in more.as_object().unwrap() {
        all[format!("sim.steady/{k}")] = v.clone();
    }
    lab.annotate_node(all).steady();
    lab
}

/// A pod with the quality of service Guaranteed.
fn guaranteed(cpu: &str) -> Value {
    let amounts = json!({"cpu": cpu, "memory": "64Mi"});
    one(json!({"resources": {"requests": amounts, "limits": amounts}}))
}

fn state(lab: &Lab) -> Value {
    serde_json::from_str(&lab.cluster.cpu_manager_state("node-1").unwrap()).unwrap()
}

/// The processors that the container of a pod has for itself.
fn own(lab: &Lab, name: &str) -> Value {
    let uid = lab.pod_named(name).metadata.uid.clone().unwrap();
    state(lab)["entries"][uid]["app"].clone()
}

fn message(lab: &Lab, name: &str) -> String {
    lab.pod_named(name).status.as_ref().unwrap().message.clone().unwrap_or_default()
}

/// `Allocate`, `RemoveContainer`: whole processors of Guaranteed pods, until their pod is gone.
#[test]
fn whole_processors_of_guaranteed_pods_are_theirs_alone() {
    let mut lab = lab(json!({}));
    lab.named("p", guaranteed("2")).named("parts", guaranteed("500m"));
    lab.named("burstable", one(json!({"resources": {"requests": {"cpu": "200m"}}}))).steady();
    assert_eq!(state(&lab)["policyName"], "static");
    assert_eq!((own(&lab, "p"), state(&lab)["defaultCpuSet"].clone()), (json!("1-2"), json!("0,3")));
    assert_eq!((own(&lab, "parts"), own(&lab, "burstable")), (Value::Null, Value::Null));
    lab.delete(None).steady();
    assert_eq!(state(&lab)["defaultCpuSet"], "0-3");
    assert_eq!(state(&lab)["entries"], Value::Null);
}

/// A kubelet with the static policy does not start without a reservation: `pkg/kubelet/cm/cpumanager/cpu_manager.go`,
/// `NewManager`.
#[test]
fn without_a_reservation_nothing_is_assigned() {
    let mut lab = Lab::new();
    lab.annotate_node(json!({"sim.steady/cpu-manager-policy": "static"})).steady();
    lab.pod(guaranteed("2")).steady();
    assert_eq!(lab.phase("p"), "Running");
    assert_eq!(state(&lab), json!({"policyName": "none", "defaultCpuSet": "", "checksum": 1_353_318_690}));
}

/// `pkg/kubelet/cm/internal_container_lifecycle_linux.go`, `PreCreateContainer`; `kuberuntime_container_linux.go`,
/// `generateLinuxContainerResources`: who has processors alone has no quota.
#[test]
fn a_container_sees_its_own_processors() {
    let mut lab = lab(json!({"reserved-cpus": "0"}));
    let script =
        "nproc; cat /sys/fs/cgroup/cpuset.cpus.effective /sys/fs/cgroup/cpu.max /sys/fs/cgroup/memory.max";
    let mut pod = guaranteed("2");
    let container = &mut pod["spec"]["containers"][0];
    (container["image"], container["command"]) =
        ("busybox:1.36".into(), json!(["sh", "-c", format!("{script}; sleep infinity")]));
    let mut shares = pod.clone();
    shares["spec"]["containers"][0]["resources"] = json!({"limits": {"cpu": "500m"}});
    lab.named("p", pod).steady().named("q", shares).steady();
    assert_eq!(super::programs::logs_of(&lab, "p"), "2\n1-2\nmax 100000\n67108864\n");
    assert_eq!(super::programs::logs_of(&lab, "q"), "2\n0,3\n50000 100000\nmax\n");
}

/// `SMTAlignmentError`
#[test]
fn whole_cores_have_to_be_asked_for_whole() {
    let mut lab = lab(json!({"threads-per-core": "2", "cpu-manager-policy-options": "full-pcpus-only=true"}));
    lab.named("odd", guaranteed("1")).steady();
    assert_eq!(lab.phase("odd"), "Failed SMTAlignmentError");
    let told = "Pod was rejected: SMT Alignment Error: requested 1 cpus not multiple cpus per core = 2";
    assert_eq!(message(&lab, "odd"), told);
    lab.named("a", guaranteed("2")).steady();
    // The core of the reserved processor cannot be had.
    assert_eq!(own(&lab, "a"), "2-3");
}

/// `topologymanager/policy_restricted.go`, `policy_single_numa_node.go`, `policy_best_effort.go`
#[test]
fn processors_are_of_one_numa_node_or_the_pod_is_rejected() {
    let numa = |policy: &str| {
        lab(json!({"numa-nodes": "2", "topology-manager-policy": policy, "reserved-cpus": "0"}))
    };
    for policy in ["restricted", "single-numa-node"] {
        let mut lab = numa(policy);
        lab.named("a", guaranteed("1")).steady();
        assert_eq!(own(&lab, "a"), "1", "{policy}");
        lab.named("b", guaranteed("1")).steady();
        assert_eq!(own(&lab, "b"), "2", "{policy}");
        lab.named("gone", guaranteed("2")).steady();
        // Nobody has as many left at all, so that the request is too large as well; the topology manager is asked first.
        assert_eq!(lab.phase("gone"), "Failed TopologyAffinityError", "{policy}");
        let told = "Pod was rejected: Resources cannot be allocated with Topology locality";
        assert_eq!(message(&lab, "gone"), told, "{policy}");
    }
    let mut lab = numa("single-numa-node");
    lab.named("wide", guaranteed("3")).steady();
    assert_eq!(lab.phase("wide"), "Failed TopologyAffinityError");
    let mut lab = numa("restricted");
    lab.named("wide", guaranteed("3")).steady();
    assert_eq!(own(&lab, "wide"), "1-3");
    let mut lab = numa("best-effort");
    lab.named("a", guaranteed("1")).named("b", guaranteed("2")).steady();
    assert_eq!((own(&lab, "a"), own(&lab, "b")), (json!("1"), json!("2-3")));
}
