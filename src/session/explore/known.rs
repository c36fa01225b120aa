//! What objects come to in a fingerprint: their texts without what every run makes anew, and the names that stand for them.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::address::ByAddress;
use super::invariant::is_counted;
use super::skeleton::{NameId, Names, Skeleton};
use crate::api::{Kind, Object};
use crate::apiserver::{GENERATED_SUFFIX, MAX_GENERATED_BASE};
use crate::cluster::Cluster;
use crate::controllers::endpoint::LAST_CHANGE_TRIGGER_TIME;

/// The most skeletons of objects that are remembered at a time.
const SKELETONS: usize = 50_000;

/// Whether interchangeable objects are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Symmetry {
    /// Pods of one template, and nodes with the same properties, are interchangeable.
    #[default]
    Merged,
    /// Nodes are told apart by their names, pods by the order of their creation.
    Distinct,
}

/// What is known of an object. The object is kept, so that its address is not used again.
#[derive(Debug)]
pub(super) struct Known {
    object: Object,
    pub skeleton: Rc<Skeleton>,
    /// The numbers of the names that stand for it: its uid, and its name if that is in the table.
    pub uid: NameId,
    pub name: Option<NameId>,
}

/// What is known of objects, and the table of names.
#[derive(Debug, Default)]
pub(super) struct Objects {
    pub names: Names,
    known: ByAddress<Rc<Known>>,
    symmetry: Symmetry,
}

impl Objects {
    pub fn new(symmetry: Symmetry) -> Objects {
        Objects { symmetry, ..Objects::default() }
    }

    /// Forgets what objects come to, but no name.
    #[cfg(test)]
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// The objects that count. Events and leases do not.
    fn counted(cluster: &Cluster) -> impl Iterator<Item = (&Object, u64)> {
        let all = cluster.api().etcd().iter();
        let all = all.filter(|(r, _)| is_counted(r));
        all.map(|(_, record)| (&record.object, record.create_revision))
    }

    /// What is known of the objects of a cluster that count.
    pub fn of(&mut self, cluster: &Cluster) -> Vec<Rc<Known>> {
        let mut all = Vec::new();
        let mut new = false;
        for (object, _) in Self::counted(cluster) {
            match self.found(object) {
                Some(known) => all.push(known.clone()),
                None => new = true,
            }
        }
        if !new {
            return all;
        }
        // All names are in the table before the first text is read.
        for (object, _) in Self::counted(cluster) {
            self.learn(object);
        }
        Self::counted(cluster).map(|(o, _)| self.known(o)).collect()
    }

    /// Adds the names that only stand for this object to the table: its uid, and a name without a meaning.
    fn learn(&mut self, object: &Object) {
        if self.found(object).is_some() {
            return;
        }
        self.names.intern(object.uid());
        if self.nameless(object) {
            self.names.intern(object.name());
        }
    }

    /// Whether the object's name has no meaning: it is generated, or it is a node's and nodes are
    /// interchangeable.
    fn nameless(&self, object: &Object) -> bool {
        is_generated(object) || (object.kind() == Kind::NODE && self.symmetry == Symmetry::Merged)
    }

    pub fn skeleton(&mut self, object: &Object) -> Rc<Skeleton> {
        self.known(object).skeleton.clone()
    }

    fn found(&self, object: &Object) -> Option<&Rc<Known>> {
        self.known.get(&object.address()).filter(|known| known.object.ptr_eq(object))
    }

    fn known(&mut self, object: &Object) -> Rc<Known> {
        if let Some(known) = self.found(object) {
            return known.clone();
        }
        let value = plain(object);
        let known = Rc::new(Known {
            object: object.clone(),
            skeleton: Rc::new(self.names.skeleton_of(&value)),
            uid: self.names.intern(object.uid()),
            name: self.names.get(object.name()),
        });
        if self.known.len() >= SKELETONS {
            self.known.clear();
        }
        self.known.insert(object.address(), known.clone());
        known
    }

    /// For each object with a generated name, if such objects are told apart: its place among the objects that count, and its
    /// number by the order of creation. In the order of the places.
    pub fn ordinals(&self, cluster: &Cluster) -> Vec<(usize, u64)> {
        if self.symmetry == Symmetry::Merged {
            return Vec::new();
        }
        let mut made: Vec<(Kind, u64, &str, usize)> = Self::counted(cluster)
            .enumerate()
            .filter(|(_, (o, _))| is_generated(o))
            .map(|(at, (o, revision))| (o.kind(), revision, o.uid(), at))
            .collect();
        made.sort_unstable();
        let mut ordinals: Vec<(usize, u64)> = (1..).zip(made).map(|(nth, (.., at))| (at, nth)).collect();
        ordinals.sort_unstable();
        ordinals
    }
}

/// Whether the API server has made up the end of the object's name. The pods of a StatefulSet have a `generateName`, too,
/// but the controller names them.
fn is_generated(object: &Object) -> bool {
    let base = object.meta().generate_name.as_deref().unwrap_or_default();
    let base = base.char_indices().nth(MAX_GENERATED_BASE).map_or(base, |(end, _)| &base[..end]);
    let suffix = object.name().strip_prefix(base).unwrap_or_default();
    !base.is_empty() && suffix.len() == GENERATED_SUFFIX
}

/// An object as JSON, without the fields that every write or every run makes anew.
pub(super) fn plain(object: &Object) -> Value {
    // Writing who owns which field would take longer than all the rest.
    let mut bare = object.clone();
    bare.meta_mut().managed_fields = None;
    let mut value = bare.to_value();
    without_bookkeeping(&mut value);
    value
}

/// Removes the fields that every write or every run makes anew.
pub(super) fn without_bookkeeping(object: &mut Value) {
    if let Some(Value::Object(meta)) = object.get_mut("metadata") {
        for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields"] {
            meta.remove(field);
        }
        // The time of a change, which is there or not by how many changes one sync has seen. No component reads it.
        if let Some(Value::Object(annotations)) = meta.get_mut("annotations") {
            annotations.remove(LAST_CHANGE_TRIGGER_TIME);
            if annotations.is_empty() {
                meta.remove("annotations");
            }
        }
    }
}
