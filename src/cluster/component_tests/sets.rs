//! What the tests of StatefulSets and DaemonSets have in common.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::api::{Key, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::{Body, DeleteOptions, Patch, Propagation, Request, Response, Subresource, Verb};
use crate::cluster::{Action, Cluster, Fault, Outcome};

pub(super) fn make(c: &mut Cluster, kind: Kind, value: Value) {
    let object = Object::from_value(kind, value).unwrap();
    let r = Request::new(&"kubectl".into(), Verb::Create, kind, object.key()).body(Body::Object(object));
    c.request(&r).0.object().unwrap();
}

pub(super) fn delete(c: &mut Cluster, kind: Kind, name: &str) {
    let namespace = if kind.namespaced() { "default" } else { "" };
    let r = Request::new(&"kubectl".into(), Verb::Delete, kind, Key::new(namespace, name));
    let _ = c.request(&r);
}

/// Deletes an object and leaves what it owns (`kubectl delete --cascade=orphan`).
pub(super) fn delete_alone(c: &mut Cluster, kind: Kind, name: &str) {
    let options = DeleteOptions { propagation_policy: Some(Propagation::Orphan), ..Default::default() };
    let r = Request::new(&"kubectl".into(), Verb::Delete, kind, Key::new("default", name));
    assert!(!matches!(c.request(&r.body(Body::Delete(options))).0, Response::Failure(_)));
}

/// Says which controllers of kube-controller-manager run.
pub(super) fn controllers(c: &mut Cluster, controllers: &str) {
    let process = "kube-controller-manager".into();
    c.fault(&Fault::Controllers { process, controllers: controllers.into() }).unwrap();
}

pub(super) fn patch(c: &mut Cluster, kind: Kind, name: &str, change: Value) {
    let namespace = if kind.namespaced() { "default" } else { "" };
    let body = Body::Patch(Patch::Merge(change));
    let r = Request::new(&"kubectl".into(), Verb::Patch, kind, Key::new(namespace, name)).body(body);
    assert!(!matches!(c.request(&r).0, Response::Failure(_)));
}

pub(super) fn patch_status(c: &mut Cluster, kind: Kind, name: &str, change: Value) {
    let body = Body::Patch(Patch::Merge(change));
    let r = Request::new(&"kubectl".into(), Verb::Patch, kind, Key::new("default", name))
        .subresource(Subresource::Status)
        .body(body);
    assert!(!matches!(c.request(&r).0, Response::Failure(_)));
}

pub(super) fn get(c: &Cluster, kind: Kind, name: &str) -> Option<Value> {
    let namespace = if kind.namespaced() { "default" } else { "" };
    c.api().etcd().get(&ObjectRef::new(kind, namespace, name)).map(|r| r.object.to_value())
}

pub(super) fn status(c: &Cluster, kind: Kind, name: &str) -> Value {
    get(c, kind, name).unwrap()["status"].clone()
}

/// The names of all objects of a kind in the namespace `default`.
pub(super) fn names(c: &Cluster, kind: Kind) -> Vec<String> {
    let all = c.api().etcd().iter().filter(|(at, _)| at.kind == kind && &*at.key.namespace == "default");
    all.map(|(at, _)| at.key.name.to_string()).collect()
}

pub(super) fn rest(c: &mut Cluster) {
    assert!(c.run_to_steady(4000, |_, _| {}), "it comes to rest");
}

/// Runs until the next action sends a request that `which` accepts, and returns this action.
pub(super) fn run_up_to(c: &mut Cluster, which: impl Fn(&Request) -> bool) -> Action {
    loop {
        let action = c.fair().unwrap();
        let (after, did) = c.step(&action).unwrap();
        if matches!(&did.outcome, Outcome::Sent { request, .. } if which(request)) {
            return action;
        }
        *c = after;
    }
}

/// Runs to the steady state; the pods that came and went on the way, as `+web-0` and `-web-0`.
pub(super) fn pods_on_the_way(c: &mut Cluster) -> Vec<String> {
    let mut seen = names(c, Kind::POD);
    let mut out = Vec::new();
    let steady = c.run_to_steady(4000, |c, _| {
        let now = names(c, Kind::POD);
        out.extend(seen.iter().filter(|p| !now.contains(p)).map(|p| format!("-{p}")));
        out.extend(now.iter().filter(|p| !seen.contains(p)).map(|p| format!("+{p}")));
        seen = now;
    });
    assert!(steady, "it comes to rest");
    out
}

/// The images of all pods, by the pods' names.
pub(super) fn images(c: &Cluster) -> Vec<String> {
    let pod = |name: &String| {
        let pod = get(c, Kind::POD, name).unwrap();
        format!("{name}={}", pod["spec"]["containers"][0]["image"].as_str().unwrap())
    };
    names(c, Kind::POD).iter().map(pod).collect()
}

pub(super) fn image(image: &str) -> Value {
    json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": image}]}}}})
}

/// The messages of the events about an object, with how often each was recorded.
pub(super) fn events(c: &Cluster, name: &str) -> Vec<String> {
    let all = c.api().etcd().iter().filter(|(at, _)| at.kind == Kind::EVENT);
    let about = all.map(|(_, r)| r.object.to_value()).filter(|v| v["involvedObject"]["name"] == name);
    about.map(|v| format!("{}: {}", v["reason"].as_str().unwrap(), v["message"].as_str().unwrap())).collect()
}

/// The owners of an object, as `Kind/name`.
pub(super) fn owners(c: &Cluster, kind: Kind, name: &str) -> Vec<String> {
    let at = ObjectRef::new(kind, "default", name);
    let record = c.api().etcd().get(&at).unwrap();
    record.object.meta().owners().iter().map(|o| format!("{}/{}", o.kind, o.name)).collect()
}
