//! All orders at once: every state that a cluster can reach, whichever component acts first.
//!
//! The search is breadth first, so the path to a state is a shortest one. States are merged by a fingerprint
//! that ignores differences which only the order of actions makes (see [`Symmetry`]). An [`Explorer`] is a
//! value that works in slices: the caller says how many states to explore at a time, and can stop.
//!
//! ```
//! use steady::session::{Session, Start, explore::{Explorer, Options}};
//! let mut session = Session::new(Start { nodes: 1, ..Start::default() });
//! let scenario = steady::session::scenario::all().remove(0);
//! session.apply(&scenario.manifest.replace("replicas: 3", "replicas: 1"));
//! let mut explorer = Explorer::new(session.cluster(), Options::default(), Vec::new());
//! while explorer.explore(100) {}
//! let report = explorer.report();
//! assert!(report.complete && report.outcomes.len() == 1, "all orders end in the same state");
//! ```

mod address;
mod colours;
mod facts;
mod fingerprint;
mod invariant;
mod known;
pub mod message;
mod normal;
mod path;
pub mod picture;
mod report;
mod skeleton;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

pub use invariant::{Invariant, Violation, builtin, objects};
pub use known::Symmetry;
pub use normal::{Choice, Did};
pub use path::{Diverged, follow};
pub use report::{Broken, Ending, Endless, Report};

use serde::{Deserialize, Serialize};

use crate::cluster::{Cluster, Stopped};
use crate::session::Depth;
use fingerprint::Fingerprints;
use normal::{Able, Normal, normal};
pub(super) use normal::{heard, settled};

/// Whether the objects of two clusters have equal fingerprints.
#[cfg(test)]
pub(super) fn objects_alike(a: &Cluster, b: &Cluster) -> bool {
    let mut fingerprints = Fingerprints::new(Symmetry::Merged);
    fingerprints.of_objects(a) == fingerprints.of_objects(b)
}

/// The index of a state; the start is 0.
pub type StateId = usize;

/// What an exploration counts as a step, and its bounds.
#[derive(Clone, Debug)]
pub struct Options {
    /// What counts as one step.
    pub depth: Depth,
    /// Whether interchangeable objects are told apart.
    pub symmetry: Symmetry,
    /// The most states that are explored.
    pub states: usize,
    /// The most steps from the start.
    pub steps: usize,
    /// The most states that wait to be explored. Each of them has a whole cluster, so this bounds memory.
    pub waiting: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            depth: Depth::Command,
            symmetry: Symmetry::Merged,
            states: 100_000,
            steps: 10_000,
            waiting: 20_000,
        }
    }
}

/// Why an exploration ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cut {
    /// [`Options::states`] was reached.
    States,
    /// [`Options::steps`] was reached.
    Steps,
    /// [`Options::waiting`] was reached.
    Waiting,
    /// A component works for ever without writing anything.
    Circle,
    /// The caller's bound on memory was reached.
    Memory,
}

/// A state that was reached.
#[derive(Clone, Debug)]
pub struct State {
    /// The state from which it was reached first, and the choice that led to it; `None` for the start.
    pub from: Option<(StateId, Choice)>,
    /// The smallest number of steps from the start.
    pub steps: usize,
    /// The steps from it; empty until it is explored.
    pub next: Vec<Edge>,
    /// Whether no component can act any more.
    pub steady: bool,
    /// The fingerprint of its objects alone, if it is steady: steady states with equal ones are the same outcome.
    pub objects: Option<u128>,
    /// The fingerprint by which states are merged.
    pub fingerprint: u128,
    /// Whether the steps from it are known.
    pub explored: bool,
}

/// A step from one state to another.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The choice that was made.
    pub choice: Choice,
    /// What the step did.
    pub did: Did,
    /// The state that it leads to.
    pub to: StateId,
}

/// A search through the states of a cluster.
pub struct Explorer {
    start: Cluster,
    options: Options,
    invariants: Vec<Box<dyn Invariant>>,
    fingerprints: Fingerprints,
    able: Able,
    states: Vec<State>,
    by_fingerprint: BTreeMap<u128, StateId>,
    waiting: VecDeque<(StateId, Normal)>,
    broken: Vec<Broken>,
    cut: Option<Cut>,
}

impl Explorer {
    /// A search from a cluster. It has reached the start and explored nothing.
    pub fn new(start: &Cluster, options: Options, invariants: Vec<Box<dyn Invariant>>) -> Explorer {
        let fingerprints = Fingerprints::new(options.symmetry);
        let mut explorer = Explorer {
            start: start.clone(),
            options,
            invariants,
            fingerprints,
            able: Able::default(),
            states: Vec::new(),
            by_fingerprint: BTreeMap::new(),
            waiting: VecDeque::new(),
            broken: Vec::new(),
            cut: None,
        };
        explorer.reach(start.clone(), None);
        explorer
    }

    /// Explores at most `states` more states. Returns whether there are more to explore.
    pub fn explore(&mut self, states: usize) -> bool {
        for _ in 0..states {
            let Some((id, here)) = self.waiting.pop_front() else { return false };
            self.expand(id, here);
        }
        !self.waiting.is_empty()
    }

    fn expand(&mut self, id: StateId, here: Normal) {
        let mut edges = Vec::with_capacity(here.choices.len());
        for next in here.steps() {
            let Ok(next) = next else {
                self.cut.get_or_insert(Cut::Circle);
                continue;
            };
            for (nth, invariant) in self.invariants.iter().enumerate() {
                if let Err(violation) = invariant.step(&here.cluster, &next.after)
                    && self.broken.iter().all(|b| b.invariant != nth)
                {
                    let name = invariant.name().to_owned();
                    let at = Some((id, next.choice));
                    self.broken.push(Broken { invariant: nth, name, at, violation });
                }
            }
            if let Some(to) = self.reach(next.after, Some((id, next.choice))) {
                edges.push(Edge { choice: next.choice, did: next.did, to });
            }
        }
        if let Some(state) = self.states.get_mut(id) {
            state.next = edges;
            state.explored = true;
        }
    }

    /// The state of a cluster; a new one if its fingerprint is new. `None` if a bound was reached.
    fn reach(&mut self, cluster: Cluster, from: Option<(StateId, Choice)>) -> Option<StateId> {
        let here = match normal(cluster, self.options.depth, &mut self.able) {
            Ok(here) => here,
            Err(Stopped::Limit | Stopped::Idle) => {
                self.cut.get_or_insert(Cut::Circle);
                return None;
            }
        };
        let fingerprint = self.fingerprints.of(&here.cluster);
        if let Some(id) = self.by_fingerprint.get(&fingerprint) {
            return Some(*id);
        }
        let steps = from.and_then(|(id, _)| self.states.get(id)).map_or(0, |s| s.steps + 1);
        let cut = [
            (self.states.len() >= self.options.states, Cut::States),
            (steps > self.options.steps, Cut::Steps),
            (self.waiting.len() >= self.options.waiting, Cut::Waiting),
        ];
        if let Some((_, cut)) = cut.into_iter().find(|(is, _)| *is) {
            self.cut.get_or_insert(cut);
            return None;
        }
        let id = self.states.len();
        let steady = here.is_steady();
        for (nth, invariant) in self.invariants.iter().enumerate() {
            if self.broken.iter().any(|b| b.invariant == nth) {
                continue;
            }
            let always = invariant.state(&here.cluster);
            let found = if steady { always.and_then(|()| invariant.steady(&here.cluster)) } else { always };
            if let Err(violation) = found {
                let name = invariant.name().to_owned();
                self.broken.push(Broken { invariant: nth, name, at: from, violation });
            }
        }
        self.by_fingerprint.insert(fingerprint, id);
        let objects = steady.then(|| self.fingerprints.of_objects(&here.cluster));
        self.states.push(State {
            from,
            steps,
            next: Vec::new(),
            steady,
            objects,
            fingerprint,
            explored: steady,
        });
        if !steady {
            self.waiting.push_back((id, here));
        }
        Some(id)
    }

    /// The states reached so far, by id.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The number of states that wait to be explored.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Why the search ended early, if it did.
    pub fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// A shortest path from the start to a state.
    pub fn path(&self, to: StateId) -> Vec<Choice> {
        let mut path = Vec::new();
        let mut at = to;
        while let Some((from, choice)) = self.states.get(at).and_then(|s| s.from) {
            path.push(choice);
            at = from;
        }
        path.reverse();
        path
    }

    /// Ends the search early, for this reason. An earlier reason stays.
    pub fn cut_short(&mut self, why: Cut) {
        self.cut.get_or_insert(why);
    }

    /// The state of a cluster; `None` if it was not reached. The caller asks for each moment of a run in
    /// turn, because the name of a deleted object is known only if a cluster with the object was seen. A
    /// moment at which a key without a write is queued before a key with one is not found, as the normal
    /// form has worked off the first one earlier.
    pub fn find(&mut self, cluster: &Cluster) -> Option<StateId> {
        let here = normal(cluster.clone(), self.options.depth, &mut self.able).ok()?;
        self.by_fingerprint.get(&self.fingerprints.of(&here.cluster)).copied()
    }

    /// The cluster of a state, computed by taking the path to it again.
    pub fn cluster(&self, state: StateId) -> Option<Cluster> {
        self.states.get(state)?;
        let mut able = Able::default();
        let mut here = normal(self.start.clone(), self.options.depth, &mut able).ok()?;
        for choice in self.path(state) {
            let next = here.take(choice).ok()??;
            here = normal(next.after, self.options.depth, &mut able).ok()?;
        }
        Some(here.cluster)
    }

    /// The choices that lead from the start through these states, one after the other; `None` if there are
    /// none. In merged states the same step may be another choice, since objects have other names, so each
    /// step is searched for.
    pub fn through(&mut self, states: &[StateId]) -> Option<Vec<Choice>> {
        let mut here = normal(self.start.clone(), self.options.depth, &mut self.able).ok()?;
        let mut way = Vec::with_capacity(states.len());
        for state in states {
            let wanted = self.states.get(*state)?.fingerprint;
            let mut found = None;
            for next in here.steps() {
                let next = next.ok()?;
                let there = normal(next.after, self.options.depth, &mut self.able).ok()?;
                if self.fingerprints.of(&there.cluster) == wanted {
                    found = Some((next.choice, there));
                    break;
                }
            }
            let (choice, there) = found?;
            way.push(choice);
            here = there;
        }
        Some(way)
    }

    /// The states on a shortest path to a state, without the start.
    pub fn states_to(&self, to: StateId) -> Vec<StateId> {
        let mut states = Vec::new();
        let mut at = to;
        while let Some((from, _)) = self.states.get(at).and_then(|s| s.from) {
            states.push(at);
            at = from;
        }
        states.reverse();
        states
    }

    /// The states on a longest path to a steady state, without the start; empty if there is no longest one.
    pub fn longest(&self) -> Vec<StateId> {
        report::longest_way(&self.states)
    }

    /// The path to the violation of an invariant.
    pub fn counterexample(&self, broken: &Broken) -> Vec<Choice> {
        let Some((from, choice)) = broken.at else { return Vec::new() };
        let mut path = self.path(from);
        path.push(choice);
        path
    }

    /// The result of the search so far.
    pub fn report(&self) -> Report {
        report::report(&self.states, &self.broken, self.cut, self.waiting.is_empty())
    }
}
