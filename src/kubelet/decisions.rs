//! What a kubelet has decided by itself and remembers: about pressure ([`Eviction`]), single pods ([`Order`], [`Resize`]) and the
//! end of its machine ([`Shutdown`]). How it decides stands in `eviction`, `oom`, `preemption`, `allocation` and `nodeshutdown`.

use std::rc::Rc;

use super::thresholds::{Pressure, Threshold};
use crate::api::{Key, Timestamp};

/// How a pod is to be ended by the kubelet itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The reason in its status.
    pub reason: &'static str,
    /// The message there.
    pub message: Rc<str>,
    /// The grace period in seconds; `None` if it is the pod's own.
    pub grace: Option<i64>,
    /// The message of its condition `DisruptionTarget`; `None` if it gets none.
    pub disruption: Option<Rc<str>>,
    /// Whether its containers are removed once they have ended (`isEvicted` of `killPodNow`, `pod_workers.go`).
    pub evicts: bool,
}

/// Pods with their uids, and until when their end is waited for.
pub(super) type Cleaning = (Vec<(Key, Rc<str>)>, Timestamp);

/// What the eviction manager remembers.
#[derive(Clone, Debug, Default)]
pub struct Eviction {
    /// The thresholds that were met at the last look, each with the moment since when.
    pub(super) first_observed: Vec<(Threshold, Timestamp)>,
    /// Those of them whose grace period was over.
    pub(super) met: Vec<Threshold>,
    /// When each pressure was observed last, in the order of [`Pressure::ALL`].
    pub(super) last_observed: [Option<Timestamp>; 3],
    /// Whether it was observed at the last look.
    pub(super) observed: [bool; 3],
    /// The pressures that the node has, or had a short while ago: its conditions.
    pub(super) pressures: [bool; 3],
    /// The pods that were evicted and are not gone yet, with their uids, and how long they are waited for.
    pub(super) cleaning: Option<Cleaning>,
}

impl Eviction {
    /// Whether the node has a pressure, or had it a short while ago.
    pub(super) fn has(&self, pressure: Pressure) -> bool {
        Pressure::ALL.iter().zip(self.pressures).any(|(p, has)| *p == pressure && has)
    }

    /// Whether a change of what is used can change what the manager does or says, however small it is.
    pub(super) fn is_busy(&self) -> bool {
        !self.is_idle()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.first_observed.is_empty() && self.pressures == [false; 3] && self.cleaning.is_none()
    }

    /// The conditions of the node, in the order of their names.
    pub(super) fn conditions(&self) -> Vec<&'static str> {
        let mut all: Vec<_> =
            Pressure::ALL.into_iter().filter(|p| self.has(*p)).map(Pressure::condition).collect();
        crate::api::order::sort(&mut all);
        all
    }

    /// A text of what is remembered, without moments.
    pub(super) fn line(&self) -> Option<String> {
        if self.is_idle() {
            return None;
        }
        let names: Vec<_> = self.first_observed.iter().map(|(t, _)| (t.signal, t.is_hard())).collect();
        let pods: Vec<_> =
            self.cleaning.iter().flat_map(|(pods, _)| pods.iter().map(|(pod, _)| pod)).collect();
        Some(format!("pressure {:?} thresholds {names:?} evicts {pods:?}", self.conditions()))
    }
}

/// How far a shutdown has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shutdown {
    /// Whether an event has told of it.
    pub(super) announced: bool,
    /// How many of the groups of pods have been told to end.
    pub(super) groups: usize,
    /// The pods that are waited for, and until when.
    pub(super) waits: Option<(Vec<Key>, Timestamp)>,
}

impl Shutdown {
    /// A text of it, without moments.
    pub(super) fn line(&self) -> String {
        format!("shuts down, groups {} waits {:?}", self.groups, self.waits.as_ref().map(|(pods, _)| pods))
    }
}

/// How a resize of a pod stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resize {
    /// Why it waits; `None` if it does not.
    pub pending: Option<Pending>,
    /// Since when the containers are given what was allocated to them, and for which generation of the pod; `None` if they
    /// have it.
    pub progress: Option<(Timestamp, i64)>,
    /// Why they could not be given it when that was last tried.
    pub error: Option<Rc<str>>,
}

/// Why a resize waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// `Deferred`, or `Infeasible` if the kubelet never resizes such a pod (one with processors of its own).
    pub reason: &'static str,
    /// What is missing.
    pub message: Rc<str>,
    /// Since when it waits for this reason.
    pub since: Timestamp,
    /// The generation of the pod.
    pub generation: i64,
}
