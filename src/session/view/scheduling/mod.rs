//! How the scheduler stands to a pod: where the pod waits, when the scheduler last tried it, and the table of what each
//! plugin says about each node. All of it is plain data.

mod attempt;
mod table;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::Word;
use crate::api::types::Pod;
use crate::api::{Key, Kind, ObjectRef};
use crate::cluster::{Actor, Cluster, Process};
use crate::scheduler::plugins::{dynamic_resources, events_to_register, scheduling_gates};
use crate::scheduler::queue::{MAX_IN_UNSCHEDULABLE, Place, Queued};
use crate::scheduler::state::{NAME, State};
use crate::session::{MomentId, Session};

pub use table::{Column, End, Eviction, SchedulingTable, Score, scheduling_table};

/// The scheduler and a pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheduling {
    /// Where the pod stands.
    pub phase: SchedulingPhase,
    /// The node in its `status.nominatedNodeName`.
    pub nominated: Option<String>,
    /// The last attempt to schedule it.
    pub tried: Tried,
}

/// Where a pod stands with the scheduler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SchedulingPhase {
    /// The pod is on this node.
    Bound(String),
    /// The pod waits in the scheduling queue.
    Waits(Box<Waiting>),
    /// This node is chosen for the pod. If `true`, the pod's claims are being bound; else the pod itself is.
    Chosen(String, bool),
    /// The pod asks for the scheduler with this name, and there is none.
    OtherScheduler(String),
    /// The scheduler's informer has not delivered the pod yet.
    Unheard,
    /// No scheduler runs.
    NoScheduler,
}

/// A pod in the scheduling queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The queue.
    pub queue: QueueName,
    /// How many attempts to schedule the pod were begun.
    pub attempts: u32,
    /// The plugins that refused the pod, each with the events that may help (`NodeAdd`), of which its hint decides about
    /// the single case.
    pub refused_by: Vec<(Word, Vec<String>)>,
}

/// One of the scheduler's queues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum QueueName {
    /// `activeQ`, and how many pods are before this one.
    Active(usize),
    /// `backoffQ`: in how many milliseconds the back-off ends, and whether it follows an error.
    Backoff(i64, bool),
    /// `unschedulablePods`: in how many milliseconds the pod is tried even without an event.
    Unschedulable(i64),
    /// `unschedulablePods`, where a plugin keeps the pod; and the names in its `spec.schedulingGates`.
    Gated(Word, Vec<String>),
    /// `unschedulablePods`, where the plugin `DynamicResources` keeps the pod until its ResourceClaims exist; and what the plugin
    /// says.
    WaitsForClaims(String),
}

/// The last attempt to schedule a pod, on the way to the moment that is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tried {
    /// The attempt's first request led to this moment, which is this step of the timeline.
    At(MomentId, usize),
    /// The scheduler has not tried the pod yet.
    NotYet,
    /// The pod was created with `spec.nodeName`, so the scheduler never tried it.
    Named,
    /// The run does not contain it.
    NotInRun,
}

/// The schedulers that do not wait for a lease, with what they remember and their processes.
pub(super) fn schedulers(cluster: &Cluster) -> impl Iterator<Item = (Actor, &State, &Process)> {
    cluster.actors().filter_map(|actor| {
        let state = cluster.component(actor)?.state().downcast_ref::<State>()?;
        let process = cluster.process(actor.process)?;
        (!process.waits()).then_some((actor, state, process))
    })
}

/// How the scheduler stands to a pod at the moment that is shown; `None` if the object is no stored pod.
pub fn scheduling(session: &Session, object: &ObjectRef) -> Option<Scheduling> {
    if object.kind != Kind::POD {
        return None;
    }
    let cluster = session.cluster();
    let pod = cluster.api().cached(object)?.get::<Pod>()?;
    let nominated = pod.status.as_ref().and_then(|s| s.nominated_node_name.clone());
    Some(Scheduling {
        phase: phase(cluster, pod, &object.key),
        nominated: nominated.filter(|n| !n.is_empty()),
        tried: attempt::last(session, object),
    })
}

fn phase(cluster: &Cluster, pod: &Pod, key: &Key) -> SchedulingPhase {
    let spec = pod.spec.as_ref();
    if let Some(node) = spec.and_then(|s| s.node_name.clone()).filter(|n| !n.is_empty()) {
        return SchedulingPhase::Bound(node);
    }
    if let Some(name) = spec.and_then(|s| s.scheduler_name.clone()).filter(|n| n != NAME) {
        return SchedulingPhase::OtherScheduler(name);
    }
    let Some((_, state, _)) = schedulers(cluster).find(|(_, _, p)| p.running) else {
        return SchedulingPhase::NoScheduler;
    };
    if let Some(waiting) = state.waiting.get(key) {
        return SchedulingPhase::Chosen(waiting.node().to_owned(), true);
    }
    if let Some(node) = state.cache.assumed_node(key) {
        return SchedulingPhase::Chosen(node.to_string(), false);
    }
    match state.queue.get(key) {
        Some(q) => SchedulingPhase::Waits(Box::new(waiting(cluster, state, q))),
        None => SchedulingPhase::Unheard,
    }
}

fn waiting(cluster: &Cluster, state: &State, q: &Queued) -> Waiting {
    let now = cluster.now().as_millisecond();
    let queue = match state.queue.place(q) {
        Place::Active => {
            QueueName::Active(state.queue.active().take_while(|other| other.info.key != q.info.key).count())
        }
        Place::Backoff(until, error) => QueueName::Backoff(until.as_millisecond() - now, error),
        Place::Unschedulable => {
            QueueName::Unschedulable(q.at.as_millisecond() + MAX_IN_UNSCHEDULABLE * 1000 - now)
        }
        Place::Gated(scheduling_gates::NAME) => {
            let gates = q.pod().spec.as_ref().and_then(|s| s.scheduling_gates.as_deref());
            let names = gates.unwrap_or_default().iter().map(|g| g.name.clone());
            QueueName::Gated(Word::new_static(scheduling_gates::NAME), names.collect())
        }
        Place::Gated(dynamic_resources::NAME) => {
            QueueName::WaitsForClaims(q.gated_because.as_deref().unwrap_or_default().to_owned())
        }
        Place::Gated(plugin) => QueueName::Gated(Word::new_static(plugin), Vec::new()),
    };
    let events = |plugin: &&'static str| {
        let labels = events_to_register(plugin).iter().flat_map(|r| r.labels());
        (Word::new_static(plugin), labels.collect())
    };
    Waiting { queue, attempts: q.attempts, refused_by: q.refused_by.iter().map(events).collect() }
}
