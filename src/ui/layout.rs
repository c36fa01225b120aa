//! Where everything stands: a pure function of the graph and of where things stood before.
//!
//! Columns by kind, read left to right (on a phone: downwards). What stands somewhere stays there:
//! a pod keeps its slot under its owner, a freed slot is taken again only when no fresh one is
//! left, and going back in time finds everything in its old place.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use steady::engine::{EdgeKind, Graph, GraphNode, Place};

mod rest;
mod wires;

pub use wires::Wire;

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
    /// Downwards, in a width.
    Down(f32),
}

/// An object drawn as a card of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item {
    /// Its place in the graph.
    pub node: usize,
    /// Where.
    pub rect: Rect,
}

/// Many pods of one owner, each a cell of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// The owner's place in the graph.
    pub owner: Option<usize>,
    /// Where, its heading included.
    pub rect: Rect,
    /// Cells in a row.
    pub columns: usize,
    /// The pods' places in the graph, by slot.
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
}

/// More pods than this under one owner are folded.
pub const FOLD_ABOVE: usize = 12;

/// Where things stood: kept from one layout to the next.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// The order in which cards were first seen, by [`GraphNode::id`].
    order: BTreeMap<u128, usize>,
    /// The pods of an owner, by its id; of those without an owner by `None`.
    columns: BTreeMap<Option<u128>, Column>,
    /// Owners without pods whose room was given up.
    empty: BTreeSet<Option<u128>>,
    /// How wide the pods' column has been.
    pods_width: f32,
    tick: u64,
}

#[derive(Clone, Debug, Default)]
struct Column {
    /// By [`GraphNode::id`]. Only looked into, never walked: its order means nothing.
    slot_of: HashMap<u128, usize>,
    used: Vec<u64>,
    folded: bool,
}

impl Column {
    /// A slot for each pod, in their order. Pods with a fixed place have that slot, whichever pod was there before.
    fn assign(&mut self, pods: &[(u128, Option<usize>)], room: usize, tick: u64) -> Vec<usize> {
        let folded = pods.len().max(room) > FOLD_ABOVE;
        if self.folded && !folded {
            // What a grid left behind would scatter the few over many rows.
            *self = Column::default();
        }
        self.folded = folded;
        let last = pods.iter().filter_map(|(_, place)| *place).max();
        while last.is_some_and(|last| self.used.len() <= last) {
            self.used.push(tick);
        }
        let mut taken = vec![false; self.used.len()];
        let mut take = |slot: usize| taken.get_mut(slot).is_some_and(|t| !std::mem::replace(t, true));
        let mut slots: Vec<Option<usize>> = Vec::with_capacity(pods.len());
        for (pod, place) in pods {
            let known = place.or_else(|| self.slot_of.get(pod).copied());
            slots.push(known.filter(|s| take(*s)));
        }
        let mut free: Option<Vec<usize>> = None;
        for (slot, (pod, _)) in slots.iter_mut().zip(pods).filter(|(s, _)| s.is_none()) {
            let new = if self.used.len() < room {
                self.used.len()
            } else {
                let free = free.get_or_insert_with(|| {
                    let is_free = |s: &usize| !taken.get(*s).copied().unwrap_or(false);
                    let mut free: Vec<usize> = (0..taken.len()).filter(is_free).collect();
                    // The one that was left longest ago is taken first, from the end.
                    free.sort_by_key(|s| std::cmp::Reverse((self.used.get(*s).copied(), *s)));
                    free
                });
                free.pop().unwrap_or(self.used.len())
            };
            if new == self.used.len() {
                self.used.push(tick);
            }
            self.slot_of.insert(*pod, new);
            *slot = Some(new);
        }
        let slots: Vec<usize> = slots.into_iter().flatten().collect();
        for s in &slots {
            if let Some(used) = self.used.get_mut(*s) {
                *used = tick;
            }
        }
        slots
    }
}

/// What is drawn of one owner: its card and its pods.
struct Block {
    card: Option<usize>,
    id: Option<u128>,
    pods: Vec<usize>,
    room: usize,
}

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
    card: (176.0, 78.0),
    pod: (150.0, 44.0),
    node: (126.0, 46.0),
    aside: (176.0, 46.0),
    gap: 10.0,
    between: 26.0,
    across: 42.0,
};

/// Lays the graph out.
pub fn layout(graph: &Graph, flow: Flow, slots: &mut Slots) -> Layout {
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
    let roots = by_order(of(Place::Root), slots);
    let middles = by_order(of(Place::Middle), slots);
    let mut pods_of: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for p in of(Place::Pod) {
        pods_of.entry(owner.get(p).copied().flatten()).or_default().push(p);
    }
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
    let mut out = match flow {
        Flow::Right => right(graph, &groups, slots, tick),
        Flow::Down(width) => down(graph, &groups, slots, tick, width),
    };
    let (nodes, asides) = (by_order(of(Place::Node), slots), by_order(of(Place::Aside), slots));
    match flow {
        Flow::Right => rest::right(graph, &mut out, &nodes, &asides, slots),
        Flow::Down(width) => rest::down(graph, &mut out, &nodes, &asides, width),
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
    let id = node.map(|n| n.id);
    let want = card.and_then(|c| graph.nodes.get(c)).map_or(0, |n| n.want());
    let whole = root.and_then(|r| graph.nodes.get(r)).map_or(0, |n| n.want());
    let idle = want == 0 && pods.is_empty();
    if !idle {
        slots.empty.remove(&id);
    } else if fresh {
        // Room is given up only when a newer card comes and all is looked at anew.
        slots.empty.insert(id);
        slots.columns.remove(&id);
    }
    let room = match (idle, slots.empty.contains(&id)) {
        (_, true) => 0,
        // All that its root will want of it: it can grow without pushing others away.
        _ => want.max(if want > 0 { whole } else { 0 }),
    };
    Block { card, id, pods, room }
}

/// Slots for the pods of a block, and how many slots it takes up.
fn place_pods(graph: &Graph, b: &Block, slots: &mut Slots, tick: u64) -> (Vec<usize>, usize) {
    let column = slots.columns.entry(b.id).or_default();
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
    let mut cells = vec![None; count];
    for (pod, slot) in b.pods.iter().zip(places) {
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
    Fold { owner: b.card, rect, columns, cells }
}

fn right(graph: &Graph, groups: &[(Option<usize>, Vec<Block>)], slots: &mut Slots, tick: u64) -> Layout {
    let s = &RIGHT;
    let mut out = Layout::default();
    let roots = groups.iter().any(|(r, _)| r.is_some());
    let middles = groups.iter().any(|(_, b)| b.iter().any(|b| b.card.is_some()));
    let x1 = if roots { s.card.0 + s.across } else { 0.0 };
    let x2 = x1 + if middles || roots { s.card.0 + s.across } else { 0.0 };
    let mut y = 0.0;
    for (root, blocks) in groups {
        let top = y;
        if let Some(node) = *root {
            out.items.push(Item { node, rect: Rect { x: 0.0, y, w: s.card.0, h: s.card.1 } });
        }
        for b in blocks {
            if let Some(node) = b.card {
                out.items.push(Item { node, rect: Rect { x: x1, y, w: s.card.0, h: s.card.1 } });
            }
            let (places, count) = place_pods(graph, b, slots, tick);
            let mut height: f32 = if b.card.is_some() { s.card.1 } else { 0.0 };
            if count > FOLD_ABOVE {
                let columns = ((2.0 * count as f32).sqrt().ceil() as usize).max(19);
                let f = fold(b, &places, count, (x2, y), columns);
                slots.pods_width = slots.pods_width.max(f.rect.w);
                height = height.max(f.rect.h);
                out.folds.push(Rc::new(f));
            } else {
                let columns = if count > 6 { 2 } else { 1 };
                for (node, slot) in b.pods.iter().zip(places) {
                    let (cx, cy) = ((slot % columns) as f32, (slot / columns) as f32);
                    let rect = Rect {
                        x: x2 + cx * (s.pod.0 + s.gap),
                        y: y + cy * (s.pod.1 + s.gap),
                        w: s.pod.0,
                        h: s.pod.1,
                    };
                    out.items.push(Item { node: *node, rect });
                }
                let rows = count.div_ceil(columns) as f32;
                height = height.max(rows * (s.pod.1 + s.gap) - s.gap);
                let width = columns as f32 * (s.pod.0 + s.gap) - s.gap;
                slots.pods_width = slots.pods_width.max(width);
            }
            y += height + s.between;
        }
        y = y.max(top + s.card.1 + s.between);
    }
    let kind = |i: &usize| graph.nodes.get(*i).map(|n| n.reference.kind.as_str());
    let makes = |i: &usize| Some(graph.nodes.get(*i)?.makes?.as_str());
    let roots = || groups.iter().filter_map(|(root, _)| root.as_ref());
    let cards = || groups.iter().flat_map(|(_, blocks)| blocks.iter().filter_map(|b| b.card.as_ref()));
    let pods = Place::Pod.kind().filter(|_| !groups.is_empty());
    out.titles = pods.map(|pod| (pod.to_owned(), x2)).into_iter().collect();
    // Where a Deployment stands alone, its ReplicaSet is what will come.
    let middle = title(cards().filter_map(kind)).or_else(|| title(roots().filter_map(makes)));
    out.titles.extend(middle.filter(|_| x2 > x1).map(|t| (t, x1)));
    out.titles.extend(title(roots().filter_map(kind)).map(|t| (t, 0.0)));
    out.bounds = Rect { x: x2, y: 0.0, w: slots.pods_width, h: y };
    out
}

/// The kinds of what stands in a column; `None` if nothing does.
fn title<'a>(kinds: impl Iterator<Item = &'a str>) -> Option<String> {
    let kinds: Vec<&str> = kinds.collect::<BTreeSet<&str>>().into_iter().collect();
    (!kinds.is_empty()).then(|| kinds.join(" · "))
}

const DOWN_H: f32 = 62.0;
const DOWN_POD_H: f32 = 44.0;
const DOWN_GAP: f32 = 8.0;
const INDENT: f32 = 18.0;

fn down(
    graph: &Graph,
    groups: &[(Option<usize>, Vec<Block>)],
    slots: &mut Slots,
    tick: u64,
    width: f32,
) -> Layout {
    let mut out = Layout::default();
    let mut y = 0.0;
    for (root, blocks) in groups {
        let mut x = 0.0;
        if let Some(node) = *root {
            out.items.push(Item { node, rect: Rect { x, y, w: width, h: DOWN_H } });
            y += DOWN_H + DOWN_GAP + 2.0;
            x = INDENT;
        }
        for b in blocks {
            let mut inner = x;
            if let Some(node) = b.card {
                out.items.push(Item { node, rect: Rect { x, y, w: width - x, h: DOWN_H } });
                y += DOWN_H + DOWN_GAP;
                inner += INDENT;
            }
            let (places, count) = place_pods(graph, b, slots, tick);
            let room = width - inner;
            if count > FOLD_ABOVE {
                let columns = (((room - 2.0 * FOLD_PAD) / CELL) as usize).max(8);
                let mut f = fold(b, &places, count, (inner, y), columns);
                f.rect.w = room;
                y = f.rect.bottom() + DOWN_GAP;
                out.folds.push(Rc::new(f));
            } else {
                let w = (room - DOWN_GAP) / 2.0;
                for (node, slot) in b.pods.iter().zip(places) {
                    let (cx, cy) = ((slot % 2) as f32, (slot / 2) as f32);
                    let at = Rect {
                        x: inner + cx * (w + DOWN_GAP),
                        y: y + cy * (DOWN_POD_H + DOWN_GAP),
                        w,
                        h: DOWN_POD_H,
                    };
                    out.items.push(Item { node: *node, rect: at });
                }
                y += count.div_ceil(2) as f32 * (DOWN_POD_H + DOWN_GAP);
            }
            y += 4.0;
        }
        y += 8.0;
    }
    out.bounds = Rect { x: 0.0, y: 0.0, w: width, h: y };
    out
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
mod tests;
