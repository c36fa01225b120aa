//! The page's state: the engine's last [`Shown`], and what only the page knows (its language, a message, the command that
//! is pointed at). Components send [`Input`]s and are drawn from a [`View`]. The parts of a view are shared pointers; a
//! part that did not change is the same pointer, and is not drawn again.

mod db;
mod hear;
mod host;
mod keep;
mod lesson;
mod locks;
mod revive;
mod runs;
mod shared;
mod update;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use steady::engine::wire::Heard;
use steady::engine::{
    Answer, Ask, Begin, Draft, GraphFilter, Input, NextLine, ObjectRef, Options, Printed, Shape, Shown,
};
use yew::Callback;

use super::i18n::{Lang, Texts, sentence};
use super::who;
use host::Host;

pub use host::clock;
pub use keep::in_browser as read_local;
pub use runs::{RunDeed, RunList};
pub use shared::Shared;

/// After how many milliseconds without a change it is worked out what Apply would do.
const PAUSE: u32 = 250;

/// A message that is shown for a while.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Toast {
    /// What it says.
    pub text: String,
    /// All that kubectl printed, if that is more; else empty.
    pub whole: String,
    /// Whether something went wrong.
    pub bad: bool,
    /// What a person can do about it.
    pub act: Option<ToastAct>,
}

/// What the button of a message does.
#[derive(Clone, Debug, PartialEq)]
pub enum ToastAct {
    /// Takes the run with this id over from another tab.
    TakeOver(String),
    /// Goes on with the new version of the page.
    Update,
}

impl ToastAct {
    /// The button's text, as a key of the catalogue.
    pub fn key(&self) -> &'static str {
        match self {
            ToastAct::TakeOver(_) => "run-take-over",
            ToastAct::Update => "update-reload",
        }
    }
}

/// The step that led here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LastStep {
    /// The CSS class of the component that took it.
    pub who: &'static str,
    /// What happened and why.
    pub text: String,
}

/// The way of a request through the graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// The object at each of its stops, in their order; `None` where the cluster has no object.
    pub along: Vec<Option<ObjectRef>>,
    /// The stop that is looked at, counted from 0; `None` if all of the way is.
    pub at: Option<usize>,
}

/// What the page draws.
#[derive(Clone)]
pub struct View {
    /// What the engine says is to be shown.
    pub shown: Shown,
    /// The language's texts.
    pub texts: Texts,
    /// The objects of the command that is pointed at.
    pub lit: Shared<BTreeSet<ObjectRef>>,
    /// The way of the request that is followed; empty if none is.
    pub way: Shared<Way>,
    /// The last step.
    pub last_step: LastStep,
    /// A message.
    pub toast: Option<Toast>,
    /// Whether the editor's text was refused when it was applied, which stands beside its mistakes and in no message.
    pub refused: bool,
    /// The address of a link that a person asked for, until its dialog is closed.
    pub shared: Option<String>,
    /// Which engine it is from, counted from 1.
    pub engine: u64,
}

/// A handle on the page's state. The default one has no engine: what is sent to it goes nowhere.
#[derive(Clone, Default)]
pub struct Store(Rc<Inner>);

#[derive(Default)]
struct Inner {
    host: RefCell<Option<Rc<Host>>>,
    shown: RefCell<Shown>,
    texts: RefCell<Texts>,
    /// What the address says of how the page is shown.
    options: RefCell<Options>,
    shared: RefCell<Option<String>>,
    lit: RefCell<Shared<BTreeSet<ObjectRef>>>,
    way: RefCell<Shared<Way>>,
    toast: RefCell<Option<Toast>>,
    /// Whether the mistakes that are marked are those of a text that was applied.
    refused: Cell<bool>,
    /// Where new views go.
    publish: RefCell<Option<Callback<View>>>,
    /// Whether there was a new view before `publish` was set.
    missed: Cell<bool>,
    /// Called once, when there is something to show.
    ready: RefCell<Option<Callback<()>>>,
    /// Whether there was something to show.
    has_shown: Cell<bool>,
    /// What is done when no task is under way any more.
    waiting: RefCell<Vec<Waiting>>,
    busy: Cell<bool>,
    /// Questions that are not answered yet.
    asked: RefCell<BTreeMap<u64, Callback<Answer>>>,
    questions: Cell<u64>,
    /// The number of the last input that was sent, and of the last one that was handled.
    sent: Cell<u64>,
    handled: Cell<u64>,
    /// What is done when an input was handled, by its number.
    then: RefCell<BTreeMap<u64, Then>>,
    /// What the input that is being handled was answered with: the last [`Output::Did`](steady::engine::Output::Did) and
    /// [`Output::Printed`](steady::engine::Output::Printed).
    did: Cell<bool>,
    /// Whether what is being done because an input was handled is done because it never will be.
    lost: Cell<bool>,
    printed: RefCell<Option<Printed>>,
    /// The filter and the selection that were sent last, which may be newer than those of `shown`.
    filter: RefCell<Rc<GraphFilter>>,
    selection: RefCell<Option<ObjectRef>>,
    /// The run that is shown as it was kept last.
    draft: RefCell<Option<Draft>>,
    /// What a person has typed into the editor since it was given a text.
    typed: RefCell<Option<String>>,
    /// The first input.
    first: RefCell<Option<Begin>>,
    reviving: revive::Reviving,
    shelf: runs::Shelf,
    previewing: Cell<u64>,
}

/// What is done when an input was handled.
type Then = Box<dyn FnOnce(&Store)>;

/// What is done when nothing is under way any more.
struct Waiting {
    /// Whether it is about what the engine does that works now. Then it is done when that engine ends, too: [`Store::is_lost`]
    /// says so. Anything else waits for what the next engine does.
    of_engine: bool,
    then: Then,
}

impl PartialEq for Store {
    fn eq(&self, other: &Store) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Store {
    /// A store with an engine, which shows the first scenario.
    pub fn new(lang: Lang, options: Options) -> Store {
        let texts = RefCell::new(Texts::new(lang));
        let store = Store(Rc::new(Inner { texts, options: RefCell::new(options), ..Inner::default() }));
        store.start();
        store
    }

    /// Starts an engine in a worker.
    fn start(&self) {
        let store = self.clone();
        let turn = self.0.reviving.begins();
        let hear = Callback::from(move |heard: Vec<Heard>| {
            // What an engine says whose place another one has taken is of no interest.
            if store.0.reviving.is(turn) {
                store.hear(heard);
            }
        });
        match Host::new(hear) {
            Ok(host) => *self.0.host.borrow_mut() = Some(host),
            Err(why) => self.give_up(&why),
        }
    }

    /// Sets where new views go.
    pub fn connect(&self, publish: Callback<View>) {
        *self.0.publish.borrow_mut() = Some(publish);
        if self.0.missed.get() {
            self.refresh();
        }
    }

    /// Sets what is called once, when there is something to show.
    pub fn when_ready(&self, ready: Callback<()>) {
        *self.0.ready.borrow_mut() = Some(ready);
    }

    fn host(&self) -> Option<Rc<Host>> {
        self.0.host.borrow().clone()
    }

    /// Hands the engine what a person did.
    pub fn send(&self, input: Input) {
        match &input {
            Input::Filter(filter) => *self.0.filter.borrow_mut() = Rc::new(filter.clone()),
            Input::Select(object) => self.0.selection.borrow_mut().clone_from(object),
            Input::OpenRun(work) | Input::Begin(Begin { work: Some(work), .. }) => self.note_opened(work),
            _ => {}
        }
        if let Some(host) = self.host() {
            self.0.sent.set(host.send(input));
        }
    }

    /// Hands the engine an input, and does something when that was handled: [`Store::did`] and [`Store::printed`] say then
    /// what it was answered with. If there is no engine, or it ends before that, nothing was done, and [`Store::is_lost`] says so.
    pub fn send_then(&self, input: Input, then: impl FnOnce(&Store) + 'static) {
        if self.host().is_none() {
            return self.lose([Box::new(then) as Then]);
        }
        self.send(input);
        self.0.then.borrow_mut().insert(self.0.sent.get(), Box::new(then));
    }

    /// Whether the engine that should have handled the input has ended, or was not there. This is meant for what
    /// [`Store::send_then`] and [`Store::when_done`] call, while they do.
    pub fn is_lost(&self) -> bool {
        self.0.lost.get()
    }

    /// Does what waits for an engine that will not answer.
    fn lose(&self, all: impl IntoIterator<Item = Then>) {
        for then in all {
            let before = self.0.lost.replace(true);
            then(self);
            self.0.lost.set(before);
        }
    }

    /// What [`Output::Did`](steady::engine::Output::Did) says of the input that was handled.
    pub fn did(&self) -> bool {
        self.0.did.get()
    }

    /// What [`Output::Printed`](steady::engine::Output::Printed) says of the input that was handled.
    pub fn printed(&self) -> Option<Printed> {
        self.0.printed.borrow().clone()
    }

    /// Notes that an input was handled.
    fn note_handled(&self, number: u64) {
        self.0.handled.set(number);
        let then = self.0.then.borrow_mut().remove(&number);
        if let Some(then) = then {
            then(self);
        }
        self.0.did.set(false);
        self.0.printed.borrow_mut().take();
        if self.has_unhandled() {
            return;
        }
        let (filter, selection) = self.with(|s| (s.filter.clone(), s.selection.clone()));
        *self.0.selection.borrow_mut() = selection;
        if *self.0.filter.borrow() != filter {
            *self.0.filter.borrow_mut() = filter;
            self.refresh();
        }
    }

    /// Whether the engine has not handled everything that was sent to it.
    fn has_unhandled(&self) -> bool {
        self.0.handled.get() < self.0.sent.get()
    }

    /// Which objects of the graph a person wants to see: what was sent last, as the engine's answer may be on its way.
    pub fn filter(&self) -> Rc<GraphFilter> {
        self.0.filter.borrow().clone()
    }

    /// The selected object: what was sent last, as with [`Store::filter`].
    pub fn selection(&self) -> Option<ObjectRef> {
        self.0.selection.borrow().clone()
    }

    /// Asks the engine. The answer comes later; if the engine ends before that, or there is none, `answer` is dropped.
    pub fn ask(&self, ask: Ask, answer: Callback<Answer>) {
        if self.host().is_none() {
            return;
        }
        let number = self.0.questions.get() + 1;
        self.0.questions.set(number);
        self.0.asked.borrow_mut().insert(number, answer);
        self.send(Input::Ask(number, ask));
    }

    /// What the address says of how the page is shown.
    pub fn options(&self) -> Options {
        self.0.options.borrow().clone()
    }

    /// Changes how the page is shown.
    pub fn set_options(&self, change: impl FnOnce(&mut Options)) {
        change(&mut self.0.options.borrow_mut());
    }

    /// Whether the page is a part of somebody else's page: then nothing is stored.
    pub fn is_embedded(&self) -> bool {
        self.0.options.borrow().shape == Shape::Embedded
    }

    /// Reads what is shown.
    pub fn with<R>(&self, read: impl FnOnce(&Shown) -> R) -> R {
        read(&self.0.shown.borrow())
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

    /// What is drawn now.
    pub fn view(&self) -> View {
        let (texts, shown) = (self.texts(), self.with(Shown::clone));
        let last_step = LastStep {
            who: shown.by.as_deref().map_or("who-start", who::class),
            text: sentence(&texts, &shown.happened),
        };
        let (mut lit, toast) = (self.0.lit.borrow().clone(), self.0.toast.borrow().clone());
        if lit.is_empty()
            && let Some(lesson) = shown.lesson.as_ref().filter(|lesson| !lesson.lit.is_empty())
        {
            // Nothing is pointed at: what the lesson speaks of is lit.
            lit = Rc::new(lesson.lit.iter().cloned().collect::<BTreeSet<ObjectRef>>()).into();
        }
        let (shared, way) = (self.0.shared.borrow().clone(), self.0.way.borrow().clone());
        let (refused, engine) = (self.0.refused.get(), self.0.reviving.which());
        View { shown, texts, lit, way, last_step, toast, refused, shared, engine }
    }

    /// Draws the page anew.
    fn refresh(&self) {
        let publish = self.0.publish.borrow().clone();
        match publish {
            Some(publish) => publish.emit(self.view()),
            None => self.0.missed.set(true),
        }
    }

    /// Takes over what a person typed into the editor.
    pub fn typed(&self, text: String) {
        *self.0.typed.borrow_mut() = Some(text.clone());
        self.send(Input::Typed(text));
        self.plan_preview();
    }

    /// Has it worked out what Apply would do, once neither the text nor the run has changed for a while.
    fn plan_preview(&self) {
        let turn = self.0.previewing.get() + 1;
        self.0.previewing.set(turn);
        self.plan(PAUSE, move |store| {
            if store.0.previewing.get() == turn && !store.0.busy.get() {
                store.send(Input::Preview);
            }
        });
    }

    /// Lights up the objects that a command is about and that its reason names.
    pub fn light(&self, line: Option<&NextLine>) {
        self.light_these(line.iter().flat_map(|l| l.about.iter().cloned()).collect());
    }

    /// Lights up objects, and no others.
    pub fn light_these(&self, lit: BTreeSet<ObjectRef>) {
        if **self.0.lit.borrow() != lit {
            *self.0.lit.borrow_mut() = Rc::new(lit).into();
            self.refresh();
        }
    }

    /// Draws the way of a request, and lights up the objects that it is at.
    pub fn show_way(&self, lit: BTreeSet<ObjectRef>, way: Way) {
        if **self.0.way.borrow() != way {
            *self.0.way.borrow_mut() = Rc::new(way).into();
            if **self.0.lit.borrow() == lit {
                return self.refresh();
            }
        }
        self.light_these(lit);
    }

    /// Shows a message for a while.
    pub fn say(&self, text: String, bad: bool) {
        self.show_toast(Toast { text, bad, ..Toast::default() });
    }

    pub(super) fn show_toast(&self, toast: Toast) {
        let bad = toast.bad;
        let before = self.0.toast.replace(Some(toast.clone()));
        self.refresh();
        // An offer that gives way to another message comes back after it.
        if before.is_some_and(|before| before.act == Some(ToastAct::Update) && before != toast) {
            self.plan(10_000, |store| store.offer_update());
        }
        // What can be unfolded or answered stays until it is closed.
        if !toast.whole.is_empty() || toast.act.is_some() {
            return;
        }
        self.plan(if bad { 8000 } else { 3500 }, move |store| {
            let same = *store.0.toast.borrow() == Some(toast);
            if same {
                store.hush();
            }
        });
    }

    /// Does what the button of a message says.
    pub fn answer(&self, act: ToastAct) {
        self.hush();
        match act {
            ToastAct::TakeOver(id) => self.take_over(id),
            ToastAct::Update => self.update(),
        }
    }

    /// Takes the message away.
    pub fn hush(&self) {
        *self.0.toast.borrow_mut() = None;
        self.refresh();
    }

    /// Does something when everything that was sent is handled and no task is under way any more, be it by this engine or by
    /// another one that takes its place.
    pub fn when_idle(&self, then: impl FnOnce(&Store) + 'static) {
        self.0.waiting.borrow_mut().push(Waiting { of_engine: false, then: Box::new(then) });
        self.tell_idle();
    }

    /// Hands the engine an input, and does something when nothing is under way any more. If there is no engine, or it ends before
    /// that, [`Store::is_lost`] says so.
    pub fn when_done(&self, input: Input, then: impl FnOnce(&Store) + 'static) {
        if self.host().is_none() {
            return self.lose([Box::new(then) as Then]);
        }
        self.send(input);
        self.0.waiting.borrow_mut().push(Waiting { of_engine: true, then: Box::new(then) });
    }

    fn tell_idle(&self) {
        if self.0.busy.get() || self.has_unhandled() {
            return;
        }
        for waiting in std::mem::take(&mut *self.0.waiting.borrow_mut()) {
            (waiting.then)(self);
        }
    }

    fn plan(&self, wait: u32, work: impl FnOnce(Store) + 'static) {
        let store = self.clone();
        Timeout::new(wait, move || work(store)).forget();
    }
}
