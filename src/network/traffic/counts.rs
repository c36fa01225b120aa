//! What became of requests, in numbers.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::latency::Latencies;
use crate::api::{Key, Timestamp};
use crate::network::question::{Because, Behind};

/// Why requests are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cause {
    /// There is no such name.
    NoSuchName,
    /// The DNS does not answer.
    NoDns,
    /// The connection is refused, and this is why.
    Refused(Because),
    /// The connection is not answered, and this is why.
    TimedOut(Because),
    /// The process that answered it ended before its answer: its kernel closed the connection. The request had been read, so what comes
    /// to the client is the end of the data (`__tcp_close` in Linux' `net/ipv4/tcp.c`: a `FIN`).
    Broken,
    /// The process ended before it had read the request, which waited for its turn: the kernel resets the connection, because data is
    /// lost (`__tcp_close` in `net/ipv4/tcp.c`, `inet_csk_listen_stop` in `net/ipv4/inet_connection_sock.c`; RFC 2525, section 2.17).
    Reset,
    /// The connection was accepted, and what listens there speaks no HTTP, or no TLS where the client does: it ended without a response.
    NoHttp,
    /// The response takes longer than the client waits.
    TooSlow,
    /// The server answers with an error (5xx).
    Status(u16),
    /// So many requests wait for the server that it answers with 503 at once.
    QueueFull,
}

impl std::fmt::Display for Cause {
    /// The variant's name, as in `Refused(Stopping)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

/// A request that was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// When it was sent.
    pub at: Timestamp,
    /// Its number, counted from 0.
    pub nth: u64,
    /// Why it was lost.
    pub cause: Cause,
    /// The endpoint that it was sent to, if it came so far.
    pub endpoint: Option<SocketAddr>,
    /// Who led there although the EndpointSlices did not name the endpoint any more.
    pub behind: Option<Behind>,
    /// The pod of the proxy that it came by.
    pub through: Option<Key>,
}

/// What became of the requests of some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many were sent.
    pub sent: u64,
    /// How many were answered, by the endpoint; `None` where there was no Service in between.
    pub answered: BTreeMap<Option<SocketAddr>, u64>,
    /// How many were lost, by cause.
    pub lost: BTreeMap<Cause, u64>,
    /// For how many of those that were lost somebody had not heard yet of the change of the endpoints ([`Loss::behind`]), by who.
    pub behind: BTreeMap<Behind, u64>,
    /// How long the answers took, from the moment at which the request was sent first.
    pub took: Latencies,
    /// The first that was lost.
    pub first: Option<Loss>,
}

impl Counts {
    /// How many requests were lost.
    pub fn losses(&self) -> u64 {
        self.lost.values().sum()
    }

    /// Adds what became of other requests.
    pub fn add(&mut self, other: Counts) {
        self.sent += other.sent;
        for (endpoint, n) in other.answered {
            *self.answered.entry(endpoint).or_default() += n;
        }
        for (cause, n) in other.lost {
            *self.lost.entry(cause).or_default() += n;
        }
        for (who, n) in other.behind {
            *self.behind.entry(who).or_default() += n;
        }
        self.took.merge(&other.took, 1);
        if let Some(loss) = other.first
            && self.first.as_ref().is_none_or(|f| f.at > loss.at)
        {
            self.first = Some(loss);
        }
    }

    /// Counts requests that were lost for the same reason, of which this is the first.
    pub(super) fn lose(&mut self, loss: Loss, many: u64) {
        *self.lost.entry(loss.cause).or_default() += many;
        if let Some(who) = loss.behind {
            *self.behind.entry(who).or_default() += many;
        }
        if self.first.as_ref().is_none_or(|f| f.at > loss.at) {
            self.first = Some(loss);
        }
    }

    /// Counts requests that an endpoint has answered.
    pub(super) fn answer(&mut self, endpoint: Option<SocketAddr>, took: SignedDuration, many: u64) {
        *self.answered.entry(endpoint).or_default() += many;
        self.took.add(took, many);
    }
}
