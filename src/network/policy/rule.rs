//! What one rule of a NetworkPolicy allows.

use std::net::IpAddr;

use ipnet::IpNet;

use crate::api::MetaExt;
use crate::api::labels::Selector;
use crate::api::types::networking::{IPBlock, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec};
use crate::api::types::{IntOrString, LabelSelector, Pod};

use super::connection::{Direction, End, Objects};
use crate::network::protocol::Protocol;

/// A connection as the policies of one of its ends see it.
pub(super) struct Meeting<'a> {
    pub objects: &'a dyn Objects,
    /// The namespace of the policies.
    pub namespace: &'a str,
    /// The other end.
    pub peer: &'a End<'a>,
    /// The pod that accepts the connection, whose containers name ports.
    pub ports_of: Option<&'a Pod>,
    pub port: Option<(Protocol, u16)>,
}

impl Meeting<'_> {
    /// Whether a rule of a policy allows the connection.
    pub fn allows(&self, spec: &NetworkPolicySpec, direction: Direction) -> bool {
        match direction {
            Direction::Egress => {
                let mut rules = spec.egress.iter().flatten();
                rules.any(|r| self.matches(r.ports.as_deref(), r.to.as_deref()))
            }
            Direction::Ingress => {
                let mut rules = spec.ingress.iter().flatten();
                rules.any(|r| self.matches(r.ports.as_deref(), r.from.as_deref()))
            }
        }
    }

    /// Whether the ports and the peers of a rule match. An empty list, or none, matches everything.
    fn matches(&self, ports: Option<&[NetworkPolicyPort]>, peers: Option<&[NetworkPolicyPeer]>) -> bool {
        let (ports, peers) = (ports.unwrap_or_default(), peers.unwrap_or_default());
        (ports.is_empty() || ports.iter().any(|p| self.is_port(p)))
            && (peers.is_empty() || peers.iter().any(|p| self.is_peer(p)))
    }

    fn is_port(&self, of_rule: &NetworkPolicyPort) -> bool {
        let Some((protocol, port)) = self.port else { return false };
        if Protocol::parse(of_rule.protocol.as_deref()) != Some(protocol) {
            return false;
        }
        let port = i32::from(port);
        match &of_rule.port {
            None => true,
            Some(IntOrString::Int(first)) => (*first..=of_rule.end_port.unwrap_or(*first)).contains(&port),
            Some(IntOrString::String(name)) => self.is_named(name, protocol, port),
        }
    }

    /// Whether a container of the pod that accepts the connection gives its port this name.
    fn is_named(&self, name: &str, protocol: Protocol, port: i32) -> bool {
        let containers = self.ports_of.and_then(|p| p.spec.as_ref()).into_iter().flat_map(|s| &s.containers);
        let mut ports = containers.flat_map(|c| c.ports.iter().flatten());
        ports.any(|p| {
            p.name.as_deref() == Some(name)
                && p.container_port == port
                && Protocol::parse(p.protocol.as_deref()) == Some(protocol)
        })
    }

    fn is_peer(&self, peer: &NetworkPolicyPeer) -> bool {
        if let Some(block) = &peer.ip_block {
            return is_in(block, self.peer.address);
        }
        let Some(pod) = self.peer.pod else { return false };
        let namespace = pod.metadata.namespace();
        let in_namespace = match &peer.namespace_selector {
            None => namespace == self.namespace,
            Some(selector) => self
                .objects
                .namespace_labels(namespace)
                .is_some_and(|labels| of(selector).is_some_and(|s| s.matches(&labels))),
        };
        let is_pod = |selector: &LabelSelector| {
            of(selector).is_some_and(|s| s.matches(pod.metadata.labels_or_empty()))
        };
        in_namespace
            && (peer.pod_selector.is_some() || peer.namespace_selector.is_some())
            && peer.pod_selector.as_ref().is_none_or(is_pod)
    }
}

/// A selector; `None` if it is invalid, which kube-apiserver does not let through.
fn of(selector: &LabelSelector) -> Option<Selector> {
    Selector::from_label_selector(Some(selector)).ok()
}

fn is_in(block: &IPBlock, address: IpAddr) -> bool {
    let contains = |range: &str| range.parse::<IpNet>().is_ok_and(|r| r.contains(&address));
    contains(&block.cidr) && !block.except.iter().flatten().any(|range| contains(range))
}
