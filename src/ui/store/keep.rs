//! What outlives the page beside the kept runs (`runs.rs`): settings and notes in the browser's storage, and links in the
//! page's address.

use gloo::events::EventListener;
use gloo::utils::window;
use steady::engine::{Begin, Input, Options};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::Storage;
use yew::Callback;

use super::{Store, Toast};

/// In the tab's storage: the id of the run that a reload goes on with, or [`FRESH`] and a scenario.
pub(super) const RUN: &str = "steady:run";
/// What comes before the id of a scenario in which nothing was done yet.
pub(super) const FRESH: &str = "new:";
/// In the tab's storage: the run as it was when the page was closed, if it may not be stored yet.
pub(super) const LEFT: &str = "steady:left";
/// In the browser's storage: the id of the run that was kept last, with which a new tab goes on.
pub(super) const LAST: &str = "steady:last";
/// Where older pages kept a run, and another one that was put aside.
pub(super) const OLD: [&str; 2] = ["steady:work", "steady:kept"];
/// Where it is stored whether the component map was shown last.
pub(super) const VIEW: &str = "steady:view";
/// Where the lines are stored that were typed in the terminal.
const HISTORY: &str = "steady:history";
/// How many of them are stored.
const REMEMBERED: usize = 500;
/// What stands between two stored lines.
const BETWEEN: char = '\u{1e}';

/// The stored value that says whether the component map is shown.
pub(super) fn view_name(machinery: bool) -> &'static str {
    if machinery { "machinery" } else { "objects" }
}

/// The browser's storage, which all tabs share, and the tab's own. `None` if the browser refuses.
fn storage(of_tab: bool) -> Option<Storage> {
    if of_tab { window().session_storage() } else { window().local_storage() }.ok().flatten()
}

/// Reads a value that all tabs share.
pub fn in_browser(key: &str) -> Option<String> {
    storage(false)?.get_item(key).ok().flatten()
}

/// Reads a value of the tab's own, which a reload leaves as it is.
pub(super) fn in_tab(key: &str) -> Option<String> {
    storage(true)?.get_item(key).ok().flatten()
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
        if self.is_embedded() {
            return self.begin(None, false);
        }
        self.watch_leaving();
        self.watch_updates();
        let scenario = in_tab(RUN).and_then(|run| Some(run.strip_prefix(FRESH)?.to_owned()));
        let others = OLD.iter().chain(&[LAST]).any(|key| in_browser(key).is_some());
        let addressed = address().is_some() || self.options().scenario.is_some();
        if addressed || scenario.is_some() || !(others || in_tab(RUN).is_some()) {
            self.begin(None, others);
            if let Some(scenario) = scenario.filter(|_| !addressed) {
                self.send(Input::OpenScenario(scenario));
            }
            return;
        }
        let store = self.clone();
        spawn_local(async move {
            let (work, toast): (_, Option<Toast>) = store.pick_up().await;
            store.begin(work, others);
            if let Some(toast) = toast {
                store.show_toast(toast);
            }
        });
    }

    fn begin(&self, work: Option<steady::engine::Work>, others: bool) {
        let map_shown = in_browser(VIEW).as_deref() == Some(view_name(true));
        let Options { scenario, at, until, .. } = self.options();
        let (link, tab, embedded) = (address(), self.tab(), self.is_embedded());
        let begin =
            Begin { link, work, others, map_shown, tab, scenario, at, until, embedded, ..Begin::default() };
        let begin = Begin { keep: true, ..begin };
        *self.0.first.borrow_mut() = Some(begin.clone());
        self.send(Input::Begin(begin));
    }

    /// Keeps the run as far as it is known here when the page is left: the engine's answers and the browser's database may
    /// come too late then.
    fn watch_leaving(&self) {
        for event in ["pagehide", "visibilitychange"] {
            let store = self.clone();
            EventListener::new(&window(), event, move |_| {
                if event == "pagehide" || gloo::utils::document().hidden() {
                    store.leave();
                }
            })
            .forget();
        }
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

    /// Stores a value that all tabs share. One that is refused holds until the page is closed.
    pub(super) fn put_local(&self, key: &str, text: &str) -> bool {
        !self.is_embedded() && storage(false).is_some_and(|s| s.set_item(key, text).is_ok())
    }

    /// Stores a value of the tab's own. Returns whether the browser has taken it.
    pub(super) fn put_tab(&self, key: &str, text: &str) -> bool {
        !self.is_embedded() && storage(true).is_some_and(|s| s.set_item(key, text).is_ok())
    }

    pub(super) fn forget_local(&self, key: &str) {
        let _ = storage(false).map(|s| s.remove_item(key));
    }

    pub(super) fn forget_tab(&self, key: &str) {
        let _ = storage(true).map(|s| s.remove_item(key));
    }

    /// Hands the engine the lines that were typed in the terminal before the page was loaded.
    pub fn recall(&self) {
        let lines: Vec<String> = in_browser(HISTORY).map(|text| lines(&text)).unwrap_or_default();
        if !lines.is_empty() && self.with(|s| s.history.is_empty()) {
            self.send(Input::Recall(lines));
        }
    }

    /// Stores a line that was typed in the terminal, after those that other tabs have stored.
    pub(super) fn remember_line(&self, line: &str) {
        let mut lines: Vec<String> = in_browser(HISTORY).map(|text| lines(&text)).unwrap_or_default();
        lines.retain(|known| known != line);
        lines.push(line.to_owned());
        let surplus = lines.len().saturating_sub(REMEMBERED);
        lines.drain(..surplus);
        self.put_local(HISTORY, &lines.join(&BETWEEN.to_string()));
    }

    /// Fetches the texts of `kubectl explain` and hands them to the engine.
    pub(super) fn fetch_texts(&self) {
        let window = window();
        let fetched = js_sys::Reflect::get(&window, &"steadyTexts".into())
            .and_then(|f| f.dyn_into::<js_sys::Function>())
            .and_then(|f| f.call0(&window))
            .and_then(|p| p.dyn_into::<js_sys::Promise>());
        let store = self.clone();
        spawn_local(async move {
            let text = match fetched {
                Ok(promise) => wasm_bindgen_futures::JsFuture::from(promise).await.ok(),
                Err(_) => None,
            };
            store.send(Input::Texts(text.and_then(|t| t.as_string())));
        });
    }

    /// The page's address with a link, as it is for anybody else: the whole page, in this language, with this tab open.
    pub fn address(&self, link: &str) -> Option<String> {
        let options = self.options();
        self.address_with(
            &Options {
                lang: Some(self.texts().lang().tag().to_owned()),
                tab: options.tab,
                ..Options::default()
            },
            link,
        )
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
