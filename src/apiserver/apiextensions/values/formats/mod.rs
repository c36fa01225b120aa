//! The formats of texts (`k8s.io/kube-openapi/pkg/validation/strfmt` and
//! `pkg/apiserver/validation/formats.go`). A format that is not known limits nothing.

mod net;
mod times;

use std::net::Ipv6Addr;

pub(in crate::apiserver::apiextensions) use net::is_request_uri;
use net::{ipv4, is_cidr, is_email, is_hostname, is_mac};
use times::{is_date, is_date_time, is_duration};

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
