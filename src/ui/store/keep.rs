//! What outlives the page: two runs and a setting in the browser's storage, and links in the page's address.

use gloo::events::EventListener;
use gloo::utils::window;
use steady::engine::{Begin, Input, Options};
use yew::Callback;

use super::Store;

/// Where the run of [`Slot::Work`](steady::engine::Slot) is stored.
pub(super) const WORK: &str = "steady:work";
/// Where the run of [`Slot::Aside`](steady::engine::Slot) is stored.
pub(super) const ASIDE: &str = "steady:kept";
/// Where it is stored whether the component map was shown last.
pub(super) const VIEW: &str = "steady:view";
/// How many milliseconds after a change the run is saved.
const SAVE: u32 = 700;

/// The stored value that says whether the component map is shown.
pub(super) fn view_name(machinery: bool) -> &'static str {
    if machinery { "machinery" } else { "objects" }
}

/// Reads a stored value.
pub fn read(key: &str) -> Option<String> {
    window().local_storage().ok().flatten()?.get_item(key).ok().flatten()
}

/// The link in the address, without `#`.
fn address() -> Option<String> {
    let hash = window().location().hash().unwrap_or_default();
    Some(hash.trim_start_matches('#').to_owned()).filter(|link| !link.is_empty())
}

impl Store {
    /// Hands the engine the first input, and from then on the links that come into the address.
    pub fn started(&self) {
        let store = self.clone();
        EventListener::new(&window(), "hashchange", move |_| {
            if let Some(link) = address() {
                store.send(Input::Open(link));
            }
        })
        .forget();
        let store = self.clone();
        EventListener::new(&gloo::utils::document(), "visibilitychange", move |_| {
            if gloo::utils::document().hidden() {
                store.send(Input::Save);
            }
        })
        .forget();
        let map_shown = read(VIEW).as_deref() == Some(view_name(true));
        let options = self.options();
        self.send(Input::Begin(Begin {
            link: address(),
            work: read(WORK),
            aside: self.has_aside(),
            map_shown,
            scenario: options.scenario,
            at: options.at,
            until: options.until,
            embedded: self.is_embedded(),
        }));
    }

    /// Takes the link out of the address, so that a reload brings back the saved run. How the page looks stays there. A
    /// page that is a part of another one saves no run, and keeps its address.
    pub(super) fn clean_address(&self) {
        if !self.is_embedded() {
            self.write_options();
        }
    }

    /// Puts the options that last, and nothing else, into the address.
    pub fn write_options(&self) {
        if let Ok(history) = window().history() {
            let here = window().location().pathname().unwrap_or_default();
            let there = format!("{here}{}", self.options().lasting().query());
            let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&there));
        }
    }

    /// Whether a run was put aside.
    pub fn has_aside(&self) -> bool {
        read(ASIDE).is_some()
    }

    /// Opens the run that was put aside.
    pub fn open_aside(&self) {
        if let Some(link) = read(ASIDE) {
            self.send(Input::OpenAside(link));
        }
    }

    /// Has the run saved soon.
    pub fn plan_save(&self) {
        if self.is_embedded() || self.0.saving.replace(true) {
            return;
        }
        self.plan(SAVE, |store| {
            store.0.saving.set(false);
            store.send(Input::Save);
        });
    }

    /// Stores a value. A message says so if the storage is full.
    pub(super) fn put(&self, key: &str, text: &str) {
        if self.is_embedded() {
            return;
        }
        let kept = window().local_storage().ok().flatten().map(|l| l.set_item(key, text));
        if matches!(kept, Some(Err(_))) {
            let args = [("kb", ((text.len() / 1000) as f64).into())];
            self.say(self.texts().with("save-full", &args), true);
        }
    }

    /// The page's address with a link, as it is for anybody else: the whole page, in this language, with this tab open.
    pub fn address(&self, link: &str) -> Option<String> {
        let options = self.options();
        self.address_with(&Options { lang: Some(self.texts().lang().tag().to_owned()), tab: options.tab, ..Options::default() }, link)
    }

    /// The page's address with options and a link.
    pub fn address_with(&self, options: &Options, link: &str) -> Option<String> {
        let location = window().location();
        let hash = if link.is_empty() { String::new() } else { format!("#{link}") };
        Some(format!("{}{}{}{hash}", location.origin().ok()?, location.pathname().ok()?, options.query()))
    }

    /// Shows a link in its dialog, and copies it where the browser allows that.
    pub(super) fn hand_out(&self, link: &str) {
        *self.0.shared.borrow_mut() = self.address(link);
        self.refresh();
    }

    /// Closes the dialog of the link.
    pub fn unshare(&self) {
        *self.0.shared.borrow_mut() = None;
        self.refresh();
    }

    /// Copies a text, and tells whether the browser allowed that.
    pub fn copied(&self, text: &str, told: Callback<bool>) {
        let copied = window().navigator().clipboard().write_text(text);
        wasm_bindgen_futures::spawn_local(async move {
            told.emit(wasm_bindgen_futures::JsFuture::from(copied).await.is_ok());
        });
    }

    /// Copies a text, and says so.
    pub fn copy(&self, text: &str) {
        let store = self.clone();
        let copied = window().navigator().clipboard().write_text(text);
        wasm_bindgen_futures::spawn_local(async move {
            if wasm_bindgen_futures::JsFuture::from(copied).await.is_ok() {
                store.say(store.texts().get("request-copied"), false);
            }
        });
    }
}
