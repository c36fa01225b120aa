//! The finest steps that a cluster can take ([`Action`]), and what each of them did ([`Outcome`]).

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::{Key, Kind, Timestamp};
use crate::apimachinery::{Request, Response};
use crate::apiserver::Write;
use crate::client::{AnyKey, Error, Origin, Why};

/// A component of a cluster, by its process and its place in that process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Actor {
    /// Index of the process, as in [`Cluster::processes`](super::Cluster::processes).
    pub process: u32,
    /// Index of the component in [`Process::components`](super::Process::components).
    pub component: u16,
}

/// A step that cannot be divided. A run is a start and a list of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Action {
    /// A reflector lists, and watches from that revision: at its start, or after its watch has ended and
    /// cannot be resumed.
    List {
        /// Index of the process.
        process: u32,
        /// Index of the informer in the process.
        informer: u16,
    },
    /// A watch event reaches a reflector and enters its FIFO.
    Watch {
        /// Index of the process.
        process: u32,
        /// Index of the informer in the process.
        informer: u16,
    },
    /// An informer takes the oldest delta from its FIFO into its indexer and queues it for its listeners.
    Pop {
        /// Index of the process.
        process: u32,
        /// Index of the informer in the process.
        informer: u16,
    },
    /// A component's event handler is called with one change, and enqueues keys.
    Notify {
        /// The component with the handler.
        actor: Actor,
        /// Index of the informer that the handler listens to.
        informer: u16,
    },
    /// A worker takes a key; its sync runs up to its first request, or ends.
    Start {
        /// The component with the worker.
        actor: Actor,
    },
    /// The request of a sync is sent and answered; the sync runs up to its next request, or ends.
    Send {
        /// The component with the sync.
        actor: Actor,
    },
    /// The next event of a component goes through the correlator and is written.
    Record {
        /// The component with the event.
        actor: Actor,
    },
    /// Time jumps to the next deadline. Enabled only if no other action is.
    Advance,
    /// A component watches other kinds than before: its process starts informers for the new ones and stops
    /// those that no component needs any more.
    Informers {
        /// The component that watches other kinds.
        actor: Actor,
    },
}

/// What an action did.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A reflector has listed, or has resumed its watch.
    Listed {
        /// The kind of its objects.
        kind: Kind,
        /// How many objects the list had, or how many events the resumed watch had missed.
        items: usize,
        /// `Some` if the watch could not be resumed: the last revision that it had seen, and the revision up
        /// to which history is compacted. The API server answers 410 Gone then, and the reflector lists.
        expired: Option<(u64, u64)>,
    },
    /// A watch event has entered the FIFO.
    Reflected {
        /// The object's kind.
        kind: Kind,
        /// The object's namespace and name.
        key: Key,
    },
    /// A delta has been taken into the indexer.
    Indexed {
        /// The object's kind.
        kind: Kind,
        /// The object's namespace and name.
        key: Key,
    },
    /// An event handler has been called.
    Handled {
        /// The object's kind.
        kind: Kind,
        /// The object's namespace and name.
        key: Key,
    },
    /// A sync has begun.
    Started {
        /// The key that is synced.
        key: AnyKey,
        /// Whether the sync ended without a request.
        ended: bool,
        /// The error with which the sync ended, if it failed.
        error: Option<Error>,
    },
    /// A request has been answered.
    Sent {
        /// The key that is synced.
        key: AnyKey,
        /// What the sync followed from.
        origin: Origin,
        /// The request.
        request: Rc<Request>,
        /// Why the request was sent, if the sync says so.
        why: Option<Rc<Why>>,
        /// Whether the request is a heartbeat, which is not a command.
        background: bool,
        /// The API server's response.
        response: Response,
        /// Whether the sync ended.
        ended: bool,
        /// The error with which the sync ended, if it failed.
        error: Option<Error>,
    },
    /// An event has been written.
    Recorded {
        /// The request and its response; `None` if the correlator dropped all events that waited.
        exchange: Option<(Rc<Request>, Response)>,
    },
    /// A component's informers have been brought up to date with the kinds that it watches.
    Informers {
        /// The kinds that it did not watch before.
        started: Vec<Kind>,
        /// The kinds that it does not watch any more.
        stopped: Vec<Kind>,
    },
    /// The time has advanced to the next deadline.
    Advanced {
        /// The time before the jump.
        from: Timestamp,
        /// The time after the jump.
        to: Timestamp,
    },
}

/// What a step did.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// The action.
    pub action: Action,
    /// What the action did.
    pub outcome: Outcome,
    /// What it wrote to the store.
    pub writes: Vec<Write>,
}

/// The action is not enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepError {
    /// The action that was tried.
    pub action: Action,
}

impl std::fmt::Display for StepError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} is not enabled", self.action)
    }
}

impl std::error::Error for StepError {}

impl Action {
    /// Index of the process in which the action happens; `None` for [`Action::Advance`].
    pub fn process(&self) -> Option<u32> {
        match self {
            Action::List { process, .. } | Action::Watch { process, .. } | Action::Pop { process, .. } => {
                Some(*process)
            }
            Action::Notify { actor, .. }
            | Action::Start { actor }
            | Action::Send { actor }
            | Action::Record { actor }
            | Action::Informers { actor } => Some(actor.process),
            Action::Advance => None,
        }
    }

    /// Index of the informer that the action concerns; `None` if it concerns none.
    pub fn informer(&self) -> Option<u16> {
        match self {
            Action::List { informer, .. }
            | Action::Watch { informer, .. }
            | Action::Pop { informer, .. }
            | Action::Notify { informer, .. } => Some(*informer),
            Action::Start { .. }
            | Action::Send { .. }
            | Action::Record { .. }
            | Action::Informers { .. }
            | Action::Advance => None,
        }
    }
}
