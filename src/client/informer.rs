//! From the API server to the handlers: list, watch, FIFO, indexer, listeners.
//!
//! The FIFO holds deltas in the order they came and gives them out one by one, as Kubernetes does since
//! 1.33 (`InOrderInformers`).

use std::collections::VecDeque;
use std::rc::Rc;

use super::indexer::Indexer;
use super::listeners::{Listeners, Notification};
use crate::api::order;
use crate::api::{Key, Kind, Object, queue};
use crate::apimachinery::{Filter, WatchEvent, WatchEventType, WatchId};
use crate::apiserver::ApiServer;

/// A change on its way into an indexer.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// The object with this key came or changed.
    Upsert(Key, Object),
    /// The object with this key is gone; its last known state.
    Deleted(Key, Object),
}

impl Delta {
    /// The object.
    pub fn object(&self) -> &Object {
        match self {
            Delta::Upsert(_, o) | Delta::Deleted(_, o) => o,
        }
    }
}

/// Deltas in the order they came (`cache.RealFIFO`).
#[derive(Clone, Debug, Default)]
pub struct DeltaFifo {
    deltas: VecDeque<Delta>,
}

impl DeltaFifo {
    /// How many deltas wait.
    pub fn len(&self) -> usize {
        self.deltas.len()
    }

    /// Whether no delta waits.
    pub fn is_empty(&self) -> bool {
        self.deltas.is_empty()
    }

    /// The deltas that wait, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Delta> {
        self.deltas.iter()
    }

    /// Adds a delta.
    pub fn push(&mut self, delta: Delta) {
        self.deltas.push_back(delta);
    }

    /// Takes the oldest delta.
    pub fn pop(&mut self) -> Option<Delta> {
        queue::take(&mut self.deltas)
    }

    /// Takes in a list: a delta for each of its objects, and a removal for each known object that is not
    /// in it.
    pub fn replace(&mut self, items: Vec<Object>, known: &Indexer) {
        let mut keys: Vec<_> = items.iter().map(Object::key).collect();
        order::sort(&mut keys);
        let gone = known.list(None).filter(|o| keys.binary_search(&o.key()).is_err());
        let gone: Vec<Delta> = gone.cloned().map(|o| Delta::Deleted(o.key(), o)).collect();
        self.deltas.extend(items.into_iter().map(|o| Delta::Upsert(o.key(), o)));
        self.deltas.extend(gone);
    }
}

/// Lists and watches one kind for a process.
#[derive(Clone, Debug)]
pub struct Informer {
    /// The kind.
    pub kind: Kind,
    /// Which objects of the kind.
    pub filter: Filter,
    /// The running watch.
    pub watch: Option<WatchId>,
    /// The revision up to which it has seen everything; 0 before the first list.
    pub resource_version: u64,
    /// The deltas that are not in the indexer yet.
    pub fifo: DeltaFifo,
    /// The components that are told of every change.
    pub listeners: Listeners,
    /// How many objects of the first list are not in the indexer yet.
    initial: usize,
}

impl Informer {
    /// An informer that has not listed yet.
    pub fn new(kind: Kind, filter: Filter) -> Informer {
        Informer {
            kind,
            filter,
            watch: None,
            resource_version: 0,
            fifo: DeltaFifo::default(),
            listeners: Listeners::default(),
            initial: 0,
        }
    }

    /// Whether all that the first list held is in the indexer (`HasSynced`). The workers of components
    /// that listen wait for that: they would otherwise take objects that they have not heard of for
    /// objects that are not there.
    pub fn has_synced(&self) -> bool {
        self.resource_version > 0 && self.initial == 0
    }

    /// Whether no component listens any more. It neither lists nor watches then, and its place in the
    /// process may be taken by another.
    pub fn is_stopped(&self) -> bool {
        self.listeners.is_empty()
    }

    /// Forgets what it has seen, as after a crash; the watch that it had, which the caller ends.
    pub fn reset(&mut self) -> Option<WatchId> {
        let watch = self.watch.take();
        let mut fresh = Informer::new(self.kind, self.filter.clone());
        fresh.listeners = std::mem::take(&mut self.listeners);
        fresh.listeners.forget();
        *self = fresh;
        watch
    }

    /// Whether nothing of it can go on: no list, no event, no delta, no notification.
    pub fn is_quiet(&self, api: &ApiServer) -> bool {
        self.fifo.is_empty()
            && self.listeners.is_quiet()
            && (self.is_stopped()
                || !api.serves()
                || self.watch.is_some_and(|w| api.watches.pending(w) == Some(0)))
    }

    /// A list came; see [`DeltaFifo::replace`].
    pub(super) fn replace(&mut self, items: Vec<Object>, revision: u64, known: &Indexer) {
        if self.resource_version == 0 {
            self.initial = items.len();
        }
        self.resource_version = revision;
        self.fifo.replace(items, known);
    }

    /// The reflector's part: a watch event goes into the FIFO.
    pub(super) fn reflect(&mut self, event: WatchEvent) {
        self.resource_version = event.revision;
        self.fifo.push(match event.kind {
            WatchEventType::Added | WatchEventType::Modified => Delta::Upsert(event.key, event.object),
            WatchEventType::Deleted => Delta::Deleted(event.key, event.object),
        });
    }

    /// Tells the indexer up to which revision it has everything, once no delta waits.
    pub fn note_seen(&self, indexer: &mut Indexer) {
        if self.fifo.is_empty() {
            indexer.has_seen(self.resource_version);
        }
    }

    /// The controller's part: the oldest delta goes into the indexer and to the listeners.
    pub fn process(&mut self, indexer: &mut Indexer) -> Option<Rc<Notification>> {
        let delta = self.fifo.pop()?;
        self.initial = self.initial.saturating_sub(1);
        let notification = match delta {
            Delta::Upsert(key, object) => {
                let old = indexer.upsert(key.clone(), object.clone());
                Notification { key, old, new: Some(object) }
            }
            Delta::Deleted(key, object) => {
                indexer.remove(&key);
                Notification { key, old: Some(object), new: None }
            }
        };
        self.note_seen(indexer);
        let notification = Rc::new(notification);
        self.listeners.push(notification.clone());
        Some(notification)
    }
}
