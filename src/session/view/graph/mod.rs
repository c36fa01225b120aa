//! The objects a person cares about, and how they hang together.
//!
//! What the cluster booted with (default ServiceAccounts, system namespaces) is left out, apart
//! from the nodes; so are heartbeats and events, which the inspector shows at their objects.
//!
//! [`Graph`] is what is shown: plain data. [`Drawing`] makes it and keeps beside it the objects that it was
//! made of, by which it finds the lines and notices what changed.

mod change;
mod edges;
mod filter;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::card::{Card, Health, Place};
use super::kinds::{self, Shows};
use super::{PodLook, Word};
use crate::api::{Kind, MetaExt, Object, ObjectRef};
use crate::cluster::Cluster;

pub use change::touched;
pub use filter::{Facets, Filtered, GraphFilter};

/// An object in the graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphNode {
    /// Its kind, namespace and name.
    pub reference: ObjectRef,
    /// Where it stands.
    pub place: Place,
    /// What its card says.
    pub card: Card,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// `metadata.uid` as a number: what tells it from a later object of the same name.
    #[serde(with = "as_text")]
    pub id: u128,
    /// The component that makes and keeps objects of its kind: its colour. Empty for none.
    pub keeper: Word,
    /// The kind of object that it makes, which stands in the next column.
    pub makes: Option<Kind>,
    /// Its place among the objects of its owner, if it has a fixed one.
    pub ordinal: Option<u32>,
    /// Whether it is a record that a controller keeps about other objects.
    pub record: bool,
}

impl GraphNode {
    fn new(reference: &ObjectRef, object: &Object) -> GraphNode {
        let view = kinds::of(reference.kind);
        let about = view.about();
        GraphNode {
            reference: reference.clone(),
            place: about.place,
            card: view.card(object),
            deleting: object.meta().is_deleting(),
            id: number_of(object.uid()),
            keeper: Word::new_static(about.keeper),
            makes: about.makes,
            ordinal: view.ordinal(object),
            record: about.record,
        }
    }

    /// How it stands by what its card says; `None` for what does not say. What is being deleted is not there yet.
    pub fn health(&self) -> Option<Health> {
        if self.deleting { Some(Health::Waiting) } else { self.card.health() }
    }

    /// The look of the pod that stands like this object; `None` for what does not say how it stands.
    pub fn look(&self) -> Option<PodLook> {
        if let Card::Pod(pod) = &self.card {
            return Some(pod.look);
        }
        Some(match self.health()? {
            Health::Well => PodLook::Ready,
            Health::Waiting if self.deleting => PodLook::Terminating,
            Health::Waiting => PodLook::Starting,
            Health::Bad => PodLook::Failed,
        })
    }

    /// How many pods it wants; 0 for what wants none.
    pub fn want(&self) -> usize {
        match self.card {
            Card::Workload { want, .. } => usize::try_from(want).unwrap_or(0),
            _ => 0,
        }
    }
}

/// How two objects hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EdgeKind {
    /// `metadata.ownerReferences`
    Owner,
    /// A label selector matches.
    Selector,
    /// `spec.nodeName`
    Binding,
    /// One names the other in its spec.
    Reference,
}

/// A line of the graph, by places in [`Graph::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge {
    /// From: the owner, the selecting, the pod, the naming one.
    pub from: usize,
    /// To.
    pub to: usize,
    /// What it means.
    pub kind: EdgeKind,
}

/// The objects and their lines. Cloning it copies pointers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    /// In the order of their references. A node that did not change is the same `Rc` from graph to graph.
    pub nodes: Vec<Rc<GraphNode>>,
    /// In the order of their ends.
    pub edges: Rc<Vec<Edge>>,
    /// The same number as long as there are the same objects, each wanting as many pods, with the
    /// same lines: as long as nothing has to be placed anew. Graphs of one [`Drawing`] differ in it.
    pub shape: u64,
    /// The nodes that are cut off from the API server: their kubelets do not run, whatever the objects still say.
    pub cut_off: Rc<BTreeSet<ObjectRef>>,
}

impl Graph {
    /// The place of an object.
    pub fn find(&self, reference: &ObjectRef) -> Option<usize> {
        self.nodes.binary_search_by(|n| n.reference.cmp(reference)).ok()
    }

    /// An object.
    pub fn node(&self, index: usize) -> Option<&Rc<GraphNode>> {
        self.nodes.get(index)
    }
}

/// A graph with the objects that it was made of.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    graph: Rc<Graph>,
    /// Of each node, in their order.
    objects: Vec<Object>,
}

impl Drawing {
    /// What is shown.
    pub fn graph(&self) -> &Rc<Graph> {
        &self.graph
    }

    /// The object of a node.
    pub fn object(&self, index: usize) -> Option<&Object> {
        self.objects.get(index)
    }

    /// Forgets what was drawn. What is drawn next has another [`Graph::shape`].
    pub fn clear(&mut self) {
        self.graph = Rc::new(Graph { shape: self.graph.shape + 1, ..Graph::default() });
        self.objects = Vec::new();
    }

    /// Draws a cluster, whatever was drawn before; nodes that did not change are used again. `boot` is the
    /// cluster before anybody did anything.
    pub fn draw(&mut self, cluster: &Cluster, boot: &Cluster) {
        let mut nodes: Vec<Rc<GraphNode>> = Vec::new();
        let mut objects: Vec<Object> = Vec::new();
        let mut old = self.graph.nodes.iter().zip(&self.objects).peekable();
        for (reference, object) in cluster.api().cached_all() {
            if hidden(reference, boot) {
                continue;
            }
            while old.next_if(|(o, _)| o.reference < *reference).is_some() {}
            nodes.push(match old.next_if(|(o, _)| o.reference == *reference) {
                Some((node, same)) if same.ptr_eq(object) => node.clone(),
                _ => Rc::new(GraphNode::new(reference, object)),
            });
            objects.push(object.clone());
        }
        drop(old);
        let (shape, cut_off) = (self.graph.shape + 1, self.graph.cut_off.clone());
        self.graph = Rc::new(Graph { nodes, edges: Rc::default(), shape, cut_off });
        self.objects = objects;
        let edges = self.find_edges();
        self.change().edges = Rc::new(edges);
        self.mark_cut_off(cluster);
    }

    /// Notes which nodes are cut off. No object says that, so it is read from the cluster.
    fn mark_cut_off(&mut self, cluster: &Cluster) {
        let stopped = cluster.processes().filter(|p| !p.running).filter_map(|p| p.node.as_deref());
        let cut_off: BTreeSet<ObjectRef> = stopped.map(|node| ObjectRef::new(Kind::NODE, "", node)).collect();
        if *self.graph.cut_off != cut_off {
            self.change().cut_off = Rc::new(cut_off);
        }
    }

    /// The graph, to be changed: copied first if somebody else holds it.
    fn change(&mut self) -> &mut Graph {
        Rc::make_mut(&mut self.graph)
    }
}

fn hidden(reference: &ObjectRef, boot: &Cluster) -> bool {
    match kinds::of(reference.kind).about().shows {
        Shows::None => true,
        Shows::All => false,
        Shows::Made => boot.api().cached(reference).is_some(),
    }
}

/// A uid as a number; of one that is no UUID, a hash of it.
fn number_of(uid: &str) -> u128 {
    let hex: String = uid.chars().filter(|c| *c != '-').collect();
    match u128::from_str_radix(&hex, 16) {
        Ok(n) if hex.len() == 32 => n,
        // FNV-1a.
        _ => uid.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |h, b| {
            (h ^ u128::from(b)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        }),
    }
}

/// A number that is too large for JSON's readers, as text.
mod as_text {
    use serde::de::{Deserializer, Error as _};
    use serde::{Deserialize, Serializer};

    pub fn serialize<S: Serializer>(n: &u128, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(n)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// The object, if the graph shows it.
fn shown<'a>(cluster: &'a Cluster, boot: &Cluster, reference: &ObjectRef) -> Option<&'a Object> {
    if hidden(reference, boot) { None } else { cluster.api().cached(reference) }
}
