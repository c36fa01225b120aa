//! The facts of nginx/nginx-gateway-fabric v2.6.7 and of the Gateway API v1.5.1; each test names the file that it follows.
#![allow(clippy::unwrap_used)]

mod conditions;
mod requests;

use std::collections::BTreeMap;
use std::net::SocketAddr;

use serde_json::{Value, json};

use super::graph::{Graph, Known};
use super::objects::Source;
use super::status;
use super::{Configuration, name_of_resources};
use crate::api::types::{EndpointSlice, Namespace, Secret, Service};
use crate::api::{Key, MetaExt};
use crate::network::header::HeaderFields;
use crate::network::passing::{Lack, Passes, Request, Routed, Then};

const CONTROLLER: &str = "gateway.nginx.org/nginx-gateway-controller";

/// What there is in a test.
#[derive(Default)]
struct World {
    gateways: Vec<Value>,
    routes: Vec<(&'static str, Value)>,
    grants: Vec<Value>,
    services: Vec<Service>,
    slices: Vec<EndpointSlice>,
    secrets: Vec<Secret>,
    namespaces: Vec<Namespace>,
}

fn source<T: serde::de::DeserializeOwned>(value: &Value) -> Source<T> {
    let text = |path: &str| value.pointer(path).and_then(Value::as_str).unwrap_or("default").to_owned();
    let created = value.pointer("/metadata/created").and_then(Value::as_i64);
    Source {
        key: Key::new(&text("/metadata/namespace"), &text("/metadata/name")),
        uid: "uid".into(),
        generation: 1,
        created: created.and_then(|s| crate::api::Timestamp::from_second(s).ok()),
        spec: serde_json::from_value(value["spec"].clone()).unwrap(),
        status: Value::Null,
    }
}

impl World {
    fn known(&self) -> Known<'_> {
        let class =
            json!({"metadata": {"name": "nginx", "namespace": ""}, "spec": {"controllerName": CONTROLLER}});
        let mut slices: BTreeMap<Key, Vec<&EndpointSlice>> = BTreeMap::new();
        for slice in &self.slices {
            let service = slice.metadata.label("kubernetes.io/service-name").unwrap();
            slices.entry(Key::new(slice.metadata.namespace(), service)).or_default().push(slice);
        }
        Known {
            classes: vec![source(&class)],
            gateways: self.gateways.iter().map(source).collect(),
            routes: self.routes.iter().map(|(kind, route)| (*kind, source(route))).collect(),
            grants: self.grants.iter().map(source).collect(),
            proxies: BTreeMap::new(),
            services: self.services.iter().map(|s| (s.metadata.key(), s)).collect(),
            slices,
            secrets: self.secrets.iter().map(|s| (s.metadata.key(), s)).collect(),
            namespaces: self.namespaces.iter().map(|n| (n.metadata.name().into(), n)).collect(),
            versions: vec!["v1.5.1".to_owned()],
        }
    }

    fn graph(&self) -> Graph {
        Graph::build("nginx", CONTROLLER, &self.known())
    }

    fn configuration(&self) -> Configuration {
        let graph = self.graph();
        Configuration::build(&graph.gateways[0], &graph, &self.known())
    }

    fn gateway(mut self, listeners: Value) -> World {
        self.gateways.push(json!({
            "metadata": {"name": "web"}, "spec": {"gatewayClassName": "nginx", "listeners": listeners},
        }));
        self
    }

    fn http(self) -> World {
        self.gateway(json!([{"name": "http", "port": 80, "protocol": "HTTP"}]))
    }

    /// A route of the namespace `default`, created at a second.
    fn route(mut self, name: &str, created: i64, mut spec: Value) -> World {
        let parents = json!([{"name": "web"}]);
        spec.as_object_mut().unwrap().entry("parentRefs").or_insert(parents);
        let meta = json!({"name": name, "created": created});
        self.routes.push(("HTTPRoute", json!({"metadata": meta, "spec": spec})));
        self
    }

    fn service(mut self, namespace: &str, name: &str, endpoints: &[&str]) -> World {
        let service = json!({
            "metadata": {"namespace": namespace, "name": name}, "spec": {"ports": [{"port": 80}]},
        });
        self.services.push(serde_json::from_value(service).unwrap());
        let ready = json!({"ready": true});
        let all: Vec<Value> =
            endpoints.iter().map(|a| json!({"addresses": [a], "conditions": ready})).collect();
        let slice = json!({
            "metadata": {
                "namespace": namespace, "name": name, "labels": {"kubernetes.io/service-name": name},
            },
            "addressType": "IPv4", "ports": [{"name": "", "port": 8080}], "endpoints": all,
        });
        self.slices.push(serde_json::from_value(slice).unwrap());
        self
    }
}

fn to(name: &str) -> Value {
    json!([{"name": name, "port": 80}])
}

fn prefix(path: &str) -> Value {
    json!([{"path": {"type": "PathPrefix", "value": path}}])
}

fn ask(configuration: &Configuration, host: &str, path: &str) -> Routed {
    with(configuration, "GET", host, path, &[])
}

fn with(
    configuration: &Configuration,
    method: &str,
    host: &str,
    path: &str,
    fields: &[(&str, &str)],
) -> Routed {
    let fields = fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    let headers = HeaderFields::new(fields);
    let request = Request { port: 80, host, method, path, headers: &headers, tls: false };
    configuration.route(&request).unwrap()
}

/// The name of the first backend; the status of an error or a redirect with its target otherwise.
fn led(routed: &Routed) -> String {
    match &routed.then {
        Then::Pass(passed) => passed.backends[0].0.to_string(),
        Then::Redirect { status, to } => format!("{status} {to}"),
        Then::Error { status, .. } => status.to_string(),
    }
}

/// The conditions of a status, each as `Type=Status Reason`.
fn said(conditions: &Value) -> Vec<String> {
    let text = |c: &Value, name: &str| c[name].as_str().unwrap().to_owned();
    let all = conditions.as_array().unwrap().iter();
    all.map(|c| format!("{}={} {}", text(c, "type"), text(c, "status"), text(c, "reason"))).collect()
}

fn gateway_status(world: &World) -> Value {
    status::of_gateway(&world.graph().gateways[0], &[], None, "")
}

fn route_status(world: &World, nth: usize) -> Value {
    status::of_route(&world.graph().routes[nth], CONTROLLER, &Value::Null, "")["parents"].clone()
}
