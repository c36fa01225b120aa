//! From the API server to the handlers: list, watch, FIFO, indexer, listeners.
//!
//! As since Kubernetes 1.33 (`InOrderInformers`), the FIFO holds deltas in the order they came and
//! gives them out one by one.

use std::collections::VecDeque;

use super::indexer::Indexer;
use crate::api::order;
use crate::api::{Key, Kind, Object};
use crate::apimachinery::{Filter, WatchEvent, WatchEventType, WatchId};

/// A change on its way into an indexer.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// The object of that key came or changed.
    Upsert(Key, Object),
    /// The object of that key is gone.
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
    /// How many wait.
    pub fn len(&self) -> usize {
        self.deltas.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.deltas.is_empty()
    }

    /// Those that wait, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Delta> {
        self.deltas.iter()
    }

    /// Adds one.
    pub fn push(&mut self, delta: Delta) {
        self.deltas.push_back(delta);
    }

    /// Takes the oldest.
    pub fn pop(&mut self) -> Option<Delta> {
        self.deltas.pop_front()
    }

    /// After a list: everything in it, and the removal of what is known but not in it.
    pub fn replace(&mut self, items: Vec<Object>, known: &Indexer) {
        let mut keys: Vec<_> = items.iter().map(Object::key).collect();
        order::sort(&mut keys);
        let gone = known.list(None).filter(|o| keys.binary_search(&o.key()).is_err());
        let gone: Vec<Delta> = gone.cloned().map(|o| Delta::Deleted(o.key(), o)).collect();
        self.deltas.extend(items.into_iter().map(|o| Delta::Upsert(o.key(), o)));
        self.deltas.extend(gone);
    }
}

/// What a handler is told: an object before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// Namespace and name.
    pub key: Key,
    /// Before; `None` if it is new.
    pub old: Option<Object>,
    /// After; `None` if it is gone.
    pub new: Option<Object>,
}

impl Notification {
    /// The object, in its last known state.
    pub fn object(&self) -> Option<&Object> {
        self.new.as_ref().or(self.old.as_ref())
    }
}

/// A component's handlers on an informer, and what they have not been told yet.
#[derive(Clone, Debug)]
pub struct Listener {
    /// The component, by its place in the process.
    pub component: usize,
    /// What it has not been told yet.
    pub pending: VecDeque<Notification>,
}

/// Lists and watches one kind for a process.
#[derive(Clone, Debug)]
pub struct Informer {
    /// The kind.
    pub kind: Kind,
    /// Which of them.
    pub filter: Filter,
    /// The running watch.
    pub watch: Option<WatchId>,
    /// The revision it has seen; 0 before the first list.
    pub resource_version: u64,
    /// What came and was not worked in yet.
    pub fifo: DeltaFifo,
    /// Who wants to know.
    pub listeners: Vec<Listener>,
    /// Of the first list, how many are not in the indexer yet.
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
            listeners: Vec::new(),
            initial: 0,
        }
    }

    /// Whether all that the first list held is in the indexer (`HasSynced`). Workers of whoever listens
    /// wait for that: they would otherwise take what they have not heard of for what is not there.
    pub fn has_synced(&self) -> bool {
        self.resource_version > 0 && self.initial == 0
    }

    /// A list came: everything in it, and the removal of what is known but not in it.
    pub fn replace(&mut self, items: Vec<Object>, revision: u64, known: &Indexer) {
        if self.resource_version == 0 {
            self.initial = items.len();
        }
        self.resource_version = revision;
        self.fifo.replace(items, known);
    }

    /// The reflector's part: a watch event goes into the FIFO.
    pub fn reflect(&mut self, event: WatchEvent) {
        self.resource_version = event.revision;
        self.fifo.push(match event.kind {
            WatchEventType::Added | WatchEventType::Modified => Delta::Upsert(event.key, event.object),
            WatchEventType::Deleted => Delta::Deleted(event.key, event.object),
        });
    }

    /// The controller's part: the oldest delta goes into the indexer and to the listeners.
    pub fn process(&mut self, indexer: &mut Indexer) -> Option<Notification> {
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
        for l in &mut self.listeners {
            l.pending.push_back(notification.clone());
        }
        Some(notification)
    }
}
