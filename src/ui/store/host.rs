//! Runs the engine on the page's thread, between the browser's own tasks. No other file of the page calls the engine, so a
//! host whose engine is in a worker takes the place of this file.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use gloo::utils::window;
use steady::engine::{Engine, Input, Output};
use wasm_bindgen::JsCast;
use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;
use web_sys::{MessageChannel, MessagePort};
use yew::Callback;

/// The engine, and the browser tasks in which it works.
pub struct Host {
    engine: RefCell<Engine>,
    hear: Callback<Vec<Output>>,
    tasks: Tasks,
    /// Outputs of the last slice: they are drawn in a task of their own.
    late: RefCell<Vec<Output>>,
    /// Grows with every plan for the engine to go on. A plan of an earlier turn does nothing.
    turn: Cell<u64>,
}

impl Host {
    /// A host with a new engine, whose outputs go to `hear`.
    pub fn new(hear: Callback<Vec<Output>>) -> Rc<Host> {
        let (engine, tasks) = (RefCell::new(Engine::new(clock)), Tasks::new());
        Rc::new(Host { engine, hear, tasks, late: RefCell::default(), turn: Cell::new(0) })
    }

    /// Hands the engine what a person did.
    pub fn send(self: &Rc<Host>, input: Input) {
        self.tell_late();
        let out = self.engine.borrow_mut().handle(input);
        self.hear.emit(out);
        self.plan(false);
    }

    /// Hands the engine a question, which changes nothing.
    pub fn ask(&self, input: Input) {
        let out = self.engine.borrow_mut().handle(input);
        self.hear.emit(out);
    }

    /// Plans for the engine to go on when it wants to: after a slice in the next task, without the delay of a timer.
    fn plan(self: &Rc<Host>, from_slice: bool) {
        let turn = self.turn.get() + 1;
        self.turn.set(turn);
        let Some(wait) = self.engine.borrow().due() else { return };
        if from_slice && wait <= 0.0 {
            self.soon(turn, Host::go_on);
        } else {
            let host = self.clone();
            let go_on = move || {
                if host.turn.get() == turn {
                    host.go_on();
                }
            };
            Timeout::new(wait.ceil() as u32, go_on).forget();
        }
    }

    fn go_on(self: &Rc<Host>) {
        let out = self.engine.borrow_mut().work();
        if out.iter().any(|o| matches!(o, Output::Show(_))) {
            // Drawing takes as long as a slice.
            self.late.borrow_mut().extend(out);
            let turn = self.turn.get();
            return self.soon(turn, |host| {
                host.tell_late();
                host.plan(true);
            });
        }
        self.hear.emit(out);
        self.plan(true);
    }

    fn tell_late(&self) {
        let late = std::mem::take(&mut *self.late.borrow_mut());
        if !late.is_empty() {
            self.hear.emit(late);
        }
    }

    /// Does something in a task of its own, unless there is a newer plan by then.
    fn soon(self: &Rc<Host>, turn: u64, work: impl FnOnce(&Rc<Host>) + 'static) {
        let host = self.clone();
        self.tasks.push(Box::new(move || {
            if host.turn.get() == turn {
                work(&host);
            }
        }));
    }
}

/// Milliseconds of a clock that only goes forward.
pub fn clock() -> f64 {
    window().performance().map_or(0.0, |p| p.now())
}

type Work = Box<dyn FnOnce()>;

/// Tasks that follow each other without the 4 ms that browsers put between nested timers.
struct Tasks {
    waiting: Rc<RefCell<VecDeque<Work>>>,
    /// Each message to this port is a new task of the browser.
    port: Option<MessagePort>,
    _come: Closure<dyn FnMut()>,
}

impl Tasks {
    fn new() -> Tasks {
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
                // A browser refuses only messages that it cannot copy, and `null` can be copied.
                let _ = port.post_message(&JsValue::NULL);
            }
            None => {
                Timeout::new(0, work).forget();
            }
        }
    }
}
