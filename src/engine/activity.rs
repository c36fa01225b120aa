//! Activities: what an engine works on in slices of time.

use std::rc::Rc;

use super::Mode;
use crate::api::Timestamp;
use crate::apimachinery::Response;
use crate::cluster::Digesting;
use crate::lessons::{Check, Lesson};
use crate::session::explore::Choice;
use crate::session::scenario::{Scenario, SetUp};
use crate::session::{Depth, LessonLink, MomentId, Replay, Session, Travel};

/// How many objects are added to a fingerprint between two readings of the clock.
const OBJECTS_AT_ONCE: usize = 32;

/// What an engine works on in slices.
pub(super) enum Activity {
    /// One step.
    Step,
    /// One step after time has passed to the next run of a schedule.
    ToSchedule,
    /// Steps at the speed that is set, until a person stops them.
    Play,
    /// Steps without a pause until the cluster is steady: how many were taken, and the runs of schedules on the way.
    ToSteady(u64, Met),
    /// Steps without a pause until a moment.
    ToMoment(ToMoment),
    /// Choices that the explorer found: the depth of their steps, all choices, and how many were taken.
    Follow(Depth, Vec<Choice>, usize),
    /// The set-up of a scenario.
    SetUp(Box<SetUpOf>),
    /// Deeds of a lesson.
    Lesson(Box<Deeds>),
    /// A play of the lesson that a person has brought, which shows whether it holds what it promises.
    Check(Box<Check>),
    /// Repeating a run that was opened.
    Replay(Box<Opening>),
    /// Repeating a rollout that was rehearsed, on a copy of the run.
    Repeat(Box<Repeating>),
    /// Going to a moment whose cluster has to be computed again.
    Travel(MomentId, Box<Travel>),
    /// Computing the fingerprint that a link carries.
    Share(Box<Digesting>),
}

impl Activity {
    /// How the page shows the activity.
    pub(super) fn mode(&self) -> Mode {
        match self {
            Activity::Step | Activity::ToSchedule | Activity::Follow(..) => Mode::Stepping,
            Activity::Play => Mode::Playing,
            Activity::ToSteady(done, _) => Mode::ToSteady { done: *done },
            Activity::ToMoment(run) => Mode::ToMoment { done: run.done },
            Activity::SetUp(s) => Mode::Loading { done: s.setup.done(), of: None },
            Activity::Lesson(deeds) => Mode::Loading { done: deeds.done(), of: None },
            Activity::Check(check) => Mode::Loading { done: check.done(), of: None },
            Activity::Replay(o) => {
                let (done, of) = o.replay.progress();
                Mode::Loading { done, of: Some(of) }
            }
            Activity::Repeat(r) => {
                let (done, of) = r.replay.progress();
                Mode::Loading { done, of: Some(of) }
            }
            Activity::Travel(_, way) => {
                let (done, of) = way.progress();
                Mode::Loading { done, of: Some(of) }
            }
            Activity::Share(_) => Mode::Loading { done: 0, of: None },
        }
    }

    /// Whether nothing else can be done until the activity has ended or was stopped.
    pub(super) fn is_loading(&self) -> bool {
        matches!(self.mode(), Mode::Loading { .. })
    }

    /// Does the next small piece of an activity during which nothing else can be done. Returns whether the activity is done,
    /// and for [`Activity::Share`] then the fingerprint.
    pub(super) fn advance(&mut self) -> (bool, Option<String>) {
        match self {
            Activity::SetUp(s) => (s.setup.advance(1), None),
            Activity::Lesson(deeds) => (deeds.advance(), None),
            Activity::Check(check) => (check.advance(1), None),
            Activity::Replay(o) => (o.replay.advance(1), None),
            Activity::Repeat(r) => (r.replay.advance(1), None),
            Activity::Travel(_, way) => (way.advance(1), None),
            Activity::Share(d) => {
                let digest = d.advance(OBJECTS_AT_ONCE);
                (digest.is_some(), digest)
            }
            Activity::Step
            | Activity::ToSchedule
            | Activity::Play
            | Activity::ToSteady(..)
            | Activity::ToMoment(..)
            | Activity::Follow(..) => (true, None),
        }
    }
}

/// A run to a moment, or for a number of steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToMoment {
    /// How many steps were taken.
    pub(super) done: u64,
    /// The moment, in milliseconds since 1970; `None` if only the steps count.
    pub(super) to: Option<i64>,
    /// How many steps are taken at most.
    pub(super) most: u64,
    /// Whether the step that is under way begins with the next run of a schedule.
    pub(super) scheduled: bool,
}

impl ToMoment {
    /// A run to a moment in milliseconds since 1970, for at most so many steps.
    pub(super) fn time(to: i64, most: u64) -> ToMoment {
        ToMoment { done: 0, to: Some(to), most, scheduled: false }
    }

    /// So many steps.
    pub(super) fn steps(most: u64) -> ToMoment {
        ToMoment { done: 0, to: None, most, scheduled: false }
    }
}

/// What a run to steady has met on its way that can keep it from ever coming to rest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Met {
    next: Option<Timestamp>,
    /// How many runs of schedules came due.
    pub(super) schedules: u32,
    /// How many of the last commands were refused, one after the other.
    pub(super) refused: u32,
}

impl Met {
    /// Looks at the run after a step.
    pub(super) fn look(&mut self, session: &Session) {
        let clock = session.cluster().clock();
        if self.next.is_some_and(|next| next <= clock.now()) {
            self.schedules += 1;
        }
        self.next = clock.next_scheduled().map(|(at, ..)| at);
        for command in session.current().commands() {
            let refused = matches!(command.response, Response::Failure(_));
            self.refused = if refused { self.refused + 1 } else { 0 };
        }
    }
}

/// The set-up of a scenario.
pub(super) struct SetUpOf {
    pub(super) scenario: Scenario,
    pub(super) setup: SetUp,
    /// Whether the page's address names it; else a person has chosen it from the list.
    pub(super) of_address: bool,
}

/// Deeds of a lesson that are being done.
pub(super) struct Deeds {
    pub(super) setup: SetUp,
    pub(super) then: Then,
}

/// What comes after deeds of a lesson.
pub(super) enum Then {
    /// The lesson begins.
    Begin(Rc<Lesson>, Begins),
    /// This step is entered.
    Enter(usize),
    /// The prediction is compared with what happened.
    Played,
    /// The goal is judged.
    Solved,
}

/// How a lesson begins.
pub(super) struct Begins {
    /// The text of its file, if a person has brought it.
    pub(super) own: Option<Rc<str>>,
    /// The step that was asked for.
    pub(super) step: usize,
    /// The id of the run whose place it takes, if that was the same lesson before its text was changed.
    pub(super) run: Option<Rc<str>>,
}

impl Deeds {
    /// How many steps were taken.
    fn done(&self) -> u64 {
        self.setup.done()
    }

    /// Takes a step. Returns whether all deeds are done.
    fn advance(&mut self) -> bool {
        self.setup.advance(1)
    }
}

/// A rollout that is being repeated.
pub(super) struct Repeating {
    /// The run, with the rollout as a branch.
    pub(super) replay: Replay,
    /// The moment that it begins at.
    pub(super) from: MomentId,
    /// After how many ops it is shown.
    pub(super) ops: usize,
}

/// A run that is being opened.
pub(super) struct Opening {
    /// The run, which is repeated from its start.
    pub(super) replay: Replay,
    /// The editor's text at its end.
    pub(super) text: Option<String>,
    /// kubectl's configuration, as the last command line of the run had it.
    pub(super) kubeconfig: Option<String>,
    /// The selected object, as `Kind namespace/name`.
    pub(super) selected: Option<String>,
    /// The view that the link names: [`MACHINERY`](super::keep::MACHINERY), or none for the objects.
    pub(super) view: Option<String>,
    /// What its author says at some steps.
    pub(super) notes: Vec<(usize, String)>,
    /// The lesson that it belongs to.
    pub(super) lesson: Option<LessonLink>,
    /// Where it came from.
    pub(super) from: OpenedFrom,
}

/// Where a run came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OpenedFrom {
    /// The page's address.
    Link,
    /// The page has kept it.
    Kept {
        /// Its id; `None` for a copy.
        id: Option<String>,
        /// Whether the page was opened with it.
        first: bool,
    },
}
