//! Runs as links: the one that a reload brings back, the one that was put aside, and the one in the address. Opening
//! any of them repeats the run (`load.rs`).

use super::task::{Opening, Origin, SetUpOf, Task, ToMoment};
use super::{Begin, Engine, Output, Said, Slot, Value};
use crate::api::ObjectRef;
use crate::cluster::Cluster;
use crate::session::scenario::{self, SetUp};
use crate::session::{Link, LinkError, LinkOp, Replay};

/// What the component map is called in a link.
pub(super) const MACHINERY: &str = "machinery";
/// What the editor's text is called where a command line names it.
pub(super) const MANIFEST: &str = "manifest.yaml";

impl Engine {
    /// Opens the link in the page's address, or else the saved run.
    pub(super) fn open_page(&mut self, with: Begin) {
        self.embedded = with.embedded;
        self.until = with.until;
        self.open_at = with.at;
        if !with.embedded {
            self.shown.map.shown = with.map_shown;
            self.saved = with.work;
            self.has_aside = with.aside;
        }
        self.moved();
        let first = Origin::Link { first: true };
        let mut named = with.link.into_iter().chain(with.scenario);
        if !named.any(|link| self.open(&link, first)) && !self.open_work() {
            self.arrive();
        }
    }

    /// Goes to the step at which the page is to show the run that it opened with.
    pub(super) fn arrive(&mut self) {
        let Some(steps) = self.open_at.take() else { return };
        let begins = self.shown.marks.iter().position(|m| m.moment == self.beginning).unwrap_or(0);
        let place = begins.saturating_add(steps);
        match self.shown.marks.get(place).map(|m| m.moment) {
            Some(moment) => {
                self.goto(moment);
            }
            None => {
                let ahead = self.shown.marks.len().saturating_sub(begins + 1);
                if let Some(last) = self.shown.marks.last().map(|m| m.moment) {
                    self.session.goto(last);
                }
                self.begin(Task::ToMoment(ToMoment::steps(steps.saturating_sub(ahead) as u64)));
            }
        }
    }

    /// Whether steps end here, because the page's address says so.
    pub(super) fn has_ended(&self) -> bool {
        let begins = self.session.moment(self.beginning).map_or(0, |m| m.steps);
        self.until.is_some_and(|until| self.session.current().steps >= begins.saturating_add(until))
    }

    /// Opens the saved run. Returns whether there is one that can be opened.
    pub(super) fn open_work(&mut self) -> bool {
        self.saved.clone().is_some_and(|text| self.open(&text, Origin::Work))
    }

    /// Opens a run that is written as a link. Returns `false` if the link cannot be read; a message says why.
    pub(super) fn open(&mut self, text: &str, from: Origin) -> bool {
        // The ids of scenarios begin with a digit, and versions of links are letters.
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return self.open_named(text, from);
        }
        let link = match Link::decode(text) {
            Ok(link) => link,
            Err(e) => {
                self.say(Said::key("link-refused").with("why", Value::Said(Box::new(reason(&e)))), true);
                return false;
            }
        };
        self.make_room(text, from);
        let manifest = link.text.clone().or_else(|| last_manifest(&link));
        let (selected, view) = (link.selected.clone(), link.view.clone());
        let opening = Opening { replay: Replay::new(&link), text: manifest, selected, view, notes: link.notes, from };
        self.load(Task::Replay(Box::new(opening)));
        true
    }

    /// Puts aside what a run from elsewhere takes the place of: the saved run if the page was opened with a link, and else
    /// the run that is shown.
    fn make_room(&mut self, text: &str, from: Origin) {
        match from {
            Origin::Link { first: true } => {
                if let Some(saved) = self.saved.clone().filter(|saved| saved != text) {
                    self.keep(Slot::Aside, saved);
                }
            }
            Origin::Link { first: false } | Origin::Aside => self.put_aside(),
            Origin::Work => {}
        }
    }

    /// Opens the scenario with this id, which stood where a link may stand. Returns `false` if there is none; a message
    /// says so.
    fn open_named(&mut self, id: &str, from: Origin) -> bool {
        let Some(scenario) = scenario::find(id) else {
            self.say(Said::key("link-no-scenario").with("id", Value::Text(id.chars().take(60).collect())), true);
            return false;
        };
        self.make_room(id, from);
        let setup = SetUp::new(&scenario);
        self.load(Task::SetUp(Box::new(SetUpOf { scenario, setup, from: Some(from) })));
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
        if self.embedded {
            return;
        }
        match slot {
            Slot::Work => self.saved = Some(text.clone()),
            Slot::Aside => self.has_aside = true,
        }
        self.out.push(Output::Keep(slot, text));
    }

    /// The run as a link. `digest` is the fingerprint of the cluster at the end of its branch, if that is known.
    pub(super) fn draft(&self, digest: Option<String>) -> Link {
        let mut link = Link::draft(&self.session);
        if last_manifest(&link).as_deref() != Some(self.shown.text.as_str()) {
            link.text = Some((*self.shown.text).clone());
        }
        link.selected = self.shown.selection.as_ref().map(name_of);
        link.view = self.shown.map.shown.then(|| MACHINERY.to_owned());
        link.digest = digest;
        self.give_notes(&mut link);
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
    link.ops.iter().rev().find_map(|op| match op {
        LinkOp::Kubectl(_, files) => {
            files.iter().find(|(name, _)| name == MANIFEST).map(|(_, text)| text.clone())
        }
        _ => None,
    })
}
