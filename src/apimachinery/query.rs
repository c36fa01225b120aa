//! What stands behind the question mark of a request (Go's `net/url`).

use super::Status;
use crate::api::go_types::parse_int;

/// A query: keys and values, decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads the text behind the `?`.
    pub fn parse(text: &str) -> Query {
        Query(
            text.split('&')
                .filter(|p| !p.is_empty())
                .map(|p| {
                    let (k, v) = p.split_once('=').unwrap_or((p, ""));
                    (unescape(k, true), unescape(v, true))
                })
                .collect(),
        )
    }

    /// The first value of a key; empty if it is not there.
    pub fn text(&self, key: &str) -> &str {
        self.0.iter().find(|(k, _)| k == key).map_or("", |(_, v)| v.as_str())
    }

    /// Whether the key is there.
    pub fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(k, _)| k == key)
    }

    /// A bool: everything but `false` and `0` is true.
    pub fn on(&self, key: &str) -> bool {
        self.has(key) && !matches!(self.text(key).to_lowercase().as_str(), "false" | "0")
    }

    /// All values of a key.
    pub fn all(&self, key: &str) -> Vec<&str> {
        self.0.iter().filter(|(k, _)| k == key).map(|(_, v)| v.as_str()).collect()
    }

    /// A number, if the key is there.
    ///
    /// # Errors
    /// 400 in Go's words.
    pub fn number(&self, key: &str) -> Result<Option<i64>, Status> {
        match self.text(key) {
            "" => Ok(None),
            t => parse_int(t).map(Some).map_err(Status::bad_request),
        }
    }
}

/// Decodes `%20`, and in a query the `+`; what is no escape stays as it is.
pub fn unescape(text: &str, query: bool) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes().enumerate();
    while let Some((i, b)) = bytes.next() {
        let hex = (b == b'%')
            .then(|| text.get(i + 1..i + 3))
            .flatten()
            .filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|h| u8::from_str_radix(h, 16).ok());
        match hex {
            Some(byte) => {
                out.push(byte);
                bytes.next();
                bytes.next();
            }
            None => out.push(if b == b'+' && query { b' ' } else { b }),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
