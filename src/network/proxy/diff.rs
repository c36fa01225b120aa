//! What one sync of kube-proxy changed: which chains, rules, sets, maps and virtual servers came and went.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

use super::iptables::{self, Table};
use super::ipvs::{Entry, RealServer, VirtualServer};
use super::names::Family;
use super::nftables::{self, Map, Set};
use super::packet::VirtualServerKey;
use super::ruleset::{Rules, Ruleset};
use crate::network::protocol::Protocol;

/// What has lines that can come and go.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Container {
    /// A chain of a table.
    Chain {
        /// `filter`, `nat`, or `kube-proxy` for nftables.
        table: &'static str,
        /// The name of the chain.
        name: String,
    },
    /// A set of nftables or of ipset.
    Set(String),
    /// A map of nftables.
    Map(String),
    /// A virtual server of IPVS: protocol, address and port.
    VirtualServer(String),
    /// The interface with the addresses of Services (`kube-ipvs0`).
    Interface(String),
}

impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Container::Chain { table, name } => write!(f, "chain {table} {name}"),
            Container::Set(name) => write!(f, "set {name}"),
            Container::Map(name) => write!(f, "map {name}"),
            Container::VirtualServer(name) => write!(f, "virtual server {name}"),
            Container::Interface(name) => write!(f, "interface {name}"),
        }
    }
}

/// What happened to a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Some of its lines are new, gone, or in another order.
    Changed,
}

/// A container that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The container.
    pub container: Container,
    /// What happened to it.
    pub happened: Happened,
    /// The lines that are gone, as they are printed, in their order.
    pub removed: Vec<String>,
    /// The lines that are new, as they are printed, in their order.
    pub added: Vec<String>,
}

/// A line of a container. It is only printed if it is not the same in both.
#[derive(Clone, Copy, PartialEq)]
enum Line<'a> {
    Iptables(&'a iptables::Rule),
    Nftables(&'a nftables::Rule, Family),
    Element(&'a nftables::Key, &'a nftables::Element),
    Service(&'a VirtualServerKey, &'a VirtualServer),
    Server(&'a RealServer),
    Entry(&'a Entry),
    Address(IpAddr),
    Hairpin(&'a (IpAddr, Protocol, u16)),
    Timeout(u32),
}

impl Line<'_> {
    fn text(self) -> String {
        match self {
            Line::Iptables(rule) => rule.to_string(),
            Line::Nftables(rule, family) => rule.text(family),
            Line::Element(key, element) => Map::element(key, element),
            Line::Service(key, server) => server.head(key),
            Line::Server(server) => server.to_string(),
            Line::Entry(entry) => entry.to_string(),
            Line::Address(ip) => ip.to_string(),
            Line::Hairpin((ip, protocol, port)) => format!("{ip} . {ip} . {protocol} . {port}"),
            Line::Timeout(seconds) => format!("timeout {seconds}s"),
        }
    }

    /// Whether two lines are the same. Of a virtual server only what stands in its own line counts.
    fn same(self, other: Line<'_>) -> bool {
        match (self, other) {
            (Line::Service(_, a), Line::Service(_, b)) => {
                a.scheduler == b.scheduler && a.persistent_seconds == b.persistent_seconds
            }
            (a, b) => a == b,
        }
    }
}

type Containers<'a> = BTreeMap<Container, Vec<Line<'a>>>;

fn of_iptables<'a>(tables: &'a iptables::Tables, all: &mut Containers<'a>) {
    for table in [Table::Filter, Table::Nat] {
        for (name, rules) in tables.table(table) {
            let container = Container::Chain { table: table.name(), name: name.to_string() };
            all.insert(container, rules.iter().map(Line::Iptables).collect());
        }
    }
}

fn of_nftables<'a>(table: &'a nftables::Table, all: &mut Containers<'a>) {
    for (name, chain) in &table.chains {
        let container = Container::Chain { table: "kube-proxy", name: name.to_string() };
        all.insert(container, chain.rules.iter().map(|rule| Line::Nftables(rule, table.family)).collect());
    }
    for (name, set) in &table.sets {
        let lines = match set {
            Set::Addresses { elements, .. } => elements.iter().map(|ip| Line::Address(*ip)).collect(),
            Set::Hairpins { elements, .. } => elements.iter().map(Line::Hairpin).collect(),
            Set::Clients { timeout_seconds } => vec![Line::Timeout(*timeout_seconds)],
        };
        all.insert(Container::Set(name.to_string()), lines);
    }
    for (name, map) in &table.maps {
        let lines = map.elements.iter().map(|(key, element)| Line::Element(key, element)).collect();
        all.insert(Container::Map(name.to_string()), lines);
    }
}

fn containers(ruleset: &Ruleset) -> Containers<'_> {
    let mut all = Containers::new();
    match &ruleset.rules {
        Rules::Iptables(tables) => of_iptables(tables, &mut all),
        Rules::Nftables(table) => of_nftables(table, &mut all),
        Rules::Ipvs(state) => {
            of_iptables(&state.tables, &mut all);
            for set in &state.sets {
                let lines = set.entries.iter().map(Line::Entry).collect();
                all.insert(Container::Set(set.name.to_string()), lines);
            }
            for (key, server) in &state.virtual_servers {
                let container = Container::VirtualServer(format!("{} {}", key.1.name(), key.0));
                let servers = server.real_servers.iter().map(Line::Server);
                all.insert(container, [Line::Service(key, server)].into_iter().chain(servers).collect());
            }
            let addresses = state.bound.iter().map(|ip| Line::Address(*ip)).collect();
            all.insert(Container::Interface("kube-ipvs0".to_owned()), addresses);
        }
    }
    all
}

/// The lines of the first that the second does not have.
fn without(lines: &[Line<'_>], others: &[Line<'_>]) -> Vec<String> {
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for other in others {
        *left.entry(other.text()).or_default() += 1;
    }
    let mut gone = Vec::new();
    for text in lines.iter().map(|line| line.text()) {
        match left.get_mut(&text) {
            Some(count) if *count > 0 => *count -= 1,
            _ => gone.push(text),
        }
    }
    gone
}

/// The part of two lists in which they differ: what stands before and behind it is the same in both.
fn middle<'a, 'b>(mut a: &'b [Line<'a>], mut b: &'b [Line<'a>]) -> (&'b [Line<'a>], &'b [Line<'a>]) {
    while let (Some((first, rest)), Some((other, others))) = (a.split_first(), b.split_first())
        && first.same(*other)
    {
        (a, b) = (rest, others);
    }
    while let (Some((last, rest)), Some((other, others))) = (a.split_last(), b.split_last())
        && last.same(*other)
    {
        (a, b) = (rest, others);
    }
    (a, b)
}

impl Ruleset {
    /// What became of the rules before: the containers that are not what they were, in the order of their names.
    pub fn changes_since(&self, before: &Ruleset) -> Vec<Change> {
        let (old, new) = (containers(before), containers(self));
        let mut changes = Vec::new();
        let texts = |lines: &[Line<'_>]| lines.iter().map(|line| line.text()).collect::<Vec<_>>();
        for (container, lines) in &old {
            let Some(now) = new.get(container) else {
                let (container, removed) = (container.clone(), texts(lines));
                changes.push(Change { container, happened: Happened::Removed, removed, added: Vec::new() });
                continue;
            };
            let (was, is) = middle(lines, now);
            if !was.is_empty() || !is.is_empty() {
                changes.push(Change {
                    container: container.clone(),
                    happened: Happened::Changed,
                    removed: without(was, is),
                    added: without(is, was),
                });
            }
        }
        for (container, lines) in new.iter().filter(|(container, _)| !old.contains_key(container)) {
            let (container, added) = (container.clone(), texts(lines));
            changes.push(Change { container, happened: Happened::Added, removed: Vec::new(), added });
        }
        changes.sort_by(|a, b| a.container.cmp(&b.container));
        changes
    }
}
