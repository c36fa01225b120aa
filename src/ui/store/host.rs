//! The engine's worker: what is sent to it, and what comes back. No other file of the page knows where the engine is.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use gloo::utils::{document, window};
use js_sys::{Array, Reflect};
use steady::engine::Input;
use steady::engine::explorer::write;
use steady::engine::wire::{self, Heard, Message, Order, Receiver};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Worker;
use yew::Callback;

use crate::ui::worker::{self, Listening};

#[wasm_bindgen]
extern "C" {
    /// static/boot.js: the engine's worker, which was started beside the page, and the messages that have come from it. A
    /// second call gives `undefined`.
    #[wasm_bindgen(js_name = steadyEngine)]
    fn started() -> JsValue;
}

/// How many milliseconds a browser may take to draw before it is taken to be done: a page in the background draws nothing.
const DRAWING: u32 = 100;

/// A worker with an engine. Dropping it ends the worker.
pub struct Host {
    worker: Worker,
    _listening: Listening,
    receiver: RefCell<Receiver>,
    hear: Callback<Vec<Heard>>,
    /// How many inputs were sent.
    sent: Cell<u64>,
}

impl Host {
    /// A worker with a new engine: the one that was started beside the page, or another one. What comes of its inputs goes to
    /// `hear`, and a [`Heard::Failed`] if it has ended.
    pub fn new(hear: Callback<Vec<Heard>>) -> Result<Rc<Host>, String> {
        let started = started();
        let field = |name: &str| Reflect::get(&started, &name.into()).ok();
        let early = field("early").and_then(|early| early.dyn_into::<Array>().ok());
        let worker = match field("worker").and_then(|w| w.dyn_into::<Worker>().ok()) {
            Some(worker) => worker,
            None => worker::start("engine")?,
        };
        let host = Rc::new_cyclic(|me: &std::rc::Weak<Host>| {
            let me = me.clone();
            let listening = worker::listen(
                &worker,
                Callback::from(move |text: String| {
                    if let Some(host) = me.upgrade() {
                        host.heard(&text);
                    }
                }),
            );
            let (receiver, sent) = (RefCell::default(), Cell::new(0));
            Host { worker, _listening: listening, receiver, hear, sent }
        });
        let early: Vec<String> = early.iter().flat_map(Array::iter).filter_map(|m| m.as_string()).collect();
        if !early.is_empty() {
            // In a task of its own, as if it came now.
            let host = host.clone();
            Timeout::new(0, move || early.iter().for_each(|text| host.heard(text))).forget();
        }
        Ok(host)
    }

    /// Hands the engine an input. Returns its number, which comes back in [`Heard::Handled`].
    pub fn send(&self, input: Input) -> u64 {
        let number = self.sent.get() + 1;
        self.sent.set(number);
        self.post(&Order::Input(number, input));
        number
    }

    fn post(&self, order: &Order) {
        // Only what cannot be copied is refused, and text can.
        let _ = self.worker.post_message(&write(order).into());
    }

    fn heard(self: &Rc<Host>, text: &str) {
        let messages = match wire::read(text) {
            Ok(messages) => messages,
            Err(why) => vec![Message::Failed(why)],
        };
        let shows = messages.iter().filter(|m| matches!(m, Message::Show(_))).count();
        let heard = self.receiver.borrow_mut().unpack(messages);
        self.hear.emit(heard);
        for _ in 0..shows {
            let host = self.clone();
            after_drawing(move || host.post(&Order::Drawn));
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// Does something when the browser has drawn what was changed in this task.
fn after_drawing(work: impl FnOnce() + 'static) {
    if document().hidden() {
        return work();
    }
    let work = Rc::new(Cell::new(Some(work)));
    let once = move || {
        if let Some(work) = work.take() {
            work();
        }
    };
    let late = once.clone();
    Timeout::new(DRAWING, late).forget();
    let frame = Closure::once_into_js(move |_: f64| once());
    let _ = window().request_animation_frame(frame.unchecked_ref());
}

/// Milliseconds of a clock that only goes forward.
pub fn clock() -> f64 {
    window().performance().map_or(0.0, |p| p.now())
}
