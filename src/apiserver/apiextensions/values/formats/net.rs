//! Addresses and names of hosts, mail boxes and resources.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::digits;

/// An IPv4 address, whose numbers may begin with zeros.
pub(super) fn ipv4(text: &str) -> Option<Ipv4Addr> {
    let mut parts = text.split('.').map(|part| {
        let part = Some(part).filter(|p| digits(p) && p.trim_start_matches('0').len() <= 3)?;
        part.trim_start_matches('0')
            .parse::<u8>()
            .ok()
            .or_else(|| part.bytes().all(|b| b == b'0').then_some(0))
    });
    let mut next = || parts.next().flatten();
    let address = Ipv4Addr::new(next()?, next()?, next()?, next()?);
    (text.matches('.').count() == 3).then_some(address)
}

pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let most = if ipv4(address).is_some() {
        32
    } else if address.parse::<Ipv6Addr>().is_ok() {
        128
    } else {
        return false;
    };
    digits(length) && length.parse::<u8>().is_ok_and(|n| n <= most)
}

/// An address as `net/mail` reads it: `a@b`, or `Name <a@b>`.
pub(super) fn is_email(text: &str) -> bool {
    let text = text.trim_matches(|c: char| matches!(c, ' ' | '\t'));
    let address = match text.strip_suffix('>').and_then(|t| t.rsplit_once('<')) {
        Some((name, address)) => {
            let name = name.trim();
            let quoted = name.len() >= 2 && name.starts_with('"') && name.ends_with('"');
            if !quoted
                && !name
                    .split(' ')
                    .filter(|w| !w.is_empty())
                    .all(|w| w.chars().all(|c| is_atom(c) || c == '.'))
            {
                return false;
            }
            address
        }
        None => text,
    };
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    let quoted = local.len() > 2 && local.starts_with('"') && local.ends_with('"');
    let dots = |t: &str| t.split('.').all(|part| !part.is_empty() && part.chars().all(is_atom));
    let literal = domain.strip_prefix('[').and_then(|d| d.strip_suffix(']'));
    let domain = match literal {
        Some(literal) => ipv4(literal).is_some() || literal.parse::<Ipv6Addr>().is_ok(),
        None => dots(domain),
    };
    (quoted || dots(local)) && domain
}

/// A character of a word in an address (RFC 5322, atext; RFC 6532 adds what is not ASCII).
fn is_atom(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c) || !c.is_ascii()
}

/// RFC 1034 and 1123, letters and symbols of all scripts included.
pub(super) fn is_hostname(text: &str) -> bool {
    if text.len() > 255 || text.split('.').any(|label| label.len() > 63) {
        return false;
    }
    let word = |c: char| c.is_ascii_alphanumeric() || (!c.is_ascii() && (c.is_alphabetic() || is_symbol(c)));
    let labels: Vec<&str> = text.split('.').collect();
    let inner = |label: &str, dash: bool| {
        !label.is_empty()
            && label.starts_with(word)
            && label.ends_with(word)
            && label.chars().all(|c| word(c) || (dash && c == '-'))
    };
    match labels.as_slice() {
        // A single label may have one dash, behind its first character.
        [one] => {
            let mut chars = one.chars();
            chars.next().is_some_and(word)
                && chars.as_str().strip_prefix('-').unwrap_or(chars.as_str()).chars().all(word)
        }
        [first @ .., top] => {
            first.iter().all(|l| inner(l, true))
                && (2..=63).contains(&top.chars().count())
                && top.chars().all(|c| c.is_ascii_alphabetic() || (!c.is_ascii() && c.is_alphabetic()))
        }
        [] => false,
    }
}

/// Whether a character that is not ASCII is a symbol: no letter, number, blank or control character.
fn is_symbol(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace() && !c.is_control()
}

/// 6, 8 or 20 bytes, in one of the three forms of `net.ParseMAC`.
pub(super) fn is_mac(text: &str) -> bool {
    let (separator, width) = match (text.as_bytes().get(2), text.as_bytes().get(4)) {
        (Some(b':'), _) => (':', 2),
        (Some(b'-'), _) => ('-', 2),
        (_, Some(b'.')) => ('.', 4),
        _ => return false,
    };
    let groups: Vec<&str> = text.split(separator).collect();
    matches!(groups.len() * width / 2, 6 | 8 | 20)
        && groups.iter().all(|g| g.len() == width && g.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// An absolute address or path, as `url.ParseRequestURI` reads it.
pub(in crate::apiserver::apiextensions) fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|b| b < 0x20 || b == 0x7f) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let (rest, has_scheme) = match text.split_once(':') {
        Some((scheme, rest))
            if !scheme.is_empty()
                && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')) =>
        {
            (rest, true)
        }
        Some(("", _)) => return false,
        _ => (text, false),
    };
    let path = rest.split_once('?').map_or(rest, |(path, _)| path);
    if !path.starts_with('/') {
        // `mailto:a@b` has no path that could be looked at.
        return has_scheme;
    }
    let mut path = path;
    let authority = path.strip_prefix("//").filter(|_| has_scheme || !path.starts_with("///"));
    if let Some(authority) = authority {
        let end = authority.find('/').unwrap_or(authority.len());
        let (host, after) = authority.split_at_checked(end).unwrap_or((authority, ""));
        if !is_host(host) {
            return false;
        }
        path = after;
    }
    escapes_are_valid(path)
}

/// `user@host:port`, whose host may be an IPv6 address in brackets.
fn is_host(text: &str) -> bool {
    let host = text.rsplit_once('@').map_or(text, |(_, host)| host);
    let (host, port) = match host.strip_prefix('[').and_then(|h| h.split_once(']')) {
        Some((inside, port)) if inside.contains(':') => ("", port),
        _ if host.starts_with('[') => return false,
        _ => host.rfind(':').map_or((host, ""), |at| host.split_at_checked(at).unwrap_or((host, ""))),
    };
    let port =
        port.is_empty() || port.strip_prefix(':').is_some_and(|p| p.bytes().all(|b| b.is_ascii_digit()));
    let allowed =
        |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "-_.~!$&'()*+,;=:[]<>\"%".contains(c);
    port && host.chars().all(allowed) && escapes_are_valid(host)
}

fn escapes_are_valid(text: &str) -> bool {
    text.split('%').skip(1).all(|t| t.get(..2).is_some_and(|t| t.bytes().all(|b| b.is_ascii_hexdigit())))
}
