//! What the thresholds of a kubelet lead to (`pkg/kubelet/eviction/eviction_manager_test.go`). The pods are those of its tests.

use serde_json::{Value, json};

use super::eviction::{message, requests, said};
use super::{Lab, one};
use crate::api::Kind;

/// The request and the limit of memory in Mi; `None` without resources.
type Resources = Option<(i64, i64)>;

/// A pod of a priority with such resources, and what its annotations say.
fn pod(priority: &str, resources: Resources, says: Value) -> Value {
    let container = resources.map_or_else(
        || json!({}),
        |(request, limit)| {
            let cpu = if request == limit { "100m" } else { "200m" };
            json!({"resources": {
                "requests": {"cpu": "100m", "memory": format!("{request}Mi")},
                "limits": {"cpu": cpu, "memory": format!("{limit}Mi")},
            }})
        },
    );
    let mut pod = said(says, container);
    if !priority.is_empty() {
        pod["spec"]["priorityClassName"] = priority.into();
    }
    pod
}

/// The priorities and the requests of the five pods.
const PODS: [(&str, &str, Resources); 5] = [
    ("guaranteed-low-priority", "low", Some((1024, 1024))),
    ("burstable-below-requests", "", Some((100, 1024))),
    ("burstable-above-requests", "", Some((100, 1024))),
    ("best-effort-high-priority", "high", None),
    ("best-effort-low-priority", "low", None),
];

/// A lab whose node has these annotations, with the five pods, of which each says what it uses of a resource.
fn lab(node: Value, resource: &str, uses: [&str; 5]) -> Lab {
    let mut lab = Lab::new();
    lab.create(Kind::PRIORITY_CLASS, json!({"metadata": {"name": "low"}, "value": -1}));
    lab.create(Kind::PRIORITY_CLASS, json!({"metadata": {"name": "high"}, "value": 1}));
    lab.annotate_node(node);
    for ((name, priority, resources), uses) in PODS.into_iter().zip(uses) {
        lab.named(name, pod(priority, resources, json!({resource: uses})));
    }
    lab.steady();
    assert_eq!(lab.events("Evicted"), []);
    lab
}

/// The pods that were evicted or not admitted, by their names.
fn evicted(lab: &Lab) -> Vec<String> {
    let mut all: Vec<String> = lab.events("Evicted").into_iter().map(|e| e.0).collect();
    all.sort();
    all
}

const MEMORY: [&str; 5] = ["900Mi", "50Mi", "400Mi", "400Mi", "100Mi"];

/// `TestMinReclaim`: a threshold that was met counts as met until so much more is free. Without that, one pod is enough.
#[test]
fn pods_are_evicted_until_the_minimum_is_reclaimed() {
    for (minimum, goes) in [
        (None, vec!["best-effort-low-priority"]),
        (Some("memory.available=100Mi"), vec!["best-effort-low-priority", "burstable-above-requests"]),
        (
            Some("memory.available=500Mi"),
            vec!["best-effort-high-priority", "best-effort-low-priority", "burstable-above-requests"],
        ),
    ] {
        let node = json!({
            "sim.steady/eviction-hard": "memory.available<1Gi", "sim.steady/eviction-minimum-reclaim": minimum,
        });
        let mut lab = lab(node, "memory", MEMORY);
        assert_eq!(lab.node_condition("MemoryPressure").0, "False");
        // The pods use 1850Mi, so that 964Mi are left, and 1064Mi without the first of them.
        lab.annotate_node(json!({"sim.steady/system-memory": "5378Mi"})).wait(120);
        assert_eq!(evicted(&lab), goes, "{minimum:?}");
        assert_eq!(lab.node_condition("MemoryPressure").0, "True");
        lab.steady();
        assert_eq!(evicted(&lab), goes, "{minimum:?}");
        assert_eq!(lab.node_condition("MemoryPressure").0, "False");
    }
}

/// `TestAllocatableMemoryPressure`: the memory that pods may use is short, although there is a lot of it on the node.
#[test]
fn the_memory_that_is_for_pods_runs_short() {
    // 3574Mi are for pods.
    let node = json!({
        "sim.steady/eviction-hard": "allocatableMemory.available<1Gi", "sim.steady/kube-reserved": "memory=4618Mi",
    });
    let mut lab = lab(node, "memory", MEMORY);
    assert_eq!(lab.node_condition("MemoryPressure").0, "False");
    lab.named("guaranteed-2", pod("", Some((1024, 1024)), json!({"memory": "1Gi"}))).wait(60);
    assert_eq!(evicted(&lab), ["best-effort-low-priority", "burstable-above-requests"]);
    let told = "The node was low on resource: memory. Threshold quantity: 1Gi, available: 700Mi. Container app was using 100Mi, \
                request is 0, has larger consumption of memory. ";
    assert_eq!(message(&lab, "best-effort-low-priority"), told);
    assert_eq!(lab.node_condition("MemoryPressure").0, "True");
    let admits = |lab: &mut Lab, names: [&str; 2]| {
        lab.named(names[0], one(json!({})))
            .named(names[1], one(requests(json!({"memory": "100Mi"}))))
            .wait(5);
        names.map(|name| lab.phase(name))
    };
    assert_eq!(admits(&mut lab, ["a", "b"]), ["Failed Evicted", "Running"]);
    lab.steady();
    assert_eq!(lab.node_condition("MemoryPressure").0, "False");
    assert_eq!(admits(&mut lab, ["c", "d"]), ["Running", "Running"]);
    assert_eq!(lab.events("SystemOOM"), []);
}

/// `TestInodePressureFsInodes`: inodes are the disk's, too. A soft threshold waits for its grace period, a hard one does not; under
/// pressure the node takes no pods.
#[test]
fn the_inodes_of_the_disk_run_short() {
    let node = json!({
        "sim.steady/inodes": "4Mi", "sim.steady/eviction-hard": "nodefs.inodesFree<1Mi",
        "sim.steady/eviction-soft": "nodefs.inodesFree<2Mi", "sim.steady/eviction-soft-grace-period": "nodefs.inodesFree=2m",
        "sim.steady/eviction-max-pod-grace-period": "5",
    });
    let uses = ["900Ki", "50Ki", "400Ki", "400Ki", "100Ki"];
    let mut lab = lab(node, "inodes", uses);
    assert_eq!(lab.node_condition("DiskPressure").0, "False");
    // The pods use 1850Ki, so that 1536Ki are left: less than the soft threshold.
    lab.annotate_node(json!({"sim.steady/system-inodes": "710Ki"})).wait(60);
    assert_eq!((lab.node_condition("DiskPressure").0.as_str(), evicted(&lab).len()), ("True", 0));
    lab.wait(120);
    // All use more than they can request, so the least important one that uses most goes.
    assert_eq!(evicted(&lab), ["guaranteed-low-priority"]);
    let told = "The node was low on resource: inodes. Threshold quantity: 2097152, available: 1572864. ";
    assert_eq!(message(&lab, "guaranteed-low-priority"), told);
    assert_eq!(lab.events("EvictionThresholdMet")[0].1, "Attempting to reclaim inodes");
    lab.named("a", one(json!({}))).wait(5);
    assert_eq!(lab.phase("a"), "Failed Evicted");
    assert_eq!(message(&lab, "a"), "Pod was rejected: The node had condition: [DiskPressure]. ");
    lab.steady();
    assert_eq!(lab.node_condition("DiskPressure").0, "False");
    lab.named("b", one(json!({}))).wait(5);
    assert_eq!(lab.phase("b"), "Running");
    // 946Ki are left: less than the hard threshold, until the least important pod is gone.
    lab.annotate_node(json!({"sim.steady/system-inodes": "2200Ki"})).wait(30);
    assert_eq!(evicted(&lab), ["a", "best-effort-low-priority", "guaranteed-low-priority"]);
}
