//! Pods that are scheduled with devices, in whole clusters (`PreBind` and `Unreserve` of
//! `pkg/scheduler/framework/plugins/dynamicresources`).

#![allow(clippy::unwrap_used)]

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::resourceclaim::{claims, get, make, patch, rest, template};
use crate::api::{Kind, later};
use crate::apimachinery::Subresource;
use crate::cluster::{Cluster, Config};

const POD: &str = "web";

/// A cluster whose only node has one device, and a pod that asks for it by a template. `device` is what else is said of the device.
fn cluster(device: Value) -> Cluster {
    let mut c = Cluster::new(&Config::nodes(1));
    make(&mut c, Kind::DEVICE_CLASS, json!({"metadata": {"name": "gpu"}, "spec": {}}));
    let mut device = device;
    device["name"] = "a".into();
    let pool = json!({"name": "node-1", "generation": 1, "resourceSliceCount": 1});
    let spec = json!({"driver": "d.example.com", "nodeName": "node-1", "pool": pool, "devices": [device]});
    make(&mut c, Kind::RESOURCE_SLICE, json!({"metadata": {"name": "s"}, "spec": spec}));
    template(&mut c);
    let containers = json!([{"name": "c", "image": "nginx", "resources": {"claims": [{"name": "g"}]}}]);
    let claim = json!({"name": "g", "resourceClaimTemplateName": "one"});
    let spec = json!({"containers": containers, "resourceClaims": [claim]});
    make(&mut c, Kind::POD, json!({"metadata": {"name": POD, "namespace": "default"}, "spec": spec}));
    rest(&mut c);
    c
}

fn waiting() -> Cluster {
    cluster(
        json!({"bindingConditions": ["d.example.com/ready"], "bindingFailureConditions": ["d.example.com/broken"]}),
    )
}

fn node(c: &Cluster) -> Option<Value> {
    get(c, Kind::POD, POD).unwrap()["spec"].get("nodeName").cloned()
}

/// The status of the only claim.
fn status(c: &Cluster) -> Value {
    claims(c)[0]["status"].clone()
}

/// Says a condition of the device.
fn say(c: &mut Cluster, condition: &str) {
    let name = claims(c)[0]["metadata"]["name"].as_str().unwrap().to_owned();
    let at = "2026-01-01T00:00:00Z";
    let condition = json!({"type": condition, "status": "True", "reason": "Said", "message": "by the test", "lastTransitionTime": at});
    let device =
        json!({"driver": "d.example.com", "pool": "node-1", "device": "a", "conditions": [condition]});
    patch(c, Kind::RESOURCE_CLAIM, &name, Subresource::Status, json!({"status": {"devices": [device]}}));
}

fn wait(c: &mut Cluster, seconds: i64) {
    let to = later(c.now(), SignedDuration::from_secs(seconds));
    c.run_until(to, |_, _| {}).unwrap();
}

fn messages(c: &Cluster, reason: &str) -> Vec<String> {
    let events = c.api().etcd().range(Kind::EVENT, None).map(|(_, r)| r.object.to_value());
    let all = events.filter(|e| e["reason"] == reason);
    all.map(|e| e["note"].as_str().or(e["message"].as_str()).unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_pod_gets_the_node_with_its_device() {
    let c = cluster(json!({}));
    assert_eq!(node(&c), Some("node-1".into()));
    let status = status(&c);
    assert_eq!(status["allocation"]["devices"]["results"][0]["device"], "a");
    assert_eq!(status["reservedFor"][0]["name"], POD);
}

/// `isPodReadyForBinding`.
#[test]
fn a_pod_waits_until_its_device_is_ready() {
    let mut c = waiting();
    assert_eq!(node(&c), None);
    assert_eq!(status(&c)["reservedFor"][0]["name"], POD);
    wait(&mut c, 60);
    assert_eq!(node(&c), None);
    say(&mut c, "d.example.com/ready");
    rest(&mut c);
    assert_eq!(node(&c), Some("node-1".into()));
}

/// The same: a condition of failure ends the binding cycle, and the pod is tried again.
#[test]
fn a_device_that_fails_is_told() {
    let mut c = waiting();
    say(&mut c, "d.example.com/broken");
    wait(&mut c, 2);
    assert_eq!(node(&c), None);
    let told = messages(&c, "FailedScheduling");
    assert!(told.iter().any(|m| m.contains("device binding failed: claim=web-g-")), "{told:?}");
}

/// The same: ten minutes are the most (`DynamicResourcesBindingTimeoutDefault`), and time goes on after them.
#[test]
fn a_device_that_is_never_ready_is_given_up() {
    let mut c = waiting();
    wait(&mut c, 700);
    let told = messages(&c, "FailedScheduling");
    assert!(told.iter().any(|m| m.contains("device binding timeout")), "{told:?}");
}
