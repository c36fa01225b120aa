//! What changed of a graph. Nodes are told by their references; lines by the places of their ends, which move when a node
//! comes or goes, so both sides work out in the same way where each node went.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::ObjectRef;
use crate::session::view::graph::{Edge, Graph, GraphNode};

/// What changed of a graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphChange {
    /// The nodes that are no longer there, in order.
    pub gone: Vec<ObjectRef>,
    /// The nodes that are new, or otherwise than before, in order.
    pub put: Vec<Rc<GraphNode>>,
    /// What changed of the lines; `None` for nothing.
    pub edges: Option<EdgeChange>,
    /// [`Graph::shape`]
    pub shape: u64,
    /// [`Graph::cut_off`]; `None` if it is as before.
    pub cut_off: Option<Rc<BTreeSet<ObjectRef>>>,
}

/// What changed of the lines of a graph, by the places that their ends have now. A line one of whose ends is gone is gone
/// without being named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeChange {
    /// The lines that are no longer there, in order.
    pub gone: Vec<Edge>,
    /// The new lines, in order.
    pub put: Vec<Edge>,
}

/// What changed of the part of the graph that a filter lets through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FilteredChange {
    /// It is the whole graph.
    Whole,
    /// It is a part of the graph, with this change since the part before.
    Part(GraphChange),
}

/// What changed of a graph; `None` if it is the same `Rc`.
pub(super) fn changed(before: &Rc<Graph>, now: &Rc<Graph>) -> Option<GraphChange> {
    if Rc::ptr_eq(before, now) {
        return None;
    }
    let (mut gone, mut put) = (Vec::new(), Vec::new());
    for (old, new) in pairs(&before.nodes, &now.nodes, |b, n| b.reference.cmp(&n.reference)) {
        match (old, new) {
            (Some(old), Some(new)) if Rc::ptr_eq(old, new) => {}
            (_, Some(new)) => put.push(new.clone()),
            (Some(old), None) => gone.push(old.reference.clone()),
            (None, None) => {}
        }
    }
    let edges = (!Rc::ptr_eq(&before.edges, &now.edges)).then(|| {
        let kept = carried(&before.edges, &places(&before.nodes, &now.nodes));
        let (mut gone, mut put) = (Vec::new(), Vec::new());
        for (old, new) in pairs(&kept, &now.edges, Edge::cmp) {
            match (old, new) {
                (Some(old), None) => gone.push(*old),
                (None, Some(new)) => put.push(*new),
                _ => {}
            }
        }
        EdgeChange { gone, put }
    });
    let cut_off = (!Rc::ptr_eq(&before.cut_off, &now.cut_off)).then(|| now.cut_off.clone());
    Some(GraphChange { gone, put, edges, shape: now.shape, cut_off })
}

/// Carries out what changed.
pub(super) fn put(graph: &mut Rc<Graph>, change: GraphChange) {
    let (mut nodes, gone): (Vec<Rc<GraphNode>>, BTreeSet<ObjectRef>) =
        (Vec::with_capacity(graph.nodes.len() + change.put.len()), change.gone.into_iter().collect());
    for (old, new) in pairs(&graph.nodes, &change.put, |b, n| b.reference.cmp(&n.reference)) {
        match (old, new) {
            (_, Some(new)) => nodes.push(new.clone()),
            (Some(old), None) if !gone.contains(&old.reference) => nodes.push(old.clone()),
            _ => {}
        }
    }
    let edges = change.edges.map_or_else(
        || graph.edges.clone(),
        |edges| {
            let kept = carried(&graph.edges, &places(&graph.nodes, &nodes));
            let gone: BTreeSet<Edge> = edges.gone.into_iter().collect();
            let kept: Vec<Edge> = kept.into_iter().filter(|e| !gone.contains(e)).collect();
            let merged = pairs(&kept, &edges.put, Edge::cmp).into_iter();
            Rc::new(merged.filter_map(|(old, new)| new.or(old).copied()).collect())
        },
    );
    let cut_off = change.cut_off.unwrap_or_else(|| graph.cut_off.clone());
    *graph = Rc::new(Graph { nodes, edges, shape: change.shape, cut_off });
}

/// Goes through two sorted lists at once: what stands at the same place of the order is a pair.
fn pairs<'a, T>(
    before: &'a [T],
    now: &'a [T],
    order: impl Fn(&T, &T) -> Ordering,
) -> Vec<(Option<&'a T>, Option<&'a T>)> {
    let (mut old, mut new) = (before.iter().peekable(), now.iter().peekable());
    let mut all = Vec::with_capacity(before.len().max(now.len()));
    loop {
        let next = match (old.peek(), new.peek()) {
            (Some(b), Some(n)) => order(b, n),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return all,
        };
        let old = if next == Ordering::Greater { None } else { old.next() };
        let new = if next == Ordering::Less { None } else { new.next() };
        all.push((old, new));
    }
}

/// For each node of a graph, its place in the next one; `None` for one that is gone.
fn places(before: &[Rc<GraphNode>], now: &[Rc<GraphNode>]) -> Vec<Option<usize>> {
    let mut places = Vec::with_capacity(before.len());
    let mut place = 0;
    for (old, new) in pairs(before, now, |b, n| b.reference.cmp(&n.reference)) {
        if old.is_some() {
            places.push(new.map(|_| place));
        }
        place += usize::from(new.is_some());
    }
    places
}

/// Lines with the new places of their ends. The order of lines stays, because the order of nodes does.
fn carried(edges: &[Edge], places: &[Option<usize>]) -> Vec<Edge> {
    let place = |end: usize| places.get(end).copied().flatten();
    edges.iter().filter_map(|e| Some(Edge { from: place(e.from)?, to: place(e.to)?, kind: e.kind })).collect()
}
