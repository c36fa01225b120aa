//! The boundary between the page and the library: what a person did goes in as an [`Input`], what is to be
//! shown comes out as [`Output`]s. Both are plain data with serde's traits (this module's `tests` write each
//! message as text and read it back), so an [`Engine`] may live on another thread than the page, in a Web
//! Worker for instance, without a change to any component of the page.
//!
//! # One press of Step
//!
//! 1. The button in `ui/topbar.rs` calls `Store::send(Input::Step)`. The store hands the input to its host
//!    (`ui/store/host.rs`), which calls [`Engine::handle`].
//! 2. `handle` finds no other activity under way, notes `Activity::Step` (`run.rs`) and works on it for the first
//!    slice of time: [`Session::step_within`] for at most [`SLICE`] milliseconds.
//! 3. Most steps end in that slice. The engine then derives what follows from the new moment (`show.rs`): it
//!    redraws the nodes of the graph whose objects were written, appends to the timeline, reads the declared
//!    counts and what happened, and a kubectl that waits reads its objects again.
//! 4. `handle` returns [`Output::Show`] with the new [`Shown`], whose parts are the same `Rc`s as before where
//!    nothing changed, and [`Output::Stepped`] for the site that embeds the page.
//! 5. A step that does not end in its slice stays as the engine's activity, and `handle` returns [`Output::Busy`].
//!    [`Engine::due`] says when the engine wants to go on, and the host calls [`Engine::work`] then, which
//!    works for one slice, until `due` is `None`. Inputs are handled between slices; an input that takes over
//!    (another step, Stop) ends the activity first. After 400 ms [`Shown::slow`] is set, and the page shows how
//!    far the activity is. The slice that ends the activity returns what item 4 describes, and [`Output::Idle`].
//! 6. While there is no activity, `work` looks for the next commands (`listing.rs`): each new line comes in an
//!    [`Output::Show`], and [`Listing::ready`] is set when all lines are known.
//! 7. A component that shows more than the [`Shown`] has, the YAML of an object for instance, asks for it: an
//!    [`Input::Ask`] with a number is answered by an [`Output::Answer`] with that number. Asking changes
//!    nothing.
//!
//! The engine has no timer and no clock of its own: its host gives a clock to [`Engine::new`], and the engine
//! cuts work into slices by it. What is computed does not depend on the clock.
//!
//! ```
//! use steady::engine::{Engine, Input, Output};
//! let mut engine = Engine::new(|| 0.0);
//! engine.handle(Input::Begin(Default::default()));
//! let outputs = engine.handle(Input::Step);
//! let shown = outputs.iter().find_map(|o| match o {
//!     Output::Show(shown) => Some(shown),
//!     _ => None,
//! });
//! assert_eq!(shown.unwrap().by.as_deref(), Some("deployment-controller"));
//! ```
//!
//! A host on another thread sends the messages as text ([`explorer::write`], [`explorer::read`]), and of a [`Shown`] what
//! changed since it was sent last ([`wire`]).

mod act;
mod activity;
#[cfg(test)]
mod address_tests;
mod answer;
mod begins;
pub mod explorer;
mod import;
mod input;
mod keep;
#[cfg(test)]
mod keep_tests;
mod lesson;
mod listing;
mod load;
mod options;
mod output;
mod progress;
mod run;
pub mod runs;
mod show;
mod terminal;
#[cfg(test)]
mod tests;
pub mod wire;

use std::rc::Rc;

use crate::apiserver::ApiServer;
use crate::session::scenario::{self, Scenario};
use crate::session::view::graph::{Drawing, Filtered};
use crate::session::view::{DefinedKinds, Refusal};
use crate::session::{MomentId, Session, Start};

pub use crate::api::ip_family::IpFamily;
pub use crate::api::{Key, Kind, ObjectRef};
pub use crate::apimachinery::Filter;
pub use crate::apiserver::Stage;
pub use crate::cluster::{Actor, Fault, Policy};
pub use crate::etcd::{Member, Role};
pub use crate::kubectl::Output as Printed;
pub use crate::kubelet::{KubeletFault, PodCause};
pub use crate::lessons::{
    AnswerForm, EndView, JourneyLink, LessonView, PartView, PredictView, PredictedView, Prediction,
    PrintView, SeenView, TaskView,
};
pub use crate::session::chart::{Bucket, Chart, Losses, Took};
pub use crate::session::export::{Frame, StepTold, Which, Written};
pub use crate::session::import::Report;
pub use crate::session::link::MEMBERS;
pub use crate::session::scenario::{Text, Theme};
pub use crate::session::view::graph::{Edge, EdgeKind, Facets, Graph, GraphFilter, GraphNode};
pub use crate::session::view::{
    Ailing, Ails, Branch, Card, ClientView, Condition, ConsequenceView, Counts, CpuView, Declared, Deed,
    DefinedKind, EventLine, EventsView, FieldChange, Finest, FinestLine, Halt, Happened, Health,
    ImageWarning, Issued, Line, LineMark, LinkGroup, Listing, Mark, MissingImage, NextLine, NextWhat,
    NobodysAddress, ObjectView, Offer, Pick, Place, PlaneFault, PodFault, PodLook, PodView, Preview, Problem,
    Readings, Reason, ReasonFact, RequestHead, RequestView, RequestWords, RuleBook, RuleChapter, RuleView,
    SentStep, SentView, SentWhat, Short, Standing, Stands, SummaryView, TrafficView, Version, WhyLink,
    WhyView, Word, YamlView, can_declare,
};
pub use crate::session::{Depth, MomentId as Moment};
pub use begins::{ClusterStart, NODES};
pub use input::{Ask, Begin, Form, Input, Work};
pub use options::{Options, Part, Shape};
pub use output::{
    Answer, CourseLine, Draft, FinestView, LessonProblem, MachineryView, MapState, Mode, NextRuns, Notice,
    Output, OwnLesson, RolloutTarget, RunText, Said, ScenarioView, Shown, Stepped, Value,
};
pub use progress::{Passed, Progress};
pub use run::{SLICE, SPEEDS};
pub use terminal::{Completion, Editing, Entered, Entry, ShellView, is_unfinished, recall};

/// What the terms in the texts of lessons and scenarios mean.
pub mod glossary {
    pub use crate::lessons::glossary::{Piece, Reader, Term};
}

/// What the inspector shows of a pod's scheduling.
pub mod scheduling {
    pub use crate::session::view::scheduling::{
        Column, End, Eviction, QueueName, Scheduling, SchedulingPhase, SchedulingTable, Score, Tried, Waiting,
    };
}

/// The journey of a request, as the inspector shows it.
pub mod journey {
    pub use crate::session::view::journey::{
        EndView, HopPlace, HopView, JourneyView, Lack, LookupAnswer, LookupView, OuterView, Taken, UrlError,
        ViaView, WaitView, WaitWhat, WayView, Whose,
    };
}

/// What the component map shows.
pub mod machinery {
    pub use crate::session::view::machinery::{
        CallPart, CallView, CallsView, Carried, Coming, Connection, DecisionRow, Delayed, ExclusiveRow,
        Garbage, LogLine, Machine, ManagerRoom, Movement, Overview, Pending, PlegEvent, PodQueues, ProbeRow,
        ProcessorsRoom, Queue, Reflector, Relists, Rooms, Row, SandboxRow, ShutdownRoom, SignalRow,
        SourceRoom, Stale, State, Step, StepId, Stop, Told, Verdict, VolumeRow, Way, Work, WorkerRow,
    };
}

/// Whether the texts of `kubectl explain` are here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Texts {
    /// Nobody has asked for them.
    #[default]
    Unasked,
    Here,
    /// They could not be had.
    Missing,
}

/// The step that was stepped into, and what was shown before that.
#[derive(Clone, Copy, Debug)]
struct Inside {
    from: MomentId,
    depth: Depth,
    /// Whether the component map was shown.
    map: bool,
}

/// One run of a cluster, all that is shown of it, and the work that is under way on it.
pub struct Engine {
    clock: Box<dyn Fn() -> f64>,
    session: Session,
    /// The scenario that the run came from, if it came from one.
    scenario: Option<Scenario>,
    /// The moment at which the scenario begins for a person: [`Input::Restart`] goes there.
    beginning: MomentId,
    drawing: Drawing,
    /// The part of `drawing` that is shown.
    filtered: Filtered,
    /// What `shown.kinds` is made from.
    kinds: DefinedKinds,
    /// What `drawing` was made from: the moment, and the API server at that moment.
    drawn: Option<(MomentId, ApiServer)>,
    shown: Shown,
    /// Whether `shown` has changed since the last [`Output::Show`].
    changed: bool,
    /// What takes longer than a slice.
    activity: Option<activity::Activity>,
    /// When the activity began. Times are those of `clock`.
    since: f64,
    /// When the activity's progress was last shown.
    told: f64,
    /// When the activity goes on.
    wake: f64,
    /// Whether the next slice of a run to steady draws the graph instead of stepping.
    draw_next: bool,
    /// How long it took to draw the graph last.
    drawing_took: f64,
    /// The search for the lines of `shown.listing`.
    finder: Option<listing::Finder>,
    /// How many lines of the listing are worked out; further components are only counted.
    lines: usize,
    /// The line in the terminal that may go on.
    live: Option<terminal::Live>,
    /// The shell in a container that the terminal's lines go to.
    shell: Option<terminal::OpenShell>,
    /// What `$?` is in the terminal's next line, if that is not how the line before has ended.
    status: Option<i32>,
    /// How many entries the terminal has had.
    entries: u64,
    /// kubectl's configuration, once a line has changed it.
    kubeconfig: Option<String>,
    /// The texts of `kubectl explain`, and whether they were asked for.
    schema: Option<Rc<serde_json::Value>>,
    texts: Texts,
    /// The last text that the cluster agreed with, as applying it would have changed nothing, and the moment at which it did.
    agreed: Option<(Rc<String>, MomentId)>,
    /// Whether the editor's text was refused when it was applied last.
    refused: bool,
    /// The depth that the person had chosen, while a scenario's own takes its place.
    own_depth: Option<Depth>,
    /// The step that was stepped into.
    inside: Option<Inside>,
    keeping: keep::Keeping,
    /// The lesson that the run belongs to.
    lesson: Option<lesson::Learning>,
    /// The lesson whose text the page was asked for.
    wanted: Option<lesson::Wanted>,
    /// Whether the page is a part of somebody else's page: then nothing is kept.
    embedded: bool,
    /// How many steps after the beginning of the run steps end.
    until: Option<usize>,
    /// Whether the notes that are shown are a person's or a link's, and not the scenario's.
    noted: bool,
    /// How many steps after the beginning the run is shown, once it is open.
    open_at: Option<usize>,
    /// What the next call of [`Engine::handle`] or [`Engine::work`] returns.
    out: Vec<Output>,
}

impl Engine {
    /// An engine with the first scenario. The clock tells milliseconds and never goes back.
    pub fn new(clock: impl Fn() -> f64 + 'static) -> Engine {
        let mut engine = Engine {
            clock: Box::new(clock),
            session: Session::new(Start::default()),
            scenario: None,
            beginning: 0,
            drawing: Drawing::default(),
            filtered: Filtered::default(),
            kinds: DefinedKinds::default(),
            drawn: None,
            shown: Shown { speed: 2, ..Shown::default() },
            changed: false,
            activity: None,
            since: 0.0,
            told: 0.0,
            wake: 0.0,
            draw_next: false,
            drawing_took: 0.0,
            finder: None,
            lines: listing::LINES,
            live: None,
            shell: None,
            status: None,
            entries: 0,
            kubeconfig: None,
            schema: None,
            texts: Texts::default(),
            agreed: None,
            refused: false,
            own_depth: None,
            inside: None,
            keeping: keep::Keeping::default(),
            lesson: None,
            wanted: None,
            embedded: false,
            until: None,
            noted: false,
            open_at: None,
            out: Vec::new(),
        };
        // The set-up of the first scenario is one command line: it takes no time.
        if let Some(first) = scenario::list().first().and_then(|listed| scenario::find(listed.id)) {
            let session = first.open();
            engine.show_scenario(first, session);
        }
        engine
    }

    /// What is shown now.
    pub fn shown(&self) -> &Shown {
        &self.shown
    }

    /// Does what a person asked for, or the first slice of it, and returns what came of it.
    pub fn handle(&mut self, input: Input) -> Vec<Output> {
        let busy = self.activity.is_some();
        self.take(input);
        self.hand_out(busy)
    }

    /// Goes on with the activity, or with the search for the next commands, for a slice, and returns what came of it.
    pub fn work(&mut self) -> Vec<Output> {
        let busy = self.activity.is_some();
        if busy {
            if (self.clock)() >= self.wake {
                self.go_on();
            }
        } else if !self.shown.listing.ready {
            self.find();
        }
        self.hand_out(busy)
    }

    /// In how many milliseconds [`Engine::work`] should be called; `None` if everything waits for a person.
    pub fn due(&self) -> Option<f64> {
        if self.activity.is_some() {
            Some((self.wake - (self.clock)()).max(0.0))
        } else {
            (!self.shown.listing.ready).then_some(0.0)
        }
    }

    /// The outputs since the last call.
    fn hand_out(&mut self, was_busy: bool) -> Vec<Output> {
        self.keep_if_due();
        let mut out = Vec::new();
        if std::mem::take(&mut self.changed) {
            let now = (self.clock)();
            self.shown.mode = self.activity.as_ref().map_or(Mode::Idle, activity::Activity::mode);
            self.shown.slow = self.activity.is_some() && now - self.since > run::SLOW;
            out.push(Output::Show(Box::new(self.shown.clone())));
        }
        out.append(&mut self.out);
        match (was_busy, self.activity.is_some()) {
            (false, true) => out.push(Output::Busy),
            (true, false) => out.push(Output::Idle),
            _ => {}
        }
        out
    }

    fn say(&mut self, said: Said, bad: bool) {
        self.out.push(Output::Notice(Notice { said, whole: String::new(), bad, marked: false }));
    }

    /// Says what kubectl complained about, the reason first.
    fn say_refused(&mut self, stderr: &str) {
        self.say_refusal(stderr, false);
    }

    /// As [`Engine::say_refused`], of a text whose mistakes are marked in the editor.
    fn say_marked(&mut self, stderr: &str) {
        self.say_refusal(stderr, true);
    }

    fn say_refusal(&mut self, stderr: &str, marked: bool) {
        let Refusal { reason, whole } = Refusal::of_all(stderr);
        self.out.push(Output::Notice(Notice { said: Said::Text(reason), whole, bad: true, marked }));
    }
}
