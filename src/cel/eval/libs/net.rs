//! Addresses: `k8s.io/apiserver/pkg/cel/library/ip.go` and `cidr.go`, which go by Go's `net/netip`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};

use super::super::value::{Library, Value};
use super::super::{EvalError, EvalResult};
use crate::api::quote::go_quote;

/// An IP address, as the CEL library `net` has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ip(IpAddr);

/// A network: an address and how many of its bits name the network.
#[derive(Clone, Debug, PartialEq)]
pub struct Cidr {
    address: IpAddr,
    bits: u8,
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

    fn masked(&self) -> Cidr {
        Cidr { address: mask(&self.address, self.bits), bits: self.bits }
    }

    fn contains(&self, address: &IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4()
            && mask(address, self.bits) == mask(&self.address, self.bits)
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

fn parse_ip(text: &str) -> Result<IpAddr, String> {
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
    Ok(address)
}

fn parse_cidr(text: &str) -> Result<Cidr, String> {
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

fn ip(address: IpAddr) -> Value {
    Value::library(Library::Ip(Ip(address)))
}

pub(super) fn global(function: &str, args: &[Value]) -> Option<EvalResult> {
    let [Value::String(text)] = args else { return None };
    Some(match function {
        "ip" => parse_ip(text).map(ip).map_err(EvalError::new),
        "isIP" => Ok(Value::Bool(parse_ip(text).is_ok())),
        "ip.isCanonical" => {
            parse_ip(text).map(|a| Value::Bool(a.to_string() == **text)).map_err(EvalError::new)
        }
        // Kubernetes says twice what went wrong.
        "cidr" => match parse_cidr(text) {
            Ok(cidr) => Ok(Value::library(Library::Cidr(cidr))),
            Err(why) => {
                let twice = format!("network address parse error during conversion from string: {why}");
                Err(EvalError::new(twice))
            }
        },
        "isCIDR" => Ok(Value::Bool(parse_cidr(text).is_ok())),
        _ => return None,
    })
}

pub(super) fn member(function: &str, args: &[Value]) -> Option<EvalResult> {
    let (Value::Library(library), rest) = args.split_first()? else { return None };
    match &**library {
        Library::Ip(Ip(address)) => of_ip(function, address).map(Ok),
        Library::Cidr(cidr) => of_cidr(function, cidr, rest),
        _ => None,
    }
}

fn of_ip(function: &str, address: &IpAddr) -> Option<Value> {
    let link_local = match address {
        IpAddr::V4(a) => a.is_link_local(),
        IpAddr::V6(a) => a.is_unicast_link_local(),
    };
    let link_local_multicast = match address {
        IpAddr::V4(a) => matches!(a.octets(), [224, 0, 0, _]),
        IpAddr::V6(a) => matches!(a.segments(), [first, ..] if first & 0xff0f == 0xff02),
    };
    Some(Value::Bool(match function {
        "family" => return Some(Value::Int(if address.is_ipv4() { 4 } else { 6 })),
        "isUnspecified" => address.is_unspecified(),
        "isLoopback" => address.is_loopback(),
        "isLinkLocalUnicast" => link_local,
        "isLinkLocalMulticast" => link_local_multicast,
        "isGlobalUnicast" => {
            !(address.is_unspecified()
                || address.is_loopback()
                || address.is_multicast()
                || link_local
                || *address == IpAddr::V4(Ipv4Addr::BROADCAST))
        }
        _ => return None,
    }))
}

fn of_cidr(function: &str, cidr: &Cidr, rest: &[Value]) -> Option<EvalResult> {
    let library = match rest.first() {
        Some(Value::Library(library)) => Some(&**library),
        _ => None,
    };
    let inside = |other: &Cidr| other.bits >= cidr.bits && cidr.contains(&mask(&other.address, cidr.bits));
    Some(match (function, rest.first(), library) {
        ("ip", None, _) => Ok(ip(cidr.address)),
        ("prefixLength", None, _) => Ok(Value::Int(cidr.bits.into())),
        ("masked", None, _) => Ok(Value::library(Library::Cidr(cidr.masked()))),
        ("containsIP", Some(Value::String(text)), _) => {
            parse_ip(text).map(|a| Value::Bool(cidr.contains(&a))).map_err(EvalError::new)
        }
        ("containsIP", _, Some(Library::Ip(Ip(address)))) => Ok(Value::Bool(cidr.contains(address))),
        ("containsCIDR", Some(Value::String(text)), _) => {
            parse_cidr(text).map(|other| Value::Bool(inside(&other))).map_err(EvalError::new)
        }
        ("containsCIDR", _, Some(Library::Cidr(other))) => Ok(Value::Bool(inside(other))),
        _ => return None,
    })
}
