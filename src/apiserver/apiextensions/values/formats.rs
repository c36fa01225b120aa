//! The formats of texts (`k8s.io/kube-openapi/pkg/validation/strfmt` and
//! `pkg/apiserver/validation/formats.go`). A format that is not known limits nothing.

use std::net::{Ipv4Addr, Ipv6Addr};

use jiff::civil::Date;

/// The formats, without dashes, which do not count in a format's name.
const TEXTS: [&str; 26] = [
    "bsonobjectid",
    "byte",
    "cidr",
    "creditcard",
    "date",
    "datetime",
    "duration",
    "email",
    "hexcolor",
    "hostname",
    "ipv4",
    "ipv6",
    "isbn",
    "isbn10",
    "isbn13",
    "k8slongname",
    "k8sshortname",
    "mac",
    "password",
    "rgbcolor",
    "ssn",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
];

/// Whether a format is known for a type; an empty type is that of text.
pub fn is_recognized(type_: &str, format: &str) -> bool {
    match type_ {
        "" | "string" => TEXTS.contains(&format.replace('-', "").as_str()),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    }
}

/// Whether a text has a format; `None` if the format is not one of texts.
pub fn has_format(format: &str, text: &str) -> Option<bool> {
    Some(match format.replace('-', "").as_str() {
        "bsonobjectid" => text.len() == 24 && text.bytes().all(|b| b.is_ascii_hexdigit()),
        "byte" => is_base64(text),
        "cidr" => is_cidr(text),
        "creditcard" => is_credit_card(text),
        "date" => is_date(text),
        "datetime" => is_date_time(text),
        "duration" => is_duration(text),
        "email" => is_email(text),
        "hexcolor" => {
            let digits = text.strip_prefix('#').unwrap_or(text);
            matches!(digits.len(), 3 | 6) && digits.bytes().all(|b| b.is_ascii_hexdigit())
        }
        "hostname" => is_hostname(text),
        "ipv4" => ipv4(text).is_some() || (text.contains('.') && text.parse::<Ipv6Addr>().is_ok()),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "isbn" => is_isbn10(text) || is_isbn13(text),
        "isbn10" => is_isbn10(text),
        "isbn13" => is_isbn13(text),
        "k8slongname" => text.len() <= 253 && text.split('.').all(is_short_name),
        "k8sshortname" => text.len() <= 63 && is_short_name(text),
        "mac" => is_mac(text),
        "password" => true,
        "rgbcolor" => is_rgb_color(text),
        "ssn" => is_ssn(text),
        "uri" => is_request_uri(text),
        "uuid" => is_uuid(text, None),
        "uuid3" => is_uuid(text, Some('3')),
        "uuid4" => is_uuid(text, Some('4')),
        "uuid5" => is_uuid(text, Some('5')),
        _ => return None,
    })
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Standard base64 with padding, at least four characters.
fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
}

/// An IPv4 address, whose numbers may begin with zeros.
fn ipv4(text: &str) -> Option<Ipv4Addr> {
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

fn is_cidr(text: &str) -> bool {
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

fn is_credit_card(text: &str) -> bool {
    let number: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let text: String = number.iter().map(u32::to_string).collect();
    let two: u32 = text.get(..2).and_then(|t| t.parse().ok()).unwrap_or_default();
    let three: u32 = text.get(..3).and_then(|t| t.parse().ok()).unwrap_or_default();
    let four: u32 = text.get(..4).and_then(|t| t.parse().ok()).unwrap_or_default();
    let known = match text.len() {
        13 => text.starts_with('4'),
        14 => (300..=305).contains(&three) || matches!(two, 36 | 38),
        15 => matches!(two, 34 | 37) || matches!(four, 2131 | 1800),
        16 => text.starts_with('4') || (51..=55).contains(&two) || four == 6011 || two == 65 || two == 35,
        _ => false,
    };
    let sum: u32 = (number.iter().rev().enumerate())
        .map(|(i, d)| if i % 2 == 0 { *d } else { d * 2 / 10 + d * 2 % 10 })
        .sum();
    known && sum.is_multiple_of(10)
}

/// `2006-01-02`
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let number = |part: &str, length: usize| {
        (part.len() == length && digits(part)).then(|| part.parse::<i16>().ok()).flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    match (i8::try_from(month), i8::try_from(day)) {
        (Ok(month), Ok(day)) => Date::new(year, month, day).is_ok(),
        _ => false,
    }
}

/// RFC 3339, in any case. What lies behind a second `t` is not looked at.
fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut halves = lower.split('t');
    let (Some(date), Some(time)) = (halves.next(), halves.next()) else { return false };
    if !is_date(date) {
        return false;
    }
    let two = |at: usize, most: &str| time.get(at..at + 2).is_some_and(|t| digits(t) && t <= most);
    let mark = |at: usize| time.get(at..=at) == Some(":");
    if !(two(0, "23") && mark(2) && two(3, "59") && mark(5) && two(6, "59")) {
        return false;
    }
    let mut zone = time.get(8..).unwrap_or_default();
    // Any character may stand before the fraction.
    let fraction = zone.chars().next().map_or("", |c| zone.get(c.len_utf8()..).unwrap_or_default());
    let rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() < fraction.len() && (rest == "z" || is_offset(rest)) {
        zone = rest;
    }
    zone == "z" || is_offset(zone)
}

/// `+02:00`
fn is_offset(text: &str) -> bool {
    let Some((hours, minutes)) = text.strip_prefix(['+', '-']).and_then(|t| t.split_once(':')) else {
        return false;
    };
    [hours, minutes].iter().all(|t| t.len() == 2 && digits(t))
}

/// What Go's `time.ParseDuration` reads, or numbers with units in words: `3 days`.
fn is_duration(text: &str) -> bool {
    is_go_duration(text) || is_worded_duration(text)
}

fn is_go_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    let mut total = 0f64;
    while !rest.is_empty() {
        let number = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let (value, after) = rest.split_at_checked(number).unwrap_or((rest, ""));
        if value.matches('.').count() > 1 || !value.bytes().any(|b| b.is_ascii_digit()) {
            return false;
        }
        let unit = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(unit).unwrap_or((after, ""));
        let scale = match unit {
            "ns" => 1.0,
            "us" | "µs" | "μs" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "m" => 60e9,
            "h" => 3600e9,
            _ => return false,
        };
        total += value.parse::<f64>().unwrap_or(f64::INFINITY) * scale;
        rest = after;
    }
    // What does not fit into 64 bits of nanoseconds, about 290 years, is no duration.
    total <= 9_223_372_036_854_775_807.0
}

/// Whether a number with a unit stands anywhere in a text. The last name of each unit may go on.
fn is_worded_duration(text: &str) -> bool {
    const EXACT: [&str; 16] =
        ["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk", "nano", "micro", "milli", "sec", "min"];
    const PREFIXES: [&str; 8] = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
    let mut found = false;
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        rest = rest.get(start..).unwrap_or_default();
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = rest.get(..rest.len() - after.len()).unwrap_or_default();
        let after = after.trim_start_matches(|c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}'));
        let tail = after.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == 'µ');
        let unit = after.get(..after.len() - tail.len()).unwrap_or_default().to_lowercase();
        rest = tail;
        if unit.is_empty() {
            continue;
        }
        if number.parse::<i64>().is_err() {
            return false;
        }
        found |= EXACT.contains(&unit.as_str()) || PREFIXES.iter().any(|p| unit.starts_with(p));
    }
    found
}

/// An address as `net/mail` reads it: `a@b`, or `Name <a@b>`.
fn is_email(text: &str) -> bool {
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
fn is_hostname(text: &str) -> bool {
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

fn isbn(text: &str) -> Vec<char> {
    text.chars().filter(|c| !matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}' | '-')).collect()
}

fn is_isbn10(text: &str) -> bool {
    let text = isbn(text);
    let digit = |(i, c): (usize, &char)| if i == 9 && *c == 'X' { Some(10) } else { c.to_digit(10) };
    let values: Option<Vec<u32>> = text.iter().enumerate().map(digit).collect();
    let Some(values) = values.filter(|v| v.len() == 10) else { return false };
    (1u32..).zip(&values).map(|(i, d)| i * d).sum::<u32>().is_multiple_of(11)
}

fn is_isbn13(text: &str) -> bool {
    let values: Option<Vec<u32>> = isbn(text).iter().map(|c| c.to_digit(10)).collect();
    let Some(values) = values.filter(|v| v.len() == 13) else { return false };
    values
        .iter()
        .enumerate()
        .map(|(i, d)| if i % 2 == 0 { *d } else { 3 * d })
        .sum::<u32>()
        .is_multiple_of(10)
}

fn is_short_name(text: &str) -> bool {
    let end = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let bytes = text.as_bytes();
    end(bytes.first())
        && end(bytes.last())
        && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
}

/// 6, 8 or 20 bytes, in one of the three forms of `net.ParseMAC`.
fn is_mac(text: &str) -> bool {
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

/// `rgb(255, 0, 10)`
fn is_rgb_color(text: &str) -> bool {
    let Some(inside) = text.strip_prefix("rgb(").and_then(|t| t.strip_suffix(')')) else { return false };
    let colors: Vec<&str> = inside.split(',').collect();
    let color = |c: &&str| {
        let c = c.trim_matches(|c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}'));
        digits(c) && (c == "0" || !c.starts_with('0')) && c.parse::<u8>().is_ok()
    };
    colors.len() == 3 && colors.iter().all(color)
}

/// `123-45-6789`; eleven characters, so both separators have to be there.
fn is_ssn(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 11
        && bytes.iter().enumerate().all(|(i, b)| match i {
            3 | 6 => matches!(b, b'-' | b' '),
            _ => b.is_ascii_digit(),
        })
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

/// In any case, with or without dashes; `version` is the first character of the third group.
fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut rest = text;
    for (i, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if i > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(length) else { return false };
        let first = group.chars().next().unwrap_or_default();
        if !group.bytes().all(|b| b.is_ascii_hexdigit())
            || (i == 2 && version.is_some_and(|v| v != first))
            || (i == 3 && matches!(version, Some('4' | '5')) && !"89abAB".contains(first))
        {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::has_format;

    #[test]
    fn formats() {
        for (format, good, bad) in [
            ("bsonobjectid", vec!["507f1f77bcf86cd799439011"], vec!["507f1f77bcf86cd79943901g", "1"]),
            ("byte", vec!["YWJj", "YQ==", "YWI="], vec!["", "YW", "a b!", "===="]),
            ("cidr", vec!["10.0.0.0/8", "::/0", "010.0.0.0/08"], vec!["10.0.0.0", "10.0.0.0/33", "x/1"]),
            ("creditcard", vec!["4111-1111-1111-1111", "378282246310005"], vec!["4111111111111112", ""]),
            ("date", vec!["2026-01-31"], vec!["2026-1-2", "2026-02-30", "yesterday"]),
            (
                "date-time",
                vec!["2026-01-31T01:02:03Z", "2026-01-31t01:02:03.5+02:00"],
                vec!["yesterday", "2026-01-31", "2026-01-31T24:00:00Z", "2026-01-31T01:02:03"],
            ),
            ("duration", vec!["1h30m", "-1.5s", "0", "3 days", "2weeks"], vec!["1 fortnight", "", "5"]),
            ("email", vec!["a@b", "A B <a.b@example.com>", "\"a b\"@c.d"], vec!["nobody", "a@", "a b@c"]),
            ("hexcolor", vec!["#FFF", "00ff00"], vec!["#ff", "#ggg"]),
            (
                "hostname",
                vec!["a", "example.com", "a-b.example.com"],
                vec!["bad_host!", "-a.com", "a.b1", ""],
            ),
            ("ipv4", vec!["10.0.0.1", "010.0.0.1", "::ffff:1.2.3.4"], vec!["300.1.1.1", "1.2.3", "::1"]),
            ("ipv6", vec!["::1"], vec!["1.2.3.4", "x"]),
            ("isbn", vec!["0321751043", "978-0321751041"], vec!["0321751044"]),
            ("mac", vec!["01:23:45:67:89:ab", "0123.4567.89ab"], vec!["01:23:45:67:89", "01:23-45:67:89:ab"]),
            ("rgbcolor", vec!["rgb(255, 0,10)"], vec!["rgb(256,0,0)", "rgb(1,2)"]),
            ("ssn", vec!["123-45-6789"], vec!["123456789"]),
            (
                "uri",
                vec!["https://example.com/a?b", "/a", "mailto:a@b"],
                vec!["not a uri", "a/b", "http://[::1"],
            ),
            ("uuid", vec!["f81d4fae-7dec-11d0-a765-00a0c91e6bf6"], vec!["123"]),
            (
                "uuid4",
                vec!["f81d4fae-7dec-41d0-a765-00a0c91e6bf6"],
                vec!["f81d4fae-7dec-11d0-a765-00a0c91e6bf6"],
            ),
            ("k8s-short-name", vec!["a-b"], vec!["A", "a.b", "-a"]),
            ("k8s-long-name", vec!["a-b.c"], vec!["a..b"]),
            ("password", vec!["", "x"], vec![]),
        ] {
            for text in good {
                assert_eq!(has_format(format, text), Some(true), "{format} {text}");
            }
            for text in bad {
                assert_eq!(has_format(format, text), Some(false), "{format} {text}");
            }
        }
        assert_eq!(has_format("nonsense", ""), None);
    }
}
