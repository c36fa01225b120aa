//! Plain data as objects of JavaScript, for whoever embeds the page (docs/embed.md).

use gloo::utils::window;
use js_sys::{Array, Object, Reflect};
use steady::engine::Stepped;
use wasm_bindgen::JsValue;
use web_sys::Window;

/// An object with these fields.
pub fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let o = Object::new();
    for (name, value) in fields {
        let _ = Reflect::set(&o, &(*name).into(), value);
    }
    o.into()
}

/// What the `steady:step` event tells: who, what, the objects that were written, and where we are.
pub fn detail(step: &Stepped) -> JsValue {
    let objects = Array::new();
    for o in &step.objects {
        objects.push(&o.into());
    }
    let by = step.by.as_deref().map_or(JsValue::NULL, JsValue::from_str);
    let (method, path, code, rule) = match &step.command {
        Some((method, path, code, rule)) => (
            method.as_str().into(),
            path.into(),
            (*code).into(),
            rule.as_ref().map_or(JsValue::NULL, |r| r.as_str().into()),
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
        ("moment", (step.moment as u32).into()),
        ("revision", (step.revision as f64).into()),
    ])
}

/// The window of the page that contains this one; `None` if there is none.
pub fn host() -> Option<Window> {
    let parent = window().parent().ok().flatten()?;
    (parent != window()).then_some(parent)
}

/// Tells the page that contains this one what has happened: `ready` or `step`, with details.
pub fn tell(what: &str, detail: &JsValue) {
    if let Some(host) = host() {
        let message = object(&[("steady", what.into()), ("detail", detail.clone())]);
        // Whoever contains the page sees it anyway, so its steps are told to any origin.
        let _ = host.post_message(&message, "*");
    }
}
