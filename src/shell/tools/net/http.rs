//! An HTTP request, as `wget` and `curl` send it.

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use jiff::SignedDuration;

use super::{ARP_TIMEOUT, Flag, SYN_TIMEOUT};
use crate::api::later;
use crate::network::question::{Extras, HeaderFields, Mistrust};
use crate::network::url::Url;
use crate::network::{Outcome, Question, Response};
use crate::shell::machine::{Shell, Stop};
use crate::shell::{Sending, Sent};

/// How long a client waits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    /// For the connection.
    pub(super) connect: Option<SignedDuration>,
    /// For all of it.
    pub(super) total: Option<SignedDuration>,
}

/// What is sent, beside the URL's path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    pub(super) method: &'a str,
    /// The header `Host`.
    pub(super) host: &'a str,
    /// The other header fields.
    pub(super) headers: &'a HeaderFields,
    /// What else belongs to it.
    pub(super) extras: &'a Rc<Extras>,
}

impl Request<'_> {
    /// The request as a loop repeats it.
    pub(super) fn sending(&self, url: &Url, limits: Limits) -> Sending {
        Sending {
            url: url.clone(),
            method: self.method.into(),
            host: self.host.into(),
            headers: self.headers.clone(),
            extras: self.extras.clone(),
            connect: limits.connect,
            timeout: limits.total,
        }
    }
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
    /// The connection was closed before the response.
    Closed,
    /// The server does not speak TLS.
    NoTls,
    /// The client does not take the server's certificate.
    Untrusted(Mistrust),
}

/// The header fields that a command line names, the header `Host` aside. One without a value takes a field of the client's own away;
/// with a semicolon behind its name it is sent empty.
fn header_fields(flags: &[Flag<'_>]) -> HeaderFields {
    let given = flags.iter().filter(|f| matches!(f.name, "H" | "header"));
    let fields = given.filter_map(|f| {
        let (name, value) = f.value.split_once(':').or_else(|| Some((f.value.strip_suffix(';')?, "")))?;
        let (name, value) = (name.trim(), value.trim());
        let kept = !name.eq_ignore_ascii_case("host") && (!value.is_empty() || f.value.ends_with(';'));
        kept.then(|| (name.into(), value.into()))
    });
    HeaderFields::new(fields.collect())
}

/// The header fields that a command line names, with some that the client sends by itself where nobody has said otherwise: neither
/// a value nor, with a colon alone behind the name, that there is to be none.
pub(super) fn with_own(flags: &[Flag<'_>], own: &[(&str, &str)]) -> HeaderFields {
    let fields = header_fields(flags);
    let takes_away = |f: &&Flag<'_>, name: &str| {
        matches!(f.name, "H" | "header")
            && f.value
                .split_once(':')
                .is_some_and(|(n, v)| n.trim().eq_ignore_ascii_case(name) && v.trim().is_empty())
    };
    let is_taken_away = |name: &str| flags.iter().any(|f| takes_away(&f, name));
    let missing = own.iter().filter(|(name, _)| fields.get(name).is_none() && !is_taken_away(name));
    let missing = missing.map(|(name, value)| ((*name).into(), (*value).into()));
    HeaderFields::new(fields.iter().cloned().chain(missing).collect())
}

impl Failed {
    /// In the words of the system (`strerror`).
    pub(super) fn message(self) -> &'static str {
        match self {
            Failed::Refused => "Connection refused",
            Failed::Unreachable => "No route to host",
            Failed::ConnectTimeout { .. } | Failed::Timeout { .. } => "Connection timed out",
            Failed::Closed => "End of file",
            Failed::NoTls | Failed::Untrusted(_) => "Connection reset by peer",
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
            Outcome::Closed | Outcome::Connected | Outcome::Untrusted(_) | Outcome::Answered(_) => {
                return Ok(None);
            }
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
        request: &Request<'_>,
        limits: Limits,
    ) -> Result<Result<Rc<Response>, Failed>, Stop> {
        let to = SocketAddr::new(address, url.port());
        let question = Question::Fetch {
            to,
            tls: url.tls,
            host: request.host.into(),
            method: request.method.into(),
            path: url.path.as_str().into(),
            headers: request.headers.clone(),
            extras: request.extras.clone(),
        };
        let (came, reply) = (self.now, self.meet(question.clone())?);
        let outcome = reply.as_ref().map_or(Outcome::TimedOut, |reply| reply.outcome.clone());
        let connect = limits.connect.into_iter().chain(limits.total).min();
        if let Some(failed) = self.connecting(&outcome, connect)? {
            return Ok(Err(failed));
        }
        match outcome {
            Outcome::Answered(response) => {
                let waits = limits.total.filter(|t| *t < response.takes);
                let given_up = waits.map(|after| later(came, after));
                if let Some(reply) = &reply {
                    let agent = &*request.extras.agent;
                    self.outside.sent(&Sent { question: &question, reply, agent, came, given_up });
                }
                match waits {
                    Some(after) => {
                        self.pass(after)?;
                        Ok(Err(Failed::Timeout { after }))
                    }
                    None => {
                        self.pass(response.takes)?;
                        Ok(Ok(response))
                    }
                }
            }
            Outcome::Untrusted(why) => Ok(Err(Failed::Untrusted(why))),
            // Somebody speaks there, but neither HTTP nor TLS.
            Outcome::Connected if url.tls => Ok(Err(Failed::NoTls)),
            _ => Ok(Err(Failed::Closed)),
        }
    }
}
