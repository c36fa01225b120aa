//! What the page does when its engine has ended, by a panic or for lack of memory: it says so, and goes on from the moment that
//! was kept last with a new engine in a new worker.

use std::cell::Cell;

use gloo::console;
use gloo::utils::window;
use steady::engine::{Begin, GraphFilter, Input, Listing, Mode, Shown, Work};
use wasm_bindgen::prelude::wasm_bindgen;

use super::{Store, Toast, Waiting};

#[wasm_bindgen]
extern "C" {
    /// static/boot.js: says that the page cannot go on, and why.
    #[wasm_bindgen(js_name = steadyFailed)]
    fn failed(why: &str);
}

/// How often it is tried to load an engine.
const TRIES: u32 = 5;

/// What a page knows of its engines.
#[derive(Default)]
pub(super) struct Reviving {
    /// Which engine it is, counted from 1.
    turn: Cell<u64>,
    /// Whether it has shown anything.
    shown: Cell<bool>,
    /// How many engines could not be loaded since one has shown something.
    missed: Cell<u32>,
    /// How many engines have ended since one was last at rest.
    ended: Cell<u32>,
    /// While an engine takes the place of another one: the number of the editor's text ([`Shown::text_set`]), which stays as it is.
    text: Cell<Option<u32>>,
    /// What is added to the engine's number of the editor's text, so that it goes on from the one before.
    text_base: Cell<u32>,
}

impl Reviving {
    /// Another engine begins. Returns which one it is.
    pub fn begins(&self) -> u64 {
        self.turn.set(self.turn.get() + 1);
        self.shown.set(false);
        self.turn.get()
    }

    /// Whether this is the engine that works now.
    pub fn is(&self, turn: u64) -> bool {
        self.turn.get() == turn
    }

    /// Which engine works now.
    pub fn which(&self) -> u64 {
        self.turn.get()
    }

    /// Notes what is shown: an engine that has opened its run and found the next commands works. Returns whether it has taken the
    /// place of another one by that.
    pub fn sees(&self, shown: &mut Shown) -> bool {
        self.shown.set(true);
        self.missed.set(0);
        if let Some(stays) = self.text.get() {
            self.text_base.set(stays.wrapping_sub(shown.text_set));
        }
        shown.text_set = shown.text_set.wrapping_add(self.text_base.get());
        let works = matches!(shown, Shown { mode: Mode::Idle, listing: Listing { ready: true, .. }, .. });
        if works {
            self.ended.set(0);
        }
        works && self.text.take().is_some()
    }
}

impl Store {
    /// Says that the page cannot go on.
    pub(super) fn give_up(&self, why: &str) {
        console::error!("Steady's engine cannot be had:", why);
        failed(why);
    }

    /// Starts another engine in place of one that has ended or could not be loaded.
    pub(super) fn revive(&self, why: &str) {
        let Reviving { shown, missed, ended, .. } = &self.0.reviving;
        let was_loaded = shown.get();
        let turn = self.0.reviving.begins();
        *self.0.host.borrow_mut() = None;
        self.forget_sent();
        if !was_loaded {
            // The network may be back soon.
            if window().navigator().on_line() {
                missed.set(missed.get() + 1);
            }
            if missed.get() == TRIES {
                return self.give_up(why);
            }
            console::info!("Steady's engine could not be loaded:", why);
            if self.0.ready.borrow().is_none() {
                self.say_ended("engine-missing", why);
            }
            return self.plan(500 << missed.get(), move |store| {
                if store.0.reviving.is(turn) {
                    store.start();
                    store.begin_again();
                }
            });
        }
        ended.set(ended.get() + 1);
        if ended.get() > 2 {
            return self.give_up(why);
        }
        console::error!("Steady's engine has ended:", why);
        self.start();
        self.begin_again();
        self.say_ended(if ended.get() == 1 { "engine-ended" } else { "engine-ended-again" }, why);
    }

    /// Forgets what was sent to an engine that has ended. Whoever waits for it hears that nothing was done.
    fn forget_sent(&self) {
        let asked = std::mem::take(&mut *self.0.asked.borrow_mut());
        // What is dropped with it may ask something of the store.
        drop(asked);
        self.0.busy.set(false);
        self.0.did.set(false);
        self.0.printed.borrow_mut().take();
        self.0.sent.set(0);
        self.0.handled.set(0);
        let then = std::mem::take(&mut *self.0.then.borrow_mut());
        self.lose(then.into_values());
        let waiting = std::mem::take(&mut *self.0.waiting.borrow_mut());
        let (ended, stay): (Vec<Waiting>, Vec<Waiting>) = waiting.into_iter().partition(|w| w.of_engine);
        self.0.waiting.borrow_mut().extend(stay);
        self.lose(ended.into_iter().map(|w| w.then));
    }

    fn say_ended(&self, key: &'static str, why: &str) {
        let text = self.texts().get(key);
        self.show_toast(Toast { text, whole: why.to_owned(), bad: true, act: None });
    }

    /// Hands a new engine what the one before has shown last; the first input again, if there was none.
    fn begin_again(&self) {
        let first = self.0.first.borrow().clone();
        if self.0.ready.borrow().is_some() {
            return first.into_iter().for_each(|begin| self.send(Input::Begin(begin)));
        }
        let shown = self.with(Shown::clone);
        self.0.reviving.text.set(Some(shown.text_set));
        let again = self.0.reviving.ended.get() > 1;
        // A run with which two engines have ended is left to the list of runs.
        let draft = self.0.draft.borrow().clone().filter(|draft| draft.id == shown.run && !again);
        let work = draft.map(|d| Work { id: Some(d.id.to_string()), link: d.link });
        let anew = work.is_none() && !again;
        let lesson = shown.lesson.as_ref().filter(|lesson| !lesson.own && anew);
        let link = lesson.map(|lesson| format!("/lesson/{}", lesson.id));
        let scenario = shown.scenario.as_ref().filter(|_| anew).map(|scenario| scenario.id.to_string());
        // The engine before has made ids of the first one's word.
        let tab = format!("{}-{}", self.tab(), self.0.reviving.turn.get());
        let (map_shown, after) = (shown.map.shown, (shown.version, shown.session));
        let begin =
            Begin { link, scenario, work, tab, map_shown, after, at: None, ..first.unwrap_or_default() };
        for input in [Input::Begin(begin), Input::Depth(shown.depth), Input::Speed(shown.speed)] {
            self.send(input);
        }
        if *shown.filter != GraphFilter::default() {
            self.send(Input::Filter(GraphFilter::clone(&shown.filter)));
        }
        self.send(Input::Recall(shown.history.to_vec()));
    }
}
