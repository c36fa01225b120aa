//! What a sync and its controller hand each other: the request that it stopped at, its effects, its end.

use std::any::Any;
use std::rc::Rc;

use super::indexer::Caches;
use super::key::AnyKey;
use super::recorder::Recorded;
use super::timer::Wait;
use super::why::Why;
use crate::api::Timestamp;
use crate::apimachinery::{Request, Response, Status};

/// Why a sync gave up; its key is tried again later.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// The API server refused.
    Api(Box<Status>),
    /// The controller itself cannot go on.
    Other(String),
}

impl Error {
    /// Whether the API server has said that an object is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Error::Api(s) if s.is_not_found())
    }
}

impl From<Status> for Error {
    fn from(s: Status) -> Error {
        Error::Api(Box::new(s))
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Api(s) => f.write_str(&s.message),
            Error::Other(s) => f.write_str(s),
        }
    }
}

impl std::error::Error for Error {}

/// What a sync returns.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// A request that a sync stopped at.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// The request.
    pub request: Rc<Request>,
    /// Why it is sent.
    pub why: Option<Rc<Why>>,
    /// Whether it is a heartbeat: it is sent like any other request, but is no step of its own.
    pub background: bool,
}

type StateChange<S> = Box<dyn FnOnce(&mut S)>;

/// What a component's syncs have told its process that concerns others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Published {
    /// The component answers requests to itself otherwise than before
    /// ([`Context::publish`](super::Context::publish)).
    pub metrics: bool,
    /// Processes that the component runs have asked the network something
    /// ([`Context::ask_network`](super::Context::ask_network)).
    pub asks: bool,
    /// One of these processes sends a stream of requests.
    pub sends: bool,
    /// What is reached at an address of the network has changed
    /// ([`Context::change_network`](super::Context::change_network)).
    pub listens: bool,
    /// Processes write something else than before into volumes that every node reaches
    /// ([`Context::change_storage`](super::Context::change_storage)).
    pub stores: bool,
}

impl Published {
    /// What either of the two has.
    pub(super) fn or(self, other: Published) -> Published {
        Published {
            metrics: self.metrics || other.metrics,
            asks: self.asks || other.asks,
            sends: self.sends || other.sends,
            listens: self.listens || other.listens,
            stores: self.stores || other.stores,
        }
    }
}

/// Something a sync does besides requests.
pub(super) enum Effect<S> {
    /// Changes what the controller remembers.
    State(StateChange<S>),
    /// Records an event.
    Event(Box<Recorded>),
    /// Tells the process something that concerns others.
    Publish(Published),
    /// Adds a key to the queue.
    Add(AnyKey),
    /// Takes back what was planned for a key.
    Cancel(AnyKey),
    /// Plans a key for a moment.
    AddAt { key: AnyKey, at: Timestamp, wait: Wait },
}

pub(super) struct Shared<S> {
    pub(super) caches: Rc<Caches>,
    pub(super) now: Timestamp,
    pub(super) user: Rc<str>,
    /// What the controller remembers, as this sync sees it.
    pub(super) state: S,
    pub(super) answers: Vec<Rc<Response>>,
    /// The caches at the time of each answer; empty unless the reconciler asks for them.
    pub(super) seen: Vec<Rc<Caches>>,
    pub(super) cursor: usize,
    pub(super) pending: Option<Pending>,
    pub(super) effects: Vec<Effect<S>>,
    /// Whether the effects of a part that was run again have been skipped.
    pub(super) caught_up: bool,
    /// What the sync has noted for whoever looks, each with the number of answers that it had then; `None` if nobody looks.
    pub(super) notes: Option<Vec<(usize, Rc<dyn Any>)>>,
}
