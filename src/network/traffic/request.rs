//! A request on its way: what is known of it, and what can be told of it.

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use jiff::SignedDuration;

use super::client::Client;
use super::counts::{Cause, Loss};
use super::scene::{Stream, StreamId, Target};
use crate::api::{Timestamp, later};
use crate::network::question::{Outcome, Reply, Response};
use crate::network::serving::Process;

/// What is added to a request's number for each time that it is sent again, so that no two requests have one number.
const AGAIN: u64 = 1 << 40;

/// A request on its way.
#[derive(Clone, Debug)]
pub struct Flight {
    /// Its stream.
    pub id: Rc<StreamId>,
    /// Where it is sent.
    pub target: Target,
    pub(super) client: Rc<Client>,
    /// The addresses of the client's pod.
    pub(super) addresses: Rc<[IpAddr]>,
    /// Its number, counted from 0.
    pub nth: u64,
    /// When it was sent first.
    pub sent: Timestamp,
    /// When it has last come to somebody.
    pub(super) came: Timestamp,
    /// When the client gives it up: its timeout begins when it is sent, and anew when it is sent again because it had failed. To wait
    /// for a connection, and to open another one, takes of it (`http.Client.Timeout` of Go).
    pub(super) deadline: Timestamp,
    /// How often it was sent again because it had failed.
    pub(super) attempt: u32,
    /// How often it was sent again because a connection was closed that had been in use before.
    pub(super) redials: u32,
    /// Whether it is counted.
    pub counted: bool,
    /// What it has met.
    pub(super) reply: Option<Reply>,
    /// The number of its connection, if that is kept.
    pub(super) connection: Option<u64>,
    /// Whether other requests were answered over the connection.
    pub(super) reused: bool,
    /// How it failed first.
    pub(super) first: Option<Loss>,
}

/// A request of which is told what happens to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestTrace {
    /// Its stream.
    pub stream: StreamId,
    /// Its number, counted from 0.
    pub nth: u64,
    /// What happened, in its order.
    pub steps: Vec<(Timestamp, Step)>,
}

/// Something that happens to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Its name leads nowhere.
    Nowhere,
    /// All connections of the client are in use, so it waits for one.
    WaitsForConnection,
    /// A connection is opened for it, which meets this.
    Opens(Box<Reply>),
    /// It takes a connection that was opened before, and over which so many requests were answered.
    Reuses(Box<Reply>, u32),
    /// The server answers other requests first.
    Waits,
    /// The server has ended, and the proxy in between asks another endpoint.
    PassedOn(SocketAddr),
    /// It was answered with a status.
    Answered(u16),
    /// It has failed, and is sent again: because the client tries again or, if that is true, because the connection that it had taken
    /// was closed by the server.
    Again(Cause, bool),
    /// It was lost.
    Lost(Cause),
}

impl Flight {
    pub(super) fn new(stream: &Stream, nth: u64, sent: Timestamp, counted: bool) -> Flight {
        Flight {
            id: stream.id.clone(),
            target: stream.target.clone(),
            client: stream.client.clone(),
            addresses: stream.addresses.clone(),
            nth,
            sent,
            came: sent,
            deadline: later(sent, stream.client.timeout),
            attempt: 0,
            redials: 0,
            counted,
            reply: None,
            connection: None,
            reused: false,
            first: None,
        }
    }

    /// The number by which is drawn what it meets. No two requests have the same, nor has one that is sent again.
    pub(super) fn draw(&self) -> u64 {
        let again = u64::from(self.attempt) + u64::from(self.redials);
        self.nth.wrapping_add(again.wrapping_mul(AGAIN))
    }

    /// For how long the client still waits.
    pub(super) fn left(&self, at: Timestamp) -> SignedDuration {
        self.deadline.duration_since(at).max(SignedDuration::ZERO)
    }

    /// The endpoint that it has come to.
    pub fn endpoint(&self) -> Option<SocketAddr> {
        self.reply.as_ref().and_then(|r| r.endpoint)
    }

    pub(super) fn response(&self) -> Option<&Rc<Response>> {
        match &self.reply.as_ref()?.outcome {
            Outcome::Answered(response) => Some(response),
            _ => None,
        }
    }

    /// Whether a process answers it.
    pub fn is_at(&self, process: &Process) -> bool {
        let by = self.response().and_then(|r| r.by.as_ref());
        by.is_some_and(|by| by.process == *process)
    }

    pub(super) fn loss(&self, cause: Cause) -> Loss {
        let reply = self.reply.as_ref();
        let (behind, through) = (reply.and_then(|r| r.behind), reply.and_then(Reply::through));
        Loss { at: self.sent, nth: self.nth, cause, endpoint: self.endpoint(), behind, through }
    }

    /// Whether nothing depends on when it fails.
    pub(super) fn fails_for_good(&self) -> bool {
        self.attempt >= self.client.retries && self.client.keep.is_none() && !self.client.one_at_a_time
    }
}
