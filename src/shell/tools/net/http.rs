//! An HTTP request, as `wget` and `curl` send it.

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use jiff::SignedDuration;

use super::{ARP_TIMEOUT, SYN_TIMEOUT};
use crate::network::url::Url;
use crate::network::{Outcome, Question, Response};
use crate::shell::machine::{Shell, Stop};

/// How long a client waits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    /// For the connection.
    pub(super) connect: Option<SignedDuration>,
    /// For all of it.
    pub(super) total: Option<SignedDuration>,
}

/// Why there is no response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failed {
    Refused,
    Unreachable,
    /// The connection was not established in time: after this long, by the client's own limit or by the system's.
    ConnectTimeout {
        after: SignedDuration,
        own: bool,
    },
    /// The response was not there in time.
    Timeout {
        after: SignedDuration,
    },
    /// The connection was closed or reset before the response.
    Reset,
    /// The server does not speak TLS.
    NoTls,
}

impl Failed {
    /// In the words of the system (`strerror`).
    pub(super) fn message(self) -> &'static str {
        match self {
            Failed::Refused => "Connection refused",
            Failed::Unreachable => "No route to host",
            Failed::ConnectTimeout { .. } | Failed::Timeout { .. } => "Connection timed out",
            Failed::Reset | Failed::NoTls => "Connection reset by peer",
        }
    }
}

impl Shell<'_> {
    /// Lets the time pass that a connection takes which fails in this way, and says how it failed. `None` if it does not fail.
    pub(super) fn connecting(
        &mut self,
        outcome: &Outcome,
        limit: Option<SignedDuration>,
    ) -> Result<Option<Failed>, Stop> {
        let (takes, failed) = match outcome {
            Outcome::Refused => (SignedDuration::ZERO, Failed::Refused),
            Outcome::Unreachable => (ARP_TIMEOUT, Failed::Unreachable),
            Outcome::TimedOut => (SYN_TIMEOUT, Failed::ConnectTimeout { after: SYN_TIMEOUT, own: false }),
            Outcome::Reset | Outcome::Connected | Outcome::Answered(_) => return Ok(None),
        };
        match limit.filter(|l| *l < takes) {
            Some(limit) => {
                self.pass(limit)?;
                Ok(Some(Failed::ConnectTimeout { after: limit, own: true }))
            }
            None => {
                self.pass(takes)?;
                Ok(Some(failed))
            }
        }
    }

    /// Sends a request, and lets the time pass that it takes.
    pub(super) fn fetch(
        &mut self,
        url: &Url,
        address: IpAddr,
        method: &str,
        host: &str,
        limits: Limits,
    ) -> Result<Result<Rc<Response>, Failed>, Stop> {
        let to = SocketAddr::new(address, url.port());
        let question = Question::Fetch {
            to,
            tls: url.tls,
            host: host.into(),
            method: method.into(),
            path: url.path.as_str().into(),
        };
        let outcome = self.connect(question)?;
        let connect = limits.connect.into_iter().chain(limits.total).min();
        if let Some(failed) = self.connecting(&outcome, connect)? {
            return Ok(Err(failed));
        }
        match outcome {
            Outcome::Answered(response) => match limits.total.filter(|t| *t < response.takes) {
                Some(after) => {
                    self.pass(after)?;
                    Ok(Err(Failed::Timeout { after }))
                }
                None => {
                    self.pass(response.takes)?;
                    Ok(Ok(response))
                }
            },
            // Somebody speaks there, but neither HTTP nor TLS.
            Outcome::Connected if url.tls => Ok(Err(Failed::NoTls)),
            _ => Ok(Err(Failed::Reset)),
        }
    }
}
