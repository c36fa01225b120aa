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

use super::colours::{Colours, Vertex};
use super::facts::{Components, Facts};
use super::known::{Known, Objects, Symmetry};
use crate::cluster::Cluster;

/// Computes fingerprints, and remembers what objects and components come to.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    objects: Objects,
    components: Components,
    colours: Colours,
}

impl Fingerprints {
    pub fn new(symmetry: Symmetry) -> Fingerprints {
        Fingerprints { objects: Objects::new(symmetry), ..Fingerprints::default() }
    }

    /// Forgets what objects and components come to, but no name.
    #[cfg(test)]
    pub fn forget(&mut self) {
        self.objects.forget();
        self.components = Components::default();
    }

    /// The fingerprint of the objects alone. Two steady states with equal objects are the same outcome.
    pub fn of_objects(&mut self, cluster: &Cluster) -> u128 {
        let objects = self.objects.of(cluster);
        self.refined(cluster, &objects, &Facts::default())
    }

    /// The fingerprint of the objects and of all facts about components.
    pub fn of(&mut self, cluster: &Cluster) -> u128 {
        let objects = self.objects.of(cluster);
        let facts = self.components.facts(cluster, &mut self.objects);
        self.refined(cluster, &objects, &facts)
    }

    fn refined(&mut self, cluster: &Cluster, objects: &[Rc<Known>], facts: &Facts) -> u128 {
        let ordinals = self.objects.ordinals(cluster);
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
        self.colours.refined(&vertices, named, self.objects.names.len(), facts.alone)
    }
}
