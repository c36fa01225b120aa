//! The sets of `ipset` by which rules of iptables recognize Services (`pkg/proxy/ipvs/ipset.go`).

use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;
use std::rc::Rc;

use ipnet::IpNet;

use super::super::flow::Flow;
use super::super::names::Family;
use crate::network::protocol::Protocol;

pub(super) const LOOP_BACK: &str = "KUBE-LOOP-BACK";
pub(super) const CLUSTER_IP: &str = "KUBE-CLUSTER-IP";
pub(super) const EXTERNAL_IP: &str = "KUBE-EXTERNAL-IP";
pub(super) const EXTERNAL_IP_LOCAL: &str = "KUBE-EXTERNAL-IP-LOCAL";
pub(super) const LOAD_BALANCER: &str = "KUBE-LOAD-BALANCER";
pub(super) const LOAD_BALANCER_FW: &str = "KUBE-LOAD-BALANCER-FW";
pub(super) const LOAD_BALANCER_LOCAL: &str = "KUBE-LOAD-BALANCER-LOCAL";
pub(super) const LOAD_BALANCER_SOURCE_IP: &str = "KUBE-LOAD-BALANCER-SOURCE-IP";
pub(super) const LOAD_BALANCER_SOURCE_CIDR: &str = "KUBE-LOAD-BALANCER-SOURCE-CIDR";
pub(super) const NODE_PORT_TCP: &str = "KUBE-NODE-PORT-TCP";
pub(super) const NODE_PORT_LOCAL_TCP: &str = "KUBE-NODE-PORT-LOCAL-TCP";
pub(super) const NODE_PORT_UDP: &str = "KUBE-NODE-PORT-UDP";
pub(super) const NODE_PORT_LOCAL_UDP: &str = "KUBE-NODE-PORT-LOCAL-UDP";
pub(super) const NODE_PORT_SCTP: &str = "KUBE-NODE-PORT-SCTP-HASH";
pub(super) const NODE_PORT_LOCAL_SCTP: &str = "KUBE-NODE-PORT-LOCAL-SCTP-HASH";
pub(super) const HEALTH_CHECK_NODE_PORT: &str = "KUBE-HEALTH-CHECK-NODE-PORT";
pub(super) const IPVS_IPS: &str = "KUBE-IPVS-IPS";

/// What the entries of a set consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetKind {
    /// Address, protocol and port, and a second address.
    IpPortIp,
    /// Address, protocol and port.
    IpPort,
    /// Address, protocol and port, and a range.
    IpPortNet,
    /// A port.
    Port,
    /// An address.
    Ip,
}

impl fmt::Display for SetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SetKind::IpPortIp => "hash:ip,port,ip",
            SetKind::IpPort => "hash:ip,port",
            SetKind::IpPortNet => "hash:ip,port,net",
            SetKind::Port => "bitmap:port",
            SetKind::Ip => "hash:ip",
        })
    }
}

/// An entry of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entry {
    /// Address, protocol and port, and a second address.
    IpPortIp(IpAddr, Protocol, u16, IpAddr),
    /// Address, protocol and port.
    IpPort(IpAddr, Protocol, u16),
    /// Address, protocol and port, and a range.
    IpPortNet(IpAddr, Protocol, u16, IpNet),
    /// A port.
    Port(u16),
    /// An address.
    Ip(IpAddr),
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::IpPortIp(ip, protocol, port, other) => write!(f, "{ip},{protocol}:{port},{other}"),
            Entry::IpPort(ip, protocol, port) => write!(f, "{ip},{protocol}:{port}"),
            Entry::IpPortNet(ip, protocol, port, net) => write!(f, "{ip},{protocol}:{port},{net}"),
            Entry::Port(port) => write!(f, "{port}"),
            Entry::Ip(ip) => write!(f, "{ip}"),
        }
    }
}

/// A set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpSet {
    /// The name of the set; that of IPv6 has a `6` in it.
    pub name: Rc<str>,
    /// What its entries consist of.
    pub kind: SetKind,
    /// The entries.
    pub entries: BTreeSet<Entry>,
}

impl IpSet {
    /// Whether parts of a packet are in the set. `parts` is what a rule asks for: `dst,dst` means that the address and the
    /// port of the destination are compared.
    pub(super) fn has(&self, parts: &str, flow: &Flow<'_>) -> bool {
        let from_source = parts.starts_with("src");
        let ip = if from_source { flow.source.ip() } else { flow.destination.ip() };
        let (protocol, port, source) = (flow.protocol, flow.destination.port(), flow.source.ip());
        match self.kind {
            SetKind::IpPortIp => self.entries.contains(&Entry::IpPortIp(ip, protocol, port, source)),
            SetKind::IpPort => self.entries.contains(&Entry::IpPort(ip, protocol, port)),
            SetKind::IpPortNet => self.entries.iter().any(|entry| match entry {
                Entry::IpPortNet(own, p, n, net) => {
                    (*own, *p, *n) == (ip, protocol, port) && net.contains(&source)
                }
                _ => false,
            }),
            SetKind::Port => self.entries.contains(&Entry::Port(port)),
            SetKind::Ip => self.entries.contains(&Entry::Ip(ip)),
        }
    }
}

/// The sets, empty, in kube-proxy's order (`ipsetInfo`).
pub(super) fn all(family: Family) -> Vec<IpSet> {
    let sets = [
        (LOOP_BACK, SetKind::IpPortIp),
        (CLUSTER_IP, SetKind::IpPort),
        (EXTERNAL_IP, SetKind::IpPort),
        (EXTERNAL_IP_LOCAL, SetKind::IpPort),
        (LOAD_BALANCER, SetKind::IpPort),
        (LOAD_BALANCER_FW, SetKind::IpPort),
        (LOAD_BALANCER_LOCAL, SetKind::IpPort),
        (LOAD_BALANCER_SOURCE_IP, SetKind::IpPortIp),
        (LOAD_BALANCER_SOURCE_CIDR, SetKind::IpPortNet),
        (NODE_PORT_TCP, SetKind::Port),
        (NODE_PORT_LOCAL_TCP, SetKind::Port),
        (NODE_PORT_UDP, SetKind::Port),
        (NODE_PORT_LOCAL_UDP, SetKind::Port),
        (NODE_PORT_SCTP, SetKind::IpPort),
        (NODE_PORT_LOCAL_SCTP, SetKind::IpPort),
        (HEALTH_CHECK_NODE_PORT, SetKind::Port),
        (IPVS_IPS, SetKind::Ip),
    ];
    let named = |(name, kind): (&str, SetKind)| IpSet {
        name: set_name(name, family),
        kind,
        entries: BTreeSet::new(),
    };
    sets.map(named).to_vec()
}

/// The longest name that a set can have.
const NAME_LENGTH: usize = 31;

/// The name of a set in a family (`NewIPSet`).
pub(super) fn set_name(name: &str, family: Family) -> Rc<str> {
    match family {
        Family::Ipv4 => Rc::from(name),
        Family::Ipv6 => {
            let name = name.replacen("KUBE-", "KUBE-6-", 1);
            Rc::from(name.chars().take(NAME_LENGTH).collect::<String>())
        }
    }
}
