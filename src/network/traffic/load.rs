//! What can be said of a stream at one moment: whether a request would be lost, and how much work its requests make.

use std::net::SocketAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::counts::Cause;
use super::path::Fate;
use super::pool::{Connection, Pool};
use super::scene::Stream;
use crate::network::question::{Outcome, Reply};
use crate::network::serving::{Process, Serving};

fn serving(reply: &Reply) -> Option<&Rc<Serving>> {
    match &reply.outcome {
        Outcome::Answered(response) => response.by.as_ref().filter(|by| by.cpu > 0),
        _ => None,
    }
}

/// A request that a process is answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// How long the answer takes at least.
    pub takes: SignedDuration,
    /// Why it is lost if the process ends meanwhile.
    pub cause: Cause,
    /// Where it was sent.
    pub endpoint: Option<SocketAddr>,
}

impl Stream {
    /// The request that a process takes longest to answer, of those that the client waits for; `None` if no request comes to it, or if
    /// it answers at once. A request that a proxy would pass on to another endpoint is not lost by the end of a process.
    pub fn in_flight(&self, process: &Process) -> Option<InFlight> {
        let Fate::Replies(choice) = &self.fate else { return None };
        let of = |reply: &Reply| {
            let Outcome::Answered(response) = &reply.outcome else { return None };
            let is_there = response.by.as_ref().is_some_and(|by| by.process == *process);
            let cause = match &reply.via {
                None => Cause::Broken,
                Some(via) if via.next.is_none() => Cause::Status(502),
                Some(_) => return None,
            };
            let waits = response.takes > SignedDuration::ZERO && response.takes <= self.client.timeout;
            let flight = InFlight { takes: response.takes, cause, endpoint: reply.endpoint };
            (is_there && waits).then_some(flight)
        };
        choice.replies().iter().filter_map(of).max_by_key(|f| f.takes)
    }

    /// Whether a request that has failed is answered when it is sent again: the client does that, and some endpoint answers now.
    pub fn saves(&self) -> bool {
        let Fate::Replies(choice) = &self.fate else { return false };
        self.client.retries > 0 && choice.replies().iter().any(|r| self.client.cause(r).is_none())
    }

    /// Why a request that opens a connection now could be lost, and where it was sent; `None` if none would be. That a server has no
    /// room for it is not known here.
    pub fn could_lose(&self) -> Option<(Cause, Option<SocketAddr>)> {
        match &self.fate {
            Fate::Unknown => None,
            Fate::Nowhere(cause) => Some((*cause, None)),
            Fate::Replies(choice) => {
                let lost = |r: &Reply| Some((self.client.cause(r)?, r.endpoint));
                // A client that sends again meets another endpoint sooner or later.
                choice.replies().iter().find_map(lost).filter(|_| !self.saves())
            }
        }
    }

    /// The work that its requests make for each process that answers some of them, in billionths of a CPU: its rate, the part of the
    /// requests that come to the process, and what an answer costs. What is sent again because it failed is not counted. Of the
    /// connections that a client keeps, those in use have equal parts; if none is in use, the one that was used last has all.
    pub fn work(&self, pool: Option<&Pool>) -> Vec<(Rc<Serving>, i64)> {
        let replies: Vec<(&Reply, u128)> = match (pool, &self.fate) {
            (Some(pool), _) if !pool.idle.is_empty() || pool.busy.values().any(Connection::stays) => {
                let mut open: Vec<&Connection> = pool.busy.values().filter(|c| c.stays()).collect();
                if open.is_empty() {
                    open.extend(pool.idle.last());
                }
                open.into_iter().map(|c| (&c.reply, 1)).collect()
            }
            (_, Fate::Replies(choice)) => choice.replies().iter().map(|r| (r, u128::from(r.share))).collect(),
            _ => Vec::new(),
        };
        let all: u128 = replies.iter().map(|(_, share)| share).sum();
        // Billionths of a CPU times billionths of a second, over the period in the latter.
        let period =
            u128::try_from(self.client.per.as_nanos()).unwrap_or(1).max(1).saturating_mul(all.max(1));
        let cpu = |cost: i64, share: u128| {
            let sent = u128::from(self.client.requests) * share * 1_000_000_000;
            let cost = u128::try_from(cost).unwrap_or(0);
            i64::try_from(cost.saturating_mul(sent) / period).unwrap_or(i64::MAX)
        };
        replies
            .iter()
            .filter_map(|(r, share)| serving(r).map(|by| (by.clone(), cpu(by.cpu, *share))))
            .collect()
    }
}
