//! The lines between what was placed.

use std::collections::{BTreeMap, BTreeSet};

use steady::engine::{EdgeKind, Graph};

use super::route::{Curve, Obstacles, bent};
use super::{Flow, Layout, Rect};

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub struct Wire {
    /// What it means.
    pub kind: EdgeKind,
    /// Its ends' places in the graph; for many that share a line, the last.
    pub from: usize,
    /// The other end.
    pub to: usize,
    /// An SVG path. It is empty where a neighbour's line is drawn instead, and, in rows, for every line but an owner's:
    /// [`led`] finds the path of such a line.
    pub path: String,
    /// Whether the line runs behind cards, because no way around them was found.
    pub behind: bool,
    /// The cards or grids that it joins.
    ends: (Rect, Rect),
    /// Which of the cards and grids these are.
    parts: (usize, usize),
}

/// Every line; those that would lie on each other are one. A line that would run behind a card goes around it.
pub fn wires(graph: &Graph, layout: &Layout, flow: Flow) -> Vec<Wire> {
    let mut wires = lines(graph, layout);
    let mut obstacles = obstacles(layout);
    let mut blocked = Vec::new();
    // In rows, the other lines are drawn only while one of their ends is selected.
    for wire in wires.iter_mut().filter(|w| flow == Flow::Right || w.kind == EdgeKind::Owner) {
        match straight(wire, flow, &obstacles) {
            Some(path) => wire.path = path,
            None => blocked.push(wire),
        }
    }
    lead(blocked, &mut obstacles);
    wires
}

/// Lines of a layout in rows, with their paths between the rows.
pub fn led<'a>(layout: &Layout, wires: impl Iterator<Item = &'a Wire>) -> Vec<Wire> {
    let mut wires: Vec<Wire> = wires.cloned().collect();
    if !wires.is_empty() {
        lead(wires.iter_mut().collect(), &mut obstacles(layout));
    }
    wires
}

fn obstacles(layout: &Layout) -> Obstacles {
    let cards = layout.items.iter().map(|i| i.rect).chain(layout.folds.iter().map(|f| f.rect));
    Obstacles::new(cards.collect())
}

/// Leads lines around the cards. The ways of all lines from one card, or to one, are looked for at once.
fn lead(blocked: Vec<&mut Wire>, obstacles: &mut Obstacles) {
    let mut hubs: BTreeMap<(bool, usize), Vec<&mut Wire>> = BTreeMap::new();
    for wire in blocked {
        let backwards = matches!(wire.kind, EdgeKind::Binding | EdgeKind::Reference);
        let hub = if backwards { wire.parts.1 } else { wire.parts.0 };
        hubs.entry((backwards, hub)).or_default().push(wire);
    }
    for ((backwards, _), of) in hubs {
        let ends = |w: &&mut Wire| if backwards { (w.ends.1, w.ends.0) } else { w.ends };
        let all: Vec<(Rect, Rect)> = of.iter().map(ends).collect();
        let Some((hub, _)) = all.first() else { continue };
        let to: Vec<(Rect, f32)> = all.iter().map(|(_, r)| (*r, mid(r))).collect();
        for (wire, way) in of.into_iter().zip(obstacles.ways((hub, mid(hub)), &to, backwards)) {
            wire.behind = way.is_none();
            wire.path = way.unwrap_or_else(|| path(curve(&wire.ends.0, &wire.ends.1, wire.kind)));
        }
    }
}

fn lines(graph: &Graph, layout: &Layout) -> Vec<Wire> {
    // Where each object stands, and which card or grid it is part of.
    let mut spot: Vec<Option<(Rect, usize)>> = vec![None; graph.nodes.len()];
    let mut set = |node: usize, rect: Rect, part: usize| {
        if let Some(s) = spot.get_mut(node) {
            *s = Some((rect, part));
        }
    };
    for (i, item) in layout.items.iter().enumerate() {
        set(item.node, item.rect, i);
    }
    for (i, fold) in layout.folds.iter().enumerate() {
        for cell in fold.cells.iter().flatten() {
            set(*cell, fold.rect, layout.items.len() + i);
        }
    }
    let mut seen = BTreeSet::new();
    let mut last = None;
    let mut out = Vec::new();
    for e in graph.edges.iter() {
        let (Some(Some((a, pa))), Some(Some((b, pb)))) = (spot.get(e.from), spot.get(e.to)) else { continue };
        // An owner's lines to the pods of its grid follow each other.
        if pa != pb
            && last.replace((pa, pb, e.kind)) != Some((pa, pb, e.kind))
            && seen.insert((pa, pb, e.kind))
        {
            out.push(Wire {
                kind: e.kind,
                from: e.from,
                to: e.to,
                path: String::new(),
                behind: false,
                ends: (*a, *b),
                parts: (*pa, *pb),
            });
        }
    }
    out
}

/// The path of a line that needs no way around anything; `None` if it would run behind a card.
fn straight(line: &Wire, flow: Flow, obstacles: &Obstacles) -> Option<String> {
    let (a, b) = (&line.ends.0, &line.ends.1);
    match flow {
        Flow::Right => {
            let curve = curve(a, b, line.kind);
            (!obstacles.hides(curve, [a, b])).then(|| path(curve))
        }
        Flow::Down { .. } if line.kind == EdgeKind::Owner => {
            let (x, y) = (a.x + 9.0, b.y + (b.h / 2.0).min(22.0));
            if b.x > x + 8.0 && b.x > a.x + 18.5 {
                // The second of a row: its neighbour has the elbow.
                return Some(String::new());
            }
            // From the owner's left down to what it owns.
            let elbow = [(x, a.bottom()), (x, y), (b.x, y)];
            let fits = b.y >= a.bottom() && b.x > x && !obstacles.crosses(&elbow, [a, b]);
            fits.then(|| bent(&elbow))
        }
        // Between the rows.
        Flow::Down { .. } => None,
    }
}

fn path([(x1, y1), (x2, y2), (x3, y3), (x4, y4)]: Curve) -> String {
    format!("M{x1} {y1}C{x2} {y2} {x3} {y3} {x4} {y4}")
}

/// The height at which lines leave and reach a card.
fn mid(r: &Rect) -> f32 {
    r.y + (r.h / 2.0).min(39.0)
}

/// Left to right, an S; otherwise from one's nearer edge to the other's. Returns the two ends with the points between them
/// by which the curve is bent.
fn curve(a: &Rect, b: &Rect, kind: EdgeKind) -> Curve {
    // What stands in the row below the rest is joined below that row, past what lies in between.
    let row = a.h < 50.0 && b.h < 50.0 && (a.y - b.y).abs() < 1.0;
    if row && kind != EdgeKind::Binding && b.x > a.right() {
        let (x1, x2, y) = (a.x + a.w / 2.0, b.x + b.w / 2.0, a.bottom());
        return [(x1, y), (x1, y + 24.0), (x2, y + 24.0), (x2, y)];
    }
    // Services and the like stand below what they select.
    let below = a.y > b.bottom() && matches!(kind, EdgeKind::Selector | EdgeKind::Reference);
    let across = |x1: f32, x2: f32| {
        let (y1, y2, c) = (mid(a), mid(b), ((x2 - x1) / 2.0).clamp(-60.0, 60.0));
        [(x1, y1), (x1 + c, y1), (x2 - c, y2), (x2, y2)]
    };
    if b.x >= a.right() && !below {
        return across(a.right(), b.x);
    }
    // Or beside it, to the right.
    if a.x >= b.right() && kind != EdgeKind::Binding {
        return across(a.x, b.right());
    }
    let (x1, x2) = (a.x + a.w / 2.0, b.x + b.w / 2.0);
    if x2 < x1 || b.bottom() > a.y {
        return upright(a, b, x1, x2);
    }
    // What stands below and to the left reaches its target from the left, past its neighbours.
    let (y1, y2) = (a.y, mid(b));
    [(x1, y1), (x1, y1 - 44.0), (b.x - 50.0, y2), (b.x, y2)]
}

fn upright(a: &Rect, b: &Rect, x1: f32, x2: f32) -> Curve {
    let (y1, y2) = if a.y > b.y { (a.y, b.bottom()) } else { (a.bottom(), b.y) };
    let m = (y1 + y2) / 2.0;
    [(x1, y1), (x1, m), (x2, m), (x2, y2)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::layout::Item;

    fn wire(a: Rect, b: Rect) -> Wire {
        let kind = EdgeKind::Selector;
        Wire { kind, from: 0, to: 1, path: String::new(), behind: false, ends: (a, b), parts: (0, 1) }
    }

    /// The first card lies within another one, so there is no gap beside it.
    #[test]
    fn a_line_without_a_way_is_drawn_behind_the_cards() {
        let card = |x: f32| Rect { x, y: 0.0, w: 100.0, h: 60.0 };
        let wall = Rect { x: -50.0, y: -50.0, w: 200.0, h: 160.0 };
        let items = [card(0.0), card(300.0), wall].into_iter().enumerate();
        let items: Vec<Item> = items.map(|(node, rect)| Item { node, rect }).collect();
        let walled = Layout { items: items.clone(), ..Layout::default() };
        let free = Layout { items: items.into_iter().take(2).collect(), ..Layout::default() };
        let wires = [wire(card(0.0), card(300.0))];
        let of = |layout: &Layout| led(layout, wires.iter());
        assert!(of(&free).iter().all(|w| !w.behind && !w.path.is_empty() && !w.path.contains('C')));
        let behind = of(&walled);
        assert!(behind.iter().all(|w| w.behind && w.path.starts_with("M100 30C")), "{behind:?}");
    }
}
