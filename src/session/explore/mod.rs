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
mod crew;
#[cfg(test)]
mod crew_tests;
mod facts;
pub mod findings;
mod fingerprint;
mod graph;
mod invariant;
mod known;
pub mod message;
mod normal;
pub mod order;
mod path;
pub mod picture;
mod promises;
mod report;
mod requests;
#[cfg(test)]
mod requests_tests;
mod searcher;
mod skeleton;
#[cfg(test)]
mod tests;

use std::rc::Rc;

pub use invariant::{Invariant, Violation, objects};
pub use known::Symmetry;
pub use normal::{Choice, Did};
pub use path::{Diverged, follow};
pub use promises::builtin;
pub use report::{Broken, Ending, Endless, Report};
pub use searcher::Searcher;

use serde::{Deserialize, Serialize};

use crate::cluster::Cluster;
use crate::session::Depth;
use crew::Crew;
use graph::Graph;
pub(super) use normal::{heard, settled};
use order::{Order, Told};

/// Whether the objects of two clusters have equal fingerprints.
#[cfg(test)]
pub(super) fn objects_alike(a: &Cluster, b: &Cluster) -> bool {
    let mut fingerprints = fingerprint::Fingerprints::new(Symmetry::Merged);
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
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The choice that was made.
    pub choice: Choice,
    /// What the step did.
    pub did: Rc<Did>,
    /// The state that it leads to.
    pub to: StateId,
}

/// A search through the states of a cluster.
pub struct Explorer {
    graph: Graph,
    /// Works out the steps of states, if nobody else does; and paths.
    searcher: Searcher,
    /// Those who work out the steps of states; `None` if the explorer does it alone.
    crew: Option<Crew>,
}

impl Explorer {
    /// A search from a cluster. It has reached the start and explored nothing.
    pub fn new(start: &Cluster, options: Options, invariants: Vec<Box<dyn Invariant>>) -> Explorer {
        let mut searcher = Searcher::new(start, &options, invariants);
        let mut graph = Graph::new(options, searcher.names());
        match searcher.begin() {
            Ok((fingerprint, fresh)) => graph.begin(fingerprint, fresh),
            Err(_) => graph.cut_short(Cut::Circle),
        }
        searcher.broken(graph.broken());
        Explorer { graph, searcher, crew: None }
    }

    /// From now on so many others explore, and this one only keeps the graph: [`Searcher`]s with the same start, options and
    /// invariants, each of which hears [`Explorer::orders`], and whose answers are handed to [`Explorer::hear`]. The result is
    /// that of a search that is done alone, but for [`Options::waiting`], which does not bound it any more.
    pub fn share(&mut self, searchers: usize) {
        if self.crew.is_none() {
            self.graph.wait_without_bound();
            let waiting = self.searcher.give_up(usize::MAX);
            self.crew = Some(Crew::new(&self.graph, searchers.clamp(1, order::SEARCHERS), &waiting));
        }
    }

    /// Whether others explore.
    pub fn is_shared(&self) -> bool {
        self.crew.is_some()
    }

    /// Explores at most `states` more states. Returns whether there are more to explore.
    pub fn explore(&mut self, states: usize) -> bool {
        for _ in 0..states {
            let Some((id, steps)) = self.searcher.explore() else { return false };
            let judged = self.graph.explored(id, steps);
            self.searcher.judged(&judged);
            self.searcher.broken(self.graph.broken());
        }
        self.graph.waiting() > 0
    }

    /// Hears what a searcher has found.
    ///
    /// # Errors
    /// Why the search cannot go on.
    pub fn hear(&mut self, searcher: usize, told: Told) -> Result<(), String> {
        match &mut self.crew {
            Some(crew) => crew.hear(&mut self.graph, searcher, told),
            None => Err("this explorer works alone".to_owned()),
        }
    }

    /// What the searchers are to hear since the last call, each with its number.
    pub fn orders(&mut self) -> Vec<(usize, Order)> {
        self.crew.as_mut().map(Crew::take_orders).unwrap_or_default()
    }

    /// The states reached so far, by id.
    pub fn states(&self) -> &[State] {
        self.graph.states()
    }

    /// The number of states that wait to be explored.
    pub fn waiting(&self) -> usize {
        self.graph.waiting()
    }

    /// Why the search ended early, if it did.
    pub fn cut(&self) -> Option<Cut> {
        self.graph.cut()
    }

    /// A shortest path from the start to a state.
    pub fn path(&self, to: StateId) -> Vec<Choice> {
        self.graph.way(to).into_iter().map(|(choice, _)| choice).collect()
    }

    /// Ends the search early, for this reason. An earlier reason stays.
    pub fn cut_short(&mut self, why: Cut) {
        self.graph.cut_short(why);
    }

    /// The state of a cluster; `None` if it was not reached. The caller asks for each moment of a run in
    /// turn, because the name of a deleted object is known only if a cluster with the object was seen. A
    /// moment at which a key without a write is queued before a key with one is not found, as the normal
    /// form has worked off the first one earlier.
    pub fn find(&mut self, cluster: &Cluster) -> Option<StateId> {
        self.graph.find(self.searcher.fingerprint(cluster)?)
    }

    /// The cluster of a state, computed by taking the path to it again.
    pub fn cluster(&self, state: StateId) -> Option<Cluster> {
        self.states().get(state)?;
        self.searcher.cluster(self.path(state))
    }

    /// The choices that lead from the start through these states, one after the other; `None` if there are
    /// none. In merged states the same step may be another choice, since objects have other names, so each
    /// step is searched for.
    pub fn through(&mut self, states: &[StateId]) -> Option<Vec<Choice>> {
        let wanted = states.iter().map(|id| Some(self.graph.states().get(*id)?.fingerprint));
        let wanted: Vec<u128> = wanted.collect::<Option<_>>()?;
        self.searcher.through(wanted)
    }

    /// The states on a shortest path to a state, without the start.
    pub fn states_to(&self, to: StateId) -> Vec<StateId> {
        self.graph.way(to).into_iter().map(|(_, state)| state).collect()
    }

    /// The states on a longest path to a steady state, without the start; empty if there is no longest one.
    pub fn longest(&self) -> Vec<StateId> {
        report::longest_way(self.states())
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
        self.graph.report()
    }
}
