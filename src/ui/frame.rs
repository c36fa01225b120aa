//! The page as a part of another page: what it tells that page, and what that page may ask of it. docs/embed.md lists the
//! messages. Both go only to and from the window that contains this one.

use gloo::events::EventListener;
use gloo::utils::{document_element, window};
use js_sys::Reflect;
use steady::engine::Input;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::MessageEvent;

use super::i18n::Lang;
use super::js::host;
use super::player;
use super::store::Store;

/// Does what the page that contains this one asks for, where the page is embedded.
pub fn listen(store: &Store) {
    if !store.is_embedded() {
        return;
    }
    let store = store.clone();
    EventListener::new(&window(), "message", move |e| {
        let Some(e) = e.dyn_ref::<MessageEvent>() else { return };
        // The other window is of another realm, so it can be compared but is no `Window` of this one.
        let source = e.source().map_or(JsValue::NULL, JsValue::from);
        if host().is_none_or(|host| source != JsValue::from(host)) {
            return;
        }
        let read = |name: &str| Reflect::get(&e.data(), &name.into()).ok().and_then(|v| v.as_string());
        let value = read("value").unwrap_or_default();
        match read("steady").as_deref() {
            Some("step") => player::forward(&store),
            Some("back") => store.send(Input::Back),
            Some("restart") => store.send(Input::Restart),
            Some("to-steady") => player::to_end(&store),
            Some("stop") => store.send(Input::Stop),
            Some("apply") => {
                store.send(Input::ApplyText(value));
            }
            Some("lang") => store.set_lang(Lang::of_tag(&value)),
            Some("theme") if matches!(value.as_str(), "light" | "dark") => {
                let _ = document_element().set_attribute("data-theme", &value);
            }
            Some("theme") => {
                let _ = document_element().remove_attribute("data-theme");
            }
            _ => {}
        }
    })
    .forget();
}
