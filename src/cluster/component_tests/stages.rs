//! The stages that requests come to in the API server of a whole cluster.
#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::sets::{get, make};
use crate::api::{Key, Kind, Object};
use crate::apimachinery::{Body, Request, Verb};
use crate::apiserver::{Stage, Trace};
use crate::cluster::{Cluster, Config};

#[test]
fn a_pod_goes_its_way_and_the_server_stays_as_it_is() {
    let cluster = Cluster::new(&Config::nodes(1));
    let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
    let request = Request::new(&"kubectl".into(), Verb::Create, Kind::POD, Key::new("default", "p"))
        .body(Body::Object(Object::from_value(Kind::POD, pod).unwrap()));
    let before = cluster.digest();
    let trace = cluster.api().trace(&request);
    assert_eq!(cluster.digest(), before);
    assert_eq!(trace.response.code(), 201);
    assert_eq!(trace.writes.len(), 1);
    assert!(!trace.told.is_empty());
    let way: Vec<String> =
        trace.entered.iter().map(|e| format!("{} {}", e.stage.as_str(), e.plugin)).collect();
    assert_eq!(
        way.join(", "),
        "decode , default , mutate NamespaceLifecycle, mutate LimitRanger, mutate ServiceAccount, mutate Priority, mutate DefaultTolerationSeconds, mutate RuntimeClass, mutate PodTopologyLabels, prepare , validate , admit LimitRanger, admit PodSecurity, admit RuntimeClass, admit ResourceQuota, store "
    );
    // The same request in earnest comes out the same.
    let mut twin = cluster.clone();
    assert_eq!(twin.request(&request).0, trace.response);
}

#[test]
fn a_refusal_is_of_the_last_stage() {
    let mut cluster = Cluster::new(&Config::nodes(1));
    let pod = |image: &str| json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": image}]}});
    let create = Request::new(&"kubectl".into(), Verb::Create, Kind::POD, Key::new("default", "p"));
    let with =
        |image: &str| create.clone().body(Body::Object(Object::from_value(Kind::POD, pod(image)).unwrap()));
    let last = |t: &Trace| t.entered.last().map(|e| e.stage);
    let bad = cluster.api().trace(&with(" "));
    assert_eq!((bad.response.code(), last(&bad)), (422, Some(Stage::Validate)));
    cluster.request(&with("nginx"));
    let stored = cluster.api().etcd().iter().find(|(k, _)| k.kind == Kind::POD).unwrap().1.object.clone();
    let mut stale = stored.clone();
    stale.set_resource_version(Some("1"));
    let update = Request::new(&"kubectl".into(), Verb::Update, Kind::POD, stale.key());
    let conflict = cluster.api().trace(&update.body(Body::Object(stale)));
    assert_eq!((conflict.response.code(), last(&conflict)), (409, Some(Stage::Compare)));
}

/// `mergeLabels` in `plugin/pkg/admission/podtopologylabels/admission.go`: the labels of the node take the place of the pod's own.
#[test]
fn a_pod_gets_the_zone_and_the_region_of_its_node() {
    let mut config = Config::nodes(1);
    let labels = [("zone", "a"), ("region", "r")];
    config.nodes[0]
        .labels
        .extend(labels.map(|(key, value)| (format!("topology.kubernetes.io/{key}"), value.to_owned())));
    let mut cluster = Cluster::new(&config);
    for (name, extra) in [("scheduled", json!({})), ("assigned", json!({"nodeName": "node-1"}))] {
        let mut spec = json!({"containers": [{"name": "c", "image": "nginx"}]});
        spec.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let own = json!({"topology.kubernetes.io/region": "own"});
        make(
            &mut cluster,
            Kind::POD,
            json!({"metadata": {"name": name, "namespace": "default", "labels": own}, "spec": spec}),
        );
    }
    assert!(cluster.run_to_steady(2000, |_, _| {}), "it comes to rest");
    for name in ["scheduled", "assigned"] {
        let pod = get(&cluster, Kind::POD, name).unwrap();
        let labels = &pod["metadata"]["labels"];
        let expected = json!({"topology.kubernetes.io/zone": "a", "topology.kubernetes.io/region": "r"});
        assert_eq!(labels, &expected, "{name}");
    }
}
