//! Tasks that leave the run that is shown as it is until they are done: a scenario's set-up, repeating a run that
//! was opened, going to a moment, the fingerprint of a link.

use super::task::{Opening, Origin, SetUpOf, Task};
use super::{Engine, MapState, Output, Said};
use crate::session::scenario;

impl Engine {
    /// Begins a task that leaves the run as it is, in place of the task that is under way.
    pub(super) fn load(&mut self, task: Task) {
        self.task = None;
        self.session.give_up();
        self.begin(task);
    }

    /// Works on such a task until the time `end`.
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
                let SetUpOf { scenario, setup, of_address } = *s;
                self.show_scenario(scenario, setup.finish());
                if of_address {
                    self.out.push(Output::Opened);
                }
                self.moved();
                self.arrive();
            }
            Task::Replay(opening) => {
                self.opened(*opening);
                self.arrive();
            }
            Task::Travel(_, way) => {
                self.session.arrive(*way);
                self.moved();
            }
            Task::Share(_) => {
                let link = self.draft(digest).encode();
                self.out.push(Output::Link(link));
                self.touch();
            }
            Task::Step
            | Task::ToSchedule
            | Task::Play
            | Task::ToSteady(..)
            | Task::ToMoment(..)
            | Task::Follow(..) => {}
        }
    }

    fn opened(&mut self, opening: Opening) {
        let replayed = opening.replay.finish();
        let scenario = scenario::find(&replayed.session.start().scenario);
        let beginning = scenario.as_ref().map_or(0, |s| s.begins(&replayed.session));
        self.take_notes(scenario.as_ref(), &opening.notes);
        let (link, id) = match opening.from {
            Origin::Link => (true, None),
            Origin::Kept { id, .. } => (false, id),
        };
        self.replace_run(scenario, replayed.session, beginning, id.map(Into::into));
        self.kubeconfig = opening.kubeconfig;
        if let Some(text) = opening.text {
            self.set_text(text);
        }
        let shown = self.shown.map.shown || opening.view.as_deref() == Some(super::keep::MACHINERY);
        self.shown.map = MapState { shown, ..MapState::default() };
        if link {
            self.out.push(Output::Opened);
        }
        self.moved();
        // The link leaves the address, so that a reload needs the run.
        self.settle(link);
        if let Some(name) = &opening.selected {
            let nodes = &self.shown.graph.nodes;
            let found = nodes.iter().find(|n| super::keep::name_of(&n.reference) == *name);
            self.shown.selection = found.map(|n| n.reference.clone());
        }
        if !replayed.same {
            self.say(Said::key("link-differs"), true);
        } else if link && !self.embedded {
            self.say(Said::key(if self.keeping.others { "link-opened" } else { "link-opened-first" }), false);
        }
    }

    /// Says what it means that a task was stopped before it was done.
    pub(super) fn given_up(&mut self, task: &Task) {
        if matches!(task, Task::SetUp(s) if s.of_address) {
            return self.say(Said::key("stopped-link"), false);
        }
        let Task::Replay(opening) = task else { return };
        match &opening.from {
            Origin::Kept { first: true, .. } => self.say(Said::key("stopped-work"), false),
            Origin::Link | Origin::Kept { .. } => self.say(Said::key("stopped-link"), false),
        }
    }
}
