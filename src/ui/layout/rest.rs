//! What stands beside the workloads and their pods: nodes, and all other objects.

use steady::engine::{Card, Graph, Place};

use super::many::{self, Kinds};
use super::{DOWN_GAP, Item, Layout, RIGHT, Rect, Slots, TIGHT};

/// The height that the third line of a card adds: it says how an object stands.
const STANDING: f32 = 17.0;

/// The size of other objects' cards where they stand close together, and the gap between them.
const CLOSE: ((f32, f32), f32) = ((176.0, 39.0), 8.0);

/// How much higher than others the card of an object is.
fn standing(graph: &Graph, node: usize) -> f32 {
    let card = graph.nodes.get(node).map(|n| &n.card);
    if matches!(card, Some(Card::Resource(_))) { STANDING } else { 0.0 }
}

/// Other objects, in rows of so many: from a point on, in cards of a size. Returns where the last row ends, with the gap.
fn rows(
    graph: &Graph,
    out: &mut Layout,
    list: &[usize],
    columns: usize,
    at: (f32, f32),
    size: (f32, f32),
    gap: f32,
) -> f32 {
    let mut y = at.1;
    for row in list.chunks(columns.max(1)) {
        // A card with one line of text says it in that line.
        let third = |i: &usize| if size.1 > TIGHT { standing(graph, *i) } else { 0.0 };
        let h = size.1 + row.iter().map(third).fold(0.0, f32::max);
        for (i, node) in row.iter().enumerate() {
            let rect = Rect { x: at.0 + i as f32 * (size.0 + gap), y, w: size.0, h };
            out.items.push(Item { node: *node, rect });
        }
        y += h + gap;
    }
    y
}

/// Nodes in a column at the right. The other objects stand in rows below the pods, or, where many groups leave room there, in
/// a column below the nodes.
pub(super) fn right(
    graph: &Graph,
    out: &mut Layout,
    nodes: &[usize],
    asides: &[usize],
    many: (&Kinds, &Kinds),
    slots: &mut Slots,
) {
    let s = &RIGHT;
    // Without workloads and pods, the other objects stand where these would.
    let alone = out.titles.is_empty();
    let columns_alone = if asides.len() > 8 || !many.1.is_empty() { 4 } else { 2 };
    let x = match (alone, asides.is_empty() && many.1.is_empty()) {
        (true, true) => 0.0,
        (true, false) => columns_alone as f32 * (s.aside.0 + s.gap) - s.gap + s.across,
        (false, _) => out.bounds.x + slots.pods_width.max(s.pod.0) + s.across,
    };
    if !nodes.is_empty() || !many.0.is_empty() {
        out.titles.extend(Place::Node.kind().map(|node| (node.to_owned(), x)));
    }
    // Many nodes take several columns.
    let deep = if nodes.len() > 8 { ((nodes.len() as f32 / 1.6).sqrt().ceil() as usize).max(8) } else { 8 };
    for (i, node) in nodes.iter().enumerate() {
        let (column, row) = ((i / deep) as f32, (i % deep) as f32);
        let rect = Rect {
            x: x + column * (s.node.0 + s.across),
            y: row * (s.node.1 + s.gap),
            w: s.node.0,
            h: s.node.1,
        };
        out.items.push(Item { node: *node, rect });
    }
    let (_, below_grid) = many::column(graph, out, many.0, slots, (x, 0.0), s.gap);
    let bottom = below_grid.max(deep.min(nodes.len()) as f32 * (s.node.1 + s.gap));
    let grids = |out: &mut Layout, slots: &mut Slots, at: (f32, f32)| {
        let width = 4.0 * (s.aside.0 + s.gap);
        many::beside(graph, out, many.1, slots, at, width);
    };
    let below_nodes = bottom + s.gap;
    if slots.dense() && nodes.len() <= 8 && !alone {
        let height: f32 = asides.iter().map(|i| CLOSE.0.1 + standing(graph, *i) + CLOSE.1).sum();
        slots.height = slots.height.max(out.bounds.h);
        // A second column makes all smaller, so the first may be a little higher than the workloads.
        let columns = if below_nodes + height <= slots.height * 1.3 { 1 } else { 2 };
        slots.beside |= below_nodes + height / columns as f32 <= slots.height * 1.3;
        if slots.beside {
            rows(graph, out, asides, columns, (x, below_nodes), CLOSE.0, CLOSE.1);
            let below = super::bounds(out).h + s.between;
            grids(out, slots, (0.0, below));
            return;
        }
    }
    let y = if alone { 0.0 } else { out.bounds.h.max(s.between) + 6.0 };
    // Where the column of nodes reaches further down than the pods, the rows of other objects end before it.
    let fit = if bottom > y { ((x - s.across + s.gap) / (s.aside.0 + s.gap)) as usize } else { 4 };
    let columns = if alone { columns_alone } else { fit.clamp(1, 4) };
    let below = rows(graph, out, asides, columns, (0.0, y), s.aside, s.gap);
    // Grids are wide: they stand below the nodes, too, where these reach further down.
    let clear = if below > y { below + s.gap } else { y };
    let beside_nodes = alone && many.1.len() < 2;
    grids(out, slots, (0.0, if beside_nodes { clear } else { clear.max(super::bounds(out).h + s.gap) }));
}

/// Rows below the pods: the other objects, then the nodes.
pub(super) fn down(
    graph: &Graph,
    out: &mut Layout,
    nodes: &[usize],
    asides: &[usize],
    width: f32,
    tight: bool,
) {
    let mut y = out.bounds.h;
    for (list, columns, h) in [(asides, 2, 44.0), (nodes, 3, 40.0)] {
        let w = (width - DOWN_GAP * (columns as f32 - 1.0)) / columns as f32;
        let h = if tight { TIGHT } else { h };
        y = rows(graph, out, list, columns, (0.0, y), (w, h), DOWN_GAP);
        y += if list.is_empty() { 0.0 } else { 8.0 };
    }
}
