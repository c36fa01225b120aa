//! The caches of a process: the objects that its informers have seen, by key and by owner
//! (`k8s.io/client-go/tools/cache.Indexer`).

use std::borrow::Cow;
use std::ops::Bound;
use std::rc::Rc;

use imbl::ordmap::DiffItem;
use imbl::shared_ptr::RcK;

use crate::api::digest::Digest;
use crate::api::persistent::Map;
use crate::api::pod::{is_active, is_ready, is_terminating};
use crate::api::types::Pod;
use crate::api::{ApiKind, Key, Kind, MetaExt, Object};

type Set<T> = imbl::GenericOrdSet<T, RcK>;

/// The objects of one kind that an informer has seen.
#[derive(Clone, Debug, Default)]
pub struct Indexer {
    items: Map<Key, Object>,
    // By the uid of the controlling owner; objects without one by "orphans/<namespace>".
    by_controller: Map<Rc<str>, Rc<Owned>>,
    /// The revision up to which all changes of the kind are in here.
    revision: u64,
}

/// The objects of an indexer as they were at one moment. Cloning it copies a pointer.
#[derive(Clone, Debug, Default)]
pub struct Snapshot(Map<Key, Object>);

/// An object that is another one than it was.
#[derive(Clone, Copy, Debug)]
pub struct Changed<'a> {
    /// Its key.
    pub key: &'a Key,
    /// The object before; `None` if it was not there.
    pub old: Option<&'a Object>,
    /// The object now; `None` if it is gone.
    pub new: Option<&'a Object>,
}

/// The objects that one controller owns.
#[derive(Clone, Debug, Default)]
struct Owned {
    /// Keys and no objects: most updates change no owner, and then this map stays as it is.
    keys: Set<Key>,
    /// Its pods, counted by their labels, so that a sync can tell how many are ready without a look at
    /// each pod. (At 10,000 pods those looks were half of a run.)
    counts: Vec<PodCount>,
}

/// How many pods of an owner have the same labels, and how many of these are active, ready or ending.
#[derive(Clone, Debug)]
pub struct PodCount {
    labels: u128,
    /// A pod that has, or had, these labels.
    pub example: Rc<Pod>,
    /// How many are neither over nor being deleted.
    pub active: usize,
    /// How many of the active ones are ready.
    pub ready: usize,
    /// How many are being deleted and are not over.
    pub terminating: usize,
}

fn labels_digest(pod: &Pod) -> u128 {
    let labels = pod.metadata.labels_or_empty().iter();
    labels.fold(Digest::default(), |d, (k, v)| d.with(k).with(v)).finish()
}

impl Owned {
    /// Counts a pod that comes; counts one that goes no longer.
    fn count(&mut self, object: &Object, comes: bool) {
        let Some(pod) = object.get::<Pod>() else { return };
        self.count_with(pod, labels_digest(pod), comes);
    }

    fn count_with(&mut self, pod: &Rc<Pod>, labels: u128, comes: bool) {
        let at = match self.counts.iter().position(|c| c.labels == labels) {
            Some(at) => at,
            None => {
                let example = pod.clone();
                self.counts.push(PodCount { labels, example, active: 0, ready: 0, terminating: 0 });
                self.counts.len() - 1
            }
        };
        let Some(c) = self.counts.get_mut(at) else { return };
        let how = how_it_is(pod);
        for (n, is) in [&mut c.active, &mut c.ready, &mut c.terminating].into_iter().zip(how) {
            if is {
                *n = if comes { *n + 1 } else { n.saturating_sub(1) };
            }
        }
        // Labels that no counted pod has any more are forgotten.
        if c.active == 0 && c.terminating == 0 {
            self.counts.swap_remove(at);
        }
    }
}

/// Whether a pod is active, whether it is active and ready, and whether it is ending.
fn how_it_is(pod: &Pod) -> [bool; 3] {
    let active = is_active(pod);
    [active, active && is_ready(pod), is_terminating(pod)]
}

/// The value of the index by controller: the owner's uid, or "orphans/<namespace>".
fn controller_index(object: &Object) -> Cow<'_, str> {
    match object.meta().controller() {
        Some(o) => Cow::Borrowed(&o.uid),
        None => Cow::Owned(orphans(object.namespace())),
    }
}

fn orphans(namespace: &str) -> String {
    format!("orphans/{namespace}")
}

fn same_controller(a: &Object, b: &Object) -> bool {
    let (a, b) = (a.meta(), b.meta());
    // The versions of a pod mostly share their metadata.
    std::ptr::eq(a, b) || a.controller().map(|o| &o.uid) == b.controller().map(|o| &o.uid)
}

fn has_same_labels(a: &Pod, b: &Pod) -> bool {
    std::ptr::eq(a.meta(), b.meta()) || a.metadata.labels == b.metadata.labels
}

impl Indexer {
    /// The object of a key.
    pub fn get(&self, key: &Key) -> Option<&Object> {
        self.items.get(key)
    }

    /// The objects as they are now. Later changes of the indexer leave it as it is.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.items.clone())
    }

    /// What has come, changed or gone since a snapshot, in key order. It costs what has changed, and a little for what
    /// there is: the parts of the tree that are still shared are passed over.
    pub fn changed_since<'a>(&'a self, then: &'a Snapshot) -> impl Iterator<Item = Changed<'a>> {
        then.0.diff(&self.items).map(|item| match item {
            DiffItem::Add(key, new) => Changed { key, old: None, new: Some(new) },
            DiffItem::Update { old: (_, old), new: (key, new) } => {
                Changed { key, old: Some(old), new: Some(new) }
            }
            DiffItem::Remove(key, old) => Changed { key, old: Some(old), new: None },
        })
    }

    /// The revision up to which it has all changes of its kind (`LastStoreSyncResourceVersion`); 0 before the first
    /// list is in it.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// All changes of the kind up to a revision are in it now.
    pub(super) fn has_seen(&mut self, revision: u64) {
        self.revision = revision.max(self.revision);
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All objects, or those of one namespace, in key order.
    pub fn list<'a>(&'a self, namespace: Option<&'a str>) -> impl Iterator<Item = &'a Object> + 'a {
        let from = Key::new(namespace.unwrap_or_default(), "");
        self.items
            .range((Bound::Included(from), Bound::Unbounded))
            .take_while(move |(k, _)| namespace.is_none_or(|n| &*k.namespace == n))
            .map(|(_, o)| o)
    }

    /// The objects whose controlling owner has this uid, in key order.
    pub fn controlled_by<'a>(&'a self, uid: &str) -> impl Iterator<Item = &'a Object> + use<'a> {
        self.indexed(uid)
    }

    /// The objects of a namespace that no controller owns, in key order.
    pub fn orphans<'a>(&'a self, namespace: &str) -> impl Iterator<Item = &'a Object> + use<'a> {
        self.indexed(&orphans(namespace))
    }

    fn indexed<'a>(&'a self, value: &str) -> impl Iterator<Item = &'a Object> + use<'a> {
        let owned = self.by_controller.get(value).into_iter();
        owned.flat_map(|owned| owned.keys.iter()).filter_map(|key| self.items.get(key))
    }

    /// How many pods this owner controls, by their labels.
    pub fn pods_controlled_by(&self, uid: &str) -> &[PodCount] {
        self.by_controller.get(uid).map_or(&[], |owned| &owned.counts)
    }

    /// How many pods of a namespace no controller owns, by their labels.
    pub fn orphaned_pods(&self, namespace: &str) -> &[PodCount] {
        self.by_controller.get(orphans(namespace).as_str()).map_or(&[], |owned| &owned.counts)
    }

    /// Adds or replaces an object; the object that was there before.
    pub fn upsert(&mut self, key: Key, object: Object) -> Option<Object> {
        let old = self.items.insert(key.clone(), object.clone());
        let stays = old.as_ref().is_some_and(|old| same_controller(old, &object));
        if let Some(old) = old.as_ref().filter(|_| !stays) {
            self.unindex(old, &key);
        }
        let index = controller_index(&object);
        if !self.by_controller.contains_key(&*index) {
            self.by_controller.insert(Rc::from(&*index), Rc::default());
        }
        if let Some(owned) = self.by_controller.get_mut(&*index) {
            // Only pods are counted.
            if stays && object.kind() != Kind::POD {
                return old;
            }
            let (was, is) = (old.as_ref().and_then(|o| o.get::<Pod>()), object.get::<Pod>());
            match was.zip(is).filter(|_| stays) {
                Some((was, is)) if has_same_labels(was, is) => {
                    // Most changes of a pod change nothing that is counted.
                    if how_it_is(was) != how_it_is(is) {
                        let (owned, labels) = (Rc::make_mut(owned), labels_digest(is));
                        owned.count_with(is, labels, true);
                        owned.count_with(was, labels, false);
                    }
                }
                _ => {
                    let owned = Rc::make_mut(owned);
                    owned.count(&object, true);
                    match &old {
                        Some(old) if stays => owned.count(old, false),
                        _ => {
                            owned.keys.insert(key);
                        }
                    }
                }
            }
        }
        old
    }

    /// Removes an object; the object that was there.
    pub fn remove(&mut self, key: &Key) -> Option<Object> {
        let old = self.items.remove(key)?;
        self.unindex(&old, key);
        Some(old)
    }

    fn unindex(&mut self, object: &Object, key: &Key) {
        let index = controller_index(object);
        let Some(owned) = self.by_controller.get_mut(&*index).map(Rc::make_mut) else { return };
        owned.count(object, false);
        owned.keys.remove(key);
        if owned.keys.is_empty() {
            self.by_controller.remove(&*index);
        }
    }
}

/// The caches of a process: one [`Indexer`] for each kind it watches, shared by its components.
/// Cloning it copies pointers.
#[derive(Clone, Debug, Default)]
pub struct Caches {
    /// In the order of kinds: kube-controller-manager has some fifty, and each handler looks for a few of them.
    by_kind: Vec<(Kind, Indexer)>,
    empty: Indexer,
}

impl Caches {
    /// The objects of a kind; empty if the process does not watch it.
    pub fn of(&self, kind: Kind) -> &Indexer {
        let place = self.place_of(kind).ok();
        place.and_then(|at| self.by_kind.get(at)).map_or(&self.empty, |(_, indexer)| indexer)
    }

    /// The objects of a kind, to be changed.
    pub fn of_mut(&mut self, kind: Kind) -> &mut Indexer {
        let at = self.place_of(kind).unwrap_or_else(|at| {
            self.by_kind.insert(at, (kind, Indexer::default()));
            at
        });
        &mut self.by_kind[at].1
    }

    /// The place of a kind, or the place where it would have to be.
    fn place_of(&self, kind: Kind) -> Result<usize, usize> {
        self.by_kind.binary_search_by_key(&kind, |(k, _)| *k)
    }

    /// Forgets all objects of a kind.
    pub fn remove(&mut self, kind: Kind) {
        self.by_kind.retain(|(k, _)| *k != kind);
    }

    /// The object of a key, as its type.
    pub fn get<T: ApiKind>(&self, key: &Key) -> Option<&Rc<T>> {
        self.of(T::KIND).get(key).and_then(T::from_object)
    }
}
