//! The graph after a few objects have changed, made from the graph before: with ten thousand pods
//! a step must not look at all of them.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::edges::{names_something, same_lines};
use super::{Graph, GraphNode, shown};
use crate::api::{Kind, ObjectRef};
use crate::apiserver::ApiServer;
use crate::cluster::Cluster;
use crate::session::{MomentId, Session};

/// More changes than this are not followed one by one.
const LIMIT: u64 = 4_000;

/// The objects that were written between a moment whose API server is `then`, and the moment that is looked at now; forth
/// or back, but along one line. `None` if that is not known.
pub fn touched(session: &Session, from: MomentId, then: &ApiServer) -> Option<BTreeSet<ObjectRef>> {
    let now = session.cluster().api();
    let (older, newer, newest) = if now.resource_version() >= then.resource_version() {
        (from, session.at(), now)
    } else {
        (session.at(), from, then)
    };
    let since = now.resource_version().min(then.resource_version());
    if newest.resource_version() - since > LIMIT {
        return None;
    }
    let mut at = newer;
    while at != older {
        // Each moment comes after its parent: below the older one it cannot be met any more.
        at = session.moment(at)?.parent.filter(|p| *p >= older)?;
    }
    let written = newest.written_since(since).ok()?;
    Some(written.filter(|at| ![Kind::EVENT, Kind::LEASE].contains(&at.kind)).cloned().collect())
}

impl Graph {
    /// The graph of a cluster that differs from the one of this graph in these objects at most.
    /// `boot` as in [`Graph::new`].
    #[must_use]
    pub fn after(&self, cluster: &Cluster, boot: &Cluster, touched: &BTreeSet<ObjectRef>) -> Graph {
        let mut nodes = self.nodes.clone();
        let mut moved: Vec<ObjectRef> = Vec::new();
        let mut same_shape = true;
        let mut come_or_gone: BTreeSet<&ObjectRef> = BTreeSet::new();
        for reference in touched {
            let shown = shown(cluster, boot, reference);
            match (self.find(reference), shown) {
                (Some(at), Some(object)) => {
                    let Some(slot) = nodes.get_mut(at) else { continue };
                    if slot.object.ptr_eq(object) {
                        continue;
                    }
                    let new = Rc::new(GraphNode::new(reference, object));
                    same_shape &= slot.want() == new.want();
                    if !same_lines(slot, &new) {
                        moved.push(reference.clone());
                    }
                    *slot = new;
                }
                (None, None) => {}
                (Some(_), None) | (None, Some(_)) => {
                    come_or_gone.insert(reference);
                    moved.push(reference.clone());
                }
            }
        }
        if moved.is_empty() {
            let shape = if same_shape { self.shape.clone() } else { Rc::new(()) };
            return Graph { nodes, edges: self.edges.clone(), shape };
        }
        let (nodes, places) = merge(nodes, &come_or_gone, cluster, boot);
        let mut graph = Graph { nodes, ..Graph::default() };
        graph.edges = match graph.patched_edges(self, &places, &moved) {
            Some(edges) => Rc::new(edges),
            None => Rc::new(graph.find_edges()),
        };
        graph
    }

    /// The lines, if only those of a few pods are others. `places` tells where each object of
    /// `before` stands now.
    fn patched_edges(
        &self,
        before: &Graph,
        places: &[Option<usize>],
        moved: &[ObjectRef],
    ) -> Option<Vec<super::Edge>> {
        let mut dirty = vec![false; before.nodes.len()];
        let mut fresh = Vec::new();
        for reference in moved {
            let (old, new) = (before.find(reference), self.find(reference));
            let all = [old.and_then(|o| before.node(o)), new.and_then(|n| self.node(n))];
            // What pods of one owner name is said by one line for all of them.
            if reference.kind != Kind::POD || all.into_iter().flatten().any(|n| names_something(n)) {
                return None;
            }
            if let Some(d) = old.and_then(|o| dirty.get_mut(o)) {
                *d = true;
            }
            fresh.extend(new);
        }
        let is_dirty = |i: usize| dirty.get(i).copied().unwrap_or(true);
        let mut edges = Vec::with_capacity(before.edges.len() + 4 * fresh.len());
        for e in before.edges.iter().filter(|e| !is_dirty(e.from) && !is_dirty(e.to)) {
            let place = |i: usize| places.get(i).copied().flatten();
            if let (Some(from), Some(to)) = (place(e.from), place(e.to)) {
                edges.push(super::Edge { from, to, kind: e.kind });
            }
        }
        let selecting = self.selecting();
        for i in fresh {
            self.edges_of(i, &selecting, &mut edges);
        }
        // What was there is in order already: this sort is quick where much is.
        edges.sort();
        edges.dedup();
        Some(edges)
    }
}

/// Takes out what is gone and puts in what has come; and where each of the old ones stands then.
fn merge(
    nodes: Vec<Rc<GraphNode>>,
    come_or_gone: &BTreeSet<&ObjectRef>,
    cluster: &Cluster,
    boot: &Cluster,
) -> (Vec<Rc<GraphNode>>, Vec<Option<usize>>) {
    let mut out: Vec<Rc<GraphNode>> = Vec::with_capacity(nodes.len() + come_or_gone.len());
    let mut places = Vec::with_capacity(nodes.len());
    let mut news = come_or_gone.iter().copied().peekable();
    let put = |out: &mut Vec<Rc<GraphNode>>, reference: &ObjectRef| {
        let shown = shown(cluster, boot, reference);
        out.extend(shown.map(|object| Rc::new(GraphNode::new(reference, object))));
    };
    for node in nodes {
        // Most of the way there is nothing: one comparison each.
        while let Some(new) = news.next_if(|n| **n < node.reference) {
            put(&mut out, new);
        }
        let gone = news.next_if(|n| **n == node.reference).is_some();
        places.push((!gone).then_some(out.len()));
        if !gone {
            out.push(node);
        }
    }
    news.for_each(|new| put(&mut out, new));
    (out, places)
}
