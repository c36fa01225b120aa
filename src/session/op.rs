//! What repeats a run: a start and a list of ops.

use serde::{Deserialize, Serialize};

use crate::cluster::{Action, Actor, Fault, Policy};

/// How a run starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The scenario it came from; empty for none.
    pub scenario: String,
    /// Names, uids and ties come from it.
    pub seed: u64,
    /// How many standard nodes.
    pub nodes: usize,
    /// How many members etcd has: 1, 3 or 5.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub etcd: usize,
}

fn one() -> usize {
    1
}

fn is_one(n: &usize) -> bool {
    *n == 1
}

impl Default for Start {
    fn default() -> Start {
        Start { scenario: String::new(), seed: 1, nodes: 3, etcd: 1 }
    }
}

/// How deep a step goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Depth {
    /// Up to and including the next API write by a component.
    #[default]
    Command,
    /// One key through one sync.
    Reconcile,
    /// One finest action.
    Machinery,
}

/// One thing that was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Op {
    /// Nothing: the root.
    Start,
    /// A step.
    Step {
        /// How deep.
        depth: Depth,
        /// Whose; of whoever's turn it is if none was chosen.
        choice: Option<Actor>,
    },
    /// A step of whoever a policy other than the fair one chose.
    Policy {
        /// How deep.
        depth: Depth,
        /// Which.
        policy: Policy,
        /// Which step of the run it is, counted from the start: chance depends on it.
        nth: u64,
    },
    /// A finest action that was chosen.
    Act(Action),
    /// Something went wrong.
    Fault(Fault),
    /// A command line, with the files it names.
    Kubectl {
        /// The line, without `kubectl`.
        line: String,
        /// Names and texts.
        files: Vec<(String, String)>,
    },
}
