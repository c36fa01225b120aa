//! Amounts of what pods use of their node, and the limits of containers.

use std::rc::Rc;

use crate::api::quantity::amount_of;
use crate::api::types::Container;

/// Amounts of what can run out on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Memory in bytes.
    pub memory: i64,
    /// Bytes on the node's file system: writable layers and emptyDir volumes.
    pub disk: i64,
    /// Files and directories on it.
    pub inodes: i64,
    /// Processes.
    pub pids: i64,
}

/// What a pod's programs have written to the disk of their node, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Into the writable layers of containers, by their names.
    pub layers: Vec<(Rc<str>, i64)>,
    /// The logs of containers, by their names.
    pub logs: Vec<(Rc<str>, i64)>,
    /// Into emptyDir volumes, by their names.
    pub volumes: Vec<(Rc<str>, i64)>,
}

impl Written {
    /// The amount of this name.
    pub(super) fn of(all: &[(Rc<str>, i64)], name: &str) -> i64 {
        all.iter().find(|(n, _)| **n == *name).map_or(0, |(_, bytes)| *bytes)
    }

    /// All of it.
    pub(super) fn sum(&self) -> i64 {
        let all = self.layers.iter().chain(&self.logs).chain(&self.volumes);
        all.map(|(_, bytes)| *bytes).fold(0, i64::saturating_add)
    }
}

impl Stats {
    fn zip(self, o: Stats, f: impl Fn(i64, i64) -> i64) -> Stats {
        Stats {
            memory: f(self.memory, o.memory),
            disk: f(self.disk, o.disk),
            inodes: f(self.inodes, o.inodes),
            pids: f(self.pids, o.pids),
        }
    }

    /// The sum of both, amount by amount.
    pub fn plus(self, o: Stats) -> Stats {
        self.zip(o, i64::saturating_add)
    }

    /// The difference, amount by amount.
    pub fn minus(self, o: Stats) -> Stats {
        self.zip(o, i64::saturating_sub)
    }

    /// Whether any amount is more than the other's.
    pub(super) fn exceeds(self, o: Stats) -> bool {
        self.memory > o.memory || self.disk > o.disk || self.inodes > o.inodes || self.pids > o.pids
    }
}

/// What a container's own limit of a resource is; `None` if it has none.
pub(super) fn limit_of(container: &Container, resource: &str) -> Option<i64> {
    let limits = container.resources.as_ref()?.limits.as_ref()?;
    limits.get(resource).map(|q| amount_of(Some(q)).value()).filter(|v| *v > 0)
}
