//! `window.steady`: the page for whoever embeds or drives it. docs/embed.md describes it.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::utils::window;
use js_sys::{Function, Object, Promise, Reflect};
use steady::engine::{Answer, Ask, Input, Printed};
use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;
use yew::Callback;

use super::js::object;
use super::store::Store;

/// Puts the handle in its place.
pub fn install(store: &Store) {
    let handle = Object::new();
    let s = store.clone();
    set(
        &handle,
        "apply",
        Closure::<dyn Fn(String) -> JsValue>::new(move |text: String| {
            printed(&s, s.printed(Input::ApplyText(text)))
        }),
    );
    let s = store.clone();
    set(
        &handle,
        "kubectl",
        Closure::<dyn Fn(String) -> JsValue>::new(move |line: String| {
            printed(&s, s.printed(Input::Kubectl(line)))
        }),
    );
    let s = store.clone();
    set(&handle, "step", Closure::<dyn Fn() -> bool>::new(move || s.send_at_once(Input::StepAtOnce)));
    let s = store.clone();
    set(&handle, "back", Closure::<dyn Fn() -> bool>::new(move || s.send_at_once(Input::Back)));
    let s = store.clone();
    set(
        &handle,
        "run",
        Closure::<dyn Fn() -> Promise>::new(move || {
            if !s.is_busy() {
                s.send(Input::Run);
            }
            idle(&s)
        }),
    );
    let s = store.clone();
    set(&handle, "pause", Closure::<dyn Fn()>::new(move || s.send(Input::Stop)));
    let s = store.clone();
    set(
        &handle,
        "runToSteady",
        Closure::<dyn Fn() -> Promise>::new(move || {
            if !s.is_busy() {
                s.send(Input::ToSteady);
            }
            idle(&s)
        }),
    );
    let s = store.clone();
    set(&handle, "policy", Closure::<dyn Fn() -> String>::new(move || s.with(|x| x.policy.to_string())));
    let s = store.clone();
    set(
        &handle,
        "setPolicy",
        Closure::<dyn Fn(String) -> bool>::new(move |name: String| {
            let Ok(policy) = name.parse() else { return false };
            let set = s.send_at_once(Input::Policy(policy));
            s.plan_save();
            set
        }),
    );
    let s = store.clone();
    set(
        &handle,
        "enabled",
        Closure::<dyn Fn() -> JsValue>::new(move || match asked(&s, Ask::Enabled) {
            Some(Answer::Enabled(text)) => json(&text),
            _ => JsValue::NULL,
        }),
    );
    let s = store.clone();
    set(
        &handle,
        "nextCommands",
        Closure::<dyn Fn() -> JsValue>::new(move || match asked(&s, Ask::NextCommands) {
            Some(Answer::NextCommands(text)) => json(&text),
            _ => JsValue::NULL,
        }),
    );
    let s = store.clone();
    set(
        &handle,
        "objects",
        Closure::<dyn Fn(JsValue) -> JsValue>::new(move |kind: JsValue| {
            let word = kind.as_string().filter(|k| !k.is_empty());
            match asked(&s, Ask::Objects(word)) {
                Some(Answer::Objects(text)) => json(&text),
                _ => JsValue::NULL,
            }
        }),
    );
    let s = store.clone();
    set(
        &handle,
        "digest",
        Closure::<dyn Fn() -> JsValue>::new(move || match asked(&s, Ask::Digest) {
            Some(Answer::Digest(digest)) => digest.into(),
            _ => JsValue::NULL,
        }),
    );
    let s = store.clone();
    set(
        &handle,
        "link",
        Closure::<dyn Fn() -> JsValue>::new(move || match asked(&s, Ask::Link) {
            Some(Answer::Link(Some(link))) => s.address(&link).map_or(JsValue::NULL, JsValue::from),
            _ => JsValue::NULL,
        }),
    );
    let _ = Reflect::set(&window(), &"steady".into(), &handle);
}

fn set<T: ?Sized + wasm_bindgen::closure::WasmClosure>(handle: &Object, name: &str, call: Closure<T>) {
    // It lives as long as the page.
    let _ = Reflect::set(handle, &name.into(), &call.into_js_value());
}

/// The engine's answer, which the handle's caller gets at once.
fn asked(store: &Store, ask: Ask) -> Option<Answer> {
    let answer = Rc::new(RefCell::new(None));
    let slot = answer.clone();
    store.ask(ask, Callback::from(move |a| *slot.borrow_mut() = Some(a)));
    answer.take()
}

/// What a command line printed; that it did not run, where a run is being opened.
fn printed(store: &Store, printed: Option<Printed>) -> JsValue {
    let out = printed.unwrap_or_else(|| {
        let stderr = format!("error: {}\n", store.texts().get("still-loading"));
        Printed { stderr, exit: 1, ..Printed::default() }
    });
    // What waits has not ended.
    let exit = if out.waits { JsValue::NULL } else { out.exit.into() };
    object(&[("stdout", out.stdout.into()), ("stderr", out.stderr.into()), ("exit", exit)])
}

/// A promise that is kept when nothing runs any more.
fn idle(store: &Store) -> Promise {
    Promise::new(&mut |resolve: Function, _: Function| store.when_idle(resolve))
}

fn json(text: &str) -> JsValue {
    js_sys::JSON::parse(text).unwrap_or(JsValue::NULL)
}
