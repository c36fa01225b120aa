//! Rows in a narrow pane: an owner, and below it, indented, what it owns.

use std::rc::Rc;

use steady::engine::Graph;

use super::{
    Block, CELL, DOWN_GAP, FOLD_ABOVE, FOLD_PAD, Item, Layout, Many, Rect, Slots, TIGHT, fold, many,
    place_pods,
};

/// The heights of the cards of workloads and of pods; and in a low pane, where a card has one line of text.
const HEIGHTS: (f32, f32) = (62.0, 44.0);
const INDENT: f32 = 18.0;

pub(super) fn lay(
    graph: &Graph,
    groups: &[(Option<usize>, Vec<Block>)],
    many: &Many,
    slots: &mut Slots,
    tick: u64,
    (width, tight): (f32, bool),
) -> Layout {
    let mut out = Layout::default();
    let mut y = 0.0;
    let (high, low) = if tight { (TIGHT, TIGHT) } else { HEIGHTS };
    for (kind, all) in many.roots.iter().chain(&many.middles) {
        y = many::row(graph, &mut out, (*kind, all), slots, (0.0, y), width);
    }
    let shared = many.block().map(|block| (None, vec![block]));
    let groups = shared.iter().chain(groups);
    for (root, blocks) in groups {
        let mut x = 0.0;
        if let Some(node) = *root {
            out.items.push(Item { node, rect: Rect { x, y, w: width, h: high } });
            y += high + DOWN_GAP + 2.0;
            x = INDENT;
        }
        for b in blocks {
            let mut inner = x;
            if let Some(node) = b.card {
                out.items.push(Item { node, rect: Rect { x, y, w: width - x, h: high } });
                y += high + DOWN_GAP;
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
                    let at = Rect { x: inner + cx * (w + DOWN_GAP), y: y + cy * (low + DOWN_GAP), w, h: low };
                    out.items.push(Item { node: *node, rect: at });
                }
                y += count.div_ceil(2) as f32 * (low + DOWN_GAP);
            }
            y += 4.0;
        }
        y += 8.0;
    }
    out.bounds = Rect { x: 0.0, y: 0.0, w: width, h: y };
    out
}
