//! One component, from its reflectors to its worker.

use serde::{Deserialize, Serialize};
use std::rc::Rc;

use crate::api::{ObjectRef, Timestamp, order};
use crate::client::Component;
use crate::cluster::{Actor, Cluster, Fault};
use crate::scheduler::queue::{Place, Queue as SchedulingQueue, Queued};
use crate::scheduler::state::State;
use crate::session::view::faults::switch;
use crate::session::view::{Reason, Word};

use super::reflector::{Reflector, reflector};
use super::rooms::{Rooms, rooms};
use super::{SHOWN, cut};

/// A component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The component's process and its index there.
    pub actor: Actor,
    /// The component's name.
    pub name: Rc<str>,
    /// The name of its process.
    pub process: Rc<str>,
    /// The node of a kubelet; `None` for other components.
    pub node: Option<Rc<str>>,
    /// Whether the process runs.
    pub running: bool,
    /// Whether the component is switched on.
    pub on: bool,
    /// What switches it off, or on again; `None` if it cannot be switched by itself.
    pub switch: Option<Fault>,
    /// A reflector for each kind that it watches, in its order.
    pub reflectors: Vec<Reflector>,
    /// The work queue.
    pub queue: Queue,
    /// The scheduling queue; `None` for a component that is no scheduler.
    pub pods: Option<PodQueues>,
    /// The rooms of a kubelet; `None` for another component.
    pub rooms: Option<Box<Rooms>>,
    /// The sync of the worker, if one is under way.
    pub work: Option<Work>,
    /// The number of recorded events that are not written yet.
    pub events: usize,
    /// The first lines of what its reconciler remembers between syncs, and the number of further lines.
    pub memory: (Vec<String>, usize),
}

/// The parts of the scheduling queue: of each the first pods and the number of further ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodQueues {
    /// `activeQ`, the next pod first.
    pub active: (Vec<String>, usize),
    /// `backoffQ`: pods, each with the milliseconds until its back-off ends.
    pub backoff: (Vec<(String, i64)>, usize),
    /// `unschedulablePods`: pods, each with the plugins that refused it.
    pub unschedulable: (Vec<(String, String)>, usize),
    /// Those of `unschedulablePods` that a plugin keeps there, each with the plugin.
    pub gated: (Vec<(String, String)>, usize),
}

impl PodQueues {
    fn of(queue: &SchedulingQueue, now: Timestamp) -> PodQueues {
        let key = |q: &Queued| q.info.key.to_string();
        let left = |q: &Queued| match queue.place(q) {
            Place::Backoff(until, _) => until.as_millisecond().saturating_sub(now.as_millisecond()).max(0),
            _ => 0,
        };
        let free = queue.parked().filter(|q| q.gated_by.is_none());
        let gated = queue.parked().filter_map(|q| Some((key(q), q.gated_by?.to_owned())));
        PodQueues {
            active: cut(queue.active().map(key), SHOWN),
            backoff: cut(queue.backing_off().map(|q| (key(q), left(q))), SHOWN),
            unschedulable: cut(free.map(|q| (key(q), q.refused_by.join(", "))), SHOWN),
            gated: cut(gated, SHOWN),
        }
    }
}

/// A work queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Queue {
    /// The first keys that wait for the worker, the next one first, and the number of further ones.
    pub waiting: (Vec<String>, usize),
    /// The keys that are being synced, each with whether it will be synced again afterwards.
    pub processing: Vec<(String, bool)>,
    /// The first keys that are planned for later, the soonest first, and the number of further ones.
    pub delayed: (Vec<Delayed>, usize),
    /// The first keys whose last sync failed, each with the number of failures in a row, and the number of
    /// further ones.
    pub failing: (Vec<(String, u32)>, usize),
}

impl Queue {
    /// Whether the queue has no key at all.
    pub fn is_empty(&self) -> bool {
        self.waiting.0.is_empty()
            && self.processing.is_empty()
            && self.delayed.0.is_empty()
            && self.failing.0.is_empty()
    }
}

/// A key that is planned for later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delayed {
    /// The key.
    pub key: String,
    /// In how many milliseconds it is due.
    pub milliseconds: i64,
    /// Whether it is a foreground deadline, which keeps the cluster from being steady.
    pub waited_for: bool,
    /// The number of failures of the key in a row.
    pub failures: u32,
}

/// A sync under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The key that is synced.
    pub key: String,
    /// The status codes of the responses so far.
    pub answers: Vec<u16>,
    /// The request that waits to be sent, if there is one.
    pub pending: Option<Pending>,
}

/// A request that waits to be sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// The HTTP method, for example `PUT`.
    pub method: Word,
    /// The path.
    pub path: String,
    /// The object.
    pub object: ObjectRef,
    /// Why it is sent, if the sync says so.
    pub why: Option<Reason>,
    /// Whether it is a heartbeat.
    pub background: bool,
    /// The resourceVersion of the object in the sync's caches; `None` if it is not there.
    pub believed: Option<String>,
    /// The resourceVersion of the stored object; `None` if there is none.
    pub stored: Option<String>,
}

impl Pending {
    /// Whether the sync has read another version of the object than the stored one.
    pub fn is_stale(&self) -> bool {
        self.believed != self.stored
    }
}

/// A component of a cluster; `None` if there is none in that place. Stale objects are compared field by
/// field in the lanes for whose informer `compared` is true.
pub fn machine(cluster: &Cluster, actor: Actor, compared: impl Fn(u16) -> bool) -> Option<Machine> {
    let process = cluster.process(actor.process)?;
    let component = cluster.component(actor)?;
    let routes = process.routes.get(usize::from(actor.component))?;
    let scheduler = component.state().downcast_ref::<State>();
    // What the scheduling queue has is shown as such.
    let memory = match scheduler {
        Some(s) => s.queue.promises().chain(s.plans()).collect(),
        None => component.memory(&process.caches, cluster.now()),
    };
    let reflectors = routes.iter().filter_map(|&(place, listener)| {
        let informer = process.informers.get(usize::from(place))?;
        Some(reflector(cluster, &process.caches, informer, place, usize::from(listener), compared(place)))
    });
    Some(Machine {
        actor,
        name: component.name(),
        process: process.name.clone(),
        node: process.node.clone(),
        running: process.running,
        on: process.is_on(actor.component),
        switch: switch(process, &component.name()),
        reflectors: reflectors.collect(),
        queue: queue(cluster, actor, component),
        pods: scheduler.map(|s| PodQueues::of(&s.queue, cluster.now())),
        rooms: rooms(component, &process.caches, process.node.as_deref(), cluster.now()).map(Box::new),
        work: work(cluster, component),
        events: component.events_waiting(),
        memory: cut(memory.into_iter(), SHOWN),
    })
}

fn queue(cluster: &Cluster, actor: Actor, component: &dyn Component) -> Queue {
    let queue = component.queue();
    let now = cluster.now().as_millisecond();
    let mut delayed: Vec<Delayed> = queue
        .planned()
        .map(|(key, at)| Delayed {
            key: key.to_string(),
            milliseconds: at.as_millisecond().saturating_sub(now),
            waited_for: cluster.clock().is_waited_for(*at, actor, key),
            failures: queue.retries(key),
        })
        .collect();
    order::sort_by_key(&mut delayed, |d| (!d.waited_for, d.milliseconds));
    Queue {
        waiting: cut(queue.iter().map(ToString::to_string), SHOWN),
        processing: queue.processing().map(|(k, again)| (k.to_string(), again)).collect(),
        delayed: cut(delayed.into_iter(), SHOWN),
        failing: cut(queue.failed().map(|(k, n)| (k.to_string(), *n)), SHOWN),
    }
}

fn work(cluster: &Cluster, component: &dyn Component) -> Option<Work> {
    let pending = component.pending().map(|p| {
        let object = p.request.object();
        let version = |o: &crate::api::Object| o.resource_version().map(str::to_owned);
        let believed = component.caches_at_start().and_then(|c| c.of(object.kind).get(&object.key));
        let stored = cluster.api().cached(&object);
        Pending {
            method: Word::new_static(p.request.verb.method()),
            path: p.request.path(),
            why: p.why.as_deref().map(Reason::of),
            background: p.background,
            believed: believed.and_then(version),
            stored: stored.and_then(version),
            object,
        }
    });
    Some(Work { key: component.working_on()?.to_string(), answers: component.answer_codes(), pending })
}
