//! Where the engine lives: on this thread, between the browser's own tasks. Inputs go in and outputs come
//! out here and nowhere else in the page, so an engine in a worker takes the place of this file.

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

/// The engine, and what it has to be given time for.
pub struct Host {
    engine: RefCell<Engine>,
    hear: Callback<Vec<Output>>,
    tasks: Tasks,
    /// What a slice brought that is to be shown: drawing it is a task of its own.
    late: RefCell<Vec<Output>>,
    /// Grows whenever it is planned anew when the engine goes on.
    turn: Cell<u64>,
}

impl Host {
    /// An engine. What comes out of it goes to `hear`.
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

    /// Has the engine go on when it wants to: in the next task, if it comes from a slice.
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

    /// Does something in a task of its own, unless it was planned otherwise by then.
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
    /// What is sent here comes back as a task.
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
                // Only what cannot be copied is refused.
                let _ = port.post_message(&JsValue::NULL);
            }
            None => {
                Timeout::new(0, work).forget();
            }
        }
    }
}
