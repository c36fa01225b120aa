//! `window.steady`: the page for whoever embeds or drives it. docs/embed.md describes it.

use gloo::utils::window;
use js_sys::{Array, Function, Object, Promise, Reflect};
use steady::session::handle as parts;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use super::store::{Mode, Store};

/// So many next commands at most.
const NEXT_COMMANDS: usize = 32;

/// Puts the handle in its place.
pub fn install(store: &Store) {
    let handle = Object::new();
    let s = store.clone();
    set(
        &handle,
        "apply",
        Closure::<dyn Fn(String) -> JsValue>::new(move |text: String| {
            let out = s.apply_text(&text);
            object(&[("stdout", out.stdout.into()), ("stderr", out.stderr.into()), ("exit", out.exit.into())])
        }),
    );
    let s = store.clone();
    set(
        &handle,
        "kubectl",
        Closure::<dyn Fn(String) -> JsValue>::new(move |line: String| {
            let out = s.kubectl_output(&line);
            object(&[("stdout", out.stdout.into()), ("stderr", out.stderr.into()), ("exit", out.exit.into())])
        }),
    );
    let s = store.clone();
    set(&handle, "step", Closure::<dyn Fn() -> bool>::new(move || s.step()));
    let s = store.clone();
    set(&handle, "back", Closure::<dyn Fn() -> bool>::new(move || s.back()));
    let s = store.clone();
    set(
        &handle,
        "run",
        Closure::<dyn Fn() -> Promise>::new(move || {
            if s.with(|x| x.mode().clone()) == Mode::Idle {
                s.toggle_run();
            }
            idle(&s)
        }),
    );
    let s = store.clone();
    set(&handle, "pause", Closure::<dyn Fn()>::new(move || s.stop()));
    let s = store.clone();
    set(
        &handle,
        "runToSteady",
        Closure::<dyn Fn() -> Promise>::new(move || {
            if s.with(|x| x.mode().clone()) == Mode::Idle {
                s.to_steady();
            }
            idle(&s)
        }),
    );
    let s = store.clone();
    set(
        &handle,
        "policy",
        Closure::<dyn Fn() -> String>::new(move || s.with(|x| x.session().policy().to_string())),
    );
    let s = store.clone();
    set(
        &handle,
        "setPolicy",
        Closure::<dyn Fn(String) -> bool>::new(move |name: String| {
            name.parse().is_ok_and(|policy| s.set_policy(policy))
        }),
    );
    let s = store.clone();
    set(
        &handle,
        "enabled",
        Closure::<dyn Fn() -> JsValue>::new(move || s.with(|x| json(&parts::enabled(x.session().cluster())))),
    );
    let s = store.clone();
    set(
        &handle,
        "nextCommands",
        Closure::<dyn Fn() -> JsValue>::new(move || {
            s.with(|x| json(&parts::next_commands(x.session().cluster(), NEXT_COMMANDS)))
        }),
    );
    let s = store.clone();
    set(
        &handle,
        "objects",
        Closure::<dyn Fn(JsValue) -> JsValue>::new(move |kind: JsValue| {
            s.with(|x| {
                let word = kind.as_string().filter(|k| !k.is_empty());
                let kind = word.as_deref().map(parts::kind_of);
                // A word that names no kind has no objects.
                if kind == Some(None) {
                    return Array::new().into();
                }
                json(&parts::objects(x.session().cluster(), kind.flatten()))
            })
        }),
    );
    let s = store.clone();
    set(
        &handle,
        "digest",
        Closure::<dyn Fn() -> String>::new(move || s.with(|x| x.session().cluster().digest())),
    );
    let s = store.clone();
    set(
        &handle,
        "link",
        Closure::<dyn Fn() -> JsValue>::new(move || s.link().map_or(JsValue::NULL, JsValue::from)),
    );
    let _ = Reflect::set(&window(), &"steady".into(), &handle);
}

fn set<T: ?Sized + wasm_bindgen::closure::WasmClosure>(handle: &Object, name: &str, call: Closure<T>) {
    // It lives as long as the page.
    let _ = Reflect::set(handle, &name.into(), &call.into_js_value());
}

/// A promise that is kept when nothing runs any more.
fn idle(store: &Store) -> Promise {
    Promise::new(&mut |resolve: Function, _: Function| store.when_idle(resolve))
}

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let o = Object::new();
    for (name, value) in fields {
        let _ = Reflect::set(&o, &(*name).into(), value);
    }
    o.into()
}

fn json(text: &str) -> JsValue {
    js_sys::JSON::parse(text).unwrap_or(JsValue::NULL)
}

/// What the `steady:step` event tells: who, what, the objects that were written, and where we are.
pub fn detail(store: &Store) -> JsValue {
    store
        .with(|x| {
            let moment = x.session().current();
            let objects = Array::new();
            for w in moment.writes() {
                objects.push(&w.object.to_string().into());
            }
            let by = moment.by().map_or(JsValue::NULL, |b| JsValue::from_str(&b));
            let (method, path, code, rule) = match moment.commands().first() {
                Some(c) => (
                    c.request.verb.method().into(),
                    c.request.path().into(),
                    c.response.code().into(),
                    c.why.as_ref().map_or(JsValue::NULL, |w| w.rule.into()),
                ),
                None => (JsValue::NULL, JsValue::NULL, JsValue::NULL, JsValue::NULL),
            };
            object(&[
                ("by", by),
                ("method", method),
                ("path", path),
                ("code", code),
                ("rule", rule),
                ("objects", objects.into()),
                ("moment", (x.session().at() as u32).into()),
                ("revision", (x.session().cluster().api().resource_version() as f64).into()),
            ])
        })
        .unchecked_into()
}
