//! The names outside of the cluster, as the DNS of a node knows them, and the names of addresses.

use std::net::{IpAddr, Ipv4Addr};

use super::records::{RecordType, Records};

/// The address of every host outside of the cluster: one that RFC 5737 keeps for examples.
pub const OUTSIDE: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 1));

/// The top-level domains of hosts outside of the cluster, beside those of countries.
const TOP_LEVEL: [&str; 9] = ["com", "org", "net", "io", "dev", "edu", "gov", "info", "app"];

/// What the DNS of a node answers, which knows the hosts of the internet. All of those have the same address here. A name is
/// taken for one of them if it ends in a well-known top-level domain, or has at least three parts and ends in that of a
/// country: a shorter one may be a Service and its namespace.
pub fn upstream(name: &str, type_: RecordType) -> Records {
    let parts: Vec<&str> = name.split('.').collect();
    let country = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_lowercase());
    let exists = parts.len() > 1
        && parts.iter().all(|p| !p.is_empty())
        && parts.last().is_some_and(|last| TOP_LEVEL.contains(last) || (parts.len() > 2 && country(last)));
    let addresses = if exists && type_.is_of(OUTSIDE) { vec![OUTSIDE] } else { Vec::new() };
    Records { exists, addresses, ..Records::default() }
}

/// The address that a name below `in-addr.arpa` or `ip6.arpa` stands for.
pub fn reverse(name: &str) -> Option<IpAddr> {
    if let Some(octets) = name.strip_suffix(".in-addr.arpa") {
        let parts: Vec<&str> = octets.rsplit('.').collect();
        return parts.join(".").parse().ok();
    }
    let digits: String = name.strip_suffix(".ip6.arpa")?.rsplit('.').collect();
    let groups: Vec<String> =
        digits.chars().collect::<Vec<_>>().chunks(4).map(|c| c.iter().collect()).collect();
    groups.join(":").parse().ok()
}

/// The name below which the name of an address stands.
pub fn reverse_name(address: IpAddr) -> String {
    match address {
        IpAddr::V4(a) => {
            let octets: Vec<String> = a.octets().iter().rev().map(u8::to_string).collect();
            format!("{}.in-addr.arpa", octets.join("."))
        }
        IpAddr::V6(a) => {
            let digits = a.octets().into_iter().rev().flat_map(|o| [o & 0xf, o >> 4]);
            let digits: Vec<String> = digits.map(|d| format!("{d:x}")).collect();
            format!("{}.ip6.arpa", digits.join("."))
        }
    }
}
