//! What must not hold up the page and leaves what was there until it is done: a scenario's set-up, a run that
//! is opened, the way to a moment, the fingerprint of a link.

use super::run::Task;
use super::{Engine, MapState, Output, Said, Slot};
use crate::session::Replay;
use crate::session::scenario::{self, Scenario, SetUp};

/// Objects that go into a fingerprint between two looks at the clock.
const OBJECTS_AT_ONCE: usize = 32;

/// A scenario's set-up.
pub(super) struct SetUpOf {
    pub(super) scenario: Scenario,
    pub(super) setup: SetUp,
}

/// A run that is opened.
pub(super) struct Opening {
    /// The run.
    pub(super) replay: Replay,
    /// The editor's text at its end.
    pub(super) text: Option<String>,
    /// The selected object, as `Kind namespace/name`.
    pub(super) selected: Option<String>,
    /// What is looked at, if it is not the objects.
    pub(super) view: Option<String>,
    /// Where it came from.
    pub(super) from: Origin,
}

/// Where a run came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The address; whether the page began with it.
    Link {
        /// It did.
        first: bool,
    },
    /// What was kept when the page was closed.
    Work,
    /// What was put aside.
    Aside,
}

impl Task {
    /// Goes on with what is loaded; whether it is done, and of a link's fingerprint the fingerprint.
    fn advance(&mut self) -> (bool, Option<String>) {
        match self {
            Task::SetUp(s) => (s.setup.advance(1), None),
            Task::Replay(o) => (o.replay.advance(1), None),
            Task::Travel(_, way) => (way.advance(1), None),
            Task::Share(d) => {
                let digest = d.advance(OBJECTS_AT_ONCE);
                (digest.is_some(), digest)
            }
            Task::Step | Task::Play | Task::ToSteady(_) | Task::Follow(..) => (true, None),
        }
    }
}

impl Engine {
    /// Begins to load something, in place of what is being loaded.
    pub(super) fn load(&mut self, task: Task) {
        if let Some(Task::Replay(old)) = self.task.take()
            && old.from == Origin::Work
        {
            self.keep_work_aside();
        }
        self.session.give_up();
        self.begin(task);
    }

    /// A slice of what is loaded.
    pub(super) fn go_on_loading(&mut self, mut task: Task, end: f64) {
        while (self.clock)() < end {
            let (done, digest) = task.advance();
            if done {
                return self.loaded(task, digest);
            }
        }
        self.keep_on(task);
    }

    fn loaded(&mut self, task: Task, digest: Option<String>) {
        match task {
            Task::SetUp(s) => {
                let SetUpOf { scenario, setup } = *s;
                self.put_on_the_table(scenario, setup.finish());
                self.moved();
            }
            Task::Replay(opening) => self.opened(*opening),
            Task::Travel(_, way) => {
                self.session.arrive(*way);
                self.moved();
            }
            Task::Share(_) => {
                let link = self.draft(digest).encode();
                self.out.push(Output::Link(link));
                self.touch();
            }
            Task::Step | Task::Play | Task::ToSteady(_) | Task::Follow(..) => {}
        }
    }

    fn opened(&mut self, opening: Opening) {
        let replayed = opening.replay.finish();
        let scenario = scenario::find(&replayed.session.start().scenario);
        let first = scenario.as_ref().map_or(0, |x| x.begins(&replayed.session));
        self.put(scenario, replayed.session, first);
        if let Some(text) = opening.text {
            self.set_text(text);
        }
        let shown = self.shown.map.shown || opening.view.as_deref() == Some(super::keep::MACHINERY);
        self.shown.map = MapState { shown, ..MapState::default() };
        let link = matches!(opening.from, Origin::Link { .. });
        if link {
            self.out.push(Output::Opened);
        }
        self.moved();
        if let Some(name) = &opening.selected {
            let nodes = &self.shown.graph.nodes;
            let found = nodes.iter().find(|n| super::keep::name_of(&n.reference) == *name);
            self.shown.selection = found.map(|n| n.reference.clone());
        }
        if !replayed.same {
            self.say(Said::key("link-differs"), true);
        } else if link {
            self.say(Said::key(if self.kept { "link-opened" } else { "link-opened-first" }), false);
        }
    }

    /// It was stopped: what was there before is there still.
    pub(super) fn given_up(&mut self, task: &Task) {
        let Task::Replay(opening) = task else { return };
        match opening.from {
            Origin::Work => {
                self.keep_work_aside();
                self.say(Said::key("stopped-work"), false);
            }
            Origin::Link { first: true } if self.open_work() => {}
            Origin::Link { .. } | Origin::Aside => self.say(Said::key("stopped-link"), false),
        }
    }

    /// The work from before the page was closed is not what is shown now: it must not be overwritten by that.
    fn keep_work_aside(&mut self) {
        if let Some(work) = self.work.clone() {
            self.keep(Slot::Aside, work);
        }
    }
}
