//! What comes out of an [`Engine`](super::Engine).

use std::collections::BTreeSet;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::ObjectRef;
use crate::cluster::{Actor, Policy};
use crate::kubectl;
use crate::session::scenario::{Scenario, Text};
use crate::session::view::graph::Graph;
use crate::session::view::machinery::{Machine, Movement, Overview, Way};
use crate::session::view::{
    Branch, Declared, EventsView, FinestLine, Happened, LinkGroup, Listing, Mark, ObjectView, PlaneFault,
    Preview, Problem, RequestHead, RequestView, Version, Word, YamlView,
};
use crate::session::{Depth, MomentId};

/// Something that came of an input, or of a slice of work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Output {
    /// What is to be shown from now on.
    Show(Box<Shown>),
    /// A message for the person.
    Notice(Notice),
    /// The message that stands there no longer holds.
    Hush,
    /// There was a step, or a person did something.
    Stepped(Box<Stepped>),
    /// Something is under way that was not before.
    Busy,
    /// Nothing is under way any more.
    Idle,
    /// Whether what was asked for could be done.
    Did(bool),
    /// What a command line printed; `None` if it did not run because a run is being opened.
    Printed(Option<kubectl::Output>),
    /// A run is to be remembered, as a link.
    Keep(Slot, String),
    /// The link that was asked for.
    Link(String),
    /// The link in the address has been opened: it has done its work.
    Opened,
    /// Whether the component map is to be shown from now on, also when the page is opened anew.
    MapShown(bool),
    /// The answer to the question of this number.
    Answer(u64, Box<Answer>),
}

/// Where a run is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slot {
    /// What a person works on: a reload brings it back.
    Work,
    /// What a person worked on before they opened another run.
    Aside,
}

/// A message for the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// What it says.
    pub said: Said,
    /// Whether something went wrong.
    pub bad: bool,
}

/// A text of the page's catalogue, or one that is the same in every language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Said {
    /// The catalogue's text of this key, with named values.
    Key(Word, Vec<(Word, Value)>),
    /// What kubectl or the API server said.
    Text(String),
}

/// A value in a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A text of the catalogue.
    Said(Box<Said>),
}

impl Said {
    /// A text without values.
    pub fn key(key: &'static str) -> Said {
        Said::Key(Word::new_static(key), Vec::new())
    }

    /// With a number in it.
    #[must_use]
    pub fn number(self, name: &'static str, n: f64) -> Said {
        self.with(name, Value::Number(n))
    }

    /// With a value in it.
    #[must_use]
    pub fn with(self, name: &'static str, value: Value) -> Said {
        match self {
            Said::Key(key, mut values) => {
                values.push((Word::new_static(name), value));
                Said::Key(key, values)
            }
            text @ Said::Text(_) => text,
        }
    }
}

/// What is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Nothing: it waits for a person.
    #[default]
    Idle,
    /// A step that takes longer than a slice.
    Stepping,
    /// One step after the other, at a speed.
    Playing,
    /// As fast as it goes until steady.
    ToSteady {
        /// Steps so far.
        done: u64,
    },
    /// A set-up is done, a run is opened, the way to a moment is gone, a link is made.
    Loading {
        /// Steps so far.
        done: u64,
        /// Of so many, where that is known.
        of: Option<u64>,
    },
}

/// A command line and what it printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What was typed.
    pub line: String,
    /// What it printed.
    pub output: String,
    /// Whether it failed.
    pub failed: bool,
    /// Whether it waits for something to happen.
    pub waits: bool,
    /// Whether it did not run because a run is being opened.
    pub refused: bool,
}

/// What of the component map is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapState {
    /// Whether the map is shown in place of the objects.
    pub shown: bool,
    /// Whose machine.
    pub machine: Actor,
    /// Whether a person chose it; else it is of whoever acted last.
    pub pinned: bool,
}

/// A scenario, as a person reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioView {
    /// Its name in links.
    pub id: Rc<str>,
    /// What it is called.
    pub title: Text,
    /// What to look at.
    pub text: Text,
    /// What can be tried: what the buttons say.
    pub tries: Vec<Text>,
}

impl ScenarioView {
    pub(super) fn of(s: &Scenario) -> ScenarioView {
        let tries = s.tries.iter().map(|t| t.label.clone()).collect();
        ScenarioView { id: s.id.as_str().into(), title: s.title.clone(), text: s.text.clone(), tries }
    }
}

/// What is shown. Cloning it copies pointers; a part that did not change is the same `Rc` as before.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Shown {
    /// Grows whenever the run moves.
    pub version: u64,
    /// Grows with every other run that is put on the table: moments of one mean nothing in another.
    pub session: u32,
    /// The objects.
    pub graph: Rc<Graph>,
    /// The objects that the last step wrote.
    pub changed: Rc<BTreeSet<ObjectRef>>,
    /// What happened on the last step.
    pub happened: Rc<Happened>,
    /// Who issued it: a component's name, or `you`; `None` at the start.
    pub by: Option<Rc<str>>,
    /// The object that the last step was about.
    pub subject: Option<ObjectRef>,
    /// How many finest actions the last step is made of; 0 for what is not made of any.
    pub finest: usize,
    /// The selected object.
    pub selection: Option<ObjectRef>,
    /// The branch that is shown, moment by moment.
    pub marks: Rc<Vec<Mark>>,
    /// Where on it the run stands.
    pub position: usize,
    /// The moment that is looked at.
    pub at: MomentId,
    /// Virtual milliseconds since the start.
    pub time: i64,
    /// etcd's revision.
    pub revision: u64,
    /// What may come next.
    pub listing: Listing,
    /// How deep a step goes.
    pub depth: Depth,
    /// Who goes next where nobody is chosen.
    pub policy: Policy,
    /// What is under way.
    pub mode: Mode,
    /// Whether that has taken so long that a person wants to know how far it is.
    pub slow: bool,
    /// How fast a run is: a place in [`SPEEDS`](super::SPEEDS).
    pub speed: usize,
    /// Whether what was declared is what is running.
    pub declared: Rc<Declared>,
    /// The editor's text.
    pub text: Rc<String>,
    /// Grows when the engine set that text, and the editor does not have it yet.
    pub text_set: u32,
    /// What is wrong with it.
    pub diagnostics: Rc<Vec<Problem>>,
    /// What Apply would do, once that is known.
    pub preview: Option<Rc<Preview>>,
    /// What was typed into the terminal, and printed.
    pub terminal: Rc<Vec<Entry>>,
    /// What of the component map is chosen.
    pub map: MapState,
    /// The scenario that the run came from, if it came from one.
    pub scenario: Option<Rc<ScenarioView>>,
}

/// What a step was, for whoever embeds the page (docs/embed.md).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stepped {
    /// Who: a component's name, or `you`; `None` at the start.
    pub by: Option<Rc<str>>,
    /// Of a component's first command: its method, path, status code, and the rule behind it.
    pub command: Option<(Word, String, u16, Option<Word>)>,
    /// The objects that were written.
    pub objects: Vec<String>,
    /// The moment that is looked at.
    pub moment: MomentId,
    /// etcd's revision.
    pub revision: u64,
}

/// The finest actions that a moment is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FinestView {
    /// The first of them; `None` if there are more than are done again, which are `limit`.
    pub lines: Option<Vec<FinestLine>>,
    /// How many more there are.
    pub more: usize,
    /// A moment of more than so many is not looked into.
    pub limit: usize,
}

/// The component map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineryView {
    /// All of it at a glance.
    pub overview: Overview,
    /// The machine that was asked for, if there is such a component.
    pub machine: Option<Machine>,
    /// What the last step moved.
    pub movement: Option<Movement>,
}

/// A run as a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunText {
    /// In which session: [`Shown::session`].
    pub session: u32,
    /// Up to which moment.
    pub moment: MomentId,
    /// The link, without `#`.
    pub link: String,
}

/// What a component wanted to know: each variant answers the [`Ask`](super::Ask) of its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// What an object is and what can be done to it.
    Object(Box<ObjectView>),
    /// Its YAML.
    Yaml(YamlView),
    /// Its conditions and events.
    Events(EventsView),
    /// Its versions, oldest first.
    History(Vec<Version>),
    /// What it hangs together with.
    Links(Vec<LinkGroup>),
    /// The requests, and how many more there are.
    Requests(Vec<RequestView>, usize),
    /// The finest actions.
    Finest(FinestView),
    /// The component map.
    Machinery(Box<MachineryView>),
    /// The moment that the last request belongs to, its place there, and the request; `None` if there was none.
    LastRequest(Option<(MomentId, usize, RequestHead)>),
    /// The way of a request; `None` if too much led to it to be done again.
    Way(Option<Box<Way>>),
    /// What can go wrong with the control plane.
    PlaneFaults(Vec<PlaneFault>),
    /// Every scenario.
    Scenarios(Vec<ScenarioView>),
    /// The policies that can be chosen.
    Policies(Vec<Policy>),
    /// The branches that are not shown.
    Branches(Vec<Branch>),
    /// What happened.
    Happened(Happened),
    /// The run; `None` if the moment is not on the way to the one that is looked at.
    Run(Option<RunText>),
    /// JSON.
    Objects(String),
    /// JSON.
    Enabled(String),
    /// JSON.
    NextCommands(String),
    /// The fingerprint.
    Digest(String),
    /// The link, without `#`.
    Link(Option<String>),
}
