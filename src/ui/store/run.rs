//! Running by itself: one step after the other at a speed, or as fast as it goes until the cluster
//! is steady. Never more than a slice at a time, so that the page stays awake.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use gloo::utils::window;
use steady::cluster::Stopped;
use steady::session::explore::{Choice, follow};
use steady::session::{Depth, MomentId};
use wasm_bindgen::JsCast;
use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;
use web_sys::{MessageChannel, MessagePort};
use yew::Callback;

use super::Store;

/// A slice of work, in milliseconds.
pub(super) const SLICE: f64 = 8.0;
/// More steps than this at one go stop and say so.
const LIMIT: u64 = 1_000_000;

/// Milliseconds between steps while it runs.
pub const SPEEDS: &[u32] = &[1600, 800, 400, 160, 40];

/// Whether it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Mode {
    /// It waits for a person.
    Idle,
    /// A step that takes longer than a slice.
    Stepping,
    /// One step after the other.
    Playing,
    /// As fast as it goes until steady.
    ToSteady {
        /// Steps so far.
        done: u64,
    },
    /// A set-up is done, a run is opened, the way to a moment is gone.
    Loading {
        /// Steps so far.
        done: u64,
        /// Of so many, where that is known.
        of: Option<u64>,
    },
}

type Work = Box<dyn FnOnce()>;

/// Tasks that follow each other without the 4 ms that browsers put between nested timers.
pub(super) struct Tasks {
    waiting: Rc<RefCell<VecDeque<Work>>>,
    /// What is sent here comes back as a task.
    port: Option<MessagePort>,
    _come: Closure<dyn FnMut()>,
}

impl Tasks {
    pub(super) fn new() -> Tasks {
        let waiting: Rc<RefCell<VecDeque<Work>>> = Rc::default();
        let queue = waiting.clone();
        let come = Closure::<dyn FnMut()>::new(move || {
            let next = queue.borrow_mut().pop_front();
            if let Some(work) = next {
                work();
            }
        });
        let port = MessageChannel::new().ok().map(|channel| {
            channel.port1().set_onmessage(Some(come.as_ref().unchecked_ref()));
            channel.port2()
        });
        Tasks { waiting, port, _come: come }
    }

    fn push(&self, work: Work) {
        match &self.port {
            Some(port) => {
                self.waiting.borrow_mut().push_back(work);
                // Only what cannot be copied is refused.
                let _ = port.post_message(&JsValue::NULL);
            }
            None => {
                Timeout::new(0, work).forget();
            }
        }
    }
}

/// Milliseconds of a clock that only goes forward.
pub fn clock() -> f64 {
    window().performance().map_or(0.0, |p| p.now())
}

impl Store {
    /// Runs, or pauses.
    pub fn toggle_run(&self) {
        if self.with(|s| s.mode != Mode::Idle) {
            self.stop();
        } else {
            self.enter(Mode::Playing);
            self.refresh();
            self.play();
        }
    }

    /// Stops whatever runs.
    pub fn stop(&self) {
        if self.with(|s| s.mode == Mode::Idle) {
            return;
        }
        let loading = self.is_loading();
        self.change(|s| {
            s.mode = Mode::Idle;
            s.heading = None;
            s.session.give_up();
        });
        if loading {
            // Nothing has moved; whoever loads finds out that it was stopped.
            self.refresh();
            self.plan_listing();
        } else {
            self.moved();
        }
        self.ended();
    }

    /// Sets the speed.
    pub fn set_speed(&self, speed: usize) {
        self.change(|s| s.speed = speed.min(SPEEDS.len() - 1));
        self.refresh();
    }

    fn play(&self) {
        if self.with(|s| s.mode != Mode::Playing) {
            return;
        }
        match self.slice() {
            Ok(false) => {
                // The page lives on between two slices.
                if self.is_slow() {
                    self.refresh();
                }
                return self.soon(|store| store.play());
            }
            Ok(true) => {}
            Err(_) => {
                self.tell_if_full();
                return self.stop();
            }
        }
        self.moved();
        let wait = SPEEDS.get(self.with(|s| s.speed)).copied().unwrap_or(400);
        let store = self.clone();
        Timeout::new(wait, move || store.play()).forget();
    }

    /// A step, or as much of it as fits into a slice; whether it is done.
    fn slice(&self) -> Result<bool, Stopped> {
        let end = clock() + SLICE;
        self.change(|s| s.session.step_within(s.depth, || clock() < end))
    }

    /// Steps, at the depth that is set; what takes long is done a slice at a time.
    pub fn step_on(&self) {
        if self.at_rest() {
            self.enter(Mode::Stepping);
            self.go_on_stepping(clock());
        }
    }

    fn go_on_stepping(&self, drawn: f64) {
        if self.with(|s| s.mode != Mode::Stepping) {
            return;
        }
        match self.slice() {
            Ok(false) => {
                let due = clock() - drawn > 100.0;
                if due {
                    self.refresh();
                }
                let drawn = if due { clock() } else { drawn };
                return self.soon(move |store| store.go_on_stepping(drawn));
            }
            Ok(true) => {
                self.change(|s| s.mode = Mode::Idle);
                self.moved();
            }
            Err(_) => {
                self.change(|s| s.mode = Mode::Idle);
                self.tell_if_full();
                self.refresh();
            }
        }
        self.ended();
    }

    /// Goes a way that the explorer found, from the moment it was found from. It is a branch of the run
    /// like any other; `done` is told how many of its steps there were.
    pub fn follow(&self, from: MomentId, depth: Depth, way: Vec<Choice>, done: Callback<usize>) {
        if !self.at_rest() {
            return;
        }
        self.change(|s| s.session.goto(from));
        self.enter(Mode::Stepping);
        self.go_along(depth, way, 0, done);
    }

    fn go_along(&self, depth: Depth, way: Vec<Choice>, mut gone: usize, done: Callback<usize>) {
        if self.with(|s| s.mode != Mode::Stepping) {
            return;
        }
        let end = clock() + SLICE;
        let mut more = true;
        while more && clock() < end {
            let next = way.get(gone..gone + 1).unwrap_or_default();
            more = !next.is_empty() && self.change(|s| follow(&mut s.session, depth, next).is_ok());
            gone += usize::from(more);
        }
        if more {
            return self.soon(move |store| store.go_along(depth, way, gone, done));
        }
        self.change(|s| s.mode = Mode::Idle);
        self.tell_if_full();
        self.moved();
        self.ended();
        done.emit(gone);
    }

    /// Whether the page has been busy for so long that a person wants to know how far it is.
    pub(super) fn is_slow(&self) -> bool {
        self.with(|s| s.mode != Mode::Idle && clock() - s.since > 400.0)
    }

    /// Runs until nothing is left to do.
    pub fn to_steady(&self) {
        if self.with(|s| matches!(s.mode, Mode::ToSteady { .. })) {
            return self.stop();
        }
        if self.is_loading() {
            return;
        }
        self.enter(Mode::ToSteady { done: 0 });
        self.refresh();
        self.go_on(clock());
    }

    fn go_on(&self, drawn: f64) {
        let Mode::ToSteady { mut done } = self.with(|s| s.mode.clone()) else { return };
        let end = clock() + SLICE;
        let mut more = true;
        while more && clock() < end {
            match self.change(|s| s.session.step_within(s.depth, || clock() < end)) {
                Ok(true) => {
                    done += 1;
                    more = done < LIMIT;
                    self.announce();
                }
                Ok(false) => break,
                Err(_) => more = false,
            }
        }
        if !more {
            if done >= LIMIT {
                let text = self.texts().with("limit-steps", &[("n", (LIMIT as f64).into())]);
                self.say(text, true);
            }
            self.tell_if_full();
            self.change(|s| s.mode = Mode::Idle);
            self.moved_quietly();
            self.ended();
            return;
        }
        self.change(|s| s.mode = Mode::ToSteady { done });
        // Drawing takes longer than stepping: a few pictures a second tell enough.
        let (now, nodes) = (clock(), self.with(|s| s.graph.nodes.len()));
        let due = now - drawn > if nodes > 300 { 250.0 } else { 90.0 };
        if due {
            // A picture takes as long as a slice, and drawing it as long again: a task for each.
            return self.soon(move |store| {
                store.change(super::State::derive);
                store.soon(move |store| {
                    store.refresh();
                    store.soon(move |store| store.go_on(clock()));
                });
            });
        }
        self.soon(move |store| store.go_on(drawn));
    }

    /// A run that is full stops for that reason and for no other.
    pub(super) fn tell_if_full(&self) {
        if self.with(|s| s.session.is_full()) {
            let n = steady::session::MOMENTS_LIMIT as f64;
            let text = self.texts().with("limit-steps", &[("n", n.into())]);
            self.say(text, true);
        }
    }

    /// Calls back when nothing runs any more.
    pub fn when_idle(&self, resolve: js_sys::Function) {
        self.0.waiting.borrow_mut().push(resolve);
        if self.with(|s| s.mode == Mode::Idle) {
            self.ended();
        }
    }

    pub(super) fn ended(&self) {
        for resolve in std::mem::take(&mut *self.0.waiting.borrow_mut()) {
            let _ = resolve.call0(&wasm_bindgen::JsValue::NULL);
        }
    }

    /// Moved, each step of it having been announced.
    fn moved_quietly(&self) {
        self.change(super::State::derive);
        self.look_again();
        self.0.planned.set(self.0.planned.get() + 1);
        self.refresh();
        self.plan_listing();
        self.plan_preview();
        self.plan_save();
    }

    /// Does something in a task of its own, after what the browser has to do meanwhile.
    pub(super) fn soon(&self, work: impl FnOnce(Store) + 'static) {
        let store = self.clone();
        self.0.tasks.push(Box::new(move || work(store)));
    }

    pub(super) fn plan(&self, wait: u32, work: impl FnOnce(Store) + 'static) {
        let store = self.clone();
        Timeout::new(wait, move || work(store)).forget();
    }
}
