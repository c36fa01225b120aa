//! What the scheduler remembers between cycles, and the keys of its work queue.

use std::fmt;
use std::rc::Rc;

use super::cache::Cache;
use super::default_preemption::Candidate;
use super::plugins::volume::binding::PodVolumes;
use super::queue::{Queue, Queued};
use super::structured::Selectors;
use crate::api::persistent::Map;
use crate::api::types::resource::{AllocationResult, ResourceClaim};
use crate::api::types::{PersistentVolume, PersistentVolumeClaim, Pod};
use crate::api::{ApiKind, Key, MetaExt, Timestamp};
use crate::client::{ANYWHERE, Context, Memory, Wait};

/// The scheduler's name in `spec.schedulerName` and in events.
pub const NAME: &str = "default-scheduler";

/// What the scheduler remembers between syncs.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Nodes and the pods on them.
    pub cache: Cache,
    /// The pods that wait for a node.
    pub queue: Queue,
    /// Index of the node with which the next search begins.
    pub next_start: usize,
    /// Pods for which a node is chosen and whose claims are not bound yet.
    pub waiting: Map<Key, Waiting>,
    /// By the uid of a claim: the claim with the devices that it is about to get (`inFlightAllocations`).
    pub pending: Pending,
    /// Claims and volumes that the scheduler has written and its informers have not delivered yet.
    pub assumed: Assumed,
    /// What was compiled of the selectors of devices.
    pub selectors: Rc<Selectors>,
    /// By pod that preempts: the pods that are being deleted for it.
    pub preemptions: Map<Key, Preemption>,
}

impl Memory for State {
    /// `next_start` is left out: it only decides between equally good nodes.
    fn lines(&self, _: Timestamp) -> Vec<String> {
        self.queue.lines().chain(self.plans()).collect()
    }
}

impl State {
    /// One line for each thing that is remembered, but for what [`Queue`] has.
    pub fn plans(&self) -> impl Iterator<Item = String> {
        let assumed = self.cache.assumed().map(|(pod, node)| format!("assumes {pod} on {node}"));
        let waiting = self.waiting.iter().map(|(pod, w)| format!("{pod} {w}"));
        let preemptions = self.preemptions.iter().flat_map(|(pod, p)| {
            p.victims.iter().map(move |v| format!("{pod} deletes {} on {}", v.metadata.key(), p.node))
        });
        let pending =
            self.pending.values().map(|(pod, c)| format!("{pod} gets devices for {}", c.metadata.key()));
        assumed.chain(waiting).chain(pending).chain(preemptions).chain(self.assumed.lines())
    }
}

pub(super) type Cx = Context<State, Task>;

/// Claims that are about to get devices, by uid, each with the pod that is being bound.
pub type Pending = Map<String, (Key, Rc<ResourceClaim>)>;

impl State {
    /// Forgets what the claims of a pod were about to get.
    pub(super) fn release(&mut self, pod: &Key) {
        let of_pod = self.pending.iter().filter(|(_, (p, _))| p == pod).map(|(uid, _)| uid.clone());
        for uid in of_pod.collect::<Vec<_>>() {
            self.pending.remove(&uid);
        }
    }
}

/// A key of the scheduler's work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Schedule the next pod of the queue, if there is one (`ScheduleOne`).
    ScheduleOne,
    /// The same, for pods that have failed very often: its deadline does not keep the cluster from being
    /// steady.
    ScheduleOneSomeDay,
    /// Try the pods again that were unschedulable for too long (`flushUnschedulablePodsLeftover`).
    FlushUnschedulable,
    /// [`Task::FlushUnschedulable`], planned if a node has changed since the last attempt of a pod. Until it has run, the
    /// cluster is not steady.
    FlushAfterChange,
    /// Delete the victims of a pod that preempts (`prepareCandidateAsync`).
    Preempt(Key),
    /// Poll the claims of a pod for which a node is chosen (`bindingCycle`).
    BindingCycle(Key),
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::ScheduleOne => f.write_str("schedule-one"),
            Task::ScheduleOneSomeDay => f.write_str("schedule-one-some-day"),
            Task::FlushUnschedulable => f.write_str("flush-unschedulable"),
            Task::FlushAfterChange => f.write_str("flush-after-change"),
            Task::Preempt(pod) => write!(f, "preempt for {pod}"),
            Task::BindingCycle(pod) => pod.fmt(f),
        }
    }
}

/// A pod for which a node is chosen and whose claims are not bound yet.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The pod, and its attempts, this one included.
    pub(super) q: Queued,
    pub(super) node: Rc<str>,
    /// How many nodes the pod fits on, and how many nodes there are.
    pub(super) fits: (usize, usize),
    pub(super) since: Timestamp,
    /// The volumes to which the scheduler has written a claim, as the API server answered, each with its
    /// claim's key.
    pub(super) bindings: Vec<(Key, Rc<PersistentVolume>)>,
    /// The claims to which the scheduler has written `volume.kubernetes.io/selected-node`, as the API server
    /// answered.
    pub(super) provisions: Vec<Rc<PersistentVolumeClaim>>,
    /// What is still to be written before anything can be waited for.
    pub(super) begin: Option<Begin>,
    /// The claims for devices that are reserved for the pod, as the API server answered.
    pub(super) reserved: Vec<Rc<ResourceClaim>>,
}

/// What a binding cycle has to write.
#[derive(Clone, Debug)]
pub(super) struct Begin {
    /// To volumes and their claims.
    pub(super) volumes: PodVolumes,
    /// To the claims for devices: what they get if they have no devices yet.
    pub(super) claims: Vec<(Rc<ResourceClaim>, Option<AllocationResult>)>,
    /// Whether the next pod had its cycle already. A request takes longer than a cycle, so the binding cycle lets the
    /// scheduling cycle of the next pod go first.
    pub(super) gave_way: bool,
}

/// The pods that are deleted so that a pod fits on a node.
#[derive(Clone, Debug)]
pub struct Preemption {
    /// The pod that preempts.
    pub(super) pod: Rc<Pod>,
    pub(super) node: Rc<str>,
    /// The pods to delete. Not all of them are being deleted already.
    pub(super) victims: Rc<[Rc<Pod>]>,
}

impl Preemption {
    /// The node from which the pods are deleted.
    pub fn node(&self) -> &str {
        &self.node
    }

    /// The pods to delete, the most important first.
    pub fn victims(&self) -> &[Rc<Pod>] {
        &self.victims
    }

    /// What is to be deleted for a pod; `None` if all of it is being deleted already.
    pub(super) fn new(pod: &Rc<Pod>, candidate: &Candidate) -> Option<Preemption> {
        let left = candidate.victims.iter().filter(|v| !v.is_terminating()).map(|v| v.pod.clone());
        let victims: Rc<[Rc<Pod>]> = left.collect();
        let node = candidate.node.clone();
        (!victims.is_empty()).then(|| Preemption { pod: pod.clone(), node, victims })
    }
}

/// Objects that the scheduler has written and that its informers have not delivered yet (`AssumeCache`).
#[derive(Clone, Debug, Default)]
pub struct Assumed {
    pub(super) claims: Map<Key, Rc<PersistentVolumeClaim>>,
    pub(super) volumes: Map<Key, Rc<PersistentVolume>>,
    pub(super) resource_claims: Map<Key, Rc<ResourceClaim>>,
}

impl Waiting {
    pub(super) fn new(
        q: Queued,
        node: &str,
        fits: (usize, usize),
        since: Timestamp,
        begin: Option<Begin>,
    ) -> Waiting {
        let (bindings, provisions, reserved) = (Vec::new(), Vec::new(), Vec::new());
        Waiting { q, node: node.into(), fits, since, bindings, provisions, begin, reserved }
    }

    /// The node that is chosen.
    pub fn node(&self) -> &str {
        &self.node
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bindings, provisions) = (self.bindings.len(), self.provisions.len());
        let (node, attempts) = (&self.node, self.q.attempts);
        write!(f, "waits on {node} for {bindings} volumes and {provisions} claims after {attempts} attempts")
    }
}

/// The object's `resourceVersion` as a number.
pub(super) fn version<T: ApiKind>(object: &Rc<T>) -> u64 {
    object.resource_version().and_then(|v| v.parse().ok()).unwrap_or(0)
}

/// The version with the higher `resourceVersion`; `None` if the informer's cache does not have the object.
fn newer<T: ApiKind>(cached: Option<&Rc<T>>, assumed: Option<&Rc<T>>) -> Option<Rc<T>> {
    let (cached, Some(assumed)) = (cached?, assumed) else { return cached.cloned() };
    Some(if version(assumed) > version(cached) { assumed.clone() } else { cached.clone() })
}

impl Assumed {
    /// One line for each assumed object, for [`Memory`](crate::client::Memory).
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let claims = self.claims.keys().map(|k| format!("assumes the claim {k} as it was written"));
        let volumes = self.volumes.keys().map(|k| format!("assumes the volume {k} as it was written"));
        let devices =
            self.resource_claims.keys().map(|k| format!("assumes the devices of {k} as they were written"));
        claims.chain(volumes).chain(devices)
    }

    /// The newer of the cached and the assumed version of a claim for devices; `None` if it is not in the cache.
    pub fn resource_claim(&self, key: &Key, cached: Option<&Rc<ResourceClaim>>) -> Option<Rc<ResourceClaim>> {
        newer(cached, self.resource_claims.get(key))
    }

    /// The newer of the cached and the assumed version of a claim; `None` if it is not in the cache.
    pub fn claim(
        &self,
        key: &Key,
        cached: Option<&Rc<PersistentVolumeClaim>>,
    ) -> Option<Rc<PersistentVolumeClaim>> {
        newer(cached, self.claims.get(key))
    }

    /// The newer of the cached and the assumed version of a volume; `None` if it is not in the cache.
    pub fn volume(&self, key: &Key, cached: Option<&Rc<PersistentVolume>>) -> Option<Rc<PersistentVolume>> {
        newer(cached, self.volumes.get(key))
    }
}

/// Plans the next attempt for the end of the first back-off after an error. The deadline of a pod that has failed very
/// often does not keep the cluster from being steady, nor does any while there is no node.
pub(super) fn wake_later(cx: &Cx) {
    let now = cx.now();
    let (soon, some_day, leftover, nowhere) = cx.state(|s| {
        let q = &s.queue;
        (q.next_back_off(false), q.next_back_off(true), q.next_leftover(), s.cache.is_empty())
    });
    let patient = Wait::Poll { namespace: ANYWHERE.into() };
    if let Some(at) = soon {
        let wait = if nowhere { patient.clone() } else { Wait::Foreground };
        cx.enqueue_waiting(Task::ScheduleOne, at.duration_since(now), wait);
    }
    if let Some(at) = some_day {
        cx.enqueue_waiting(Task::ScheduleOneSomeDay, at.duration_since(now), patient);
    }
    if let Some(at) = leftover {
        cx.enqueue_waiting(Task::FlushUnschedulable, at.duration_since(now), Wait::Background);
    }
    match cx.state(|s| s.queue.next_leftover_after_change()) {
        Some(at) => cx.enqueue_after(Task::FlushAfterChange, at.duration_since(now)),
        None => cx.cancel(Task::FlushAfterChange),
    }
}
