//! One component from its reflectors to its worker.

use std::rc::Rc;

use crate::api::{ObjectRef, order};
use crate::client::{AnyKey, Component, Why};
use crate::cluster::{Actor, Cluster};

use super::reflector::{Reflector, reflector};
use super::{SHOWN, cut};

/// A component.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Which.
    pub actor: Actor,
    /// Its name.
    pub name: Rc<str>,
    /// Its process.
    pub process: Rc<str>,
    /// The node, of a kubelet.
    pub node: Option<Rc<str>>,
    /// Whether its process runs.
    pub running: bool,
    /// Whether it is switched on.
    pub on: bool,
    /// What it watches, in the order it says.
    pub reflectors: Vec<Reflector>,
    /// Its work queue.
    pub queue: Queue,
    /// Its worker's sync, if one is under way.
    pub work: Option<Work>,
    /// How many events it has recorded that are not written yet.
    pub events: usize,
    /// What its reconciler remembers between syncs: the first lines, and how many more there are.
    pub memory: (Vec<String>, usize),
}

/// A work queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queue {
    /// Keys that wait for the worker, first the next one; how many more there are.
    pub waiting: (Vec<AnyKey>, usize),
    /// Keys that are worked on, and whether they come again when that is done.
    pub processing: Vec<(AnyKey, bool)>,
    /// Keys that are planned, soonest first; how many more there are.
    pub delayed: (Vec<Delayed>, usize),
    /// Keys that failed the last time, with how often in a row; how many more there are.
    pub failing: (Vec<(AnyKey, u32)>, usize),
}

impl Queue {
    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.waiting.0.is_empty()
            && self.processing.is_empty()
            && self.delayed.0.is_empty()
            && self.failing.0.is_empty()
    }
}

/// A key that is planned for later.
#[derive(Clone, Debug, PartialEq)]
pub struct Delayed {
    /// Which.
    pub key: AnyKey,
    /// In how many milliseconds.
    pub milliseconds: i64,
    /// Whether the cluster waits for it; else it comes when time passes anyway.
    pub waited_for: bool,
    /// How often the key has failed in a row, if that is why.
    pub failures: u32,
}

/// A sync under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// Its key.
    pub key: AnyKey,
    /// The status codes of the answers it has got: it stands at the request after these.
    pub answers: Vec<u16>,
    /// The request that waits to be sent.
    pub ask: Option<Ask>,
}

/// A request that waits to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// `PUT`
    pub method: &'static str,
    /// Its path.
    pub path: String,
    /// What it is about.
    pub object: ObjectRef,
    /// Why.
    pub why: Option<Rc<Why>>,
    /// Whether it is a heartbeat.
    pub background: bool,
    /// The resourceVersion that the sync believes the object to have; `None` if it knows of none.
    pub believed: Option<String>,
    /// The one that is stored; `None` if there is none.
    pub stored: Option<String>,
}

impl Ask {
    /// Whether the sync is mistaken about the object.
    pub fn is_stale(&self) -> bool {
        self.believed != self.stored
    }
}

/// A component as it stands; `None` if there is none. Of the lanes that are named by the place of their
/// informer, stale objects are compared field by field.
pub fn machine(cluster: &Cluster, actor: Actor, compared: impl Fn(u16) -> bool) -> Option<Machine> {
    let process = cluster.process(actor.process)?;
    let component = cluster.component(actor)?;
    let routes = process.routes.get(usize::from(actor.component))?;
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
        reflectors: reflectors.collect(),
        queue: queue(cluster, actor, component),
        work: work(cluster, component),
        events: component.events_waiting(),
        memory: cut(component.memory(cluster.now()).into_iter(), SHOWN),
    })
}

fn queue(cluster: &Cluster, actor: Actor, component: &dyn Component) -> Queue {
    let queue = component.queue();
    let now = cluster.now().as_millisecond();
    let mut delayed: Vec<Delayed> = queue
        .planned()
        .map(|(key, at)| Delayed {
            key: key.clone(),
            milliseconds: at.as_millisecond().saturating_sub(now),
            waited_for: cluster.clock().is_waited_for(*at, actor, key),
            failures: queue.retries(key),
        })
        .collect();
    order::sort_by_key(&mut delayed, |d| (!d.waited_for, d.milliseconds));
    Queue {
        waiting: cut(queue.iter().cloned(), SHOWN),
        processing: queue.processing().map(|(k, again)| (k.clone(), again)).collect(),
        delayed: cut(delayed.into_iter(), SHOWN),
        failing: cut(queue.failed().map(|(k, n)| (k.clone(), *n)), SHOWN),
    }
}

fn work(cluster: &Cluster, component: &dyn Component) -> Option<Work> {
    let ask = component.pending().map(|p| {
        let object = p.request.object();
        let version = |o: &crate::api::Object| o.meta().resource_version.clone();
        let believed = component.caches_at_start().and_then(|c| c.of(object.kind).get(&object.key));
        let stored = cluster.api().cached(&object);
        Ask {
            method: p.request.verb.method(),
            path: p.request.path(),
            why: p.why.clone(),
            background: p.background,
            believed: believed.and_then(version),
            stored: stored.and_then(version),
            object,
        }
    });
    Some(Work { key: component.working_on()?.clone(), answers: component.answer_codes(), ask })
}
