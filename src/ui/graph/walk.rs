//! Walking the graph with arrow keys.

use crate::ui::layout::{CELL, Layout, Rect};

/// What lies next in a direction: its place in the graph, and where it is.
pub fn next(layout: &Layout, from: Option<usize>, key: &str) -> Option<(usize, Rect)> {
    let cells = layout.folds.iter().flat_map(|f| {
        f.cells.iter().enumerate().filter_map(move |(slot, pod)| {
            let (x, y) = f.corner(slot);
            Some(((*pod)?, Rect { x, y, w: CELL - 3.0, h: CELL - 3.0 }))
        })
    });
    let all = || layout.items.iter().map(|i| (i.node, i.rect)).chain(cells.clone());
    let Some(here) = from.and_then(|f| all().find(|(n, _)| *n == f)).map(|(_, r)| r) else {
        return all().next();
    };
    let centre = |r: &Rect| (r.x + r.w / 2.0, r.y + r.h / 2.0);
    let (cx, cy) = centre(&here);
    let mut best: Option<(f32, usize, Rect)> = None;
    for (node, rect) in all().filter(|(n, _)| Some(*n) != from) {
        let (x, y) = centre(&rect);
        let (along, aside) = match key {
            "ArrowLeft" => (cx - x, (y - cy).abs()),
            "ArrowRight" => (x - cx, (y - cy).abs()),
            "ArrowUp" => (cy - y, (x - cx).abs()),
            _ => (y - cy, (x - cx).abs()),
        };
        if along > 3.0 {
            let cost = along + 2.2 * aside;
            if best.as_ref().is_none_or(|(c, ..)| cost < *c) {
                best = Some((cost, node, rect));
            }
        }
    }
    best.map(|(_, node, rect)| (node, rect))
}
