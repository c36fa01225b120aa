//! Addresses: `k8s.io/apiserver/pkg/cel/{ip,cidr}.go`, which go by Go's `net/netip`.

use std::fmt;
use std::net::IpAddr;

use crate::api::quote::go_quote;

/// An IP address, as the CEL library `net` has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ip(pub(crate) IpAddr);

/// A network: an address and how many of its bits name the network.
#[derive(Clone, Debug, PartialEq)]
pub struct Cidr {
    pub(crate) address: IpAddr,
    pub(crate) bits: u8,
}

impl Ip {
    /// The length of the address in bytes: 4 or 16.
    pub(crate) fn bytes(&self) -> u64 {
        width(&self.0) / 8
    }
}

impl Cidr {
    /// How many bytes name the network.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.bits).div_ceil(8)
    }

    /// The network with the bits of its address that do not name it set to 0.
    pub(crate) fn masked(&self) -> Cidr {
        Cidr { address: mask(&self.address, self.bits), bits: self.bits }
    }

    /// Whether an address is in the network.
    pub(crate) fn contains(&self, address: &IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4()
            && mask(address, self.bits) == mask(&self.address, self.bits)
    }
}

impl Cidr {
    /// Whether another network is part of this one.
    pub(crate) fn contains_network(&self, other: &Cidr) -> bool {
        other.bits >= self.bits && self.contains(&mask(&other.address, self.bits))
    }
}

impl fmt::Display for Ip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

fn width(address: &IpAddr) -> u64 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn mask(address: &IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(a) => {
            let keep = u32::MAX.checked_shl(32u32.saturating_sub(bits.into())).unwrap_or(0);
            IpAddr::V4((u32::from(*a) & keep).into())
        }
        IpAddr::V6(a) => {
            let keep = u128::MAX.checked_shl(128u32.saturating_sub(bits.into())).unwrap_or(0);
            IpAddr::V6((u128::from(*a) & keep).into())
        }
    }
}

fn is_mapped(address: &IpAddr) -> bool {
    matches!(address, IpAddr::V6(a) if a.to_ipv4_mapped().is_some())
}

impl Ip {
    /// Reads an address without a zone; one that is mapped from IPv4 to IPv6 is refused.
    pub(crate) fn parse(text: &str) -> Result<Ip, String> {
        let (plain, zone) = text.split_once('%').map_or((text, None), |(a, z)| (a, Some(z)));
        let address: IpAddr = plain.parse().map_err(|_| {
        format!(
            "IP Address {0} parse error during conversion from string: ParseAddr({0}): unable to parse IP",
            go_quote(text)
        )
    })?;
        if zone.is_some() {
            return Err(format!("IP address {} with zone value is not allowed", go_quote(text)));
        }
        if is_mapped(&address) {
            return Err(format!("IPv4-mapped IPv6 address {} is not allowed", go_quote(text)));
        }
        Ok(Ip(address))
    }
}

impl Cidr {
    /// Reads an address and a number of bits, as in `10.0.0.0/8`.
    pub(crate) fn parse(text: &str) -> Result<Cidr, String> {
        let wrong = |why: &str| {
            format!(
                "network address parse error during conversion from string: netip.ParsePrefix({}): {why}",
                go_quote(text)
            )
        };
        let (address, bits) = text.rsplit_once('/').ok_or_else(|| wrong("no '/'"))?;
        let address: IpAddr = address
            .parse()
            .map_err(|_| wrong(&format!("ParseAddr({}): unable to parse IP", go_quote(address))))?;
        let plain = !bits.is_empty()
            && bits.bytes().all(|b| b.is_ascii_digit())
            && (bits == "0" || !bits.starts_with('0'));
        let bits: u8 = if plain { bits.parse().ok() } else { None }
            .ok_or_else(|| wrong(&format!("bad bits after slash: {}", go_quote(bits))))?;
        if u64::from(bits) > width(&address) {
            return Err(wrong("prefix length out of range"));
        }
        if is_mapped(&address) {
            return Err(format!("IPv4-mapped IPv6 address {} is not allowed", go_quote(text)));
        }
        Ok(Cidr { address, bits })
    }
}
