//! The rules that do not depend on Services.

use std::rc::Rc;

use ipnet::IpNet;

use super::super::names::Family;
use super::rule::{Address, Match, Target, rule};
use super::tables::{CANARY, Table};
use super::writer::{Writer, comment, localhost_net};

const COUNTER_INVALID: &str = "ct_state_invalid_dropped_pkts";

impl Writer<'_> {
    /// The rules by which packets come to kube-proxy's chains (`iptablesJumpChains`). kube-proxy puts each of them before
    /// those that are there already; those to `KUBE-FIREWALL` are kubelet's, which is started before.
    pub(super) fn jumps(&mut self) {
        let services = Rc::clone(&self.names.services);
        let external = Rc::clone(&self.names.external_services);
        let firewall = Rc::clone(&self.names.firewall);
        let node_ports = Rc::clone(&self.names.node_ports);
        let forward = Rc::clone(&self.names.forward);
        let postrouting = Rc::clone(&self.names.postrouting);
        let kubelet = Rc::clone(&self.names.kubelet_firewall);
        let portals = "kubernetes service portals";
        let visible = "kubernetes externally-visible service portals";
        let balancer = "kubernetes load balancer firewall";
        let all = [
            (Table::Filter, "INPUT", &firewall, balancer, true),
            (Table::Filter, "INPUT", &node_ports, "kubernetes health check service ports", false),
            (Table::Filter, "INPUT", &external, visible, true),
            (Table::Filter, "INPUT", &kubelet, "", false),
            (Table::Filter, "FORWARD", &firewall, balancer, true),
            (Table::Filter, "FORWARD", &forward, "kubernetes forwarding rules", false),
            (Table::Filter, "FORWARD", &services, portals, true),
            (Table::Filter, "FORWARD", &external, visible, true),
            (Table::Filter, "OUTPUT", &firewall, balancer, true),
            (Table::Filter, "OUTPUT", &services, portals, true),
            (Table::Filter, "OUTPUT", &kubelet, "", false),
            (Table::Nat, "PREROUTING", &services, portals, false),
            (Table::Nat, "OUTPUT", &services, portals, false),
            (Table::Nat, "POSTROUTING", &postrouting, "kubernetes postrouting rules", false),
        ];
        for (table, from, to, text, only_new) in all {
            let new = only_new.then_some(Match::New);
            let text = (!text.is_empty()).then(|| comment(text));
            let matches: Vec<Match> = new.into_iter().chain(text).collect();
            let target = self.jump(to);
            self.tables.add(table, &Rc::from(from), rule(matches, target));
            self.tables.chain(table, to);
        }
        for table in [Table::Filter, Table::Nat] {
            self.tables.chain(table, &Rc::from(CANARY));
        }
    }

    /// The rules that do not depend on Services and come first.
    pub(super) fn head(&mut self) {
        let mark = self.config.masquerade_mark();
        let postrouting = Rc::clone(&self.names.postrouting);
        let mark_masq = Rc::clone(&self.names.mark_masq);
        let node_ports = Rc::clone(&self.names.node_ports);
        self.tables.chain(Table::Nat, &node_ports);
        self.nat(&postrouting, rule([Match::Mark(mark, true)], Target::Return));
        // The mark is taken away, so that a packet that comes by again is not masqueraded twice.
        self.nat(&postrouting, rule([], Target::MarkXor(mark)));
        let masquerade = Target::Masquerade { random_fully: self.config.random_fully };
        self.nat(&postrouting, rule([comment("kubernetes service traffic requiring SNAT")], masquerade));
        self.nat(&mark_masq, rule([], Target::MarkOr(mark)));
        if self.config.has_localhost_node_ports() {
            let localhost = Address::Net(localhost_net());
            let kubelet = Rc::clone(&self.names.kubelet_firewall);
            let block = [
                comment("block incoming localnet connections"),
                Match::Destination(localhost, false),
                Match::Source(localhost, true),
                Match::NeitherEstablishedNorDnat,
            ];
            self.filter(&kubelet, rule(block, Target::Drop));
        }
    }

    /// The rules that do not depend on Services and come last.
    pub(super) fn tail(&mut self) {
        let services = Rc::clone(&self.names.services);
        let last = "kubernetes service nodeports; NOTE: this must be the last rule in this chain";
        let loopback = self.config.family.loopback();
        let allowed = self.config.has_localhost_node_ports();
        if self.config.node_ports_everywhere() {
            let mut matches = vec![comment(last), Match::DestinationLocal];
            if !allowed {
                let net = match self.config.family {
                    Family::Ipv4 => localhost_net(),
                    Family::Ipv6 => IpNet::from(loopback),
                };
                matches.push(Match::Destination(Address::Net(net), true));
            }
            let target = self.jump(&self.names.node_ports);
            self.nat(&services, rule(matches, target));
        } else {
            for ip in self.config.node_port_ips().into_iter().filter(|ip| !ip.is_loopback() || allowed) {
                let target = self.jump(&self.names.node_ports);
                let matches = [comment(last), Match::Destination(Address::Ip(ip), false)];
                self.nat(&services, rule(matches, target));
            }
        }

        let mark = self.config.masquerade_mark();
        let forward = Rc::clone(&self.names.forward);
        if !self.config.conntrack_tcp_liberal {
            let counter = self.config.nfacct.then_some(Match::Nfacct(COUNTER_INVALID));
            let matches: Vec<Match> = [Match::Invalid].into_iter().chain(counter).collect();
            self.filter(&forward, rule(matches, Target::Drop));
        }
        let marked = [comment("kubernetes forwarding rules"), Match::Mark(mark, false)];
        self.filter(&forward, rule(marked, Target::Accept));
        let known = [comment("kubernetes forwarding conntrack rule"), Match::Established];
        self.filter(&forward, rule(known, Target::Accept));
    }
}
