//! A packet that opens a connection, what the rules of a node make of it, and what the kernel remembers.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

use crate::api::Timestamp;

use crate::network::protocol::Protocol;

/// Where a packet comes from, as the node sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A pod of the node, or anything else behind one of the node's interfaces to pods.
    Pod,
    /// A process of the node itself, or a pod in the node's network.
    Node,
    /// Another machine, with pods of other nodes among them.
    Outside,
}

/// The first packet of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Who sends it.
    pub source: SocketAddr,
    /// Where it is to go.
    pub destination: SocketAddr,
    /// The protocol of the connection.
    pub protocol: Protocol,
    /// Where it comes from.
    pub origin: Origin,
    /// The interface that it comes in by (`vethd0f1`, `eth0`); empty if it comes from the node itself.
    pub interface: String,
}

/// What becomes of a packet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// No Service has the address: the packet goes on as it is.
    Unchanged,
    /// The packet gets the address of an endpoint as its destination (DNAT).
    Endpoint {
        /// The endpoint.
        address: SocketAddr,
        /// Whether it gets the node's address as its source, too (SNAT), so that answers come back to this node.
        masquerade: bool,
    },
    /// The sender is told that nobody is there (`icmp-port-unreachable`): its connection is refused at once.
    Reject,
    /// The packet vanishes: its sender waits for an answer until its timeout.
    Drop,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Unchanged => f.write_str("unchanged"),
            Verdict::Endpoint { address, masquerade: false } => write!(f, "{address}"),
            Verdict::Endpoint { address, masquerade: true } => write!(f, "{address} masquerade"),
            Verdict::Reject => f.write_str("REJECT"),
            Verdict::Drop => f.write_str("DROP"),
        }
    }
}

/// A rule that matched a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The table of the rule: `nat`, `filter`, `kube-proxy`, or `ipvs` for a virtual server.
    pub table: &'static str,
    /// The chain of the rule, or the virtual server.
    pub chain: String,
    /// The place of the rule in its chain, from 0.
    pub index: usize,
    /// The rule as it is printed.
    pub text: String,
}

/// The way of a packet through the rules of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The rules that matched, in the order in which the packet met them.
    pub steps: Vec<Step>,
    /// What became of the packet.
    pub verdict: Verdict,
}

/// A number from 0 to less than 1, which decides where the kernel would throw a dice.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Chance(f64);

impl Chance {
    /// A chance; a number that is out of bounds is taken for the nearest one that is not.
    pub fn new(value: f64) -> Chance {
        Chance(if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0 - f64::EPSILON) })
    }

    /// Which of a number of equally likely sides the chance is.
    pub(super) fn side(self, sides: usize) -> usize {
        // The product is not negative and less than the number of sides.
        ((self.0 * sides as f64) as usize).min(sides.saturating_sub(1))
    }
}

/// What a node remembers of a client with session affinity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affine {
    /// When the client opened a connection last.
    pub last: Timestamp,
    /// The endpoint that the client was given.
    pub endpoint: SocketAddr,
}

/// A virtual server of IPVS: address and protocol.
pub type VirtualServerKey = (SocketAddr, Protocol);

/// How many connections a real server of IPVS has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// Connections that are open (`ActiveConn`).
    pub active: u64,
    /// Connections that are not open any more, or of UDP (`InActConn`).
    pub inactive: u64,
}

/// What the kernel of a node remembers between two connections. Whoever owns the node owns this, too; a walk reads and
/// changes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// The clients with session affinity, by the list that they are in and their address. The list is the endpoint's
    /// chain (iptables), the endpoint's set (nftables) or the virtual server (IPVS).
    pub affinity: BTreeMap<(String, IpAddr), Affine>,
    /// The real server that each virtual server chose last, which decides whose turn is next.
    pub last_chosen: BTreeMap<VirtualServerKey, SocketAddr>,
    /// How many connections each real server has. A walk only reads this: whoever ends connections counts them.
    pub connections: BTreeMap<(VirtualServerKey, SocketAddr), Connections>,
}

impl Kernel {
    /// The endpoint that a client stays with, if its last connection was less than so many seconds ago.
    pub(super) fn affine(
        &self,
        list: &str,
        client: IpAddr,
        seconds: u32,
        now: Timestamp,
    ) -> Option<SocketAddr> {
        let affine = self.affinity.get(&(list.to_owned(), client))?;
        let age = now.duration_since(affine.last);
        (age < jiff::SignedDuration::from_secs(i64::from(seconds))).then_some(affine.endpoint)
    }

    /// Remembers the endpoint of a client's connection.
    pub(super) fn remember(&mut self, list: &str, client: IpAddr, endpoint: SocketAddr, now: Timestamp) {
        self.affinity.insert((list.to_owned(), client), Affine { last: now, endpoint });
    }
}
