//! The watch cache: every write is handed to the watchers it concerns, and to no other.
//!
//! As in `k8s.io/apiserver/pkg/storage/cacher`, watchers with a field that can be an index (a
//! kubelet's `spec.nodeName`) are found by its value, so a write costs what it concerns, not what
//! there is.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::api::types::Pod;
use crate::api::{ApiKind, Kind, Object};
use crate::etcd::Map;

/// A watcher's name.
pub type WatchId = u32;

/// Which objects of its kind a watcher sees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    /// The object after it; for a deletion the last state, at the revision of the deletion.
    pub object: Object,
    /// The revision.
    pub revision: u64,
}

/// `ADDED`, `MODIFIED`, `DELETED`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    next: WatchId,
    // Shared, so that a step after a snapshot copies the one it touches and not its neighbours.
    watchers: Map<WatchId, Rc<Watcher>>,
    // The watchers of a kind by the value of the field they are indexed by; `None` are those that
    // see every write of the kind.
    index: Map<(Kind, Option<Rc<str>>), Vec<WatchId>>,
}

impl WatchCache {
    /// Starts a watch; the caller has listed before.
    pub fn add(&mut self, process: u32, kind: Kind, filter: Filter) -> WatchId {
        let id = self.next;
        self.next += 1;
        let at = (kind, index_value(&filter));
        let mut ids = self.index.get(&at).cloned().unwrap_or_default();
        ids.push(id);
        self.index.insert(at, ids);
        self.watchers.insert(id, Rc::new(Watcher { process, kind, filter, queue: VecDeque::new() }));
        id
    }

    /// Ends a watch; what was on its way is lost.
    pub fn remove(&mut self, id: WatchId) {
        let Some(w) = self.watchers.remove(&id) else { return };
        let at = (w.kind, index_value(&w.filter));
        if let Some(ids) = self.index.get(&at) {
            let ids: Vec<WatchId> = ids.iter().copied().filter(|i| *i != id).collect();
            if ids.is_empty() {
                self.index.remove(&at);
            } else {
                self.index.insert(at, ids);
            }
        }
    }

    /// The next event on its way to a watcher; `Err` if there is no such watch any more.
    #[allow(clippy::missing_errors_doc)]
    pub fn next(&mut self, id: WatchId) -> Result<Option<WatchEvent>, Gone> {
        match self.watchers.get(&id) {
            None => Err(Gone),
            Some(w) if w.queue.is_empty() => Ok(None),
            Some(_) => Ok(self.watchers.get_mut(&id).and_then(|w| Rc::make_mut(w).queue.pop_front())),
        }
    }

    /// How many events are on their way; `None` if there is no such watch any more.
    pub fn pending(&self, id: WatchId) -> Option<usize> {
        self.watchers.get(&id).map(|w| w.queue.len())
    }

    /// The events on their way to a watcher.
    pub fn queued(&self, id: WatchId) -> impl Iterator<Item = &WatchEvent> {
        self.watchers.get(&id).into_iter().flat_map(|w| &w.queue)
    }

    /// Hands a write to everybody it concerns; calls `wake` with the process of each.
    pub(super) fn dispatch(
        &mut self,
        prev: Option<&Object>,
        next: Option<&Object>,
        revision: u64,
        wake: &mut Vec<u32>,
    ) {
        let Some(any) = next.or(prev) else { return };
        let kind = any.kind();
        let mut values: [Option<Option<Rc<str>>>; 4] = [Some(None), None, None, None];
        values[1] = Some(Some(Rc::from(any.name())));
        if kind == Kind::Pod {
            values[1] = next.and_then(node_name).map(|n| Some(Rc::from(n)));
            let old = prev.and_then(node_name);
            if old != next.and_then(node_name) {
                values[2] = old.map(|n| Some(Rc::from(n)));
            }
        }
        for value in values.into_iter().flatten() {
            let Some(ids) = self.index.get(&(kind, value)) else { continue };
            for id in ids {
                let Some(w) = self.watchers.get_mut(id) else { continue };
                let before = prev.is_some_and(|o| w.filter.matches(o));
                let after = next.is_some_and(|o| w.filter.matches(o));
                let kind = match (before, after) {
                    (false, true) => WatchEventType::Added,
                    (true, true) => WatchEventType::Modified,
                    (true, false) => WatchEventType::Deleted,
                    (false, false) => continue,
                };
                let w = Rc::make_mut(w);
                w.queue.push_back(WatchEvent { kind, object: any.clone(), revision });
                wake.push(w.process);
            }
        }
    }
}

/// The watch is no more: it was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

fn index_value(filter: &Filter) -> Option<Rc<str>> {
    match filter {
        Filter::All => None,
        Filter::NodeName(n) | Filter::Name(n) => Some(n.clone()),
    }
}
