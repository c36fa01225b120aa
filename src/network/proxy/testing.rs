//! Services and EndpointSlices for tests: those of `TestOverallIPTablesRules` and `TestOverallNFTablesRules` in
//! kube-proxy's own tests, and packets like those of `runPacketFlowTests`.
#![allow(clippy::unwrap_used)]

use crate::network::Protocol;
use std::net::{IpAddr, SocketAddr};

use serde_json::{Value, json};

use crate::api::Timestamp;
use crate::api::types::{EndpointSlice, Service};

use super::*;

pub const NODE: &str = "test-node";
pub const NODE_IP: &str = "192.168.0.2";
pub const CLIENT: &str = "203.0.113.2";
pub const BLOCKED_CLIENT: &str = "203.0.113.130";

pub fn service(namespace: &str, name: &str, spec: Value) -> Service {
    balanced(namespace, name, spec, &[])
}

pub fn balanced(namespace: &str, name: &str, spec: Value, ingress: &[&str]) -> Service {
    let ingress: Vec<Value> = ingress.iter().map(|ip| json!({"ip": ip})).collect();
    serde_json::from_value(json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"namespace": namespace, "name": name},
        "spec": spec, "status": {"loadBalancer": {"ingress": ingress}},
    }))
    .unwrap()
}

/// A slice with endpoints as JSON.
pub fn slice_of(namespace: &str, service: &str, port: Value, endpoints: Value) -> EndpointSlice {
    let first = endpoints[0]["addresses"][0].as_str().unwrap_or_default().to_owned();
    serde_json::from_value(json!({
        "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
        "metadata": {
            "namespace": namespace, "name": format!("{service}-1"),
            "labels": {"kubernetes.io/service-name": service},
        },
        "addressType": if first.contains(':') { "IPv6" } else { "IPv4" },
        "ports": [port], "endpoints": endpoints,
    }))
    .unwrap()
}

/// A slice with ready endpoints of the port `p80`, each with its node; a node that is empty is left out.
pub fn slice(namespace: &str, service: &str, endpoints: &[(&str, &str)]) -> EndpointSlice {
    let all: Vec<Value> = endpoints
        .iter()
        .map(|(ip, node)| match *node {
            "" => json!({"addresses": [ip]}),
            node => json!({"addresses": [ip], "nodeName": node}),
        })
        .collect();
    slice_of(namespace, service, json!({"name": "p80", "port": 80, "protocol": "TCP"}), all.into())
}

/// The six Services of the tests of overall rules. The fifth has session affinity on demand.
pub fn overall(affinity: bool) -> (Vec<Service>, Vec<EndpointSlice>) {
    let port = json!([{"name": "p80", "port": 80, "protocol": "TCP"}]);
    let with =
        |node_port: u16| json!([{"name": "p80", "port": 80, "protocol": "TCP", "nodePort": node_port}]);
    let mut fifth = json!({"type": "LoadBalancer", "externalTrafficPolicy": "Cluster", "clusterIP": "172.30.0.45",
        "ports": with(3002), "healthCheckNodePort": 30000, "loadBalancerSourceRanges": [" 203.0.113.0/25"]});
    if affinity {
        fifth["sessionAffinity"] = "ClientIP".into();
        fifth["sessionAffinityConfig"] = json!({"clientIP": {"timeoutSeconds": 10800}});
    }
    let services = vec![
        service("ns1", "svc1", json!({"clusterIP": "172.30.0.41", "ports": port})),
        balanced(
            "ns2",
            "svc2",
            json!({"type": "LoadBalancer", "externalTrafficPolicy": "Local", "clusterIP": "172.30.0.42",
                "ports": with(3001), "externalIPs": ["192.168.99.22"], "healthCheckNodePort": 30000}),
            &["1.2.3.4"],
        ),
        service("ns3", "svc3", json!({"type": "NodePort", "clusterIP": "172.30.0.43", "ports": with(3003)})),
        service(
            "ns4",
            "svc4",
            json!({"type": "NodePort", "clusterIP": "172.30.0.44", "externalIPs": ["192.168.99.33"],
                "ports": port}),
        ),
        balanced("ns5", "svc5", fifth, &["5.6.7.8"]),
        service("ns6", "svc6", json!({"type": "ClusterIP", "clusterIP": "172.30.0.46", "ports": port})),
    ];
    let slices = vec![
        slice("ns1", "svc1", &[("10.180.0.1", "")]),
        slice("ns2", "svc2", &[("10.180.0.2", "")]),
        slice("ns3", "svc3", &[("10.180.0.3", "")]),
        slice("ns4", "svc4", &[("10.180.0.4", ""), ("10.180.0.5", NODE)]),
        slice("ns5", "svc5", &[("10.180.0.3", "")]),
    ];
    (services, slices)
}

/// The node of kube-proxy's tests.
pub fn config(mode: Mode) -> Config {
    Config {
        mode,
        node_name: NODE.to_owned(),
        node_ips: [NODE_IP, "192.168.1.2", "192.168.99.11"].map(ip).to_vec(),
        local_detector: LocalDetector::Cidr("10.0.0.0/8".parse().unwrap()),
        service_cidrs: vec!["172.30.0.0/16".parse().unwrap()],
        random_fully: false,
        ..Config::default()
    }
}

pub fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// A packet from an address to another. Sources in 10.0.0.0/8 are pods of the node; the node itself sends from
/// addresses in 192.168.0.0/16, and from 127.0.0.1.
pub fn packet(source: &str, destination: &str) -> Packet {
    let source = SocketAddr::new(ip(source), 40_000);
    let text = source.ip().to_string();
    let (origin, interface) = match text.as_str() {
        text if text.starts_with("10.") => (Origin::Pod, "veth1"),
        text if text.starts_with("192.168.0.") || text.starts_with("127.") => (Origin::Node, ""),
        _ => (Origin::Outside, "eth0"),
    };
    let destination = destination.parse().unwrap();
    Packet { source, destination, protocol: Protocol::Tcp, origin, interface: interface.to_owned() }
}

/// What becomes of a packet: all endpoints that it may go to, and whether it is masqueraded.
pub fn outcome(ruleset: &Ruleset, packet: &Packet) -> String {
    let shares = ruleset.distribution(packet, at(0), &Kernel::default());
    let total = shares.iter().fold(Fraction::ZERO, |sum, s| sum.plus(s.share));
    assert_eq!(total, Fraction::ONE);
    shares.iter().map(|s| s.verdict.to_string()).collect::<Vec<_>>().join(", ")
}

/// Checks where rules send packets: source, destination, and what [`outcome`] says.
pub fn assert_sent(ruleset: &Ruleset, expected: &[(&str, &str, &str)]) {
    for (source, destination, to) in expected {
        assert_eq!(outcome(ruleset, &packet(source, destination)), *to, "{source} to {destination}");
    }
}

/// A sync of these objects.
pub fn synced(config: &Config, (services, slices): &(Vec<Service>, Vec<EndpointSlice>)) -> Ruleset {
    Proxier::sync(config, services.iter(), slices.iter())
}
