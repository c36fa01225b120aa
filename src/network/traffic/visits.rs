//! The requests of clients that come to one process, as they are gathered for its log ([`Visit`]).

use std::net::IpAddr;

use super::client::Client;
use crate::api::Timestamp;
use crate::network::question::{Outcome, Reply};
use crate::network::serving::Process;
use crate::network::visit::{RequestHead, Visit};

/// The requests that come to a process.
#[derive(Clone, Debug)]
pub(super) struct Visits {
    pub(super) process: Process,
    /// Only those that end after this moment.
    after: Timestamp,
    pub(super) all: Vec<Visit>,
}

/// Whether a process answers those that meet a reply.
pub(super) fn is_at(reply: &Reply, process: &Process) -> bool {
    let Outcome::Answered(response) = &reply.outcome else { return false };
    response.by.as_ref().is_some_and(|by| by.process == *process)
}

/// The address of a client that the other end sees: of the family in which it was asked.
fn source(addresses: &[IpAddr], client: &Client, reply: &Reply) -> Option<IpAddr> {
    let asked = || client.url.host.parse::<IpAddr>().ok();
    let six = reply.endpoint.map(|e| e.ip()).or_else(asked).is_some_and(|ip| ip.is_ipv6());
    addresses.iter().find(|a| a.is_ipv6() == six).or(addresses.first()).copied()
}

/// How a request ended at the process that it had come to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ended {
    /// With the answer that every request like it gets.
    Answered,
    /// With another status and nothing else.
    Refused(u16),
    /// Its client has closed the connection before.
    GivenUp,
}

impl Visits {
    /// Those that come to a process and end after a moment.
    pub(super) fn new(process: &Process, after: Timestamp) -> Visits {
        Visits { process: process.clone(), after, all: Vec::new() }
    }

    /// Adds a request that came at one moment and ended at another one.
    pub(super) fn add(
        &mut self,
        (addresses, client): (&[IpAddr], &Client),
        reply: &Reply,
        (came, at): (Timestamp, Timestamp),
        ended: Ended,
    ) {
        if at <= self.after {
            return;
        }
        let head = RequestHead {
            method: client.method.clone(),
            path: client.url.path.as_str().into(),
            agent: client.extras.agent.clone(),
            referer: "".into(),
        };
        let own = reply.source.or_else(|| source(addresses, client, reply));
        let Some(mut visit) = Visit::answered(reply, own, head, (came, at)) else { return };
        if let Ended::Refused(status) = ended {
            (visit.status, visit.bytes) = (status, 0);
        }
        visit.given_up = matches!(ended, Ended::GivenUp);
        self.all.push(visit);
    }
}
