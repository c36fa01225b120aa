//! Where everything stands: a pure function of the graph and of where things stood before.
//!
//! Columns by kind, read left to right (on a phone: downwards). What stands somewhere stays there:
//! a pod keeps its slot under its owner, a freed slot is taken again only when no fresh one is
//! left, and going back in time finds everything in its old place.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use steady::engine::{EdgeKind, Graph, GraphNode, Kind, Place};

mod columns;
mod many;
mod rest;
mod route;
mod rows;
mod slots;
mod wires;

use many::Many;
use slots::Group;
pub use slots::Slots;
pub use wires::{Wire, led};

/// A rectangle, in pixels at scale 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left.
    pub x: f32,
    /// Top.
    pub y: f32,
    /// Width.
    pub w: f32,
    /// Height.
    pub h: f32,
}

impl Rect {
    /// The right edge.
    pub fn right(&self) -> f32 {
        self.x + self.w
    }
    /// The lower edge.
    pub fn bottom(&self) -> f32 {
        self.y + self.h
    }
    /// Its middle.
    pub fn middle(&self) -> (f32, f32) {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }
}

/// Which way the graph runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flow {
    /// Left to right.
    Right,
    /// Downwards.
    Down {
        /// In this width.
        width: f32,
        /// Whether the pane is so low that cards have one line of text.
        tight: bool,
    },
}

/// An object drawn as a card of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item {
    /// Its place in the graph.
    pub node: usize,
    /// Where.
    pub rect: Rect,
}

/// Many objects, each a cell of a grid: pods of one owner, or objects of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// The kind of all of them.
    pub kind: Kind,
    /// The owner's place in the graph, of pods.
    pub owner: Option<usize>,
    /// Where, its heading included.
    pub rect: Rect,
    /// Cells in a row.
    pub columns: usize,
    /// Their places in the graph, by slot.
    pub cells: Vec<Option<usize>>,
}

/// The side of a fold's cell, its gap included.
pub const CELL: f32 = 16.0;
/// The height of a fold's heading.
pub const FOLD_HEAD: f32 = 30.0;
/// The inner margin of a fold.
pub const FOLD_PAD: f32 = 12.0;

impl Fold {
    /// The left upper corner of a slot.
    pub fn corner(&self, slot: usize) -> (f32, f32) {
        let (column, row) = (slot % self.columns.max(1), slot / self.columns.max(1));
        (self.rect.x + FOLD_PAD + column as f32 * CELL, self.rect.y + FOLD_HEAD + row as f32 * CELL)
    }

    /// The slot at a point.
    pub fn slot_at(&self, x: f32, y: f32) -> Option<usize> {
        let (dx, dy) = (x - self.rect.x - FOLD_PAD, y - self.rect.y - FOLD_HEAD);
        if dx < 0.0 || dy < 0.0 {
            return None;
        }
        let column = (dx / CELL) as usize;
        (column < self.columns).then(|| (dy / CELL) as usize * self.columns + column)
    }
}

/// Where everything stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Cards.
    pub items: Vec<Item>,
    /// Grids.
    pub folds: Vec<Rc<Fold>>,
    /// Lines.
    pub wires: Vec<Wire>,
    /// The whole.
    pub bounds: Rect,
    /// The columns: the kinds of what stands there, and where each begins.
    pub titles: Vec<(String, f32)>,
    /// How many records there are ([`GraphNode::record`]), and whether they are drawn.
    pub records: (usize, bool),
}

/// More pods than this under one owner are a grid.
pub const FOLD_ABOVE: usize = 12;
/// More objects of any other kind than this are a grid.
pub const MANY: usize = 24;

/// Between cards in a graph that runs downwards.
const DOWN_GAP: f32 = 8.0;
/// The height of every card in a low pane, where it has one line of text.
const TIGHT: f32 = 30.0;

/// What is drawn of one owner: its card and its pods.
struct Block {
    card: Option<usize>,
    group: Group,
    pods: Vec<usize>,
    room: usize,
}

/// More groups than this stand close together: their pods in two columns, and the other objects beside them.
const FEW_GROUPS: usize = 3;

struct Sizes {
    card: (f32, f32),
    pod: (f32, f32),
    node: (f32, f32),
    aside: (f32, f32),
    gap: f32,
    between: f32,
    across: f32,
}

const RIGHT: Sizes = Sizes {
    card: (176.0, 74.0),
    pod: (150.0, 44.0),
    node: (126.0, 46.0),
    aside: (176.0, 46.0),
    gap: 10.0,
    between: 26.0,
    across: 42.0,
};

/// Lays the graph out. `records` says whether records are drawn; `None`: in a narrow pane, and as long
/// as there are few groups.
pub fn layout(graph: &Graph, flow: Flow, slots: &mut Slots, records: Option<bool>) -> Layout {
    slots.tick += 1;
    let tick = slots.tick;
    let owner = owners(graph);
    let of = |place: Place| -> Vec<usize> {
        (0..graph.nodes.len()).filter(|i| graph.nodes.get(*i).is_some_and(|n| n.place == place)).collect()
    };
    let mut fresh = false;
    for n in graph.nodes.iter().filter(|n| n.place != Place::Pod) {
        let next = slots.order.len();
        slots.order.entry(n.id).or_insert_with(|| {
            fresh |= matches!(n.place, Place::Root | Place::Middle);
            next
        });
    }
    let by_order = |mut list: Vec<usize>, slots: &Slots| {
        list.sort_by_key(|i| graph.nodes.get(*i).and_then(|n| slots.order.get(&n.id)).copied());
        list
    };
    let (roots, many_roots) = many::apart(graph, by_order(of(Place::Root), slots));
    let (middles, many_middles) = many::apart(graph, by_order(of(Place::Middle), slots));
    // What is a cell of a grid owns nothing that stands beside it.
    let mut owner = owner;
    let in_grid: Vec<usize> =
        [&many_roots, &many_middles].into_iter().flatten().flat_map(|(_, all)| all).copied().collect();
    let is_cell: BTreeSet<usize> = in_grid.into_iter().collect();
    let mut shared = Vec::new();
    let mut pods_of: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for p in of(Place::Pod) {
        match owner.get(p).copied().flatten() {
            Some(o) if is_cell.contains(&o) => shared.push(p),
            o => pods_of.entry(o).or_default().push(p),
        }
    }
    for o in owner.iter_mut().filter(|o| o.is_some_and(|o| is_cell.contains(&o))) {
        *o = None;
    }
    let many = Many { roots: many_roots, middles: many_middles, pods: shared };
    // One group for each root; what has none comes after them.
    let mut groups: Vec<(Option<usize>, Vec<Block>)> = Vec::new();
    for root in roots.iter().copied().map(Some).chain([None]) {
        let mut blocks = Vec::new();
        for m in middles.iter().copied().filter(|m| owner.get(*m).copied().flatten() == root) {
            let pods = pods_of.remove(&Some(m)).unwrap_or_default();
            blocks.push(block(graph, root, Some(m), pods, slots, fresh));
        }
        if let Some(pods) = pods_of.remove(&root) {
            blocks.push(block(graph, root, None, pods, slots, fresh));
        }
        if root.is_some() || !blocks.is_empty() {
            groups.push((root, blocks));
        }
    }
    slots.groups = slots
        .groups
        .max(groups.iter().map(|(root, blocks)| if root.is_some() { 1 } else { blocks.len() }).sum());
    let mut out = match flow {
        Flow::Right => columns::lay(graph, &groups, &many, slots, tick),
        Flow::Down { width, tight } => rows::lay(graph, &groups, &many, slots, tick, (width, tight)),
    };
    let with_records = records.unwrap_or(flow != Flow::Right || !slots.dense());
    let is_record = |i: &usize| graph.nodes.get(*i).is_some_and(|n| n.record);
    let (nodes, mut asides) = (by_order(of(Place::Node), slots), by_order(of(Place::Aside), slots));
    out.records = (asides.iter().filter(|i| is_record(i)).count(), with_records);
    asides.retain(|i| with_records || !is_record(i));
    let ((nodes, many_nodes), (asides, many_asides)) =
        (many::apart(graph, nodes), many::apart(graph, asides));
    match flow {
        Flow::Right => {
            rest::right(graph, &mut out, &nodes, &asides, (&many_nodes, &many_asides), slots);
        }
        Flow::Down { width, tight } => {
            rest::down(graph, &mut out, &nodes, &asides, width, tight);
            many::rows(graph, &mut out, [&many_asides, &many_nodes], slots, width);
        }
    }
    out.bounds = bounds(&out);
    out.wires = wires::wires(graph, &out, flow);
    out
}

/// Each object's owner, of those that stand before it.
fn owners(graph: &Graph) -> Vec<Option<usize>> {
    let mut owner = vec![None; graph.nodes.len()];
    for e in graph.edges.iter().filter(|e| e.kind == EdgeKind::Owner) {
        let place = |i: usize| graph.nodes.get(i).map(|n: &Rc<GraphNode>| n.place);
        if place(e.from) < place(e.to)
            && let Some(slot) = owner.get_mut(e.to)
        {
            *slot = Some(e.from);
        }
    }
    owner
}

fn block(
    graph: &Graph,
    root: Option<usize>,
    card: Option<usize>,
    pods: Vec<usize>,
    slots: &mut Slots,
    fresh: bool,
) -> Block {
    let node = card.or(root).and_then(|i| graph.nodes.get(i));
    let group = node.map_or(Group::Orphans, |n| Group::Owner(n.id));
    let want = card.and_then(|c| graph.nodes.get(c)).map_or(0, |n| n.want());
    let whole = root.and_then(|r| graph.nodes.get(r)).map_or(0, |n| n.want());
    let idle = want == 0 && pods.is_empty();
    if !idle {
        slots.empty.remove(&group);
    } else if fresh {
        // Room is given up only when a newer card comes and all is looked at anew.
        slots.empty.insert(group);
        slots.columns.remove(&group);
    }
    let room = match (idle, slots.empty.contains(&group)) {
        (_, true) => 0,
        // All that its root will want of it: it can grow without pushing others away.
        _ => want.max(if want > 0 { whole } else { 0 }),
    };
    Block { card, group, pods, room }
}

/// Slots for the pods of a block, and how many slots it takes up.
fn place_pods(graph: &Graph, b: &Block, slots: &mut Slots, tick: u64) -> (Vec<usize>, usize) {
    let column = slots.columns.entry(b.group).or_default();
    let nodes = || b.pods.iter().filter_map(|p| graph.nodes.get(*p));
    let first = first_ordinal(nodes().filter_map(|n| n.ordinal), b.room);
    // Pods that are far above the others (their owner had many more once) stand where there is room.
    let most = 2 * (b.room + b.pods.len());
    let place = |n: &Rc<GraphNode>| {
        let place = usize::try_from(n.ordinal?.checked_sub(first)?).ok()?;
        Some(place).filter(|p| *p <= most)
    };
    let pods: Vec<(u128, Option<usize>)> = nodes().map(|n| (n.id, place(n))).collect();
    let places = column.assign(&pods, b.room, tick);
    let count = column.used.len().max(b.room);
    (places, count)
}

/// The number of the first of numbered pods. Numbers begin with 0, unless all are larger than there is room for.
fn first_ordinal(ordinals: impl Iterator<Item = u32>, room: usize) -> u32 {
    let least = ordinals.min().unwrap_or(0);
    if usize::try_from(least).is_ok_and(|n| n < room) { 0 } else { least }
}

fn fold(b: &Block, places: &[usize], count: usize, at: (f32, f32), columns: usize) -> Fold {
    Fold { owner: b.card, ..grid(Kind::POD, &b.pods, places, count, at, columns) }
}

/// A grid of objects of one kind, by their slots.
fn grid(kind: Kind, all: &[usize], places: &[usize], count: usize, at: (f32, f32), columns: usize) -> Fold {
    let mut cells = vec![None; count];
    for (pod, slot) in all.iter().zip(places) {
        if let Some(cell) = cells.get_mut(*slot) {
            *cell = Some(*pod);
        }
    }
    let rows = count.div_ceil(columns.max(1)) as f32;
    let rect = Rect {
        x: at.0,
        y: at.1,
        w: columns as f32 * CELL + 2.0 * FOLD_PAD - 3.0,
        h: FOLD_HEAD + rows * CELL + FOLD_PAD - 3.0,
    };
    Fold { kind, owner: None, rect, columns, cells }
}

fn bounds(out: &Layout) -> Rect {
    let mut r = Rect::default();
    for b in out.items.iter().map(|i| i.rect).chain(out.folds.iter().map(|f| f.rect)) {
        r.w = r.w.max(b.right());
        r.h = r.h.max(b.bottom());
    }
    r
}

#[cfg(test)]
mod lines_tests;
#[cfg(test)]
mod tests;
