//! The ranges that nodes get for their pods, and their TTL annotation, in whole clusters.
#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use serde_json::{Value, json};

use crate::api::ip_family::IpFamily;
use crate::api::{Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Body, DeleteOptions, Patch, Request, Verb};
use crate::client::Controller;
use crate::cluster::{Cluster, Config, Fault};
use crate::controllers::nodeipam::NodeIpamController;

fn send(c: &mut Cluster, verb: Verb, name: &str, body: Body) {
    let request = Request::new(&"kubectl".into(), verb, Kind::NODE, Key::new("", name)).body(body);
    let _ = c.request(&request).0.object().unwrap();
}

fn create(c: &mut Cluster, name: &str, spec: Value) {
    let node = Object::from_value(Kind::NODE, json!({"metadata": {"name": name}, "spec": spec})).unwrap();
    send(c, Verb::Create, name, Body::Object(node));
}

fn delete(c: &mut Cluster, name: &str) {
    send(c, Verb::Delete, name, Body::Delete(DeleteOptions::default()));
}

fn node(c: &Cluster, name: &str) -> Value {
    let at = ObjectRef { kind: Kind::NODE, key: Key::new("", name) };
    c.api().etcd().get(&at).unwrap().object.to_value()
}

fn range(c: &Cluster, name: &str) -> Option<String> {
    let spec = &node(c, name)["spec"];
    let ranges = spec["podCIDRs"].as_array()?;
    assert_eq!(ranges, &[spec["podCIDR"].clone()]);
    Some(spec["podCIDR"].as_str().unwrap().to_owned())
}

/// A cluster in which no other controller runs, without nodes.
fn allocator() -> Cluster {
    let mut config = Config::nodes(0);
    config.controllers =
        Rc::new(|| vec![Controller::boxed(NodeIpamController { ip_family: IpFamily::Ipv4 })]);
    Cluster::new(&config)
}

/// `pkg/controller/nodeipam/ipam/range_allocator.go`, `AllocateOrOccupyCIDR`; `pkg/controller/ttl/ttl_controller.go`,
/// `updateNodeIfNeeded`.
#[test]
fn nodes_have_ranges_and_a_ttl_from_their_controllers() {
    let mut c = Cluster::new(&Config::nodes(2));
    for (name, at) in [("node-1", "10.244.0.0/24"), ("node-2", "10.244.1.0/24")] {
        assert_eq!(range(&c, name).as_deref(), Some(at));
        assert_eq!(node(&c, name)["metadata"]["annotations"]["node.alpha.kubernetes.io/ttl"], "0");
    }
    let writes: Vec<_> = {
        create(&mut c, "by-hand", json!({}));
        let mut seen = Vec::new();
        c.run_to_steady(100, |_, command| {
            seen.extend(command.writes.iter().map(|w| (w.user.to_string(), w.verb_string(), w.object.kind)));
        });
        seen.into_iter()
            .filter(|(_, _, kind)| *kind == Kind::NODE)
            .map(|(user, verb, _)| (user, verb))
            .collect()
    };
    for user in ["node-controller", "ttl-controller"] {
        assert!(writes.contains(&(user.to_owned(), "patch".to_owned())), "{writes:?}");
    }
    assert_eq!(range(&c, "by-hand").as_deref(), Some("10.244.2.0/24"));
    assert_eq!(node(&c, "by-hand")["metadata"]["annotations"]["node.alpha.kubernetes.io/ttl"], "0");
}

/// `pkg/controller/nodeipam/ipam/cidrset/cidr_set.go`, `AllocateNext`, goes on from the last one; `range_allocator.go`,
/// `NewCIDRRangeAllocator`, occupies those of the nodes that are there.
#[test]
fn a_range_that_was_given_back_waits_for_its_turn() {
    let mut c = allocator();
    for name in ["a", "b"] {
        create(&mut c, name, json!({}));
        c.settle().unwrap();
    }
    delete(&mut c, "a");
    create(&mut c, "c", json!({}));
    c.settle().unwrap();
    assert_eq!(range(&c, "c").as_deref(), Some("10.244.2.0/24"));
    // A controller that starts anew begins with the first free one, and knows what nodes have.
    let process = "kube-controller-manager";
    c.fault(&Fault::Stop { process: process.into(), node: None }).unwrap();
    create(&mut c, "d", json!({}));
    c.fault(&Fault::Start { process: process.into(), node: None }).unwrap();
    c.settle().unwrap();
    assert_eq!(range(&c, "d").as_deref(), Some("10.244.0.0/24"));
    create(&mut c, "e", json!({}));
    c.settle().unwrap();
    assert_eq!(range(&c, "e").as_deref(), Some("10.244.3.0/24"));
}

/// `range_allocator.go`, `AllocateOrOccupyCIDR`; `pkg/controller/util/node/controller_utils.go`, `RecordNodeStatusChange`: the
/// event.
#[test]
fn a_node_without_a_range_gets_one_when_one_is_free() {
    let mut c = allocator();
    create(&mut c, "large", json!({"podCIDR": "10.244.0.0/17", "podCIDRs": ["10.244.0.0/17"]}));
    create(&mut c, "larger", json!({"podCIDR": "10.244.128.0/18", "podCIDRs": ["10.244.128.0/18"]}));
    create(&mut c, "rest", json!({"podCIDR": "10.244.192.0/18", "podCIDRs": ["10.244.192.0/18"]}));
    c.settle().unwrap();
    create(&mut c, "late", json!({}));
    let _ = c.settle();
    assert_eq!(range(&c, "late"), None);
    let events = c.api().etcd().range(Kind::EVENT, None).map(|(_, r)| r.object.to_value());
    let told: Vec<Value> = events.filter(|e| e["reason"] == "CIDRNotAvailable").collect();
    let [event] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(event["message"], "Node late status is now: CIDRNotAvailable");
    assert_eq!((&event["type"], &event["source"]["component"]), (&json!("Normal"), &json!("cidrAllocator")));
    delete(&mut c, "rest");
    assert!(c.run_to_steady(500, |_, _| {}));
    assert!(range(&c, "late").unwrap().starts_with("10.244."));
}

/// `syncNode` in `range_allocator.go` leaves a node alone that is being deleted; its ranges are given back when it is gone.
#[test]
fn a_node_keeps_its_ranges_until_it_is_gone() {
    let mut c = allocator();
    create(&mut c, "large", json!({"podCIDR": "10.244.0.0/17", "podCIDRs": ["10.244.0.0/17"]}));
    let half = "10.244.128.0/17";
    let held = json!({"metadata": {"name": "held", "finalizers": ["example.com/hold"]},
        "spec": {"podCIDR": half, "podCIDRs": [half]}});
    send(&mut c, Verb::Create, "held", Body::Object(Object::from_value(Kind::NODE, held).unwrap()));
    c.settle().unwrap();
    delete(&mut c, "held");
    c.settle().unwrap();
    create(&mut c, "late", json!({}));
    let _ = c.settle();
    assert_eq!(range(&c, "late"), None);
    let free = Body::Patch(Patch::Merge(json!({"metadata": {"finalizers": null}})));
    send(&mut c, Verb::Patch, "held", free);
    assert!(c.run_to_steady(500, |_, _| {}));
    assert!(range(&c, "late").unwrap().starts_with("10.244."));
}
