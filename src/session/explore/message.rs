//! What a page and the worker that explores for it say to each other: plain data, as JSON.
//!
//! The worker is handed a run as a link, so it stands where the page stands, and hands back choices,
//! which the page follows like any other step. No state and no code goes over.

use serde::{Deserialize, Serialize};

use super::picture::Picture;
use super::{Choice, Cut, StateId, Symmetry};
use crate::session::Depth;

/// Grows when a message changes its meaning: page and worker are two files, and a browser may have an
/// old one of either.
pub const VERSION: u32 = 1;

/// What the page asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Explore; what was explored before is forgotten.
    Explore(Box<Plan>),
    /// Stop, and say what is known so far.
    Stop,
    /// The choices that lead somewhere.
    Way(Goal),
    /// The graph of states, with one of them and its neighbours in it.
    Picture(Option<StateId>),
    /// In which states a run is, that begins where the exploration began: the ops since, as a link.
    Where(String),
    /// Whether an invariant can be read.
    Read(Own),
}

/// What to explore, from where, and how far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The run up to where it begins, as a link's text.
    pub link: String,
    /// What one step is.
    pub depth: Depth,
    /// Whether interchangeable objects are told apart.
    pub symmetry: Symmetry,
    /// So many states at most.
    pub states: usize,
    /// So many steps at most.
    pub steps: usize,
    /// So many megabytes of the worker's memory at most.
    pub megabytes: usize,
    /// The names of the library's invariants to look at.
    pub invariants: Vec<String>,
    /// The person's own.
    pub own: Vec<Own>,
}

/// An invariant in CEL, over `objects`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    /// The expression.
    pub text: String,
    /// Whether it shall hold in steady states only.
    pub steady: bool,
}

/// Where a way leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Goal {
    /// To a state.
    State(StateId),
    /// To the nearest state of an outcome, by its place in the list.
    Outcome(usize),
    /// To an outcome, as slowly as can be.
    Longest,
    /// Into a circle, and once around it.
    Circle,
    /// To what breaks an invariant, by its place in the list.
    Broken(usize),
}

/// What the worker tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Tell {
    /// It listens; its [`VERSION`].
    Ready(u32),
    /// It goes the way to where the exploration begins: so many steps of so many.
    Replaying(u64, u64),
    /// How far it is.
    Progress(Progress),
    /// What was found.
    Found(Box<Found>),
    /// It stopped before it had begun to explore.
    Stopped,
    /// The choices that lead somewhere, and the states they pass.
    Way {
        /// Where to.
        goal: Goal,
        /// What one step is.
        depth: Depth,
        /// What to choose, in order.
        choices: Vec<Choice>,
    },
    /// There is no way there any more.
    NoWay(Goal),
    /// The graph of states.
    Picture(Picture),
    /// In which states a run is, moment by moment; none where it left what was explored.
    Where(Vec<Option<StateId>>),
    /// An invariant can be read.
    Readable,
    /// An invariant cannot be read.
    Unreadable(Unreadable),
    /// It cannot do what was asked: in the words of whoever refused.
    Refused(String),
    /// It has failed and can do nothing more.
    Failed(String),
}

/// Where and why an invariant cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    /// The line, from 1; 0 if it is about the whole.
    pub line: usize,
    /// The column in characters, from 1; 0 if it is about the whole.
    pub column: usize,
    /// What is wrong.
    pub why: String,
}

/// How far an exploration is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// States that were reached.
    pub states: usize,
    /// States that wait to be looked at.
    pub waiting: usize,
    /// How many steps from the start it is.
    pub steps: usize,
    /// The worker's memory, in bytes; 0 where that is not known.
    pub memory: usize,
}

/// What an exploration found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// How many states were reached.
    pub states: usize,
    /// How many steps between them.
    pub edges: usize,
    /// Whether these are all there are: what is said then holds for every order.
    pub complete: bool,
    /// The bound that cut it short; none if a person stopped it.
    pub cut: Option<Cut>,
    /// States that were not looked at any more.
    pub waiting: usize,
    /// How many steps from the start it came.
    pub steps: usize,
    /// What the states took of the worker's memory, in bytes; 0 where that is not known.
    pub memory: usize,
    /// The different ways it can end.
    pub outcomes: Vec<Outcome>,
    /// The steps to the nearest steady state.
    pub shortest: Option<usize>,
    /// The steps of the longest way to a steady state.
    pub longest: Option<usize>,
    /// An order that never ends.
    pub circle: Option<Circle>,
    /// The names of the invariants that hold, as far as was looked; a person's own is its text.
    pub held: Vec<String>,
    /// Those that do not.
    pub broken: Vec<Break>,
}

/// One way it can end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The nearest state of its kind.
    pub state: StateId,
    /// How many steps lead there, at least.
    pub steps: usize,
    /// How many states look like this.
    pub states: usize,
    /// How many objects of each kind there are beside those every cluster has; pods with their status.
    pub objects: Vec<(String, usize)>,
}

/// An order that never ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Circle {
    /// A state that comes again.
    pub state: StateId,
    /// How many steps lead there.
    pub before: usize,
    /// How many lead back to it.
    pub length: usize,
}

/// An invariant that does not hold, or of which that cannot be said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Break {
    /// Its name; the text of a person's own.
    pub name: String,
    /// Whether it is a person's own.
    pub own: bool,
    /// After how many steps.
    pub steps: usize,
    /// Of which object.
    pub object: Option<String>,
    /// The values that were compared.
    pub values: Vec<(String, String)>,
    /// Why it cannot be said whether it holds.
    pub undecided: Option<String>,
}

/// A message as text.
pub fn write<T: Serialize>(message: &T) -> String {
    // Numbers, texts and lists of them always become JSON.
    serde_json::to_string(message).unwrap_or_default()
}

/// Reads a message.
///
/// # Errors
/// What is wrong with it.
pub fn read<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T, String> {
    // Twice, so that all JSON is read in one way: each costs a copy of the types' decoders.
    let value = serde_json::from_str::<serde_json::Value>(text).map_err(|e| e.to_string())?;
    serde_json::from_value(value).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::cluster::{Action, Actor};

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
            Tell::Picture(Picture::default()),
        ] {
            assert_eq!(read::<Tell>(&write(&tell)).unwrap(), tell);
        }
        assert!(read::<Ask>("{").is_err());
        assert!(read::<Ask>("{\"Way\":{\"Nowhere\":1}}").is_err());
    }
}
