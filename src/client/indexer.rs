//! What a component believes: the objects its informers have seen, by key and by owner
//! (`k8s.io/client-go/tools/cache.Indexer`).

use std::ops::Bound;
use std::rc::Rc;

use crate::api::{ApiKind, Key, Kind, MetaExt, Object};
use crate::etcd::Map;

/// The objects of one kind that an informer has seen.
#[derive(Clone, Debug, Default)]
pub struct Indexer {
    items: Map<Key, Object>,
    // By the uid of the controlling owner; of objects without one by "orphans/<namespace>".
    by_controller: Map<(Rc<str>, Key), Object>,
}

fn controller_index(object: &Object) -> Rc<str> {
    match object.meta().controller() {
        Some(o) => Rc::from(o.uid.as_str()),
        None => orphans(object.namespace()),
    }
}

fn orphans(namespace: &str) -> Rc<str> {
    Rc::from(format!("orphans/{namespace}"))
}

fn same_controller(a: &Object, b: &Object) -> bool {
    a.meta().controller().map(|o| &o.uid) == b.meta().controller().map(|o| &o.uid)
}

impl Indexer {
    /// One object.
    pub fn get(&self, key: &Key) -> Option<&Object> {
        self.items.get(key)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All, or those of one namespace, in key order.
    pub fn list<'a>(&'a self, namespace: Option<&'a str>) -> impl Iterator<Item = &'a Object> + 'a {
        let from = Key::new(namespace.unwrap_or_default(), "");
        self.items
            .range((Bound::Included(from), Bound::Unbounded))
            .take_while(move |(k, _)| namespace.is_none_or(|n| &*k.namespace == n))
            .map(|(_, o)| o)
    }

    /// Those whose controlling owner has this uid, in key order.
    pub fn controlled_by<'a>(&'a self, uid: &str) -> impl Iterator<Item = &'a Object> + 'a {
        self.indexed(Rc::from(uid))
    }

    /// Those of a namespace that no controller owns, in key order.
    pub fn orphans<'a>(&'a self, namespace: &str) -> impl Iterator<Item = &'a Object> + 'a {
        self.indexed(orphans(namespace))
    }

    fn indexed(&self, value: Rc<str>) -> impl Iterator<Item = &Object> {
        let from = (value.clone(), Key::new("", ""));
        self.by_controller
            .range((Bound::Included(from), Bound::Unbounded))
            .take_while(move |((v, _), _)| *v == value)
            .map(|(_, o)| o)
    }

    /// Adds or replaces an object; what was there.
    pub fn upsert(&mut self, object: Object) -> Option<Object> {
        let key = object.key();
        let old = self.items.insert(key.clone(), object.clone());
        if let Some(o) = old.as_ref().filter(|o| !same_controller(o, &object)) {
            self.by_controller.remove(&(controller_index(o), key.clone()));
        }
        self.by_controller.insert((controller_index(&object), key), object);
        old
    }

    /// Removes an object; what was there.
    pub fn remove(&mut self, key: &Key) -> Option<Object> {
        let old = self.items.remove(key)?;
        self.by_controller.remove(&(controller_index(&old), key.clone()));
        Some(old)
    }
}

/// All that a process believes: one [`Indexer`] for each kind it watches, shared by the
/// components in it. Cloning it copies pointers.
#[derive(Clone, Debug, Default)]
pub struct Caches {
    by_kind: Vec<(Kind, Indexer)>,
    empty: Indexer,
}

impl Caches {
    /// The objects of a kind; empty if the process does not watch it.
    pub fn of(&self, kind: Kind) -> &Indexer {
        self.by_kind.iter().find(|(k, _)| *k == kind).map_or(&self.empty, |(_, i)| i)
    }

    /// The objects of a kind, to be changed.
    pub fn of_mut(&mut self, kind: Kind) -> &mut Indexer {
        let at = match self.by_kind.iter().position(|(k, _)| *k == kind) {
            Some(at) => at,
            None => {
                self.by_kind.push((kind, Indexer::default()));
                self.by_kind.len() - 1
            }
        };
        &mut self.by_kind[at].1
    }

    /// One object, typed.
    pub fn get<T: ApiKind>(&self, key: &Key) -> Option<&Rc<T>> {
        self.of(T::KIND).get(key).and_then(T::from_object)
    }

    /// The kinds there are.
    pub fn kinds(&self) -> impl Iterator<Item = (Kind, &Indexer)> {
        self.by_kind.iter().map(|(k, i)| (*k, i))
    }
}
