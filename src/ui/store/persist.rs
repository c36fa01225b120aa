//! The work survives a reload, and a link is opened: both are a run that is repeated (see `load`).

use gloo::events::EventListener;
use gloo::utils::window;
use steady::api::ObjectRef;
use steady::cluster::{Cluster, Digesting};
use steady::session::scenario;
use steady::session::{Link, LinkError, Replay};

use super::load::{Job, Opening, Origin};
use super::{Mode, Store};

/// The work.
pub(super) const WORK: &str = "steady:work";
/// What the work was before a link was opened.
pub(super) const KEPT: &str = "steady:kept";

/// What the editor's text is called where a command line names it.
pub(super) const MANIFEST: &str = "manifest.yaml";

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
        if !self.open_address() {
            self.open_work();
        }
        self.0.begun.set(true);
    }

    /// Opens what was saved; whether there is something.
    pub(super) fn open_work(&self) -> bool {
        read(WORK).is_some_and(|text| self.open(&text, Origin::Work))
    }

    /// Opens the link in the address, if there is one.
    fn open_address(&self) -> bool {
        let hash = window().location().hash().unwrap_or_default();
        let text = hash.trim_start_matches('#').to_owned();
        if text.is_empty() {
            return false;
        }
        self.open(&text, Origin::Link)
    }

    /// The link has done its work: a reload shall bring back what became of it.
    pub(super) fn clean_address(&self) {
        if let Ok(history) = window().history() {
            let here = window().location().pathname().unwrap_or_default();
            let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&here));
        }
    }

    /// Whether there is work from before a link was opened.
    pub fn has_kept(&self) -> bool {
        read(KEPT).is_some()
    }

    /// Goes back to the work from before a link was opened.
    pub fn open_kept(&self) {
        if let Some(text) = read(KEPT) {
            // The two change places.
            self.put_aside();
            self.open(&text, Origin::Kept);
        }
    }

    /// Keeps the work that is on the table, if somebody has done something to it.
    pub(super) fn put_aside(&self) {
        let own = self.with(|s| {
            let line = s.session.timeline();
            let done = line.iter().skip_while(|m| **m != s.first).skip(1);
            let did = done.filter_map(|m| s.session.moment(*m)).any(|m| m.by().as_deref() == Some("you"));
            let text = scenario::find(&s.session.start().scenario);
            did || text.is_some_and(|x| x.manifest != *s.text)
        });
        if own {
            let text = self.draft().encode();
            self.put(KEPT, &text);
        }
    }

    /// Repeats a run that is written as a link.
    fn open(&self, text: &str, from: Origin) -> bool {
        let link = match Link::decode(text) {
            Ok(link) => link,
            Err(e) => {
                let text = self.link_error(&e);
                self.say(text, true);
                return false;
            }
        };
        // What a link takes the place of is the work that was saved when the page opens with it,
        // and else what is on the table.
        let first = !self.0.begun.replace(true);
        match (from, first) {
            (Origin::Link, true) => {
                if let Some(work) = read(WORK).filter(|w| w != text) {
                    self.put(KEPT, &work);
                }
            }
            (Origin::Link, false) => self.put_aside(),
            _ => {}
        }
        let manifest = link.text.clone().or_else(|| last_manifest(&link));
        let (replay, selected, view) = (Replay::new(&link), link.selected.clone(), link.view.clone());
        let opening = Opening { replay, text: manifest, selected, view, from, first };
        self.begin(Job::Replay(Box::new(opening)));
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

    pub(super) fn put(&self, key: &str, text: &str) {
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
            link.selected = s.selection.as_ref().map(name_of);
            link.view = s.map.in_link();
            link
        })
    }

    /// The address that reproduces this run.
    pub fn link(&self) -> Option<String> {
        self.address(self.tip().map(|tip| tip.digest()))
    }

    /// The cluster at the end of the branch that is shown.
    fn tip(&self) -> Option<Cluster> {
        self.with(|s| s.marks.last().and_then(|m| s.session.cluster_at(m.moment)))
    }

    fn address(&self, digest: Option<String>) -> Option<String> {
        let mut link = self.draft();
        link.digest = digest;
        let location = window().location();
        let page = format!("{}{}", location.origin().ok()?, location.pathname().ok()?);
        Some(format!("{page}#{}", link.encode()))
    }

    /// Copies the link; where that is not allowed, puts it into the address.
    pub fn share(&self) {
        if self.at_rest()
            && let Some(tip) = self.tip()
        {
            self.begin(Job::Share(Box::new(Digesting::new(tip)), None));
        }
    }

    /// The link is made, with its fingerprint.
    pub(super) fn hand_out(&self, digest: Option<String>) {
        let Some(link) = self.address(digest) else { return };
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

/// An object's name in a link.
pub(super) fn name_of(object: &ObjectRef) -> String {
    format!("{} {}", object.kind.as_str(), object.key)
}

/// The manifest that was applied last.
fn last_manifest(link: &Link) -> Option<String> {
    link.ops.iter().rev().find_map(|op| match op {
        steady::session::LinkOp::Kubectl(_, files) => {
            files.iter().find(|(name, _)| name == MANIFEST).map(|(_, text)| text.clone())
        }
        _ => None,
    })
}
