//! Which connections kube-proxy makes the kernel forget (`pkg/proxy/conntrack/cleanup.go`).
//!
//! The kernel remembers where it sent a connection's first packet, and does not look at rules again. A connection of TCP
//! ends when its endpoint is gone. One of UDP has no end: as long as its client sends, its packets go to an endpoint that
//! is not there any more. So kube-proxy deletes those.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use super::endpoints::EndpointsMap;
use super::names::ServicePortName;
use super::ruleset::Ruleset;
use super::services::ServicePortMap;
use crate::network::protocol::Protocol;

/// A connection that the kernel remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The protocol of the connection.
    pub protocol: Protocol,
    /// Who opened it.
    pub source: SocketAddr,
    /// Where its first packet was sent to: a Service's address, or a node port.
    pub destination: SocketAddr,
    /// Who answers: the endpoint.
    pub answers_from: SocketAddr,
}

/// The connections that kube-proxy deletes for these Services and endpoints: those of UDP to a Service's address or node
/// port whose endpoint does not serve any more. A Service without any endpoint that serves keeps its connections.
pub fn stale<'a>(flows: &'a [Flow], ports: &ServicePortMap, endpoints: &EndpointsMap) -> Vec<&'a Flow> {
    let mut by_address: BTreeMap<SocketAddr, BTreeSet<SocketAddr>> = BTreeMap::new();
    let mut by_node_port: BTreeMap<u16, BTreeSet<SocketAddr>> = BTreeMap::new();
    for (name, port) in ports.iter().filter(|(name, _)| name.protocol == Protocol::Udp) {
        let all = endpoints.get(name).map(Vec::as_slice).unwrap_or_default();
        let serving: BTreeSet<SocketAddr> = all.iter().filter(|e| e.serving).map(|e| e.address).collect();
        if serving.is_empty() {
            continue;
        }
        let ips = [port.cluster_ip];
        for ip in ips.iter().chain(&port.load_balancer_vips).chain(&port.external_ips) {
            by_address.insert(SocketAddr::new(*ip, port.port), serving.clone());
        }
        if let Some(number) = port.node_port {
            by_node_port.insert(number, serving);
        }
    }
    let is_stale = |flow: &&Flow| {
        let gone = |serving: &BTreeSet<SocketAddr>| !serving.contains(&flow.answers_from);
        flow.protocol == Protocol::Udp
            && (by_address.get(&flow.destination).is_some_and(gone)
                || by_node_port.get(&flow.destination.port()).is_some_and(gone))
    };
    flows.iter().filter(is_stale).collect()
}

impl Ruleset {
    /// Whether the sync that made these rules looks for connections to delete: whether the endpoints of a Service with a
    /// port of UDP have changed since the sync before (`EndpointsMap.Update`).
    pub fn needs_conntrack_cleanup(&self, before: &Ruleset) -> bool {
        let changed: BTreeSet<_> = self.endpoints.keys().chain(before.endpoints.keys()).collect();
        let changed =
            changed.into_iter().filter(|name| self.endpoints.get(*name) != before.endpoints.get(*name));
        let services: BTreeSet<_> = changed.map(|name| &name.service).collect();
        let udp =
            |name: &&ServicePortName| name.protocol == Protocol::Udp && services.contains(&name.service);
        self.endpoints.keys().chain(before.endpoints.keys()).any(|name| udp(&name))
    }

    /// The connections that the sync deletes, if it looks for any.
    pub fn stale<'a>(&self, flows: &'a [Flow]) -> Vec<&'a Flow> {
        stale(flows, &self.ports, &self.endpoints)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::super::testing::*;
    use super::super::{Config, Mode};
    use super::*;

    fn dns(endpoints: serde_json::Value) -> Ruleset {
        let ports = json!([{"name": "dns", "port": 53, "protocol": "UDP", "nodePort": 30053}]);
        let spec = json!({"type": "NodePort", "clusterIP": "172.30.0.10", "ports": ports});
        let port = json!({"name": "dns", "port": 5353, "protocol": "UDP"});
        let slices = vec![slice_of("kube-system", "dns", port, endpoints)];
        let config: Config = config(Mode::Iptables);
        synced(&config, &(vec![service("kube-system", "dns", spec)], slices))
    }

    fn flow(protocol: Protocol, destination: &str, answers_from: &str) -> Flow {
        let source = "10.180.0.9:40000".parse().unwrap();
        let (destination, answers_from) = (destination.parse().unwrap(), answers_from.parse().unwrap());
        Flow { protocol, source, destination, answers_from }
    }

    /// After `TestCleanStaleEntries`.
    #[test]
    fn connections_of_udp_to_endpoints_that_are_gone_are_stale() {
        let flows = [
            flow(Protocol::Udp, "172.30.0.10:53", "10.180.0.1:5353"),
            flow(Protocol::Udp, "172.30.0.10:53", "10.180.0.2:5353"),
            flow(Protocol::Tcp, "172.30.0.10:53", "10.180.0.2:5353"),
            flow(Protocol::Udp, "192.168.0.2:30053", "10.180.0.2:5353"),
            flow(Protocol::Udp, "10.180.0.2:5353", "10.180.0.2:5353"),
        ];
        let one = dns(json!([{"addresses": ["10.180.0.1"]}]));
        assert_eq!(one.stale(&flows), [&flows[1], &flows[3]]);
        let terminating = json!({"ready": false, "serving": true, "terminating": true});
        let two = dns(json!([
            {"addresses": ["10.180.0.1"]}, {"addresses": ["10.180.0.2"], "conditions": terminating}
        ]));
        assert!(two.stale(&flows).is_empty());
        let none =
            dns(json!([{"addresses": ["10.180.0.1"], "conditions": {"ready": false, "serving": false}}]));
        assert!(none.stale(&flows).is_empty());
        assert!(one.needs_conntrack_cleanup(&two));
        assert!(!one.needs_conntrack_cleanup(&one.clone()));
    }
}
