//! Tables of what is valid and what is not, mostly after Kubernetes' own `validation_test.go` of a group.
#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;
use crate::api::types;
use crate::apiserver::rest::validate_create;
use crate::apiserver::validation::{FieldError, aggregate};

mod devices;
mod ingress;
mod ingress_class;
mod ip_address;
mod network_policy;
mod node;
mod pod;
mod rbac;
mod replication_controller;
mod resource_quota;
mod service;
mod service_cidr;
mod storage;
mod workloads;

/// What is done to a valid spec.
type Change = fn(&mut Value);

/// An object that was decoded and defaulted.
fn object(kind: Kind, mut body: Value) -> Object {
    for (field, value) in [("name", "x"), ("resourceVersion", "1")] {
        if body["metadata"][field].is_null() {
            body["metadata"][field] = value.into();
        }
    }
    if kind.namespaced() {
        body["metadata"]["namespace"] = "default".into();
    }
    crate::apiserver::rest::prepare(kind, &mut body).unwrap();
    let mut object = Object::from_value(kind, body).unwrap();
    crate::apiserver::rest::default(&mut object);
    object
}

/// All errors in one text, as a message has them; empty if there are none.
fn said(errors: &[FieldError]) -> String {
    if errors.is_empty() { String::new() } else { aggregate(errors) }
}

/// What is said of a new object.
fn refusals(kind: Kind, body: Value) -> String {
    said(&validate_create(&object(kind, body)))
}

#[test]
fn every_kind_has_as_many_cells_as_columns() {
    for kind in Kind::BUILT_IN {
        let object = Object::from_value(*kind, json!({"metadata": {"name": "x"}}));
        // Some kinds have fields that must be there; those have rows in tests of their own.
        let Ok(object) = object else { continue };
        assert_eq!(row(&object, Timestamp::UNIX_EPOCH).len(), columns(*kind).len(), "{kind:?}");
    }
}

#[test]
fn a_status_update_copies_a_spec_only_if_it_differs() {
    let pod = |image: &str| {
        let spec = json!({"containers": [{"name": "c", "image": image}]});
        Object::from_value(Kind::POD, json!({"metadata": {"name": "p"}, "spec": spec})).unwrap()
    };
    let containers = |o: &Object| o.get::<types::Pod>().unwrap().spec.as_ref().unwrap().containers.as_ptr();
    let (old, mut same, mut other) = (pod("a"), pod("a"), pod("b"));
    let before = containers(&same);
    prepare_for_status_update(&mut same, &old, Timestamp::UNIX_EPOCH);
    assert_eq!(containers(&same), before);
    prepare_for_status_update(&mut other, &old, Timestamp::UNIX_EPOCH);
    assert_eq!(other, old);
}
