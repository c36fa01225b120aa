//! A request that a process has got, as its log tells of it.

use std::net::IpAddr;
use std::rc::Rc;

use super::question::{Outcome, Question, Reply};
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

/// The head of a request, as far as logs tell of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHead {
    /// The method.
    pub method: Rc<str>,
    /// The path with the query.
    pub path: Rc<str>,
    /// The header `User-Agent`; empty if there is none.
    pub agent: Rc<str>,
    /// The header `Referer`; empty if there is none.
    pub referer: Rc<str>,
}

impl Visit {
    /// A request from the address `own` that met a reply, came at the first moment and was answered at the second. `None` if nobody
    /// answered. If a proxy has passed it on, the proxy is the server's client, and `own` stands in `X-Forwarded-For`.
    pub fn answered(
        reply: &Reply,
        own: Option<IpAddr>,
        head: RequestHead,
        (came, at): (Timestamp, Timestamp),
    ) -> Option<Visit> {
        let Outcome::Answered(response) = &reply.outcome else { return None };
        let RequestHead { method, mut path, agent, referer } = head;
        let (mut client, mut forwarded): (_, Rc<str>) = (own, "".into());
        if let Some(via) = &reply.via {
            client = Some(via.at.ip());
            forwarded = own.map(|a| a.to_string()).unwrap_or_default().into();
            if let Some(Question::Fetch { path: asked, .. }) = &via.asked {
                path = asked.clone();
            }
        }
        let bytes = if *method == *"HEAD" { 0 } else { response.body.len() };
        let (status, given_up) = (response.status, false);
        Some(Visit { came, at, client, method, path, agent, referer, forwarded, status, bytes, given_up })
    }
}
