//! The graph after a few objects have changed, made from the graph before: with ten thousand pods
//! a step must not look at all of them.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::edges::{names_something, same_lines};
use super::{Drawing, Edge, GraphNode, Place, shown};
use crate::api::{Object, ObjectRef};
use crate::apiserver::ApiServer;
use crate::cluster::Cluster;
use crate::session::view::kinds::{self, Shows};
use crate::session::{MomentId, Session};

/// More moments than this are not followed one by one.
const LIMIT: u64 = 4_000;

/// The objects that were written between a moment, at which the API server was `then`, and the moment that is shown. One
/// of the two leads to the other. `None` if that is not so, or too far.
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
        // A moment has a higher number than its parent, so below the older one the search can end.
        at = session.moment(at)?.parent.filter(|p| *p >= older)?;
    }
    let written = newest.written_since(since).ok()?;
    Some(written.filter(|at| kinds::of(at.kind).about().shows != Shows::None).cloned().collect())
}

/// The objects whose lines changed, and those that came or went.
#[derive(Default)]
struct Moved<'a> {
    all: Vec<&'a ObjectRef>,
    /// The places before the change, for those that were there.
    stood: Vec<usize>,
    come_or_gone: BTreeSet<&'a ObjectRef>,
    /// Whether one of them makes lines between others, so that all lines have to be found anew.
    far_reaching: bool,
}

impl<'a> Moved<'a> {
    fn push(&mut self, reference: &'a ObjectRef, stood: Option<usize>, versions: [Option<&Object>; 2]) {
        self.all.push(reference);
        self.stood.extend(stood);
        // What the pods of one owner name is one line for all of them.
        let pod = kinds::of(reference.kind).about().place == Place::Pod;
        self.far_reaching |= !pod || versions.into_iter().flatten().any(names_something);
    }
}

impl Drawing {
    /// Draws a cluster that differs from the one that was drawn in these objects at most. `boot` as in
    /// [`Drawing::draw`].
    pub fn follow(&mut self, cluster: &Cluster, boot: &Cluster, touched: &BTreeSet<ObjectRef>) {
        self.mark_cut_off(cluster);
        let mut moved = Moved::default();
        let mut same_shape = true;
        // Copied if somebody else holds it.
        let graph = Rc::make_mut(&mut self.graph);
        for reference in touched {
            let (at, new) = (graph.find(reference), shown(cluster, boot, reference));
            let old = at.and_then(|at| self.objects.get_mut(at));
            match (at.and_then(|at| graph.nodes.get_mut(at)), old, new) {
                (Some(slot), Some(old), Some(new)) => {
                    if old.ptr_eq(new) {
                        continue;
                    }
                    let node = Rc::new(GraphNode::new(reference, new));
                    same_shape &= slot.want() == node.want();
                    if slot.id != node.id || !same_lines(old, new) {
                        moved.push(reference, at, [Some(old), Some(new)]);
                    }
                    *slot = node;
                    *old = new.clone();
                }
                (None, _, None) => {}
                (_, old, new) => {
                    moved.push(reference, at, [old.map(|o| &*o), new]);
                    moved.come_or_gone.insert(reference);
                }
            }
        }
        if !moved.all.is_empty() || !same_shape {
            graph.shape += 1;
        }
        if moved.all.is_empty() {
            return;
        }
        let (lines, before) = (graph.edges.clone(), graph.nodes.len());
        let places = self.merge(&moved.come_or_gone, cluster, boot);
        let edges = if moved.far_reaching {
            self.find_edges()
        } else {
            let mut dirty = vec![false; before];
            for at in &moved.stood {
                if let Some(d) = dirty.get_mut(*at) {
                    *d = true;
                }
            }
            self.patched_edges(&lines, &places, &dirty, &moved.all)
        };
        self.change().edges = Rc::new(edges);
    }

    /// Takes out the nodes of objects that are gone and puts in those that came. Returns for each old node its new place.
    fn merge(
        &mut self,
        come_or_gone: &BTreeSet<&ObjectRef>,
        cluster: &Cluster,
        boot: &Cluster,
    ) -> Vec<Option<usize>> {
        let old = std::mem::take(&mut self.change().nodes);
        let kept = std::mem::take(&mut self.objects);
        let room = old.len() + come_or_gone.len();
        let (mut nodes, mut objects) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let mut places = Vec::with_capacity(old.len());
        let mut news = come_or_gone.iter().copied().peekable();
        let put = |nodes: &mut Vec<Rc<GraphNode>>, objects: &mut Vec<Object>, reference: &ObjectRef| {
            if let Some(object) = shown(cluster, boot, reference) {
                nodes.push(Rc::new(GraphNode::new(reference, object)));
                objects.push(object.clone());
            }
        };
        for (node, object) in old.into_iter().zip(kept) {
            // Most of the way there is nothing: one comparison each.
            while let Some(new) = news.next_if(|n| **n < node.reference) {
                put(&mut nodes, &mut objects, new);
            }
            let gone = news.next_if(|n| **n == node.reference).is_some();
            places.push((!gone).then_some(nodes.len()));
            if !gone {
                nodes.push(node);
                objects.push(object);
            }
        }
        news.for_each(|new| put(&mut nodes, &mut objects, new));
        self.change().nodes = nodes;
        self.objects = objects;
        places
    }

    /// The lines, if only those of a few pods changed. For each old node, `places` has its new place, and `dirty` whether its
    /// lines changed.
    fn patched_edges(
        &self,
        lines: &[Edge],
        places: &[Option<usize>],
        dirty: &[bool],
        moved: &[&ObjectRef],
    ) -> Vec<Edge> {
        let is_dirty = |i: usize| dirty.get(i).copied().unwrap_or(true);
        let fresh: Vec<usize> = moved.iter().filter_map(|reference| self.graph.find(reference)).collect();
        let mut edges = Vec::with_capacity(lines.len() + 4 * fresh.len());
        for e in lines.iter().filter(|e| !is_dirty(e.from) && !is_dirty(e.to)) {
            let place = |i: usize| places.get(i).copied().flatten();
            if let (Some(from), Some(to)) = (place(e.from), place(e.to)) {
                edges.push(Edge { from, to, kind: e.kind });
            }
        }
        let selecting = self.selecting();
        for i in fresh {
            self.edges_of(i, &selecting, &mut edges);
        }
        // The old lines are in order, so this sort is quick.
        edges.sort();
        edges.dedup();
        edges
    }
}
