#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::api::types::{Node, Pod};
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::{Body, Patch, Request, Subresource, Verb};
use crate::client::{Component, Controller};
use crate::cluster::{Cluster, Command, Config, Fault};
use crate::controllers::node_lifecycle::{NODE_LEASE_NAMESPACE, NodeLifecycleController};
use crate::controllers::taint_eviction::TaintEvictionController;

fn cluster(nodes: usize) -> Cluster {
    let config = Config {
        controllers: Rc::new(|| {
            vec![Controller::boxed(NodeLifecycleController), Controller::boxed(TaintEvictionController)]
        }),
        scheduler: Rc::new(Vec::new),
        // A kubelet that does nothing.
        kubelet: Rc::new(|_| Vec::<Box<dyn Component>>::new()),
        ..Config::nodes(nodes)
    };
    Cluster::new(&config)
}

fn request(c: &mut Cluster, verb: Verb, kind: Kind, key: Key, sub: Subresource, body: Body) {
    let r = Request::new(&"kubelet".into(), verb, kind, key).subresource(sub).body(body);
    c.request(&r).0.object().unwrap();
}

fn pod(c: &mut Cluster, name: &str, node: &str, seconds: Option<i64>) {
    let tolerations: Vec<Value> = seconds
        .map(|s| json!({"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": s}))
        .into_iter()
        .collect();
    let value = json!({
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"nodeName": node, "containers": [{"name": "c", "image": "nginx"}], "tolerations": tolerations},
    });
    let object = Object::from_value(Kind::POD, value).unwrap();
    request(c, Verb::Create, Kind::POD, object.key(), Subresource::None, Body::Object(object));
    let running =
        json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    let key = Key::new("default", name);
    request(c, Verb::Patch, Kind::POD, key, Subresource::Status, Body::Patch(Patch::Strategic(running)));
}

/// The status report of a kubelet that is back.
fn report_ready(c: &mut Cluster, node: &str) {
    let at = c.now().to_string();
    let status = json!({"status": {"conditions": [
        {"type": "Ready", "status": "True", "reason": "KubeletReady", "lastHeartbeatTime": at},
        {"type": "MemoryPressure", "status": "False", "lastHeartbeatTime": at},
        {"type": "DiskPressure", "status": "False", "lastHeartbeatTime": at},
        {"type": "PIDPressure", "status": "False", "lastHeartbeatTime": at},
    ]}});
    let body = Body::Patch(Patch::Strategic(status));
    request(c, Verb::Patch, Kind::NODE, Key::new("", node), Subresource::Status, body);
}

fn run(c: &mut Cluster) -> Vec<Command> {
    let mut commands = Vec::new();
    assert!(c.run_to_steady(200, |_, command| commands.push(command.clone())), "it comes to rest");
    commands
}

/// Commands as `seconds verb kind/name`, and the messages of events.
fn told(commands: &[Command], since: crate::api::Timestamp) -> Vec<String> {
    let mut out = Vec::new();
    for c in commands {
        let at = c.at.duration_since(since).as_secs();
        if c.request.kind != Kind::EVENT {
            out.push(format!("{at} {} {}", c.request.verb_string(), c.request.key.name));
        }
        let events = c.events.iter().chain(c.writes.iter().filter(|w| w.object.kind == Kind::EVENT));
        for e in events {
            let value = e.next.as_ref().unwrap().to_value();
            out.push(format!("{at} says {}", value["message"].as_str().unwrap()));
        }
    }
    out
}

fn node(c: &Cluster, name: &str) -> Rc<Node> {
    c.api().etcd().get(&ObjectRef::new(Kind::NODE, "", name)).unwrap().object.get::<Node>().unwrap().clone()
}

fn taints(c: &Cluster, name: &str) -> Vec<String> {
    let node = node(c, name);
    let all = node.spec.iter().flat_map(|s| s.taints.iter().flatten());
    all.map(|t| format!("{}:{}", t.key.trim_start_matches("node.kubernetes.io/"), t.effect)).collect()
}

fn down(c: &mut Cluster, node: &str) {
    c.fault(&Fault::NodeDown { node: node.into() }).unwrap();
}

fn up(c: &mut Cluster, node: &str) {
    c.fault(&Fault::NodeUp { node: node.into() }).unwrap();
    report_ready(c, node);
}

fn wait(c: &mut Cluster, seconds: i64) {
    let to = c.now() + SignedDuration::from_secs(seconds);
    c.run_until(to, |_, _| {}).unwrap();
}

#[test]
fn a_healthy_cluster_is_steady_however_long_it_waits() {
    let mut c = cluster(3);
    assert!(c.is_steady());
    wait(&mut c, 100_000);
    assert!(c.is_steady());
    assert!((1..=3).all(|i| taints(&c, &format!("node-{i}")).is_empty()));
}

/// `pkg/controller/nodelifecycle/node_lifecycle_controller.go`, `tryUpdateNodeHealth` and `processTaintBaseEviction`;
/// `pkg/controller/tainteviction/taint_eviction.go`, `handleNodeUpdate`; `plugin/pkg/admission/defaulttolerationseconds`: 300
/// seconds.
#[test]
fn a_silent_node_is_tainted_and_emptied_and_comes_back() {
    let mut c = cluster(3);
    pod(&mut c, "short", "node-3", Some(4));
    pod(&mut c, "long", "node-3", None);
    pod(&mut c, "elsewhere", "node-1", Some(4));
    run(&mut c);
    let start = c.now();
    down(&mut c, "node-3");
    assert!(!c.is_steady(), "a lost node is something to wait for");
    let did = run(&mut c);
    assert_eq!(
        told(&did, start),
        [
            "50 update/status node-3",
            "50 says Node node-3 status is now: NodeNotReady",
            "50 update/status long",
            "50 says Node is not ready",
            "50 update/status short",
            "50 says Node is not ready",
            "50 patch node-3",
            "50 patch node-3",
            "54 says Marking for deletion Pod default/short",
            "54 patch/status short",
            "54 delete short",
            // Every pod tolerates the taint for 300 seconds by default.
            "350 says Marking for deletion Pod default/long",
            "350 patch/status long",
            "350 delete long",
        ]
    );
    assert_eq!(taints(&c, "node-3"), ["unreachable:NoSchedule", "unreachable:NoExecute"]);
    let n = node(&c, "node-3");
    let conditions = n.status.as_ref().unwrap().conditions.as_ref().unwrap();
    assert!(conditions.iter().all(
        |x| x.status == "Unknown" && x.message.as_deref() == Some("Kubelet stopped posting node status.")
    ));
    let p = c.api().etcd().get(&ObjectRef::new(Kind::POD, "default", "short")).unwrap().object.clone();
    let p = p.get::<Pod>().unwrap();
    assert!(p.metadata.is_deleting());
    assert_eq!(p.status.as_ref().unwrap().phase.as_deref(), Some("Running"));

    up(&mut c, "node-3");
    let did = run(&mut c);
    assert_eq!(did.iter().filter(|c| c.request.kind == Kind::NODE).count(), 2);
    assert!(taints(&c, "node-3").is_empty());
    assert!(c.is_steady());
}

/// `pkg/controller/tainteviction/taint_eviction.go`, `cancelWorkWithEvent`.
#[test]
fn a_node_that_is_back_in_time_loses_nothing() {
    let mut c = cluster(2);
    pod(&mut c, "p", "node-2", None);
    run(&mut c);
    down(&mut c, "node-2");
    wait(&mut c, 60);
    assert_eq!(taints(&c, "node-2").len(), 2);
    up(&mut c, "node-2");
    let before = c.now();
    let did = run(&mut c);
    let told = told(&did, before);
    assert!(told.contains(&"0 says Cancelling deletion of Pod default/p".to_owned()), "{told:?}");
    assert_eq!(c.now(), before, "nobody waits for an eviction that was cancelled");
}

/// `pkg/controller/nodelifecycle/node_lifecycle_controller.go`, `tryUpdateNodeHealth`: a renewed lease is a sign of life.
#[test]
fn heartbeats_put_the_end_off() {
    let mut c = cluster(2);
    wait(&mut c, 600);
    let lease = json!({
        "metadata": {"name": "node-2", "namespace": NODE_LEASE_NAMESPACE},
        "spec": {"holderIdentity": "node-2", "leaseDurationSeconds": 40, "renewTime": "2026-01-01T00:10:00.000000Z"},
    });
    let lease = Object::from_value(Kind::LEASE, lease).unwrap();
    request(&mut c, Verb::Create, Kind::LEASE, lease.key(), Subresource::None, Body::Object(lease));
    run(&mut c);
    wait(&mut c, 5);
    let start = c.now();
    down(&mut c, "node-2");
    let did = run(&mut c);
    assert_eq!(told(&did, start)[0], "45 update/status node-2");
}

/// `pkg/controller/nodelifecycle/node_lifecycle_controller.go`, `handleDisruption`.
#[test]
fn when_all_nodes_are_lost_nothing_is_evicted() {
    let mut c = cluster(2);
    pod(&mut c, "p", "node-1", Some(4));
    pod(&mut c, "q", "node-2", Some(4));
    run(&mut c);
    down(&mut c, "node-1");
    down(&mut c, "node-2");
    let did = run(&mut c);
    assert!(did.iter().all(|c| c.request.verb != Verb::Delete));
    assert_eq!(taints(&c, "node-1"), ["unreachable:NoSchedule"]);
    up(&mut c, "node-2");
    let did = run(&mut c);
    assert_eq!(taints(&c, "node-1"), ["unreachable:NoSchedule", "unreachable:NoExecute"]);
    let deleted: Vec<_> = did.iter().filter(|c| c.request.verb == Verb::Delete).collect();
    assert_eq!(deleted.iter().map(|c| &*c.request.key.name).collect::<Vec<_>>(), ["p"]);
}

/// `pkg/controller/nodelifecycle/node_lifecycle_controller.go`, `setLimiterInZone`; the default 0.1 of `--node-eviction-rate`
/// (`cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go`).
#[test]
fn the_second_node_of_a_zone_is_emptied_ten_seconds_later() {
    let mut c = cluster(5);
    pod(&mut c, "p", "node-1", Some(0));
    pod(&mut c, "q", "node-2", Some(0));
    run(&mut c);
    let start = c.now();
    down(&mut c, "node-1");
    down(&mut c, "node-2");
    let did = run(&mut c);
    let deletes = did.iter().filter(|c| c.request.verb == Verb::Delete);
    let at: Vec<i64> = deletes.map(|c| c.at.duration_since(start).as_secs()).collect();
    assert_eq!(at, [50, 60]);
}

/// `pkg/controller/nodelifecycle/node_lifecycle_controller.go`, `doNoScheduleTaintingPass`.
#[test]
fn a_cordoned_node_gets_its_taint_and_loses_it() {
    let mut c = cluster(1);
    for (unschedulable, want) in [(true, vec!["unschedulable:NoSchedule".to_owned()]), (false, Vec::new())] {
        let body = Body::Patch(Patch::Merge(json!({"spec": {"unschedulable": unschedulable}})));
        request(&mut c, Verb::Patch, Kind::NODE, Key::new("", "node-1"), Subresource::None, body);
        run(&mut c);
        assert_eq!(taints(&c, "node-1"), want);
    }
}

/// `pkg/controller/tainteviction/taint_eviction.go`, `processPodOnNode` and `addConditionAndDeletePod`.
#[test]
fn a_taint_by_hand_evicts_who_does_not_tolerate_it() {
    let mut c = cluster(2);
    pod(&mut c, "p", "node-1", None);
    run(&mut c);
    let taint = json!({"spec": {"taints": [{"key": "dedicated", "value": "db", "effect": "NoExecute"}]}});
    let body = Body::Patch(Patch::Merge(taint));
    request(&mut c, Verb::Patch, Kind::NODE, Key::new("", "node-1"), Subresource::None, body);
    let start = c.now();
    let did = run(&mut c);
    assert_eq!(
        told(&did, start),
        ["0 says Marking for deletion Pod default/p", "0 patch/status p", "0 delete p"]
    );
    // `getWrappedWorkerFunc` in `timed_workers.go` forgets what is done. The kubelet has not ended the pod yet, and another
    // taint leads to another eviction.
    let taints =
        [json!({"key": "dedicated", "effect": "NoExecute"}), json!({"key": "more", "effect": "NoExecute"})];
    let body = Body::Patch(Patch::Merge(json!({"spec": {"taints": taints}})));
    request(&mut c, Verb::Patch, Kind::NODE, Key::new("", "node-1"), Subresource::None, body);
    let did = run(&mut c);
    assert!(told(&did, start).contains(&"0 says Marking for deletion Pod default/p".to_owned()), "{did:?}");
}

/// A Node as a person creates it, with what `change` adds.
fn make_node(c: &mut Cluster, change: Value) {
    let mut value = json!({"metadata": {"name": "new"}});
    value.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    let object = Object::from_value(Kind::NODE, value).unwrap();
    request(c, Verb::Create, Kind::NODE, object.key(), Subresource::None, Body::Object(object));
}

/// `monitorNodeHealth` tells nothing of a node without a `Ready` condition; after the grace period of a node that starts it
/// gives the node one.
#[test]
fn a_node_that_has_never_reported_is_tainted_after_its_time_to_start() {
    let mut c = cluster(1);
    let start = c.now();
    make_node(&mut c, json!({}));
    let did = run(&mut c);
    let at: Vec<String> = told(&did, start).into_iter().filter(|t| t.ends_with(" new")).collect();
    // First goes the taint that admission gave it.
    assert_eq!(at, ["0 patch new", "60 update/status new", "60 patch new", "60 patch new"]);
    assert_eq!(taints(&c, "new"), ["unreachable:NoSchedule", "unreachable:NoExecute"]);
}

/// `reconcileNodeLabels`
#[test]
fn the_former_labels_of_a_node_say_what_the_present_ones_say() {
    let mut c = cluster(1);
    let labels = |c: &Cluster| {
        let all = node(c, "node-1").metadata.labels.clone().unwrap();
        [all["beta.kubernetes.io/os"].clone(), all["beta.kubernetes.io/arch"].clone()]
    };
    for change in [
        json!({"beta.kubernetes.io/os": null, "beta.kubernetes.io/arch": "other"}),
        json!({"kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "plan9"}),
    ] {
        let body = Body::Patch(Patch::Merge(json!({"metadata": {"labels": change}})));
        request(&mut c, Verb::Patch, Kind::NODE, Key::new("", "node-1"), Subresource::None, body);
        assert_eq!(run(&mut c).len(), 1);
        assert_eq!(labels(&c), ["linux", "amd64"]);
    }
    // Without a present label there is nothing to say.
    let change =
        json!({"metadata": {"labels": {"kubernetes.io/os": null, "beta.kubernetes.io/os": "plan9"}}});
    let body = Body::Patch(Patch::Merge(change));
    request(&mut c, Verb::Patch, Kind::NODE, Key::new("", "node-1"), Subresource::None, body);
    assert_eq!(run(&mut c).len(), 0);
    assert_eq!(labels(&c), ["plan9", "amd64"]);
}

/// `markNodeAsReachable` for the nodes that `classifyNodes` finds to be new.
#[test]
fn a_node_that_is_new_to_the_controller_begins_as_reachable() {
    let mut c = cluster(1);
    let taint = json!({"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"});
    make_node(&mut c, json!({"spec": {"taints": [taint]}}));
    let mut seen = Vec::new();
    c.run_until(c.now() + std::time::Duration::from_secs(30), |c, _| seen.push(taints(c, "new"))).unwrap();
    assert_eq!(taints(&c, "new"), [""; 0], "{seen:?}");
}

/// `doNoScheduleTaintingPass` goes through the conditions as the status has them.
#[test]
fn taints_that_are_added_together_have_the_order_of_the_conditions() {
    let mut c = cluster(1);
    let at = c.now().to_string();
    let condition =
        |type_: &str, status: &str| json!({"type": type_, "status": status, "lastHeartbeatTime": at});
    let all =
        [("PIDPressure", "True"), ("MemoryPressure", "True"), ("Ready", "True"), ("DiskPressure", "True")];
    let conditions: Vec<Value> = all.map(|(type_, status)| condition(type_, status)).into();
    make_node(&mut c, json!({"spec": {"unschedulable": true}, "status": {"conditions": conditions}}));
    c.run_until(c.now() + std::time::Duration::from_secs(1), |_, _| {}).unwrap();
    let order = ["pid-pressure", "memory-pressure", "disk-pressure", "unschedulable"];
    assert_eq!(taints(&c, "new"), order.map(|t| format!("{t}:NoSchedule")));
}
