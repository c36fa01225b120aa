//! What the scheduler remembers between cycles, and what it has to do.

use std::fmt;
use std::rc::Rc;

use super::cache::Cache;
use super::queue::Queue;
use crate::api::persistent::Map;
use crate::api::types::{PersistentVolume, PersistentVolumeClaim, Pod};
use crate::api::{ApiKind, Key, Timestamp};
use crate::client::{ANYWHERE, Context, Memory, Wait};

/// What it remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Nodes and pods.
    pub cache: Cache,
    /// The pods that wait.
    pub queue: Queue,
    /// Where among the nodes the next search begins.
    pub next_start: usize,
    /// How many pods were tried: with a pod's uid it makes the numbers that settle ties.
    pub cycles: u64,
    /// Pods that have a node and wait for their claims.
    pub waiting: Map<Key, Waiting>,
    /// Claims and volumes it has written.
    pub assumed: Assumed,
}

impl Memory for State {
    /// How many cycles there were and where the next search begins are left out: they settle which of
    /// several nodes is taken that are equally good.
    fn lines(&self, _: Timestamp) -> Vec<String> {
        let assumed = self.cache.assumed().map(|(pod, node)| format!("assumes {pod} on {node}"));
        let waiting = self.waiting.iter().map(|(pod, w)| format!("{pod} {w}"));
        self.queue.lines().chain(assumed).chain(waiting).chain(self.assumed.lines()).collect()
    }
}

pub(super) type Cx = Context<State, Task>;

/// What it has to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// There may be a pod to place (`ScheduleOne`).
    ScheduleOne,
    /// The same, for pods that have been tried so often that no time passes for them.
    ScheduleOneSomeDay,
    /// A pod has a node and waits for its claims (`bindingCycle`).
    BindingCycle(Key),
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::ScheduleOne => f.write_str("schedule-one"),
            Task::ScheduleOneSomeDay => f.write_str("schedule-one-some-day"),
            Task::BindingCycle(pod) => pod.fmt(f),
        }
    }
}

/// A pod that has a node and waits for its claims.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub(super) pod: Rc<Pod>,
    pub(super) node: Rc<str>,
    /// Nodes it fits on, and nodes in all.
    pub(super) fits: (usize, usize),
    pub(super) since: Timestamp,
    /// How often it was tried before.
    pub(super) attempts: u32,
    /// Volumes the scheduler has bound to claims, as written.
    pub(super) bindings: Vec<(Key, Rc<PersistentVolume>)>,
    /// Claims to be provisioned, as written.
    pub(super) provisions: Vec<Rc<PersistentVolumeClaim>>,
}

/// What the scheduler has written and its informers have not shown yet (`AssumeCache`).
#[derive(Clone, Debug, Default)]
pub struct Assumed {
    pub(super) claims: Map<Key, Rc<PersistentVolumeClaim>>,
    pub(super) volumes: Map<Key, Rc<PersistentVolume>>,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bindings, provisions) = (self.bindings.len(), self.provisions.len());
        let Waiting { node, attempts, .. } = self;
        write!(f, "waits on {node} for {bindings} volumes and {provisions} claims after {attempts} attempts")
    }
}

/// The object's `resourceVersion` as a number.
pub(super) fn version<T: ApiKind>(object: &Rc<T>) -> u64 {
    object.meta().resource_version.as_deref().and_then(|v| v.parse().ok()).unwrap_or(0)
}

/// The newer of the two.
fn newer<T: ApiKind>(cached: Option<&Rc<T>>, assumed: Option<&Rc<T>>) -> Option<Rc<T>> {
    let (cached, Some(assumed)) = (cached?, assumed) else { return cached.cloned() };
    Some(if version(assumed) > version(cached) { assumed.clone() } else { cached.clone() })
}

impl Assumed {
    /// What is assumed, a line each.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let claims = self.claims.keys().map(|k| format!("assumes the claim {k} as it was written"));
        let volumes = self.volumes.keys().map(|k| format!("assumes the volume {k} as it was written"));
        claims.chain(volumes)
    }

    /// The claim as it is thought to be.
    pub fn claim(
        &self,
        key: &Key,
        cached: Option<&Rc<PersistentVolumeClaim>>,
    ) -> Option<Rc<PersistentVolumeClaim>> {
        newer(cached, self.claims.get(key))
    }

    /// The volume as it is thought to be.
    pub fn volume(&self, key: &Key, cached: Option<&Rc<PersistentVolume>>) -> Option<Rc<PersistentVolume>> {
        newer(cached, self.volumes.get(key))
    }
}

/// Plans the next try of parked pods, for when their back-off ends. A pod that has failed very often is no
/// reason to let time pass.
pub(super) fn wake_later(cx: &Cx) {
    let mut queue = cx.state(|s| s.queue.clone());
    queue.flush(cx.now());
    if let Some(at) = queue.next_back_off(false) {
        cx.enqueue_after(Task::ScheduleOne, at.duration_since(cx.now()));
    }
    if let Some(at) = queue.next_back_off(true) {
        let wait = Wait::Poll { namespace: ANYWHERE.into() };
        cx.enqueue_waiting(Task::ScheduleOneSomeDay, at.duration_since(cx.now()), wait);
    }
}
