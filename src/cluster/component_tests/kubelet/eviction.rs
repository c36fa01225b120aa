//! Evictions by the kubelet (`pkg/kubelet/eviction/eviction_manager_test.go`, `test/e2e_node/eviction_test.go`).

use serde_json::{Value, json};

use super::{Lab, one};
use crate::api::{Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Body, Patch, Request, Verb};
use crate::cluster::{Cluster, Config};

/// A pod with annotations of the namespace `sim.steady/`.
pub(super) fn said(annotations: Value, container: Value) -> Value {
    let mut pod = one(container);
    let of = |(k, v): (&String, &Value)| (format!("sim.steady/{k}"), v.clone());
    pod["metadata"]["annotations"] = annotations.as_object().unwrap().iter().map(of).collect();
    pod
}

/// A pod that uses so much memory.
pub(super) fn memory(amount: &str) -> Value {
    said(json!({"memory": amount}), json!({}))
}

pub(super) fn requests(list: Value) -> Value {
    json!({"resources": {"requests": list}})
}

pub(super) fn message(lab: &Lab, name: &str) -> String {
    lab.pod_named(name).status.as_ref().unwrap().message.clone().unwrap_or_default()
}

fn conditions(lab: &Lab, name: &str, type_: &str) -> Vec<Value> {
    let status = serde_json::to_value(lab.pod_named(name).status.as_ref().unwrap()).unwrap();
    let all = status["conditions"].as_array().cloned().unwrap_or_default();
    all.into_iter().filter(|c| c["type"] == type_).collect()
}

/// `TestMemoryPressure`: the pod that uses more than it requests goes, once the hard threshold is met; the condition stays for
/// five minutes.
#[test]
fn a_pod_is_evicted_when_memory_runs_out() {
    let mut lab = Lab::new();
    lab.named("quiet", one(json!({}))).named("small", one(requests(json!({"memory": "64Mi"})))).steady();
    assert_eq!(lab.node_condition("MemoryPressure").0, "False");
    let before = lab.cluster.now();
    lab.named("greedy", memory("7700Mi")).steady();
    let told = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 60Mi. Container app was using \
                7700Mi, request is 0, has larger consumption of memory. ";
    assert_eq!(lab.phase("greedy"), "Failed Evicted");
    assert_eq!(message(&lab, "greedy"), told);
    let target = conditions(&lab, "greedy", "DisruptionTarget");
    assert_eq!(target.len(), 1);
    assert_eq!(
        (&target[0]["status"], &target[0]["reason"]),
        (&json!("True"), &json!("TerminationByKubelet"))
    );
    assert_eq!(target[0]["message"], told);
    assert_eq!((lab.phase("quiet").as_str(), lab.phase("small").as_str()), ("Running", "Running"));
    assert_eq!(lab.events("Evicted"), [("greedy".into(), told.into(), 1)]);
    let attempt = ("node-1".into(), "Attempting to reclaim memory".into(), 1);
    assert_eq!(lab.events("EvictionThresholdMet"), [attempt]);
    assert_eq!(lab.events("NodeHasInsufficientMemory").len(), 1);
    assert_eq!(
        lab.events("NodeHasSufficientMemory")[0].1,
        "Node node-1 status is now: NodeHasSufficientMemory"
    );
    let (status, since) = lab.node_condition("MemoryPressure");
    assert_eq!(status, "False");
    let took = since - before.duration_since(lab.start).as_secs();
    assert!((300..340).contains(&took), "{took}");
}

/// `rankMemoryPressure`: first who uses more than requested, then by priority, then by how much more; one at a time.
#[test]
fn pods_are_ranked_and_evicted_one_at_a_time() {
    let mut lab = Lab::new();
    let pod = |used: &str, requested: &str, priority: i32| {
        let mut pod = said(json!({"memory": used}), requests(json!({"memory": requested})));
        if priority > 0 {
            pod["spec"]["priorityClassName"] = "high".into();
        }
        pod
    };
    lab.create(Kind::PRIORITY_CLASS, json!({"metadata": {"name": "high"}, "value": 1000}));
    lab.named("within", pod("3000Mi", "3000Mi", 0))
        .named("important", pod("2000Mi", "100Mi", 1000))
        .named("more", pod("1300Mi", "100Mi", 0))
        .named("less", pod("1100Mi", "900Mi", 0))
        .steady();
    assert_eq!(lab.events("Evicted"), []);
    lab.annotate("important", json!({"sim.steady/memory": "2350Mi"})).steady();
    let evicted: Vec<String> = lab.events("Evicted").into_iter().map(|e| e.0).collect();
    assert_eq!(evicted, ["more"]);
    assert_eq!((lab.phase("less").as_str(), lab.phase("important").as_str()), ("Running", "Running"));
    // The system takes so much that one pod is not enough.
    lab.annotate_node(json!({"sim.steady/system-memory": "1700Mi"})).steady();
    let mut evicted: Vec<String> = lab.events("Evicted").into_iter().map(|e| e.0).collect();
    evicted.sort();
    assert_eq!(evicted, ["less", "more"]);
    assert_eq!(lab.phase("important"), "Running");
}

/// `TestCriticalPod` of `pkg/kubelet/types/pod_update_test.go`: pods that the system needs stay, also if nothing else is left.
/// The node then stays as it is, and the cluster is steady.
#[test]
fn critical_pods_are_not_evicted() {
    let mut lab = Lab::new();
    let mut pod = memory("7700Mi");
    pod["spec"]["priorityClassName"] = "system-node-critical".into();
    lab.named("critical", pod).steady();
    assert_eq!(lab.phase("critical"), "Running");
    assert_eq!(lab.node_condition("MemoryPressure").0, "True");
    assert!(lab.cluster.is_steady());
    lab.wait(600);
    assert_eq!(lab.node_condition("MemoryPressure").0, "True");
    assert_eq!(lab.phase("critical"), "Running");
    // What it used last counts: the condition ends five minutes after the pressure.
    let before = lab.cluster.now();
    lab.annotate("critical", json!({"sim.steady/memory": "1Gi"})).steady();
    let (status, since) = lab.node_condition("MemoryPressure");
    assert_eq!(status, "False");
    let took = since - before.duration_since(lab.start).as_secs();
    assert!((280..=320).contains(&took), "{took}");
}

/// `eviction_manager_test.go`, `TestMemoryPressure` ("induce soft threshold"): a soft threshold evicts when its grace period is
/// over, with a longer grace period of the pod.
#[test]
fn a_soft_threshold_waits() {
    let mut lab = Lab::new();
    lab.annotate_node(json!({
        "sim.steady/eviction-soft": "memory.available<1Gi", "sim.steady/eviction-soft-grace-period": "memory.available=90s",
        "sim.steady/eviction-max-pod-grace-period": "5",
    }));
    let start = lab.cluster.now();
    lab.named("p", memory("7000Mi")).wait(60);
    assert_eq!(
        (lab.phase("p").as_str(), lab.node_condition("MemoryPressure").0.as_str()),
        ("Running", "True")
    );
    lab.steady();
    assert_eq!(lab.phase("p"), "Failed Evicted");
    assert!(
        message(&lab, "p")
            .starts_with("The node was low on resource: memory. Threshold quantity: 1Gi, available: 792Mi. ")
    );
    let pod = lab.pod_named("p");
    let ended = &pod.status.as_ref().unwrap().container_statuses.as_ref().unwrap()[0].state;
    let ended = ended.as_ref().unwrap().terminated.as_ref().unwrap().finished_at.as_ref().unwrap().0;
    assert!(ended.duration_since(start).as_secs() >= 100, "{ended}");
}

/// `TestAdmitUnderNodeConditions`
#[test]
fn a_node_under_pressure_takes_no_best_effort_pods() {
    let mut lab = Lab::new();
    lab.annotate_node(json!({"sim.steady/system-memory": "8150Mi"})).wait(30);
    assert_eq!(lab.node_condition("MemoryPressure").0, "True");
    let tolerates = json!([{"key": "node.kubernetes.io/memory-pressure", "operator": "Exists"}]);
    let mut tolerant = one(json!({}));
    tolerant["spec"]["tolerations"] = tolerates;
    lab.named("best-effort", one(json!({})))
        .named("tolerant", tolerant)
        .named("burstable", one(requests(json!({"memory": "64Mi"}))))
        .wait(5);
    assert_eq!(lab.phase("best-effort"), "Failed Evicted");
    assert_eq!(message(&lab, "best-effort"), "Pod was rejected: The node had condition: [MemoryPressure]. ");
    let told = ("best-effort".into(), "The node had condition: [MemoryPressure]. ".into(), 1);
    assert_eq!(lab.events("Evicted"), [told]);
    assert_eq!((lab.phase("tolerant").as_str(), lab.phase("burstable").as_str()), ("Running", "Running"));
    // Under disk pressure no pod is taken but critical ones.
    let mut lab = Lab::new();
    lab.annotate_node(json!({"sim.steady/system-disk": "95Gi"})).wait(30);
    lab.named("burstable", one(requests(json!({"memory": "64Mi"})))).wait(5);
    assert_eq!(message(&lab, "burstable"), "Pod was rejected: The node had condition: [DiskPressure]. ");
}

/// `TestDiskPressureNodeFs`, `TestNodeReclaimFuncs`: images that nobody uses go before pods do.
#[test]
fn images_are_removed_before_pods_are_evicted() {
    let mut lab = Lab::new();
    let mut other = one(json!({"image": "team/other:1"}));
    other["spec"]["restartPolicy"] = "Never".into();
    other["metadata"]["annotations"] = json!({"sim.steady/exit-code": "0"});
    lab.named("other", other).named("writer", said(json!({"disk": "10Gi"}), json!({}))).steady();
    let images = |lab: &Lab| {
        let c = lab.cluster.component(Lab::KUBELET).unwrap();
        let state = c.state().downcast_ref::<crate::kubelet::State>().unwrap();
        state.node.images.keys().map(|i| i.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(images(&lab), ["team/app:1", "team/other:1"]);
    // An image that has come a moment ago may be about to be used, so it stays for two minutes.
    lab.wait(120);
    // 15 % of 100Gi have to be free: the image of the pod that has ended is just too much.
    let image = i64::try_from(crate::kubelet::images::size("team/app:1")).unwrap();
    let system = (75i64 << 30) - image - (1 << 20);
    lab.annotate_node(json!({"sim.steady/system-disk": system.to_string()})).steady();
    assert_eq!(images(&lab), ["team/app:1"]);
    assert_eq!((lab.phase("writer").as_str(), lab.events("Evicted").len()), ("Running", 0));
    assert_eq!(lab.events("EvictionThresholdMet")[0].1, "Attempting to reclaim ephemeral-storage");
    assert_eq!(lab.events("NodeHasDiskPressure").len(), 1);
    assert_eq!(lab.node_condition("DiskPressure").0, "False");
    // Now no image is left that could go.
    lab.annotate("writer", json!({"sim.steady/disk": "12Gi"})).steady();
    assert_eq!(lab.phase("writer"), "Failed Evicted");
    assert!(message(&lab, "writer").contains(
        "Container app was using 12Gi, request is 0, has larger consumption of ephemeral-storage. "
    ));
}

/// `TestStorageLimitEvictions`: what exceeds its own limits goes, whatever the node has; that is no disruption.
#[test]
fn limits_of_the_disk_are_enforced() {
    let mut lab = Lab::new();
    let limited = json!({"resources": {"limits": {"ephemeral-storage": "1Gi"}}});
    let mut pod = said(json!({"disk": "2Gi"}), limited);
    let volume = |limit: Value| json!([{"name": "cache", "emptyDir": {"sizeLimit": limit}}]);
    pod["spec"]["containers"].as_array_mut().unwrap().push(json!({"name": "b", "image": "team/app:1"}));
    pod["spec"]["containers"][1]["resources"] = json!({"limits": {"ephemeral-storage": "9Gi"}});
    lab.named("container", pod);
    let mut pod = said(json!({"empty-dir.cache": "2Gi"}), json!({}));
    pod["spec"]["volumes"] = volume(json!("1Gi"));
    lab.named("volume", pod);
    let mut pod = said(json!({"empty-dir.cache": "700Mi", "disk": "700Mi"}), json!({}));
    pod["spec"]["volumes"] = volume(json!("1Gi"));
    pod["spec"]["containers"][0]["resources"] = json!({"limits": {"ephemeral-storage": "1Gi"}});
    lab.named("both", pod).steady();
    let told = ["container", "volume", "both"].map(|name| (lab.phase(name), message(&lab, name)));
    let evicted = |message: &str| ("Failed Evicted".to_owned(), message.to_owned());
    assert_eq!(told[0], evicted("Container app exceeded its local ephemeral storage limit \"1Gi\". "));
    assert_eq!(told[1], evicted("Usage of EmptyDir volume \"cache\" exceeds the limit \"1Gi\". "));
    assert_eq!(
        told[2],
        evicted("Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ")
    );
    assert_eq!(conditions(&lab, "volume", "DisruptionTarget"), Vec::<Value>::new());
    assert_eq!(lab.node_condition("DiskPressure"), ("False".to_owned(), 0));
}

/// A pod whose only container runs a script, with an emptyDir volume at `/cache`.
fn script(script: &str, limits: Value, volume: Value) -> Value {
    let command = json!(["sh", "-c", script]);
    let mounts = json!([{"name": "cache", "mountPath": "/cache"}]);
    let container = json!({
        "image": "busybox:1.37", "command": command, "volumeMounts": mounts, "resources": {"limits": limits},
    });
    let mut pod = one(container);
    pod["spec"]["volumes"] = json!([{"name": "cache", "emptyDir": volume}]);
    pod
}

/// `emptyDirLimitEviction`, `podEphemeralStorageLimitEviction` (`pkg/kubelet/eviction/eviction_manager.go`): volumes, writable layers and
/// logs count, as programs write them.
#[test]
fn what_programs_write_counts_against_the_limits_of_the_disk() {
    let mut lab = Lab::new();
    let (none, limit) = (json!({}), json!({"ephemeral-storage": "1Mi"}));
    let to = |line: &str| format!("sleep 30; {line}; sleep infinity");
    let cases = [
        (
            "volume",
            script(&to("head -c 50m /dev/zero > /cache/f"), none.clone(), json!({"sizeLimit": "10Mi"})),
        ),
        ("log", script(&to("head -c 3m /dev/zero"), limit.clone(), none.clone())),
        ("layer", script(&to("dd if=/dev/zero of=/data bs=1M count=2"), limit.clone(), none.clone())),
        ("again", script(&to("fallocate -l 2M /data; rm /data"), limit.clone(), none.clone())),
        ("little", script(&to("echo little > /cache/f"), limit, json!({"sizeLimit": "10Mi"}))),
    ];
    for (name, pod) in cases {
        lab.named(name, pod);
    }
    lab.wait(20);
    assert_eq!(lab.phase("volume"), "Running");
    lab.steady();
    let evicted = "Failed Evicted";
    assert_eq!(["volume", "log", "layer"].map(|name| lab.phase(name)), [evicted, evicted, evicted]);
    assert_eq!(message(&lab, "volume"), "Usage of EmptyDir volume \"cache\" exceeds the limit \"10Mi\". ");
    let told = "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ";
    assert_eq!([message(&lab, "log"), message(&lab, "layer")], [told, told]);
    assert_eq!(["again", "little"].map(|name| lab.phase(name)), ["Running", "Running"]);
}

/// `TestPIDPressure`: by priority, then by the number of processes.
#[test]
fn a_pod_with_many_processes_is_evicted() {
    let mut lab = Lab::new();
    lab.annotate_node(json!({"sim.steady/eviction-hard": "pid.available<1000"}));
    lab.named("few", said(json!({"pids": "20"}), json!({})))
        .named("many", said(json!({"pids": "32000"}), json!({})))
        .steady();
    assert_eq!((lab.phase("few").as_str(), lab.phase("many").as_str()), ("Running", "Failed Evicted"));
    let told = "The node was low on resource: pids. Threshold quantity: 1k, available: 646. ";
    assert_eq!(message(&lab, "many"), told);
    assert_eq!(lab.events("NodeHasInsufficientPID").len(), 1);
}

/// With the control plane: the node lifecycle controller taints the node, the ReplicaSet makes another pod, and the scheduler
/// puts it elsewhere. `pkg/controller/nodelifecycle/node_lifecycle_controller.go`, `doNoScheduleTaintingPass`;
/// `pkg/controller/controller_utils.go`, `IsPodActive`: a pod that has failed is replaced.
#[test]
fn a_deployments_pod_goes_elsewhere_while_its_node_is_under_pressure() {
    let mut cluster = Cluster::new(&Config::nodes(2));
    let labels = json!({"app": "web"});
    let template = json!({
        "metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "team/app:1"}]},
    });
    let web = Object::from_value(
        Kind::DEPLOYMENT,
        json!({
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": template},
        }),
    );
    let web = web.unwrap();
    let create = Request::new(&"me".into(), Verb::Create, Kind::DEPLOYMENT, web.key());
    assert_eq!(cluster.request(&create.body(Body::Object(web))).0.code(), 201);
    assert!(cluster.run_to_steady(10_000, |_, _| {}));
    let patch = Patch::Merge(json!({"metadata": {"annotations": {"sim.steady/system-memory": "8180Mi"}}}));
    let request = Request::new(&"me".into(), Verb::Patch, Kind::NODE, Key::new("", "node-1"));
    assert_eq!(cluster.request(&request.body(Body::Patch(patch))).0.code(), 200);
    assert!(cluster.run_to_steady(10_000, |_, _| {}));
    let node = cluster.api().etcd().get(&ObjectRef::new(Kind::NODE, "", "node-1")).unwrap().object.to_value();
    assert_eq!(node["spec"]["taints"][0]["key"], "node.kubernetes.io/memory-pressure");
    let pods = cluster.api().etcd().range(Kind::POD, None).map(|(_, r)| r.object.to_value());
    let of = |p: Value| {
        format!("{} {}", p["spec"]["nodeName"].as_str().unwrap(), p["status"]["phase"].as_str().unwrap())
    };
    let mut all: Vec<String> = pods.map(of).collect();
    all.sort();
    assert_eq!(all, ["node-1 Failed", "node-2 Running", "node-2 Running"]);
}

/// `pkg/kubelet/preemption/preemption_test.go`: best-effort pods cannot make room for CPU, of burstable ones the smallest goes
/// that is enough; the critical pod starts when it is gone.
#[test]
fn a_critical_pod_takes_the_place_of_others() {
    let mut lab = Lab::new();
    lab.named("best-effort", one(json!({})))
        .named("small", one(requests(json!({"cpu": "500m"}))))
        .named("medium", one(requests(json!({"cpu": "1500m"}))))
        .named("large", one(requests(json!({"cpu": "2"}))))
        .steady();
    let critical = |cpu: &str| {
        let mut pod = one(requests(json!({"cpu": cpu})));
        pod["spec"]["priorityClassName"] = "system-cluster-critical".into();
        pod
    };
    lab.named("critical", critical("1")).wait(1);
    assert_eq!(lab.phase("critical"), "Pending");
    lab.steady();
    assert_eq!(lab.phase("critical"), "Running");
    assert_eq!(lab.phase("medium"), "Failed Preempting");
    assert_eq!(message(&lab, "medium"), "Preempted in order to admit critical pod");
    let target = conditions(&lab, "medium", "DisruptionTarget");
    assert_eq!(target[0]["message"], "Pod was preempted by Kubelet to accommodate a critical pod.");
    let running = ["best-effort", "small", "large"].map(|name| lab.phase(name));
    assert_eq!(running, ["Running", "Running", "Running"]);
    assert_eq!(
        lab.events("Preempting"),
        [("medium".into(), "Preempted in order to admit critical pod".into(), 1)]
    );
    // There is no room for it whoever goes.
    lab.named("huge", critical("5")).steady();
    assert_eq!(lab.phase("huge"), "Failed UnexpectedAdmissionError");
    let told = "Pod was rejected: Unexpected error while attempting to recover from admission failure: preemption: error \
                finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 2000), ]";
    assert_eq!(message(&lab, "huge"), told);
}
