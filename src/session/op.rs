//! What repeats a run: a start and a list of ops.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::ip_family::IpFamily;
use crate::cluster::{Action, Actor, Fault, Policy};

/// The start of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The id of the scenario; empty if there is none.
    pub scenario: String,
    /// The seed of uids and generated names.
    pub seed: u64,
    /// The number of standard nodes.
    pub nodes: usize,
    /// The number of etcd members: 1, 3 or 5.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub etcd: usize,
    /// Objects of another cluster that the run begins with ([`import`](super::import)), as a JSON array. Their nodes come
    /// instead of the standard ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<Rc<str>>,
    /// The address families of the cluster.
    #[serde(default, rename = "ipFamily", skip_serializing_if = "IpFamily::is_default")]
    pub ip_family: IpFamily,
}

fn one() -> usize {
    1
}

fn is_one(n: &usize) -> bool {
    *n == 1
}

impl Default for Start {
    fn default() -> Start {
        Start {
            scenario: String::new(),
            seed: 1,
            nodes: 3,
            etcd: 1,
            objects: None,
            ip_family: IpFamily::default(),
        }
    }
}

/// The depth of a step: how much it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Depth {
    /// Up to and including the next API write of a component.
    #[default]
    Command,
    /// One key through one sync.
    Reconcile,
    /// One action.
    Machinery,
}

/// Something that was done in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Op {
    /// The start of the run, which does nothing.
    Start,
    /// A step under the fair policy.
    Step {
        /// The depth.
        depth: Depth,
        /// The component that was chosen; `None` for the one whose turn it is.
        choice: Option<Actor>,
    },
    /// A step under another policy.
    Policy {
        /// The depth.
        depth: Depth,
        /// The policy.
        policy: Policy,
        /// The number of the step, counted from the start of the run; random choices depend on it.
        nth: u64,
    },
    /// A step of the explorer (`explore::follow`): all components are notified of all changes and work off
    /// keys that lead to no write; then a component acts, or time passes.
    Heard {
        /// The depth.
        depth: Depth,
        /// The component that acts; `None` if time passes.
        choice: Option<Actor>,
    },
    /// A step of the component whose turn it is under the fair policy; where nothing is left to do, after time has
    /// passed to the next run of a schedule.
    Schedule {
        /// The depth.
        depth: Depth,
    },
    /// An action that was chosen.
    Act(Action),
    /// A fault.
    Fault(Fault),
    /// A kubectl command line, with the files that it names.
    Kubectl {
        /// The line, without `kubectl`.
        line: String,
        /// The names and texts of the files.
        files: Vec<(String, String)>,
    },
}

impl Op {
    /// How much a step does; `None` if the op is not a step.
    pub fn depth(&self) -> Option<Depth> {
        match self {
            Op::Step { depth, .. }
            | Op::Policy { depth, .. }
            | Op::Heard { depth, .. }
            | Op::Schedule { depth } => Some(*depth),
            Op::Act(_) => Some(Depth::Machinery),
            Op::Start | Op::Fault(_) | Op::Kubectl { .. } => None,
        }
    }
}
