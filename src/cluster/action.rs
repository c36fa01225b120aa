//! The finest steps that a cluster can take ([`Action`]), and what came of them ([`Outcome`]).

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::{Key, Kind, Timestamp};
use crate::apimachinery::{Request, Response};
use crate::apiserver::Write;
use crate::client::{AnyKey, Error, Why};

/// A component: its process and its place in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Actor {
    /// The process.
    pub process: u32,
    /// The component in it.
    pub component: u16,
}

/// One finest action. A run is a start and a list of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Action {
    /// A reflector lists (and watches from there): at its start, or after its watch was cut and
    /// what it missed is no longer known.
    List {
        /// The process.
        process: u32,
        /// The informer in it.
        informer: u16,
    },
    /// A watch event reaches a reflector and enters its FIFO.
    Watch {
        /// The process.
        process: u32,
        /// The informer in it.
        informer: u16,
    },
    /// An informer takes the oldest delta into its indexer and hands it to its listeners.
    Pop {
        /// The process.
        process: u32,
        /// The informer in it.
        informer: u16,
    },
    /// A component's handler hears of one change and enqueues keys.
    Notify {
        /// The component whose handler it is.
        actor: Actor,
        /// The informer it listens to.
        informer: u16,
    },
    /// A worker takes a key; its sync runs up to its first request.
    Start {
        /// The component whose worker it is.
        actor: Actor,
    },
    /// A sync's request is sent and answered; the sync runs up to its next one.
    Send {
        /// The component.
        actor: Actor,
    },
    /// A component's next event is written.
    Record {
        /// The component.
        actor: Actor,
    },
    /// Time jumps to the next deadline.
    Advance,
    /// A component knows of other kinds than before: its process makes informers for those that are
    /// new and stops those that no component needs any more.
    Informers {
        /// The component.
        actor: Actor,
    },
}

/// What an action did.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A list was read.
    Listed {
        /// The kind.
        kind: Kind,
        /// How many objects: of the list, or of what a watch that goes on had missed.
        items: usize,
        /// Where the watch could not go on: the revision it had seen, and the one up to which history
        /// is compacted. The API server answers 410 Gone, and everything is listed anew.
        expired: Option<(u64, u64)>,
    },
    /// A watch event went into the FIFO.
    Reflected {
        /// The kind.
        kind: Kind,
        /// The object.
        key: Key,
    },
    /// A delta went into the indexer.
    Indexed {
        /// The kind.
        kind: Kind,
        /// The object.
        key: Key,
    },
    /// A handler ran.
    Handled {
        /// Which kind it heard of.
        kind: Kind,
        /// The object.
        key: Key,
    },
    /// A sync began.
    Started {
        /// Its key.
        key: AnyKey,
        /// Whether it ended without a request.
        ended: bool,
        /// What it failed with.
        error: Option<Error>,
    },
    /// A request was answered.
    Sent {
        /// The key of the sync.
        key: AnyKey,
        /// The request.
        request: Rc<Request>,
        /// Why it was sent.
        why: Option<Rc<Why>>,
        /// Whether it was a heartbeat.
        background: bool,
        /// The answer.
        response: Response,
        /// Whether the sync ended.
        ended: bool,
        /// What it failed with.
        error: Option<Error>,
    },
    /// An event was written.
    Recorded {
        /// The request and its answer; `None` if the correlator dropped all that waited.
        exchange: Option<(Rc<Request>, Response)>,
    },
    /// A component listens to other informers than before.
    Informers {
        /// The kinds that are new to it.
        started: Vec<Kind>,
        /// The kinds that it watches no more.
        stopped: Vec<Kind>,
    },
    /// Time jumped.
    Advanced {
        /// The time before.
        from: Timestamp,
        /// The time after.
        to: Timestamp,
    },
}

/// A step that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// What happened.
    pub action: Action,
    /// What it did.
    pub outcome: Outcome,
    /// What was written.
    pub writes: Vec<Write>,
}

/// The action cannot happen now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepError {
    /// The action.
    pub action: Action,
}

impl std::fmt::Display for StepError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} is not enabled", self.action)
    }
}

impl std::error::Error for StepError {}

impl Action {
    /// The process it happens in; `None` for [`Action::Advance`].
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

    /// The informer that it is about, by its place in the process; `None` if it is about no informer.
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
