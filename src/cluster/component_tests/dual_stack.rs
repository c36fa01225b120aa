//! A cluster of two address families (KEP-563): Services, their slices, the ranges of nodes, and the addresses of pods.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::api::ip_family::IpFamily;
use crate::api::{Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Body, DeleteOptions, Patch, Request, Response, Verb};
use crate::cluster::{Cluster, Config};

fn send(c: &mut Cluster, verb: Verb, kind: Kind, name: &str, body: Body) -> Response {
    c.request(&Request::new(&"kubectl".into(), verb, kind, Key::new("default", name)).body(body)).0
}

fn make(c: &mut Cluster, kind: Kind, name: &str, spec: Value) -> Response {
    let value = json!({"metadata": {"name": name, "namespace": "default"}, "spec": spec});
    send(c, Verb::Create, kind, name, Body::Object(Object::from_value(kind, value).unwrap()))
}

fn patch(c: &mut Cluster, name: &str, spec: Value) -> Response {
    send(c, Verb::Patch, Kind::SERVICE, name, Body::Patch(Patch::Merge(json!({"spec": spec}))))
}

fn stored(c: &Cluster, kind: Kind, name: &str) -> Value {
    let key = Key::new(if kind.namespaced() { "default" } else { "" }, name);
    c.api().etcd().get(&ObjectRef { kind, key }).unwrap().object.to_value()
}

fn all(c: &Cluster, kind: Kind) -> Vec<Value> {
    let of_kind = c.api().etcd().range(kind, None).map(|(_, r)| r.object.to_value());
    of_kind.filter(|v| v["metadata"]["name"] != "kubernetes").collect()
}

/// The names of the IPAddresses.
fn taken(c: &Cluster) -> Vec<String> {
    all(c, Kind::IP_ADDRESS).iter().map(|a| a["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

/// The families, policy and addresses of a Service.
fn service(c: &Cluster, name: &str) -> Value {
    let spec = stored(c, Kind::SERVICE, name)["spec"].clone();
    assert_eq!(spec["clusterIP"], spec["clusterIPs"][0]);
    json!([spec["ipFamilyPolicy"], spec["ipFamilies"], spec["clusterIPs"]])
}

/// The slices of the Service `web`: the type of their addresses, with the addresses.
fn slices(c: &Cluster) -> Vec<Value> {
    let mut slices: Vec<Value> = all(c, Kind::ENDPOINT_SLICE)
        .iter()
        .filter(|s| s["metadata"]["labels"]["kubernetes.io/service-name"] == "web")
        .map(|s| {
            let endpoints = s["endpoints"].as_array().cloned().unwrap_or_default();
            json!([s["addressType"], endpoints.iter().map(|e| &e["addresses"]).collect::<Vec<_>>()])
        })
        .collect();
    slices.sort_by_key(ToString::to_string);
    slices
}

fn rest(c: &mut Cluster) {
    assert!(c.run_to_steady(3000, |_, _| {}), "it comes to rest");
}

fn cluster(nodes: usize) -> Cluster {
    Cluster::new(&Config::nodes(nodes).with_ip_family(IpFamily::Dual))
}

fn web(policy: &str) -> Value {
    json!({"selector": {"app": "web"}, "ports": [{"port": 80}], "ipFamilyPolicy": policy})
}

/// `pkg/controlplane/controller/defaultservicecidr/default_servicecidr_controller.go`;
/// `pkg/controller/nodeipam/ipam/range_allocator.go`, `AllocateOrOccupyCIDR`: a range of each family.
#[test]
fn the_cluster_has_ranges_of_both_families() {
    let mut c = cluster(2);
    rest(&mut c);
    let default = stored(&c, Kind::SERVICE_CIDR, "kubernetes");
    assert_eq!(default["spec"]["cidrs"], json!(["10.96.0.0/16", "fd00:10:96::/112"]));
    assert_eq!(default["status"]["conditions"][0]["status"], "True");
    let ranges: Vec<Value> = all(&c, Kind::NODE).iter().map(|n| n["spec"]["podCIDRs"].clone()).collect();
    assert_eq!(
        ranges,
        [json!(["10.244.0.0/24", "fd00:10:244::/64"]), json!(["10.244.1.0/24", "fd00:10:244:1::/64"])]
    );
    let node = stored(&c, Kind::NODE, "node-1");
    assert_eq!(node["spec"]["podCIDR"], "10.244.0.0/24");
    assert_eq!(node["status"]["addresses"][1]["address"], "fc00:f853:ccd:e793::2");
}

/// `pkg/registry/core/service/storage/alloc.go`, `initIPFamilyFields` and `allocIPs`.
#[test]
fn a_service_has_as_many_addresses_as_it_asks_for() {
    let mut c = cluster(0);
    for (name, policy) in [("one", "SingleStack"), ("both", "PreferDualStack"), ("all", "RequireDualStack")] {
        assert_eq!(make(&mut c, Kind::SERVICE, name, web(policy)).code(), 201);
    }
    assert_eq!(service(&c, "one"), json!(["SingleStack", ["IPv4"], ["10.96.1.1"]]));
    let both = json!(["PreferDualStack", ["IPv4", "IPv6"], ["10.96.1.2", "fd00:10:96::101"]]);
    assert_eq!(service(&c, "both"), both);
    let all = json!(["RequireDualStack", ["IPv4", "IPv6"], ["10.96.1.3", "fd00:10:96::102"]]);
    assert_eq!(service(&c, "all"), all);
    // The first family that it names is that of `clusterIP`.
    let six = json!({"ports": [{"port": 80}], "ipFamilies": ["IPv6"], "ipFamilyPolicy": "PreferDualStack"});
    make(&mut c, Kind::SERVICE, "six", six);
    let families = json!(["PreferDualStack", ["IPv6", "IPv4"], ["fd00:10:96::103", "10.96.1.4"]]);
    assert_eq!(service(&c, "six"), families);
    // It can also name addresses.
    let fixed =
        json!({"ports": [{"port": 80}], "clusterIP": "fd00:10:96::7", "clusterIPs": ["fd00:10:96::7"]});
    make(&mut c, Kind::SERVICE, "fixed", fixed);
    assert_eq!(service(&c, "fixed"), json!(["SingleStack", ["IPv6"], ["fd00:10:96::7"]]));
    let twice = json!({"ports": [{"port": 80}], "clusterIP": "10.96.0.9", "clusterIPs": ["10.96.0.9", "fd00:10:96::7"],
        "ipFamilyPolicy": "PreferDualStack"});
    let refused = make(&mut c, Kind::SERVICE, "twice", twice);
    assert_eq!(
        refused.object().unwrap_err().message,
        "Service \"twice\" is invalid: spec.clusterIPs: Invalid value: [\"10.96.0.9\",\"fd00:10:96::7\"]: failed to allocate IP fd00:10:96::7: provided IP is already allocated"
    );
    assert!(!taken(&c).contains(&"10.96.0.9".to_owned()), "what the request took before is given back");
    send(&mut c, Verb::Delete, Kind::SERVICE, "both", Body::Delete(DeleteOptions::default()));
    rest(&mut c);
    let left = [
        "10.96.0.1",
        "10.96.1.1",
        "10.96.1.3",
        "10.96.1.4",
        "fd00:10:96::102",
        "fd00:10:96::103",
        "fd00:10:96::7",
    ];
    assert_eq!(taken(&c), left);
}

/// `pkg/registry/core/service/storage/alloc.go`, `updateClusterIPs`; `endpointslice/reconciler.go`, `Reconcile`: slices of each
/// family.
#[test]
fn a_service_gets_a_second_family_and_loses_it() {
    let mut c = cluster(1);
    let pod = json!({"metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
    send(&mut c, Verb::Create, Kind::POD, "web", Body::Object(Object::from_value(Kind::POD, pod).unwrap()));
    make(&mut c, Kind::SERVICE, "web", web("SingleStack"));
    rest(&mut c);
    let pod = &stored(&c, Kind::POD, "web")["status"];
    assert_eq!(pod["podIP"], "10.244.0.2");
    assert_eq!(pod["podIPs"], json!([{"ip": "10.244.0.2"}, {"ip": "fd00:10:244::2"}]));
    assert_eq!(pod["hostIPs"], json!([{"ip": "172.18.0.2"}, {"ip": "fc00:f853:ccd:e793::2"}]));
    let four = json!(["IPv4", [["10.244.0.2"]]]);
    let six = json!(["IPv6", [["fd00:10:244::2"]]]);
    assert_eq!(slices(&c), std::slice::from_ref(&four));
    patch(&mut c, "web", json!({"ipFamilyPolicy": "RequireDualStack"}));
    let families = json!(["RequireDualStack", ["IPv4", "IPv6"], ["10.96.1.1", "fd00:10:96::101"]]);
    assert_eq!(service(&c, "web"), families);
    rest(&mut c);
    assert_eq!(slices(&c), [four.clone(), six.clone()]);
    // An Endpoints object has addresses of the first family alone.
    let endpoints = all(&c, Kind::ENDPOINTS);
    assert_eq!(endpoints[0]["subsets"][0]["addresses"].as_array().unwrap().len(), 1);
    let refused = patch(&mut c, "web", json!({"ipFamilies": ["IPv4"]}));
    assert_eq!(
        refused.object().unwrap_err().message,
        "Service \"web\" is invalid: spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": must be 'SingleStack' to release the secondary IP family"
    );
    patch(&mut c, "web", json!({"ipFamilyPolicy": "SingleStack"}));
    assert_eq!(service(&c, "web"), json!(["SingleStack", ["IPv4"], ["10.96.1.1"]]));
    rest(&mut c);
    assert_eq!(slices(&c), [four]);
    assert_eq!(taken(&c), ["10.96.0.1", "10.96.1.1"]);
}

/// `kubelet_pods.go`, `podFieldSelectorRuntimeValue` and `managedHostsFileContent`.
#[test]
fn what_pods_are_told_of_their_addresses() {
    let mut c = cluster(1);
    let field =
        |path: &str| json!({"name": path.replace('.', "_"), "valueFrom": {"fieldRef": {"fieldPath": path}}});
    let pod = json!({"metadata": {"name": "web", "namespace": "default"}, "spec": {"containers": [{
        "name": "c", "image": "busybox",
        "env": [field("status.podIP"), field("status.podIPs"), field("status.hostIPs")],
        "command": ["sh", "-c", "echo $status_podIP $status_podIPs $status_hostIPs; grep web /etc/hosts; sleep 1d"],
    }]}});
    send(&mut c, Verb::Create, Kind::POD, "web", Body::Object(Object::from_value(Kind::POD, pod).unwrap()));
    let host = json!({"metadata": {"name": "host", "namespace": "default"}, "spec": {
        "hostNetwork": true, "containers": [{"name": "c", "image": "nginx"}]}});
    send(&mut c, Verb::Create, Kind::POD, "host", Body::Object(Object::from_value(Kind::POD, host).unwrap()));
    rest(&mut c);
    let request = crate::apimachinery::HttpRequest {
        method: "GET".into(),
        path: "/api/v1/namespaces/default/pods/web/log".into(),
        ..Default::default()
    };
    let log = c.http(&request).0.body;
    assert_eq!(
        log,
        "10.244.0.2 10.244.0.2,fd00:10:244::2 172.18.0.2,fc00:f853:ccd:e793::2\n10.244.0.2\tweb\nfd00:10:244::2\tweb\n"
    );
    let ips = &stored(&c, Kind::POD, "host")["status"]["podIPs"];
    assert_eq!(*ips, json!([{"ip": "172.18.0.2"}, {"ip": "fc00:f853:ccd:e793::2"}]));
}

/// `reconcileByAddressType`: such a pod is about to be deleted by the pod garbage collector.
#[test]
fn a_pod_of_a_node_that_is_gone_is_no_endpoint() {
    let mut c = cluster(1);
    let pod = json!({"metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}},
        "spec": {"nodeName": "gone", "containers": [{"name": "c", "image": "nginx"}]}});
    send(&mut c, Verb::Create, Kind::POD, "web", Body::Object(Object::from_value(Kind::POD, pod).unwrap()));
    let mut status = stored(&c, Kind::POD, "web");
    status["status"] = json!({"phase": "Running", "podIP": "10.0.0.9", "podIPs": [{"ip": "10.0.0.9"}]});
    let object = Object::from_value(Kind::POD, status).unwrap();
    let update = Request::new(&"kubelet".into(), Verb::Update, Kind::POD, object.key());
    let update = update.subresource(crate::apimachinery::Subresource::Status).body(Body::Object(object));
    assert_eq!(c.request(&update).0.code(), 200);
    make(&mut c, Kind::SERVICE, "web", web("SingleStack"));
    rest(&mut c);
    assert_eq!(slices(&c), [json!(["IPv4", []])]);
    // The garbage collector deletes the pod after 40 s: the Service is tried 1, 3, 7, 15 and 31 s after the first time.
    let events = c.api().etcd().iter().filter(|(at, _)| at.kind == Kind::EVENT);
    let events: Vec<Value> = events
        .map(|(_, r)| r.object.to_value())
        .filter(|e| e["reason"] == "FailedToUpdateEndpointSlices")
        .map(|e| {
            json!([
                e["involvedObject"]["kind"],
                e["source"]["component"],
                e["type"],
                e["message"],
                e["count"]
            ])
        })
        .collect();
    let message = "Error updating Endpoint Slices for Service default/web: skipping Pod web for Service default/web: Node gone Not Found";
    assert_eq!(events, [json!(["Service", "endpoint-slice-controller", "Warning", message, 6])]);
}

/// `pkg/controller/endpointslicemirroring/reconciler.go`, `reconcile`.
#[test]
fn endpoints_of_both_families_are_mirrored_into_slices_of_each() {
    let mut c = cluster(0);
    make(&mut c, Kind::SERVICE, "web", json!({"ports": [{"port": 80}], "ipFamilyPolicy": "PreferDualStack"}));
    let value = json!({"metadata": {"name": "web", "namespace": "default"}, "subsets": [
        {"addresses": [{"ip": "192.0.2.1"}, {"ip": "2001:db8::1"}], "ports": [{"port": 8080}]}]});
    let object = Object::from_value(Kind::ENDPOINTS, value).unwrap();
    send(&mut c, Verb::Create, Kind::ENDPOINTS, "web", Body::Object(object));
    rest(&mut c);
    assert_eq!(slices(&c), [json!(["IPv4", [["192.0.2.1"]]]), json!(["IPv6", [["2001:db8::1"]]])]);
}
