//! Activities that leave the run that is shown as it is until they are done: a scenario's set-up, repeating a run that
//! was opened, going to a moment, the fingerprint of a link.

use super::activity::{Activity, OpenedFrom, Opening, Repeating, SetUpOf, Then};
use super::{Engine, MapState, Output, Said};
use crate::session::{Depth, scenario};

impl Engine {
    /// Begins an activity that leaves the run as it is, in place of the activity that is under way.
    pub(super) fn load(&mut self, activity: Activity) {
        if matches!(self.activity.take(), Some(Activity::Lesson(_))) {
            self.stopped_lesson();
        }
        self.session.give_up();
        self.begin(activity);
    }

    /// Works on such an activity until the time `end`.
    pub(super) fn go_on_loading(&mut self, mut activity: Activity, end: f64) {
        while (self.clock)() < end {
            let (done, digest) = activity.advance();
            if done {
                return self.loaded(activity, digest);
            }
        }
        self.keep_on(activity);
    }

    fn loaded(&mut self, activity: Activity, digest: Option<String>) {
        match activity {
            Activity::SetUp(s) => {
                let SetUpOf { scenario, setup, of_address } = *s;
                self.show_scenario(scenario, setup.finish());
                if of_address {
                    self.out.push(Output::Opened);
                }
                self.moved();
                self.arrive();
            }
            Activity::Lesson(deeds) => self.performed(*deeds),
            Activity::Check(check) => self.checked(*check),
            Activity::Replay(opening) => {
                self.opened(*opening);
                self.arrive();
            }
            Activity::Repeat(repeating) => self.repeated(*repeating),
            Activity::Travel(_, way) => {
                self.session.arrive(*way);
                self.moved();
            }
            Activity::Share(_) => {
                let link = self.draft(digest).encode();
                self.out.push(Output::Link(link));
                self.touch();
            }
            Activity::Step
            | Activity::ToSchedule
            | Activity::Play
            | Activity::ToSteady(..)
            | Activity::ToMoment(..)
            | Activity::Follow(..) => {}
        }
    }

    /// Shows a rollout that was repeated, at the moment that was asked for.
    fn repeated(&mut self, repeating: Repeating) {
        let Repeating { replay, from, ops } = repeating;
        let policy = self.session.policy().clone();
        let replayed = replay.finish();
        self.session = replayed.session;
        self.session.set_policy(policy);
        let begin = self.session.place(from);
        let line = self.session.timeline();
        if let Some(moment) = begin.and_then(|b| line.get(b.checked_add(ops)?)).copied() {
            self.session.goto(moment);
        }
        self.tell_if_full();
        self.moved();
        let key = if replayed.same { "rehearse-opened" } else { "rehearse-diverged" };
        self.say(Said::key(key).number("n", ops as f64), !replayed.same);
    }

    fn opened(&mut self, opening: Opening) {
        let replayed = opening.replay.finish();
        let scenario = scenario::find(&replayed.session.start().scenario);
        let beginning = scenario.as_ref().map_or(0, |s| s.begins(&replayed.session));
        self.take_notes(scenario.as_ref(), &opening.notes);
        let (link, id) = match opening.from {
            OpenedFrom::Link => (true, None),
            OpenedFrom::Kept { id, .. } => (false, id),
        };
        self.replace_run(scenario, replayed.session, beginning, id.map(Into::into));
        self.kubeconfig = opening.kubeconfig;
        if let Some(text) = opening.text {
            self.set_text(text);
        }
        let shown = self.shown.map.shown || opening.view.as_deref() == Some(super::keep::MACHINERY);
        self.shown.map = MapState { shown, ..MapState::default() };
        if shown && !self.embedded {
            // Who looked into a step looks into it still.
            self.session.surround();
            if self.session.inside().is_some() {
                self.shown.depth = Depth::Machinery;
            }
        }
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
        if let Some(lesson) = opening.lesson {
            self.resume_lesson(lesson);
        }
        if !replayed.same {
            self.say(Said::key("link-differs"), true);
        } else if link && !self.embedded {
            self.say(Said::key(if self.keeping.others { "link-opened" } else { "link-opened-first" }), false);
        }
    }

    /// Says what it means that an activity was stopped before it was done.
    pub(super) fn given_up(&mut self, activity: &Activity) {
        if matches!(activity, Activity::SetUp(s) if s.of_address) {
            return self.say(Said::key("stopped-link"), false);
        }
        if let Activity::Lesson(deeds) = activity {
            if matches!(deeds.then, Then::Begin(..)) {
                self.say(Said::key("stopped-link"), false);
            }
            return self.stopped_lesson();
        }
        let Activity::Replay(opening) = activity else { return };
        match &opening.from {
            OpenedFrom::Kept { first: true, .. } => self.say(Said::key("stopped-work"), false),
            OpenedFrom::Link | OpenedFrom::Kept { .. } => self.say(Said::key("stopped-link"), false),
        }
    }
}
