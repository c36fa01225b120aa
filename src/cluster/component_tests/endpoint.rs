//! Services with their Endpoints and EndpointSlices, in whole clusters.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::api::{Key, Kind, Object};
use crate::apimachinery::{Body, Patch, Request, Verb};
use crate::cluster::{Cluster, Config};

fn request(c: &mut Cluster, verb: Verb, kind: Kind, name: &str, body: Body) {
    let r = Request::new(&"kubectl".into(), verb, kind, Key::new("default", name)).body(body);
    let _ = c.request(&r).0.object();
}

fn make(c: &mut Cluster, kind: Kind, value: Value) {
    let object = Object::from_value(kind, value).unwrap();
    let name = object.name().to_owned();
    request(c, Verb::Create, kind, &name, Body::Object(object));
}

fn rest(c: &mut Cluster) {
    assert!(c.run_to_steady(2000, |_, _| {}), "it comes to rest");
}

/// All objects of a kind in `default`, without those of the API server.
fn all(c: &Cluster, kind: Kind) -> Vec<Value> {
    let of_kind = c.api().etcd().iter().filter(|(at, _)| at.kind == kind && &*at.key.namespace == "default");
    of_kind.map(|(_, r)| r.object.to_value()).filter(|v| v["metadata"]["name"] != "kubernetes").collect()
}

fn with_web(selector: &Value) -> Cluster {
    let mut c = Cluster::new(&Config::nodes(1));
    let labels = json!({"app": "web"});
    make(
        &mut c,
        Kind::DEPLOYMENT,
        json!({
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "nginx"}]},
            }},
        }),
    );
    make(
        &mut c,
        Kind::SERVICE,
        json!({
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"selector": selector, "ports": [{"port": 80, "targetPort": 8080}]},
        }),
    );
    rest(&mut c);
    c
}

/// `pkg/controller/endpoint/endpoints_controller.go`, `syncService`; `endpointslice/reconciler.go`, `Reconcile`.
#[test]
fn a_service_leads_to_its_pods_and_no_further() {
    let mut c = with_web(&json!({"app": "web"}));
    let ips = |c: &Cluster| {
        let mut ips: Vec<String> =
            all(c, Kind::POD).iter().map(|p| p["status"]["podIP"].as_str().unwrap().to_owned()).collect();
        ips.sort();
        ips
    };
    let subset = all(&c, Kind::ENDPOINTS)[0]["subsets"][0].clone();
    let addresses: Vec<&str> =
        subset["addresses"].as_array().unwrap().iter().map(|a| a["ip"].as_str().unwrap()).collect();
    assert_eq!(addresses, ips(&c));
    assert_eq!(subset["ports"][0]["port"], 8080);
    let slices = all(&c, Kind::ENDPOINT_SLICE);
    assert_eq!(slices.len(), 1);
    let mut seen: Vec<String> = slices[0]["endpoints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| {
            assert_eq!(e["conditions"], json!({"ready": true, "serving": true, "terminating": false}));
            e["addresses"][0].as_str().unwrap().to_owned()
        })
        .collect();
    seen.sort();
    assert_eq!(seen, ips(&c));

    let patch = Patch::Merge(json!({"spec": {"replicas": 0}}));
    request(&mut c, Verb::Patch, Kind::DEPLOYMENT, "web", Body::Patch(patch));
    rest(&mut c);
    assert_eq!(all(&c, Kind::ENDPOINTS)[0].get("subsets"), None);
    let slice = &all(&c, Kind::ENDPOINT_SLICE)[0];
    assert!(slice["endpoints"].as_array().is_none_or(Vec::is_empty), "{slice}");

    request(&mut c, Verb::Delete, Kind::SERVICE, "web", Body::None);
    rest(&mut c);
    assert_eq!(all(&c, Kind::ENDPOINTS).len() + all(&c, Kind::ENDPOINT_SLICE).len(), 0);
}

/// `pkg/controller/endpointslicemirroring/reconciler.go`, `reconcile`.
#[test]
fn endpoints_written_by_hand_are_mirrored() {
    let mut c = with_web(&json!(null));
    assert!(all(&c, Kind::ENDPOINTS).is_empty(), "nobody makes them without a selector");
    make(
        &mut c,
        Kind::ENDPOINTS,
        json!({
            "metadata": {"name": "web", "namespace": "default"},
            "subsets": [{"addresses": [{"ip": "192.0.2.1"}], "ports": [{"port": 8080}]}],
        }),
    );
    rest(&mut c);
    let slices = all(&c, Kind::ENDPOINT_SLICE);
    assert_eq!(slices.len(), 1);
    assert_eq!(slices[0]["endpoints"][0]["addresses"], json!(["192.0.2.1"]));
    let by = &slices[0]["metadata"]["labels"]["endpointslice.kubernetes.io/managed-by"];
    assert_eq!(by, "endpointslicemirroring-controller.k8s.io");
    request(&mut c, Verb::Delete, Kind::ENDPOINTS, "web", Body::None);
    rest(&mut c);
    assert!(all(&c, Kind::ENDPOINT_SLICE).is_empty());
}

/// `endpointslice/trafficdist/trafficdist.go`, `ReconcileHints`. KEP-3015: the node. KEP-4444: the field.
#[test]
fn endpoints_have_the_hints_that_traffic_distribution_asks_for() {
    let mut c = with_web(&json!({"app": "web"}));
    let merge = |c: &mut Cluster, kind: Kind, name: &str, value: Value| {
        let namespace = if kind == Kind::NODE { "" } else { "default" };
        let patch = Request::new(&"kubectl".into(), Verb::Patch, kind, Key::new(namespace, name));
        c.request(&patch.body(Body::Patch(Patch::Merge(value)))).0.object().unwrap();
        rest(c);
    };
    let hints = |c: &Cluster| -> Vec<Value> {
        let slices = all(c, Kind::ENDPOINT_SLICE);
        let endpoints = slices.iter().flat_map(|s| s["endpoints"].as_array().unwrap().clone());
        endpoints.map(|e| e["hints"].clone()).collect()
    };
    assert_eq!(hints(&c), [Value::Null, Value::Null]);
    merge(&mut c, Kind::SERVICE, "web", json!({"spec": {"trafficDistribution": "PreferSameNode"}}));
    let node = json!({"forNodes": [{"name": "node-1"}]});
    assert_eq!(hints(&c), [node.clone(), node], "the node has no zone");
    merge(
        &mut c,
        Kind::NODE,
        "node-1",
        json!({"metadata": {"labels": {"topology.kubernetes.io/zone": "a"}}}),
    );
    // Like Kubernetes' controller without a topology cache, this one does not follow labels of nodes by itself.
    merge(&mut c, Kind::SERVICE, "web", json!({"spec": {"trafficDistribution": "PreferSameZone"}}));
    let zone = json!({"forZones": [{"name": "a"}]});
    assert_eq!(hints(&c), [zone.clone(), zone]);
    let auto = json!({"metadata": {"annotations": {"service.kubernetes.io/topology-mode": "Auto"}}});
    merge(&mut c, Kind::SERVICE, "web", auto);
    assert_eq!(hints(&c), [Value::Null, Value::Null], "the annotation goes first");
}

/// A Service with a topology mode, its pods on two nodes in two zones.
fn with_zones(replicas: usize) -> Cluster {
    let mut config = Config::nodes(2);
    for (node, zone) in config.nodes.iter_mut().zip(["a", "b"]) {
        node.labels.insert("topology.kubernetes.io/zone".into(), zone.into());
    }
    let mut c = Cluster::new(&config);
    let labels = json!({"app": "web"});
    make(
        &mut c,
        Kind::DEPLOYMENT,
        json!({
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "nginx"}]},
            }},
        }),
    );
    let annotations = json!({"service.kubernetes.io/topology-mode": "Auto"});
    make(
        &mut c,
        Kind::SERVICE,
        json!({
            "metadata": {"name": "web", "namespace": "default", "annotations": annotations},
            "spec": {"selector": labels, "ports": [{"port": 80, "targetPort": 8080}]},
        }),
    );
    rest(&mut c);
    c
}

/// The zones that the endpoints are in and for.
fn zones(c: &Cluster) -> Vec<(Value, Value)> {
    let slices = all(c, Kind::ENDPOINT_SLICE);
    let endpoints = slices.iter().flat_map(|s| s["endpoints"].as_array().cloned().unwrap_or_default());
    let mut zones: Vec<_> =
        endpoints.map(|e| (e["zone"].clone(), e["hints"]["forZones"][0]["name"].clone())).collect();
    zones.sort_by_key(|z| format!("{z:?}"));
    zones
}

fn told(c: &Cluster) -> Vec<String> {
    let events = all(c, Kind::EVENT).into_iter().filter(|e| e["involvedObject"]["kind"] == "Service");
    events.map(|e| format!("{}: {}", e["reason"], e["message"]).replace('"', "")).collect()
}

/// `endpointslice/topologycache/topologycache.go`, `AddHints`; `event.go`: the words.
#[test]
fn a_topology_mode_gives_each_zone_its_share() {
    let mut c = with_zones(2);
    assert_eq!(zones(&c), [(json!("a"), json!("a")), (json!("b"), json!("b"))]);
    assert!(
        told(&c).contains(
            &"TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4".to_owned()
        ),
        "{:?}",
        told(&c)
    );
    let patch = json!({"metadata": {"annotations": {"service.kubernetes.io/topology-mode": null}}});
    request(&mut c, Verb::Patch, Kind::SERVICE, "web", Body::Patch(Patch::Merge(patch)));
    rest(&mut c);
    assert_eq!(zones(&c), [(json!("a"), json!(null)), (json!("b"), json!(null))]);
    assert!(told(&c).contains(
        &"TopologyAwareHintsDisabled: Topology Aware Hints has been disabled, addressType: IPv4".to_owned()
    ));
}

/// `endpointslice/topologycache/topologycache.go`, `getAllocations`; `event.go`: the words.
#[test]
fn too_few_endpoints_for_the_zones_get_no_hints() {
    let c = with_zones(1);
    assert_eq!(zones(&c).iter().filter(|(_, hint)| !hint.is_null()).count(), 0);
    let why = "TopologyAwareHintsDisabled: Insufficient number of endpoints (1 endpoints, 2 zones), addressType: IPv4";
    assert!(told(&c).contains(&why.to_owned()), "{:?}", told(&c));
}
