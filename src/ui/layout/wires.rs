//! The lines between what was placed.

use std::collections::BTreeSet;

use steady::engine::{EdgeKind, Graph};

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
    let mut seen = BTreeSet::new();
    let mut last = None;
    let mut out = Vec::new();
    for e in graph.edges.iter() {
        let (Some(Some((a, pa))), Some(Some((b, pb)))) = (spot.get(e.from), spot.get(e.to)) else { continue };
        // An owner's lines to the pods of its grid follow each other.
        if last.replace((pa, pb, e.kind)) != Some((pa, pb, e.kind)) && seen.insert((pa, pb, e.kind)) {
            let path = match flow {
                Flow::Right => curve(a, b, e.kind),
                Flow::Down(_) if e.kind == EdgeKind::Owner => elbow(a, b),
                Flow::Down(_) => bow(a, b),
            };
            out.push(Wire { kind: e.kind, from: e.from, to: e.to, path });
        }
    }
    out
}

/// Left to right, an S; otherwise from one's nearer edge to the other's.
fn curve(a: &Rect, b: &Rect, kind: EdgeKind) -> String {
    let mid = |r: &Rect| r.y + (r.h / 2.0).min(39.0);
    // What stands in the row below the rest is joined below that row, past what lies in between.
    let row = a.h < 50.0 && b.h < 50.0 && (a.y - b.y).abs() < 1.0;
    if row && kind != EdgeKind::Binding && b.x > a.right() {
        let (x1, x2, y) = (a.x + a.w / 2.0, b.x + b.w / 2.0, a.bottom());
        return format!("M{x1} {y}C{x1} {} {x2} {} {x2} {y}", y + 24.0, y + 24.0);
    }
    // Services and the like stand below what they select.
    let below = a.y > b.bottom() && matches!(kind, EdgeKind::Selector | EdgeKind::Reference);
    if b.x >= a.right() && !below {
        let (x1, y1, x2, y2) = (a.right(), mid(a), b.x, mid(b));
        let c = ((x2 - x1) / 2.0).min(60.0);
        return format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", x1 + c, x2 - c);
    }
    let (x1, x2) = (a.x + a.w / 2.0, b.x + b.w / 2.0);
    if x2 < x1 || b.bottom() > a.y {
        return upright(a, b, x1, x2);
    }
    // What stands below and to the left reaches its target from the left, past its neighbours.
    let (y1, y2) = (a.y, mid(b));
    format!("M{x1} {y1}C{x1} {} {} {y2} {} {y2}", y1 - 44.0, b.x - 50.0, b.x)
}

fn upright(a: &Rect, b: &Rect, x1: f32, x2: f32) -> String {
    let (y1, y2) = if a.y > b.y { (a.y, b.bottom()) } else { (a.bottom(), b.y) };
    let m = (y1 + y2) / 2.0;
    format!("M{x1} {y1}C{x1} {m} {x2} {m} {x2} {y2}")
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
