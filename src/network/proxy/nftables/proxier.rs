//! The table for all Services of a node (`syncProxyRules`).

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::rc::Rc;

use ipnet::IpNet;

use super::super::config::{Config, LocalDetector};
use super::super::endpoints::{Endpoint, EndpointsMap};
use super::super::iptables::localhost_net;
use super::super::names::{Family, ServicePortName, hash};
use super::super::services::{ServicePort, ServicePortMap};
use super::super::topology::categorize;
use super::table::{Base, Chain, Element, Key, Map, Rule, Set, Statement, Table, VerdictValue};

/// The longest name of a chain, without its prefix (`chainNameBaseLengthMax`).
const NAME_LENGTH: usize = 240;

/// The chains that the kernel asks (`nftablesBaseChains`). The firewall of load balancers is asked before destinations
/// are changed, and everything else that is denied after that.
const BASE_CHAINS: &[(&str, Base)] = &[
    ("filter-prerouting-pre-dnat", Base { kind: "filter", hook: "prerouting", priority: "dstnat - 10" }),
    ("filter-output-pre-dnat", Base { kind: "filter", hook: "output", priority: "-110" }),
    ("filter-input", Base { kind: "filter", hook: "input", priority: "filter" }),
    ("filter-forward", Base { kind: "filter", hook: "forward", priority: "filter" }),
    ("filter-output", Base { kind: "filter", hook: "output", priority: "filter" }),
    ("nat-prerouting", Base { kind: "nat", hook: "prerouting", priority: "dstnat" }),
    ("nat-output", Base { kind: "nat", hook: "output", priority: "-100" }),
    ("nat-postrouting", Base { kind: "nat", hook: "postrouting", priority: "srcnat" }),
];

/// The rules that lead from there to other chains (`nftablesJumpChains`), and whether for new connections only.
const JUMPS: &[(&str, &str, bool)] = &[
    ("filter-prerouting-pre-dnat", "firewall-check", true),
    ("filter-output-pre-dnat", "firewall-check", true),
    ("filter-input", "nodeport-endpoints-check", true),
    ("filter-input", "service-endpoints-check", true),
    ("filter-forward", "service-endpoints-check", true),
    ("filter-forward", "cluster-ips-check", true),
    ("filter-output", "service-endpoints-check", true),
    ("filter-output", "cluster-ips-check", true),
    ("nat-prerouting", "services", false),
    ("nat-output", "services", false),
    ("nat-postrouting", "masquerading", false),
];

const NO_ENDPOINT_SERVICES: &str = "no-endpoint-services";
const NO_ENDPOINT_NODE_PORTS: &str = "no-endpoint-nodeports";
const SERVICE_IPS: &str = "service-ips";
const SERVICE_NODE_PORTS: &str = "service-nodeports";
const FIREWALL_IPS: &str = "firewall-ips";
const CLUSTER_IPS: &str = "cluster-ips";
const NODE_PORT_IPS: &str = "nodeport-ips";
const HAIRPINS: &str = "hairpin-connections";

const MAPS: &[(&str, &str)] = &[
    (NO_ENDPOINT_SERVICES, "vmap to drop or reject packets to services with no endpoints"),
    (NO_ENDPOINT_NODE_PORTS, "vmap to drop or reject packets to service nodeports with no endpoints"),
    (FIREWALL_IPS, "destinations that are subject to LoadBalancerSourceRanges"),
    (SERVICE_IPS, "ClusterIP, ExternalIP and LoadBalancer IP traffic"),
    (SERVICE_NODE_PORTS, "NodePort traffic"),
];

fn rule(statements: impl Into<Vec<Statement>>, comment: Option<&'static str>) -> Rule {
    Rule { statements: statements.into(), comment }
}

/// A name with the begin of its hash, cut if it is too long (`hashAndTruncate`).
fn hashed(name: &str) -> String {
    let mut name = format!("{}-{name}", hash(name, 8));
    if name.len() > NAME_LENGTH {
        // Names of Services, ports and addresses are ASCII.
        name = name.chars().take(NAME_LENGTH - 3).collect::<String>() + "...";
    }
    name
}

/// What recognizes packets of the node's pods, or with `not`, all other packets.
fn local(detector: &LocalDetector, not: bool) -> Option<Statement> {
    if let LocalDetector::Cidr(net) = detector {
        return Some(Statement::Source(vec![*net], not));
    }
    let (name, prefix) = detector.interface()?;
    Some(Statement::InInterface { name: Rc::from(name), prefix, not })
}

struct Writer<'a> {
    config: &'a Config,
    table: Table,
}

struct Port<'a> {
    name: Rc<str>,
    /// `namespace/name/protocol/port`
    base: String,
    info: &'a ServicePort,
    cluster_chain: Rc<str>,
    local_chain: Rc<str>,
    external_chain: Rc<str>,
    firewall_chain: Rc<str>,
}

impl<'a> Port<'a> {
    fn new(name: &ServicePortName, info: &'a ServicePort) -> Port<'a> {
        let base = format!("{}/{}/{}", name.service, info.protocol, name.port);
        let hashed = hashed(&base);
        let chain = |prefix: &str| Rc::from(format!("{prefix}{hashed}"));
        Port {
            name: Rc::from(name.to_string()),
            cluster_chain: chain("service-"),
            local_chain: chain("local-"),
            external_chain: chain("external-"),
            firewall_chain: chain("firewall-"),
            base,
            info,
        }
    }

    /// The name of an endpoint's chain or set. The colons of IPv6 addresses become dots.
    fn of_endpoint(&self, prefix: &str, endpoint: &Endpoint) -> Rc<str> {
        let ip = endpoint.address.ip().to_string().replace(':', ".");
        let name = format!("{}__{ip}/{}", self.base, endpoint.address.port());
        Rc::from(format!("{prefix}{}", hashed(&name)))
    }

    fn key(&self, ip: IpAddr) -> Key {
        Key::Service(ip, self.info.protocol, self.info.port)
    }
}

impl Writer<'_> {
    fn add(&mut self, chain: &str, statements: impl Into<Vec<Statement>>, comment: Option<&'static str>) {
        match self.table.chains.get_mut(chain) {
            Some(chain) => chain.rules.push(rule(statements, comment)),
            None => {
                let rules = vec![rule(statements, comment)];
                self.table.chains.insert(Rc::from(chain), Chain { rules, ..Chain::default() });
            }
        }
    }

    fn map(&mut self, map: &str, key: Key, verdict: VerdictValue, comment: Option<Rc<str>>) {
        if let Some(map) = self.table.maps.get_mut(map) {
            map.elements.insert(key, Element { verdict, comment });
        }
    }

    fn mark(&self) -> Statement {
        Statement::SetMark(self.config.masquerade_mark())
    }

    /// What asks whether the destination is an address on which node ports answer.
    fn node_port_destination(&self) -> Vec<Statement> {
        if !self.config.node_ports_everywhere() {
            return vec![Statement::DestinationIn(Rc::from(NODE_PORT_IPS))];
        }
        let localhost = match self.config.family {
            Family::Ipv4 => localhost_net(),
            Family::Ipv6 => IpNet::from(self.config.family.loopback()),
        };
        vec![Statement::DestinationLocal, Statement::Destination(vec![localhost], true)]
    }

    /// What does not depend on Services (`setupNFTables`).
    fn set_up(&mut self) {
        for (name, base) in BASE_CHAINS {
            self.table.chains.insert(Rc::from(*name), Chain { base: Some(*base), ..Chain::default() });
        }
        for (from, to, only_new) in JUMPS {
            let new = only_new.then_some(Statement::New);
            let jump = Statement::Jump(Rc::from(*to));
            self.add(from, new.into_iter().chain([jump]).collect::<Vec<_>>(), None);
        }
        for (name, comment) in MAPS {
            let of_node_ports = matches!(*name, NO_ENDPOINT_NODE_PORTS | SERVICE_NODE_PORTS);
            let map = Map { comment, of_node_ports, elements: BTreeMap::new() };
            self.table.maps.insert(Rc::from(*name), map);
        }
        let addresses = |comment, elements| Set::Addresses { comment, elements };
        let sets = &mut self.table.sets;
        sets.insert(Rc::from(CLUSTER_IPS), addresses("Active ClusterIPs", BTreeSet::new()));
        let hairpins = Set::Hairpins { comment: "service hairpin connections", elements: BTreeSet::new() };
        sets.insert(Rc::from(HAIRPINS), hairpins);
        if !self.config.node_ports_everywhere() {
            let ips = self.config.node_port_ips().into_iter().filter(|ip| !ip.is_loopback()).collect();
            sets.insert(Rc::from(NODE_PORT_IPS), addresses("IPs that accept NodePort traffic", ips));
        }

        // A rejection is not a verdict that a map can have.
        let comment = Some("helper for @no-endpoint-services / @no-endpoint-nodeports");
        let rules = vec![rule([Statement::Reject], None)];
        self.table.chains.insert(Rc::from("reject-chain"), Chain { base: None, comment, rules });

        let mark = self.config.masquerade_mark();
        let marked = [Statement::Marked(mark), Statement::FlipMark(mark), Statement::Masquerade];
        self.add("masquerading", marked, None);
        let hairpin = Statement::ConnectionIn(Rc::from(HAIRPINS));
        self.add("masquerading", [Statement::Changed, hairpin, Statement::Masquerade], None);

        let cluster_ips = || Statement::DestinationIn(Rc::from(CLUSTER_IPS));
        if self.config.masquerade_all {
            self.add("services", [cluster_ips(), self.mark()], Some("masquerade all clusterIP traffic"));
        } else if let Some(from_outside) = local(&self.config.local_detector, true) {
            let comment = Some("masquerade clusterIP traffic from outside cluster");
            self.add("services", [cluster_ips(), from_outside, self.mark()], comment);
        }
        self.add("services", [Statement::LookUpService(Rc::from(SERVICE_IPS))], None);
        let mut node_ports = self.node_port_destination();
        // The destination of what comes in is this node, which need not be asked.
        let mut no_node_ports: Vec<_> =
            node_ports.iter().filter(|s| **s != Statement::DestinationLocal).cloned().collect();
        node_ports.push(Statement::LookUpNodePort(Rc::from(SERVICE_NODE_PORTS)));
        self.add("services", node_ports, None);

        no_node_ports.push(Statement::LookUpNodePort(Rc::from(NO_ENDPOINT_NODE_PORTS)));
        self.add("nodeport-endpoints-check", no_node_ports, None);
        let no_services = Statement::LookUpService(Rc::from(NO_ENDPOINT_SERVICES));
        self.add("service-endpoints-check", [no_services], None);
        self.add("firewall-check", [Statement::LookUpService(Rc::from(FIREWALL_IPS))], None);

        let comment = Some("Reject traffic to invalid ports of ClusterIPs");
        self.add("cluster-ips-check", [cluster_ips(), Statement::Reject], comment);
        let ranges =
            self.config.service_cidrs.iter().filter(|net| Family::of(net.addr()) == self.config.family);
        let ranges: Vec<IpNet> = ranges.copied().collect();
        if !ranges.is_empty() {
            let comment = Some("Drop traffic to unallocated ClusterIPs");
            self.add("cluster-ips-check", [Statement::Destination(ranges, false), Statement::Drop], comment);
        }
    }

    /// The elements and chains of one port of a Service.
    fn port(&mut self, port: &Port<'_>, endpoints: &[Endpoint]) {
        let info = port.info;
        let found = categorize(endpoints, info, self.config.place());
        let has_internal = found.has_any && !(info.internal_policy_local && found.local.is_empty());
        let has_external = found.has_any && !(info.external_policy_local && found.local.is_empty());
        let policy_chain =
            |local: bool| Rc::clone(if local { &port.local_chain } else { &port.cluster_chain });
        let denied = || match found.has_any {
            true => VerdictValue::Drop,
            false => VerdictValue::Goto(Rc::from("reject-chain")),
        };
        let name = || Some(Rc::clone(&port.name));
        let goto = |chain: &Rc<str>| VerdictValue::Goto(Rc::clone(chain));

        if let Some(Set::Addresses { elements, .. }) = self.table.sets.get_mut(CLUSTER_IPS) {
            elements.insert(info.cluster_ip);
        }
        let cluster_key = port.key(info.cluster_ip);
        if has_internal {
            let chain = policy_chain(info.internal_policy_local);
            self.map(SERVICE_IPS, cluster_key, VerdictValue::Goto(chain), None);
        } else {
            self.map(NO_ENDPOINT_SERVICES, cluster_key, denied(), name());
        }
        for ip in info.external_ips.iter().chain(&info.load_balancer_vips) {
            if found.has_any {
                self.map(SERVICE_IPS, port.key(*ip), goto(&port.external_chain), None);
            }
            if !has_external {
                self.map(NO_ENDPOINT_SERVICES, port.key(*ip), denied(), name());
            }
        }
        if let Some(number) = info.node_port {
            let key = Key::NodePort(info.protocol, number);
            if found.has_any {
                self.map(SERVICE_NODE_PORTS, key, goto(&port.external_chain), None);
            }
            if !has_external {
                self.map(NO_ENDPOINT_NODE_PORTS, key, denied(), name());
            }
        }
        if info.has_source_ranges() {
            for ip in &info.load_balancer_vips {
                self.map(FIREWALL_IPS, port.key(*ip), goto(&port.firewall_chain), None);
            }
            self.firewall_chain(port);
        }
        if found.has_any && info.externally_accessible() {
            self.external_chain(port, has_external.then(|| policy_chain(info.external_policy_local)));
        }
        if info.uses_cluster_endpoints() && !found.cluster.is_empty() {
            self.balance(port, &port.cluster_chain, &found.cluster);
        }
        if info.uses_local_endpoints() && !found.local.is_empty() {
            self.balance(port, &port.local_chain, &found.local);
        }
        for endpoint in &found.all {
            self.endpoint(port, endpoint);
        }
    }

    /// `external-…`: packets from outside. See `KUBE-EXT-…` of iptables mode.
    fn external_chain(&mut self, port: &Port<'_>, policy_chain: Option<Rc<str>>) {
        let chain = Rc::clone(&port.external_chain);
        let cluster = || Statement::Goto(Rc::clone(&port.cluster_chain));
        if port.info.external_policy_local {
            if let Some(from_pod) = local(&self.config.local_detector, false) {
                self.add(&chain, [from_pod, cluster()], Some("short-circuit pod traffic"));
            }
            let mark = self.mark();
            self.add(&chain, [Statement::SourceLocal, mark], Some("masquerade local traffic"));
            self.add(&chain, [Statement::SourceLocal, cluster()], Some("short-circuit local traffic"));
        } else {
            let mark = self.mark();
            self.add(&chain, [mark], Some("masquerade"));
        }
        if let Some(policy_chain) = policy_chain {
            self.add(&chain, [Statement::Goto(policy_chain)], None);
        }
    }

    /// `firewall-…`: who may not use the load balancer is dropped.
    fn firewall_chain(&mut self, port: &Port<'_>) {
        let mut sources = port.info.source_ranges.clone();
        let node = self.config.node_ip();
        if node.is_some_and(|ip| sources.iter().any(|net| net.contains(&ip))) {
            sources.extend(port.info.load_balancer_vips.iter().map(|ip| IpNet::from(*ip)));
        }
        self.add(&port.firewall_chain, [Statement::Source(sources, true), Statement::Drop], None);
    }

    /// The rules that choose an endpoint. Without session affinity, one rule changes the destination.
    fn balance(&mut self, port: &Port<'_>, chain: &str, endpoints: &[&Endpoint]) {
        if port.info.affinity_seconds.is_none() {
            let all = endpoints.iter().map(|e| e.address).collect();
            let protocol = Statement::Protocol(port.info.protocol);
            self.add(chain, [protocol, Statement::DnatToAny(all)], None);
            return;
        }
        for endpoint in endpoints {
            let known = Statement::SourceIn(port.of_endpoint("affinity-", endpoint));
            self.add(chain, [known, Statement::Goto(port.of_endpoint("endpoint-", endpoint))], None);
        }
        let all = endpoints.iter().map(|e| port.of_endpoint("endpoint-", e)).collect();
        self.add(chain, [Statement::GotoAny(all)], None);
    }

    /// What there is for an endpoint: with session affinity a chain and a set of clients, and if it is on this node, its
    /// connections to itself.
    fn endpoint(&mut self, port: &Port<'_>, endpoint: &Endpoint) {
        if endpoint.is_local
            && let Some(Set::Hairpins { elements, .. }) = self.table.sets.get_mut(HAIRPINS)
        {
            elements.insert((endpoint.address.ip(), port.info.protocol, endpoint.address.port()));
        }
        let Some(timeout_seconds) = port.info.affinity_seconds else { return };
        let clients = port.of_endpoint("affinity-", endpoint);
        self.table.sets.insert(Rc::clone(&clients), Set::Clients { timeout_seconds });
        let chain = port.of_endpoint("endpoint-", endpoint);
        self.add(&chain, [Statement::Remember(clients)], None);
        let protocol = Statement::Protocol(port.info.protocol);
        self.add(&chain, [protocol, Statement::Dnat(endpoint.address)], None);
    }
}

/// The table of a node for these Services and endpoints.
pub(in super::super) fn sync(config: &Config, ports: &ServicePortMap, endpoints: &EndpointsMap) -> Table {
    let table = Table {
        family: config.family,
        chains: BTreeMap::new(),
        sets: BTreeMap::new(),
        maps: BTreeMap::new(),
    };
    let mut writer = Writer { config, table };
    writer.set_up();
    for (name, info) in ports {
        let of_port = endpoints.get(name).map(Vec::as_slice).unwrap_or_default();
        writer.port(&Port::new(name, info), of_port);
    }
    writer.table
}
