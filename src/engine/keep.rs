//! The run that is shown, as the page keeps it and as a link; and opening either of them, which repeats the run (`load.rs`).

use std::rc::Rc;

use super::activity::{Activity, OpenedFrom, Opening, SetUpOf, ToMoment};
use super::{Begin, Draft, Engine, Moment, Output, Policy, Said, Value, Work};
use crate::api::ObjectRef;
use crate::cluster::Cluster;
use crate::kubectl::KUBECONFIG;
use crate::session::scenario::{self, SetUp};
use crate::session::{Drafts, Link, LinkError, LinkOp, Replay};

/// What the component map is called in a link.
pub(super) const MACHINERY: &str = "machinery";
/// What the editor's text is called where a command line names it.
pub(super) const MANIFEST: &str = "manifest.yaml";
/// While steps are being taken, one part in so many of the time goes into keeping the run.
const SHARE: f64 = 20.0;

/// What an engine knows of how its run is kept.
#[derive(Default)]
pub(super) struct Keeping {
    /// [`Begin::tab`].
    tab: String,
    /// How many ids were made.
    ids: u32,
    /// Whether the page keeps other runs.
    pub(super) others: bool,
    /// The run as it was when it was opened, if there is nothing to keep as long as it is like that.
    opened: Option<State>,
    /// [`Begin::keep`].
    always: bool,
    /// Whether the run is to be kept.
    pub(super) due: bool,
    /// Before this time it is not kept.
    rest: f64,
    drafts: (u32, Drafts),
}

/// What is compared to find out whether a run has changed: the last moment of the branch, the moment that is shown, the
/// policy, the editor's text, and how far the lesson is.
type State = (Moment, Moment, Policy, Rc<String>, Option<(String, usize, u64)>);

impl Keeping {
    /// Notes that the run has changed.
    pub(super) fn changed(&mut self) {
        self.due |= self.always;
    }

    /// An id that no other run has.
    pub(super) fn new_id(&mut self) -> Rc<str> {
        self.ids += 1;
        format!("{}-{}", self.tab, self.ids).into()
    }
}

impl Engine {
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
                self.begin(Activity::ToMoment(ToMoment::steps(steps.saturating_sub(ahead) as u64)));
            }
        }
    }

    /// Whether steps end here, because the page's address says so.
    pub(super) fn has_ended(&self) -> bool {
        let begins = self.session.moment(self.beginning).map_or(0, |m| m.steps);
        self.until.is_some_and(|until| self.session.current().steps >= begins.saturating_add(until))
    }

    fn state(&self) -> State {
        let s = &self.session;
        (s.tip(), s.at(), s.policy().clone(), self.shown.text.clone(), self.lesson_state())
    }

    /// Notes how the run is now that it has been opened, and whether it is kept like that.
    pub(super) fn settle(&mut self, kept: bool) {
        self.keeping.opened = (!kept).then(|| self.state());
    }

    /// Opens the link in the page's address, or else the run that the page goes on with.
    pub(super) fn open_page(&mut self, with: Begin) {
        self.embedded = with.embedded;
        self.until = with.until;
        self.open_at = with.at;
        self.shown.map.shown = with.map_shown && !with.embedded;
        self.keeping.tab = with.tab;
        self.keeping.always = with.keep;
        let (version, session) = with.after;
        self.shown.version += version;
        self.shown.session += session;
        self.shown.run = self.keeping.new_id();
        self.keeping.others = with.others;
        self.moved();
        let mut named = with.link.into_iter().chain(with.scenario);
        if named.any(|link| self.open(&link, OpenedFrom::Link)) {
            return;
        }
        let work = with.work.filter(|_| !with.embedded);
        if !work.is_some_and(|Work { id, link }| self.open(&link, OpenedFrom::Kept { id, first: true })) {
            self.arrive();
        }
    }

    /// Opens a run that is written as a link. Returns `false` if the link cannot be read; a message says why.
    pub(super) fn open(&mut self, text: &str, from: OpenedFrom) -> bool {
        self.wanted = None;
        if let Some(path) = text.strip_prefix("/lesson/") {
            self.open_lesson_address(path);
            return true;
        }
        let text = text.strip_prefix('/').unwrap_or(text);
        // The ids of scenarios begin with a digit, and versions of links are letters.
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return self.open_named(text);
        }
        let link = match Link::decode(text) {
            Ok(link) => link,
            Err(e) => {
                self.say(Said::key("link-refused").with("why", Value::Said(Box::new(reason(&e)))), true);
                return false;
            }
        };
        self.keep();
        let manifest = link.text.clone().or_else(|| last_manifest(&link));
        let (selected, view) = (link.selected.clone(), link.view.clone());
        let kubeconfig = last_file(&link, KUBECONFIG);
        let opening = Opening {
            replay: Replay::new(&link),
            text: manifest,
            kubeconfig,
            selected,
            view,
            notes: link.notes,
            lesson: link.lesson,
            from,
        };
        self.load(Activity::Replay(Box::new(opening)));
        true
    }

    /// Opens the scenario with this id, which stood where a link may stand. Returns `false` if there is none; a message
    /// says so.
    fn open_named(&mut self, id: &str) -> bool {
        let Some(scenario) = scenario::find(id) else {
            self.say(
                Said::key("link-no-scenario").with("id", Value::Text(id.chars().take(60).collect())),
                true,
            );
            return false;
        };
        self.keep();
        let setup = SetUp::new(&scenario);
        self.load(Activity::SetUp(Box::new(SetUpOf { scenario, setup, of_address: true })));
        true
    }

    /// Gives the run an id of its own.
    pub(super) fn part(&mut self) {
        self.shown.run = self.keeping.new_id();
        self.settle(false);
        self.touch();
    }

    /// Has the page keep the run if that was asked for and keeping it has not taken much of the time.
    pub(super) fn keep_if_due(&mut self) {
        if self.keeping.due && (self.activity.is_none() || (self.clock)() >= self.keeping.rest) {
            self.keep();
        }
    }

    /// Has the page keep the run, if it has changed since it was opened.
    pub(super) fn keep(&mut self) {
        self.keeping.due = false;
        if self.embedded || self.keeping.opened.as_ref().is_some_and(|opened| *opened == self.state()) {
            return;
        }
        self.keeping.opened = None;
        self.keeping.others = true;
        let begun = (self.clock)();
        let (run, drafts) = &mut self.keeping.drafts;
        if *run != self.shown.session {
            (*run, *drafts) = (self.shown.session, Drafts::default());
        }
        let link = drafts.link(&self.session);
        let lesson = self.lesson_link().map(|lesson| lesson.id);
        let scenario = lesson.or(self.scenario.as_ref().map(|s| s.id.clone())).unwrap_or_default();
        let line = self.session.timeline();
        let begins = self.session.place(self.beginning).map_or(0, |place| place + 1);
        let steps = line.len() - begins;
        let link = self.described(link).encode_quickly();
        self.out.push(Output::Keep(Draft { id: self.shown.run.clone(), scenario, steps, link }));
        let now = (self.clock)();
        self.keeping.rest = now + SHARE * (now - begun);
    }

    /// The run as a link. `digest` is the fingerprint of the cluster at the end of its branch, if that is known.
    pub(super) fn draft(&self, digest: Option<String>) -> Link {
        Link { digest, ..self.described(Link::draft(&self.session)) }
    }

    /// A link of the session, with what only the page knows.
    fn described(&self, mut link: Link) -> Link {
        // What `kubectl edit` has put in place of the manifest is not kept.
        let text = self.shown.editing.as_ref().map_or(&self.shown.text, |e| &e.manifest);
        if last_manifest(&link).as_deref() != Some(text.as_str()) {
            link.text = Some((**text).clone());
        }
        link.selected = self.shown.selection.as_ref().map(name_of);
        link.view = self.shown.map.shown.then(|| MACHINERY.to_owned());
        self.give_notes(&mut link);
        link.lesson = self.lesson_link();
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
