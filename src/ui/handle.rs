//! `window.steady`: the page for whoever embeds or drives it. docs/embed.md describes it. Whatever asks the engine returns a
//! promise, because the engine is in a worker. If that worker ends first, the promise is rejected.

use std::cell::Cell;

use gloo::utils::window;
use js_sys::{Error, Function, Object, Promise, Reflect};
use steady::engine::{Answer, Ask, Input, Printed};
use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;
use yew::Callback;

use super::js::object;
use super::store::Store;

/// Puts the handle in its place.
pub fn install(store: &Store) {
    let handle = Object::new();
    with_text(store, &handle, "apply", |s, text| line(s, Input::ApplyText(text)));
    with_text(store, &handle, "kubectl", |s, text| line(s, Input::Kubectl(text)));
    with_text(store, &handle, "setPolicy", |s, name| match name.parse() {
        Ok(policy) => promise(s, Input::Policy(policy), |s| s.did().into()),
        Err(_) => Promise::resolve(&JsValue::FALSE),
    });
    plain(store, &handle, "step", |s| promise(s, Input::StepAtOnce, |s| s.did().into()).into());
    plain(store, &handle, "back", |s| promise(s, Input::Back, |s| s.did().into()).into());
    plain(store, &handle, "run", |s| done(s, Input::RunOn).into());
    plain(store, &handle, "pause", |s| promise(s, Input::Stop, |_| JsValue::UNDEFINED).into());
    plain(store, &handle, "runToSteady", |s| done(s, Input::ToSteadyOn).into());
    plain(store, &handle, "policy", |s| s.with(|x| x.policy.to_string()).into());
    plain(store, &handle, "enabled", |s| {
        asked(s, Ask::Enabled, |_, answer| match answer {
            Answer::Enabled(text) => json(&text),
            _ => JsValue::NULL,
        })
    });
    plain(store, &handle, "nextCommands", |s| {
        asked(s, Ask::NextCommands, |_, answer| match answer {
            Answer::NextCommands(text) => json(&text),
            _ => JsValue::NULL,
        })
    });
    let s = store.clone();
    set(
        &handle,
        "objects",
        Closure::<dyn Fn(JsValue) -> JsValue>::new(move |kind: JsValue| {
            let word = kind.as_string().filter(|k| !k.is_empty());
            asked(&s, Ask::Objects(word), |_, answer| match answer {
                Answer::Objects(text) => json(&text),
                _ => JsValue::NULL,
            })
        }),
    );
    plain(store, &handle, "digest", |s| {
        asked(s, Ask::Digest, |_, answer| match answer {
            Answer::Digest(digest) => digest.into(),
            _ => JsValue::NULL,
        })
    });
    plain(store, &handle, "link", |s| {
        asked(s, Ask::Link, |s, answer| match answer {
            Answer::Link(Some(link)) => s.address(&link).map_or(JsValue::NULL, JsValue::from),
            _ => JsValue::NULL,
        })
    });
    let _ = Reflect::set(&window(), &"steady".into(), &handle);
}

/// A function without an argument.
fn plain(store: &Store, handle: &Object, name: &str, call: impl Fn(&Store) -> JsValue + 'static) {
    let store = store.clone();
    set(handle, name, Closure::<dyn Fn() -> JsValue>::new(move || call(&store)));
}

/// A function of a text.
fn with_text(store: &Store, handle: &Object, name: &str, call: impl Fn(&Store, String) -> Promise + 'static) {
    let store = store.clone();
    set(handle, name, Closure::<dyn Fn(String) -> Promise>::new(move |text: String| call(&store, text)));
}

fn set<T: ?Sized + wasm_bindgen::closure::WasmClosure>(handle: &Object, name: &str, call: Closure<T>) {
    // It lives as long as the page.
    let _ = Reflect::set(handle, &name.into(), &call.into_js_value());
}

/// A promise that is not settled yet. If it is dropped so, the engine has ended before it could answer, and the promise is
/// rejected.
struct Pledge {
    store: Store,
    settle: Cell<Option<(Function, Function)>>,
}

impl Pledge {
    /// A promise, and what settles it.
    fn new(store: &Store) -> (Promise, Pledge) {
        let pledge = Pledge { store: store.clone(), settle: Cell::default() };
        let promise = Promise::new(&mut |resolve: Function, reject: Function| {
            pledge.settle.set(Some((resolve, reject)))
        });
        (promise, pledge)
    }

    /// Keeps the promise, unless it is settled.
    fn keep(&self, value: &JsValue) {
        if let Some((resolve, _)) = self.settle.take() {
            // A function that resolves a promise does not throw.
            let _ = resolve.call1(&JsValue::NULL, value);
        }
    }
}

impl Drop for Pledge {
    fn drop(&mut self) {
        if let Some((_, reject)) = self.settle.take() {
            let why = Error::new(&self.store.texts().get("engine-lost"));
            let _ = reject.call1(&JsValue::NULL, &why);
        }
    }
}

/// A promise of what an input was answered with.
fn promise(store: &Store, input: Input, said: impl FnOnce(&Store) -> JsValue + 'static) -> Promise {
    let (promise, pledge) = Pledge::new(store);
    store.send_then(input, move |store| {
        if !store.is_lost() {
            pledge.keep(&said(store));
        }
    });
    promise
}

/// A promise of the engine's answer.
fn asked(store: &Store, ask: Ask, said: impl Fn(&Store, Answer) -> JsValue + 'static) -> JsValue {
    let (promise, pledge) = Pledge::new(store);
    let s = store.clone();
    store.ask(ask, Callback::from(move |answer| pledge.keep(&said(&s, answer))));
    promise.into()
}

/// A promise that is kept when nothing runs any more, after an input.
fn done(store: &Store, input: Input) -> Promise {
    let (promise, pledge) = Pledge::new(store);
    store.when_done(input, move |store| {
        if !store.is_lost() {
            pledge.keep(&JsValue::UNDEFINED);
        }
    });
    promise
}

/// A promise of what a command line printed; that it did not run, where a run is being opened.
fn line(store: &Store, input: Input) -> Promise {
    promise(store, input, |store| {
        let out = store.printed().unwrap_or_else(|| {
            let stderr = format!("error: {}\n", store.texts().get("still-loading"));
            Printed { stderr, exit: 1, ..Printed::default() }
        });
        // What waits has not ended.
        let exit = if out.waits { JsValue::NULL } else { out.exit.into() };
        object(&[("stdout", out.stdout.into()), ("stderr", out.stderr.into()), ("exit", exit)])
    })
}

fn json(text: &str) -> JsValue {
    js_sys::JSON::parse(text).unwrap_or(JsValue::NULL)
}
