//! The places that a packet comes by, and its headers there.

use std::fmt;
use std::net::SocketAddr;
use std::rc::Rc;

use crate::network::policy::Denied;
use crate::network::protocol::Protocol;

use super::route::Route;

/// The headers of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// Who sends it, as it is known here.
    pub source: SocketAddr,
    /// Where it is to go, as it is known here.
    pub destination: SocketAddr,
    /// The protocol; `None` for ICMP, which has no ports.
    pub protocol: Option<Protocol>,
}

impl Headers {
    /// The headers of an answer to a packet with these.
    #[must_use]
    pub fn reversed(self) -> Headers {
        Headers { source: self.destination, destination: self.source, ..self }
    }
}

impl fmt::Display for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.protocol {
            Some(protocol) => write!(f, "{} > {} {protocol}", self.source, self.destination),
            None => write!(f, "{} > {} icmp", self.source.ip(), self.destination.ip()),
        }
    }
}

/// The headers around a packet that is packed into another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outer {
    /// The outer UDP packet.
    pub headers: Headers,
    /// The number of the network in VXLAN's header; `None` where there is no such header.
    pub vni: Option<u32>,
    /// How many bytes the outer headers take.
    pub overhead: u16,
    /// The largest packet of a pod that fits into one of the machines' network together with the outer headers, in bytes.
    pub mtu: u16,
    /// How often a packet is copied between the kernel and a process, on each of the two nodes.
    pub copies: u8,
}

/// A place that a packet comes by, or what is done with it there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// The process that sends it, or that it is for.
    Process,
    /// The pod's end of its line.
    PodInterface,
    /// The node's end of the pod's line.
    Veth(String),
    /// The bridge of the node's pods.
    Bridge,
    /// The rules of kube-proxy: those that matched, as they are printed. The headers are those behind them.
    KubeProxy(Vec<String>),
    /// The line of the routing table that it follows.
    Route(Route),
    /// NetworkPolicies do not allow it.
    Policy(Denied),
    /// A rule gives it the node's address as its source. The headers are those behind it.
    Masquerade(Rc<str>),
    /// The kernel translates an answer back, because it keeps the connection: as `conntrack -L` prints that. The headers are those
    /// behind it.
    Conntrack(Rc<str>),
    /// The kernel's interface packs it into another packet, or unpacks it.
    Tunnel(&'static str),
    /// It is copied from the kernel to a process, which packs or unpacks it and hands it back.
    UserSpace(&'static str),
    /// The node's interface to the network of the machines.
    Interface,
    /// A load balancer in front of the cluster, which chooses the node that the packet is sent to.
    Balancer,
}

/// One step of a packet's way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The node; empty for a machine that is no node, as the person's own.
    pub node: Rc<str>,
    /// The pod, where the packet is in one.
    pub pod: Option<Rc<str>>,
    /// The place.
    pub at: At,
    /// The packet's headers.
    pub headers: Headers,
    /// The headers around it, while it is packed into another packet.
    pub outer: Option<Outer>,
}

impl fmt::Display for Hop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", if self.node.is_empty() { "outside" } else { &self.node })?;
        if let Some(pod) = &self.pod {
            write!(f, "{pod} ")?;
        }
        match &self.at {
            At::Process => f.write_str("process")?,
            At::PodInterface | At::Interface => f.write_str("eth0")?,
            At::Veth(name) => f.write_str(name)?,
            At::Bridge => f.write_str("cni0")?,
            At::KubeProxy(_) => f.write_str("kube-proxy")?,
            At::Route(route) => write!(f, "route {route}")?,
            At::Policy(denied) => write!(f, "policy {denied}")?,
            At::Masquerade(rule) => write!(f, "masquerade {rule}")?,
            At::Conntrack(entry) => write!(f, "conntrack {entry}")?,
            At::Tunnel(name) => f.write_str(name)?,
            At::UserSpace(name) => write!(f, "{name} (process)")?,
            At::Balancer => f.write_str("load balancer")?,
        }
        write!(f, ": {}", self.headers)?;
        if let Some(outer) = &self.outer {
            write!(f, " in {}", outer.headers)?;
            if let Some(vni) = outer.vni {
                write!(f, " vxlan {vni}")?;
            }
            write!(f, " +{}", outer.overhead)?;
        }
        if let At::KubeProxy(lines) = &self.at {
            for line in lines {
                write!(f, "\n  {line}")?;
            }
        }
        Ok(())
    }
}

/// Where a packet's way ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It has reached a process's network: that of a pod, or that of the node.
    Arrived {
        /// The node; empty for a machine that is no node and has sent what this is the answer to.
        node: Rc<str>,
        /// The pod; `None` for the node itself and pods in its network.
        pod: Option<Rc<str>>,
    },
    /// It is on the network of the machines, and for a machine that is no node.
    Neighbour,
    /// It leaves the cluster.
    Outside,
    /// A node knows no way to it, or nobody has the address.
    Lost,
    /// A rule of kube-proxy rejects it.
    Rejected,
    /// A rule of kube-proxy drops it.
    Dropped,
    /// NetworkPolicies drop it.
    Denied(Denied),
    /// It would be an answer, but the node keeps no connection whose other side has this address: nobody there has asked it.
    Untracked {
        /// The node.
        node: Rc<str>,
    },
}

/// The way of a connection's first packet, or of the answer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Its places, in order.
    pub hops: Vec<Hop>,
    /// Its headers at its end.
    pub headers: Headers,
    /// Where it ends.
    pub end: End,
    /// The connections that the nodes keep since the first packet has come by.
    pub tracked: Vec<Tracked>,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for hop in &self.hops {
            writeln!(f, "{hop}")?;
        }
        match &self.end {
            End::Arrived { node, pod: Some(pod) } => write!(f, "arrived at {pod} on {node}"),
            End::Arrived { node, pod: None } if node.is_empty() => f.write_str("arrived outside"),
            End::Arrived { node, pod: None } => write!(f, "arrived at {node}"),
            End::Neighbour => f.write_str("arrived at a machine that is no node"),
            End::Outside => f.write_str("left the cluster"),
            End::Lost => f.write_str("lost: nobody knows the way"),
            End::Rejected => f.write_str("rejected by a rule"),
            End::Dropped => f.write_str("dropped by a rule"),
            End::Denied(_) => f.write_str("dropped by policies"),
            End::Untracked { node } if node.is_empty() => {
                f.write_str("nobody outside has asked this address")
            }
            End::Untracked { node } => write!(f, "nobody on {node} has asked this address"),
        }
    }
}

/// A connection as the kernel of a node keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// The node.
    pub node: Rc<str>,
    /// The headers of the first packet as it came to the node.
    pub opened: Headers,
    /// The headers with which it went on: other ones if a rule has changed its destination or its source.
    pub translated: Headers,
}

impl Tracked {
    /// The headers of the answer as it comes to the node.
    pub fn answered(&self) -> Headers {
        self.translated.reversed()
    }
}

impl fmt::Display for Tracked {
    /// As `conntrack -L` prints it, without what it counts: the first packet, and behind it the answer that is waited for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = self.opened.protocol.map_or("icmp", |p| p.name()).to_ascii_lowercase();
        f.write_str(&protocol)?;
        for way in [self.opened, self.answered()] {
            write!(f, " src={} dst={}", way.source.ip(), way.destination.ip())?;
            if way.protocol.is_some() {
                write!(f, " sport={} dport={}", way.source.port(), way.destination.port())?;
            }
        }
        Ok(())
    }
}
