//! Names, references and ownership.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use serde::{Deserialize, Serialize};

use super::kind::Kind;

/// The name of an object. Short names are stored in place.
pub type Name = smol_str::SmolStr;

/// Namespace and name: the key of an object in caches and work queues. Cloning it copies pointers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Key {
    /// The namespace; empty for a cluster-scoped object.
    pub namespace: Rc<str>,
    /// The name. Most names are stored in the key itself, so comparing and copying keys touches no other
    /// memory; with 10,000 pods that was a fifth of a run's time.
    pub name: Name,
}

/// How many namespaces are remembered.
const RECENT: usize = 4;

thread_local! {
    /// The namespaces of the keys made last, and the index of the next entry. Most keys have one of these
    /// namespaces, which is then shared instead of copied, and two keys with the same pointer need no
    /// comparison of text. Results do not depend on it.
    static NAMESPACES: RefCell<([Rc<str>; RECENT], usize)> = RefCell::default();
}

fn shared_namespace(namespace: &str) -> Rc<str> {
    NAMESPACES.with(|recent| {
        let Ok(mut recent) = recent.try_borrow_mut() else { return Rc::from(namespace) };
        let (known, next) = &mut *recent;
        if let Some(same) = known.iter().find(|k| ***k == *namespace) {
            return same.clone();
        }
        let new: Rc<str> = Rc::from(namespace);
        if let Some(place) = known.get_mut(*next) {
            *place = new.clone();
        }
        *next = (*next + 1) % RECENT;
        new
    })
}

impl Key {
    /// A key with copies of the texts.
    pub fn new(namespace: &str, name: &str) -> Key {
        Key { namespace: shared_namespace(namespace), name: name.into() }
    }
}

/// Compares texts; equal pointers are equal texts. `Rc`'s own `==` checks pointers, its `cmp` does not.
fn order_of_text(a: &Rc<str>, b: &Rc<str>) -> Ordering {
    if Rc::ptr_eq(a, b) { Ordering::Equal } else { a.cmp(b) }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        order_of_text(&self.namespace, &other.namespace).then_with(|| self.name.cmp(&other.name))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            f.write_str(&self.name)
        } else {
            write!(f, "{}/{}", self.namespace, self.name)
        }
    }
}

/// A reference to an object: kind, namespace and name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectRef {
    /// The object's kind.
    pub kind: Kind,
    /// The object's namespace and name.
    pub key: Key,
}

impl ObjectRef {
    /// A reference with copies of the texts.
    pub fn new(kind: Kind, namespace: &str, name: &str) -> ObjectRef {
        ObjectRef { kind, key: Key::new(namespace, name) }
    }
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.as_str(), self.key)
    }
}

/// Accessors for `metadata` that return Go's zero values for absent fields.
pub trait MetaExt {
    /// The metadata itself.
    fn object_meta(&self) -> &ObjectMeta;
    /// The name; empty if absent.
    fn name(&self) -> &str {
        self.object_meta().name.as_deref().unwrap_or_default()
    }
    /// The namespace; empty if absent.
    fn namespace(&self) -> &str {
        self.object_meta().namespace.as_deref().unwrap_or_default()
    }
    /// The uid; empty if absent.
    fn uid(&self) -> &str {
        self.object_meta().uid.as_deref().unwrap_or_default()
    }
    /// Namespace and name.
    fn key(&self) -> Key {
        Key::new(MetaExt::namespace(self), MetaExt::name(self))
    }
    /// The value of a label.
    fn label(&self, key: &str) -> Option<&str> {
        self.object_meta().labels.as_ref()?.get(key).map(String::as_str)
    }
    /// The value of an annotation.
    fn annotation(&self, key: &str) -> Option<&str> {
        self.object_meta().annotations.as_ref()?.get(key).map(String::as_str)
    }
    /// The generation; 0 if absent.
    fn generation(&self) -> i64 {
        self.object_meta().generation.unwrap_or_default()
    }
    /// Whether `deletionTimestamp` is set.
    fn is_deleting(&self) -> bool {
        self.object_meta().deletion_timestamp.is_some()
    }
    /// The owner reference with `controller: true`.
    fn controller(&self) -> Option<&OwnerReference> {
        self.owners().iter().find(|o| o.controller == Some(true))
    }
    /// All owner references.
    fn owners(&self) -> &[OwnerReference] {
        self.object_meta().owner_references.as_deref().unwrap_or_default()
    }
    /// The labels; an empty map if absent.
    fn labels_or_empty(&self) -> &BTreeMap<String, String> {
        self.object_meta().labels.as_ref().unwrap_or(&EMPTY)
    }
    /// Whether the object has a finalizer.
    fn has_finalizer(&self, name: &str) -> bool {
        self.object_meta().finalizers.iter().flatten().any(|f| f == name)
    }
}

static EMPTY: BTreeMap<String, String> = BTreeMap::new();

impl MetaExt for ObjectMeta {
    fn object_meta(&self) -> &ObjectMeta {
        self
    }
}

/// The owner reference that a controller sets on the objects it creates (`metav1.NewControllerRef`).
pub fn owner_reference(kind: Kind, owner: &ObjectMeta) -> OwnerReference {
    OwnerReference {
        api_version: kind.api_version().to_owned(),
        kind: kind.as_str().to_owned(),
        name: MetaExt::name(owner).to_owned(),
        uid: MetaExt::uid(owner).to_owned(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}
