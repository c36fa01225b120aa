//! The watch cache: every write is handed to the watchers it concerns, and to no other.
//!
//! As in `k8s.io/apiserver/pkg/storage/cacher`, watchers with a field that can be an index (a
//! kubelet's `spec.nodeName`) are found by its value, so a write costs what it concerns, not what
//! there is.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::api::persistent::{Map, Vector};
use crate::api::types::Pod;
use crate::api::{ApiKind, Key, Kind, Object, queue};
use crate::apimachinery::{Filter, Gone, WatchEvent, WatchEventType, WatchId};

/// A watch, with the events that its client has not read yet.
#[derive(Clone, Debug)]
pub struct Watcher {
    /// The process to wake.
    pub process: u32,
    /// The kind that is watched.
    pub kind: Kind,
    /// Which objects of the kind are watched.
    pub filter: Filter,
    /// The events that the client has not read yet, oldest first. The watches that are told the same share an event.
    pub queue: VecDeque<Rc<WatchEvent>>,
}

/// All watchers.
#[derive(Clone, Debug, Default)]
pub struct WatchCache {
    // By number; a watch that has ended is `None`. Each watch is shared, so that a write after a snapshot copies the
    // watches that it touches and not their neighbours.
    watchers: Vector<Option<Rc<Watcher>>>,
    index: Map<Kind, Rc<Index>>,
}

/// The watchers of a kind.
#[derive(Clone, Debug, Default)]
struct Index {
    /// The watches without a filter.
    all: Vec<WatchId>,
    /// The watches with a filter, by the value that their filter asks for.
    by_value: Map<Rc<str>, Vec<WatchId>>,
}

impl WatchCache {
    /// Begins a watch. It is told of writes from now on; what was before, the caller has listed.
    pub fn add(&mut self, process: u32, kind: Kind, filter: Filter) -> WatchId {
        let id = WatchId::try_from(self.watchers.len()).unwrap_or(WatchId::MAX);
        self.ids_mut(kind, &filter).push(id);
        self.watchers.push_back(Some(Rc::new(Watcher { process, kind, filter, queue: VecDeque::new() })));
        id
    }

    /// Ends a watch. Events that its client has not read are lost.
    pub fn remove(&mut self, id: WatchId) {
        let Some(w) = self.watchers.get_mut(id as usize).and_then(Option::take) else { return };
        self.ids_mut(w.kind, &w.filter).retain(|i| *i != id);
    }

    /// Ends all watches.
    pub(super) fn remove_all(&mut self) {
        for id in 0..WatchId::try_from(self.watchers.len()).unwrap_or(WatchId::MAX) {
            self.remove(id);
        }
    }

    fn ids_mut(&mut self, kind: Kind, filter: &Filter) -> &mut Vec<WatchId> {
        let index = Rc::make_mut(self.index.entry(kind).or_default());
        match filter {
            Filter::All => &mut index.all,
            Filter::NodeName(n) | Filter::Name(n) => index.by_value.entry(n.clone()).or_default(),
        }
    }

    fn get(&self, id: WatchId) -> Option<&Rc<Watcher>> {
        self.watchers.get(id as usize)?.as_ref()
    }

    /// Takes the next event of a watch, if there is one.
    ///
    /// # Errors
    /// The watch has ended.
    pub fn next(&mut self, id: WatchId) -> Result<Option<Rc<WatchEvent>>, Gone> {
        match self.get(id) {
            None => Err(Gone),
            Some(w) if w.queue.is_empty() => Ok(None),
            Some(_) => {
                let w = self.watchers.get_mut(id as usize).and_then(Option::as_mut);
                Ok(w.and_then(|w| queue::take(&mut Rc::make_mut(w).queue)))
            }
        }
    }

    /// How many events a client has not read yet; `None` if the watch has ended.
    pub fn pending(&self, id: WatchId) -> Option<usize> {
        self.get(id).map(|w| w.queue.len())
    }

    /// The events that a client has not read yet, oldest first.
    pub fn queued(&self, id: WatchId) -> impl Iterator<Item = &WatchEvent> {
        self.get(id).into_iter().flat_map(|w| &w.queue).map(|event| &**event)
    }

    /// The newest event that a client has not read yet.
    pub fn last_queued(&self, id: WatchId) -> Option<&WatchEvent> {
        self.get(id)?.queue.back().map(|event| &**event)
    }

    /// Adds an event for a write to every watch that it concerns, and the process of each of these to `wake`.
    pub(super) fn dispatch(
        &mut self,
        key: &Key,
        prev: Option<&Object>,
        next: Option<&Object>,
        revision: u64,
        wake: &mut Vec<u32>,
    ) {
        let Some(any) = next.or(prev) else { return };
        let Some(index) = self.index.get(&any.kind()) else { return };
        let mut values = [Some(any.name()), None];
        if any.kind() == Kind::POD {
            let (old, new) = (prev.and_then(node_name), next.and_then(node_name));
            values = [new, old.filter(|_| old != new)];
        }
        let some = values.into_iter().flatten().filter_map(|v| index.by_value.get(v));
        let mut told: Option<Rc<WatchEvent>> = None;
        for ids in std::iter::once(&index.all).chain(some) {
            for id in ids {
                let w = self.watchers.get_mut(*id as usize).and_then(Option::as_mut);
                let Some(w) = w else { continue };
                let before = prev.is_some_and(|o| w.filter.matches(o));
                let after = next.is_some_and(|o| w.filter.matches(o));
                let Some(kind) = WatchEventType::of(before, after) else { continue };
                let event = match told.take().filter(|event| event.kind == kind) {
                    Some(event) => event,
                    None => Rc::new(WatchEvent { kind, key: key.clone(), object: any.clone(), revision }),
                };
                told = Some(event.clone());
                let w = Rc::make_mut(w);
                w.queue.push_back(event);
                wake.push(w.process);
            }
        }
    }
}

fn node_name(object: &Object) -> Option<&str> {
    Pod::from_object(object)?.spec.as_ref()?.node_name.as_deref()
}
