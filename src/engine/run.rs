//! Working on the activity, a slice of time after the other. An engine has one activity at most.

use super::activity::{Activity, Met, ToMoment};
use super::{Engine, Said, Value};
use crate::apimachinery::Response;
use crate::cluster::{Fault, Stopped};
use crate::kubelet::process::GoesOn;
use crate::session::explore::{Choice, follow};
use crate::session::view::Happened;
use crate::session::{Depth, MOMENTS_LIMIT, MomentId};

/// For how many milliseconds of its clock the engine works at a time.
pub const SLICE: f64 = 8.0;
/// Milliseconds between two steps of a run, slowest speed first.
pub const SPEEDS: &[u32] = &[1600, 800, 400, 160, 40];
/// After so many milliseconds an activity's progress is shown.
pub(super) const SLOW: f64 = 400.0;
/// Milliseconds between two outputs that show an activity's progress.
const TELL: f64 = 100.0;
/// While a run goes on without a pause, one part in so many of the time goes into drawing the graph.
const DRAWING: f64 = 10.0;
/// After so many runs of schedules on the way a run to steady stops, with a message: it may never end.
const RUNS: u32 = 10;
/// After so many commands that were refused one after the other a run to steady stops, with a message.
const REFUSED: u32 = 1000;
/// After so many steps a run to steady stops, with a message.
pub(super) const LIMIT: u64 = 1_000_000;

impl Engine {
    /// Whether an activity is under way during which nothing else can be done.
    pub(super) fn is_loading(&self) -> bool {
        self.activity.as_ref().is_some_and(Activity::is_loading)
    }

    /// Whether what is under way comes to its end by itself before anything else is done: a step, or the opening of what the
    /// next inputs are meant for. Only [`Input::Stop`](super::Input::Stop) ends it. Whoever passes inputs on has them wait;
    /// [`Engine::handle`] would drop them, or the step.
    pub fn must_end_first(&self) -> bool {
        match &self.activity {
            Some(Activity::Step | Activity::ToSchedule) => true,
            // What a person does on the way to a moment is meant for that moment.
            Some(Activity::Travel(..)) => false,
            Some(activity) => activity.is_loading(),
            None => false,
        }
    }

    /// The moment that the engine is going to, or else the one that is shown.
    pub(super) fn heading(&self) -> MomentId {
        match &self.activity {
            Some(Activity::Travel(to, _)) => *to,
            _ => self.session.at(),
        }
    }

    /// Ends the activity, because a person wants something else. Returns `false`, and does nothing, for an activity
    /// that has to be stopped first (see [`Engine::is_loading`]).
    pub(super) fn at_rest(&mut self) -> bool {
        if let Some(Activity::Travel(to, _)) = self.activity {
            // What a person does on the way to a moment is meant for that moment.
            self.activity = None;
            self.session.goto(to);
            self.derive();
            self.look_at_lesson();
        }
        if self.is_loading() {
            return false;
        }
        if self.activity.take().is_some() {
            self.session.give_up();
            self.touch();
        }
        true
    }

    /// Begins an activity and works on it for the first slice.
    pub(super) fn begin(&mut self, activity: Activity) {
        let now = (self.clock)();
        (self.since, self.told, self.wake, self.draw_next) = (now, now, now, false);
        self.activity = Some(activity);
        self.go_on();
    }

    /// Stops the activity.
    pub(super) fn stop(&mut self) {
        let Some(activity) = self.activity.take() else { return };
        self.session.give_up();
        if activity.is_loading() {
            // The run stands where it stood before the activity.
            self.touch();
            self.given_up(&activity);
        } else {
            self.moved();
        }
    }

    /// Works on the activity for a slice.
    pub(super) fn go_on(&mut self) {
        let end = (self.clock)() + SLICE;
        match self.activity.take() {
            None => {}
            Some(Activity::Step) => self.go_on_stepping(end),
            Some(Activity::ToSchedule) => self.go_on_to_schedule(end),
            Some(Activity::Play) => self.go_on_playing(end),
            Some(Activity::ToSteady(done, met)) => self.go_on_to_steady(done, met, end),
            Some(Activity::ToMoment(run)) => self.go_on_to_moment(run, end),
            Some(Activity::Follow(depth, way, gone)) => self.go_on_following(depth, way, gone, end),
            Some(loading) => self.go_on_loading(loading, end),
        }
    }

    /// Keeps an activity that did not end in its slice, and shows its progress from time to time.
    pub(super) fn keep_on(&mut self, activity: Activity) {
        self.activity = Some(activity);
        let now = (self.clock)();
        if now - self.told > TELL {
            self.told = now;
            self.touch();
        }
    }

    /// Works on a step until the time `end`. Returns whether the step is done.
    fn step_until(&mut self, end: f64) -> Result<bool, Stopped> {
        if self.has_ended() {
            return Err(Stopped::Limit);
        }
        let clock = &self.clock;
        self.session.step_within(self.shown.depth, || clock() < end)
    }

    fn go_on_stepping(&mut self, end: f64) {
        if self.redoes_line() {
            return self.moved();
        }
        match self.step_until(end) {
            Ok(false) => self.keep_on(Activity::Step),
            Ok(true) => self.moved(),
            // Nothing is left to do: the step repeats what a person did next. At the end of the run time passes to the next
            // run of a schedule, if there is one.
            Err(Stopped::Idle) if self.act_again() => self.moved(),
            Err(Stopped::Idle) if self.waits_for_process() => self.touch(),
            Err(Stopped::Idle) => self.begin(Activity::ToSchedule),
            Err(_) => {
                self.tell_if_full();
                self.touch();
            }
        }
    }

    /// Goes to the next moment of the branch that is shown, if a person's act led to it.
    fn act_again(&mut self) -> bool {
        self.session.act_ahead().is_some() && self.session.forward()
    }

    /// Goes to the next moment of the branch that is shown, if a line that was typed into a container led to it: what was typed there is
    /// not undone by what components would do first, so a step forward is the inverse of a step back.
    fn redoes_line(&mut self) -> bool {
        let ahead = self.session.act_ahead().and_then(|next| self.session.moment(next));
        ahead.is_some_and(Happened::is_typed) && self.session.forward()
    }

    /// Where nothing is left to do but in the process that the terminal is attached to: lets time pass until that goes on, or says what it
    /// waits for. `false` if there is no such process, or something else comes first.
    fn waits_for_process(&mut self) -> bool {
        match self.attached_goes_on() {
            Some(GoesOn::Reads) => {
                self.say(Said::key("step-reads"), false);
                true
            }
            Some(GoesOn::At(at)) => {
                let until = at.as_millisecond();
                let passes = self.session.is_quiet_until(until, true)
                    && self.session.fault(&Fault::Wait { until }).is_ok();
                if passes {
                    self.moved();
                }
                passes
            }
            _ => false,
        }
    }

    fn go_on_to_schedule(&mut self, end: f64) {
        let clock = &self.clock;
        match self.session.schedule_within(self.shown.depth, || clock() < end) {
            Ok(false) => self.keep_on(Activity::ToSchedule),
            Ok(true) => self.moved(),
            Err(Stopped::Idle) => {
                self.say(Said::key("step-nothing"), false);
                self.touch();
            }
            Err(_) => {
                self.tell_if_full();
                self.touch();
            }
        }
    }

    fn go_on_playing(&mut self, end: f64) {
        let stepped = match self.redoes_line() {
            true => Ok(true),
            false => match self.step_until(end) {
                Err(Stopped::Idle) if self.act_again() => Ok(true),
                stepped => stepped,
            },
        };
        match stepped {
            Ok(false) => self.keep_on(Activity::Play),
            Ok(true) => {
                self.activity = Some(Activity::Play);
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

    fn go_on_to_steady(&mut self, mut done: u64, mut met: Met, end: f64) {
        if self.draws_if_due() {
            self.activity = Some(Activity::ToSteady(done, met));
            return;
        }
        let mut more = true;
        while more && (self.clock)() < end {
            match self.step_until(end) {
                Ok(true) => {
                    done += 1;
                    met.look(&self.session);
                    more = done < LIMIT && met.schedules < RUNS && met.refused < REFUSED;
                    self.announce();
                    self.follow_line();
                }
                Ok(false) => break,
                Err(_) => more = false,
            }
        }
        if !more {
            if done >= LIMIT {
                self.say(Said::key("limit-steps").number("n", LIMIT as f64), true);
            }
            if met.schedules >= RUNS {
                self.say(Said::key("limit-runs").number("n", f64::from(RUNS)), true);
            }
            if met.refused >= REFUSED {
                self.say(self.limit_refused(), true);
            }
            self.tell_if_full();
            if done == 0 {
                let says = match self.attached_goes_on() {
                    _ if self.session.act_ahead().is_some() => Some("steady-act-ahead"),
                    Some(GoesOn::Reads) => Some("step-reads"),
                    Some(GoesOn::At(_)) => Some("steady-process"),
                    _ => None,
                };
                says.into_iter().for_each(|key| self.say(Said::key(key), false));
            }
            return self.moved_quietly();
        }
        self.activity = Some(Activity::ToSteady(done, met));
        self.draw_at_times();
    }

    /// That nothing is written any more, and what the API server said last.
    fn limit_refused(&self) -> Said {
        let why = self.session.current().commands().last().and_then(|c| match &c.response {
            Response::Failure(status) => Some(status.message.clone()),
            _ => None,
        });
        Said::key("limit-refused")
            .number("n", f64::from(REFUSED))
            .with("why", Value::Text(why.unwrap_or_default()))
    }

    fn go_on_to_moment(&mut self, mut run: ToMoment, end: f64) {
        if self.draws_if_due() {
            self.activity = Some(Activity::ToMoment(run));
            return;
        }
        while (self.clock)() < end {
            let now = self.session.now().as_millisecond();
            if run.done >= run.most || run.to.is_some_and(|to| now >= to) {
                return self.moved_quietly();
            }
            if let Some(until) = run.to.filter(|to| self.session.is_quiet_until(*to, run.scheduled)) {
                if self.lets_pass(until) {
                    (run.done, run.scheduled) = (run.done + 1, false);
                    continue;
                }
                self.say(Said::key("moment-nothing"), true);
                return self.moved_quietly();
            }
            let clock = &self.clock;
            let stepped = if run.scheduled {
                self.session.schedule_within(self.shown.depth, || clock() < end)
            } else {
                self.step_until(end)
            };
            match stepped {
                Ok(true) => {
                    (run.done, run.scheduled) = (run.done + 1, false);
                    self.announce();
                    self.follow_line();
                }
                Ok(false) => break,
                Err(Stopped::Idle) if !run.scheduled => run.scheduled = true,
                // What happens by itself until then leads to no step.
                Err(Stopped::Idle) if run.to.is_some_and(|until| self.lets_pass(until)) => {
                    (run.done, run.scheduled) = (run.done + 1, false);
                }
                Err(_) => {
                    self.tell_if_full();
                    return self.moved_quietly();
                }
            }
        }
        self.activity = Some(Activity::ToMoment(run));
        self.draw_at_times();
    }

    /// Lets time pass towards a moment. `false` if it cannot.
    fn lets_pass(&mut self, until: i64) -> bool {
        let passed = self.session.fault(&Fault::Wait { until }).is_ok();
        if passed {
            self.announce();
        }
        passed
    }

    /// Has the graph drawn a few times a second, and more rarely where that takes long: what is read for it grows with the
    /// number of objects, so that a large cluster would be drawn more than it is run.
    fn draw_at_times(&mut self) {
        let now = (self.clock)();
        let pause = if self.shown.graph.nodes.len() > 300 { 250.0 } else { 90.0 };
        if now - self.told > f64::max(pause, DRAWING * self.drawing_took) {
            self.told = now;
            self.draw_next = true;
        }
    }

    /// Draws the graph if it is time to, and returns whether it has. That can take as long as a slice, so it gets one of its own.
    fn draws_if_due(&mut self) -> bool {
        if !std::mem::take(&mut self.draw_next) {
            return false;
        }
        let begun = (self.clock)();
        self.derive();
        self.told = (self.clock)();
        self.drawing_took = self.told - begun;
        true
    }

    fn go_on_following(&mut self, depth: Depth, way: Vec<Choice>, mut gone: usize, end: f64) {
        let mut more = true;
        while more && (self.clock)() < end {
            let next = way.get(gone..gone + 1).unwrap_or_default();
            more = !next.is_empty() && follow(&mut self.session, depth, next).is_ok();
            gone += usize::from(more);
        }
        if more {
            return self.keep_on(Activity::Follow(depth, way, gone));
        }
        self.tell_if_full();
        self.moved();
        let whole = gone == way.len();
        let key = if whole { "explore-opened" } else { "explore-diverged" };
        self.say(Said::key(key).number("n", gone as f64), !whole);
    }

    /// Says that no further moment can be kept, if that is so.
    pub(super) fn tell_if_full(&mut self) {
        if self.session.is_full() {
            self.say(Said::key("limit-steps").number("n", MOMENTS_LIMIT as f64), true);
        }
    }
}
