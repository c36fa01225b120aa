//! The watch cache: every write is handed to the watchers it concerns, and to no other.
//!
//! As in `k8s.io/apiserver/pkg/storage/cacher`, watchers with a field that can be an index (a
//! kubelet's `spec.nodeName`) are found by its value, so a write costs what it concerns, not what
//! there is.

use std::collections::VecDeque;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::types::Pod;
use crate::api::{ApiKind, Key, Kind, Object};
use crate::etcd::{Map, Vector};

/// A watcher's name.
pub type WatchId = u32;

/// Which objects of its kind a watcher sees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Filter {
    /// All.
    All,
    /// `spec.nodeName=…`: pods of one node.
    NodeName(Rc<str>),
    /// `metadata.name=…`: one object.
    Name(Rc<str>),
}

impl Filter {
    /// Whether it lets an object through.
    pub fn matches(&self, object: &Object) -> bool {
        match self {
            Filter::All => true,
            Filter::NodeName(n) => node_name(object) == Some(n),
            Filter::Name(n) => object.name() == &**n,
        }
    }
}

fn node_name(object: &Object) -> Option<&str> {
    Pod::from_object(object)?.spec.as_ref()?.node_name.as_deref()
}

/// What a watcher is told.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchEvent {
    /// What happened, as the watcher sees it through its filter.
    pub kind: WatchEventType,
    /// Namespace and name; shared with the store, so that nobody on the way makes them anew.
    pub key: Key,
    /// The object after it; for a deletion the last state, at the revision of the deletion.
    pub object: Object,
    /// The revision.
    pub revision: u64,
}

/// `ADDED`, `MODIFIED`, `DELETED`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatchEventType {
    /// It came into view.
    Added,
    /// It changed.
    Modified,
    /// It went out of view.
    Deleted,
}

impl WatchEventType {
    /// `ADDED`
    pub fn as_str(self) -> &'static str {
        match self {
            WatchEventType::Added => "ADDED",
            WatchEventType::Modified => "MODIFIED",
            WatchEventType::Deleted => "DELETED",
        }
    }
}

/// Somebody who watches, with what they have not read yet.
#[derive(Clone, Debug)]
pub struct Watcher {
    /// The process to wake.
    pub process: u32,
    /// The kind.
    pub kind: Kind,
    /// Which of them.
    pub filter: Filter,
    /// What is on its way.
    pub queue: VecDeque<WatchEvent>,
}

/// All watchers.
#[derive(Clone, Debug, Default)]
pub struct WatchCache {
    // By number; `None` are those that have ended. Shared, so that a step after a snapshot copies
    // the one it touches and not its neighbours.
    watchers: Vector<Option<Rc<Watcher>>>,
    index: Map<Kind, Rc<Index>>,
}

/// The watchers of a kind.
#[derive(Clone, Debug, Default)]
struct Index {
    /// Those that see every write.
    all: Vec<WatchId>,
    /// The others, by the value of the field that they are indexed by.
    by_value: Map<Rc<str>, Vec<WatchId>>,
}

impl WatchCache {
    /// Starts a watch; the caller has listed before.
    pub fn add(&mut self, process: u32, kind: Kind, filter: Filter) -> WatchId {
        let id = WatchId::try_from(self.watchers.len()).unwrap_or(WatchId::MAX);
        self.ids_mut(kind, &filter).push(id);
        self.watchers.push_back(Some(Rc::new(Watcher { process, kind, filter, queue: VecDeque::new() })));
        id
    }

    /// Ends a watch; what was on its way is lost.
    pub fn remove(&mut self, id: WatchId) {
        let Some(w) = self.watchers.get_mut(id as usize).and_then(Option::take) else { return };
        self.ids_mut(w.kind, &w.filter).retain(|i| *i != id);
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

    /// The next event on its way to a watcher; `Err` if there is no such watch any more.
    #[allow(clippy::missing_errors_doc)]
    pub fn next(&mut self, id: WatchId) -> Result<Option<WatchEvent>, Gone> {
        match self.get(id) {
            None => Err(Gone),
            Some(w) if w.queue.is_empty() => Ok(None),
            Some(_) => {
                let w = self.watchers.get_mut(id as usize).and_then(Option::as_mut);
                Ok(w.and_then(|w| Rc::make_mut(w).queue.pop_front()))
            }
        }
    }

    /// How many events are on their way; `None` if there is no such watch any more.
    pub fn pending(&self, id: WatchId) -> Option<usize> {
        self.get(id).map(|w| w.queue.len())
    }

    /// The events on their way to a watcher.
    pub fn queued(&self, id: WatchId) -> impl Iterator<Item = &WatchEvent> {
        self.get(id).into_iter().flat_map(|w| &w.queue)
    }

    /// The last of them.
    pub fn last_queued(&self, id: WatchId) -> Option<&WatchEvent> {
        self.get(id)?.queue.back()
    }

    /// Hands a write to everybody it concerns; calls `wake` with the process of each.
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
        if any.kind() == Kind::Pod {
            let (old, new) = (prev.and_then(node_name), next.and_then(node_name));
            values = [new, old.filter(|_| old != new)];
        }
        let some = values.into_iter().flatten().filter_map(|v| index.by_value.get(v));
        for ids in std::iter::once(&index.all).chain(some) {
            for id in ids {
                let w = self.watchers.get_mut(*id as usize).and_then(Option::as_mut);
                let Some(w) = w else { continue };
                let before = prev.is_some_and(|o| w.filter.matches(o));
                let after = next.is_some_and(|o| w.filter.matches(o));
                let kind = match (before, after) {
                    (false, true) => WatchEventType::Added,
                    (true, true) => WatchEventType::Modified,
                    (true, false) => WatchEventType::Deleted,
                    (false, false) => continue,
                };
                let w = Rc::make_mut(w);
                w.queue.push_back(WatchEvent { kind, key: key.clone(), object: any.clone(), revision });
                wake.push(w.process);
            }
        }
    }
}

/// The watch is no more: it was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;
