#![allow(clippy::unwrap_used)]
//! Which events let which pods be tried again, and when.

use std::rc::Rc;

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::*;
use crate::api::types::{CSINode, CSIStorageCapacity, Node};
use crate::api::{Kind, MetaExt};
use crate::scheduler::framework::{Actions, EventResource, Nothing, node_changes};
use crate::scheduler::plugins::{
    inter_pod_affinity, node_affinity, node_declared_features, node_ports, node_resources,
    node_unschedulable, pod_topology_spread, taint_toleration,
    volume::{binding, limits},
};

const START: Timestamp = Timestamp::UNIX_EPOCH;

fn at(seconds: i64) -> Timestamp {
    later(START, SignedDuration::from_secs(seconds))
}

fn pod(name: &str, node: &str, labels: Value, mut spec: Value) -> Rc<Pod> {
    spec["containers"] = spec.get("containers").cloned().unwrap_or_else(|| json!([{"name": "c"}]));
    if !node.is_empty() {
        spec["nodeName"] = json!(node);
    }
    let meta = json!({"name": name, "namespace": "ns", "uid": name, "labels": labels});
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec});
    Rc::new(serde_json::from_value(pod).unwrap())
}

fn node(spec: Value, labels: Value, cpu: &str) -> Rc<Node> {
    let v = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": labels}, "spec": spec,
        "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}}});
    Rc::new(serde_json::from_value(v).unwrap())
}

fn cpu(cpu: &str) -> Value {
    json!({"containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]})
}

/// A queue in which `pod` is unschedulable, because the plugin refused it in an attempt at the start.
fn refused(pod: &Rc<Pod>, plugin: &'static str) -> Queue {
    let mut queue = Queue::default();
    queue.add(&pod.metadata.key(), pod, &Nothing, START);
    let q = queue.pop(START).unwrap();
    queue.add_unschedulable(q, vec![plugin], &Nothing, START);
    assert!(queue.pop(at(60)).is_none(), "it waits for an event");
    queue
}

/// Whether the event lets a pod be tried that the plugin refused.
fn helps(pod: &Rc<Pod>, plugin: &'static str, event: &ClusterEvent<'_>) -> bool {
    let mut queue = refused(pod, plugin);
    queue.move_all(event, &Nothing, at(60), |_| true);
    queue.pop(at(60)).is_some()
}

fn node_helps(pod: &Rc<Pod>, plugin: &'static str, old: Option<&Rc<Node>>, new: &Rc<Node>) -> bool {
    let actions = old.map_or_else(|| vec![Actions::ADD], |o| node_changes(o, new));
    actions.into_iter().any(|action| {
        let resource = EventResource::Of(Kind::NODE);
        let subject = Subject::Node(Change { old, new: Some(new) });
        helps(pod, plugin, &ClusterEvent { resource, action, subject })
    })
}

/// Of a pod that runs on only its status changes: no plugin that refuses for want of room has asked for that, so of the pods
/// that wait for room none is looked at, however many they are. A pod that goes is what they wait for.
#[test]
fn an_event_that_nobody_asked_for_looks_at_no_pod() {
    let running = pod("running", "n", json!({}), json!({}));
    let event = |action, new| pod_event(EventResource::AssignedPod, action, Some(&running), new);
    let mut queue = Queue::default();
    for i in 0..100 {
        let waiting = pod(&format!("p{i}"), "", json!({}), cpu("1"));
        queue.add(&waiting.metadata.key(), &waiting, &Nothing, START);
        let q = queue.pop(START).unwrap();
        let by = if i < 98 { node_resources::FIT } else { pod_topology_spread::NAME };
        queue.add_unschedulable(q, vec![by], &Nothing, START);
    }
    let looked = |queue: &mut Queue, event: &ClusterEvent<'_>| {
        let looked = std::cell::Cell::new(0);
        queue.move_all(event, &Nothing, at(60), |_| {
            looked.set(looked.get() + 1);
            true
        });
        looked.get()
    };
    assert_eq!(looked(&mut queue, &event(Actions::UPDATE, Some(&running))), 0);
    assert_eq!(looked(&mut queue, &event(Actions::UPDATE_POD_LABEL, Some(&running))), 2);
    assert_eq!(looked(&mut queue, &event(Actions::DELETE, None)), 100);
    assert_eq!(queue.active().count(), 98);
    // Those that are tried again are in no group any more, and come back into one.
    assert_eq!(looked(&mut queue, &event(Actions::DELETE, None)), 2);
    let q = queue.pop(at(60)).unwrap();
    queue.add_unschedulable(q, vec![node_resources::FIT], &Nothing, at(60));
    assert_eq!(looked(&mut queue, &event(Actions::DELETE, None)), 3);
}

#[test]
fn a_node_helps_the_pods_that_it_can_take() {
    let (large, small) = (pod("p", "", json!({}), cpu("3")), pod("p", "", json!({}), cpu("1")));
    let (two, four) = (node(json!({}), json!({}), "2"), node(json!({}), json!({}), "4"));
    assert!(!node_helps(&large, node_resources::FIT, None, &two));
    assert!(node_helps(&large, node_resources::FIT, None, &four));
    assert!(node_helps(&small, node_resources::FIT, Some(&two), &four));
    assert!(!node_helps(&small, node_resources::FIT, Some(&four), &two), "there is less of it than before");

    let taint = json!({"taints": [{"key": "k", "effect": "NoSchedule"}]});
    let tainted = node(taint, json!({}), "4");
    assert!(node_helps(&small, taint_toleration::NAME, Some(&tainted), &four));
    assert!(!node_helps(&small, taint_toleration::NAME, Some(&four), &tainted));
    let cordoned = node(json!({"unschedulable": true}), json!({}), "4");
    assert!(node_helps(&small, node_unschedulable::NAME, Some(&cordoned), &four));
    assert!(!node_helps(&small, node_unschedulable::NAME, Some(&four), &cordoned));

    let ssd = node(json!({}), json!({"disk": "ssd"}), "4");
    let picky = pod("p", "", json!({}), json!({"nodeSelector": {"disk": "ssd"}}));
    assert!(node_helps(&picky, node_affinity::NAME, Some(&four), &ssd));
    assert!(!node_helps(&picky, node_affinity::NAME, Some(&ssd), &ssd));
}

#[test]
fn a_pod_that_goes_helps_those_that_it_was_in_the_way_of() {
    let gone = |p: &Rc<Pod>, of: &Rc<Pod>, plugin| {
        helps(of, plugin, &pod_event(EventResource::AssignedPod, Actions::DELETE, Some(p), None))
    };
    let near = |name: &str, node: &str| pod(name, node, json!({"app": "a"}), json!({}));
    let small = pod("p", "", json!({}), cpu("1"));
    assert!(gone(&near("x", "n"), &small, node_resources::FIT));
    assert!(!gone(&near("x", ""), &small, node_resources::FIT), "it was on no node");

    let port =
        |n: u16| json!({"containers": [{"name": "c", "ports": [{"containerPort": 1, "hostPort": n}]}]});
    let wants = pod("p", "", json!({}), port(80));
    assert!(gone(&pod("x", "n", json!({}), port(80)), &wants, node_ports::NAME));
    assert!(!gone(&pod("x", "n", json!({}), port(81)), &wants, node_ports::NAME));

    let term = json!([{"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "zone"}]);
    let apart =
        json!({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": term}}});
    let apart = pod("p", "", json!({}), apart);
    assert!(gone(&near("x", "n"), &apart, inter_pod_affinity::NAME));
    assert!(!gone(&pod("x", "n", json!({"app": "b"}), json!({})), &apart, inter_pod_affinity::NAME));
    let added = near("x", "n");
    let added = pod_event(EventResource::AssignedPod, Actions::ADD, None, Some(&added));
    assert!(!helps(&apart, inter_pod_affinity::NAME, &added), "one more pod of these is no help");

    let spread = json!({"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "a"}}}]});
    let spread = pod("p", "", json!({"app": "a"}), spread);
    assert!(helps(&spread, pod_topology_spread::NAME, &added));
}

#[test]
fn a_back_off_is_waited_for_only_after_errors_or_behind_others() {
    let p = pod("p", "", json!({}), json!({}));
    let key = p.metadata.key();
    let deleted = pod("x", "n", json!({}), json!({}));
    let event = pod_event(EventResource::AssignedPod, Actions::DELETE, Some(&deleted), None);
    let mut queue = refused(&p, node_resources::FIT);
    queue.move_all(&event, &Nothing, START, |_| true);
    assert!(queue.lines().any(|l| l.contains("backing off")));
    // Another pod is active, so it comes first.
    let other = pod("q", "", json!({}), json!({}));
    queue.add(&other.metadata.key(), &other, &Nothing, START);
    assert_eq!(queue.pop(START).unwrap().info.name(), "q");
    let q = queue.pop(START).unwrap();
    assert_eq!((q.info.name(), q.attempts), ("p", 2));

    let mut waits = Vec::new();
    let mut now = START;
    queue.add_unschedulable(q, Vec::new(), &Nothing, now);
    for _ in 0..6 {
        assert!(queue.pop(now).is_none());
        let until = queue.next_back_off(false).unwrap();
        waits.push(until.duration_since(now).as_secs());
        now = until;
        let q = queue.pop(now).unwrap();
        queue.add_unschedulable(q, Vec::new(), &Nothing, now);
    }
    assert_eq!(waits, [2, 3, 5, 9, 11, 11]);
    assert!(queue.has(&key));
}

fn nominated(pod: &Rc<Pod>) -> Rc<Pod> {
    let mut pod = pod.clone();
    Rc::make_mut(&mut pod).status.get_or_insert_default().nominated_node_name = Some("n".into());
    pod
}

fn pod_deleted(waits: &Rc<Pod>, plugin: &'static str, gone: &Rc<Pod>) -> bool {
    helps(waits, plugin, &pod_event(EventResource::AssignedPod, Actions::DELETE, Some(gone), None))
}

/// `isSchedulableAfterPodChange` and `isSchedulableAfterNodeChange` of `plugins/interpodaffinity/plugin.go`, and
/// `involvedInTopologySpreading` of `plugins/podtopologyspread/plugin.go`.
#[test]
fn who_is_kept_apart_hears_of_nominated_pods_and_of_new_nodes() {
    let apart = |app: &str| {
        let term = json!([{"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "zone"}]);
        json!({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": term}}})
    };
    let waits = pod("p", "", json!({"app": "p"}), apart("a"));
    let a = pod("x", "", json!({"app": "a"}), json!({}));
    assert!(!pod_deleted(&waits, inter_pod_affinity::NAME, &a));
    assert!(pod_deleted(&waits, inter_pod_affinity::NAME, &nominated(&a)));
    assert!(node_helps(&waits, inter_pod_affinity::NAME, None, &node(json!({}), json!({}), "4")));

    let shunned = pod("p", "", json!({"app": "p"}), json!({}));
    assert!(pod_deleted(&shunned, inter_pod_affinity::NAME, &pod("x", "n", json!({}), apart("p"))));
    assert!(!pod_deleted(&shunned, inter_pod_affinity::NAME, &pod("x", "n", json!({}), apart("q"))));
    let other = pod("p", "", json!({"app": "q"}), json!({}));
    let mut queue = refused(&shunned, inter_pod_affinity::NAME);
    queue.update(&shunned.metadata.key(), &shunned, &other, &Nothing, at(60));
    assert!(queue.pop(at(60)).is_some(), "its own labels changed");

    let spread = json!({"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "a"}}}]});
    let spread = pod("p", "", json!({"app": "a"}), spread);
    assert!(!pod_deleted(&spread, pod_topology_spread::NAME, &a));
    assert!(pod_deleted(&spread, pod_topology_spread::NAME, &nominated(&a)));
}

/// `isSchedulableAfterNodeChange` and `isSchedulableAfterPodUpdate` of `plugins/nodedeclaredfeatures/nodedeclaredfeatures.go`:
/// any change of a node's features, and a change of those that the pod itself needs.
#[test]
fn other_features_of_a_node_or_for_a_pod_help() {
    let shared = pod("p", "", json!({}), json!({"hostNetwork": true, "hostUsers": false}));
    let plain = pod("p", "", json!({}), json!({"hostNetwork": true}));
    let declares = |features: &[&str]| {
        let mut node = node(json!({}), json!({}), "4");
        let status = Rc::make_mut(&mut node).status.get_or_insert_default();
        status.declared_features = Some(features.iter().map(|f| (*f).to_owned()).collect());
        node
    };
    let (none, other) = (declares(&[]), declares(&["Other"]));
    assert!(node_helps(&shared, node_declared_features::NAME, None, &none));
    assert!(node_helps(&shared, node_declared_features::NAME, Some(&none), &other));
    let key = shared.metadata.key();
    let updated = |new: &Rc<Pod>| {
        let mut queue = refused(&shared, node_declared_features::NAME);
        queue.update(&key, &shared, new, &Nothing, at(60));
        queue.pop(at(60)).is_some()
    };
    assert!(updated(&plain));
    let labelled = pod("p", "", json!({"a": "b"}), json!({"hostNetwork": true, "hostUsers": false}));
    assert!(!updated(&labelled));
}

/// `pkg/scheduler/backend/queue/backoff_queue.go` `isPodBackingoff`: a pod still backs off in the second in which its back-off
/// ends. In the recording sts-pvc-when-scaled-deleted an attempt fails at 0.6 s, and the next one is at 2.0 s.
#[test]
fn a_back_off_lasts_to_the_end_of_its_last_second() {
    let p = pod("p", "", json!({}), json!({}));
    let ms = |n| later(START, SignedDuration::from_millis(n));
    let mut queue = Queue::default();
    queue.add(&p.metadata.key(), &p, &Nothing, START);
    let q = queue.pop(START).unwrap();
    queue.add_unschedulable(q, Vec::new(), &Nothing, ms(600));
    assert_eq!(queue.next_back_off(false), Some(at(2)));
    assert!(!queue.is_ready(ms(1999)) && queue.pop(ms(1999)).is_none());
    assert!(queue.pop(at(2)).is_some());
}

#[test]
fn what_has_waited_for_five_minutes_is_tried_without_an_event() {
    let p = pod("p", "", json!({}), json!({}));
    let mut queue = refused(&p, node_resources::FIT);
    assert_eq!(queue.next_leftover(), Some(at(MAX_IN_UNSCHEDULABLE)));
    assert_eq!(queue.next_leftover_after_change(), None);
    let old = node(json!({}), json!({}), "1");
    let new = node(json!({}), json!({"zone": "a"}), "1");
    let subject = Subject::Node(Change { old: Some(&old), new: Some(&new) });
    for action in node_changes(&old, &new) {
        let event = ClusterEvent { resource: EventResource::Of(Kind::NODE), action, subject };
        queue.move_all(&event, &Nothing, at(60), |_| true);
    }
    queue.node_changed();
    assert!(!queue.is_ready(at(60)), "a label gives no CPU");
    assert_eq!(queue.next_leftover_after_change(), Some(at(MAX_IN_UNSCHEDULABLE)));
    queue.flush_leftover(&Nothing, at(MAX_IN_UNSCHEDULABLE - 1));
    assert!(!queue.is_ready(at(MAX_IN_UNSCHEDULABLE - 1)));
    queue.flush_leftover(&Nothing, at(MAX_IN_UNSCHEDULABLE));
    assert!(queue.pop(at(MAX_IN_UNSCHEDULABLE)).is_some());
}

#[test]
fn gates_and_preemption_keep_a_pod_out() {
    let gated = pod("p", "", json!({}), json!({"schedulingGates": [{"name": "a"}, {"name": "b"}]}));
    let one = pod("p", "", json!({}), json!({"schedulingGates": [{"name": "b"}]}));
    let open = pod("p", "", json!({}), json!({}));
    let key = gated.metadata.key();
    let mut queue = Queue::default();
    queue.add(&key, &gated, &Nothing, START);
    assert!(!queue.is_ready(at(400)) && queue.next_leftover().is_none());
    queue.update(&key, &gated, &one, &Nothing, START);
    assert!(!queue.is_ready(START), "one gate is left");
    queue.update(&key, &one, &open, &Nothing, START);
    let q = queue.pop(START).unwrap();

    queue.add_unschedulable(q, vec![node_resources::FIT], &Nothing, START);
    queue.preempts(&key);
    let victim = pod("x", "n", json!({}), json!({}));
    let event = pod_event(EventResource::AssignedPod, Actions::DELETE, Some(&victim), None);
    queue.move_all(&event, &Nothing, START, |_| true);
    assert!(!queue.is_ready(START), "its victims are still being deleted");
    queue.preempted(&key, false, &Nothing);
    queue.move_all(&event, &Nothing, START, |_| true);
    assert!(queue.pop(START).is_some());
}

#[test]
fn a_nomination_is_known_before_the_informer_delivers_it() {
    let p = pod("p", "", json!({}), json!({}));
    let key = p.metadata.key();
    let mut queue = refused(&p, node_resources::FIT);
    queue.nominate(&key, Some("n"));
    let mut condition = p.clone();
    Rc::make_mut(&mut condition).metadata.resource_version = Some("2".into());
    queue.update(&key, &p, &condition, &Nothing, START);
    let to = |q: &Queue| q.nominations().map(|(_, n)| n.to_string()).collect::<Vec<_>>();
    assert_eq!(to(&queue), ["n"]);
    let mut named = condition.clone();
    Rc::make_mut(&mut named).status.get_or_insert_default().nominated_node_name = Some("m".into());
    queue.update(&key, &condition, &named, &Nothing, START);
    assert_eq!(to(&queue), ["m"]);
    queue.update(&key, &named, &condition, &Nothing, START);
    assert!(to(&queue).is_empty());
}

#[test]
fn more_room_for_volumes_helps_and_other_news_of_drivers_do_not() {
    fn of<T: serde::de::DeserializeOwned>(value: Value) -> Rc<T> {
        Rc::new(serde_json::from_value(value).unwrap())
    }
    fn event(kind: Kind, action: Actions, subject: Subject<'_>) -> ClusterEvent<'_> {
        ClusterEvent { resource: EventResource::Of(kind), action, subject }
    }
    let claim = json!({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]});
    let pod = pod("p", "", json!({}), claim);

    let node = |count: i32| -> Rc<CSINode> {
        let drivers = json!([{"name": "d", "nodeID": "n", "allocatable": {"count": count}}]);
        of(json!({"metadata": {"name": "n"}, "spec": {"drivers": drivers}}))
    };
    let (one, two) = (node(1), node(2));
    let node_helps = |plugin, old: Option<&Rc<CSINode>>, new: &Rc<CSINode>| {
        let action = if old.is_none() { Actions::ADD } else { Actions::UPDATE };
        let subject = Subject::CsiNode(Change { old, new: Some(new) });
        helps(&pod, plugin, &event(Kind::CSI_NODE, action, subject))
    };
    assert!(node_helps(limits::NAME, None, &one));
    assert!(node_helps(limits::NAME, Some(&one), &two));
    assert!(!node_helps(limits::NAME, Some(&two), &one));
    assert!(node_helps(binding::NAME, None, &one));
    assert!(!node_helps(binding::NAME, Some(&one), &two), "which plug-ins are migrated is as before");

    let capacity = |size: &str| -> Rc<CSIStorageCapacity> {
        of(json!({"metadata": {"name": "c"}, "storageClassName": "fast", "capacity": size}))
    };
    let (small, large) = (capacity("1Gi"), capacity("2Gi"));
    let capacity_helps = |old, new| {
        let subject = Subject::Capacity(Change { old: Some(old), new: Some(new) });
        helps(&pod, binding::NAME, &event(Kind::CSI_STORAGE_CAPACITY, Actions::UPDATE, subject))
    };
    assert!(capacity_helps(&small, &large));
    assert!(!capacity_helps(&large, &small));

    let attachment_goes =
        |pod| helps(pod, limits::NAME, &event(Kind::VOLUME_ATTACHMENT, Actions::DELETE, Subject::Other));
    assert!(attachment_goes(&pod));
    assert!(!attachment_goes(&self::pod("p", "", json!({}), json!({}))));

    // `isSchedulableAfterPodDeleted` of `plugins/nodevolumelimits/csi.go`.
    let user =
        |node: &str| self::pod("x", node, json!({}), json!({"volumes": pod.spec.as_ref().unwrap().volumes}));
    assert!(!pod_deleted(&pod, limits::NAME, &user("")));
    assert!(pod_deleted(&pod, limits::NAME, &user("n")));
    assert!(pod_deleted(&pod, limits::NAME, &nominated(&user(""))));
}
