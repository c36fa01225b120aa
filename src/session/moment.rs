//! A moment of a run, and what led to it.

use std::rc::Rc;

use super::into::Exchange;
use super::keep;
use super::op::Op;
use crate::api::{ObjectRef, Timestamp};
use crate::apiserver::Write;
use crate::cluster::{Action, Cluster, Command, Fault, Transition};
use crate::kubectl::Output;

/// The index of a moment in the tree; the root is 0.
pub type MomentId = usize;

/// What led to a moment.
#[derive(Clone, Debug)]
pub enum What {
    /// Nothing: the moment is the root.
    Start,
    /// The objects of another cluster were taken over: the moment is the root of a run that begins with them.
    Import,
    /// A person applied a manifest or ran a command line.
    Person {
        /// The requests that write, with their responses.
        exchanges: Vec<Exchange>,
        /// What they wrote to the store.
        writes: Vec<Write>,
        /// What the command printed.
        output: Box<Output>,
    },
    /// A fault was injected.
    Fault(Box<Fault>, Vec<Write>),
    /// A command, or at reconcile depth all commands of a sync.
    Commands(Vec<Command>),
    /// A single action.
    Machinery(Box<Transition>),
}

impl What {
    /// The work of repeating it, in commands. An action counts as one.
    pub(super) fn work(&self) -> usize {
        match self {
            What::Commands(c) => c.len(),
            _ => 1,
        }
    }
}

/// A moment of a run.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The moment before; `None` for the root.
    pub parent: Option<MomentId>,
    /// The moments after it, the oldest branch first.
    pub children: Vec<MomentId>,
    /// What led to it.
    pub what: What,
    /// The op that repeats it. Moments of one branch share it as long as it is the same.
    pub op: Rc<Op>,
    /// The number of moments before it.
    pub steps: usize,
    /// What the cluster's clock shows.
    pub at: Timestamp,
    /// The cluster, if the moment keeps it; otherwise [`Session::cluster_at`](super::Session::cluster_at) computes it.
    pub(super) kept: Option<Box<Cluster>>,
    /// The kept clusters on the path to this moment.
    pub(super) trail: keep::Trail,
}

impl Moment {
    /// The commands that led to the moment.
    pub fn commands(&self) -> &[Command] {
        match &self.what {
            What::Commands(c) => c,
            _ => &[],
        }
    }

    /// What was written on the way to the moment, events included.
    pub fn writes(&self) -> Vec<&Write> {
        match &self.what {
            What::Start | What::Import => Vec::new(),
            What::Person { writes, .. } | What::Fault(_, writes) => writes.iter().collect(),
            What::Commands(c) => c.iter().flat_map(|c| c.writes.iter().chain(&c.events)).collect(),
            What::Machinery(t) => t.writes.iter().collect(),
        }
    }

    /// Whether an object was written on the way to the moment.
    pub fn wrote(&self, object: &ObjectRef) -> bool {
        let is = |w: &Write| w.object.kind == object.kind && w.object == *object;
        match &self.what {
            What::Start | What::Import => false,
            What::Person { writes, .. } | What::Fault(_, writes) => writes.iter().any(is),
            What::Commands(c) => c.iter().any(|c| c.writes.iter().chain(&c.events).any(is)),
            What::Machinery(t) => t.writes.iter().any(is),
        }
    }

    /// The name of the component that led to the moment, or `you` for a person; `None` for the root. The cluster may be
    /// any later one: it is asked for the names of components.
    pub fn by(&self, cluster: &Cluster) -> Option<Rc<str>> {
        match &self.what {
            What::Start | What::Import => None,
            What::Person { .. } | What::Fault(..) => Some("you".into()),
            What::Commands(c) => c.first().map(|c| c.by.clone()),
            What::Machinery(t) => match t.action {
                Action::Send { actor } => cluster.actor_name(actor),
                Action::List { .. }
                | Action::Watch { .. }
                | Action::Pop { .. }
                | Action::Notify { .. }
                | Action::Informers { .. }
                | Action::Start { .. }
                | Action::Record { .. }
                | Action::Advance => Some("machinery".into()),
            },
        }
    }
}
