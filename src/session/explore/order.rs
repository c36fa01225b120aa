//! What the one who keeps the graph of states and those who work out steps say to each other. Plain data with limits: in the
//! page they are workers.

use serde::{Deserialize, Serialize};

use super::StateId;
use super::findings::{Judged, Print, Step};
use super::normal::Choice;

/// The most states that one searcher hands to another at a time.
pub const HANDED: usize = 256;
/// The most steps of a state.
pub const STEPS: usize = 10_000;
/// The most searchers of one exploration.
pub const SEARCHERS: usize = 16;

/// What a searcher is to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Order {
    /// What becomes of the states that it has found.
    Judged(Judged),
    /// These invariants, by index, are known to be violated, and are not to be checked any more.
    Broken(Vec<usize>),
    /// Take these paths, and explore the states that have an id.
    Take(Vec<Branch>),
    /// Give up at most so many states that are not explored yet, and tell which.
    GiveUp(usize),
}

/// A step of paths that have their beginnings in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    /// The index of the branch before it, which is an earlier one; `None` for the start itself.
    pub from: Option<usize>,
    /// The choice that is made there; without a meaning for the start.
    pub choice: Choice,
    /// The state that is to be explored, if the branch leads to one, and its fingerprint.
    pub state: Option<(StateId, Print)>,
}

/// What a searcher tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Told {
    /// The steps of a state, in the order of its choices.
    Explored(StateId, Vec<Step>),
    /// The states that it has given up.
    GaveUp(Vec<StateId>),
    /// It cannot go on, with the reason.
    Failed(String),
}
