//! IP addresses and ranges (`k8s.io/apimachinery/pkg/util/validation/ip.go`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::field::{Errors, FieldError, Path, go_quote};

/// An address, as older software read it: octets of IPv4 with leading zeros are decimal.
pub(in crate::apiserver) fn parse_sloppy(value: &str) -> Option<IpAddr> {
    if let Ok(ip) = value.parse() {
        return Some(ip);
    }
    let octets: Option<Vec<u8>> = value
        .split('.')
        .map(|o| {
            let digits = !o.is_empty() && o.len() <= 20 && o.bytes().all(|b| b.is_ascii_digit());
            digits.then(|| o.parse().ok()).flatten()
        })
        .collect();
    let octets: [u8; 4] = octets?.try_into().ok()?;
    Some(IpAddr::V4(Ipv4Addr::from(octets)))
}

/// An address of a field that was there before addresses had to be in canonical form.
pub(in crate::apiserver) fn legacy_ip(errs: &mut Errors, value: &str, path: &Path) -> Option<IpAddr> {
    let before = errs.len();
    let Some(ip) = parse_sloppy(value) else {
        let message = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
        errs.push(FieldError::invalid(path, value, message));
        return None;
    };
    match value.parse::<IpAddr>() {
        Err(_) => errs.push(FieldError::invalid(path, value, "must not have leading 0s")),
        Ok(IpAddr::V6(v6)) if is_mapped(v6) => {
            errs.push(FieldError::invalid(path, value, "must not be an IPv4-mapped IPv6 address"));
        }
        Ok(_) => {}
    }
    (errs.len() == before).then_some(ip)
}

/// [`legacy_ip`] for an address that may stay as it is if it is one of those that are stored
/// (`IsValidIPForLegacyField`). Returns whether it may be there.
pub(in crate::apiserver) fn kept_ip<'a>(
    errs: &mut Errors,
    value: &str,
    mut stored: impl Iterator<Item = &'a String>,
    path: &Path,
) -> bool {
    stored.any(|old| old == value) || legacy_ip(errs, value, path).is_some()
}

/// An address in its canonical form (`IsValidIP`).
pub(in crate::apiserver) fn ip(errs: &mut Errors, value: &str, path: &Path) -> Option<IpAddr> {
    let before = errs.len();
    let ip = legacy_ip(errs, value, path)?;
    canonical(errs, value, &ip.to_string(), path);
    (errs.len() == before).then_some(ip)
}

/// A range of addresses in its canonical form (`IsValidCIDR`).
pub(in crate::apiserver) fn cidr(errs: &mut Errors, value: &str, path: &Path) {
    let before = errs.len();
    legacy_cidr(errs, value, path);
    if let Some((ip, bits)) = parse_cidr(value).filter(|_| errs.len() == before) {
        canonical(errs, value, &format!("{ip}/{bits}"), path);
    }
}

fn canonical(errs: &mut Errors, value: &str, canonical: &str, path: &Path) {
    if value != canonical {
        let message = format!("must be in canonical form ({})", go_quote(canonical));
        errs.push(FieldError::invalid(path, value, message));
    }
}

fn is_mapped(ip: Ipv6Addr) -> bool {
    ip.to_ipv4_mapped().is_some()
}

/// An address and how many of its bits are the range's; as older software read it.
pub(in crate::apiserver) fn parse_cidr(value: &str) -> Option<(IpAddr, u32)> {
    let (ip, bits) = value.split_once('/')?;
    let ip = parse_sloppy(ip)?;
    let digits = !bits.is_empty() && bits.bytes().all(|b| b.is_ascii_digit());
    let bits: u32 = digits.then(|| bits.parse().ok()).flatten()?;
    let max = if ip.is_ipv4() { 32 } else { 128 };
    (bits <= max).then_some((ip, bits))
}

/// Whether a range is a part of another, and smaller.
pub(in crate::apiserver) fn is_strict_subset(
    (ip, bits): (IpAddr, u32),
    (of, of_bits): (IpAddr, u32),
) -> bool {
    let same = match (ip, of) {
        (IpAddr::V4(a), IpAddr::V4(b)) => {
            (u32::from(a) ^ u32::from(b)) & !u32::MAX.checked_shr(of_bits).unwrap_or(0) == 0
        }
        (IpAddr::V6(a), IpAddr::V6(b)) => {
            (u128::from(a) ^ u128::from(b)) & !u128::MAX.checked_shr(of_bits).unwrap_or(0) == 0
        }
        _ => false,
    };
    same && bits > of_bits
}

/// A range of addresses, such as `10.9.8.0/24`.
pub(in crate::apiserver) fn legacy_cidr(errs: &mut Errors, value: &str, path: &Path) {
    let Some((ip, bits)) = parse_cidr(value) else {
        let message = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
        errs.push(FieldError::invalid(path, value, message));
        return;
    };
    let message = if !is_standard_cidr(value) {
        "must not have leading 0s in IP or prefix length"
    } else if matches!(ip, IpAddr::V6(v6) if is_mapped(v6)) {
        "must not have an IPv4-mapped IPv6 address"
    } else if network(ip, bits) != ip {
        "must not have bits set beyond the prefix length"
    } else {
        return;
    };
    errs.push(FieldError::invalid(path, value, message));
}

/// Whether neither the address nor the length of a range has leading zeros, which older software let pass
/// (`netip.ParsePrefix`).
pub(in crate::apiserver) fn is_standard_cidr(value: &str) -> bool {
    let (address, length) = value.split_once('/').unwrap_or_default();
    address.parse::<IpAddr>().is_ok() && !(length.len() > 1 && length.starts_with('0'))
}

/// The first address of the range that has this address and this length.
pub(in crate::apiserver) fn network(ip: IpAddr, bits: u32) -> IpAddr {
    match ip {
        IpAddr::V4(v4) => {
            IpAddr::V4(Ipv4Addr::from(u32::from(v4) & !u32::MAX.checked_shr(bits).unwrap_or(0)))
        }
        IpAddr::V6(v6) => {
            IpAddr::V6(Ipv6Addr::from(u128::from(v6) & !u128::MAX.checked_shr(bits).unwrap_or(0)))
        }
    }
}

/// An address that can be an endpoint's (`ValidateEndpointIP`).
pub(in crate::apiserver) fn endpoint_ip(errs: &mut Errors, value: &str, path: &Path) {
    let Some(ip) = parse_sloppy(value) else {
        errs.push(FieldError::invalid(path, value, "must be a valid IP address"));
        return;
    };
    // In Go an IPv4 address in IPv6's form is an IPv4 address.
    let ip = ip.to_canonical();
    let (link_local, link_local_multicast) = match ip {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            (v4.is_link_local(), (a, b, c) == (224, 0, 0))
        }
        IpAddr::V6(v6) => {
            let first = v6.segments().first().copied().unwrap_or_default();
            (first & 0xffc0 == 0xfe80, first & 0xff0f == 0xff02)
        }
    };
    let mut refuse = |message: String| errs.push(FieldError::invalid(path, value, message));
    if ip.is_unspecified() {
        refuse(format!("may not be unspecified ({value})"));
    }
    if ip.is_loopback() {
        refuse("may not be in the loopback range (127.0.0.0/8, ::1/128)".to_owned());
    }
    if link_local {
        refuse("may not be in the link-local range (169.254.0.0/16, fe80::/10)".to_owned());
    }
    if link_local_multicast {
        refuse("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)".to_owned());
    }
}

/// Whether the addresses are of both families (`IsDualStackIPStrings`).
pub(in crate::apiserver) fn is_dual_stack(values: &[String]) -> bool {
    let mut ips = values.iter().filter_map(|v| parse_sloppy(v.split('/').next().unwrap_or(v)));
    let first = ips.next().map(|ip| ip.is_ipv4());
    ips.any(|ip| Some(ip.is_ipv4()) != first)
}

/// Whether it is an IPv6 address.
pub(in crate::apiserver) fn is_ipv6(value: &str) -> bool {
    parse_sloppy(value).is_some_and(|ip| ip.is_ipv6())
}

/// Whether it is an address at all.
pub(in crate::apiserver) fn is_ip(value: &str) -> bool {
    parse_sloppy(value).is_some()
}
