//! The boundary between the page and the library: what a person did goes in as an [`Input`], what is to be
//! shown comes out as [`Output`]s. All of it is plain data (this module's `tests` write each message and read
//! it back), so an [`Engine`] may live where the page is not, in a Web Worker for instance, and no component
//! of the page would notice.
//!
//! # One press of Step
//!
//! 1. The button in `ui/topbar.rs` calls `Store::send(Input::Step)`. The store hands the input to its host
//!    (`ui/store/host.rs`), which calls [`Engine::handle`].
//! 2. `handle` finds no other task under way, notes `Task::Step` (`run.rs`) and takes the first slice of
//!    it: [`Session::step_within`] for at most [`SLICE`] milliseconds.
//! 3. Most steps end in that slice. The engine then derives what follows from the new moment (`show.rs`): it
//!    redraws the nodes of the graph that were written, appends to the timeline, reads the declared counts
//!    and what happened, and lets a kubectl that waits look again.
//! 4. `handle` returns [`Output::Show`] with the new [`Shown`], whose parts are the same `Rc`s as before where
//!    nothing changed, and [`Output::Stepped`] for whoever embeds the page.
//! 5. A step that does not end in its slice leaves its task, and `handle` returns [`Output::Busy`].
//!    [`Engine::due`] says when the engine wants to go on, and the host calls [`Engine::work`] then, one slice
//!    each, until `due` is `None`. Inputs are handled between slices: one that takes over (another step, Stop)
//!    ends the task first. After 400 ms the page is shown that it takes long ([`Shown::slow`]). The slice that
//!    ends the task returns what step 4 describes, and [`Output::Idle`].
//! 6. When no task is left, slices go to looking for the next commands (`listing.rs`): each new line comes in
//!    an [`Output::Show`], with [`Listing::ready`] when all are known.
//! 7. A component that shows more than the [`Shown`] has, the YAML of an object for instance, asks: an
//!    [`Input::Ask`] with a number is answered by an [`Output::Answer`] with that number. Asking changes
//!    nothing.
//!
//! Nothing here waits for a browser's timer or reads a clock of its own: the host gives a clock to
//! [`Engine::new`], by which work is cut into slices. What is computed does not depend on it.
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
//! A host on another thread sends the messages as text ([`explorer::write`], [`explorer::read`]). It need not
//! send a large [`Graph`] again with each step: nodes that did not change are the same `Rc`s as in the graph
//! that was sent last, so what did change is found by comparing pointers.

mod act;
mod answer;
pub mod explorer;
mod input;
mod keep;
mod listing;
mod load;
mod output;
mod run;
mod show;
mod terminal;
#[cfg(test)]
mod tests;

use crate::apiserver::ApiServer;
use crate::kubectl::Kubectl;
use crate::session::scenario::{self, Scenario};
use crate::session::view::graph::Drawing;
use crate::session::{MomentId, Session, Start};

pub use crate::api::{Key, Kind, ObjectRef};
pub use crate::apimachinery::Filter;
pub use crate::apiserver::Stage;
pub use crate::cluster::{Actor, Fault, Policy};
pub use crate::etcd::{Member, Role};
pub use crate::kubectl::Output as Printed;
pub use crate::kubelet::Fault as KubeletFault;
pub use crate::session::scenario::Text;
pub use crate::session::view::graph::{Card, Edge, EdgeKind, Graph, GraphNode, Place};
pub use crate::session::view::{
    Asked, Branch, Condition, Declared, Deed, EventLine, EventsView, FieldChange, Finest, FinestLine,
    Happened, Issued, Line, LineMark, LinkGroup, Listing, Mark, NextLine, NextWhat, ObjectView, Offer, Pick,
    PlaneFault, PodFault, PodLook, PodView, Preview, Problem, Readings, Reason, ReasonFact, RequestHead,
    RequestView, Short, Version, Word, YamlView, machinery,
};
pub use crate::session::{Depth, MomentId as Moment};
pub use input::{Ask, Begin, Input};
pub use output::{
    Answer, Entry, FinestView, MachineryView, MapState, Mode, Notice, Output, RunText, Said, ScenarioView,
    Shown, Slot, Stepped, Value,
};
pub use run::{SLICE, SPEEDS};

/// What a person works with: one run and all that is shown of it.
pub struct Engine {
    clock: Box<dyn Fn() -> f64>,
    session: Session,
    /// The scenario that the run came from, if it came from one.
    scenario: Option<Scenario>,
    /// Where the scenario begins: *restart* goes here.
    first: MomentId,
    drawing: Drawing,
    /// What the drawing was made of: the moment, and the store then.
    drawn: Option<(MomentId, ApiServer)>,
    /// The end of the branch that the marks are of.
    marks_tip: MomentId,
    shown: Shown,
    /// Whether something of `shown` has changed since it was handed out.
    changed: bool,
    /// What is under way.
    task: Option<run::Task>,
    /// When that began, by the clock.
    since: f64,
    /// When it was shown last how far it is.
    told: f64,
    /// When it goes on, if it waits for a time.
    wake: f64,
    /// Whether the next slice of a run to steady draws the graph and does not step.
    picture: bool,
    finder: Option<listing::Finder>,
    /// So many lines of the listing are worked out; the rest is only counted.
    lines: usize,
    /// A command line that waits for something to happen.
    waiting: Option<Kubectl>,
    /// The run as it was kept last: what a reload brings back.
    work: Option<String>,
    /// Whether a run was put aside.
    kept: bool,
    out: Vec<Output>,
}

impl Engine {
    /// An engine with the first scenario on the table. The clock tells milliseconds and only goes forward.
    pub fn new(clock: impl Fn() -> f64 + 'static) -> Engine {
        let mut engine = Engine {
            clock: Box::new(clock),
            session: Session::new(Start::default()),
            scenario: None,
            first: 0,
            drawing: Drawing::default(),
            drawn: None,
            marks_tip: MomentId::MAX,
            shown: Shown { speed: 2, ..Shown::default() },
            changed: false,
            task: None,
            since: 0.0,
            told: 0.0,
            wake: 0.0,
            picture: false,
            finder: None,
            lines: listing::LINES,
            waiting: None,
            work: None,
            kept: false,
            out: Vec::new(),
        };
        // The first one is applied and no more: it takes no time.
        if let Some(first) = scenario::all().into_iter().next() {
            let session = first.open();
            engine.put_on_the_table(first, session);
        }
        engine
    }

    /// What is shown now.
    pub fn shown(&self) -> &Shown {
        &self.shown
    }

    /// Does what a person did, or its first slice, and tells what came of it.
    pub fn handle(&mut self, input: Input) -> Vec<Output> {
        let busy = self.task.is_some();
        self.take(input);
        self.hand_out(busy)
    }

    /// Goes on with what is under way, for a slice.
    pub fn work(&mut self) -> Vec<Output> {
        let busy = self.task.is_some();
        if busy {
            if (self.clock)() >= self.wake {
                self.go_on();
            }
        } else if !self.shown.listing.ready {
            self.find();
        }
        self.hand_out(busy)
    }

    /// In how many milliseconds there is something to go on with; `None` if everything waits for a person.
    pub fn due(&self) -> Option<f64> {
        if self.task.is_some() {
            Some((self.wake - (self.clock)()).max(0.0))
        } else {
            (!self.shown.listing.ready).then_some(0.0)
        }
    }

    /// What has come together since it was handed out last.
    fn hand_out(&mut self, was_busy: bool) -> Vec<Output> {
        let mut out = Vec::new();
        if std::mem::take(&mut self.changed) {
            let now = (self.clock)();
            self.shown.mode = self.task.as_ref().map_or(Mode::Idle, run::Task::mode);
            self.shown.slow = self.task.is_some() && now - self.since > run::SLOW;
            out.push(Output::Show(Box::new(self.shown.clone())));
        }
        out.append(&mut self.out);
        match (was_busy, self.task.is_some()) {
            (false, true) => out.push(Output::Busy),
            (true, false) => out.push(Output::Idle),
            _ => {}
        }
        out
    }

    fn say(&mut self, said: Said, bad: bool) {
        self.out.push(Output::Notice(Notice { said, bad }));
    }
}
