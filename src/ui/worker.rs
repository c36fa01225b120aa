//! The worker that explores and rehearses, as the page holds it. Dropping it ends it, whatever it is doing.

use js_sys::Reflect;
use steady::engine::explorer::{Ask, Tell, VERSION, read, write};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{ErrorEvent, Event, MessageEvent, Worker, WorkerOptions, WorkerType};
use yew::Callback;

/// The module that it runs, beside the page.
const MODULE: &str = "./explorer.js";

/// A worker that was started.
pub struct Host {
    worker: Worker,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(Event)>,
}

impl Host {
    /// Starts it. What it tells, and that it failed, goes to `tell`.
    pub fn new(tell: Callback<Tell>) -> Result<Host, String> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(MODULE, &options).map_err(|e| format!("{e:?}"))?;
        let say = tell.clone();
        let message = Closure::<dyn FnMut(MessageEvent)>::new(move |e: MessageEvent| {
            let text = e.data().as_string().unwrap_or_default();
            match read::<Vec<Tell>>(&text) {
                Ok(all) => all.into_iter().map(known).for_each(|t| say.emit(t)),
                Err(why) => say.emit(Tell::Failed(why)),
            }
        });
        // One that cannot be loaded has no message.
        let error = Closure::<dyn FnMut(Event)>::new(move |e: Event| {
            let said = e.dyn_ref::<ErrorEvent>().map(ErrorEvent::message);
            let said = said.filter(|_| Reflect::has(&e, &"message".into()).unwrap_or(false));
            tell.emit(Tell::Failed(said.unwrap_or_else(|| format!("{MODULE} cannot be loaded"))));
        });
        worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(error.as_ref().unchecked_ref()));
        Ok(Host { worker, _message: message, _error: error })
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
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}
