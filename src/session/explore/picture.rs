//! The drawing of the graph of states: which states are drawn, and where.
//!
//! A layer has the states at the same distance from the start. Of a large graph only a part is drawn: first
//! the paths to outcomes and violations, and the state on which the person stands with its neighbours, then
//! the states nearest to the start.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Report, State, StateId};

/// The most states that are drawn.
pub const DRAWN: usize = 300;
/// How many times the order within the layers is improved.
const SWEEPS: usize = 6;

/// A drawing of the graph of states.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// The states, sorted by id.
    pub nodes: Vec<Node>,
    /// The steps between them.
    pub lines: Vec<Line>,
    /// The number of layers.
    pub layers: usize,
    /// The number of states in the largest layer.
    pub widest: usize,
    /// The number of states that are not drawn.
    pub hidden: usize,
}

/// A state in the drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// The state's id.
    pub id: StateId,
    /// The layer: the number of steps from the start.
    pub layer: usize,
    /// The position in the layer, in rows; 0 is the middle.
    pub row: f32,
    /// The outcome to which the state belongs, by index, if it is steady.
    pub outcome: Option<usize>,
    /// The violation that occurs on reaching the state, by index, if there is one.
    pub broken: Option<usize>,
    /// Whether the state is on the cycle that was found.
    pub circle: bool,
    /// The number of steps to states that are not drawn.
    pub more: usize,
    /// Whether the steps from the state are known.
    pub explored: bool,
}

/// A step in the drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The index of the node at which it begins.
    pub from: usize,
    /// The index of the node at which it ends.
    pub to: usize,
    /// The component that acts; `None` if time passes.
    pub by: Option<String>,
    /// The objects that are written.
    pub writes: Vec<String>,
    /// Whether the step is part of the cycle that was found.
    pub circle: bool,
}

/// Makes a drawing with at most `limit` states. `focus` is the state on which the person stands.
pub fn picture(states: &[State], report: &Report, focus: Option<StateId>, limit: usize) -> Picture {
    let chosen = chosen(states, report, focus, limit);
    let at: BTreeMap<StateId, usize> = chosen.iter().enumerate().map(|(i, id)| (*id, i)).collect();
    let circle: Vec<StateId> = report.endless.iter().flat_map(|e| e.states.iter().copied()).collect();
    let mut around: Vec<(StateId, StateId)> =
        circle.windows(2).filter_map(|w| Some((*w.first()?, *w.get(1)?))).collect();
    around.extend(circle.last().copied().zip(circle.first().copied()));
    let broken: BTreeMap<StateId, usize> = report
        .broken
        .iter()
        .enumerate()
        .rev()
        .filter_map(|(nth, b)| Some((broken_state(states, b)?, nth)))
        .collect();
    let mut outcomes: BTreeMap<u128, usize> = BTreeMap::new();
    for (nth, o) in report.outcomes.iter().enumerate() {
        if let Some(objects) = states.get(o.state).and_then(|s| s.objects) {
            outcomes.insert(objects, nth);
        }
    }
    let mut lines = Vec::new();
    let mut nodes = Vec::with_capacity(chosen.len());
    for (from, id) in chosen.iter().enumerate() {
        let Some(state) = states.get(*id) else { continue };
        let mut more = 0;
        for e in &state.next {
            match at.get(&e.to) {
                Some(to) => lines.push(Line {
                    from,
                    to: *to,
                    by: e.did.by.as_ref().map(|b| b.to_string()),
                    writes: e
                        .did
                        .writes
                        .iter()
                        .map(|w| format!("{} {}", w.kind.as_str(), w.key.name))
                        .collect(),
                    circle: around.contains(&(*id, e.to)),
                }),
                None => more += 1,
            }
        }
        nodes.push(Node {
            id: *id,
            layer: state.steps,
            row: 0.0,
            outcome: state.objects.and_then(|o| outcomes.get(&o).copied()),
            broken: broken.get(id).copied(),
            circle: circle.contains(id),
            more,
            explored: state.explored,
        });
    }
    let widest = place(&mut nodes, &lines);
    let layers = nodes.iter().map(|n| n.layer + 1).max().unwrap_or(0);
    Picture { hidden: states.len().saturating_sub(nodes.len()), layers, widest, nodes, lines }
}

/// The state to which the step of a violation leads.
fn broken_state(states: &[State], broken: &super::Broken) -> Option<StateId> {
    let Some((from, choice)) = broken.at else { return Some(0) };
    states.get(from)?.next.iter().find(|e| e.choice == choice).map(|e| e.to)
}

/// The states that are drawn.
fn chosen(states: &[State], report: &Report, focus: Option<StateId>, limit: usize) -> BTreeSet<StateId> {
    if states.len() <= limit {
        return (0..states.len()).collect();
    }
    let mut wanted: Vec<StateId> = vec![0];
    let to = |id: StateId, wanted: &mut Vec<StateId>| {
        let mut at = id;
        while let Some(state) = states.get(at) {
            wanted.push(at);
            let Some((from, _)) = state.from else { break };
            at = from;
        }
    };
    if let Some(focus) = focus {
        to(focus, &mut wanted);
        wanted.extend(states.get(focus).iter().flat_map(|s| s.next.iter().map(|e| e.to)));
    }
    for b in &report.broken {
        if let Some(id) = broken_state(states, b) {
            to(id, &mut wanted);
        }
    }
    if let Some(e) = &report.endless {
        to(e.state, &mut wanted);
        wanted.extend(&e.states);
    }
    for o in &report.outcomes {
        to(o.state, &mut wanted);
    }
    // The states nearest to the start have the smallest ids.
    let nearest = 0..states.len();
    let mut chosen = BTreeSet::new();
    for id in wanted.into_iter().chain(nearest) {
        if chosen.len() >= limit {
            break;
        }
        chosen.insert(id);
    }
    chosen
}

/// Assigns rows so that few lines cross: each node is placed near the middle of its neighbours, alternately
/// of those in the layer before and in the layer after. Returns the size of the largest layer.
fn place(nodes: &mut [Node], lines: &[Line]) -> usize {
    let mut layers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, n) in nodes.iter().enumerate() {
        layers.entry(n.layer).or_default().push(i);
    }
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for l in lines {
        let layer = |i: usize| nodes.get(i).map_or(0, |n| n.layer);
        if layer(l.from) < layer(l.to) {
            if let Some(b) = before.get_mut(l.to) {
                b.push(l.from);
            }
            if let Some(a) = after.get_mut(l.from) {
                a.push(l.to);
            }
        }
    }
    let widest = layers.values().map(Vec::len).max().unwrap_or(0);
    let mut rows: Vec<f32> = vec![0.0; nodes.len()];
    let spread = |layer: &[usize], rows: &mut Vec<f32>| {
        let middle = (layer.len() as f32 - 1.0) / 2.0;
        for (n, i) in layer.iter().enumerate() {
            if let Some(row) = rows.get_mut(*i) {
                *row = n as f32 - middle;
            }
        }
    };
    for layer in layers.values() {
        spread(layer, &mut rows);
    }
    let row = |i: usize, rows: &[f32]| rows.get(i).copied().unwrap_or(0.0);
    for sweep in 0..SWEEPS {
        let forth = sweep % 2 == 0;
        let mut order: Vec<usize> = layers.keys().copied().collect();
        if !forth {
            order.reverse();
        }
        for key in order {
            let Some(layer) = layers.get_mut(&key) else { continue };
            let neighbours = if forth { &before } else { &after };
            let mut wish: Vec<(f32, usize)> = layer
                .iter()
                .map(|i| {
                    let near = neighbours.get(*i).map(Vec::as_slice).unwrap_or_default();
                    let sum: f32 = near.iter().map(|n| row(*n, &rows)).sum();
                    (if near.is_empty() { row(*i, &rows) } else { sum / near.len() as f32 }, *i)
                })
                .collect();
            wish.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            *layer = wish.into_iter().map(|(_, i)| i).collect();
            spread(layer, &mut rows);
        }
    }
    for (n, row) in nodes.iter_mut().zip(rows) {
        n.row = row;
    }
    widest
}
