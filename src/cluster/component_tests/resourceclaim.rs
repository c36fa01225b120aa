//! The resource claim controller in whole clusters. Devices are given out by hand here: what the scheduler does is tested there.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::api::{Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Body, DeleteOptions, Patch, Request, Subresource, Verb};
use crate::cluster::{Cluster, Config};

pub(super) fn make(c: &mut Cluster, kind: Kind, value: Value) {
    let object = Object::from_value(kind, value).unwrap();
    let r = Request::new(&"kubectl".into(), Verb::Create, kind, object.key()).body(Body::Object(object));
    c.request(&r).0.object().unwrap();
}

pub(super) fn get(c: &Cluster, kind: Kind, name: &str) -> Option<Value> {
    let at = ObjectRef { kind, key: Key::new("default", name) };
    c.api().etcd().get(&at).map(|r| r.object.to_value())
}

pub(super) fn patch(c: &mut Cluster, kind: Kind, name: &str, subresource: Subresource, change: Value) {
    let mut r = Request::new(&"kubectl".into(), Verb::Patch, kind, Key::new("default", name));
    r.subresource = subresource;
    c.request(&r.body(Body::Patch(Patch::Merge(change)))).0.object().unwrap();
}

fn delete(c: &mut Cluster, kind: Kind, name: &str) {
    let r = Request::new(&"kubectl".into(), Verb::Delete, kind, Key::new("default", name));
    let _ = c.request(&r.body(Body::Delete(DeleteOptions::default())));
}

pub(super) fn rest(c: &mut Cluster) {
    assert!(c.run_to_steady(3000, |_, _| {}), "it comes to rest");
}

pub(super) fn claims(c: &Cluster) -> Vec<Value> {
    c.api().etcd().range(Kind::RESOURCE_CLAIM, None).map(|(_, r)| r.object.to_value()).collect()
}

pub(super) fn template(c: &mut Cluster) {
    let requests = json!([{"name": "one", "exactly": {"deviceClassName": "gpu"}}]);
    let spec = json!({"metadata": {"labels": {"app": "web"}}, "spec": {"devices": {"requests": requests}}});
    let meta = json!({"name": "one", "namespace": "default"});
    make(c, Kind::RESOURCE_CLAIM_TEMPLATE, json!({"metadata": meta, "spec": spec}));
}

/// A pod with one claim that has a node already.
fn pod(c: &mut Cluster, name: &str, claim: Value) {
    let containers = json!([{"name": "c", "image": "nginx", "resources": {"claims": [{"name": "g"}]}}]);
    let mut claim = claim;
    claim["name"] = "g".into();
    let spec = json!({"nodeName": "node-1", "containers": containers, "resourceClaims": [claim]});
    make(c, Kind::POD, json!({"metadata": {"name": name, "namespace": "default"}, "spec": spec}));
}

/// Gives a claim a device, as a scheduler does.
fn allocate(c: &mut Cluster, claim: &str) {
    let finalizers = json!({"metadata": {"finalizers": ["resource.kubernetes.io/delete-protection"]}});
    patch(c, Kind::RESOURCE_CLAIM, claim, Subresource::None, finalizers);
    let results = json!([{"request": "one", "driver": "d.example.com", "pool": "p", "device": "a"}]);
    let status = json!({"status": {"allocation": {"devices": {"results": results}}}});
    patch(c, Kind::RESOURCE_CLAIM, claim, Subresource::Status, status);
}

/// `handleClaim`, `syncPod` and `syncClaim` in `pkg/controller/resourceclaim/controller.go`.
#[test]
fn a_claim_is_made_from_a_template_and_goes_with_its_pod() {
    let mut c = Cluster::new(&Config::nodes(1));
    template(&mut c);
    pod(&mut c, "web", json!({"resourceClaimTemplateName": "one"}));
    rest(&mut c);
    let made = claims(&c);
    let [claim] = made.as_slice() else { panic!("one claim, not {}", made.len()) };
    let meta = &claim["metadata"];
    let name = meta["name"].as_str().unwrap().to_owned();
    assert!(name.starts_with("web-g-"), "{name}");
    assert_eq!(meta["annotations"]["resource.kubernetes.io/pod-claim-name"], "g");
    assert_eq!(meta["labels"]["app"], "web");
    assert_eq!(
        (&meta["ownerReferences"][0]["kind"], &meta["ownerReferences"][0]["name"]),
        (&"Pod".into(), &"web".into())
    );
    let status = get(&c, Kind::POD, "web").unwrap()["status"]["resourceClaimStatuses"].clone();
    assert_eq!(status, json!([{"name": "g", "resourceClaimName": name}]));

    // A pod that no scheduler has bound gets the claim reserved.
    allocate(&mut c, &name);
    rest(&mut c);
    let reserved = get(&c, Kind::RESOURCE_CLAIM, &name).unwrap()["status"]["reservedFor"].clone();
    assert_eq!((&reserved[0]["resource"], &reserved[0]["name"]), (&"pods".into(), &"web".into()));
    delete(&mut c, Kind::POD, "web");
    rest(&mut c);
    assert_eq!(claims(&c), Vec::<Value>::new());
}

/// `syncClaim`: a claim of somebody else stays, without devices.
#[test]
fn a_shared_claim_is_freed_by_its_last_pod() {
    let mut c = Cluster::new(&Config::nodes(1));
    let devices = json!({"requests": [{"name": "one", "exactly": {"deviceClassName": "gpu"}}]});
    let meta = json!({"name": "shared", "namespace": "default"});
    make(&mut c, Kind::RESOURCE_CLAIM, json!({"metadata": meta, "spec": {"devices": devices}}));
    allocate(&mut c, "shared");
    for name in ["a", "b"] {
        pod(&mut c, name, json!({"resourceClaimName": "shared"}));
    }
    rest(&mut c);
    let shared = |c: &Cluster| get(c, Kind::RESOURCE_CLAIM, "shared");
    let reserved = |c: &Cluster| shared(c).unwrap()["status"]["reservedFor"].as_array().map_or(0, Vec::len);
    assert_eq!(reserved(&c), 2);
    // It is protected while it has devices.
    delete(&mut c, Kind::RESOURCE_CLAIM, "shared");
    delete(&mut c, Kind::POD, "a");
    rest(&mut c);
    assert_eq!(reserved(&c), 1);
    delete(&mut c, Kind::POD, "b");
    rest(&mut c);
    assert_eq!(shared(&c), None);
}

/// `syncPod`: what is said of a claim that cannot be made.
#[test]
fn a_template_that_is_missing_is_told() {
    let mut c = Cluster::new(&Config::nodes(1));
    pod(&mut c, "web", json!({"resourceClaimTemplateName": "one"}));
    for _ in 0..400 {
        let Some(action) = c.fair() else { break };
        c = c.step(&action).unwrap().0;
    }
    let events = c.api().etcd().range(Kind::EVENT, None).map(|(_, r)| r.object.to_value());
    let said: Vec<Value> = events.filter(|e| e["reason"] == "FailedResourceClaimCreation").collect();
    let message = "PodResourceClaim g: resource claim template \"one\": resourceclaimtemplate.resource.k8s.io \"one\" not found";
    assert_eq!(said.first().map(|e| e["message"].clone()), Some(message.into()));
    assert_eq!(said.first().map(|e| e["source"]["component"].clone()), Some("resource_claim".into()));
}
