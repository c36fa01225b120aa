//! Addresses of the web: `k8s.io/apiserver/pkg/cel/url.go` with Go's `url.ParseRequestURI`.

use crate::api::quote::go_quote;

/// An absolute URL, or an absolute path with a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Url {
    pub(crate) scheme: String,
    pub(crate) host: String,
    pub(crate) path: String,
    pub(crate) query: String,
}

impl Url {
    /// Reads a URL as a request's: without a fragment, and not relative.
    pub(crate) fn parse(text: &str) -> Result<Url, String> {
        let wrong = |why: String| format!("parse {}: {why}", go_quote(text));
        if text.bytes().any(|b| b < 0x20 || b == 0x7f) {
            return Err(wrong("net/url: invalid control character in URL".to_owned()));
        }
        if text.is_empty() {
            return Err(wrong("empty url".to_owned()));
        }
        let (scheme, rest) = split_scheme(text).map_err(wrong)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        if !rest.starts_with('/') {
            if scheme.is_empty() {
                return Err(wrong("invalid URI for request".to_owned()));
            }
            // Something opaque, such as `mailto:a@b`.
            let path = String::new();
            return Ok(Url { scheme, host: String::new(), path, query: query.to_owned() });
        }
        let (authority, path) = match rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
            Some(after) => {
                let end = after.find('/').unwrap_or(after.len());
                after.split_at_checked(end).unwrap_or((after, ""))
            }
            None => ("", rest),
        };
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        check_host(host).map_err(wrong)?;
        check_escapes(path).map_err(wrong)?;
        Ok(Url { scheme, host: host.to_owned(), path: escaped(path), query: query.to_owned() })
    }

    /// The host without its port, and without the brackets of an IPv6 address.
    pub(crate) fn hostname(&self) -> &str {
        if let Some(rest) = self.host.strip_prefix('[') {
            return rest.split_once(']').map_or(rest, |(host, _)| host);
        }
        self.host.split_once(':').map_or(&self.host, |(host, _)| host)
    }

    /// The port; empty if there is none.
    pub(crate) fn port(&self) -> &str {
        let rest = self.host.rsplit_once(']').map_or(self.host.as_str(), |(_, rest)| rest);
        rest.rsplit_once(':').map_or("", |(_, port)| port)
    }
}

fn split_scheme(text: &str) -> Result<(String, &str), String> {
    for (at, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            ':' => {
                let scheme = text.get(..at).unwrap_or_default().to_lowercase();
                return Ok((scheme, text.get(at + 1..).unwrap_or_default()));
            }
            _ => break,
        }
    }
    Ok((String::new(), text))
}

fn check_host(host: &str) -> Result<(), String> {
    let port = if host.starts_with('[') {
        match host.rsplit_once(']') {
            Some((_, port)) => port,
            None => return Err("missing ']' in host".to_owned()),
        }
    } else {
        host.rfind(':').and_then(|at| host.get(at..)).unwrap_or("")
    };
    let digits = port.strip_prefix(':').unwrap_or(if port.is_empty() { "" } else { "x" });
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("invalid port {} after host", go_quote(port)));
    }
    match host.chars().find(|c| matches!(c, ' ' | '"' | '\\' | '<' | '>' | '^' | '`' | '{' | '|' | '}')) {
        Some(c) => Err(format!("invalid character {} in host name", go_quote(c.to_string()))),
        None => Ok(()),
    }
}

/// Every `%` must come with two hexadecimal digits.
fn check_escapes(text: &str) -> Result<(), String> {
    for (at, _) in text.match_indices('%') {
        let escape = text.get(at..).unwrap_or_default();
        let mut digits = escape.chars().skip(1);
        if !(0..2).all(|_| digits.next().is_some_and(|c| c.is_ascii_hexdigit())) {
            let shown: String = escape.chars().take(3).collect();
            return Err(format!("invalid URL escape {}", go_quote(&shown)));
        }
    }
    Ok(())
}

/// A path in which what may not stand there is escaped.
fn escaped(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for b in path.bytes() {
        let plain = b.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@!'()*[]%".contains(&b);
        if plain { out.push(b.into()) } else { out.push_str(&format!("%{b:02X}")) }
    }
    out
}

/// A part of a query with its escapes undone; nothing if one is wrong.
pub(crate) fn unescaped(text: &str) -> Option<String> {
    check_escapes(text).ok()?;
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(b) = rest.next() {
        bytes.push(match b {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            b => b,
        });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
