//! `window.steady`: the page for whoever embeds or drives it. docs/embed.md describes it. Whatever asks the engine returns a
//! promise, because the engine is in a worker.

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
    with_text(store, &handle, "apply", |s, text| line(s, Input::ApplyText(text)));
    with_text(store, &handle, "kubectl", |s, text| line(s, Input::Kubectl(text)));
    with_text(store, &handle, "setPolicy", |s, name| match name.parse() {
        Ok(policy) => promise(s, Input::Policy(policy), |s| s.did().into()),
        Err(_) => Promise::resolve(&JsValue::FALSE),
    });
    plain(store, &handle, "step", |s| promise(s, Input::StepAtOnce, |s| s.did().into()).into());
    plain(store, &handle, "back", |s| promise(s, Input::Back, |s| s.did().into()).into());
    plain(store, &handle, "run", |s| {
        s.send(Input::RunOn);
        idle(s).into()
    });
    plain(store, &handle, "pause", |s| promise(s, Input::Stop, |_| JsValue::UNDEFINED).into());
    plain(store, &handle, "runToSteady", |s| {
        s.send(Input::ToSteadyOn);
        idle(s).into()
    });
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

/// A promise of what an input was answered with.
fn promise(store: &Store, input: Input, said: impl FnOnce(&Store) -> JsValue + 'static) -> Promise {
    let mut rest = Some((input, said));
    Promise::new(&mut |resolve: Function, _: Function| {
        if let Some((input, said)) = rest.take() {
            store.send_then(input, move |store| keep(&resolve, &said(store)));
        }
    })
}

/// A promise of the engine's answer.
fn asked(store: &Store, ask: Ask, said: impl Fn(&Store, Answer) -> JsValue + 'static) -> JsValue {
    let mut rest = Some((ask, said));
    let promise = Promise::new(&mut |resolve: Function, _: Function| {
        if let Some((ask, said)) = rest.take() {
            let s = store.clone();
            store.ask(ask, Callback::from(move |answer| keep(&resolve, &said(&s, answer))));
        }
    });
    promise.into()
}

/// Keeps a promise.
fn keep(resolve: &Function, value: &JsValue) {
    // A function that resolves a promise does not throw.
    let _ = resolve.call1(&JsValue::NULL, value);
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

/// A promise that is kept when nothing runs any more.
fn idle(store: &Store) -> Promise {
    Promise::new(&mut |resolve: Function, _: Function| store.when_idle(resolve))
}

fn json(text: &str) -> JsValue {
    js_sys::JSON::parse(text).unwrap_or(JsValue::NULL)
}
