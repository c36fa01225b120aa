//! What the table of kube-proxy consists of: chains of rules, sets and maps.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use ipnet::IpNet;

use super::super::names::Family;
use crate::network::protocol::Protocol;

/// How a chain is tied to the kernel's way of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    /// Whether the chain changes addresses (`nat`) or lets packets pass (`filter`).
    pub kind: &'static str,
    /// Where on the packet's way the chain is asked.
    pub hook: &'static str,
    /// When the chain is asked among all that are at the hook, as `nft` shows it.
    pub priority: &'static str,
}

/// A chain of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// How the kernel comes to the chain; `None` if only rules lead to it.
    pub base: Option<Base>,
    /// What the chain is for.
    pub comment: Option<&'static str>,
    /// The rules, in their order.
    pub rules: Vec<Rule>,
}

/// A rule: its statements are done from left to right, until one of them does not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The statements.
    pub statements: Vec<Statement>,
    /// What the rule is for.
    pub comment: Option<&'static str>,
}

/// A part of a rule: something that it asks, or something that it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// The source is in one of these ranges (or not, if the second is true).
    Source(Vec<IpNet>, bool),
    /// The destination is in one of these ranges (or not).
    Destination(Vec<IpNet>, bool),
    /// The source is in a set.
    SourceIn(Rc<str>),
    /// The destination is in a set.
    DestinationIn(Rc<str>),
    /// The interface that the packet comes in by (or not); with `prefix`, only the first letters of its name.
    InInterface {
        /// The name of the interface.
        name: Rc<str>,
        /// Whether only the first letters of the name count.
        prefix: bool,
        /// Whether the packet must come in by another interface.
        not: bool,
    },
    /// The source is one of the node's own addresses.
    SourceLocal,
    /// The destination is one of the node's own addresses.
    DestinationLocal,
    /// The protocol.
    Protocol(Protocol),
    /// The connection is new.
    New,
    /// The destination of the connection has been changed.
    Changed,
    /// A bit of the packet's mark is set.
    Marked(u32),
    /// Source, destination, protocol and port are in a set.
    ConnectionIn(Rc<str>),
    /// Sets a bit of the packet's mark.
    SetMark(u32),
    /// Changes a bit of the packet's mark.
    FlipMark(u32),
    /// Gives the packet the node's address as its source, and a random port.
    Masquerade,
    /// Goes through another chain, and comes back at its end.
    Jump(Rc<str>),
    /// Goes on in another chain, and does not come back to this one.
    Goto(Rc<str>),
    /// Drops the packet.
    Drop,
    /// Tells the packet's sender that nobody is there.
    Reject,
    /// Looks destination, protocol and port up in a map, and does what stands there.
    LookUpService(Rc<str>),
    /// Looks protocol and port up in a map, and does what stands there.
    LookUpNodePort(Rc<str>),
    /// Puts the source into a set of clients, or starts its time anew.
    Remember(Rc<str>),
    /// Gives the packet another destination.
    Dnat(SocketAddr),
    /// Gives the packet one of these destinations, by chance.
    DnatToAny(Vec<SocketAddr>),
    /// Goes on in one of these chains, by chance.
    GotoAny(Vec<Rc<str>>),
}

/// A set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Set {
    /// Addresses.
    Addresses {
        /// What the set is for.
        comment: &'static str,
        /// The addresses.
        elements: BTreeSet<IpAddr>,
    },
    /// Connections of endpoints to themselves: address, protocol and port of the endpoint.
    Hairpins {
        /// What the set is for.
        comment: &'static str,
        /// The endpoints.
        elements: BTreeSet<(IpAddr, Protocol, u16)>,
    },
    /// Clients that stay with an endpoint. Rules fill the set while packets pass, and the kernel empties it; who is in it
    /// is part of [`Kernel`](super::super::Kernel).
    Clients {
        /// How many seconds after its last connection a client leaves the set.
        timeout_seconds: u32,
    },
}

/// What is looked up in a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// Destination, protocol and port.
    Service(IpAddr, Protocol, u16),
    /// Protocol and port.
    NodePort(Protocol, u16),
}

/// What a map says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerdictValue {
    /// The packet goes on in a chain.
    Goto(Rc<str>),
    /// The packet vanishes.
    Drop,
}

/// What a map has for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// What becomes of the packet.
    pub verdict: VerdictValue,
    /// Whose key it is.
    pub comment: Option<Rc<str>>,
}

/// A map from keys to what becomes of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// What the map is for.
    pub comment: &'static str,
    /// Whether the keys are node ports: protocol and port without an address.
    pub of_node_ports: bool,
    /// The elements.
    pub elements: BTreeMap<Key, Element>,
}

/// The table `kube-proxy` of one address family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The address family.
    pub family: Family,
    /// The chains, by name.
    pub chains: BTreeMap<Rc<str>, Chain>,
    /// The sets, by name.
    pub sets: BTreeMap<Rc<str>, Set>,
    /// The maps, by name.
    pub maps: BTreeMap<Rc<str>, Map>,
}

impl Table {
    /// How many rules there are.
    pub fn rules(&self) -> usize {
        self.chains.values().map(|chain| chain.rules.len()).sum()
    }
}
