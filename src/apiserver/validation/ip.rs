//! IP addresses and ranges (`k8s.io/apimachinery/pkg/util/validation/ip.go`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::field::{Errors, FieldError, Path, go_quote};

/// An address, as older software read it: octets of IPv4 with leading zeros are decimal.
fn parse_sloppy(value: &str) -> Option<IpAddr> {
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

/// An address in its canonical form (`IsValidIP`).
pub(in crate::apiserver) fn ip(errs: &mut Errors, value: &str, path: &Path) {
    if let Some(ip) = legacy_ip(errs, value, path) {
        canonical(errs, value, &ip.to_string(), path);
    }
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
    let (address, length) = value.split_once('/').unwrap_or_default();
    let message = if address.parse::<IpAddr>().is_err() || (length.len() > 1 && length.starts_with('0')) {
        "must not have leading 0s in IP or prefix length"
    } else if matches!(ip, IpAddr::V6(v6) if is_mapped(v6)) {
        "must not have an IPv4-mapped IPv6 address"
    } else if has_host_bits(ip, bits) {
        "must not have bits set beyond the prefix length"
    } else {
        return;
    };
    errs.push(FieldError::invalid(path, value, message));
}

fn has_host_bits(ip: IpAddr, bits: u32) -> bool {
    match ip {
        IpAddr::V4(v4) => u32::from(v4) & u32::MAX.checked_shr(bits).unwrap_or(0) != 0,
        IpAddr::V6(v6) => u128::from(v6) & u128::MAX.checked_shr(bits).unwrap_or(0) != 0,
    }
}

/// An address that can be an endpoint's (`ValidateNonSpecialIP`).
pub(in crate::apiserver) fn non_special(errs: &mut Errors, ip: IpAddr, value: &str, path: &Path) {
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
