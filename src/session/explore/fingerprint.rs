//! A fingerprint of a cluster that ignores differences which only the order of actions makes.
//!
//! [`Cluster::digest`](crate::cluster::Cluster::digest) differs between any two runs. Here two clusters have
//! the same fingerprint if their objects, and what every component still has to do and remembers, differ
//! only in uids, generated names, addresses, revisions and times, and (with [`Symmetry::Merged`]) in *which*
//! of several interchangeable pods or nodes is meant.
//!
//! Objects and facts about components are the vertices of a graph; the names in their texts are its edges.
//! The colour of a vertex begins as the fingerprint of its text without names, and takes in those of its neighbours
//! ([`Colours`]).
//!
//! Most of a state is as it was in the state before it: what follows from an object or from a component alone is worked out
//! once and remembered by its address, so a fingerprint costs what has changed, and a little for each object.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::address::ByAddress;
use super::colours::{Colours, Vertex};
use super::facts::{self, Facts};
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
struct Known {
    object: Object,
    skeleton: Rc<Skeleton>,
    /// The numbers of the names that stand for it: its uid, and its name if that is in the table.
    uid: NameId,
    name: Option<NameId>,
}

/// Computes fingerprints, and remembers what objects and components come to.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    pub(super) names: Names,
    known: ByAddress<Rc<Known>>,
    pub(super) components: ByAddress<facts::Known>,
    colours: Colours,
    symmetry: Symmetry,
}

impl Fingerprints {
    pub fn new(symmetry: Symmetry) -> Fingerprints {
        Fingerprints { symmetry, ..Fingerprints::default() }
    }

    /// Forgets what objects and components come to, but no name.
    #[cfg(test)]
    pub fn forget(&mut self) {
        self.known.clear();
        self.components.clear();
    }

    /// The fingerprint of the objects alone. Two steady states with equal objects are the same outcome.
    pub fn of_objects(&mut self, cluster: &Cluster) -> u128 {
        let objects = self.objects(cluster);
        self.refined(cluster, &objects, &Facts::default())
    }

    /// The fingerprint of the objects and of all facts about components.
    pub fn of(&mut self, cluster: &Cluster) -> u128 {
        let objects = self.objects(cluster);
        let facts = self.facts(cluster);
        self.refined(cluster, &objects, &facts)
    }

    /// The objects that count. Events and leases do not.
    fn counted(cluster: &Cluster) -> impl Iterator<Item = (&Object, u64)> {
        let all = cluster.api().etcd().iter();
        let all = all.filter(|(r, _)| is_counted(r));
        all.map(|(_, record)| (&record.object, record.create_revision))
    }

    fn objects(&mut self, cluster: &Cluster) -> Vec<Rc<Known>> {
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

    pub(super) fn skeleton(&mut self, object: &Object) -> Rc<Skeleton> {
        self.known(object).skeleton.clone()
    }

    fn found(&self, object: &Object) -> Option<&Rc<Known>> {
        self.known.get(&object.address()).filter(|known| known.object.ptr_eq(object))
    }

    fn known(&mut self, object: &Object) -> Rc<Known> {
        if let Some(known) = self.found(object) {
            return known.clone();
        }
        let mut value = object.to_value();
        without_bookkeeping(&mut value);
        let known = Rc::new(Known {
            object: object.clone(),
            skeleton: Rc::new(self.names.skeleton(&value.to_string())),
            uid: self.names.intern(object.uid()),
            name: self.names.get(object.name()),
        });
        if self.known.len() >= SKELETONS {
            self.known.clear();
        }
        self.known.insert(object.address(), known.clone());
        known
    }

    fn refined(&mut self, cluster: &Cluster, objects: &[Rc<Known>], facts: &Facts) -> u128 {
        let ordinals = match self.symmetry {
            Symmetry::Merged => Vec::new(),
            Symmetry::Distinct => ordinals(cluster),
        };
        let mut vertices: Vec<Vertex<'_>> = Vec::with_capacity(objects.len() + facts.linked.len());
        for (at, known) in objects.iter().enumerate() {
            let found = ordinals.binary_search_by_key(&at, |(at, _)| *at);
            let nth = found.ok().and_then(|n| ordinals.get(n)).map_or(0, |(_, nth)| *nth);
            vertices.push(Vertex { skeleton: &known.skeleton, nth });
        }
        vertices.extend(facts.linked.iter().map(|skeleton| Vertex { skeleton, nth: 0 }));
        let named = (0..).zip(objects).flat_map(|(at, known)| {
            let names = [Some(known.uid), known.name];
            names.into_iter().flatten().map(move |name| (name, at))
        });
        self.colours.refined(&vertices, named, self.names.len(), facts.alone)
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

/// For each object with a generated name, by its place among the objects that count, its number by the order of creation.
fn ordinals(cluster: &Cluster) -> Vec<(usize, u64)> {
    let mut made: Vec<(Kind, u64, &str, usize)> = Fingerprints::counted(cluster)
        .enumerate()
        .filter(|(_, (o, _))| is_generated(o))
        .map(|(at, (o, revision))| (o.kind(), revision, o.uid(), at))
        .collect();
    made.sort_unstable();
    let mut ordinals: Vec<(usize, u64)> = (1..).zip(made).map(|(nth, (.., at))| (at, nth)).collect();
    ordinals.sort_unstable();
    ordinals
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
