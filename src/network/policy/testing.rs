//! The pods of Kubernetes' own tests of policies, and which of them reach which.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde_json::{Value, json};

use super::*;
use crate::api::types::{NetworkPolicy, Pod};
use crate::api::{Key, MetaExt};
use crate::network::Protocol;

/// The nodes of the pods.
const NODES: [&str; 2] = ["node-1", "node-2"];

/// The pods `a`, `b` and `c` of the namespaces `x`, `y` and `z`, as in `test/e2e/network/netpol`: a pod has the label `pod` with
/// its name, and a namespace the label `ns`. Every pod has the ports 80 and 81, whose names are `serve-80-tcp` and so on.
pub(super) struct Model {
    pub pods: Vec<Pod>,
    pub policies: Vec<NetworkPolicy>,
}

pub(super) fn policy(namespace: &str, name: &str, spec: Value) -> NetworkPolicy {
    let metadata = json!({"namespace": namespace, "name": name});
    serde_json::from_value(json!({"metadata": metadata, "spec": spec})).unwrap()
}

impl Model {
    pub fn new(policies: &[(&str, &str, Value)]) -> Model {
        let mut pods = Vec::new();
        for (i, namespace) in ["x", "y", "z"].into_iter().enumerate() {
            for (j, name) in ["a", "b", "c"].into_iter().enumerate() {
                let port = |n: u16, protocol: Protocol| json!({"name": format!("serve-{n}-{protocol}"), "containerPort": n, "protocol": protocol.name()});
                let ports: Vec<Value> = [80, 81]
                    .into_iter()
                    .flat_map(|n| [port(n, Protocol::Tcp), port(n, Protocol::Udp)])
                    .collect();
                let pod = json!({
                    "metadata": {"namespace": namespace, "name": name, "labels": {"pod": name}},
                    "spec": {
                        "nodeName": NODES[(i + j) % 2],
                        "containers": [{"name": "c", "ports": ports}],
                    },
                    "status": {"podIP": format!("192.168.{i}.{}", j + 1)},
                });
                pods.push(serde_json::from_value(pod).unwrap());
            }
        }
        let policies = policies.iter().map(|(ns, name, spec)| policy(ns, name, spec.clone())).collect();
        Model { pods, policies }
    }

    /// One end of a connection: a pod (`x/a`), a node, or an address.
    pub fn end(&self, name: &str) -> End<'_> {
        if let Some(at) = NODES.iter().position(|n| *n == name) {
            let address = format!("172.18.0.{}", at + 2).parse().unwrap();
            return End { address, pod: None, node: Some(NODES[at]) };
        }
        let pod = self.pods.iter().find(|p| p.metadata.key() == key(name));
        let Some(pod) = pod else { return End { address: name.parse().unwrap(), pod: None, node: None } };
        End { address: address(pod), pod: Some(pod), node: pod.spec.as_ref().unwrap().node_name.as_deref() }
    }

    pub fn decide(&self, from: &str, to: &str, port: (Protocol, u16)) -> Result<(), Denied> {
        decide(self, &Connection { source: self.end(from), destination: self.end(to), port: Some(port) })
    }

    pub fn allows(&self, from: &str, to: &str, port: u16) -> bool {
        self.decide(from, to, (Protocol::Tcp, port)).is_ok()
    }

    pub fn names(&self) -> Vec<String> {
        self.pods.iter().map(|p| format!("{}/{}", p.metadata.namespace(), p.metadata.name())).collect()
    }

    /// Who reaches whom on port 80: one line for each sender, with `.` for what is allowed, and `e` or `i` for what the
    /// sender's or the receiver's policies drop.
    pub fn table(&self) -> String {
        let names = self.names();
        let mut lines = Vec::new();
        for from in &names {
            let mark = |to: &String| match self.decide(from, to, (Protocol::Tcp, 80)) {
                Ok(()) => '.',
                Err(Denied { direction: Direction::Egress, .. }) => 'e',
                Err(Denied { direction: Direction::Ingress, .. }) => 'i',
            };
            lines.push(format!("{from} {}", names.iter().map(mark).collect::<String>()));
        }
        lines.join("\n")
    }
}

fn key(name: &str) -> Key {
    let (namespace, name) = name.split_once('/').unwrap_or_default();
    Key::new(namespace, name)
}

fn address(pod: &Pod) -> IpAddr {
    pod.status.as_ref().unwrap().pod_ip.as_ref().unwrap().parse().unwrap()
}

impl Objects for Model {
    fn policies<'a>(&'a self, namespace: &'a str) -> Vec<&'a NetworkPolicy> {
        self.policies.iter().filter(|p| p.metadata.namespace() == namespace).collect()
    }

    fn namespace_labels(&self, namespace: &str) -> Option<BTreeMap<String, String>> {
        ["x", "y", "z"].contains(&namespace).then(|| [("ns".to_owned(), namespace.to_owned())].into())
    }
}
