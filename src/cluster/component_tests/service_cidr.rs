//! ServiceCIDRs and IPAddresses: what the API server takes and gives back, its repair loop, and the controller of
//! kube-controller-manager, in whole clusters.
#![allow(clippy::unwrap_used)]

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::api::{Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Body, DeleteOptions, Patch, Request, Response, Verb};
use crate::cluster::{Cluster, Config};

fn send(c: &mut Cluster, verb: Verb, kind: Kind, name: &str, body: Body) -> Response {
    let namespace = if kind.namespaced() { "default" } else { "" };
    c.request(&Request::new(&"kubectl".into(), verb, kind, Key::new(namespace, name)).body(body)).0
}

fn create(c: &mut Cluster, kind: Kind, value: Value) -> Response {
    let object = Object::from_value(kind, value).unwrap();
    let name = object.name().to_owned();
    send(c, Verb::Create, kind, &name, Body::Object(object))
}

fn delete(c: &mut Cluster, kind: Kind, name: &str) {
    assert!(send(c, Verb::Delete, kind, name, Body::Delete(DeleteOptions::default())).code() < 300);
}

fn service(name: &str, spec: Value) -> Value {
    let mut value =
        json!({"metadata": {"name": name, "namespace": "default"}, "spec": {"ports": [{"port": 80}]}});
    value["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    value
}

fn range(name: &str, cidr: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {"cidrs": [cidr]}})
}

fn stored(c: &Cluster, kind: Kind, name: &str) -> Option<Value> {
    let namespace = if kind.namespaced() { "default" } else { "" };
    let at = ObjectRef { kind, key: Key::new(namespace, name) };
    c.api().etcd().get(&at).map(|r| r.object.to_value())
}

fn addresses(c: &Cluster) -> Vec<String> {
    c.api().etcd().range(Kind::IP_ADDRESS, None).map(|(_, r)| r.object.name().to_owned()).collect()
}

fn events(c: &Cluster, reason: &str) -> Vec<String> {
    let all = c.api().etcd().range(Kind::EVENT, None).map(|(_, r)| r.object.to_value());
    all.filter(|e| e["reason"] == reason)
        .map(|e| {
            format!("{}: {}", e["involvedObject"]["name"].as_str().unwrap(), e["message"].as_str().unwrap())
        })
        .collect()
}

fn rest(c: &mut Cluster) {
    assert!(c.run_to_steady(2000, |_, _| {}), "it comes to rest");
}

fn cluster() -> Cluster {
    Cluster::new(&Config::nodes(0))
}

/// `pkg/controlplane/controller/defaultservicecidr/default_servicecidr_controller.go`;
/// `pkg/controller/servicecidrs/servicecidrs_controller.go`, `sync`: the condition.
#[test]
fn the_default_range_is_there_from_the_start() {
    let mut c = cluster();
    let before = c.now();
    rest(&mut c);
    assert_eq!(c.now(), before, "nothing is left to do");
    let default = stored(&c, Kind::SERVICE_CIDR, "kubernetes").unwrap();
    assert_eq!(default["spec"]["cidrs"], json!(["10.96.0.0/16"]));
    assert_eq!(default["metadata"]["finalizers"], json!(["networking.k8s.io/service-cidr-finalizer"]));
    let ready = &default["status"]["conditions"][0];
    assert_eq!((&ready["status"], &ready["reason"]), (&json!("True"), &json!("")));
    assert_eq!(ready["message"], "Kubernetes Service CIDR is ready");
    let address = stored(&c, Kind::IP_ADDRESS, "10.96.0.1").unwrap();
    assert_eq!(
        address["metadata"]["labels"],
        json!({"ipaddress.kubernetes.io/ip-family": "IPv4", "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"})
    );
    assert_eq!(
        address["spec"]["parentRef"],
        json!({"resource": "services", "namespace": "default", "name": "kubernetes"})
    );
}

/// `pkg/controlplane/controller/defaultservicecidr/default_servicecidr_controller.go`, `sync`;
/// `pkg/controller/servicecidrs/servicecidrs_controller.go`, `canDeleteCIDR`.
#[test]
fn the_default_range_comes_back() {
    let mut c = cluster();
    create(&mut c, Kind::SERVICE_CIDR, range("around", "10.0.0.0/8"));
    rest(&mut c);
    let uid = |c: &Cluster| stored(c, Kind::SERVICE_CIDR, "kubernetes").unwrap()["metadata"]["uid"].clone();
    let before = uid(&c);
    delete(&mut c, Kind::SERVICE_CIDR, "kubernetes");
    rest(&mut c);
    assert_ne!(uid(&c), before, "the range around it has its addresses, so it could go");
    let default = stored(&c, Kind::SERVICE_CIDR, "kubernetes").unwrap();
    assert_eq!(default["status"]["conditions"][0]["status"], "True");
}

/// `pkg/registry/core/service/storage/alloc.go`, `allocateCreate` and `allocateUpdate`;
/// `pkg/registry/core/service/ipallocator/ipallocator.go`: addresses that nobody names come from the upper part of a range.
#[test]
fn an_address_is_there_as_long_as_its_service() {
    let mut c = cluster();
    assert_eq!(create(&mut c, Kind::SERVICE, service("web", json!({}))).code(), 201);
    create(&mut c, Kind::SERVICE, service("fixed", json!({"clusterIP": "10.96.0.10"})));
    create(&mut c, Kind::SERVICE, service("none", json!({"clusterIP": "None"})));
    assert_eq!(addresses(&c), ["10.96.0.1", "10.96.0.10", "10.96.1.1"]);
    assert_eq!(stored(&c, Kind::SERVICE, "web").unwrap()["spec"]["clusterIP"], "10.96.1.1");
    let mut change = |spec: Value| {
        let patch = Body::Patch(Patch::Merge(json!({"spec": spec})));
        send(&mut c, Verb::Patch, Kind::SERVICE, "web", patch).code()
    };
    let nothing =
        json!({"type": "ExternalName", "externalName": "a.b", "clusterIP": null, "clusterIPs": null});
    assert_eq!(change(nothing), 200);
    assert_eq!(addresses(&c), ["10.96.0.1", "10.96.0.10"]);
    let again = json!({"type": "ClusterIP", "externalName": null});
    let patch = Body::Patch(Patch::Merge(json!({"spec": again})));
    assert_eq!(send(&mut c, Verb::Patch, Kind::SERVICE, "web", patch).code(), 200);
    assert_eq!(addresses(&c), ["10.96.0.1", "10.96.0.10", "10.96.1.1"]);
    delete(&mut c, Kind::SERVICE, "web");
    delete(&mut c, Kind::SERVICE, "fixed");
    assert_eq!(addresses(&c), ["10.96.0.1"]);
    rest(&mut c);
    assert!(events(&c, "ClusterIPNotAllocated").is_empty());
}

/// `pkg/registry/core/service/storage/alloc.go`, `allocateCreate`, and `transaction.go`: what was taken is given back.
#[test]
fn a_refused_service_leaves_no_address() {
    let mut c = cluster();
    let revision = c.api().etcd().revision();
    let wrong = service("web", json!({"sessionAffinity": "Sometimes"}));
    assert_eq!(create(&mut c, Kind::SERVICE, wrong).code(), 422);
    assert_eq!(addresses(&c), ["10.96.0.1"]);
    assert_eq!(c.api().etcd().revision(), revision + 2, "it was taken, and given back");
    let object = Object::from_value(Kind::SERVICE, service("web", json!({}))).unwrap();
    let mut dry = Request::new(&"kubectl".into(), Verb::Create, Kind::SERVICE, object.key());
    dry.dry_run = true;
    let answer = c.request(&dry.body(Body::Object(object))).0.object().unwrap().unwrap();
    assert_eq!(answer.to_value()["spec"]["clusterIP"], "10.96.0.0", "a dry run looks for no free address");
    assert_eq!(c.api().etcd().revision(), revision + 2);
}

/// `pkg/registry/core/service/ipallocator/interfaces.go`: `ErrAllocated`, `ErrMismatchedNetwork`.
#[test]
fn what_cannot_be_had_is_refused() {
    let mut c = cluster();
    let mut refusal = |ip: &str| match create(&mut c, Kind::SERVICE, service("web", json!({"clusterIP": ip})))
    {
        Response::Failure(s) => s.message.rsplit_once("failed to allocate IP ").unwrap().1.to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(refusal("10.96.0.1"), "10.96.0.1: provided IP is already allocated");
    for ip in ["10.97.0.1", "10.96.0.0", "10.96.255.255"] {
        assert_eq!(refusal(ip), format!("{ip}: the provided network does not match the current range"));
    }
    // Somebody else than a Service may have an address.
    let parent = json!({"group": "gateway.networking.k8s.io", "resource": "gateways", "name": "g"});
    let address = json!({"metadata": {"name": "10.96.0.7"}, "spec": {"parentRef": parent}});
    assert_eq!(create(&mut c, Kind::IP_ADDRESS, address).code(), 201);
    let taken = create(&mut c, Kind::SERVICE, service("web", json!({"clusterIP": "10.96.0.7"})));
    assert_eq!(taken.code(), 422);
}

/// `pkg/controller/servicecidrs/servicecidrs_controller.go`, `canDeleteCIDR`;
/// `pkg/registry/core/service/ipallocator/cidrallocator.go`: a range that is being deleted gives out none.
#[test]
fn a_range_stays_as_long_as_its_addresses_are_needed() {
    let mut c = cluster();
    let fixed = || service("web", json!({"clusterIP": "10.200.0.1"}));
    assert_eq!(create(&mut c, Kind::SERVICE, fixed()).code(), 422);
    create(&mut c, Kind::SERVICE_CIDR, range("more", "10.200.0.0/30"));
    rest(&mut c);
    assert_eq!(create(&mut c, Kind::SERVICE, fixed()).code(), 201);
    delete(&mut c, Kind::SERVICE_CIDR, "more");
    rest(&mut c);
    let held = stored(&c, Kind::SERVICE_CIDR, "more").unwrap();
    let condition = &held["status"]["conditions"][0];
    assert_eq!((&condition["status"], &condition["reason"]), (&json!("False"), &json!("Terminating")));
    // While it is being deleted, none of its addresses is given out.
    let other = create(&mut c, Kind::SERVICE, service("other", json!({"clusterIP": "10.200.0.2"})));
    assert_eq!(other.code(), 422);
    let before = c.now();
    delete(&mut c, Kind::SERVICE, "web");
    rest(&mut c);
    assert!(stored(&c, Kind::SERVICE_CIDR, "more").is_none());
    assert!(c.now().duration_since(before) <= SignedDuration::from_secs(10));
}

/// `pkg/registry/core/service/ipallocator/cidrallocator.go`, `AllocateNextService`.
#[test]
fn a_full_range_leaves_room_in_another() {
    let mut c = cluster();
    // The default range is kept by the address of the Service `kubernetes`, and gives out none.
    delete(&mut c, Kind::SERVICE_CIDR, "kubernetes");
    create(&mut c, Kind::SERVICE_CIDR, range("small", "10.200.0.0/30"));
    for (name, code) in [("a", 201), ("b", 201), ("c", 500)] {
        assert_eq!(create(&mut c, Kind::SERVICE, service(name, json!({}))).code(), code);
    }
    create(&mut c, Kind::SERVICE_CIDR, range("tiny", "10.201.0.0/30"));
    assert_eq!(create(&mut c, Kind::SERVICE, service("c", json!({}))).code(), 201);
    assert_eq!(addresses(&c), ["10.200.0.1", "10.200.0.2", "10.201.0.1", "10.96.0.1"]);
}

/// `pkg/registry/core/service/ipallocator/controller/repairip.go`, `syncService`: the event; `doRunOnce` every three minutes.
#[test]
fn a_lost_address_is_noted_again_within_three_minutes() {
    let mut c = cluster();
    create(&mut c, Kind::SERVICE, service("web", json!({})));
    rest(&mut c);
    let before = c.now();
    delete(&mut c, Kind::IP_ADDRESS, "10.96.1.1");
    rest(&mut c);
    assert_eq!(addresses(&c), ["10.96.0.1", "10.96.1.1"]);
    assert!(c.now().duration_since(before) <= SignedDuration::from_secs(180));
    assert_eq!(
        events(&c, "ClusterIPNotAllocated"),
        ["web: Cluster IP [IPv4]: 10.96.1.1 is not allocated; repairing"]
    );
}

/// `pkg/registry/core/service/ipallocator/controller/repairip.go`, `syncService`.
#[test]
fn an_address_whose_service_is_gone_within_the_three_minutes_is_left() {
    let mut c = cluster();
    create(&mut c, Kind::SERVICE, service("web", json!({})));
    rest(&mut c);
    delete(&mut c, Kind::IP_ADDRESS, "10.96.1.1");
    c.settle().unwrap();
    delete(&mut c, Kind::SERVICE, "web");
    let before = c.now();
    rest(&mut c);
    assert_eq!((addresses(&c), c.now()), (vec!["10.96.0.1".to_owned()], before));
}

/// `pkg/registry/core/service/ipallocator/controller/repairip.go`, `syncIPAddress`.
#[test]
fn an_address_without_a_service_is_deleted() {
    let mut c = cluster();
    rest(&mut c);
    let labels = json!({"ipaddress.kubernetes.io/ip-family": "IPv4", "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"});
    let address = |name: &str, parent: Value| json!({"metadata": {"name": name, "labels": labels}, "spec": {"parentRef": parent}});
    let of = |name: &str| json!({"resource": "services", "namespace": "default", "name": name});
    create(&mut c, Kind::IP_ADDRESS, address("10.96.0.5", of("nobody")));
    create(&mut c, Kind::IP_ADDRESS, address("10.96.0.6", of("kubernetes")));
    create(
        &mut c,
        Kind::IP_ADDRESS,
        address("10.96.0.7", json!({"group": "a.b", "resource": "things", "name": "t"})),
    );
    let before = c.now();
    c.settle().unwrap();
    assert_eq!(addresses(&c), ["10.96.0.1", "10.96.0.5"], "its Service may be on its way");
    rest(&mut c);
    assert_eq!(c.now(), before + SignedDuration::from_secs(60));
    assert_eq!(addresses(&c), ["10.96.0.1"]);
    assert_eq!(
        events(&c, "IPAddressNotAllocated"),
        [
            "10.96.0.5: IPAddress: 10.96.0.5 for Service default/nobody appears to have leaked: cleaning up",
            "10.96.0.7: IPAddress 10.96.0.7 appears to have been modified, not referencing a Service &ParentReference{Group:a.b,Resource:things,Namespace:,Name:t,}: cleaning up",
        ]
    );
    assert_eq!(
        events(&c, "IPAddressWrongReference"),
        ["10.96.0.6: IPAddress: 10.96.0.6 for Service default/kubernetes has a wrong reference; cleaning up"]
    );
}

/// `syncIPAddress` in `pkg/registry/core/service/ipallocator/controller/repairip.go`: an address that is younger than its Service
/// may still be given back, and one of a Service without addresses may be on its way to it.
#[test]
fn a_young_address_with_a_wrong_reference_is_left_for_a_while() {
    let mut c = cluster();
    rest(&mut c);
    create(&mut c, Kind::SERVICE, service("web", json!({"clusterIP": "10.96.0.20"})));
    let outside = json!({"type": "ExternalName", "externalName": "example.com"});
    create(&mut c, Kind::SERVICE, service("outside", outside));
    rest(&mut c);
    let to = c.now() + SignedDuration::from_secs(10);
    c.run_until(to, |_, _| {}).unwrap();
    let labels = json!({"ipaddress.kubernetes.io/ip-family": "IPv4", "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"});
    for (ip, name) in [("10.96.0.30", "web"), ("10.96.0.31", "outside")] {
        let parent = json!({"resource": "services", "namespace": "default", "name": name});
        let address = json!({"metadata": {"name": ip, "labels": labels}, "spec": {"parentRef": parent}});
        assert!(create(&mut c, Kind::IP_ADDRESS, address).code() < 300);
    }
    let start = c.now();
    let mut gone = Vec::new();
    let to = start + SignedDuration::from_secs(90);
    c.run_until(to, |c, _| {
        for ip in ["10.96.0.30", "10.96.0.31"] {
            if stored(c, Kind::IP_ADDRESS, ip).is_none() && !gone.iter().any(|(gone, _)| *gone == ip) {
                gone.push((ip, c.now().duration_since(start).as_secs()));
            }
        }
    })
    .unwrap();
    let [(first, after), (second, later)] = gone[..] else { panic!("{gone:?}") };
    assert_eq!((first, second), ("10.96.0.30", "10.96.0.31"));
    // Times of creation are whole seconds.
    assert!((4..=5).contains(&after) && (59..=60).contains(&later), "{gone:?}");
}
