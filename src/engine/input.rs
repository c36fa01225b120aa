//! What goes into an [`Engine`](super::Engine).

use serde::{Deserialize, Serialize};

use super::ClusterStart;
use crate::api::ObjectRef;
use crate::cluster::{Actor, Fault, Policy};
use crate::session::explore::Choice;
use crate::session::export::Which;
use crate::session::view::graph::GraphFilter;
use crate::session::view::{DefinedKind, Pick};
use crate::session::{Depth, MomentId, Prediction};

/// What the page knows when it opens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Begin {
    /// The link in the page's address, without `#`.
    pub link: Option<String>,
    /// The run that the page goes on with if its address has no link.
    pub work: Option<Work>,
    /// Whether the page keeps other runs.
    pub others: bool,
    /// A word that no other tab has, from which the ids of this tab's new runs are made.
    pub tab: String,
    /// Whether the component map was shown when the page was last open.
    pub map_shown: bool,
    /// The id of a scenario to open where there is no link.
    pub scenario: Option<String>,
    /// How many steps after its beginning the run of the link or scenario is shown.
    pub at: Option<usize>,
    /// How many steps after its beginning that run ends for this page ([`Shown::ended`](super::Shown::ended)).
    pub until: Option<usize>,
    /// Whether the page is a part of somebody else's page. Then no run is opened but that of the address, and none is kept.
    pub embedded: bool,
    /// Whether the page is handed the run whenever it changes, without asking by [`Input::Save`].
    pub keep: bool,
    /// [`Shown::version`](super::Shown::version) and [`Shown::session`](super::Shown::session) of the engine whose place this
    /// one takes: it counts on from these.
    pub after: (u64, u32),
}

/// A run that the page has kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The id of [`Draft::id`](super::Draft), under which the page goes on keeping it. `None` for a copy, which gets an id
    /// of its own.
    pub id: Option<String>,
    /// The run as a link.
    pub link: String,
}

/// What a person did, or a script that drives the page (docs/embed.md).
///
/// While a run is being opened, a scenario set up or a link made, inputs that would change the run do nothing, but for
/// [`Input::Stop`] and those that open another run from a link. Any other activity ends when such an input comes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// The page was opened: the first input.
    Begin(Begin),
    /// Opens the run of a link that came into the page's address. The run that is shown is kept first, as with every input
    /// that opens another one.
    Open(String),
    /// Opens a run that the page has kept.
    OpenRun(Work),
    /// The run that is shown gets an id of its own, and is kept when something changes: the page has forgotten what it kept
    /// under the old id, or another tab goes on with that.
    Part,
    /// Sets up the scenario with this id.
    OpenScenario(String),
    /// Begins the run anew with another cluster, if [`ScenarioView::cluster`](super::ScenarioView) says that it can be chosen.
    BeginWith(ClusterStart),
    /// Does what the scenario offers to try: the place in [`ScenarioView::tries`](super::ScenarioView).
    Attempt(usize),

    /// Opens the lesson of the course with this id at a step, the first is 0. The steps before it are done by their solutions.
    OpenLesson(String, usize),
    /// The text of the lesson that [`Output::WantLesson`](super::Output::WantLesson) asked for; `None` if it cannot be had.
    LessonText(String, Option<String>),
    /// Opens a lesson that a person has brought: the name of its file, and its text. What is wrong with it is in
    /// [`Shown::own_lesson`](super::Shown::own_lesson). If it is the lesson that is shown, its step is shown again.
    BringLesson(String, String),
    /// Shows a step of the lesson: one that was reached, or the next one. The number of steps stands for the end.
    LessonStep(usize),
    /// Goes back to the moment at which the step of the lesson began.
    LessonAgain,
    /// Leaves the lesson. The run stays as it is.
    LeaveLesson,
    /// Predicts what the step of the lesson asks for. The run then answers.
    Predict(Prediction),
    /// Asks for a further hint.
    Hint,
    /// Plays the lesson that a person has brought to its end, to see whether it holds what it promises.
    CheckLesson,
    /// Has the solution of the step of the lesson played.
    Solve,

    /// Takes a step at the depth that is set.
    Step,
    /// Takes a step that ends before [`Engine::handle`](super::Engine::handle) returns, however long it takes. Answered by
    /// [`Output::Did`](super::Output::Did).
    StepAtOnce,
    /// Takes a step of what a line of the listing names.
    Choose(Pick),
    /// Takes one step after the other at the speed that is set; stops the activity instead if there is one.
    Run,
    /// As [`Input::Run`], but an activity that is under way goes on instead.
    RunOn,
    /// Takes steps without a pause until the cluster is steady; stops them instead if they are under way.
    ToSteady,
    /// As [`Input::ToSteady`], but an activity that is under way goes on instead.
    ToSteadyOn,
    /// Runs until a moment, in milliseconds as [`Shown::clock`](super::Shown::clock), or until nothing is left to do.
    ToMoment(i64),
    /// Stops the activity.
    Stop,
    /// Goes to the moment before. Answered by [`Output::Did`](super::Output::Did): whether the run is there already.
    Back,
    /// Goes to a moment.
    Goto(MomentId),
    /// Goes so many moments along the branch that is shown; back, if the number is negative.
    Walk(i64),
    /// Goes to the moment at which the scenario begins.
    Restart,
    /// Makes a branch of a moment's finest actions, and goes to the moment after so many of them.
    StepInto(MomentId, usize),
    /// Goes back to the step that was stepped into, if [`Shown::inside`](super::Shown::inside).
    StepOut,
    /// Takes the choices that the explorer found, as a branch. Nothing happens if another run is shown by now.
    Follow {
        /// The run that was explored: [`Shown::session`](super::Shown::session).
        session: u32,
        /// The moment that it was explored from.
        from: MomentId,
        /// The depth of its steps.
        depth: Depth,
        /// The choices, in order.
        way: Vec<Choice>,
    },

    /// Repeats a rollout that was rehearsed, as a branch, and goes to the moment after so many of its ops. Nothing happens if
    /// another run is shown by now.
    Repeat {
        /// The run that it was rehearsed on: [`Shown::session`](super::Shown::session).
        session: u32,
        /// The moment that it was rehearsed from.
        from: MomentId,
        /// The ops, as the text of a link.
        link: String,
        /// After how many of them the run is shown.
        ops: usize,
    },

    /// Sets how deep a step goes.
    Depth(Depth),
    /// Sets by which policy the next component is chosen. Answered by [`Output::Did`](super::Output::Did).
    Policy(Policy),
    /// Sets how fast a run is: a place in [`SPEEDS`](super::SPEEDS).
    Speed(usize),
    /// Has more lines of the listing worked out.
    ShowMore,

    /// Selects an object, or none.
    Select(Option<ObjectRef>),
    /// Sets which objects of the graph are shown, until another run is opened.
    Filter(GraphFilter),
    /// Shows the component map, or the objects.
    ShowMap(bool),
    /// Shows one component on the map from now on; with `None`, the component that acted last.
    LookAt(Option<Actor>),

    /// A person typed: the editor's whole text.
    Typed(String),
    /// Works out what Apply would do, unless an activity is under way.
    Preview,
    /// Has the editor's text say what the cluster has in the fields of [`Preview::back`](super::Preview::back).
    TakeOver,
    /// Begins a run with the objects in the editor's text, which kubectl has printed of a cluster
    /// ([`Shown::importable`](super::Shown::importable)).
    Import,
    /// A file was dropped on the page: what kubectl has printed of a cluster begins a run, and any other text goes into the
    /// editor.
    Dropped(String),
    /// Sets what is said at the step that is shown ([`Shown::notes`](super::Shown::notes)); empty for nothing.
    Note(String),
    /// Applies the editor's text.
    Apply,
    /// As [`Input::Apply`]; of a text that was printed by a cluster, as [`Input::Import`].
    ApplyOrImport,
    /// Applies a text. Answered by [`Output::Printed`](super::Output::Printed).
    ApplyText(String),
    /// Runs a line in the terminal: a script of the shell, or a command of kubectl's with or without `kubectl`. An empty one
    /// lets a line go on whose next command writes. Where [`Shown::shell`](super::Shown::shell) is set, the line goes to that
    /// shell in a container.
    Terminal(String),
    /// As [`Input::Terminal`], but a shell in a container is closed first.
    Outside(String),
    /// Ends the line that waits in the terminal.
    Interrupt,
    /// Takes back a line that is begun in the terminal, which is not typed to its end (Ctrl+C).
    InterruptLine(String),
    /// Forgets what the terminal has printed.
    Clear,
    /// Ends `kubectl edit` without a change.
    CancelEdit,
    /// The lines that were typed before the page was loaded, oldest first.
    Recall(Vec<String>),
    /// The texts of `kubectl explain`: the document that `crates/schema` writes, as JSON; `None` if it cannot be had.
    Texts(Option<String>),
    /// Runs a command line. What it printed is a notice.
    Do(String),
    /// Runs a command line. Answered by [`Output::Printed`](super::Output::Printed).
    Kubectl(String),
    /// Evicts a pod.
    Evict(ObjectRef),
    /// Ends a container of a pod with an exit code.
    Crash(ObjectRef, String, i32),
    /// Lets something go wrong, or right again.
    Break(Fault),

    /// Makes a link of the run. Answered by [`Output::Link`](super::Output::Link) when the link is made.
    Share,
    /// Has the run kept, also while steps are being taken: answered by [`Output::Keep`](super::Output::Keep) if something
    /// has changed since it was opened. It is answered later if keeping took more than a twentieth of the time lately.
    Save,
    /// A question, and the number that its [`Output::Answer`](super::Output::Answer) has.
    Ask(u64, Ask),
}

/// A form of what is shown, as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// The objects as YAML.
    Yaml(Which),
    /// The graph as a Mermaid flowchart.
    Mermaid,
}

/// A question of a component of the page. Asking changes nothing. "Now" is the moment that is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// What an object is and what can be done to it.
    Object(ObjectRef),
    /// An object's YAML, with the fields that are only kept for bookkeeping or without them.
    Yaml(ObjectRef, bool),
    /// An object's conditions, and the events about it.
    Events(ObjectRef),
    /// An object's versions.
    History(ObjectRef),
    /// Why an object is as it is: a field, by [`Line::field`](super::Line::field) and by whether the fields that are only kept
    /// for bookkeeping are among the lines; or its last write with `None`.
    Why(ObjectRef, Option<(u32, bool)>),
    /// What followed from what a person did last.
    Summary,
    /// The objects that an object is related to.
    Links(ObjectRef),
    /// Where a pod stands with the scheduler.
    Scheduling(ObjectRef),
    /// What the scheduler's plugins say about a pod, node by node: in the attempt that led to this moment, or now with
    /// `None`; and with how many columns at most.
    SchedulingTable(ObjectRef, Option<MomentId>, usize),
    /// The requests that led to a moment: as YAML, or as `kubectl -v=9` logs them if `true`.
    Requests(MomentId, bool),
    /// The finest actions that a moment is made of.
    Finest(MomentId),
    /// The component map: the component that is shown, and which of its informers is unfolded.
    Machinery(Actor, Option<u16>),
    /// The last request before now.
    LastRequest,
    /// The stages of a request in the API server: the moment that it led to, and its place among those that did.
    Way(MomentId, usize),
    /// The calls that kubelets have made to their container runtimes on the way to a moment.
    RuntimeCalls(MomentId),
    /// What can go wrong with the control plane.
    PlaneFaults,
    /// All scenarios.
    Scenarios,
    /// All lessons.
    Course,
    /// What became of the requests that the run's clients have sent.
    Traffic,
    /// What happened to a request of some seconds: the first of them, counted from the beginning of the calendar, and how many. It is
    /// the first that was lost or, without one, the first that was sent.
    Sent(i64, i64),
    /// The journey of a request for a URL, of a pod or, for any other object, of somebody outside of the cluster; without a URL, for the
    /// first that could be asked for. The number is that of the request, which says which of several endpoints it meets.
    Journey(ObjectRef, Option<String>, u64),
    /// The workloads whose rollout can be rehearsed.
    Rollouts,
    /// The rule book.
    Rules,
    /// The policies that can be chosen.
    Policies,
    /// The branches that are not shown.
    Branches,
    /// What happened on the way to a moment.
    Happened(MomentId),
    /// The run from a moment up to now, as a link.
    Run(MomentId),
    /// The objects or the graph in another form.
    Export(Form),
    /// The steps of the branch that is shown, from the beginning to its end.
    Steps,
    /// The pictures of these steps.
    Frames,
    /// The schema of a kind in [`Shown::kinds`](super::Shown::kinds).
    Schema(DefinedKind),
    /// How a line in the terminal can go on: the text before the cursor.
    Complete(String),
    /// Every object of the kind that a word names (`pods`, `deploy`), or of all kinds, as a JSON array.
    Objects(Option<String>),
    /// The finest actions that may happen now, as a JSON array.
    Enabled,
    /// What each component would do next, as a JSON array.
    NextCommands,
    /// The cluster's fingerprint.
    Digest,
    /// The run as a link with its fingerprint. Unlike [`Input::Share`] this is not cut into slices.
    Link,
}
