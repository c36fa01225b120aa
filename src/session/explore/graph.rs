//! The graph of the states that were reached.
//!
//! States are entered in the order of a search by one worker: what is known of a state's steps is entered after that of all
//! states with smaller ids, and the steps of one state in the order of its choices. So ids, shortest paths and the first violation
//! of an invariant are the same, whoever works the steps out and when.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::findings::{Fresh, Judged, Step};
use super::invariant::Violation;
use super::normal::{Choice, Did};
use super::report::{Broken, Report, report};
use super::{Cut, Edge, Options, State, StateId};

/// The states reached so far, the steps between them, and what they violate.
#[derive(Debug)]
pub(super) struct Graph {
    options: Options,
    /// The names of the invariants.
    names: Vec<String>,
    states: Vec<State>,
    by_fingerprint: BTreeMap<u128, StateId>,
    /// What steps did. Many steps do the same.
    dids: BTreeSet<Rc<Did>>,
    broken: Vec<Broken>,
    cut: Option<Cut>,
    /// The number of states whose steps are not known.
    waiting: usize,
}

/// What became of a state that a step leads to.
enum Entered {
    /// It is a new one; its steps are to be worked out.
    New(StateId),
    /// It was known, or is a steady one.
    Known(StateId),
    /// A bound was reached.
    Refused,
}

impl Graph {
    /// A graph without states.
    pub fn new(options: Options, names: Vec<String>) -> Graph {
        Graph {
            options,
            names,
            states: Vec::new(),
            by_fingerprint: BTreeMap::new(),
            dids: BTreeSet::new(),
            broken: Vec::new(),
            cut: None,
            waiting: 0,
        }
    }

    /// Has no bound on the number of states that wait to be explored.
    pub fn wait_without_bound(&mut self) {
        self.options.waiting = usize::MAX;
    }

    /// Enters the start.
    pub fn begin(&mut self, fingerprint: u128, fresh: Fresh) {
        self.enter(fingerprint, Some(fresh), None);
    }

    /// Enters the steps of a state. Returns what becomes of the states that they lead to.
    pub fn explored(&mut self, id: StateId, steps: Vec<Step>) -> Judged {
        self.waiting = self.waiting.saturating_sub(1);
        let mut judged = Judged { of: id, kept: Vec::new(), refused: Vec::new() };
        let mut edges = Vec::with_capacity(steps.len());
        for (nth, step) in steps.into_iter().enumerate() {
            let at = Some((id, step.choice));
            self.violated(step.broke, at);
            let Some(seen) = step.to else {
                self.cut_short(Cut::Circle);
                continue;
            };
            let to = match self.enter(seen.fingerprint.into(), seen.fresh, at) {
                Entered::New(to) => {
                    judged.kept.push((nth, to));
                    to
                }
                Entered::Known(to) => to,
                Entered::Refused => {
                    judged.refused.push(nth);
                    continue;
                }
            };
            edges.push(Edge { choice: step.choice, did: self.did(step.did), to });
        }
        if let Some(state) = self.states.get_mut(id) {
            state.next = edges;
            state.explored = true;
        }
        judged
    }

    fn did(&mut self, did: Did) -> Rc<Did> {
        if let Some(known) = self.dids.get(&did) {
            return known.clone();
        }
        let did = Rc::new(did);
        self.dids.insert(did.clone());
        did
    }

    /// Enters a state, unless it is known or a bound is reached.
    fn enter(&mut self, fingerprint: u128, fresh: Option<Fresh>, from: Option<(StateId, Choice)>) -> Entered {
        if let Some(id) = self.by_fingerprint.get(&fingerprint) {
            return Entered::Known(*id);
        }
        let steps = from.and_then(|(id, _)| self.states.get(id)).map_or(0, |s| s.steps + 1);
        let cut = [
            (self.states.len() >= self.options.states, Cut::States),
            (steps > self.options.steps, Cut::Steps),
            (self.waiting >= self.options.waiting, Cut::Waiting),
        ];
        if let Some((_, cut)) = cut.into_iter().find(|(is, _)| *is) {
            self.cut_short(cut);
            return Entered::Refused;
        }
        // What is new to the graph is new to whoever found it: the graph hears of it first from the first who finds it.
        let Some(Fresh { objects, broke }) = fresh else { return Entered::Refused };
        let objects = objects.map(u128::from);
        let id = self.states.len();
        let steady = objects.is_some();
        self.violated(broke, from);
        self.by_fingerprint.insert(fingerprint, id);
        self.states.push(State {
            from,
            steps,
            next: Vec::new(),
            steady,
            objects,
            fingerprint,
            explored: steady,
        });
        if steady {
            return Entered::Known(id);
        }
        self.waiting += 1;
        Entered::New(id)
    }

    /// Notes violations, each if it is the first one of its invariant.
    fn violated(&mut self, found: Vec<(usize, Violation)>, at: Option<(StateId, Choice)>) {
        for (invariant, violation) in found {
            if self.broken.iter().any(|b| b.invariant == invariant) {
                continue;
            }
            let Some(name) = self.names.get(invariant).cloned() else { continue };
            self.broken.push(Broken { invariant, name, at, violation });
        }
    }

    /// Ends the search early, for this reason. An earlier reason stays.
    pub fn cut_short(&mut self, why: Cut) {
        self.cut.get_or_insert(why);
    }

    /// The states, by id.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The state with a fingerprint.
    pub fn find(&self, fingerprint: u128) -> Option<StateId> {
        self.by_fingerprint.get(&fingerprint).copied()
    }

    /// The number of states whose steps are not known.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// Why the search ended early, if it did.
    pub fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// The indices of the invariants that were violated.
    pub fn broken(&self) -> impl Iterator<Item = usize> {
        self.broken.iter().map(|b| b.invariant)
    }

    /// A shortest path to a state: each state on it without the start, and the choice that leads there.
    pub fn way(&self, to: StateId) -> Vec<(Choice, StateId)> {
        let mut way = Vec::new();
        let mut at = to;
        while let Some((from, choice)) = self.states.get(at).and_then(|s| s.from) {
            way.push((choice, at));
            at = from;
        }
        way.reverse();
        way
    }

    /// The result so far.
    pub fn report(&self) -> Report {
        report(&self.states, &self.broken, self.cut, self.waiting == 0)
    }
}
