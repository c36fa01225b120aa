//! The finest things that can happen, and what came of them.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::{Key, Kind, Timestamp};
use crate::apimachinery::{Request, Response};
use crate::apiserver::Write;
use crate::client::{Error, Why};

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
        /// Whose handler.
        actor: Actor,
        /// The informer it listens to.
        informer: u16,
    },
    /// A worker takes a key; its sync runs up to its first request.
    Start {
        /// Whose worker.
        actor: Actor,
    },
    /// A sync's request is sent and answered; the sync runs up to its next one.
    Send {
        /// Whose.
        actor: Actor,
    },
    /// A component's next event is written.
    Record {
        /// Whose.
        actor: Actor,
    },
    /// Time jumps to the next deadline.
    Advance,
}

/// What an action did.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A list was read.
    Listed {
        /// Which kind.
        kind: Kind,
        /// How many objects: of the list, or of what a watch that goes on had missed.
        items: usize,
        /// Where the watch could not go on: the revision it had seen, and the one up to which history
        /// is compacted. The API server answers 410 Gone, and everything is listed anew.
        expired: Option<(u64, u64)>,
    },
    /// A watch event went into the FIFO.
    Reflected {
        /// Which kind.
        kind: Kind,
        /// Which object.
        key: Key,
    },
    /// A delta went into the indexer.
    Indexed {
        /// Which kind.
        kind: Kind,
        /// Which object.
        key: Key,
    },
    /// A handler ran.
    Handled {
        /// Which kind it heard of.
        kind: Kind,
        /// Which object.
        key: Key,
    },
    /// A sync began.
    Started {
        /// Its key.
        key: Key,
        /// Whether it ended without a request.
        ended: bool,
        /// What it failed with.
        error: Option<Error>,
    },
    /// A request was answered.
    Sent {
        /// The key of the sync.
        key: Key,
        /// The request.
        request: Rc<Request>,
        /// Why.
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
    /// An event was written; `None` if the correlator dropped all that waited.
    Recorded {
        /// The request and its answer.
        exchange: Option<(Rc<Request>, Response)>,
    },
    /// Time jumped.
    Advanced {
        /// From.
        from: Timestamp,
        /// To.
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
    /// What it wrote.
    pub writes: Vec<Write>,
}

/// The action cannot happen now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepError {
    /// Which.
    pub action: Action,
}

impl std::fmt::Display for StepError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} is not enabled", self.action)
    }
}

impl std::error::Error for StepError {}

impl Action {
    /// The process it happens in; none for time.
    pub fn process(&self) -> Option<u32> {
        match self {
            Action::List { process, .. } | Action::Watch { process, .. } | Action::Pop { process, .. } => {
                Some(*process)
            }
            Action::Notify { actor, .. }
            | Action::Start { actor }
            | Action::Send { actor }
            | Action::Record { actor } => Some(actor.process),
            Action::Advance => None,
        }
    }

    /// The informer in its process that it is about, if it is about one.
    pub fn informer(&self) -> Option<u16> {
        match self {
            Action::List { informer, .. }
            | Action::Watch { informer, .. }
            | Action::Pop { informer, .. }
            | Action::Notify { informer, .. } => Some(*informer),
            Action::Start { .. } | Action::Send { .. } | Action::Record { .. } | Action::Advance => None,
        }
    }
}
