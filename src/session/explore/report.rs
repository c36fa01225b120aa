//! What follows from the graph of states: outcomes, distances, cycles.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use super::invariant::Violation;
use super::normal::Choice;
use super::{Cut, State, StateId};

/// The result of an exploration.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The number of states reached.
    pub states: usize,
    /// The number of steps between them.
    pub edges: usize,
    /// Whether all reachable states were explored. Only then the result holds for every order.
    pub complete: bool,
    /// Why the exploration ended early, if it did.
    pub cut: Option<Cut>,
    /// The different steady states, by their objects. If there is only one, the order of actions does not
    /// matter.
    pub outcomes: Vec<Ending>,
    /// The number of steps to the nearest steady state.
    pub shortest: Option<usize>,
    /// The number of steps on the longest path to a steady state; `None` if some path never ends.
    pub longest: Option<usize>,
    /// A cycle of states, if there is one.
    pub endless: Option<Endless>,
    /// The violated invariants, each with the nearest violation.
    pub broken: Vec<Broken>,
}

/// A set of steady states with equal objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The nearest of these states.
    pub state: StateId,
    /// The number of steps to it.
    pub steps: usize,
    /// The number of these states. They differ in what components remember.
    pub states: usize,
}

/// A cycle of states: an order of actions that never ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endless {
    /// The state on a cycle that is nearest to the start.
    pub state: StateId,
    /// The choices that lead from it back to it.
    pub circle: Vec<Choice>,
    /// The states that these choices reach, the last of which is the first state again.
    pub states: Vec<StateId>,
}

/// A violated invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The index of the invariant among those given to [`Explorer::new`](super::Explorer::new).
    pub invariant: usize,
    /// The invariant's name.
    pub name: String,
    /// The step that violated it; `None` if it did not hold at the start.
    pub at: Option<(StateId, Choice)>,
    /// The violation.
    pub violation: Violation,
}

pub(super) fn report(states: &[State], broken: &[Broken], cut: Option<Cut>, done: bool) -> Report {
    let mut outcomes: Vec<(Option<u128>, Ending)> = Vec::new();
    for (id, s) in states.iter().enumerate().filter(|(_, s)| s.steady) {
        match outcomes.iter_mut().find(|(objects, _)| *objects == s.objects) {
            Some((_, ending)) => ending.states += 1,
            None => outcomes.push((s.objects, Ending { state: id, steps: s.steps, states: 1 })),
        }
    }
    let (longest, endless) = longest(states);
    Report {
        states: states.len(),
        edges: states.iter().map(|s| s.next.len()).sum(),
        complete: done && cut.is_none(),
        cut,
        shortest: outcomes.iter().map(|(_, e)| e.steps).min(),
        longest: if endless.is_none() { longest } else { None },
        endless,
        outcomes: outcomes.into_iter().map(|(_, e)| e).collect(),
        broken: broken.to_vec(),
    }
}

/// The length of the longest path to a steady state, and a cycle if there is one.
fn longest(states: &[State]) -> (Option<usize>, Option<Endless>) {
    let (far, endless) = distances(states);
    let endless = endless.map(|state| {
        let way = circle(states, state);
        Endless {
            state,
            circle: way.iter().map(|(choice, _)| *choice).collect(),
            states: way.iter().map(|(_, to)| *to).collect(),
        }
    });
    (far.first().copied().flatten(), endless)
}

/// The states on a longest path from the start to a steady state.
pub(super) fn longest_way(states: &[State]) -> Vec<StateId> {
    let (far, endless) = distances(states);
    let mut way = Vec::new();
    if endless.is_some() {
        return way;
    }
    let mut at = 0;
    let far = |id: StateId| far.get(id).copied().flatten();
    while let Some(left) = far(at).filter(|n| *n > 0) {
        let next = states.get(at).map(|s| s.next.as_slice()).unwrap_or_default();
        let Some(e) = next.iter().find(|e| far(e.to) == Some(left - 1)) else { break };
        way.push(e.to);
        at = e.to;
    }
    way
}

/// For each state the length of the longest path to a steady state, and the nearest state on a cycle. If
/// there is one, no path is longest, and the lengths mean nothing.
fn distances(states: &[State]) -> (Vec<Option<usize>>, Option<StateId>) {
    let edges = states.iter().enumerate();
    let edges = edges.flat_map(|(id, s)| s.next.iter().map(move |e| (id as u32, e.to as u32)));
    let mut graph: DiGraph<(), ()> = DiGraph::from_edges(edges);
    while graph.node_count() < states.len() {
        graph.add_node(());
    }
    let mut far: Vec<Option<usize>> = vec![None; states.len()];
    let mut endless: Option<StateId> = None;
    // A strongly connected component comes after all others that can be reached from it.
    for component in kosaraju_scc(&graph) {
        for node in &component {
            let Some(state) = states.get(node.index()) else { continue };
            let again = component.len() > 1 || state.next.iter().any(|e| e.to == node.index());
            if again && endless.is_none_or(|e| node.index() < e) {
                endless = Some(node.index());
            }
            let onward = state.next.iter().filter_map(|e| far.get(e.to).copied().flatten()).max();
            let best = onward.map(|n| n + 1).or(state.steady.then_some(0));
            if let Some(slot) = far.get_mut(node.index()) {
                *slot = best;
            }
        }
    }
    (far, endless)
}

/// A shortest cycle through a state: each choice, and the state it leads to.
fn circle(states: &[State], start: StateId) -> Vec<(Choice, StateId)> {
    let mut from: Vec<Option<(StateId, Choice)>> = vec![None; states.len()];
    let mut queue = std::collections::VecDeque::from([start]);
    'search: while let Some(at) = queue.pop_front() {
        for e in states.get(at).map(|s| s.next.as_slice()).unwrap_or_default() {
            let Some(slot) = from.get_mut(e.to) else { continue };
            if slot.is_none() {
                *slot = Some((at, e.choice));
                if e.to == start {
                    break 'search;
                }
                queue.push_back(e.to);
            }
        }
    }
    let mut way = Vec::new();
    let mut at = start;
    while let Some((before, choice)) = from.get(at).copied().flatten() {
        way.push((choice, at));
        at = before;
        if at == start {
            break;
        }
    }
    way.reverse();
    way
}
