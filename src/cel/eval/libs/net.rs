//! Functions on addresses: `k8s.io/apiserver/pkg/cel/library/{ip,cidr}.go`.

use std::net::{IpAddr, Ipv4Addr};

use super::super::objects::{Cidr, Ip};
use super::super::value::{Library, Value};
use super::super::{EvalError, EvalResult};

fn ip(address: IpAddr) -> Value {
    Value::library(Library::Ip(Ip(address)))
}

pub(super) fn global(function: &str, args: &[Value]) -> Option<EvalResult> {
    let [Value::String(text)] = args else { return None };
    Some(match function {
        "ip" => Ip::parse(text).map(|ip| self::ip(ip.0)).map_err(EvalError::new),
        "isIP" => Ok(Value::Bool(Ip::parse(text).is_ok())),
        "ip.isCanonical" => {
            Ip::parse(text).map(|ip| Value::Bool(ip.to_string() == **text)).map_err(EvalError::new)
        }
        // Kubernetes says twice what went wrong.
        "cidr" => match Cidr::parse(text) {
            Ok(cidr) => Ok(Value::library(Library::Cidr(cidr))),
            Err(why) => {
                let twice = format!("network address parse error during conversion from string: {why}");
                Err(EvalError::new(twice))
            }
        },
        "isCIDR" => Ok(Value::Bool(Cidr::parse(text).is_ok())),
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
    Some(match (function, rest.first(), library) {
        ("ip", None, _) => Ok(ip(cidr.address)),
        ("prefixLength", None, _) => Ok(Value::Int(cidr.bits.into())),
        ("masked", None, _) => Ok(Value::library(Library::Cidr(cidr.masked()))),
        ("containsIP", Some(Value::String(text)), _) => {
            Ip::parse(text).map(|ip| Value::Bool(cidr.contains(&ip.0))).map_err(EvalError::new)
        }
        ("containsIP", _, Some(Library::Ip(Ip(address)))) => Ok(Value::Bool(cidr.contains(address))),
        ("containsCIDR", Some(Value::String(text)), _) => {
            Cidr::parse(text).map(|other| Value::Bool(cidr.contains_network(&other))).map_err(EvalError::new)
        }
        ("containsCIDR", _, Some(Library::Cidr(other))) => Ok(Value::Bool(cidr.contains_network(other))),
        _ => return None,
    })
}
