//! Columns from left to right: what makes workloads, workloads, pods.

use std::collections::BTreeSet;
use std::rc::Rc;

use steady::engine::{Graph, Place};

use super::{Block, FOLD_ABOVE, Item, Layout, Many, RIGHT, Rect, Slots, fold, many, place_pods};

pub(super) fn lay(
    graph: &Graph,
    groups: &[(Option<usize>, Vec<Block>)],
    many: &Many,
    slots: &mut Slots,
    tick: u64,
) -> Layout {
    let s = &RIGHT;
    let mut out = Layout::default();
    let roots = groups.iter().any(|(r, _)| r.is_some());
    let middles = groups.iter().any(|(_, b)| b.iter().any(|b| b.card.is_some()));
    // Grids stand above the cards of their column, and are wider.
    let wide = if roots { s.card.0 } else { 0.0 };
    let (right, end) = many::column(graph, &mut out, &many.roots, slots, (0.0, 0.0), s.between);
    let x1 = if roots || right > 0.0 { wide.max(right) + s.across } else { 0.0 };
    let wide = if middles || roots { x1 + s.card.0 } else { x1 };
    let (right, ends) = many::column(graph, &mut out, &many.middles, slots, (x1, 0.0), s.between);
    let x2 = if wide.max(right) > x1 { wide.max(right) + s.across } else { x1 };
    // Between the blocks of a group, and between groups.
    let (inner, between) = if slots.dense() { (s.gap, 16.0) } else { (s.between, s.between) };
    let mut y = end.max(ends);
    if let Some(shared) = many.block() {
        y = y.max(pods(graph, &mut out, &shared, slots, (x2, 0.0), tick) + s.between);
    }
    for (root, blocks) in groups {
        let top = y;
        // Workloads without an owner are groups of their own.
        let inner = if root.is_some() { inner } else { between };
        if let Some(node) = *root {
            out.items.push(Item { node, rect: Rect { x: 0.0, y, w: s.card.0, h: s.card.1 } });
        }
        for b in blocks {
            if let Some(node) = b.card {
                out.items.push(Item { node, rect: Rect { x: x1, y, w: s.card.0, h: s.card.1 } });
            }
            let card = if b.card.is_some() { y + s.card.1 } else { y };
            let height = pods(graph, &mut out, b, slots, (x2, y), tick).max(card) - y;
            y += height + inner;
        }
        y = (y - inner).max(top + s.card.1) + between;
    }
    let grids = |of: &many::Kinds| of.keys().map(|k| k.as_str()).collect::<Vec<_>>();
    let kind = |i: &usize| graph.nodes.get(*i).map(|n| n.reference.kind.as_str());
    let makes = |i: &usize| Some(graph.nodes.get(*i)?.makes?.as_str());
    let roots = || groups.iter().filter_map(|(root, _)| root.as_ref());
    let cards = || groups.iter().flat_map(|(_, blocks)| blocks.iter().filter_map(|b| b.card.as_ref()));
    let pods = Place::Pod.kind().filter(|_| !groups.is_empty() || !many.pods.is_empty());
    out.titles = pods.map(|pod| (pod.to_owned(), x2)).into_iter().collect();
    // Where a Deployment stands alone, its ReplicaSet is what will come.
    let middle = title(cards().filter_map(kind).chain(grids(&many.middles)))
        .or_else(|| title(roots().filter_map(makes)));
    out.titles.extend(middle.filter(|_| x2 > x1).map(|t| (t, x1)));
    out.titles.extend(title(roots().filter_map(kind).chain(grids(&many.roots))).map(|t| (t, 0.0)));
    out.bounds = Rect { x: x2, y: 0.0, w: slots.pods_width, h: y };
    out
}

/// Puts the pods of a block at a place, and returns where they end.
fn pods(graph: &Graph, out: &mut Layout, b: &Block, slots: &mut Slots, at: (f32, f32), tick: u64) -> f32 {
    let s = &RIGHT;
    let (places, count) = place_pods(graph, b, slots, tick);
    if count > FOLD_ABOVE {
        let columns = ((2.0 * count as f32).sqrt().ceil() as usize).max(19);
        let f = fold(b, &places, count, at, columns);
        slots.pods_width = slots.pods_width.max(f.rect.w);
        let bottom = f.rect.bottom();
        out.folds.push(Rc::new(f));
        return bottom;
    }
    let columns = if count > 6 || (slots.dense() && count > 1) { 2 } else { 1 };
    for (node, slot) in b.pods.iter().zip(places) {
        let (cx, cy) = ((slot % columns) as f32, (slot / columns) as f32);
        let rect = Rect {
            x: at.0 + cx * (s.pod.0 + s.gap),
            y: at.1 + cy * (s.pod.1 + s.gap),
            w: s.pod.0,
            h: s.pod.1,
        };
        out.items.push(Item { node: *node, rect });
    }
    slots.pods_width = slots.pods_width.max(columns as f32 * (s.pod.0 + s.gap) - s.gap);
    let rows = count.div_ceil(columns) as f32;
    at.1 + (rows * (s.pod.1 + s.gap) - s.gap).max(0.0)
}

/// The kinds of what stands in a column; `None` if nothing does.
fn title<'a>(kinds: impl Iterator<Item = &'a str>) -> Option<String> {
    let kinds: Vec<&str> = kinds.collect::<BTreeSet<&str>>().into_iter().collect();
    (!kinds.is_empty()).then(|| kinds.join(" · "))
}
