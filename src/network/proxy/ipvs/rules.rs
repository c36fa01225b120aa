//! The few rules of iptables beside virtual servers (`writeIptablesRules`). A rule that asks for a set is only written if
//! the set has entries, unless it denies.

use std::net::SocketAddr;
use std::rc::Rc;

use super::super::config::Config;
use super::super::iptables::{
    Address, CANARY, ChainName, Match, Rule, Table, Target, comment, local, localhost_net, rule,
};
use super::super::names::Family;
use super::sets::{self, set_name};
use super::state::State;
use crate::network::protocol::Protocol;

const SERVICES: &str = "KUBE-SERVICES";
const POSTROUTING: &str = "KUBE-POSTROUTING";
const NODE_PORT: &str = "KUBE-NODE-PORT";
const LOAD_BALANCER: &str = "KUBE-LOAD-BALANCER";
const MARK_MASQ: &str = "KUBE-MARK-MASQ";
const FORWARD: &str = "KUBE-FORWARD";
const FIREWALL: &str = "KUBE-PROXY-FIREWALL";
const SOURCE_RANGES: &str = "KUBE-SOURCE-RANGES-FIREWALL";
const FILTER: &str = "KUBE-IPVS-FILTER";
const OUT_FILTER: &str = "KUBE-IPVS-OUT-FILTER";

/// The rules by which packets come to kube-proxy's chains. kube-proxy puts each of them before those that are there.
const JUMPS: &[(Table, &str, &str, &str)] = &[
    (Table::Nat, "OUTPUT", SERVICES, "kubernetes service portals"),
    (Table::Nat, "PREROUTING", SERVICES, "kubernetes service portals"),
    (Table::Nat, "POSTROUTING", POSTROUTING, "kubernetes postrouting rules"),
    (Table::Filter, "FORWARD", FIREWALL, "kube-proxy firewall rules"),
    (Table::Filter, "FORWARD", FORWARD, "kubernetes forwarding rules"),
    (Table::Filter, "INPUT", FILTER, "kubernetes ipvs access filter"),
    (Table::Filter, "INPUT", FIREWALL, "kube-proxy firewall rules"),
    (Table::Filter, "INPUT", NODE_PORT, "kubernetes health check rules"),
    (Table::Filter, "OUTPUT", OUT_FILTER, "kubernetes ipvs access filter"),
];

/// The chains that kube-proxy makes, whether or not they have rules.
const CHAINS: &[(Table, &str)] = &[
    (Table::Nat, SERVICES),
    (Table::Nat, POSTROUTING),
    (Table::Nat, NODE_PORT),
    (Table::Nat, LOAD_BALANCER),
    (Table::Nat, MARK_MASQ),
    (Table::Nat, CANARY),
    (Table::Filter, FORWARD),
    (Table::Filter, NODE_PORT),
    (Table::Filter, FIREWALL),
    (Table::Filter, SOURCE_RANGES),
    (Table::Filter, FILTER),
    (Table::Filter, OUT_FILTER),
    (Table::Filter, CANARY),
];

const CLUSTER_IP_COMMENT: &str = "Kubernetes service cluster ip + port for masquerade purpose";
const EXTERNAL_IP_COMMENT: &str = "Kubernetes service external ip + port for masquerade and filter purpose";
const EXTERNAL_IP_LOCAL_COMMENT: &str =
    "Kubernetes service external ip + port with externalTrafficPolicy=local";
const HEALTH_CHECK_COMMENT: &str = "Kubernetes health check node port";

/// What one set does by one rule: the set, its comment, the rule's table and chain, where the rule leads, the parts of the
/// packet that are compared, and the protocol (`ipsetWithIptablesChain`).
type SetRule =
    (&'static str, &'static str, Table, &'static str, &'static str, &'static str, Option<Protocol>);

/// The rules of single sets. Sets of the policy `Local` come before those of all: what is in them keeps its source.
const SET_RULES: &[SetRule] = &[
    (
        sets::LOOP_BACK,
        "Kubernetes endpoints dst ip:port, source ip for solving hairpin purpose",
        Table::Nat,
        POSTROUTING,
        "MASQUERADE",
        "dst,dst,src",
        None,
    ),
    (
        sets::LOAD_BALANCER,
        "Kubernetes service lb portal",
        Table::Nat,
        SERVICES,
        LOAD_BALANCER,
        "dst,dst",
        None,
    ),
    (
        sets::LOAD_BALANCER_LOCAL,
        "Kubernetes service load balancer ip + port with externalTrafficPolicy=local",
        Table::Nat,
        LOAD_BALANCER,
        "RETURN",
        "dst,dst",
        None,
    ),
    (
        sets::NODE_PORT_LOCAL_TCP,
        "Kubernetes nodeport TCP port with externalTrafficPolicy=local",
        Table::Nat,
        NODE_PORT,
        "RETURN",
        "dst",
        Some(Protocol::Tcp),
    ),
    (
        sets::NODE_PORT_TCP,
        "Kubernetes nodeport TCP port for masquerade purpose",
        Table::Nat,
        NODE_PORT,
        MARK_MASQ,
        "dst",
        Some(Protocol::Tcp),
    ),
    (
        sets::NODE_PORT_LOCAL_UDP,
        "Kubernetes nodeport UDP port with externalTrafficPolicy=local",
        Table::Nat,
        NODE_PORT,
        "RETURN",
        "dst",
        Some(Protocol::Udp),
    ),
    (
        sets::NODE_PORT_UDP,
        "Kubernetes nodeport UDP port for masquerade purpose",
        Table::Nat,
        NODE_PORT,
        MARK_MASQ,
        "dst",
        Some(Protocol::Udp),
    ),
    (
        sets::NODE_PORT_LOCAL_SCTP,
        "Kubernetes nodeport SCTP port with externalTrafficPolicy=local with type 'hash ip:port'",
        Table::Nat,
        NODE_PORT,
        "RETURN",
        "dst,dst",
        Some(Protocol::Sctp),
    ),
    (
        sets::NODE_PORT_SCTP,
        "Kubernetes nodeport SCTP port for masquerade purpose with type 'hash ip:port'",
        Table::Nat,
        NODE_PORT,
        MARK_MASQ,
        "dst,dst",
        Some(Protocol::Sctp),
    ),
    (
        sets::LOAD_BALANCER_FW,
        "Kubernetes service load balancer ip + port for load balancer with sourceRange",
        Table::Filter,
        FIREWALL,
        SOURCE_RANGES,
        "dst,dst",
        None,
    ),
    (
        sets::LOAD_BALANCER_SOURCE_CIDR,
        "Kubernetes service load balancer ip + port + source cidr for packet filter purpose",
        Table::Filter,
        SOURCE_RANGES,
        "RETURN",
        "dst,dst,src",
        None,
    ),
    (
        sets::LOAD_BALANCER_SOURCE_IP,
        "Kubernetes service load balancer ip + port + source IP for packet filter purpose",
        Table::Filter,
        SOURCE_RANGES,
        "RETURN",
        "dst,dst,src",
        None,
    ),
];

fn jump(chain: &str) -> Target {
    Target::Jump(Rc::from(chain))
}

struct Writer<'a> {
    config: &'a Config,
    state: &'a mut State,
}

impl Writer<'_> {
    fn add(&mut self, table: Table, chain: &str, rule: Rule) {
        let chain: ChainName = Rc::from(chain);
        self.state.tables.add(table, &chain, rule);
    }

    fn in_set(&self, name: &str, parts: &'static str) -> Match {
        Match::InSet(set_name(name, self.config.family), parts)
    }

    fn is_empty(&self, name: &str) -> bool {
        self.state.set(name).is_none_or(|set| set.entries.is_empty())
    }

    fn set_rules(&mut self) {
        for (set, text, table, from, to, parts, protocol) in SET_RULES {
            if self.is_empty(set) {
                continue;
            }
            let protocol = protocol.map(Match::OnlyProtocol);
            let asks = [comment(text), self.in_set(set, parts)];
            let target = match *to {
                "RETURN" => Target::Return,
                "MASQUERADE" => Target::Masquerade { random_fully: false },
                chain => jump(chain),
            };
            self.add(*table, from, rule(protocol.into_iter().chain(asks).collect::<Vec<_>>(), target));
        }
    }

    /// Cluster IPs: packets from outside the cluster need the node's address as their source. If nothing says who is
    /// outside, only packets of the node itself do, which have a cluster IP as their source because it is on an interface
    /// of the node.
    fn cluster_ips(&mut self) {
        if self.is_empty(sets::CLUSTER_IP) {
            return;
        }
        let outside = local(&self.config.local_detector, true);
        let any = self.config.masquerade_all || outside.is_some();
        let asks = self.in_set(sets::CLUSTER_IP, if any { "dst,dst" } else { "src,dst" });
        let outside = outside.filter(|_| !self.config.masquerade_all);
        let matches = [comment(CLUSTER_IP_COMMENT), asks].into_iter().chain(outside);
        self.add(Table::Nat, SERVICES, rule(matches.collect::<Vec<_>>(), jump(MARK_MASQ)));
    }

    /// External IPs: traffic from other machines, and to addresses that the node has itself, goes on to the load balancer.
    fn external_ips(&mut self, set: &str, text: &str, masquerade: bool) {
        if self.is_empty(set) {
            return;
        }
        let asks = [comment(text), self.in_set(set, "dst,dst")];
        if masquerade {
            self.add(Table::Nat, SERVICES, rule(asks.clone(), jump(MARK_MASQ)));
        }
        let other_machine = [Match::NotFromBridgePort, Match::SourceLocal(true)];
        self.add(Table::Nat, SERVICES, rule([&asks[..], &other_machine].concat(), Target::Accept));
        let own = [Match::DestinationLocal];
        self.add(Table::Nat, SERVICES, rule([&asks[..], &own].concat(), Target::Accept));
    }

    /// Who may not reach what: nobody reaches a process of the node through a Service's address.
    fn filter(&mut self, closed_to_node: &[(SocketAddr, Protocol)]) {
        self.add(Table::Filter, SOURCE_RANGES, rule([], Target::Drop));
        for (server, protocol) in closed_to_node {
            let own = Match::Source(Address::Ip(server.ip()), false);
            self.add(Table::Filter, OUT_FILTER, rule([own, Match::Ipvs(*server, *protocol)], Target::Drop));
        }
        let mark = self.config.masquerade_mark();
        let marked = [comment("kubernetes forwarding rules"), Match::Mark(mark, false)];
        self.add(Table::Filter, FORWARD, rule(marked, Target::Accept));
        let known = [comment("kubernetes forwarding conntrack rule"), Match::Established];
        self.add(Table::Filter, FORWARD, rule(known, Target::Accept));
        let health = self.in_set(sets::HEALTH_CHECK_NODE_PORT, "dst");
        let checks = [comment(HEALTH_CHECK_COMMENT), health.clone()];
        self.add(Table::Filter, NODE_PORT, rule(checks, Target::Accept));
        for set in [sets::LOAD_BALANCER, sets::CLUSTER_IP, sets::EXTERNAL_IP, sets::EXTERNAL_IP_LOCAL] {
            let asks = self.in_set(set, "dst,dst");
            self.add(Table::Filter, FILTER, rule([asks], Target::Return));
        }
        self.add(Table::Filter, FILTER, rule([health], Target::Return));
        let rest = [Match::New, self.in_set(sets::IPVS_IPS, "dst")];
        self.add(Table::Filter, FILTER, rule(rest, Target::Reject));
    }
}

/// Writes the rules. `closed_to_node` are the addresses of load balancers that the node itself may not use.
pub(super) fn write(config: &Config, state: &mut State, closed_to_node: &[(SocketAddr, Protocol)]) {
    for (table, chain) in CHAINS {
        state.tables.chain(*table, &Rc::from(*chain));
    }
    let mut writer = Writer { config, state };
    for (table, from, to, text) in JUMPS {
        writer.add(*table, from, rule([comment(text)], jump(to)));
    }
    let loopback = match config.family {
        Family::Ipv4 => Address::Net(localhost_net()),
        Family::Ipv6 => Address::Net(ipnet::IpNet::from(config.family.loopback())),
    };
    writer.add(Table::Nat, SERVICES, rule([Match::Source(loopback, false)], Target::Return));
    writer.set_rules();
    writer.cluster_ips();
    writer.external_ips(sets::EXTERNAL_IP, EXTERNAL_IP_COMMENT, true);
    writer.external_ips(sets::EXTERNAL_IP_LOCAL, EXTERNAL_IP_LOCAL_COMMENT, false);
    writer.add(Table::Nat, SERVICES, rule([Match::DestinationLocal], jump(NODE_PORT)));
    writer.add(Table::Nat, LOAD_BALANCER, rule([], jump(MARK_MASQ)));
    writer.filter(closed_to_node);
    for set in [sets::CLUSTER_IP, sets::LOAD_BALANCER] {
        if !writer.is_empty(set) {
            let asks = writer.in_set(set, "dst,dst");
            writer.add(Table::Nat, SERVICES, rule([asks], Target::Accept));
        }
    }
    let mark = config.masquerade_mark();
    writer.add(Table::Nat, POSTROUTING, rule([Match::Mark(mark, true)], Target::Return));
    writer.add(Table::Nat, POSTROUTING, rule([], Target::MarkXor(mark)));
    let snat = [comment("kubernetes service traffic requiring SNAT")];
    let masquerade = Target::Masquerade { random_fully: config.random_fully };
    writer.add(Table::Nat, POSTROUTING, rule(snat, masquerade));
    writer.add(Table::Nat, MARK_MASQ, rule([], Target::MarkOr(mark)));
}
