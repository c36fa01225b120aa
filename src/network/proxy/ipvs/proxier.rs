//! Virtual servers, sets and rules for all Services of a node (`syncProxyRules`).

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};

use super::super::config::Config;
use super::super::endpoints::{Endpoint, EndpointsMap};
use super::super::iptables::Tables;
use super::super::services::{ServicePort, ServicePortMap};
use super::super::topology::{Categorized, categorize};
use super::rules::write;
use super::sets::{self, Entry, set_name};
use super::state::{RealServer, State, VirtualServer};
use crate::network::protocol::Protocol;

struct Writer<'a> {
    config: &'a Config,
    state: State,
    /// Addresses of load balancers that the node itself may not use.
    closed_to_node: Vec<(SocketAddr, Protocol)>,
}

/// The sets of node ports of a protocol: for all, and for those with the external policy `Local`.
fn node_port_sets(protocol: Protocol) -> (&'static str, &'static str) {
    match protocol {
        Protocol::Tcp => (sets::NODE_PORT_TCP, sets::NODE_PORT_LOCAL_TCP),
        Protocol::Udp => (sets::NODE_PORT_UDP, sets::NODE_PORT_LOCAL_UDP),
        Protocol::Sctp => (sets::NODE_PORT_SCTP, sets::NODE_PORT_LOCAL_SCTP),
    }
}

impl Writer<'_> {
    fn insert(&mut self, set: &str, entry: Entry) {
        let name = set_name(set, self.config.family);
        if let Some(set) = self.state.sets.iter_mut().find(|set| set.name == name) {
            set.entries.insert(entry);
        }
    }

    /// A virtual server with the endpoints of a traffic policy (`syncService`, `syncEndpoint`). With the policy `Local`,
    /// endpoints of other nodes are used if there are none on this one, so that pods of the node reach the Service.
    fn serve(&mut self, ip: IpAddr, number: u16, info: &ServicePort, local: bool, found: &Categorized<'_>) {
        let endpoints = if local && !found.local.is_empty() { &found.local } else { &found.cluster };
        let mut real_servers: Vec<RealServer> = Vec::new();
        for endpoint in endpoints {
            real_servers.push(RealServer { address: endpoint.address, weight: 1 });
        }
        let server = VirtualServer {
            scheduler: self.config.ipvs_scheduler,
            persistent_seconds: info.affinity_seconds,
            real_servers,
        };
        self.state.virtual_servers.insert((SocketAddr::new(ip, number), info.protocol), server);
    }

    /// Puts an address on `kube-ipvs0`, unless another interface of the node has it.
    fn bind(&mut self, ip: IpAddr) {
        if !self.config.own_ips().any(|own| own == ip) {
            self.state.bound.insert(ip);
        }
    }

    fn port(&mut self, info: &ServicePort, endpoints: &[Endpoint], node_ips: &[IpAddr]) {
        let found = categorize(endpoints, info, self.config.place());
        let (protocol, port) = (info.protocol, info.port);
        for endpoint in endpoints.iter().filter(|e| e.is_local) {
            let ip = endpoint.address.ip();
            self.insert(sets::LOOP_BACK, Entry::IpPortIp(ip, protocol, endpoint.address.port(), ip));
        }

        self.insert(sets::CLUSTER_IP, Entry::IpPort(info.cluster_ip, protocol, port));
        self.serve(info.cluster_ip, port, info, info.internal_policy_local, &found);
        self.state.bound.insert(info.cluster_ip);

        let local = info.external_policy_local;
        for ip in &info.external_ips {
            let set = if local { sets::EXTERNAL_IP_LOCAL } else { sets::EXTERNAL_IP };
            self.insert(set, Entry::IpPort(*ip, protocol, port));
            self.serve(*ip, port, info, local, &found);
            self.bind(*ip);
        }
        for ip in &info.load_balancer_vips {
            self.load_balancer(*ip, info);
            self.serve(*ip, port, info, local, &found);
            self.bind(*ip);
        }
        if let Some(number) = info.node_port {
            if node_ips.is_empty() {
                return;
            }
            let entries: Vec<Entry> = match protocol {
                Protocol::Tcp | Protocol::Udp => vec![Entry::Port(number)],
                Protocol::Sctp => node_ips.iter().map(|ip| Entry::IpPort(*ip, protocol, number)).collect(),
            };
            let (all, of_local) = node_port_sets(protocol);
            for entry in entries {
                self.insert(all, entry);
                if local {
                    self.insert(of_local, entry);
                }
            }
            for ip in node_ips {
                self.serve(*ip, number, info, local, &found);
            }
        }
        if let Some(number) = info.health_check_node_port {
            self.insert(sets::HEALTH_CHECK_NODE_PORT, Entry::Port(number));
        }
    }

    /// The entries of an address of a load balancer.
    fn load_balancer(&mut self, ip: IpAddr, info: &ServicePort) {
        let (protocol, port) = (info.protocol, info.port);
        let entry = Entry::IpPort(ip, protocol, port);
        self.insert(sets::LOAD_BALANCER, entry);
        if info.external_policy_local {
            self.insert(sets::LOAD_BALANCER_LOCAL, entry);
        }
        if info.source_ranges.is_empty() {
            return;
        }
        self.insert(sets::LOAD_BALANCER_FW, entry);
        for net in &info.source_ranges {
            self.insert(sets::LOAD_BALANCER_SOURCE_CIDR, Entry::IpPortNet(ip, protocol, port, *net));
        }
        let node = self.config.node_ip();
        if node.is_some_and(|node| info.source_ranges.iter().any(|net| net.contains(&node))) {
            self.insert(sets::LOAD_BALANCER_SOURCE_IP, Entry::IpPortIp(ip, protocol, port, ip));
        } else {
            self.closed_to_node.push((SocketAddr::new(ip, port), protocol));
        }
    }
}

/// What a node has for these Services and endpoints.
pub(in super::super) fn sync(config: &Config, ports: &ServicePortMap, endpoints: &EndpointsMap) -> State {
    let state = State {
        family: config.family,
        virtual_servers: BTreeMap::new(),
        bound: BTreeSet::new(),
        sets: sets::all(config.family),
        tables: Tables::new(config.family),
        own: Vec::new(),
    };
    let node_ips: Vec<IpAddr> = config.node_port_ips().into_iter().filter(|ip| !ip.is_loopback()).collect();
    let mut writer = Writer { config, state, closed_to_node: Vec::new() };
    for (name, info) in ports {
        let of_port = endpoints.get(name).map(Vec::as_slice).unwrap_or_default();
        writer.port(info, of_port, &node_ips);
    }
    let bound: Vec<Entry> = writer.state.bound.iter().map(|ip| Entry::Ip(*ip)).collect();
    for entry in bound {
        writer.insert(sets::IPVS_IPS, entry);
    }
    let Writer { mut state, closed_to_node, .. } = writer;
    state.own = config.own_ips().chain(state.bound.iter().copied()).collect();
    write(config, &mut state, &closed_to_node);
    state
}
