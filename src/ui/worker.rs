//! Workers beside the page (static/worker.js): starting one, hearing it; and the explorer's, as the page holds it.

use js_sys::Reflect;
use steady::engine::explorer::{Ask, Tell, VERSION, write};
use steady::engine::wire::read;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, Event, MessageEvent, Worker};
use yew::Callback;

#[wasm_bindgen]
extern "C" {
    /// static/boot.js: starts a worker with this name, which says what it does.
    #[wasm_bindgen(js_name = steadyWorker, catch)]
    fn start_worker(name: &str) -> Result<Worker, JsValue>;
}

/// Starts a worker with this name.
///
/// # Errors
/// What the browser said.
pub fn start(name: &str) -> Result<Worker, String> {
    start_worker(name).map_err(|e| format!("{e:?}"))
}

/// What hears a worker, until it is dropped.
pub struct Listening {
    worker: Worker,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(Event)>,
}

/// Hears a worker. Each message is a JSON list; a worker that has failed tells `[{"Failed": WHY}]`, also where it could not be
/// loaded.
pub fn listen(worker: &Worker, hear: Callback<String>) -> Listening {
    let tell = hear.clone();
    let message = Closure::<dyn FnMut(MessageEvent)>::new(move |e: MessageEvent| {
        tell.emit(e.data().as_string().unwrap_or_default());
    });
    // One that cannot be loaded has no message.
    let error = Closure::<dyn FnMut(Event)>::new(move |e: Event| {
        let said = e.dyn_ref::<ErrorEvent>().map(ErrorEvent::message);
        let said = said.filter(|_| Reflect::has(&e, &"message".into()).unwrap_or(false));
        let why = said.unwrap_or_else(|| "the worker cannot be loaded".to_owned());
        hear.emit(write(&[Tell::Failed(why)]));
    });
    worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(error.as_ref().unchecked_ref()));
    Listening { worker: worker.clone(), _message: message, _error: error }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
    }
}

/// The worker that explores and rehearses. Dropping it ends it, whatever it is doing.
pub struct Host {
    worker: Worker,
    _listening: Listening,
}

impl Host {
    /// Starts it. What it tells, and that it failed, goes to `tell`.
    pub fn new(tell: Callback<Tell>) -> Result<Host, String> {
        let worker = start("explorer")?;
        let hear = Callback::from(move |text: String| match read::<Vec<Tell>>(&text) {
            Ok(all) => all.into_iter().map(known).for_each(|t| tell.emit(t)),
            Err(why) => tell.emit(Tell::Failed(why)),
        });
        let listening = listen(&worker, hear);
        Ok(Host { worker, _listening: listening })
    }

    /// Asks.
    pub fn ask(&self, ask: &Ask) {
        // Only what cannot be copied is refused, and text can.
        let _ = self.worker.post_message(&write(ask).into());
    }
}

/// A worker of another version speaks of other things.
fn known(tell: Tell) -> Tell {
    match tell {
        Tell::Ready(version) if version != VERSION => Tell::Failed(format!(
            "it is of version {version}, this page of version {VERSION}: reload the page"
        )),
        other => other,
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}
