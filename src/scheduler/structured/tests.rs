#![allow(clippy::unwrap_used)]
//! After `structured/internal/allocatortesting/allocator_testing.go` of `k8s.io/dynamic-resource-allocation`.

use std::rc::Rc;

use serde_json::{Value, json};

use super::{Allocator, Failure};
use crate::api::types::Node;
use crate::api::types::resource::{ResourceClaim, ResourceSlice};

fn node(name: &str) -> Node {
    serde_json::from_value(
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"zone": name}}}),
    )
    .unwrap()
}

/// A slice of driver `d` with a pool of one slice, for what `of` says.
fn slice(name: &str, pool: &str, of: Value, devices: Value) -> Rc<ResourceSlice> {
    let mut spec = json!({"driver": "d", "devices": devices,
        "pool": {"name": pool, "generation": 1, "resourceSliceCount": 1}});
    spec.as_object_mut().unwrap().extend(of.as_object().unwrap().clone());
    let slice = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec});
    Rc::new(serde_json::from_value(slice).unwrap())
}

fn claim(name: &str, devices: Value) -> Rc<ResourceClaim> {
    let claim = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "ns", "uid": name}, "spec": {"devices": devices}});
    Rc::new(serde_json::from_value(claim).unwrap())
}

/// A request for `count` devices of class `c`, with more fields.
fn exactly(name: &str, count: i64, more: Value) -> Value {
    let mut exactly = json!({"deviceClassName": "c", "allocationMode": "ExactCount", "count": count});
    exactly.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"name": name, "exactly": exactly})
}

fn all(name: &str) -> Value {
    json!({"name": name, "exactly": {"deviceClassName": "c", "allocationMode": "All"}})
}

fn allocator(slices: Vec<Rc<ResourceSlice>>, class: Value) -> Allocator {
    let class = json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "c"}, "spec": class});
    let class = Rc::new(serde_json::from_value(class).unwrap());
    Allocator { slices, classes: [("c".to_owned(), class)].into(), ..Allocator::default() }
}

/// What claims get on a node: for each claim the requests with their devices.
fn given(a: &Allocator, on: &str, claims: &[Rc<ResourceClaim>]) -> Result<Option<Vec<Vec<String>>>, Failure> {
    let found = a.allocate(&node(on), claims)?;
    let of = |claim: crate::api::types::resource::AllocationResult| {
        let results = claim.devices.and_then(|d| d.results).unwrap_or_default();
        results.into_iter().map(|r| format!("{}={}/{}", r.request, r.pool, r.device)).collect()
    };
    Ok(found.map(|all| all.into_iter().map(of).collect()))
}

fn one(a: &Allocator, on: &str, devices: Value) -> Result<Option<Vec<String>>, Failure> {
    Ok(given(a, on, &[claim("a", devices)])?.and_then(|mut all| all.pop()))
}

fn on(node: &str) -> Value {
    json!({"nodeName": node})
}

fn named(names: &[&str]) -> Value {
    names.iter().map(|name| json!({"name": name})).collect()
}

fn got(devices: &[&str]) -> Result<Option<Vec<String>>, Failure> {
    Ok(Some(devices.iter().map(|d| (*d).to_owned()).collect()))
}

/// Devices are taken in the order of pools, slices and devices, and only on the node that has them.
#[test]
fn the_first_devices_of_a_node_are_taken() {
    let a = allocator(
        vec![slice("s2", "p2", on("n1"), named(&["x"])), slice("s1", "p1", on("n1"), named(&["b", "a"]))],
        json!({}),
    );
    let requests = json!({"requests": [exactly("r", 2, json!({})), exactly("q", 1, json!({}))]});
    assert_eq!(one(&a, "n1", requests.clone()), got(&["r=p1/b", "r=p1/a", "q=p2/x"]));
    assert_eq!(one(&a, "n2", requests), Ok(None));
    let result = a.allocate(&node("n1"), &[claim("a", json!({"requests": [exactly("r", 1, json!({}))]}))]);
    let selector = result.unwrap().unwrap().remove(0).node_selector.unwrap();
    let field = selector.node_selector_terms[0].match_fields.as_ref().unwrap()[0].clone();
    assert_eq!((field.key.as_str(), field.values), ("metadata.name", Some(vec!["n1".to_owned()])));
}

/// `allocatedDevices`: what a claim has, another one does not get.
#[test]
fn a_device_is_given_once() {
    let mut a = allocator(vec![slice("s", "p", on("n1"), named(&["a", "b"]))], json!({}));
    let mut taken = claim("t", json!({}));
    let status = json!({"allocation": {"devices": {"results": [{"request": "r", "driver": "d", "pool": "p", "device": "a"}]}}});
    Rc::make_mut(&mut taken).status = serde_json::from_value(status).unwrap();
    a.allocated.add(&taken);
    assert_eq!(one(&a, "n1", json!({"requests": [exactly("r", 1, json!({}))]})), got(&["r=p/b"]));
    assert_eq!(one(&a, "n1", json!({"requests": [exactly("r", 2, json!({}))]})), Ok(None));
    let admin = exactly("r", 2, json!({"adminAccess": true}));
    assert_eq!(one(&a, "n1", json!({"requests": [admin]})), got(&["r=p/a", "r=p/b"]));
}

/// `GatherPools`: out-dated slices are ignored, and nothing is taken from a pool that is not complete.
#[test]
fn a_pool_has_to_be_complete() {
    let of = |generation: i64, count: i64| json!({"nodeName": "n1", "pool": {"name": "p", "generation": generation, "resourceSliceCount": count}});
    let slices =
        vec![slice("s1", "p", of(1, 1), named(&["old"])), slice("s2", "p", of(2, 2), named(&["new"]))];
    let a = allocator(slices.clone(), json!({}));
    assert_eq!(one(&a, "n1", json!({"requests": [exactly("r", 1, json!({}))]})), Ok(None));
    assert_eq!(
        one(&a, "n1", json!({"requests": [all("r")]})),
        Err(Failure::Wrong(
            "claim ns/a, request r: asks for all devices, but resource pool d/p is currently being updated"
                .to_owned()
        ))
    );
    let elsewhere =
        json!({"nodeName": "n2", "pool": {"name": "p", "generation": 2, "resourceSliceCount": 2}});
    let whole = [slices, vec![slice("s3", "p", elsewhere, named(&["other"]))]].concat();
    let a = allocator(whole, json!({}));
    assert_eq!(one(&a, "n1", json!({"requests": [all("r")]})), got(&["r=p/new"]));
    let twice = allocator(vec![slice("s", "p", on("n1"), named(&["a", "a"]))], json!({}));
    assert_eq!(
        one(&twice, "n1", json!({"requests": [exactly("r", 1, json!({}))]})),
        Err(Failure::OnNode("invalid resource pools were encountered".to_owned()))
    );
}

/// `selectorsMatch`: class and request both select, and an error ends everything.
#[test]
fn selectors_of_class_and_request_are_asked() {
    let devices = json!([{"name": "small", "attributes": {"size": {"int": 1}}}, {"name": "big", "attributes": {"size": {"int": 9}}}]);
    let cel = |expression: &str| json!({"selectors": [{"cel": {"expression": expression}}]});
    let a = allocator(vec![slice("s", "p", on("n1"), devices)], cel("device.driver == 'd'"));
    let ask = |expression: &str| one(&a, "n1", json!({"requests": [exactly("r", 1, cel(expression))]}));
    assert_eq!(ask("device.attributes['d'].size > 5"), got(&["r=p/big"]));
    assert_eq!(ask("device.attributes['d'].size > 9"), Ok(None));
    assert_eq!(
        ask("device.attributes['d'].none > 9"),
        Err(Failure::Wrong("claim ns/a: selector #0: CEL runtime error: no such key: none".to_owned()))
    );
}

/// `matchAttributeConstraint` and `distinctAttributeConstraint`: the search goes back where the first choice does not fit.
#[test]
fn constraints_make_the_search_go_back() {
    let device = |name: &str, numa: i64| json!({"name": name, "attributes": {"numa": {"int": numa}}});
    let devices = json!([device("a", 1), device("b", 2), device("c", 2)]);
    let a = allocator(vec![slice("s", "p", on("n1"), devices)], json!({}));
    let ask = |constraint: Value, count: i64| {
        one(
            &a,
            "n1",
            json!({"requests": [exactly("r", 1, json!({})), exactly("q", count, json!({}))], "constraints": [constraint]}),
        )
    };
    assert_eq!(ask(json!({"matchAttribute": "d/numa"}), 1), got(&["r=p/b", "q=p/c"]));
    assert_eq!(ask(json!({"matchAttribute": "d/numa"}), 2), Ok(None));
    assert_eq!(ask(json!({"distinctAttribute": "d/numa"}), 1), got(&["r=p/a", "q=p/b"]));
    assert_eq!(
        ask(json!({"requests": ["q"], "matchAttribute": "d/numa"}), 2),
        got(&["r=p/a", "q=p/b", "q=p/c"])
    );
}

/// `firstAvailable`: the first alternative that there is, and the claim limit of 32 devices.
#[test]
fn the_first_alternative_that_there_is_is_taken() {
    let sub = |name: &str, count: i64| json!({"name": name, "deviceClassName": "c", "allocationMode": "ExactCount", "count": count});
    let a = allocator(
        vec![slice("s", "p", on("n1"), named(&["a", "b"]))],
        json!({"config": [{"opaque": {"driver": "d", "parameters": {}}}]}),
    );
    let request = json!({"requests": [{"name": "r", "firstAvailable": [sub("three", 3), sub("two", 2)]}]});
    assert_eq!(one(&a, "n1", request.clone()), got(&["r/two=p/a", "r/two=p/b"]));
    let result = a.allocate(&node("n1"), &[claim("a", request)]).unwrap().unwrap().remove(0);
    let config = result.devices.unwrap().config.unwrap();
    assert_eq!(
        (config[0].source.as_str(), config[0].requests.clone()),
        ("FromClass", Some(vec!["r/two".to_owned()]))
    );
    assert_eq!(
        one(&a, "n1", json!({"requests": [exactly("r", 33, json!({}))]})),
        Err(Failure::Wrong(
            "claim ns/a: number of requested devices 33 exceeds the claim limit of 32".to_owned()
        ))
    );
}

/// `taintPreventsAllocation`.
#[test]
fn a_taint_has_to_be_tolerated() {
    let taint = json!([{"key": "k", "value": "v", "effect": "NoSchedule"}]);
    let a = allocator(vec![slice("s", "p", on("n1"), json!([{"name": "a", "taints": taint}]))], json!({}));
    let ask = |tolerations: Value| {
        one(&a, "n1", json!({"requests": [exactly("r", 1, json!({"tolerations": tolerations}))]}))
    };
    assert_eq!(ask(json!([])), Ok(None));
    assert_eq!(ask(json!([{"key": "k", "operator": "Equal", "value": "w"}])), Ok(None));
    assert_eq!(ask(json!([{"key": "k", "operator": "Exists"}])), got(&["r=p/a"]));
}

/// `checkAvailableCounters`: devices that share counters are given as long as there are enough.
#[test]
fn devices_share_counters() {
    let of = |count: &str| json!([{"counterSet": "gpu", "counters": {"slices": {"value": count}}}]);
    let devices = json!([{"name": "whole", "consumesCounters": of("4")}, {"name": "half-1", "consumesCounters": of("2")},
        {"name": "half-2", "consumesCounters": of("2")}]);
    let pool = json!({"nodeName": "n1", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 2}});
    let mut counters = pool.clone();
    counters["sharedCounters"] = json!([{"name": "gpu", "counters": {"slices": {"value": "4"}}}]);
    let slices = vec![slice("s1", "p", pool, devices), slice("s2", "p", counters, json!([]))];
    let a = allocator(slices, json!({}));
    assert_eq!(one(&a, "n1", json!({"requests": [exactly("r", 1, json!({}))]})), got(&["r=p/whole"]));
    assert_eq!(
        one(&a, "n1", json!({"requests": [exactly("r", 2, json!({}))]})),
        got(&["r=p/half-1", "r=p/half-2"])
    );
    assert_eq!(one(&a, "n1", json!({"requests": [exactly("r", 3, json!({}))]})), Ok(None));
}

/// `consumable_capacity.go`: a device that more than one claim can have is given as long as its capacity suffices.
#[test]
fn claims_share_the_capacity_of_a_device() {
    let policy = json!({"default": "1Gi", "validRange": {"min": "1Gi", "step": "1Gi"}});
    let device = json!([{"name": "a", "allowMultipleAllocations": true, "capacity": {"memory": {"value": "4Gi", "requestPolicy": policy}}}]);
    let mut a = allocator(vec![slice("s", "p", on("n1"), device)], json!({}));
    let of = |memory: &str| exactly("r", 1, json!({"capacity": {"requests": {"memory": memory}}}));
    let found = a
        .allocate(&node("n1"), &[claim("a", json!({"requests": [of("2500Mi")]}))])
        .unwrap()
        .unwrap()
        .remove(0);
    let result = found.devices.clone().unwrap().results.unwrap().remove(0);
    assert_eq!(result.consumed_capacity.unwrap()["memory"].0, "3Gi");
    assert!(result.share_id.is_some_and(|id| id.len() == 36));
    let mut first = claim("a", json!({}));
    Rc::make_mut(&mut first).status.get_or_insert_default().allocation = Some(found);
    a.allocated.add(&first);
    assert_eq!(one(&a, "n1", json!({"requests": [of("1Gi")]})), got(&["r=p/a"]));
    assert_eq!(one(&a, "n1", json!({"requests": [of("2Gi")]})), Ok(None));
}
