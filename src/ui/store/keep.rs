//! What outlives the page: two runs and a setting in the browser's storage, and links in the page's address.

use gloo::events::EventListener;
use gloo::utils::window;
use steady::engine::{Begin, Input};
use wasm_bindgen::JsCast;

use super::Store;

/// Where the run of [`Slot::Work`](steady::engine::Slot) is stored.
pub(super) const WORK: &str = "steady:work";
/// Where the run of [`Slot::Aside`](steady::engine::Slot) is stored.
pub(super) const ASIDE: &str = "steady:kept";
/// Where it is stored whether the component map was shown last.
pub(super) const VIEW: &str = "steady:view";
/// Where the lines are stored that were typed in the terminal.
const HISTORY: &str = "steady:history";
/// How many of them are stored.
const REMEMBERED: usize = 500;
/// What stands between two stored lines.
const BETWEEN: char = '\u{1e}';
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

fn lines(stored: &str) -> Vec<String> {
    stored.split(BETWEEN).filter(|line| !line.is_empty()).map(str::to_owned).collect()
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
        let begin = Begin { link: address(), work: read(WORK), aside: self.has_aside(), map_shown };
        self.send(Input::Begin(begin));
    }

    /// Takes the link out of the address, so that a reload brings back the saved run.
    pub(super) fn clean_address(&self) {
        if let Ok(history) = window().history() {
            let here = window().location().pathname().unwrap_or_default();
            let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&here));
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
        if self.0.saving.replace(true) {
            return;
        }
        self.plan(SAVE, |store| {
            store.0.saving.set(false);
            store.send(Input::Save);
        });
    }

    /// Stores a value. A message says so if the storage is full.
    pub(super) fn put(&self, key: &str, text: &str) {
        let kept = window().local_storage().ok().flatten().map(|l| l.set_item(key, text));
        if matches!(kept, Some(Err(_))) {
            let args = [("kb", ((text.len() / 1000) as f64).into())];
            self.say(self.texts().with("save-full", &args), true);
        }
    }

    /// Hands the engine the lines that were typed in the terminal before the page was loaded.
    pub fn recall(&self) {
        let lines: Vec<String> = read(HISTORY).map(|text| lines(&text)).unwrap_or_default();
        if !lines.is_empty() && self.with(|s| s.history.is_empty()) {
            self.send(Input::Recall(lines));
        }
    }

    /// Stores a line that was typed in the terminal, after those that other tabs have stored.
    pub(super) fn remember_line(&self, line: &str) {
        let mut lines: Vec<String> = read(HISTORY).map(|text| lines(&text)).unwrap_or_default();
        lines.retain(|known| known != line);
        lines.push(line.to_owned());
        let surplus = lines.len().saturating_sub(REMEMBERED);
        lines.drain(..surplus);
        self.put(HISTORY, &lines.join(&BETWEEN.to_string()));
    }

    /// Fetches the texts of `kubectl explain` and hands them to the engine.
    pub(super) fn fetch_texts(&self) {
        let window = window();
        let fetched = js_sys::Reflect::get(&window, &"steadyTexts".into())
            .and_then(|f| f.dyn_into::<js_sys::Function>())
            .and_then(|f| f.call0(&window))
            .and_then(|p| p.dyn_into::<js_sys::Promise>());
        let store = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let text = match fetched {
                Ok(promise) => wasm_bindgen_futures::JsFuture::from(promise).await.ok(),
                Err(_) => None,
            };
            store.send(Input::Texts(text.and_then(|t| t.as_string())));
        });
    }

    /// The page's address with a link.
    pub fn address(&self, link: &str) -> Option<String> {
        let location = window().location();
        Some(format!("{}{}#{link}", location.origin().ok()?, location.pathname().ok()?))
    }

    /// Copies a link. Where the browser does not allow that, the link goes into the address.
    pub(super) fn hand_out(&self, link: &str) {
        let Some(link) = self.address(link) else { return };
        let length = link.len();
        let store = self.clone();
        let copied = window().navigator().clipboard().write_text(&link);
        wasm_bindgen_futures::spawn_local(async move {
            let copied = wasm_bindgen_futures::JsFuture::from(copied).await.is_ok();
            if !copied && let Ok(history) = window().history() {
                let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&link));
            }
            let key = if copied { "shared" } else { "shared-address" };
            store.say(store.texts().with(key, &[("n", (length as f64).into())]), false);
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
