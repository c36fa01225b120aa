//! The objects a person cares about, and how they hang together.
//!
//! What the cluster booted with (default ServiceAccounts, system namespaces) is left out, apart
//! from the nodes; so are heartbeats and events, which the inspector shows at their objects.

mod cards;
mod change;
mod edges;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use crate::api::{Kind, MetaExt, Object, ObjectRef};
use crate::cluster::Cluster;

use super::pods::PodView;
use cards::{card_of, place_of};
pub use change::touched;

/// Where a kind stands in the reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Makes workloads: Deployment, CronJob.
    Root,
    /// Makes pods: ReplicaSet, StatefulSet, Job.
    Middle,
    /// Pods.
    Pod,
    /// Nodes.
    Node,
    /// All else: Service, ConfigMap.
    Aside,
}

/// What a card says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Card {
    /// Something that wants so many pods.
    Workload {
        /// How many it wants.
        want: i32,
        /// How many of them are ready.
        ready: i32,
        /// How many exist.
        have: i32,
        /// `deployment.kubernetes.io/revision`, of a ReplicaSet.
        revision: Option<i64>,
        /// Whether its rollout is paused.
        paused: bool,
    },
    /// A pod.
    Pod(PodView),
    /// A node: whether it is ready and takes pods.
    Node {
        /// The Ready condition.
        ready: bool,
        /// Not cordoned.
        schedulable: bool,
    },
    /// Anything else.
    Other,
}

/// An object in the graph.
#[derive(Clone, Debug)]
pub struct GraphNode {
    /// It.
    pub object: Object,
    /// Its name.
    pub reference: ObjectRef,
    /// Where it stands.
    pub place: Place,
    /// What its card says.
    pub card: Card,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// `metadata.uid` as a number.
    pub id: u128,
}

impl GraphNode {
    fn new(reference: &ObjectRef, object: &Object) -> GraphNode {
        GraphNode {
            reference: reference.clone(),
            place: place_of(reference.kind),
            card: card_of(object),
            deleting: object.meta().is_deleting(),
            id: number_of(object.uid()),
            object: object.clone(),
        }
    }

    /// `metadata.uid`: what tells it from a later one of the same name.
    pub fn uid(&self) -> &str {
        self.object.uid()
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// From: the owner, the selecting, the pod, the naming one.
    pub from: usize,
    /// To.
    pub to: usize,
    /// What it means.
    pub kind: EdgeKind,
}

/// The objects and their lines.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// In the order of their references.
    pub nodes: Vec<Rc<GraphNode>>,
    /// In the order of their ends.
    pub edges: Rc<Vec<Edge>>,
    /// The same `Rc` as long as there are the same objects, each wanting as many pods, with the
    /// same lines: as long as nothing has to be placed anew.
    pub shape: Rc<()>,
}

impl Graph {
    /// The graph of a cluster. `boot` is the cluster before anybody did anything; of `last`, the
    /// nodes that did not change are used again (the same `Rc`s).
    pub fn new(cluster: &Cluster, boot: &Cluster, last: &Graph) -> Graph {
        let mut nodes: Vec<Rc<GraphNode>> = Vec::new();
        let mut old = last.nodes.iter().peekable();
        for (reference, object) in cluster.api().cached_all() {
            if hidden(reference, boot) {
                continue;
            }
            while old.next_if(|o| o.reference < *reference).is_some() {}
            nodes.push(match old.next_if(|o| o.reference == *reference) {
                Some(same) if same.object.ptr_eq(object) => same.clone(),
                _ => Rc::new(GraphNode::new(reference, object)),
            });
        }
        let mut graph = Graph { nodes, ..Graph::default() };
        graph.edges = Rc::new(graph.find_edges());
        graph
    }

    /// The place of an object.
    pub fn find(&self, reference: &ObjectRef) -> Option<usize> {
        self.nodes.binary_search_by(|n| n.reference.cmp(reference)).ok()
    }

    /// An object.
    pub fn node(&self, index: usize) -> Option<&Rc<GraphNode>> {
        self.nodes.get(index)
    }
}

fn hidden(reference: &ObjectRef, boot: &Cluster) -> bool {
    match reference.kind {
        kind if [Kind::EVENT, Kind::LEASE].contains(&kind) => true,
        kind if kind == Kind::NODE => false,
        _ => boot.api().cached(reference).is_some(),
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

/// The object, if the graph shows it.
fn shown<'a>(cluster: &'a Cluster, boot: &Cluster, reference: &ObjectRef) -> Option<&'a Object> {
    if hidden(reference, boot) { None } else { cluster.api().cached(reference) }
}
