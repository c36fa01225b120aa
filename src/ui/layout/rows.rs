//! Rows in a narrow pane: an owner, and below it, indented, what it owns.

use std::rc::Rc;

use steady::engine::Graph;

use super::{Block, CELL, FOLD_ABOVE, FOLD_PAD, Item, Layout, Rect, Slots, fold, place_pods};

const DOWN_H: f32 = 62.0;
const DOWN_POD_H: f32 = 44.0;
pub(super) const DOWN_GAP: f32 = 8.0;
const INDENT: f32 = 18.0;

pub(super) fn lay(
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
