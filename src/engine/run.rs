//! What takes longer than a person waits is a task, and a task is gone a slice at a time.

use super::load::{Opening, SetUpOf};
use super::{Engine, Mode, Said};
use crate::cluster::{Digesting, Stopped};
use crate::session::explore::{Choice, follow};
use crate::session::{Depth, MOMENTS_LIMIT, MomentId, Travel};

/// A slice of work, in milliseconds of the engine's clock.
pub const SLICE: f64 = 8.0;
/// Milliseconds between steps while it runs.
pub const SPEEDS: &[u32] = &[1600, 800, 400, 160, 40];
/// After so many milliseconds a person wants to know how far it is.
pub(super) const SLOW: f64 = 400.0;
/// How far a task is, is told so often.
const TELL: f64 = 100.0;
/// More steps than this at one go stop and say so.
const LIMIT: u64 = 1_000_000;

/// What is under way.
pub(super) enum Task {
    /// A step.
    Step,
    /// One step after the other.
    Play,
    /// As fast as it goes until steady: how many steps were taken.
    ToSteady(u64),
    /// A way that the explorer found: how deep its steps are, all of them, how many are taken.
    Follow(Depth, Vec<Choice>, usize),
    /// A scenario's set-up.
    SetUp(Box<SetUpOf>),
    /// A run that is opened.
    Replay(Box<Opening>),
    /// The way to a moment.
    Travel(MomentId, Box<Travel>),
    /// The fingerprint that a link carries.
    Share(Box<Digesting>),
}

impl Task {
    /// How it is shown.
    pub(super) fn mode(&self) -> Mode {
        match self {
            Task::Step | Task::Follow(..) => Mode::Stepping,
            Task::Play => Mode::Playing,
            Task::ToSteady(done) => Mode::ToSteady { done: *done },
            Task::SetUp(s) => Mode::Loading { done: s.setup.done(), of: None },
            Task::Replay(o) => {
                let (done, of) = o.replay.progress();
                Mode::Loading { done, of: Some(of) }
            }
            Task::Travel(_, way) => {
                let (done, of) = way.progress();
                Mode::Loading { done, of: Some(of) }
            }
            Task::Share(_) => Mode::Loading { done: 0, of: None },
        }
    }

    /// Whether the page stays as it is until it is done, and it has to be stopped by itself.
    fn is_loading(&self) -> bool {
        matches!(self.mode(), Mode::Loading { .. })
    }
}

impl Engine {
    /// Whether something is being loaded: until that is done nothing else happens.
    pub(super) fn is_loading(&self) -> bool {
        self.task.as_ref().is_some_and(Task::is_loading)
    }

    /// The moment that is on the way to be looked at, or the one that is.
    pub(super) fn heading(&self) -> MomentId {
        match &self.task {
            Some(Task::Travel(to, _)) => *to,
            _ => self.session.at(),
        }
    }

    /// Ends what runs, for a person takes over. `false` while something is loaded, which has to be stopped by
    /// itself.
    pub(super) fn at_rest(&mut self) -> bool {
        if let Some(Task::Travel(to, _)) = self.task {
            // Whoever is on the way somewhere means that place.
            self.task = None;
            self.session.goto(to);
            self.derive();
        }
        if self.is_loading() {
            return false;
        }
        if self.task.take().is_some() {
            self.session.give_up();
            self.touch();
        }
        true
    }

    /// Begins a task with its first slice.
    pub(super) fn begin(&mut self, task: Task) {
        let now = (self.clock)();
        (self.since, self.told, self.wake, self.picture) = (now, now, now, false);
        self.task = Some(task);
        self.go_on();
    }

    /// Stops whatever is under way.
    pub(super) fn stop(&mut self) {
        let Some(task) = self.task.take() else { return };
        self.session.give_up();
        if task.is_loading() {
            // Nothing has moved.
            self.touch();
            self.given_up(&task);
        } else {
            self.moved();
        }
    }

    /// A slice of the task.
    pub(super) fn go_on(&mut self) {
        let end = (self.clock)() + SLICE;
        match self.task.take() {
            None => {}
            Some(Task::Step) => self.go_on_stepping(end),
            Some(Task::Play) => self.go_on_playing(end),
            Some(Task::ToSteady(done)) => self.go_on_to_steady(done, end),
            Some(Task::Follow(depth, way, gone)) => self.go_on_following(depth, way, gone, end),
            Some(loading) => self.go_on_loading(loading, end),
        }
    }

    /// The task is not done.
    pub(super) fn keep_on(&mut self, task: Task) {
        self.task = Some(task);
        let now = (self.clock)();
        if now - self.told > TELL {
            self.told = now;
            self.touch();
        }
    }

    /// A step, or as much of it as fits into a slice; whether it is done.
    fn step_until(&mut self, end: f64) -> Result<bool, Stopped> {
        let clock = &self.clock;
        self.session.step_within(self.shown.depth, || clock() < end)
    }

    fn go_on_stepping(&mut self, end: f64) {
        match self.step_until(end) {
            Ok(false) => self.keep_on(Task::Step),
            Ok(true) => self.moved(),
            Err(_) => {
                self.tell_if_full();
                self.touch();
            }
        }
    }

    fn go_on_playing(&mut self, end: f64) {
        match self.step_until(end) {
            Ok(false) => self.keep_on(Task::Play),
            Ok(true) => {
                self.task = Some(Task::Play);
                self.moved();
                let wait = SPEEDS.get(self.shown.speed).copied().unwrap_or(SPEEDS[2]);
                self.wake = (self.clock)() + f64::from(wait);
            }
            Err(_) => {
                self.tell_if_full();
                self.moved();
            }
        }
    }

    fn go_on_to_steady(&mut self, mut done: u64, end: f64) {
        if std::mem::take(&mut self.picture) {
            // Drawing takes as long as a slice: it is one.
            self.derive();
            self.task = Some(Task::ToSteady(done));
            return;
        }
        let mut more = true;
        while more && (self.clock)() < end {
            match self.step_until(end) {
                Ok(true) => {
                    done += 1;
                    more = done < LIMIT;
                    self.announce();
                }
                Ok(false) => break,
                Err(_) => more = false,
            }
        }
        if !more {
            if done >= LIMIT {
                self.say(Said::key("limit-steps").number("n", LIMIT as f64), true);
            }
            self.tell_if_full();
            return self.moved_quietly();
        }
        self.task = Some(Task::ToSteady(done));
        // Drawing takes longer than stepping: a few pictures a second tell enough.
        let now = (self.clock)();
        let pause = if self.shown.graph.nodes.len() > 300 { 250.0 } else { 90.0 };
        if now - self.told > pause {
            self.told = now;
            self.picture = true;
        }
    }

    fn go_on_following(&mut self, depth: Depth, way: Vec<Choice>, mut gone: usize, end: f64) {
        let mut more = true;
        while more && (self.clock)() < end {
            let next = way.get(gone..gone + 1).unwrap_or_default();
            more = !next.is_empty() && follow(&mut self.session, depth, next).is_ok();
            gone += usize::from(more);
        }
        if more {
            return self.keep_on(Task::Follow(depth, way, gone));
        }
        self.tell_if_full();
        self.moved();
        let whole = gone == way.len();
        let key = if whole { "explore-opened" } else { "explore-diverged" };
        self.say(Said::key(key).number("n", gone as f64), !whole);
    }

    /// A run that is full stops for that reason and for no other.
    pub(super) fn tell_if_full(&mut self) {
        if self.session.is_full() {
            self.say(Said::key("limit-steps").number("n", MOMENTS_LIMIT as f64), true);
        }
    }
}
