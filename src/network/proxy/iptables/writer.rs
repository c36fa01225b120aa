//! What rules are written with: the tables so far, and the names of chains.

use std::rc::Rc;

use ipnet::{IpNet, Ipv4Net};

use super::super::config::{Config, LocalDetector};
use super::rule::{Address, ChainName, Match, Rule, Target};
use super::tables::{KUBELET_FIREWALL, Table, Tables};

/// The chains whose names do not depend on a Service.
pub(super) struct Names {
    pub services: ChainName,
    pub external_services: ChainName,
    pub node_ports: ChainName,
    pub postrouting: ChainName,
    pub mark_masq: ChainName,
    pub forward: ChainName,
    pub firewall: ChainName,
    /// The chain that kubelet makes, too (KEP-3178).
    pub kubelet_firewall: ChainName,
}

impl Names {
    pub(super) fn new() -> Names {
        Names {
            services: Rc::from("KUBE-SERVICES"),
            external_services: Rc::from("KUBE-EXTERNAL-SERVICES"),
            node_ports: Rc::from("KUBE-NODEPORTS"),
            postrouting: Rc::from("KUBE-POSTROUTING"),
            mark_masq: Rc::from("KUBE-MARK-MASQ"),
            forward: Rc::from("KUBE-FORWARD"),
            firewall: Rc::from("KUBE-PROXY-FIREWALL"),
            kubelet_firewall: Rc::from(KUBELET_FIREWALL),
        }
    }
}

/// What recognizes packets of the node's pods, or with `not`, all other packets; `None` if nothing does.
pub(in super::super) fn local(detector: &LocalDetector, not: bool) -> Option<Match> {
    if let LocalDetector::Cidr(net) = detector {
        return Some(Match::Source(Address::Net(*net), not));
    }
    let (name, prefix) = detector.interface()?;
    Some(Match::InInterface { name: Rc::from(name), prefix, not })
}

/// A comment.
pub(in super::super) fn comment(text: impl AsRef<str>) -> Match {
    Match::Comment(Rc::from(text.as_ref()))
}

/// The rules of a node while they are written.
pub(super) struct Writer<'a> {
    pub config: &'a Config,
    pub names: Names,
    pub tables: Tables,
    pub large_cluster: bool,
}

impl Writer<'_> {
    pub(super) fn nat(&mut self, chain: &ChainName, rule: Rule) {
        self.tables.add(Table::Nat, chain, rule);
    }

    pub(super) fn filter(&mut self, chain: &ChainName, rule: Rule) {
        self.tables.add(Table::Filter, chain, rule);
    }

    pub(super) fn jump(&self, chain: &ChainName) -> Target {
        Target::Jump(Rc::clone(chain))
    }
}

/// The addresses that a node calls itself by.
pub(in super::super) fn localhost_net() -> IpNet {
    IpNet::V4(Ipv4Net::new_assert(std::net::Ipv4Addr::new(127, 0, 0, 0), 8))
}
