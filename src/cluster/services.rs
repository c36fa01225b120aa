//! Which Services, and which of their ports, stand behind an address.

use std::net::{IpAddr, SocketAddr};

use super::Cluster;
use super::network::Network;
use crate::api::types::{Service, ServicePort};
use crate::api::{Key, Kind, MetaExt};

/// The addresses that stand for a Service: cluster IPs, external IPs, and those of its load balancer.
fn addresses(service: &Service) -> Vec<IpAddr> {
    let Some(spec) = &service.spec else { return Vec::new() };
    let own = spec
        .cluster_ips
        .iter()
        .flatten()
        .chain(spec.cluster_ip.iter())
        .chain(spec.external_ips.iter().flatten());
    let status = service.status.as_ref().and_then(|s| s.load_balancer.as_ref());
    let balancer = status.iter().flat_map(|l| l.ingress.iter().flatten()).filter_map(|i| i.ip.as_ref());
    own.chain(balancer).filter_map(|a| a.parse().ok()).collect()
}

fn ports(service: &Service) -> impl Iterator<Item = &ServicePort> {
    service.spec.iter().flat_map(|s| s.ports.iter().flatten())
}

/// Whether a port of a Service is a port of the nodes of this number.
fn is_node_port(port: &ServicePort, number: u16) -> bool {
    port.node_port == Some(i32::from(number))
}

impl<'a> Network<'a> {
    /// Whether an address is one of a Service's.
    pub(super) fn is_a_service(&self, address: IpAddr) -> bool {
        self.all_services().any(|s| addresses(s).contains(&address))
    }

    /// The Services that an address can stand for: one that has it, or if a node has it those with a node port, as they do at each
    /// node's own loopback address.
    pub(super) fn services_at(&self, to: SocketAddr) -> Vec<&'a Service> {
        let node = self.has_node_ports(to.ip());
        let has_node_port = |s: &Service| ports(s).any(|p| is_node_port(p, to.port()));
        self.all_services()
            .filter(|s| addresses(s).contains(&to.ip()) || (node && has_node_port(s)))
            .collect()
    }

    /// All Services.
    pub(super) fn all_services(&self) -> impl Iterator<Item = &'a Service> {
        let all = self.api.cached_list(Kind::SERVICE, None);
        all.filter_map(|(_, o)| o.get::<Service>().map(|s| &**s))
    }

    /// Whether node ports are open at an address: that of a node, or one of loopback.
    fn has_node_ports(&self, address: IpAddr) -> bool {
        address.is_loopback() || self.node_with(address).is_some()
    }
}

impl Cluster {
    /// The ports of Services that an address stands for, each with the Service's key and its number there, also where the address is
    /// that of a node and the number in it a node port.
    pub fn service_ports_at(&self, to: SocketAddr) -> Vec<(Key, i32)> {
        let network = self.network();
        let node = network.has_node_ports(to.ip());
        let of_service = |s: &Service| {
            let own = addresses(s).contains(&to.ip());
            let is_it = |p: &&ServicePort| {
                (own && p.port == i32::from(to.port())) || (node && is_node_port(p, to.port()))
            };
            ports(s).filter(is_it).map(|p| (s.metadata.key(), p.port)).collect::<Vec<_>>()
        };
        network.all_services().flat_map(of_service).collect()
    }
}
