//! The work survives a reload, and a link is opened: both are a run that is repeated, a slice at a
//! time.

use gloo::events::EventListener;
use gloo::utils::window;
use steady::session::{Link, LinkError, Replay, scenario};

use super::run::{SLICE, clock};
use super::{Mode, Shared, Store};

/// The work.
const WORK: &str = "steady:work";
/// What the work was before a link was opened.
const KEPT: &str = "steady:kept";

/// Reads a remembered value.
pub fn read(key: &str) -> Option<String> {
    window().local_storage().ok().flatten()?.get_item(key).ok().flatten()
}

impl Store {
    /// The page stands: the link in its address is opened, or else what was saved.
    pub fn started(&self) {
        self.moved();
        let store = self.clone();
        EventListener::new(&window(), "hashchange", move |_| {
            store.open_address();
        })
        .forget();
        let store = self.clone();
        EventListener::new(&gloo::utils::document(), "visibilitychange", move |_| {
            if gloo::utils::document().hidden() {
                store.save();
            }
        })
        .forget();
        if !self.open_address()
            && let Some(text) = read(WORK)
        {
            self.open(&text, false);
        }
    }

    /// Opens the link in the address, if there is one.
    fn open_address(&self) -> bool {
        let hash = window().location().hash().unwrap_or_default();
        let text = hash.trim_start_matches('#').to_owned();
        if text.is_empty() {
            return false;
        }
        if let Some(work) = read(WORK) {
            self.put(KEPT, &work);
        }
        let opened = self.open(&text, true);
        if opened && let Ok(history) = window().history() {
            // The link has done its work: a reload shall bring back what became of it.
            let here = window().location().pathname().unwrap_or_default();
            let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&here));
        }
        opened
    }

    /// Whether there is work from before a link was opened.
    pub fn has_kept(&self) -> bool {
        read(KEPT).is_some()
    }

    /// Goes back to the work from before a link was opened.
    pub fn open_kept(&self) {
        if let Some(text) = read(KEPT) {
            self.open(&text, false);
        }
    }

    /// Repeats a run that is written as a link.
    fn open(&self, text: &str, shared: bool) -> bool {
        let link = match Link::decode(text) {
            Ok(link) => link,
            Err(e) => {
                let text = self.link_error(&e);
                self.say(text, true);
                return false;
            }
        };
        let manifest = link.text.clone().or_else(|| last_manifest(&link));
        let replay = Replay::new(&link);
        self.change(|s| {
            if let Some(text) = manifest {
                s.text = Shared::new(text);
                s.text_set += 1;
            }
            s.mode = Mode::Restoring { done: 0, of: replay.progress().1 };
        });
        self.refresh();
        self.redo(replay, shared);
        true
    }

    fn link_error(&self, e: &LinkError) -> String {
        let t = self.texts();
        let why = match e {
            LinkError::Version(_) => t.get("link-newer"),
            LinkError::TooLarge(limit) => t.with("link-large", &[("n", (*limit as f64).into())]),
            LinkError::Damaged(what) => t.with("link-damaged", &[("what", (*what).into())]),
            LinkError::Limit(what, n) => {
                t.with("link-limit", &[("what", (*what).into()), ("n", (*n as f64).into())])
            }
        };
        t.with("link-refused", &[("why", why.into())])
    }

    fn redo(&self, mut replay: Replay, shared: bool) {
        if !self.with(|s| matches!(s.mode, Mode::Restoring { .. })) {
            return;
        }
        let end = clock() + SLICE;
        let mut whole = false;
        while !whole && clock() < end {
            whole = replay.advance(1);
        }
        if !whole {
            let (done, of) = replay.progress();
            self.change(|s| s.mode = Mode::Restoring { done, of });
            self.refresh();
            return self.plan(0, move |store| store.redo(replay, shared));
        }
        let replayed = replay.finish();
        self.change(|s| {
            s.session = replayed.session;
            s.first = begins(&s.session);
            s.marks_tip = usize::MAX;
            s.mode = Mode::Idle;
        });
        self.moved();
        if !replayed.same {
            self.say(self.texts().get("link-differs"), true);
        } else if shared {
            self.say(self.texts().get("link-opened"), false);
        }
    }

    pub(super) fn plan_save(&self) {
        if self.0.saving.replace(true) {
            return;
        }
        self.plan(700, |store| {
            store.0.saving.set(false);
            store.save();
        });
    }

    /// Saves; tells the person if it cannot be.
    fn save(&self) {
        if self.with(|s| s.mode != Mode::Idle) {
            return self.plan_save();
        }
        let link = self.draft();
        let text = link.encode();
        self.put(WORK, &text);
    }

    fn put(&self, key: &str, text: &str) {
        let kept = window().local_storage().ok().flatten().map(|l| l.set_item(key, text));
        if matches!(kept, Some(Err(_))) {
            let args = [("kb", ((text.len() / 1000) as f64).into())];
            self.say(self.texts().with("save-full", &args), true);
        }
    }

    /// The run as a link, without the fingerprint of where it leads.
    fn draft(&self) -> Link {
        self.with(|s| {
            let mut link = Link::draft(&s.session);
            if last_manifest(&link).as_deref() != Some(s.text.as_str()) {
                link.text = Some((*s.text).clone());
            }
            link
        })
    }

    /// The address that reproduces this run.
    pub fn link(&self) -> Option<String> {
        let mut link = self.draft();
        link.digest = self.with(|s| {
            let tip = s.marks.last().and_then(|m| s.session.cluster_at(m.moment))?;
            Some(tip.digest())
        });
        let location = window().location();
        let page = format!("{}{}", location.origin().ok()?, location.pathname().ok()?);
        Some(format!("{page}#{}", link.encode()))
    }

    /// Copies the link; where that is not allowed, puts it into the address.
    pub fn share(&self) {
        let Some(link) = self.link() else { return };
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
}

/// The manifest that was applied last.
fn last_manifest(link: &Link) -> Option<String> {
    link.ops.iter().rev().find_map(|op| match op {
        steady::session::LinkOp::Kubectl(_, files) => files.first().map(|(_, text)| text.clone()),
        _ => None,
    })
}

/// Where a scenario begins: where its set-up ends.
fn begins(session: &steady::session::Session) -> usize {
    let setup = scenario::find(&session.start().scenario).map_or(0, |s| s.open().timeline().len() - 1);
    session.timeline().get(setup).copied().unwrap_or(0)
}
