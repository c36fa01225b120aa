//! From the API server to the handlers, for one kind that a component watches.

use crate::api::order;
use crate::api::{Key, Kind, Object};
use crate::apimachinery::{Filter, WatchEventType};
use crate::client::{Caches, Delta, Informer};
use crate::cluster::Cluster;
use crate::session::view::changes::{FieldChange, field_changes};

use super::{SHOWN, cut};

/// So many keys that may be stale are looked at; what is beyond is counted as stale unseen.
const LOOKED_AT: usize = 200;
/// So many stale objects are compared field by field, and so many of their fields are named.
const COMPARED: usize = 4;
const FIELDS: usize = 4;

/// How a reflector is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// It has never listed.
    New,
    /// It watches.
    Watching,
    /// Its watch was cut; it will go on from the revision it has seen.
    Cut,
    /// Its watch was cut, and the revision it has seen is compacted (410 Gone): it has to list again.
    Gone,
}

/// A watch event on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Coming {
    /// `ADDED`, `MODIFIED`, `DELETED`
    pub kind: WatchEventType,
    /// Which object.
    pub key: Key,
    /// The revision.
    pub revision: u64,
}

/// What a handler will be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Which object.
    pub key: Key,
    /// The handler: `OnAdd`, `OnUpdate`, `OnDelete`.
    pub handler: &'static str,
}

/// An object that the cache has otherwise than the store.
#[derive(Clone, Debug, PartialEq)]
pub struct Stale {
    /// Which.
    pub key: Key,
    /// The resourceVersion that is believed; `None` where it is believed not to exist.
    pub believed: Option<String>,
    /// The resourceVersion that is stored; `None` where it is gone.
    pub stored: Option<String>,
    /// Fields that differ, where that was asked for: as they are believed to be, and as they are.
    pub fields: Vec<FieldChange>,
    /// How many more fields differ.
    pub more: usize,
}

/// A reflector with what follows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reflector {
    /// Its place in the process.
    pub informer: u16,
    /// The kind.
    pub kind: Kind,
    /// Which of them.
    pub filter: Filter,
    /// How it is connected.
    pub connection: Connection,
    /// The resourceVersion it has seen.
    pub resource_version: u64,
    /// How many events are on their way to it.
    pub behind: usize,
    /// The first of them.
    pub coming: Vec<Coming>,
    /// How many deltas wait in its FIFO.
    pub deltas: usize,
    /// The first of them: whether it is a deletion, the object, its resourceVersion.
    pub fifo: Vec<(bool, Key, String)>,
    /// How many objects the cache has.
    pub known: usize,
    /// Those that the store has otherwise, the first of them compared.
    pub stale: Vec<Stale>,
    /// How many more there are.
    pub stale_more: usize,
    /// How many notifications wait for the component's handlers.
    pub untold: usize,
    /// The first of them.
    pub telling: Vec<Told>,
}

impl Reflector {
    /// Whether anything is on its way through it.
    pub fn is_busy(&self) -> bool {
        self.connection != Connection::Watching || self.behind + self.deltas + self.untold > 0
    }
}

/// A reflector and what follows it, as a component's.
pub(super) fn reflector(
    cluster: &Cluster,
    caches: &Caches,
    informer: &Informer,
    place: u16,
    listener: usize,
    compare: bool,
) -> Reflector {
    let watches = &cluster.api().watches;
    let pending = informer.watch.and_then(|w| watches.pending(w));
    let connection = match pending {
        Some(_) => Connection::Watching,
        None if informer.resource_version == 0 => Connection::New,
        None if is_known(cluster, informer) => Connection::Cut,
        None => Connection::Gone,
    };
    let coming = informer.watch.into_iter().flat_map(|w| watches.queued(w));
    let coming =
        coming.take(SHOWN).map(|e| Coming { kind: e.kind, key: e.key.clone(), revision: e.revision });
    let fifo = informer.fifo.iter().take(SHOWN).map(|d| match d {
        Delta::Upsert(key, o) => (false, key.clone(), version(o)),
        Delta::Deleted(key, o) => (true, key.clone(), version(o)),
    });
    let told = informer.listeners.get(listener).map(|l| &l.pending);
    let telling = told.into_iter().flatten().take(SHOWN).map(|n| Told {
        key: n.key.clone(),
        handler: match (&n.old, &n.new) {
            (_, None) => "OnDelete",
            (None, Some(_)) => "OnAdd",
            (Some(_), Some(_)) => "OnUpdate",
        },
    });
    let missed = missed(cluster, informer, connection);
    let (stale, stale_more) = stale(cluster, caches, informer, &missed, compare);
    Reflector {
        informer: place,
        kind: informer.kind,
        filter: informer.filter.clone(),
        connection,
        resource_version: informer.resource_version,
        behind: pending.unwrap_or(missed.len()),
        coming: coming.collect(),
        deltas: informer.fifo.len(),
        fifo: fifo.collect(),
        known: caches.of(informer.kind).len(),
        stale,
        stale_more,
        untold: told.map_or(0, |t| t.len()),
        telling: telling.collect(),
    }
}

fn version(object: &Object) -> String {
    object.meta().resource_version.clone().unwrap_or_default()
}

/// The writes that a reflector has not heard of because nobody tells it: all since the revision that it
/// has seen. Where these are forgotten, what there is.
fn missed(cluster: &Cluster, informer: &Informer, connection: Connection) -> Vec<Key> {
    let (api, kind, filter) = (cluster.api(), informer.kind, &informer.filter);
    match connection {
        Connection::Watching => Vec::new(),
        Connection::Cut => match api.watch_from(kind, filter, informer.resource_version) {
            Ok(events) => events.map(|e| e.key).collect(),
            Err(_) => Vec::new(),
        },
        Connection::New | Connection::Gone => {
            let all = api.cached_list(kind, None).filter(|(_, o)| filter.matches(o));
            all.map(|(at, _)| at.key.clone()).collect()
        }
    }
}

/// Whether a watch can go on from the revision that a reflector has seen: the server still knows what happened since.
fn is_known(cluster: &Cluster, informer: &Informer) -> bool {
    cluster.api().watch_from(informer.kind, &informer.filter, informer.resource_version).is_ok()
}

/// What the cache has otherwise than the store. Only what is on its way can differ: what is neither in
/// the watch nor in the FIFO nor missed is as it was told. (Of a cache that has to list again, what it
/// believes and what is gone.)
fn stale(
    cluster: &Cluster,
    caches: &Caches,
    informer: &Informer,
    missed: &[Key],
    compare: bool,
) -> (Vec<Stale>, usize) {
    let watches = &cluster.api().watches;
    let mut keys: Vec<Key> = informer
        .fifo
        .iter()
        .map(|d| match d {
            Delta::Upsert(key, _) | Delta::Deleted(key, _) => key.clone(),
        })
        .collect();
    keys.extend(informer.watch.into_iter().flat_map(|w| watches.queued(w)).map(|e| e.key.clone()));
    keys.extend(missed.iter().cloned());
    let cache = caches.of(informer.kind);
    if !missed.is_empty() && !is_known(cluster, informer) {
        keys.extend(cache.list(None).map(Object::key));
    }
    order::sort(&mut keys);
    keys.dedup();
    let unseen = keys.len().saturating_sub(LOOKED_AT);
    let stored = |key: &Key| {
        let at = crate::api::ObjectRef { kind: informer.kind, key: key.clone() };
        cluster.api().cached(&at).filter(|o| informer.filter.matches(o))
    };
    let differ = keys.iter().take(LOOKED_AT).filter_map(|key| {
        let (believed, stored) = (cache.get(key), stored(key));
        let same = match (believed, stored) {
            (Some(a), Some(b)) => a.ptr_eq(b) || version(a) == version(b),
            (None, None) => true,
            _ => false,
        };
        (!same).then_some((key, believed, stored))
    });
    let (first, more) = cut(differ, COMPARED);
    let compared = first.into_iter().map(|(key, believed, stored)| {
        let fields =
            believed.zip(stored).filter(|_| compare).map(|(a, b)| field_changes(a, b)).unwrap_or_default();
        let (fields, more) = cut(fields.into_iter(), FIELDS);
        Stale { key: key.clone(), believed: believed.map(version), stored: stored.map(version), fields, more }
    });
    (compared.collect(), more + unseen)
}
