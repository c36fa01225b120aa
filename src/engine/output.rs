//! What comes out of an [`Engine`](super::Engine).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::ClusterStart;
use super::terminal::{Completion, Editing, Entry, ShellView};
use crate::api::ObjectRef;
use crate::api::order::gather;
use crate::cluster::{Actor, Policy};
use crate::kubectl;
use crate::lessons::{LessonView, Listed};
use crate::session::export::{Frame, StepTold};
use crate::session::import::Report;
use crate::session::rehearsal::Reach;
use crate::session::scenario::{Scenario, Text, Theme};
use crate::session::view::graph::{Graph, GraphFilter};
use crate::session::view::journey::JourneyView;
use crate::session::view::machinery::{CallsView, Machine, Movement, Overview, Way};
use crate::session::view::scheduling::{Scheduling, SchedulingTable};
use crate::session::view::{
    Branch, Declared, DefinedKind, EventsView, FinestLine, Happened, ImageWarning, LinkGroup, Listing, Mark,
    ObjectView, PlaneFault, Preview, Problem, RequestHead, RequestView, RuleBook, SentView, SummaryView,
    TrafficView, Version, WhyView, Word, YamlView,
};
use crate::session::{Depth, MomentId};

/// What came of an input, or of a slice of work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Output {
    /// The page shows this from now on.
    Show(Box<Shown>),
    /// The page shows a message for a while.
    Notice(Notice),
    /// The page takes its message away: it no longer holds.
    Hush,
    /// The moment that is shown is another one: what led there.
    Stepped(Box<Stepped>),
    /// An activity began that did not end in its first slice.
    Busy,
    /// The activity ended.
    Idle,
    /// Whether the input was carried out.
    Did(bool),
    /// What a command line printed; `None` if it did not run, because of an activity during which nothing else can be done.
    Printed(Option<kubectl::Output>),
    /// The page keeps this run beyond a reload, in place of what it kept under the same id.
    Keep(Draft),
    /// The link that [`Input::Share`](super::Input::Share) asked for, without `#`.
    Link(String),
    /// The link in the page's address was opened. The page takes it out of the address, so that a reload brings back
    /// the run as it is by then.
    Opened,
    /// A run began with the objects of another cluster.
    Imported(Box<Report>),
    /// Whether the component map is shown. The page remembers it for [`Begin::map_shown`](super::Begin).
    MapShown(bool),
    /// The page remembers this line beyond a reload, for [`Input::Recall`](super::Input::Recall).
    Remember(String),
    /// The page fetches the texts of `kubectl explain` and hands them in: [`Input::Texts`](super::Input::Texts).
    WantTexts,
    /// The page fetches the text of the lesson with this id and hands it in:
    /// [`Input::LessonText`](super::Input::LessonText).
    WantLesson(String),
    /// The answer to the question with this number.
    Answer(u64, Box<Answer>),
}

/// A run as the page keeps it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// Which run it is: [`Shown::run`] while it is shown.
    pub id: Rc<str>,
    /// The id of the scenario or of the lesson that it came from; empty if it came from none.
    pub scenario: String,
    /// How many moments the branch that is shown has after its beginning.
    pub steps: usize,
    /// The run as a link.
    pub link: String,
}

/// A message for the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// What it says.
    pub said: Said,
    /// All that kubectl printed, if that is more; else empty.
    pub whole: String,
    /// Whether something went wrong.
    pub bad: bool,
    /// Whether [`Shown::diagnostics`] say it, too, with its place in the editor's text: then it is news only for whoever does not
    /// see them.
    pub marked: bool,
}

/// A sentence: a text of the page's catalogue, or one that is the same in every language.
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

/// Which activity is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// None: the engine waits for a person.
    #[default]
    Idle,
    /// A step.
    Stepping,
    /// One step after the other, at the speed that is set.
    Playing,
    /// Steps without a pause until the cluster is steady.
    ToSteady {
        /// Steps so far.
        done: u64,
    },
    /// Steps without a pause until a moment of virtual time.
    ToMoment {
        /// Steps so far.
        done: u64,
    },
    /// Setting up a scenario, opening a run, going to a moment, or making a link.
    Loading {
        /// Steps so far.
        done: u64,
        /// How many steps there will be, where that is known.
        of: Option<u64>,
    },
}

/// Whether the component map is shown, and which component on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapState {
    /// Whether the map is shown in place of the objects.
    pub shown: bool,
    /// The component whose informers, queue and worker are shown.
    pub machine: Actor,
    /// Whether a person chose it; else it is the component that acted last.
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
    /// Under which heading of the gallery it stands.
    pub theme: Option<Theme>,
    /// What a person may try: the text of each button.
    pub tries: Vec<Text>,
    /// How the cluster begins, where a person can choose that.
    pub cluster: Option<ClusterStart>,
}

impl ScenarioView {
    pub(super) fn of(s: &Scenario) -> ScenarioView {
        let tries = s.tries.iter().map(|t| t.label.clone()).collect();
        let cluster = ClusterStart::of_scenario(s);
        ScenarioView {
            id: s.id.as_str().into(),
            title: s.title.clone(),
            text: s.text.clone(),
            theme: s.theme,
            tries,
            cluster,
        }
    }
}

/// When objects with a schedule run next, in milliseconds as [`Shown::clock`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(ObjectRef, i64)>", into = "Vec<(ObjectRef, i64)>")]
pub struct NextRuns(BTreeMap<ObjectRef, i64>);

impl NextRuns {
    /// When an object runs next; `None` if it has no schedule.
    pub fn get(&self, object: &ObjectRef) -> Option<i64> {
        self.0.get(object).copied()
    }
}

impl FromIterator<(ObjectRef, i64)> for NextRuns {
    fn from_iter<I: IntoIterator<Item = (ObjectRef, i64)>>(all: I) -> NextRuns {
        NextRuns(gather(all))
    }
}

impl From<Vec<(ObjectRef, i64)>> for NextRuns {
    fn from(all: Vec<(ObjectRef, i64)>) -> NextRuns {
        all.into_iter().collect()
    }
}

impl From<NextRuns> for Vec<(ObjectRef, i64)> {
    // JSON has no maps whose keys are objects.
    fn from(all: NextRuns) -> Vec<(ObjectRef, i64)> {
        all.0.into_iter().collect()
    }
}

/// All that the page shows without asking. Cloning it copies pointers; a part that did not change is the same `Rc` as
/// before.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Shown {
    /// Grows whenever another moment is shown, or the same one after a change.
    pub version: u64,
    /// Grows with every other run that is shown. A moment means nothing in another run.
    pub session: u32,
    /// The id under which the page keeps the run.
    pub run: Rc<str>,
    /// The objects and the lines between them.
    pub graph: Rc<Graph>,
    /// Which of these objects a person wants to see.
    pub filter: Rc<GraphFilter>,
    /// The part of `graph` that `filter` lets through; without a filter the same `Rc`.
    pub filtered: Rc<Graph>,
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
    /// The place of `at` among `marks`.
    pub position: usize,
    /// The moment that is shown.
    pub at: MomentId,
    /// What a person did next on that branch, if the moment after this one is a person's. A step does it again where the
    /// cluster has nothing left to do.
    pub act_ahead: Option<Rc<Happened>>,
    /// Virtual milliseconds since the start of the run.
    pub time: i64,
    /// What the clock shows: virtual milliseconds since 1970, in UTC.
    pub clock: i64,
    /// When objects with a schedule run next.
    pub runs: Rc<NextRuns>,
    /// etcd's revision.
    pub revision: u64,
    /// The next commands, or the next finest actions.
    pub listing: Listing,
    /// How deep a step goes.
    pub depth: Depth,
    /// Whether the moment is inside a step that was stepped into, so that there is a way back to it.
    pub inside: bool,
    /// The component whose step that was.
    pub inside_of: Option<Rc<str>>,
    /// By which policy the next component is chosen.
    pub policy: Policy,
    /// Which activity is under way.
    pub mode: Mode,
    /// Whether the activity has taken so long that the page shows how far it is.
    pub slow: bool,
    /// How fast a run is: a place in [`SPEEDS`](super::SPEEDS).
    pub speed: usize,
    /// Whether what was declared is what is running.
    pub declared: Rc<Declared>,
    /// Whether steps end here because the page's address says so ([`Begin::until`](super::Begin::until)).
    pub ended: bool,
    /// The place of the beginning among `marks`: what was set up lies before it.
    pub beginning: usize,
    /// The editor's text.
    pub text: Rc<String>,
    /// Grows when the engine replaces that text: the editor then takes it over.
    pub text_set: u32,
    /// Whether that text is what kubectl has printed of a cluster, and not a manifest.
    pub importable: bool,
    /// What the author of the scenario or of the link says at some steps: how many steps after the beginning, and the text
    /// that is shown from there on.
    pub notes: Rc<Vec<(usize, Text)>>,
    /// What is wrong with that text.
    pub diagnostics: Rc<Vec<Problem>>,
    /// The images in that text that no registry has.
    pub images: Rc<Vec<ImageWarning>>,
    /// The kinds that CustomResourceDefinitions define, in the cluster and in the editor's text.
    pub kinds: Rc<Vec<DefinedKind>>,
    /// What Apply would do, once that is known.
    pub preview: Option<Rc<Preview>>,
    /// The terminal's command lines and what they printed, oldest first.
    pub terminal: Rc<Vec<Rc<Entry>>>,
    /// The lines that were typed, oldest first, also before the page was loaded.
    pub history: Rc<Vec<String>>,
    /// The shell in a container that the terminal's lines go to; `None` if they go to the page's own.
    pub shell: Option<Rc<ShellView>>,
    /// The object that `kubectl edit` has put in place of the manifest.
    pub editing: Option<Rc<Editing>>,
    /// The component map.
    pub map: MapState,
    /// The scenario that the run came from, if it came from one.
    pub scenario: Option<Rc<ScenarioView>>,
    /// The lesson that the run belongs to.
    pub lesson: Option<Rc<LessonView>>,
    /// The file of a lesson that a person has brought last.
    pub own_lesson: Option<Rc<OwnLesson>>,
}

/// The file of a lesson that a person has brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnLesson {
    /// The name of the file.
    pub file: String,
    /// What is in it.
    pub text: Rc<str>,
    /// Whether the person has brought it here, to write it. Else it came with a link, to be gone through.
    pub brought: bool,
    /// What is wrong with it. The lesson that is shown is then the one of an earlier text.
    pub problem: Option<LessonProblem>,
    /// What a play of this text to its end has shown, if it was played: that it holds what it promises, or at which step it does
    /// not (the first is 1, and 0 is what comes before it) and why.
    pub played: Option<Result<(), (usize, String)>>,
}

/// What is wrong with the file of a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonProblem {
    /// The line, the first is 1; `None` if the mistake is in no single line.
    pub line: Option<usize>,
    /// The column, the first is 1.
    pub column: Option<usize>,
    /// What is wrong, with the field.
    pub message: String,
}

/// A lesson in the course.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CourseLine {
    /// The lesson's id, which begins with the numbers of the chapter and of the lesson in it.
    pub id: String,
    /// The title.
    pub title: Text,
    /// The idea.
    pub idea: Text,
    /// The ids of the lessons that lead to this one.
    pub after: Vec<String>,
}

impl CourseLine {
    pub(super) fn of(listed: &Listed) -> CourseLine {
        CourseLine {
            id: listed.id.to_owned(),
            title: listed.title.into_owned(),
            idea: listed.idea.into_owned(),
            after: listed.after.iter().map(|id| (*id).to_owned()).collect(),
        }
    }
}

/// A step, for the site that embeds the page (docs/embed.md).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stepped {
    /// A component's name, or `you`; `None` at the start.
    pub by: Option<Rc<str>>,
    /// The first command of a component: method, path, status code, and the rule behind it.
    pub command: Option<(Word, String, u16, Option<Word>)>,
    /// The objects that were written.
    pub objects: Vec<String>,
    /// The moment that it led to.
    pub moment: MomentId,
    /// etcd's revision.
    pub revision: u64,
}

/// The finest actions that a moment is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FinestView {
    /// The first of them; `None` if there are more than `limit`.
    pub lines: Option<Vec<FinestLine>>,
    /// How many more there are.
    pub more: usize,
    /// A moment of more finest actions than this is not repeated to list them.
    pub limit: usize,
}

/// The component map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineryView {
    /// All components at a glance.
    pub overview: Overview,
    /// The component that was asked for, if there is one.
    pub machine: Option<Machine>,
    /// What the last step moved.
    pub movement: Option<Movement>,
}

/// A run as a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunText {
    /// Which run it is: [`Shown::session`].
    pub session: u32,
    /// The moment that it ends with.
    pub moment: MomentId,
    /// The link, without `#`.
    pub link: String,
}

/// A workload whose rollout can be rehearsed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RolloutTarget {
    /// The workload.
    pub workload: ObjectRef,
    /// The ports of Services that lead to its pods, each with the clients that the run itself has for it. The first one is taken if none
    /// is chosen.
    pub reaches: Vec<Reach>,
    /// Whether it is in the cluster. Otherwise the editor's text would make it.
    pub applied: bool,
    /// Whether it has a former revision, to which a rollout can be undone.
    pub former: bool,
    /// How many pods it is to have; `None` of a DaemonSet.
    pub replicas: Option<i32>,
}

/// An answer. Each variant answers the [`Ask`](super::Ask) of the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// What an object is and what can be done to it.
    Object(Box<ObjectView>),
    /// What became of them.
    Traffic(Box<TrafficView>),
    /// A request that was sent; `None` if none was.
    Sent(Option<Box<SentView>>),
    /// The journey.
    Journey(Box<JourneyView>),
    /// The workloads, those that a Service leads to first.
    Rollouts(Vec<RolloutTarget>),
    /// The object's YAML.
    Yaml(YamlView),
    /// The object's conditions and events.
    Events(EventsView),
    /// The object's versions, oldest first.
    History(Vec<Version>),
    /// The writes that led to it.
    Why(Box<WhyView>),
    /// What followed.
    Summary(Box<SummaryView>),
    /// The objects that it is related to, by relation.
    Links(Vec<LinkGroup>),
    /// How the scheduler stands to the pod; `None` if there is no such pod.
    Scheduling(Option<Box<Scheduling>>),
    /// The table; `None` if the scheduler does not know the pod, or if it is too much work to repeat the attempt.
    SchedulingTable(Option<Box<SchedulingTable>>),
    /// The requests, and how many more there are.
    Requests(Vec<RequestView>, usize),
    /// The finest actions.
    Finest(FinestView),
    /// The component map.
    Machinery(Box<MachineryView>),
    /// The moment that the last request belongs to, its place there, and the request; `None` if there was none.
    LastRequest(Option<(MomentId, usize, RequestHead)>),
    /// The stages of the request; `None` if too much would have to be repeated to see them.
    Way(Option<Box<Way>>),
    /// The calls; `None` if too much would have to be repeated to see them.
    RuntimeCalls(Option<Box<CallsView>>),
    /// What can go wrong with the control plane.
    PlaneFaults(Vec<PlaneFault>),
    /// All scenarios, in the order of the gallery.
    Scenarios(Vec<ScenarioView>),
    /// All lessons, in the order of the course.
    Course(Vec<CourseLine>),
    /// The rules of all components, with those that are enabled according to [`Shown::listing`].
    Rules(Box<RuleBook>),
    /// The policies that can be chosen; with [`Policy::Starved`] the process that the component runs in, or `None` for a
    /// component that has acted in this run.
    Policies(Vec<(Policy, Option<Rc<str>>)>),
    /// The branches that are not shown.
    Branches(Vec<Branch>),
    /// What happened.
    Happened(Happened),
    /// The text.
    Export(String),
    /// The steps, and how many more there are.
    Steps(Vec<StepTold>, usize),
    /// The pictures. Of a long run some steps have none.
    Frames(Vec<Frame>),
    /// The run; `None` if the moment is not on the branch that leads to the one that is shown.
    Run(Option<RunText>),
    /// The schema, as JSON: `components.schemas` of `/openapi/v3` has it under the kind's name there. `None` if the kind is
    /// not defined any more.
    Schema(Option<String>),
    /// How the line can go on.
    Complete(Completion),
    /// A JSON array.
    Objects(String),
    /// A JSON array.
    Enabled(String),
    /// A JSON array.
    NextCommands(String),
    /// The fingerprint.
    Digest(String),
    /// The link, without `#`.
    Link(Option<String>),
}
