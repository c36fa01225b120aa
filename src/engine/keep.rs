//! Runs as links: the one that a reload brings back, the one that was put aside, and the one in the address. Opening
//! any of them repeats the run (`load.rs`).

use super::task::{Opening, Origin, Task};
use super::{Begin, Engine, Output, Said, Slot, Value};
use crate::api::ObjectRef;
use crate::cluster::Cluster;
use crate::kubectl::KUBECONFIG;
use crate::session::{Link, LinkError, LinkOp, Replay};

/// What the component map is called in a link.
pub(super) const MACHINERY: &str = "machinery";
/// What the editor's text is called where a command line names it.
pub(super) const MANIFEST: &str = "manifest.yaml";

impl Engine {
    /// Opens the link in the page's address, or else the saved run.
    pub(super) fn open_page(&mut self, with: Begin) {
        self.shown.map.shown = with.map_shown;
        self.saved = with.work;
        self.has_aside = with.aside;
        self.moved();
        if !with.link.is_some_and(|link| self.open(&link, Origin::Link { first: true })) {
            self.open_work();
        }
    }

    /// Opens the saved run. Returns whether there is one that can be opened.
    pub(super) fn open_work(&mut self) -> bool {
        self.saved.clone().is_some_and(|text| self.open(&text, Origin::Work))
    }

    /// Opens a run that is written as a link. Returns `false` if the link cannot be read; a message says why.
    pub(super) fn open(&mut self, text: &str, from: Origin) -> bool {
        let link = match Link::decode(text) {
            Ok(link) => link,
            Err(e) => {
                self.say(Said::key("link-refused").with("why", Value::Said(Box::new(reason(&e)))), true);
                return false;
            }
        };
        // A link takes the place of the saved run if the page was opened with it, and else of the run that is shown.
        match from {
            Origin::Link { first: true } => {
                if let Some(saved) = self.saved.clone().filter(|saved| saved != text) {
                    self.keep(Slot::Aside, saved);
                }
            }
            Origin::Link { first: false } | Origin::Aside => self.put_aside(),
            Origin::Work => {}
        }
        let manifest = link.text.clone().or_else(|| last_manifest(&link));
        let (selected, view) = (link.selected.clone(), link.view.clone());
        let kubeconfig = last_file(&link, KUBECONFIG);
        let opening =
            Opening { replay: Replay::new(&link), text: manifest, kubeconfig, selected, view, from };
        self.load(Task::Replay(Box::new(opening)));
        true
    }

    /// Puts the run that is shown aside, if a person has done something in it since its beginning.
    pub(super) fn put_aside(&mut self) {
        let s = &self.session;
        let line = s.timeline();
        let done = line.iter().skip_while(|m| **m != self.beginning).skip(1);
        let did = done.filter_map(|m| s.moment(*m)).any(|m| m.by(s.cluster()).as_deref() == Some("you"));
        if did || self.scenario.as_ref().is_some_and(|x| x.manifest != *self.shown.text) {
            let text = self.draft(None).encode();
            self.keep(Slot::Aside, text);
        }
    }

    /// Has the page keep a run.
    pub(super) fn keep(&mut self, slot: Slot, text: String) {
        match slot {
            Slot::Work => self.saved = Some(text.clone()),
            Slot::Aside => self.has_aside = true,
        }
        self.out.push(Output::Keep(slot, text));
    }

    /// The run as a link. `digest` is the fingerprint of the cluster at the end of its branch, if that is known.
    pub(super) fn draft(&self, digest: Option<String>) -> Link {
        let mut link = Link::draft(&self.session);
        // What `kubectl edit` has put in place of the manifest is not kept.
        let text = self.shown.editing.as_ref().map_or(&self.shown.text, |e| &e.manifest);
        if last_manifest(&link).as_deref() != Some(text.as_str()) {
            link.text = Some((**text).clone());
        }
        link.selected = self.shown.selection.as_ref().map(name_of);
        link.view = self.shown.map.shown.then(|| MACHINERY.to_owned());
        link.digest = digest;
        link
    }

    /// The cluster at the end of the branch that is shown.
    pub(super) fn tip(&self) -> Option<Cluster> {
        self.shown.marks.last().and_then(|m| self.session.cluster_at(m.moment))
    }
}

/// Why a link cannot be opened.
fn reason(e: &LinkError) -> Said {
    match e {
        LinkError::Version(_) => Said::key("link-newer"),
        LinkError::TooLarge(limit) => Said::key("link-large").number("n", *limit as f64),
        LinkError::Damaged(what) => Said::key("link-damaged").with("what", Value::Text((*what).to_owned())),
        LinkError::Limit(what, n) => {
            Said::key("link-limit").with("what", Value::Text((*what).to_owned())).number("n", *n as f64)
        }
    }
}

/// An object's name in a link.
pub(super) fn name_of(object: &ObjectRef) -> String {
    format!("{} {}", object.kind.as_str(), object.key)
}

/// The manifest that was applied last.
fn last_manifest(link: &Link) -> Option<String> {
    last_file(link, MANIFEST)
}

/// A file of the last command line that had it.
fn last_file(link: &Link, file: &str) -> Option<String> {
    link.ops.iter().rev().find_map(|op| match op {
        LinkOp::Kubectl(_, files) => {
            files.iter().find(|(name, _)| name == file).map(|(_, text)| text.clone())
        }
        _ => None,
    })
}
