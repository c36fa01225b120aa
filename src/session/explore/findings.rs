//! What is found of a state's steps, and what comes of it. Plain data: who works steps out may be another worker than the one
//! that keeps the graph.

use serde::{Deserialize, Serialize};

use super::StateId;
use super::invariant::Violation;
use super::normal::{Choice, Did};

/// A fingerprint in a message: JSON has no numbers of 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Print(u64, u64);

impl From<u128> for Print {
    fn from(n: u128) -> Print {
        Print((n >> 64) as u64, n as u64)
    }
}

impl From<Print> for u128 {
    fn from(Print(high, low): Print) -> u128 {
        u128::from(high) << 64 | u128::from(low)
    }
}

/// A step from a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The choice that was made.
    pub choice: Choice,
    /// What the step did.
    pub did: Did,
    /// The invariants that the step violates, by index, each with how.
    pub broke: Vec<(usize, Violation)>,
    /// The state that it leads to; `None` if a component works for ever without writing anything.
    pub to: Option<Seen>,
}

/// A state that a step leads to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Its fingerprint.
    pub fingerprint: Print,
    /// What else is to be known of it; `None` if the finder has told this of an earlier step.
    pub fresh: Option<Fresh>,
}

/// What is to be known of a state that is found for the first time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fresh {
    /// The fingerprint of its objects alone, if it is steady.
    pub objects: Option<Print>,
    /// The invariants that the state violates, by index, each with how.
    pub broke: Vec<(usize, Violation)>,
}

/// What becomes of the states that the steps of a state lead to. Those that are not named need not be kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The state whose steps they are.
    pub of: StateId,
    /// The steps, by index, that lead to new states, and the ids of these. Whoever worked the steps out explores them.
    pub kept: Vec<(usize, StateId)>,
    /// The steps, by index, that lead to states for which there is no room.
    pub refused: Vec<usize>,
}
