//! The part from the API server to the handlers, for one kind that a component watches.

use crate::api::order;
use crate::api::{Key, Kind, Object};
use crate::apimachinery::{Filter, WatchEventType};
use crate::client::{Caches, Delta, Informer};
use crate::cluster::Cluster;
use crate::session::view::Word;
use crate::session::view::changes::{FieldChange, field_changes};
use serde::{Deserialize, Serialize};

use super::{SHOWN, cut};

/// How many keys are checked for being stale. Further ones are counted as stale without a check.
const LOOKED_AT: usize = 200;
/// How many stale objects are compared field by field, and how many of their fields are listed.
const COMPARED: usize = 4;
const FIELDS: usize = 4;

/// The state of a reflector's connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Connection {
    /// It has never listed.
    New,
    /// It watches.
    Watching,
    /// Its watch has ended and can be resumed from the last revision it has seen.
    Cut,
    /// Its watch has ended and cannot be resumed, because that revision is compacted (410 Gone). It has to
    /// list again.
    Gone,
}

/// A watch event on its way to a reflector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coming {
    /// The type of the event: `ADDED`, `MODIFIED` or `DELETED`.
    pub kind: WatchEventType,
    /// The object's namespace and name.
    pub key: Key,
    /// The revision.
    pub revision: u64,
}

/// A notification that waits for a handler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// The object's namespace and name.
    pub key: Key,
    /// The handler: `OnAdd`, `OnUpdate` or `OnDelete`.
    pub handler: Word,
}

/// An object that differs between the cache and the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stale {
    /// The object's namespace and name.
    pub key: Key,
    /// The resourceVersion in the cache; `None` if the object is not there.
    pub believed: Option<String>,
    /// The resourceVersion in the store; `None` if the object is not there.
    pub stored: Option<String>,
    /// The first fields that differ, from the cached to the stored value, if they were asked for.
    pub fields: Vec<FieldChange>,
    /// The number of further fields that differ.
    pub more: usize,
}

/// A reflector, with the informer's FIFO, cache and notifications.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reflector {
    /// The informer's index in the process.
    pub informer: u16,
    /// The kind that it watches.
    pub kind: Kind,
    /// Which objects of the kind it watches.
    pub filter: Filter,
    /// The state of its connection.
    pub connection: Connection,
    /// The last resourceVersion it has seen.
    pub resource_version: u64,
    /// The number of events on their way to it.
    pub behind: usize,
    /// The first of these events.
    pub coming: Vec<Coming>,
    /// The number of deltas in the FIFO.
    pub deltas: usize,
    /// The first of these deltas: whether it is a deletion, the object, its resourceVersion.
    pub fifo: Vec<(bool, Key, String)>,
    /// The number of objects in the cache.
    pub known: usize,
    /// The first stale objects; some of them are compared field by field.
    pub stale: Vec<Stale>,
    /// The number of further stale objects.
    pub stale_more: usize,
    /// The number of notifications that wait for the component's handlers.
    pub untold: usize,
    /// The first of these notifications.
    pub telling: Vec<Told>,
}

impl Reflector {
    /// Whether events, deltas or notifications are on their way through it.
    pub fn is_busy(&self) -> bool {
        self.connection != Connection::Watching || self.behind + self.deltas + self.untold > 0
    }
}

/// The reflector of an informer, as a part of a component.
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
    let telling = informer.listeners.untold(listener).take(SHOWN).map(|n| Told {
        key: n.key.clone(),
        handler: Word::new_static(match (&n.old, &n.new) {
            (_, None) => "OnDelete",
            (None, Some(_)) => "OnAdd",
            (Some(_), Some(_)) => "OnUpdate",
        }),
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
        untold: informer.listeners.count(listener),
        telling: telling.collect(),
    }
}

fn version(object: &Object) -> String {
    object.resource_version().map(str::to_owned).unwrap_or_default()
}

/// The keys whose changes a reflector without a watch has missed: those written since the last revision it
/// has seen. If these revisions are compacted, all keys.
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

/// Whether a reflector's watch can be resumed: the server still has the events since the last revision it
/// has seen.
fn is_known(cluster: &Cluster, informer: &Informer) -> bool {
    cluster.api().watch_from(informer.kind, &informer.filter, informer.resource_version).is_ok()
}

/// The first objects that differ between cache and store, compared field by field if `compare` is set, and
/// the number of further ones. Only keys that are in the watch, in the FIFO or missed can differ; if the
/// reflector has to list again, also all other keys in its cache.
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
