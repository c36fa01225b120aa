//! A request that a process has got, as its log tells of it.

use std::net::IpAddr;
use std::rc::Rc;

use crate::api::Timestamp;

/// A request that has come to a process, and what the process did with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// When it came.
    pub came: Timestamp,
    /// When it was answered, or its client gave it up.
    pub at: Timestamp,
    /// Who was at the other end of the connection; `None` if nobody knows.
    pub client: Option<IpAddr>,
    /// The method.
    pub method: Rc<str>,
    /// The path with the query.
    pub path: Rc<str>,
    /// The header `User-Agent`; empty if there is none.
    pub agent: Rc<str>,
    /// The header `Referer`; empty if there is none.
    pub referer: Rc<str>,
    /// The header `X-Forwarded-For`; empty if there is none.
    pub forwarded: Rc<str>,
    /// The status of the answer.
    pub status: u16,
    /// The bytes of the answer's body.
    pub bytes: usize,
    /// Whether the client had closed the connection before the answer was there.
    pub given_up: bool,
}
