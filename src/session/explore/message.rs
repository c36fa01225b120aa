//! The messages between the page and the worker that explores and rehearses for it: plain data, as JSON.
//!
//! The page sends a run as a link; the worker repeats it and then has the same cluster as the page. The
//! worker sends choices, which the page takes as steps. Neither clusters nor code are sent.

use serde::{Deserialize, Serialize};

use super::order::{Order, Told};
use super::picture::Picture;
use super::{Choice, Cut, StateId, Symmetry};
use crate::session::Depth;
use crate::session::rehearsal::{self, NoRehearsal, Rehearsed, Stand};

/// The version of the messages, raised when a message changes its meaning. Page and worker are two files,
/// and a browser may have an old version of either.
pub const VERSION: u32 = 4;

/// A message from the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Explore. An earlier exploration is forgotten.
    Explore(Box<Plan>),
    /// Rehearse a rollout. What was explored is forgotten.
    Rehearse(Box<Rehearse>),
    /// Stop exploring, and send what was found so far; or stop rehearsing.
    Stop,
    /// Send the choices that lead to a goal.
    Way(Goal),
    /// Send a drawing of the graph of states. If a state is given, it and its neighbours are in it.
    Picture(Option<StateId>),
    /// Send in which states a run is at its moments. The text is a link of the ops since the start of the
    /// exploration.
    Where(String),
    /// Check whether a person's invariant can be parsed.
    Read(Own),
}

/// What to rehearse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rehearse {
    /// The run up to the start of the rehearsal, as a link's text.
    pub link: String,
    /// What is rehearsed.
    pub plan: rehearsal::Plan,
}

/// What to explore.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The run up to the start of the exploration, as a link's text.
    pub link: String,
    /// What counts as one step.
    pub depth: Depth,
    /// Whether interchangeable objects are told apart.
    pub symmetry: Symmetry,
    /// The most states that are explored.
    pub states: usize,
    /// The most steps from the start.
    pub steps: usize,
    /// The most memory of the worker, in megabytes.
    pub megabytes: usize,
    /// The names of the built-in invariants to check.
    pub invariants: Vec<String>,
    /// A person's invariants to check.
    pub own: Vec<Own>,
}

/// A person's invariant: a CEL expression over `objects`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    /// The expression.
    pub text: String,
    /// Whether it is checked in steady states only.
    pub steady: bool,
}

/// The goal of a path through the graph of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Goal {
    /// A state.
    State(StateId),
    /// The nearest state of an outcome, by its index in [`Found::outcomes`].
    Outcome(usize),
    /// A steady state, on the longest path.
    Longest,
    /// A state that repeats, and then once around the cycle.
    Circle,
    /// The violation of an invariant, by its index in [`Found::broken`].
    Broken(usize),
}

/// A message from the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Tell {
    /// The worker is ready; its [`VERSION`].
    Ready(u32),
    /// The worker repeats the run: how many steps are done, and how many there are.
    Replaying(u64, u64),
    /// The state of the exploration under way.
    Progress(Progress),
    /// What the exploration found.
    Found(Box<Found>),
    /// How far the rehearsal is.
    Rehearsing(Stand),
    /// What the rehearsal found.
    Rehearsed(Box<Rehearsed>),
    /// There is no rehearsal.
    NoRehearsal(NoRehearsal),
    /// The worker stopped before it had begun to explore, or in a rehearsal.
    Stopped,
    /// The choices that lead to a goal.
    Way {
        /// The goal.
        goal: Goal,
        /// What counts as one step.
        depth: Depth,
        /// The choices, in order.
        choices: Vec<Choice>,
    },
    /// No path leads to this goal.
    NoWay(Goal),
    /// A drawing of the graph of states.
    Picture(Picture),
    /// The state at each moment of a run; `None` where the exploration did not reach it.
    Where(Vec<Option<StateId>>),
    /// The invariant can be parsed.
    Readable,
    /// The invariant cannot be parsed.
    Unreadable(Unreadable),
    /// The worker cannot do what was asked, with the reason.
    Refused(String),
    /// The worker has failed and does nothing any more, with the reason.
    Failed(String),
}

/// A message from the worker that explores to another one that helps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Call {
    /// Repeat the run of the plan, and stand at its end.
    Begin(Box<Plan>),
    /// What to do there.
    Order(Order),
}

/// A message from a worker that helps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Said {
    /// It has repeated the run and can hear orders.
    Begun,
    /// What it has found.
    Told(Told),
    /// How much its memory has grown since it could hear orders, in bytes.
    Memory(usize),
    /// It has failed and does nothing any more, with the reason.
    Failed(String),
}

/// What the worker that explores has others do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calls {
    /// Grows when all who helped before are to be ended.
    pub turn: u32,
    /// The messages, each with the number of the worker that it is for and as the text of a [`Call`]. Who is called for the
    /// first time is to be started.
    pub say: Vec<(usize, String)>,
}

/// The error about an invariant that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    /// The line, counted from 1; 0 if the error is about the whole text.
    pub line: usize,
    /// The column in characters, counted from 1; 0 if the error is about the whole text.
    pub column: usize,
    /// The message.
    pub why: String,
}

/// How far an exploration has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The number of states reached.
    pub states: usize,
    /// The number of reached states that are not explored yet.
    pub waiting: usize,
    /// The largest distance from the start, in steps.
    pub steps: usize,
    /// The worker's memory in bytes; 0 if it is not known.
    pub memory: usize,
}

/// The result of an exploration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The number of states reached.
    pub states: usize,
    /// The number of steps between them.
    pub edges: usize,
    /// Whether all reachable states were explored. Only then the result holds for every order.
    pub complete: bool,
    /// The bound that ended the exploration; `None` if none did or a person stopped it.
    pub cut: Option<Cut>,
    /// The number of reached states that were not explored.
    pub waiting: usize,
    /// The largest distance from the start, in steps.
    pub steps: usize,
    /// The memory of the states in bytes; 0 if it is not known.
    pub memory: usize,
    /// The outcomes: the different steady states, by their objects.
    pub outcomes: Vec<Outcome>,
    /// The number of steps to the nearest steady state; `None` if none was reached.
    pub shortest: Option<usize>,
    /// The number of steps on the longest path to a steady state; `None` if none was reached or there is no
    /// longest one.
    pub longest: Option<usize>,
    /// A cycle of states, if there is one.
    pub circle: Option<Circle>,
    /// The names of the invariants that hold in all explored states; a person's has its text as a name.
    pub held: Vec<String>,
    /// The invariants that were violated.
    pub broken: Vec<Break>,
}

/// A set of steady states with equal objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The nearest of these states.
    pub state: StateId,
    /// The number of steps to it.
    pub steps: usize,
    /// The number of these states.
    pub states: usize,
    /// How many objects of each kind there are beside those of every cluster. Pods are counted by status.
    pub objects: Vec<(String, usize)>,
}

/// A cycle of states: an order of actions that never ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Circle {
    /// The state at which the cycle begins.
    pub state: StateId,
    /// The number of steps from the start to it.
    pub before: usize,
    /// The number of steps of the cycle.
    pub length: usize,
}

/// An invariant that was violated or could not be evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Break {
    /// The name; the text if it is a person's.
    pub name: String,
    /// Whether it is a person's.
    pub own: bool,
    /// The number of steps to the violation.
    pub steps: usize,
    /// The object concerned, if it is about one.
    pub object: Option<String>,
    /// The values that were compared, each with a name.
    pub values: Vec<(String, String)>,
    /// Why the invariant could not be evaluated; `None` if it could.
    pub undecided: Option<String>,
}

/// Writes a message as JSON.
pub fn write<T: Serialize>(message: &T) -> String {
    // Numbers, texts and lists of them always become JSON.
    serde_json::to_string(message).unwrap_or_default()
}

/// Reads a message from JSON.
///
/// # Errors
/// What is wrong with the text.
pub fn read<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T, String> {
    // By way of a `Value`, like all JSON: a second way would cost another copy of the types' decoders.
    let value = serde_json::from_str::<serde_json::Value>(text).map_err(|e| e.to_string())?;
    serde_json::from_value(value).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::cluster::{Action, Actor};

    fn rehearsed() -> rehearsal::Plan {
        let workload = crate::api::ObjectRef::new(crate::api::Kind::DEPLOYMENT, "default", "web");
        let port = rehearsal::Port { service: "web".into(), port: 8080 };
        let plan = rehearsal::Plan::of(workload);
        rehearsal::Plan { rate: 9, port: Some(port), keep_alive: true, ..plan }
    }

    #[test]
    fn messages_come_back_as_they_were_sent() {
        let plan = Plan {
            link: "a".into(),
            depth: Depth::Reconcile,
            symmetry: Symmetry::Distinct,
            states: 5,
            steps: 6,
            megabytes: 7,
            invariants: vec!["maxSurge".into()],
            own: vec![Own { text: "objects.size() > 0".into(), steady: true }],
        };
        for ask in [
            Ask::Explore(Box::new(plan)),
            Ask::Rehearse(Box::new(Rehearse { link: "a".into(), plan: rehearsed() })),
            Ask::Stop,
            Ask::Way(Goal::Broken(3)),
            Ask::Picture(Some(4)),
            Ask::Where("a".into()),
        ] {
            assert_eq!(read::<Ask>(&write(&ask)).unwrap(), ask);
        }
        let actor = Actor { process: 1, component: 2 };
        let choices = vec![Choice::Actor(actor), Choice::Act(Action::Send { actor }), Choice::Time];
        let found = Found { cut: Some(Cut::Memory), broken: vec![Break::default()], ..Found::default() };
        for tell in [
            Tell::Ready(VERSION),
            Tell::Way { goal: Goal::Circle, depth: Depth::Command, choices },
            Tell::Found(Box::new(found)),
            Tell::Where(vec![Some(1), None]),
            Tell::Rehearsing(Stand { tried: 1, of: 2, steps: 3 }),
            Tell::NoRehearsal(NoRehearsal::Refused("no".into())),
            Tell::Picture(Picture::default()),
        ] {
            assert_eq!(read::<Tell>(&write(&tell)).unwrap(), tell);
        }
        // A plan in which nothing more is chosen reads as one of the time before one could choose more.
        let plan = rehearsal::Plan::of(rehearsed().workload);
        let mut old = serde_json::to_value(&plan).unwrap();
        old.as_object_mut().unwrap().remove("occasion");
        assert_eq!(old.as_object().unwrap().len(), 3, "{old}");
        assert_eq!(serde_json::from_value::<rehearsal::Plan>(old).unwrap(), plan);
        assert!(read::<Ask>("{").is_err());
        assert!(read::<Ask>("{\"Way\":{\"Nowhere\":1}}").is_err());
    }
}
