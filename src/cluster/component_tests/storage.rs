//! What the scheduler knows of storage, and what keeps a VolumeAttributesClass.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::api::{Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Body, Patch, Request, Verb};
use crate::cluster::{Cluster, Config};

fn make(c: &mut Cluster, kind: Kind, value: Value) {
    let object = Object::from_value(kind, value).unwrap();
    let r = Request::new(&"kubectl".into(), Verb::Create, kind, object.key()).body(Body::Object(object));
    c.request(&r).0.object().unwrap();
}

fn patch(c: &mut Cluster, kind: Kind, key: Key, change: Value) {
    let r = Request::new(&"kubectl".into(), Verb::Patch, kind, key);
    c.request(&r.body(Body::Patch(Patch::Merge(change)))).0.object().unwrap();
}

fn get(c: &Cluster, kind: Kind, namespace: &str, name: &str) -> Option<Value> {
    c.api().etcd().get(&ObjectRef::new(kind, namespace, name)).map(|r| r.object.to_value())
}

fn rest(c: &mut Cluster) {
    assert!(c.run_to_steady(3000, |_, _| {}), "it comes to rest");
}

fn claim(c: &mut Cluster, name: &str, class: &str) {
    make(
        c,
        Kind::PERSISTENT_VOLUME_CLAIM,
        json!({"metadata": {"name": name, "namespace": "default"}, "spec": {
            "storageClassName": class, "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "5Gi"}}}}),
    );
}

/// A pod with a claim of the same name.
fn pod(c: &mut Cluster, name: &str) {
    make(
        c,
        Kind::POD,
        json!({"metadata": {"name": name, "namespace": "default"}, "spec": {
            "containers": [{"name": "c", "image": "nginx", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]}}),
    );
}

/// The pod's node, or why it has none.
fn placed(c: &Cluster, name: &str) -> String {
    let pod = get(c, Kind::POD, "default", name).unwrap();
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    match text(&pod["spec"]["nodeName"]) {
        node if node.is_empty() => text(&pod["status"]["conditions"][0]["message"]),
        node => node,
    }
}

fn class(name: &str, more: &Value) -> Value {
    let mut class = json!({"metadata": {"name": name}, "provisioner": "csi.sim.steady"});
    for (k, v) in more.as_object().into_iter().flatten() {
        class[k] = v.clone();
    }
    class
}

fn driver(c: &mut Cluster, spec: Value) {
    make(c, Kind::CSI_DRIVER, json!({"metadata": {"name": "csi.sim.steady"}, "spec": spec}));
}

/// `checkNodeAffinity` (`pkg/volume/util/operationexecutor/operation_generator.go`): a pod that names its node itself has passed no scheduler, and
/// its kubelet mounts no volume of another node.
#[test]
fn a_kubelet_mounts_no_volume_that_belongs_to_another_node() {
    let mut c = Cluster::new(&Config::nodes(2));
    let on = json!({"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-2"]});
    make(
        &mut c,
        Kind::PERSISTENT_VOLUME,
        json!({"metadata": {"name": "local"}, "spec": {
            "capacity": {"storage": "5Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "none",
            "local": {"path": "/data"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [on]}]}}}}),
    );
    claim(&mut c, "a", "none");
    rest(&mut c);
    for (name, node) in [("elsewhere", "node-1"), ("here", "node-2")] {
        make(
            &mut c,
            Kind::POD,
            json!({"metadata": {"name": name, "namespace": "default"}, "spec": {
                "nodeName": node,
                "containers": [{"name": "c", "image": "nginx", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}],
                "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "a"}}]}}),
        );
    }
    rest(&mut c);
    let phase = |name: &str| get(&c, Kind::POD, "default", name).unwrap()["status"]["phase"].clone();
    assert_eq!([phase("elsewhere"), phase("here")], ["Pending", "Running"]);
    let events = c.api().etcd().range(Kind::EVENT, None).map(|(_, r)| r.object.to_value());
    let failed: Vec<Value> = events.filter(|e| e["reason"] == "FailedMount").collect();
    assert!(!failed.is_empty());
    for event in &failed {
        assert_eq!(event["involvedObject"]["name"], "elsewhere");
        assert_eq!(
            event["message"],
            "MountVolume.NodeAffinity check failed for volume \"local\" : no matching NodeSelectorTerms"
        );
    }
}

/// `pkg/scheduler/framework/plugins/nodevolumelimits/csi.go`, `Filter`.
#[test]
fn a_node_takes_as_many_volumes_as_its_csi_node_says() {
    let mut c = Cluster::new(&Config::nodes(1));
    driver(&mut c, json!({}));
    make(&mut c, Kind::STORAGE_CLASS, class("disk", &json!({"volumeBindingMode": "WaitForFirstConsumer"})));
    rest(&mut c);
    let drivers = json!([{"name": "csi.sim.steady", "nodeID": "node-1", "allocatable": {"count": 1}}]);
    patch(&mut c, Kind::CSI_NODE, Key::new("", "node-1"), json!({"spec": {"drivers": drivers}}));
    for name in ["a", "b"] {
        claim(&mut c, name, "disk");
        pod(&mut c, name);
        rest(&mut c);
    }
    assert_eq!(placed(&c, "a"), "node-1");
    assert_eq!(
        placed(&c, "b"),
        "0/1 nodes are available: 1 node(s) exceed max volume count. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
    );
    let r = Request::new(&"kubectl".into(), Verb::Delete, Kind::POD, Key::new("default", "a"));
    let _ = c.request(&r);
    rest(&mut c);
    assert_eq!(placed(&c, "b"), "node-1");
}

/// `pkg/scheduler/framework/plugins/volumebinding/binder.go`, `hasEnoughCapacity` (KEP-1472).
#[test]
fn a_driver_that_reports_its_capacity_gets_no_claim_that_is_too_large() {
    let mut c = Cluster::new(&Config::nodes(2));
    driver(&mut c, json!({"storageCapacity": true}));
    make(&mut c, Kind::STORAGE_CLASS, class("disk", &json!({"volumeBindingMode": "WaitForFirstConsumer"})));
    let capacity = |name: &str, node: &str, size: &str| {
        json!({"metadata": {"name": name, "namespace": "kube-system"}, "storageClassName": "disk",
            "capacity": size, "nodeTopology": {"matchLabels": {"kubernetes.io/hostname": node}}})
    };
    make(&mut c, Kind::CSI_STORAGE_CAPACITY, capacity("one", "node-1", "1Gi"));
    claim(&mut c, "a", "disk");
    pod(&mut c, "a");
    rest(&mut c);
    assert_eq!(
        placed(&c, "a"),
        "0/2 nodes are available: 2 node(s) did not have enough free storage. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
    );
    make(&mut c, Kind::CSI_STORAGE_CAPACITY, capacity("two", "node-2", "10Gi"));
    rest(&mut c);
    assert_eq!(placed(&c, "a"), "node-2");
}

/// The API's `StorageClass`: `allowedTopologies`; `pkg/scheduler/framework/plugins/volumebinding/binder.go`, `checkBoundClaims`:
/// the node of a volume.
#[test]
fn an_immediate_volume_lies_where_its_class_allows() {
    let mut config = Config::nodes(2);
    config.nodes[1].labels.insert("topology.kubernetes.io/zone".into(), "b".into());
    let mut c = Cluster::new(&config);
    driver(&mut c, json!({}));
    let zones =
        json!([{"matchLabelExpressions": [{"key": "topology.kubernetes.io/zone", "values": ["b", "c"]}]}]);
    make(&mut c, Kind::STORAGE_CLASS, class("zonal", &json!({"allowedTopologies": zones})));
    claim(&mut c, "a", "zonal");
    rest(&mut c);
    let bound = get(&c, Kind::PERSISTENT_VOLUME_CLAIM, "default", "a").unwrap();
    assert_eq!(bound["status"]["phase"], "Bound");
    pod(&mut c, "a");
    rest(&mut c);
    assert_eq!(placed(&c, "a"), "node-2");
}

/// `pkg/controller/volume/vacprotection/vac_protection_controller.go`.
#[test]
fn a_volume_attributes_class_stays_while_a_claim_names_it() {
    let mut c = Cluster::new(&Config::nodes(1));
    let attributes =
        json!({"metadata": {"name": "fast"}, "driverName": "csi.sim.steady", "parameters": {"iops": "9"}});
    make(&mut c, Kind::VOLUME_ATTRIBUTES_CLASS, attributes);
    make(
        &mut c,
        Kind::PERSISTENT_VOLUME_CLAIM,
        json!({"metadata": {"name": "a", "namespace": "default"}, "spec": {
            "volumeAttributesClassName": "fast", "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "5Gi"}}}}),
    );
    rest(&mut c);
    let fast = |c: &Cluster| get(c, Kind::VOLUME_ATTRIBUTES_CLASS, "", "fast");
    assert_eq!(fast(&c).unwrap()["metadata"]["finalizers"], json!(["kubernetes.io/vac-protection"]));
    let delete = |kind, key| Request::new(&"kubectl".into(), Verb::Delete, kind, key);
    let _ = c.request(&delete(Kind::VOLUME_ATTRIBUTES_CLASS, Key::new("", "fast")));
    rest(&mut c);
    assert!(fast(&c).is_some());
    let _ = c.request(&delete(Kind::PERSISTENT_VOLUME_CLAIM, Key::new("default", "a")));
    rest(&mut c);
    assert!(fast(&c).is_none());
}
