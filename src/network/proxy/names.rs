//! Address families, protocols and the names of Services' ports, and the hashes that chains are named by.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::rc::Rc;

use sha2::{Digest, Sha256};

use crate::api::ip_family::{IPV4, IPV6};
use crate::network::protocol::Protocol;

/// The address family of a proxier. kube-proxy runs one proxier for each family (`pkg/proxy/metaproxier`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// IPv4
    #[default]
    Ipv4,
    /// IPv6
    Ipv6,
}

impl Family {
    /// The family of an address.
    pub fn of(address: IpAddr) -> Family {
        if address.is_ipv4() { Family::Ipv4 } else { Family::Ipv6 }
    }

    /// The family as `ipFamilies` of Services and `addressType` of EndpointSlices name it.
    pub fn name(self) -> &'static str {
        match self {
            Family::Ipv4 => IPV4,
            Family::Ipv6 => IPV6,
        }
    }

    /// The address that a node calls itself by.
    pub fn loopback(self) -> IpAddr {
        match self {
            Family::Ipv4 => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Family::Ipv6 => IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
        }
    }
}

/// The namespace and the name of a Service.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceName {
    /// The namespace of the Service.
    pub namespace: Rc<str>,
    /// The name of the Service.
    pub name: Rc<str>,
}

impl fmt::Display for ServiceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// What a proxier knows a port of a Service by (`proxy.ServicePortName`). An EndpointSlice's port belongs to the
/// Service's port with the same name and protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServicePortName {
    /// The Service.
    pub service: ServiceName,
    /// The name of the port; empty if the Service has one port without a name.
    pub port: Rc<str>,
    /// The protocol of the port.
    pub protocol: Protocol,
}

impl fmt::Display for ServicePortName {
    /// `namespace/name:port`, as comments of rules have it. The protocol is not part of it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.service)?;
        if self.port.is_empty() { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The first letters of the SHA-256 of a text in base32. Every letter stands for five bits.
pub(super) fn hash(text: &str, letters: usize) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let bits = digest.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    let mut out = String::with_capacity(letters);
    let mut value = 0usize;
    for (i, bit) in bits.take(letters * 5).enumerate() {
        value = value << 1 | usize::from(bit);
        if i % 5 == 4 {
            out.extend(BASE32.get(value).map(|letter| char::from(*letter)));
            value = 0;
        }
    }
    out
}

/// An address in an object. Kubernetes takes leading zeros in the numbers of IPv4 addresses for nothing
/// (`ParseIPSloppy`), and an IPv4 address in the form of IPv6 for an IPv4 address.
pub(super) fn parse_ip(text: &str) -> Option<IpAddr> {
    if let Ok(ip) = text.parse::<IpAddr>() {
        return Some(ip.to_canonical());
    }
    let numbers: Vec<u8> = text.split('.').map(|n| n.parse().ok()).collect::<Option<_>>()?;
    <[u8; 4]>::try_from(numbers).ok().map(|n| IpAddr::V4(Ipv4Addr::from(n)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hashes are those in `pkg/proxy/iptables/proxier_test.go` and `pkg/proxy/nftables/proxier_test.go`.
    #[test]
    fn hashes_are_those_of_kube_proxy() {
        assert_eq!(hash("ns1/svc1:p80tcp", 16), "XPGD46QRK7WJZT7O");
        assert_eq!(hash("ns1/svc1:p80tcp10.180.0.1:80", 16), "SXIVWICOYRO3J4NJ");
        assert_eq!(hash("ns1/svc1/tcp/p80", 8), "ULMVA6XW");
    }

    /// `ParseIPSloppy` of `k8s.io/utils/net`, with which kube-proxy reads them.
    #[test]
    fn addresses_are_read_as_go_reads_them() {
        assert_eq!(parse_ip("010.001.0.1"), parse_ip("10.1.0.1"));
        assert_eq!(parse_ip("::ffff:10.0.0.1"), parse_ip("10.0.0.1"));
        assert_eq!(parse_ip("10.0.0.256"), None);
        assert_eq!(parse_ip("None"), None);
    }
}
