//! Pods of a node that does not exist any more.
#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use crate::api::{Key, Kind, Object};
use crate::apimachinery::{Body, Patch, Request, Verb};
use crate::client::{Component, Controller};
use crate::cluster::{Cluster, Config};
use crate::controllers::podgc::PodGarbageCollector;
use serde_json::json;

#[test]
fn pods_of_a_node_that_is_gone_fail_and_go() {
    let config = Config {
        controllers: Rc::new(|| vec![Controller::boxed(PodGarbageCollector)]),
        scheduler: Rc::new(Vec::new),
        kubelet: Rc::new(|_| Vec::<Box<dyn Component>>::new()),
        ..Config::nodes(2)
    };
    let mut c = Cluster::new(&config);
    let user: Rc<str> = "kubectl".into();
    for (name, node) in [("stays", "node-1"), ("goes", "node-2"), ("lost", "nowhere")] {
        let pod = json!({
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"nodeName": node, "containers": [{"name": "c", "image": "nginx"}]},
        });
        let pod = Object::from_value(Kind::POD, pod).unwrap();
        let create = Request::new(&user, Verb::Create, Kind::POD, pod.key());
        c.request(&create.body(Body::Object(pod))).0.object().unwrap();
    }
    let start = c.now();
    c.request(&Request::new(&user, Verb::Delete, Kind::NODE, Key::new("", "node-2")));
    let mut did = Vec::new();
    assert!(c.run_to_steady(20, |_, k| {
        let after = k.at.duration_since(start).as_secs();
        did.push(format!("{after} {} {}", k.request.verb_string(), k.request.key.name));
    }));
    assert_eq!(did, ["40 patch/status goes", "40 delete goes", "40 patch/status lost", "40 delete lost"]);
    let left: Vec<String> =
        c.api().etcd().range(Kind::POD, None).map(|(_, r)| r.object.name().to_owned()).collect();
    assert_eq!(left, ["stays"]);
}

#[test]
fn pods_that_nobody_can_end_are_ended() {
    let config = Config {
        controllers: Rc::new(|| vec![Controller::boxed(PodGarbageCollector)]),
        scheduler: Rc::new(Vec::new),
        kubelet: Rc::new(|_| Vec::<Box<dyn Component>>::new()),
        ..Config::nodes(1)
    };
    let mut c = Cluster::new(&config);
    let user: Rc<str> = "kubectl".into();
    let make = |c: &mut Cluster, name: &str, node: &str, finalizers: serde_json::Value| {
        let pod = json!({
            "metadata": {"name": name, "namespace": "default", "finalizers": finalizers},
            "spec": {"nodeName": node, "containers": [{"name": "c", "image": "nginx"}]},
        });
        let pod = Object::from_value(Kind::POD, pod).unwrap();
        let at = pod.key();
        let create = Request::new(&user, Verb::Create, Kind::POD, at.clone());
        c.request(&create.body(Body::Object(pod))).0.object().unwrap();
        c.request(&Request::new(&user, Verb::Delete, Kind::POD, at));
    };
    make(&mut c, "nowhere", "", json!(["example.com/hold"]));
    make(&mut c, "lost", "node-1", json!([]));
    let patch = |c: &mut Cluster,
                 path: Option<crate::apimachinery::Subresource>,
                 value: serde_json::Value| {
        let mut request = Request::new(&"kubectl".into(), Verb::Patch, Kind::NODE, Key::new("", "node-1"));
        if let Some(path) = path {
            request = request.subresource(path);
        }
        c.request(&request.body(Body::Patch(Patch::Merge(value)))).0.object().unwrap();
    };
    assert!(c.run_to_steady(20, |_, _| {}));
    let left = |c: &Cluster| -> Vec<String> {
        c.api().etcd().range(Kind::POD, None).map(|(_, r)| r.object.name().to_owned()).collect()
    };
    assert_eq!(left(&c), ["lost", "nowhere"], "the one has a node that may end it, the other a finalizer");
    let phase = |c: &Cluster, name: &str| {
        let mut pods = c.api().etcd().range(Kind::POD, None);
        pods.find(|(_, r)| r.object.name() == name)
            .map(|(_, r)| r.object.to_value()["status"]["phase"].clone())
    };
    assert_eq!(phase(&c, "nowhere"), Some(json!("Failed")));
    // `pkg/controller/podgc/gc_controller.go`, `markFailedAndDeletePodWithCondition`: the status is one of this generation.
    let pods = c.api().etcd().range(Kind::POD, None).map(|(_, r)| r.object.to_value());
    let nowhere = pods.into_iter().find(|p| p["metadata"]["name"] == "nowhere").unwrap();
    assert!(nowhere["metadata"]["generation"].is_i64());
    assert_eq!(nowhere["status"]["observedGeneration"], nowhere["metadata"]["generation"]);

    patch(
        &mut c,
        None,
        json!({"spec": {"taints": [{"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"}]}}),
    );
    assert!(c.run_to_steady(20, |_, _| {}));
    assert_eq!(left(&c), ["lost", "nowhere"], "the node is ready");
    let unknown = json!({"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}});
    patch(&mut c, Some(crate::apimachinery::Subresource::Status), unknown);
    assert!(c.run_to_steady(20, |_, _| {}));
    assert_eq!(left(&c), ["nowhere"]);
}
