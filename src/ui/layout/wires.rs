//! The lines between what was placed.

use std::collections::BTreeSet;

use steady::engine::{EdgeKind, Graph};

use super::route::Obstacles;
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
    /// An SVG path.
    pub path: String,
}

/// Every line; those that would lie on each other are one.
pub fn wires(graph: &Graph, layout: &Layout, flow: Flow) -> Vec<Wire> {
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
        for pod in fold.cells.iter().flatten() {
            set(*pod, fold.rect, layout.items.len() + i);
        }
    }
    let cards = layout.items.iter().map(|i| i.rect).chain(layout.folds.iter().map(|f| f.rect));
    let obstacles = Obstacles::new(cards.collect());
    let mut seen = BTreeSet::new();
    let mut last = None;
    let mut out = Vec::new();
    for e in graph.edges.iter() {
        let (Some(Some((a, pa))), Some(Some((b, pb)))) = (spot.get(e.from), spot.get(e.to)) else { continue };
        // An owner's lines to the pods of its grid follow each other.
        if last.replace((pa, pb, e.kind)) != Some((pa, pb, e.kind)) && seen.insert((pa, pb, e.kind)) {
            let path = match flow {
                Flow::Right => line(a, b, e.kind, &obstacles),
                Flow::Down(_) if e.kind == EdgeKind::Owner => elbow(a, b),
                Flow::Down(_) => bow(a, b),
            };
            out.push(Wire { kind: e.kind, from: e.from, to: e.to, path });
        }
    }
    out
}

/// The height at which lines leave and reach a card.
fn mid(r: &Rect) -> f32 {
    r.y + (r.h / 2.0).min(39.0)
}

/// A curve, or a way around the cards that would hide the curve.
fn line(a: &Rect, b: &Rect, kind: EdgeKind, obstacles: &Obstacles) -> String {
    let curve = curve(a, b, kind);
    let around = || obstacles.way((a, mid(a)), (b, mid(b)));
    let hidden = kind != EdgeKind::Binding && obstacles.hides(curve, [a, b]);
    if let Some(way) = hidden.then(around).flatten() {
        return way;
    }
    let [(x1, y1), (x2, y2), (x3, y3), (x4, y4)] = curve;
    format!("M{x1} {y1}C{x2} {y2} {x3} {y3} {x4} {y4}")
}

/// Left to right, an S; otherwise from one's nearer edge to the other's. Returns the two ends with the points between them
/// by which the curve is bent.
fn curve(a: &Rect, b: &Rect, kind: EdgeKind) -> [(f32, f32); 4] {
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

fn upright(a: &Rect, b: &Rect, x1: f32, x2: f32) -> [(f32, f32); 4] {
    let (y1, y2) = if a.y > b.y { (a.y, b.bottom()) } else { (a.bottom(), b.y) };
    let m = (y1 + y2) / 2.0;
    [(x1, y1), (x1, m), (x2, m), (x2, y2)]
}

/// From the owner's left down to what it owns.
fn elbow(a: &Rect, b: &Rect) -> String {
    let (x, y) = (a.x + 9.0, b.y + (b.h / 2.0).min(22.0));
    if b.x > x + 8.0 && b.x > a.x + 18.5 {
        // The second of a row: its neighbour has the elbow.
        return String::new();
    }
    format!("M{x} {}V{}Q{x} {y} {} {y}H{}", a.bottom(), y - 6.0, x + 6.0, b.x)
}

/// Along the right edge.
fn bow(a: &Rect, b: &Rect) -> String {
    let (x1, y1, x2, y2) = (a.right() - 10.0, a.bottom(), b.right() - 10.0, b.y);
    let m = (y1 + y2) / 2.0;
    format!("M{x1} {y1}C{x1} {m} {x2} {m} {x2} {y2}")
}
