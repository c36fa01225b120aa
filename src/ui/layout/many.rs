//! Objects of which there are many of one kind: a grid for each kind.

use std::collections::BTreeMap;
use std::rc::Rc;

use steady::engine::{Graph, Kind};

use super::slots::{Column, Group};
use super::{Block, CELL, DOWN_GAP, FOLD_PAD, Fold, Layout, MANY, Slots, grid};

/// The objects of each kind of which there are many.
pub(super) type Kinds = BTreeMap<Kind, Vec<usize>>;

/// What is a cell of a grid among the workloads.
pub(super) struct Many {
    /// What makes workloads.
    pub(super) roots: Kinds,
    /// Workloads.
    pub(super) middles: Kinds,
    /// Their pods.
    pub(super) pods: Vec<usize>,
}

impl Many {
    /// The pods as a block of their own, if there are any.
    pub(super) fn block(&self) -> Option<Block> {
        let pods = self.pods.clone();
        (!pods.is_empty()).then_some(Block { card: None, group: Group::Shared, pods, room: 0 })
    }
}

/// Takes the kinds of which there are many apart from the others.
pub(super) fn apart(graph: &Graph, list: Vec<usize>) -> (Vec<usize>, Kinds) {
    let kind = |i: &usize| graph.nodes.get(*i).map(|n| n.reference.kind);
    let mut kinds: Kinds = BTreeMap::new();
    for (kind, i) in list.iter().filter_map(|i| Some((kind(i)?, *i))) {
        kinds.entry(kind).or_default().push(i);
    }
    kinds.retain(|_, all| all.len() > MANY);
    let single = list.into_iter().filter(|i| !kind(i).is_some_and(|k| kinds.contains_key(&k))).collect();
    (single, kinds)
}

/// How many cells stand in a row. Few steps, so that a grid that grows is seldom laid anew.
fn across(count: usize) -> usize {
    match count {
        ..=100 => 10,
        101..=500 => 20,
        501..=2000 => 40,
        _ => (count as f32).sqrt().ceil() as usize,
    }
}

/// The grid of a kind at a place.
fn fold(
    graph: &Graph,
    kind: Kind,
    all: &[usize],
    slots: &mut Slots,
    at: (f32, f32),
    columns: Option<usize>,
) -> Fold {
    let tick = slots.tick;
    let column: &mut Column = slots.columns.entry(Group::Kind(kind)).or_default();
    let ids: Vec<(u128, Option<usize>)> =
        all.iter().filter_map(|i| graph.nodes.get(*i)).map(|n| (n.id, None)).collect();
    let places = column.assign(&ids, 0, tick);
    let count = column.used.len();
    grid(kind, all, &places, count, at, columns.unwrap_or_else(|| across(count)))
}

/// Puts grids below each other, and returns where they end: their right and their lower edge.
pub(super) fn column(
    graph: &Graph,
    out: &mut Layout,
    kinds: &Kinds,
    slots: &mut Slots,
    at: (f32, f32),
    gap: f32,
) -> (f32, f32) {
    let (mut right, mut y) = at;
    for (kind, all) in kinds {
        let f = fold(graph, *kind, all, slots, (at.0, y), None);
        right = right.max(f.rect.right());
        y = f.rect.bottom() + gap;
        out.folds.push(Rc::new(f));
    }
    (right, y)
}

/// Puts grids beside each other, in rows of a width.
pub(super) fn beside(
    graph: &Graph,
    out: &mut Layout,
    kinds: &Kinds,
    slots: &mut Slots,
    at: (f32, f32),
    width: f32,
) {
    let gap = 16.0;
    let (mut x, mut y, mut below) = (at.0, at.1, at.1);
    for (kind, all) in kinds {
        let mut f = fold(graph, *kind, all, slots, (x, y), None);
        if x > at.0 && f.rect.right() > at.0 + width {
            (x, y) = (at.0, below);
            (f.rect.x, f.rect.y) = (x, y);
        }
        x = f.rect.right() + gap;
        below = below.max(f.rect.bottom() + gap);
        out.folds.push(Rc::new(f));
    }
}

/// Puts grids below all else, as wide as the pane.
pub(super) fn rows(graph: &Graph, out: &mut Layout, lists: [&Kinds; 2], slots: &mut Slots, width: f32) {
    let bottom = super::bounds(out).h;
    let mut y = if bottom > 0.0 { bottom + DOWN_GAP } else { 0.0 };
    for (kind, all) in lists.into_iter().flatten() {
        y = row(graph, out, (*kind, all), slots, (0.0, y), width);
    }
}

/// Puts one grid at a place, as wide as the pane, and returns where the next thing can stand.
pub(super) fn row(
    graph: &Graph,
    out: &mut Layout,
    (kind, all): (Kind, &[usize]),
    slots: &mut Slots,
    at: (f32, f32),
    width: f32,
) -> f32 {
    let columns = (((width - 2.0 * FOLD_PAD + 3.0) / CELL) as usize).max(8);
    let mut f = fold(graph, kind, all, slots, at, Some(columns));
    f.rect.w = width;
    let below = f.rect.bottom() + DOWN_GAP;
    out.folds.push(Rc::new(f));
    below
}
