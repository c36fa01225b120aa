//! The rules for all Services of a node (`syncProxyRules`).

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;

use super::super::config::Config;
use super::super::endpoints::{Endpoint, EndpointsMap};
use super::super::names::{ServicePortName, hash};
use super::super::services::{ServicePort, ServicePortMap};
use super::super::topology::categorize;
use super::rule::{Address, ChainName, Match, Rule, Target, rule};
use super::tables::{Table, Tables};
use super::writer::{Names, Writer, comment, local, localhost_net};
use crate::network::protocol::Protocol;

/// With more endpoints than this, rules of endpoints have no comments (`largeClusterEndpointsThreshold`).
const LARGE_CLUSTER_ENDPOINTS: usize = 1000;

const COUNTER_LOCALHOST: &str = "localhost_nps_accepted_pkts";

/// A port of a Service while its rules are written.
struct Port<'a> {
    name: String,
    info: &'a ServicePort,
    cluster_chain: ChainName,
    local_chain: ChainName,
    external_chain: ChainName,
    firewall_chain: ChainName,
    /// The chains of the endpoints, by the text of the endpoint. Making a name is the most expensive part of a rule.
    endpoint_chains: BTreeMap<Rc<str>, ChainName>,
}

impl<'a> Port<'a> {
    fn new(name: &ServicePortName, info: &'a ServicePort, endpoints: &[Endpoint]) -> Port<'a> {
        let name = name.to_string();
        let own = hash(&format!("{name}{}", info.protocol), 16);
        let chain = |prefix: &str| Rc::from(format!("{prefix}{own}"));
        let of_endpoint = |text: &str| {
            let hash = hash(&format!("{name}{}{text}", info.protocol), 16);
            Rc::from(format!("KUBE-SEP-{hash}"))
        };
        let named = endpoints.iter().map(|e| (Rc::clone(&e.text), of_endpoint(&e.text)));
        Port {
            endpoint_chains: named.collect(),
            cluster_chain: chain("KUBE-SVC-"),
            local_chain: chain("KUBE-SVL-"),
            external_chain: chain("KUBE-EXT-"),
            firewall_chain: chain("KUBE-FW-"),
            name,
            info,
        }
    }

    fn endpoint_chain(&self, endpoint: &Endpoint) -> ChainName {
        self.endpoint_chains.get(&endpoint.text).map_or_else(|| Rc::from(""), Rc::clone)
    }

    fn to(&self, what: &str, ip: IpAddr) -> Vec<Match> {
        vec![
            comment(format!("{} {what}", self.name)),
            Match::Protocol(self.info.protocol),
            Match::Destination(Address::Ip(ip), false),
            Match::DestinationPort(self.info.port),
        ]
    }
}

/// What becomes of packets to a Service that no endpoint of this node may get: they are rejected if there is no endpoint
/// at all, and dropped if there is one elsewhere.
struct Filter {
    target: Target,
    comment: String,
}

impl Filter {
    fn new(port: &Port<'_>, has_endpoints: bool) -> Filter {
        let (target, what) = if has_endpoints {
            (Target::Drop, "has no local endpoints")
        } else {
            (Target::Reject, "has no endpoints")
        };
        Filter { target, comment: format!("{} {what}", port.name) }
    }
}

impl Writer<'_> {
    /// The rules of one port of a Service.
    fn port(&mut self, port: &Port<'_>, endpoints: &[Endpoint]) {
        let info = port.info;
        let found = categorize(endpoints, info, self.config.place());
        let has_internal = found.has_any && !(info.internal_policy_local && found.local.is_empty());
        let has_external = found.has_any && !(info.external_policy_local && found.local.is_empty());
        let policy_chain = |local: bool| if local { &port.local_chain } else { &port.cluster_chain };
        let internal_chain = policy_chain(info.internal_policy_local);
        let filter = Filter::new(port, found.has_any);
        let services = Rc::clone(&self.names.services);

        // The cluster IP.
        if has_internal {
            let target = self.jump(internal_chain);
            self.nat(&services, rule(port.to("cluster IP", info.cluster_ip), target));
        } else {
            self.filter(&services, denied(port, info.cluster_ip, &filter));
        }
        self.external(port, found.has_any, has_external, &filter);

        if has_internal {
            let mut from_outside = port.to("cluster IP", info.cluster_ip);
            let detector = local(&self.config.local_detector, true);
            if self.config.masquerade_all || detector.is_some() {
                from_outside.extend(detector.filter(|_| !self.config.masquerade_all));
                let target = self.jump(&self.names.mark_masq);
                self.nat(internal_chain, rule(from_outside, target));
            }
        }
        if found.has_any && info.externally_accessible() {
            let policy = has_external.then(|| policy_chain(info.external_policy_local));
            self.external_chain(port, policy);
        }
        if found.has_any && info.has_source_ranges() {
            self.firewall_chain(port);
        }
        if info.uses_cluster_endpoints() && !found.cluster.is_empty() {
            self.balance(port, &port.cluster_chain, &found.cluster);
        }
        if info.uses_local_endpoints() && !found.local.is_empty() {
            self.balance(port, &port.local_chain, &found.local);
        }
        for endpoint in &found.all {
            self.endpoint_chain(port, endpoint);
        }
    }

    /// The rules by which packets come to a port from outside: to external IPs, to load balancers, and to node ports.
    fn external(&mut self, port: &Port<'_>, has_endpoints: bool, has_external: bool, filter: &Filter) {
        let info = port.info;
        let services = Rc::clone(&self.names.services);
        let external_services = Rc::clone(&self.names.external_services);
        let node_ports = Rc::clone(&self.names.node_ports);
        for ip in &info.external_ips {
            if has_endpoints {
                let target = self.jump(&port.external_chain);
                self.nat(&services, rule(port.to("external IP", *ip), target));
            }
            if !has_external {
                self.filter(&external_services, denied(port, *ip, filter));
            }
        }
        let firewalled = has_endpoints && info.has_source_ranges();
        for ip in &info.load_balancer_vips {
            if has_endpoints {
                let target = self.jump(if firewalled { &port.firewall_chain } else { &port.external_chain });
                self.nat(&services, rule(port.to("loadbalancer IP", *ip), target));
            }
            if firewalled {
                let what = format!("traffic not accepted by {}", port.firewall_chain);
                let firewall = Rc::clone(&self.names.firewall);
                self.filter(&firewall, rule(port.to(&what, *ip), Target::Drop));
            }
        }
        if !has_external {
            for ip in &info.load_balancer_vips {
                self.filter(&external_services, denied(port, *ip, filter));
            }
        }
        if let Some(number) = info.node_port {
            if has_endpoints {
                let named = [comment(&port.name), Match::Protocol(info.protocol)];
                if self.config.has_localhost_node_ports() && self.config.nfacct {
                    let localhost = Match::Destination(Address::Net(localhost_net()), false);
                    let counted =
                        [localhost, Match::DestinationPort(number), Match::Nfacct(COUNTER_LOCALHOST)];
                    let target = self.jump(&port.external_chain);
                    self.nat(&node_ports, rule([&named[..], &counted].concat(), target));
                }
                let target = self.jump(&port.external_chain);
                self.nat(&node_ports, rule([&named[..], &[Match::DestinationPort(number)]].concat(), target));
            }
            if !has_external {
                let matches = [
                    comment(&filter.comment),
                    Match::DestinationLocal,
                    Match::Protocol(info.protocol),
                    Match::DestinationPort(number),
                ];
                self.filter(&external_services, rule(matches, filter.target.clone()));
            }
        }
        if let Some(number) = info.health_check_node_port {
            let matches = [
                comment(format!("{} health check node port", port.name)),
                Match::Protocol(Protocol::Tcp),
                Match::DestinationPort(number),
            ];
            self.filter(&node_ports, rule(matches, Target::Accept));
        }
    }

    /// `KUBE-EXT-…`: packets from outside. With the policy `Cluster` they get the node's address as their source, because
    /// the endpoint may be on another node. With `Local` they keep their source; pods and the node itself may use all
    /// endpoints, as if they had gone out to the load balancer and come back.
    fn external_chain(&mut self, port: &Port<'_>, policy_chain: Option<&ChainName>) {
        let chain = &port.external_chain;
        self.tables.chain(Table::Nat, chain);
        let says = |what: &str, way: &str| comment(format!("{what} for {} {way}", port.name));
        let masquerade = self.jump(&self.names.mark_masq);
        let to = "external destinations";
        if port.info.external_policy_local {
            if let Some(from_pod) = local(&self.config.local_detector, false) {
                let target = self.jump(&port.cluster_chain);
                self.nat(chain, rule([says("pod traffic", to), from_pod], target));
            }
            let own = || Match::SourceLocal(false);
            self.nat(chain, rule([says("masquerade LOCAL traffic", to), own()], masquerade));
            let target = self.jump(&port.cluster_chain);
            self.nat(chain, rule([says("route LOCAL traffic", to), own()], target));
        } else {
            self.nat(chain, rule([says("masquerade traffic", to)], masquerade));
        }
        if let Some(policy_chain) = policy_chain {
            let target = self.jump(policy_chain);
            self.nat(chain, rule([], target));
        }
    }

    /// `KUBE-FW-…`: who may use the load balancer goes on; everybody else comes back, still with the balancer's address,
    /// and is dropped by `KUBE-PROXY-FIREWALL`.
    fn firewall_chain(&mut self, port: &Port<'_>) {
        let chain = &port.firewall_chain;
        let balancer = comment(format!("{} loadbalancer IP", port.name));
        let allow = |writer: &mut Self, source: Address| {
            let target = writer.jump(&port.external_chain);
            let matches = [balancer.clone(), Match::Source(source, false)];
            writer.nat(chain, rule(matches, target));
        };
        for net in &port.info.source_ranges {
            allow(self, Address::Net(*net));
        }
        // A node that has the balancer's address itself sends packets with that address as their source.
        let node = self.config.node_ip();
        if node.is_some_and(|ip| port.info.source_ranges.iter().any(|net| net.contains(&ip))) {
            for ip in &port.info.load_balancer_vips {
                allow(self, Address::Ip(*ip));
            }
        }
        let text = format!("other traffic to {} will be dropped by KUBE-PROXY-FIREWALL", port.name);
        self.nat(chain, Rule { matches: vec![comment(text)], target: None });
    }

    /// The comment of a rule that there is one of for each endpoint.
    fn endpoint_comment(&self, text: impl FnOnce() -> String) -> Option<Match> {
        (!self.large_cluster).then(|| comment(text()))
    }

    /// The rules that choose an endpoint (`writeServiceToEndpointRules`): the one that the client had before, or one by
    /// chance. Of n rules, the first matches once in n times, the second once in n-1 times, and the last always.
    fn balance(&mut self, port: &Port<'_>, chain: &ChainName, endpoints: &[&Endpoint]) {
        let says = |e: &Endpoint| format!("{} -> {}", port.name, e.text);
        if let Some(seconds) = port.info.affinity_seconds {
            for endpoint in endpoints {
                let to = port.endpoint_chain(endpoint);
                let seen = Match::RecentlySeen(Rc::clone(&to), seconds);
                let matches: Vec<Match> =
                    self.endpoint_comment(|| says(endpoint)).into_iter().chain([seen]).collect();
                self.nat(chain, rule(matches, Target::Jump(to)));
            }
        }
        for (index, endpoint) in endpoints.iter().enumerate() {
            let left = endpoints.len() - index;
            let once = (left > 1).then_some(Match::OnceIn(left));
            let matches: Vec<Match> =
                self.endpoint_comment(|| says(endpoint)).into_iter().chain(once).collect();
            self.nat(chain, rule(matches, Target::Jump(port.endpoint_chain(endpoint))));
        }
    }

    /// `KUBE-SEP-…`: the packet goes to the endpoint. A pod that reaches itself gets the node's address as its source,
    /// because it would not answer itself.
    fn endpoint_chain(&mut self, port: &Port<'_>, endpoint: &Endpoint) {
        let chain = port.endpoint_chain(endpoint);
        let named = self.endpoint_comment(|| port.name.clone());
        let itself = Match::Source(Address::Ip(endpoint.address.ip()), false);
        let target = self.jump(&self.names.mark_masq);
        self.nat(&chain, rule(named.iter().cloned().chain([itself]).collect::<Vec<_>>(), target));
        let seen = port.info.affinity_seconds.map(|_| Match::SetSeen(Rc::clone(&chain)));
        let protocol = Match::Protocol(port.info.protocol);
        let matches: Vec<Match> = named.into_iter().chain(seen).chain([protocol]).collect();
        self.nat(&chain, rule(matches, Target::Dnat(endpoint.address)));
    }
}

fn denied(port: &Port<'_>, ip: IpAddr, filter: &Filter) -> Rule {
    let mut matches = port.to("", ip);
    if let Some(first) = matches.first_mut() {
        *first = comment(&filter.comment);
    }
    rule(matches, filter.target.clone())
}

/// The rules of a node for these Services and endpoints.
pub(in super::super) fn sync(config: &Config, ports: &ServicePortMap, endpoints: &EndpointsMap) -> Tables {
    let of = |name: &ServicePortName| endpoints.get(name).map(Vec::as_slice).unwrap_or_default();
    let total: usize = ports.keys().map(|name| of(name).len()).sum();
    let mut writer = Writer {
        config,
        names: Names::new(),
        tables: Tables::new(config.family),
        large_cluster: total > LARGE_CLUSTER_ENDPOINTS,
    };
    writer.jumps();
    writer.head();
    for (name, info) in ports {
        writer.port(&Port::new(name, info, of(name)), of(name));
    }
    writer.tail();
    writer.tables
}
