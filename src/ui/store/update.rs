//! A new version of the page that is ready: static/boot.js tells of it, and a person says when the page is loaded again.

use gloo::events::EventListener;
use gloo::utils::window;
use steady::engine::Input;
use wasm_bindgen::prelude::wasm_bindgen;

use super::{Store, Toast, ToastAct};

#[wasm_bindgen]
extern "C" {
    /// static/boot.js: puts the new version in place and loads the page again.
    #[wasm_bindgen(js_name = steadyUpdate)]
    fn update();
}

impl Store {
    /// Offers a new version as soon as there is one, and no other message is shown.
    pub(super) fn watch_updates(&self) {
        let store = self.clone();
        EventListener::new(&window(), "steady:update", move |_| store.offer_update()).forget();
    }

    pub(super) fn offer_update(&self) {
        if self.0.toast.borrow().is_some() {
            return self.plan(10_000, |store| store.offer_update());
        }
        let text = self.texts().get("update-ready");
        self.show_toast(Toast { text, act: Some(ToastAct::Update), ..Toast::default() });
    }

    /// Keeps the run and goes on with the new version.
    pub(super) fn update(&self) {
        self.send_then(Input::Save, |store| {
            store.leave();
            update();
        });
    }
}
