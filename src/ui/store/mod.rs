//! The page's state: one session and what is looked at. Components get slices of a [`View`], whose
//! parts are shared pointers: what did not change is the same pointer, and is not drawn again.

mod act;
mod listing;
mod load;
mod map;
mod persist;
mod run;
mod shared;
mod view;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use steady::api::ObjectRef;
use steady::apiserver::ApiServer;
use steady::kubectl::Kubectl;
use steady::session::scenario;
use steady::session::view::graph::Graph;
use steady::session::view::{Declared, Preview, Problem};
use steady::session::{Depth, MomentId, Session, Start};
use yew::Callback;

use super::i18n::{Lang, Texts};

pub use listing::{Listing, NextLine, What};
pub use map::MapState;
pub use persist::read as read_local;
pub use run::{Mode, SPEEDS, clock};
pub use shared::Shared;
pub use view::{Entry, Mark, Toast, View};

/// What the store keeps.
pub struct State {
    session: Session,
    /// Where the scenario begins: *restart* goes here.
    first: MomentId,
    graph: Shared<Graph>,
    /// What the graph was made of: the moment, and the store then.
    drawn: Option<(MomentId, ApiServer)>,
    changed: Shared<BTreeSet<ObjectRef>>,
    lit: Shared<BTreeSet<ObjectRef>>,
    declared: Rc<Declared>,
    marks: Shared<Vec<Mark>>,
    marks_tip: MomentId,
    depth: Depth,
    speed: usize,
    mode: Mode,
    /// When it began to run or load.
    since: f64,
    /// The moment that is on the way to be looked at.
    heading: Option<MomentId>,
    selection: Option<ObjectRef>,
    listing: Listing,
    /// So many lines of it are worked out; the rest is only counted.
    lines: usize,
    text: Shared<String>,
    /// Grows when the text was set by the page and not typed.
    text_set: u32,
    diagnostics: Shared<Vec<Problem>>,
    preview: Option<Shared<Preview>>,
    terminal: Shared<Vec<Entry>>,
    /// A command that waits for something to happen.
    waiting: Option<Kubectl>,
    toast: Option<Toast>,
    map: MapState,
    version: u64,
    /// Grows with every other session that is put on the table.
    sessions: u32,
}

/// A handle on the page's state.
#[derive(Clone)]
pub struct Store(Rc<Inner>);

struct Inner {
    state: RefCell<State>,
    texts: RefCell<Texts>,
    publish: RefCell<Callback<View>>,
    /// Each change makes work that was planned before it void.
    planned: Cell<u64>,
    waiting: RefCell<Vec<js_sys::Function>>,
    saving: Cell<bool>,
    previewing: Cell<u64>,
    /// Which work is under way: one that is begun makes the one before void.
    job: Cell<u64>,
    tasks: run::Tasks,
    /// Whether the page has opened what it opens with.
    begun: Cell<bool>,
}

impl PartialEq for Store {
    fn eq(&self, other: &Store) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Store {
    /// A store with the first scenario on the table.
    pub fn new(lang: Lang) -> Store {
        let session = Session::new(Start::default());
        let state = State {
            session,
            first: 0,
            graph: Shared::default(),
            drawn: None,
            changed: Shared::default(),
            lit: Shared::default(),
            declared: Rc::default(),
            marks: Shared::default(),
            marks_tip: usize::MAX,
            depth: Depth::Command,
            speed: 2,
            mode: Mode::Idle,
            since: 0.0,
            heading: None,
            selection: None,
            listing: Listing::default(),
            lines: listing::LINES,
            text: Shared::default(),
            text_set: 0,
            diagnostics: Shared::default(),
            preview: None,
            terminal: Shared::default(),
            waiting: None,
            toast: None,
            map: MapState::remembered(),
            version: 0,
            sessions: 0,
        };
        let store = Store(Rc::new(Inner {
            state: RefCell::new(state),
            texts: RefCell::new(Texts::new(lang)),
            publish: RefCell::new(Callback::noop()),
            planned: Cell::new(0),
            waiting: RefCell::new(Vec::new()),
            saving: Cell::new(false),
            previewing: Cell::new(0),
            job: Cell::new(0),
            tasks: run::Tasks::new(),
            begun: Cell::new(false),
        }));
        // The first one is applied and no more: it takes no time.
        if let Some(first) = scenario::list().first().and_then(|first| scenario::find(first.id)) {
            store.take(&first, first.open());
        }
        store
    }

    /// Where new views go.
    pub fn connect(&self, publish: Callback<View>) {
        *self.0.publish.borrow_mut() = publish;
    }

    /// The texts in the language that is shown.
    pub fn texts(&self) -> Texts {
        self.0.texts.borrow().clone()
    }

    /// Changes the language.
    pub fn set_lang(&self, lang: Lang) {
        *self.0.texts.borrow_mut() = Texts::new(lang);
        self.refresh();
    }

    /// Reads the state.
    pub fn with<R>(&self, read: impl FnOnce(&State) -> R) -> R {
        read(&self.0.state.borrow())
    }

    fn change<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        change(&mut self.0.state.borrow_mut())
    }

    /// Draws what is, and plans what follows from it.
    fn refresh(&self) {
        let view = self.view();
        let publish = self.0.publish.borrow().clone();
        publish.emit(view);
    }

    /// The run moved: everything that is derived from where it stands is worked out anew.
    fn moved(&self) {
        self.change(State::derive);
        self.look_again();
        self.0.planned.set(self.0.planned.get() + 1);
        self.refresh();
        self.plan_listing();
        self.plan_preview();
        self.plan_save();
        self.announce();
    }

    /// Changes what the page is busy with, and notes since when.
    fn enter(&self, mode: Mode) {
        self.change(|s| {
            s.mode = mode;
            s.since = run::clock();
        });
    }
}

impl State {
    /// Another session: what was derived from the last one counts no more.
    fn forget(&mut self) {
        self.sessions += 1;
        self.selection = None;
        self.graph = Shared::default();
        self.drawn = None;
        self.marks = Shared::default();
        self.marks_tip = usize::MAX;
        self.waiting = None;
    }

    /// Which session it is: moments of one mean nothing in another.
    pub fn sessions(&self) -> u32 {
        self.sessions
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The graph at the moment that is looked at.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Whether it runs.
    pub fn mode(&self) -> &Mode {
        &self.mode
    }

    /// The depth of a step.
    pub fn depth(&self) -> Depth {
        self.depth
    }

    /// What is selected.
    pub fn selection(&self) -> Option<&ObjectRef> {
        self.selection.as_ref()
    }

    /// The manifest.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Which step of the timeline a moment is.
    pub fn place_of(&self, moment: MomentId) -> usize {
        self.marks.iter().position(|m| m.moment == moment).unwrap_or(0)
    }
}
