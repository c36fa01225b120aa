//! What takes long and must not hold up the page: a scenario's set-up, a run that is opened, the
//! way to a moment. Each is done a slice at a time, tells how far it is, and can be stopped; until
//! it is done, what was there stays.

use steady::cluster::Digesting;
use steady::session::scenario::{self, Scenario, SetUp};
use steady::session::{Replay, Travel};

use super::persist::{KEPT, WORK, read};
use super::run::{SLICE, clock};
use super::{Mode, Shared, Store};

/// Objects that go into a fingerprint between two looks at the clock.
const OBJECTS_AT_ONCE: usize = 32;

/// Work under way.
pub(super) enum Job {
    /// A scenario's set-up.
    SetUp(Box<(Scenario, SetUp)>),
    /// A run that is opened.
    Replay(Box<Opening>),
    /// The way to a moment.
    Travel(Box<Travel>),
    /// The fingerprint that a link carries.
    Share(Box<Digesting>, Option<String>),
}

/// A run that is opened.
pub(super) struct Opening {
    /// The run.
    pub replay: Replay,
    /// The editor's text at its end.
    pub text: Option<String>,
    /// The selected object.
    pub selected: Option<String>,
    /// What is looked at, if it is not the objects.
    pub view: Option<String>,
    /// Where it came from.
    pub from: Origin,
    /// Whether the page begins with it.
    pub first: bool,
}

/// Where a run came from.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Origin {
    /// The address.
    Link,
    /// The browser's storage: what was there before a reload.
    Work,
    /// The browser's storage: what was put aside.
    Kept,
}

impl Job {
    fn advance(&mut self) -> bool {
        match self {
            Job::SetUp(s) => s.1.advance(1),
            Job::Replay(o) => o.replay.advance(1),
            Job::Travel(t) => t.advance(1),
            Job::Share(d, digest) => {
                *digest = d.advance(OBJECTS_AT_ONCE);
                digest.is_some()
            }
        }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        match self {
            Job::SetUp(s) => (s.1.done(), None),
            Job::Replay(o) => {
                let (done, of) = o.replay.progress();
                (done, Some(of))
            }
            Job::Travel(t) => {
                let (done, of) = t.progress();
                (done, Some(of))
            }
            Job::Share(..) => (0, None),
        }
    }
}

impl Store {
    /// Whether something is being loaded: until that is done nothing else happens.
    pub fn is_loading(&self) -> bool {
        self.with(|s| matches!(s.mode, Mode::Loading { .. }))
    }

    /// Begins; what is done within a slice is done at once.
    pub(super) fn begin(&self, job: Job) {
        let turn = self.0.job.get() + 1;
        self.0.job.set(turn);
        let (done, of) = job.progress();
        self.enter(Mode::Loading { done, of });
        self.work(turn, job, clock());
    }

    fn work(&self, turn: u64, mut job: Job, drawn: f64) {
        if self.0.job.get() != turn || !self.is_loading() {
            return self.given_up(&job);
        }
        let end = clock() + SLICE;
        let mut whole = false;
        while !whole && clock() < end {
            whole = job.advance();
        }
        if whole {
            self.change(|s| s.mode = Mode::Idle);
            self.done(job);
            return self.ended();
        }
        let (done, of) = job.progress();
        self.change(|s| s.mode = Mode::Loading { done, of });
        let now = clock();
        let due = now - drawn > 100.0;
        if due {
            self.refresh();
        }
        self.soon(move |store| store.work(turn, job, if due { now } else { drawn }));
    }

    fn done(&self, job: Job) {
        match job {
            Job::SetUp(s) => {
                let (scenario, setup) = *s;
                self.take(&scenario, setup.finish());
                self.moved();
            }
            Job::Replay(opening) => self.opened(*opening),
            Job::Travel(travel) => {
                self.change(|s| {
                    s.heading = None;
                    s.session.arrive(*travel);
                });
                self.moved();
            }
            Job::Share(_, digest) => {
                self.hand_out(digest);
                self.plan_listing();
                self.refresh();
            }
        }
    }

    fn opened(&self, opening: Opening) {
        let replayed = opening.replay.finish();
        self.change(|s| {
            let scenario = scenario::find(&replayed.session.start().scenario);
            s.first = scenario.map_or(0, |x| x.begins(&replayed.session));
            s.session = replayed.session;
            if let Some(text) = opening.text {
                s.text = Shared::new(text);
                s.text_set += 1;
            }
            s.diagnostics = Shared::default();
            s.preview = None;
            s.map.open(opening.view.as_deref());
            s.forget();
        });
        if opening.from == Origin::Link {
            self.clean_address();
        }
        self.moved();
        if let Some(name) = &opening.selected {
            let found = self.with(|s| {
                s.graph
                    .nodes
                    .iter()
                    .find(|n| super::persist::name_of(&n.reference) == *name)
                    .map(|n| n.reference.clone())
            });
            self.select(found);
        }
        if !replayed.same {
            self.say(self.texts().get("link-differs"), true);
        } else if opening.from == Origin::Link {
            let key = if read(KEPT).is_some() { "link-opened" } else { "link-opened-first" };
            self.say(self.texts().get(key), false);
        }
    }

    /// It was stopped: what was there before is there still.
    fn given_up(&self, job: &Job) {
        let Job::Replay(opening) = job else { return };
        match opening.from {
            // The work from before the reload is not what the page shows now: it must not be
            // overwritten by that.
            Origin::Work => {
                if let Some(work) = read(WORK) {
                    self.put(KEPT, &work);
                }
                self.say(self.texts().get("stopped-work"), false);
            }
            Origin::Link if opening.first && self.open_work() => {}
            Origin::Link | Origin::Kept => self.say(self.texts().get("stopped-link"), false),
        }
    }

    /// Puts a scenario that is set up on the table.
    pub(super) fn take(&self, scenario: &Scenario, session: steady::session::Session) {
        self.change(|s| {
            s.session = session;
            s.first = s.session.at();
            s.depth = scenario.depth.unwrap_or(s.depth);
            s.text = Shared::new(scenario.manifest.clone());
            s.text_set += 1;
            s.diagnostics = Shared::default();
            s.preview = None;
            s.forget();
            s.derive();
        });
    }
}
