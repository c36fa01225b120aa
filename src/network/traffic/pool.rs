//! The connections that a client keeps, as the transport of Go's `net/http` does.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

use jiff::SignedDuration;

use super::client::Keep;
use crate::api::{Timestamp, later};
use crate::network::question::{Outcome, Reply};
use crate::network::serving::{Process, Serving};

/// An open connection of a client. It stays with its endpoint: the kernel translates all packets of a flow as it has translated the first
/// one (conntrack), whatever the rules say by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The number of the connection.
    pub number: u64,
    /// What it met when it was opened.
    pub reply: Reply,
    /// How many requests were answered over it.
    pub used: u32,
    /// Since when nothing is asked.
    pub since: Timestamp,
}

impl Connection {
    fn serving(&self) -> Option<&Serving> {
        match &self.reply.outcome {
            Outcome::Answered(response) => response.by.as_deref(),
            _ => None,
        }
    }

    /// Whether it is open, and stays with its endpoint. One to which nothing has come back is being opened for as long as its request
    /// waits; and a proxy chooses an endpoint for each request, so what a connection to it leads to is not kept.
    pub fn stays(&self) -> bool {
        matches!(self.reply.outcome, Outcome::Answered(_)) && self.reply.via.is_none()
    }

    /// Whether it ends at a process.
    pub fn is_to(&self, process: &Process) -> bool {
        self.serving().is_some_and(|s| s.process == *process)
    }

    /// For how long it stays open while nothing is asked: the client closes it, or the server.
    pub fn lasts(&self, keep: Keep) -> SignedDuration {
        self.serving().and_then(|s| s.idle).map_or(keep.idle, |idle| idle.min(keep.idle))
    }

    /// How many more requests the server answers over it; `None` if any number.
    pub fn more(&self) -> Option<u32> {
        self.serving().and_then(|s| s.requests).map(|most| most.saturating_sub(self.used))
    }
}

/// The connections of one client.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    /// Those on which nothing is asked; the one that was given back last is the last one.
    pub idle: Vec<Connection>,
    /// Those in use and those that are being opened, by their numbers.
    pub busy: BTreeMap<u64, Connection>,
    /// The requests that wait for one, by their numbers.
    pub waiting: VecDeque<u64>,
}

impl Pool {
    /// Closes the connections on which nothing was asked for too long.
    pub fn expire(&mut self, keep: Keep, now: Timestamp) {
        self.idle.retain(|c| later(c.since, c.lasts(keep)) > now);
    }

    /// Whether there may be no further connection.
    pub fn is_full(&self, keep: Keep) -> bool {
        let open = self.idle.len() + self.busy.len();
        keep.most.is_some_and(|most| open >= usize::try_from(most).unwrap_or(usize::MAX))
    }

    /// A connection is not in use any more. It is kept if the client has room for it and the server does not close it.
    pub fn give_back(&mut self, number: u64, keep: Keep, now: Timestamp, closes: bool) {
        let Some(mut connection) = self.busy.remove(&number) else { return };
        connection.used = connection.used.saturating_add(1);
        connection.since = now;
        let room = self.idle.len() < usize::try_from(keep.idle_most).unwrap_or(usize::MAX);
        if room && !closes && connection.stays() && connection.more() != Some(0) {
            self.idle.push(connection);
        }
    }

    /// How many connections are open to each endpoint.
    pub fn by_endpoint(&self) -> BTreeMap<SocketAddr, u64> {
        let mut all = BTreeMap::new();
        let open = self.busy.values().chain(&self.idle).filter(|c| c.stays());
        for endpoint in open.filter_map(|c| c.reply.endpoint) {
            *all.entry(endpoint).or_default() += 1;
        }
        all
    }

    /// Closes the connections to a process on which nothing is asked.
    pub fn close_idle(&mut self, process: &Process) {
        self.idle.retain(|c| !c.is_to(process));
    }
}
