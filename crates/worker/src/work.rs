//! The work of the worker, in slices, without the clock and the messages' transport.

use std::collections::BTreeMap;

use steady::api::types::Pod;
use steady::session::explore::message::{
    Ask, Break, Calls, Circle, Found, Goal, Outcome, Plan, Progress, Rehearse, Said, Tell, Unreadable,
};
use steady::session::explore::picture::{DRAWN, picture};
use steady::session::explore::{Choice, Cut, Explorer, Invariant, Options, StateId, builtin, objects};
use steady::session::rehearsal::{self, Rehearsal};
use steady::session::view::pod_view;
use steady::session::{Depth, Link, Op, Replay, Session, What};

use crate::Cel;
use crate::helpers::Helpers;

/// The most outcomes in a result.
const OUTCOMES: usize = 24;
/// A run with more moments than this is not located in the graph of states.
const MOMENTS: usize = 2_000;
/// The most states that can be asked for.
const STATES: usize = 1_000_000;
/// Others are called to help when so many states wait to be explored. Fewer are explored before others stand.
const CALL: usize = 100;

/// The task of a worker.
#[derive(Default)]
pub struct Work {
    replaying: Option<(Replay, Then)>,
    rehearsal: Option<Box<Rehearsal>>,
    exploring: Option<Box<Exploring>>,
    busy: bool,
    helpers: Helpers,
}

/// What follows when the run has been repeated.
enum Then {
    Explore(Box<Plan>),
    Rehearse(rehearsal::Plan),
}

struct Exploring {
    session: Session,
    explorer: Explorer,
    plan: Box<Plan>,
    /// The names of the invariants, in the order in which the explorer has them, each with whether it is a
    /// person's.
    names: Vec<(String, bool)>,
    /// The memory in use when the exploration began, in bytes.
    before: usize,
}

impl Work {
    /// A worker without a task, on a machine with so many cores. It can have as many other workers help.
    pub fn new(cores: usize) -> Work {
        Work { helpers: Helpers::new(cores), ..Work::default() }
    }

    /// Whether there is a task to continue.
    pub fn is_busy(&self) -> bool {
        self.busy
    }

    /// Whether the task goes on when others have said something, and not before.
    pub fn waits_for_others(&self) -> bool {
        self.busy && self.exploring.as_ref().is_some_and(|e| e.explorer.is_shared())
    }

    /// What others are to do since the last call.
    pub fn calls(&mut self) -> Option<Calls> {
        self.helpers.take_calls()
    }

    /// Hears a worker that helps; `memory` is the memory in use, in bytes.
    pub fn hear_helper(&mut self, n: usize, said: Vec<Said>, memory: usize) -> Vec<Tell> {
        let Some(e) = self.exploring.as_mut().filter(|_| self.busy && self.helpers.has(n)) else {
            return Vec::new();
        };
        for said in said {
            self.helpers.note(n, &said);
            match said {
                Said::Begun | Said::Memory(_) => {}
                Said::Told(told) => {
                    if let Err(why) = e.explorer.hear(n, told) {
                        return self.fail(why);
                    }
                }
                Said::Failed(why) if e.explorer.is_shared() => return self.fail(why),
                // Nothing was left to it yet, so this one goes on alone.
                Said::Failed(_) => {
                    self.helpers.end();
                    self.helpers.most = 0;
                    return Vec::new();
                }
            }
        }
        if !e.explorer.is_shared() {
            return Vec::new();
        }
        self.helpers.order(e.explorer.orders());
        let memory = memory + self.helpers.memory();
        if e.is_full(memory) || e.explorer.waiting() == 0 {
            return self.finish(memory);
        }
        // One is heard about as often as all are.
        if n == 0 { vec![Tell::Progress(e.progress(memory))] } else { Vec::new() }
    }

    /// Ends with a failure of a worker that helps, whose states are lost.
    fn fail(&mut self, why: String) -> Vec<Tell> {
        self.busy = false;
        self.helpers.end();
        vec![Tell::Failed(why)]
    }

    /// Ends with what was found.
    fn finish(&mut self, memory: usize) -> Vec<Tell> {
        self.busy = false;
        self.helpers.end();
        self.exploring.iter().flat_map(|e| e.found(memory)).collect()
    }

    /// Forgets the task.
    fn clear(&mut self) {
        self.helpers.end();
        let helpers = std::mem::take(&mut self.helpers);
        *self = Work { helpers, ..Work::default() };
    }

    /// Handles a message of the page; `memory` is the memory in use, in bytes. This is quick, except for
    /// `Way` and `Where`.
    pub fn hear(&mut self, ask: Ask, memory: usize) -> Vec<Tell> {
        match ask {
            Ask::Explore(plan) => self.begin(plan),
            Ask::Rehearse(r) => {
                let Rehearse { link, plan } = *r;
                self.clear();
                self.replay(&link, Then::Rehearse(plan))
            }
            Ask::Stop => self.stop(memory),
            Ask::Read(own) => vec![match Cel::read(&own) {
                Ok(_) => Tell::Readable,
                Err(why) => Tell::Unreadable(why),
            }],
            Ask::Way(goal) => vec![self.way(goal)],
            Ask::Picture(focus) => self.exploring.iter().map(|e| e.draw(focus)).collect(),
            Ask::Where(link) => self.whereabouts(&link).into_iter().collect(),
        }
    }

    fn begin(&mut self, plan: Box<Plan>) -> Vec<Tell> {
        self.clear();
        for own in &plan.own {
            if let Err(why) = Cel::read(own) {
                return vec![Tell::Unreadable(why)];
            }
        }
        let link = plan.link.clone();
        self.replay(&link, Then::Explore(plan))
    }

    /// Begins to repeat a run.
    fn replay(&mut self, link: &str, then: Then) -> Vec<Tell> {
        match Link::decode(link) {
            Ok(link) => {
                self.replaying = Some((Replay::new(&link), then));
                self.busy = true;
                Vec::new()
            }
            Err(why) => vec![Tell::Refused(why.to_string())],
        }
    }

    fn stop(&mut self, memory: usize) -> Vec<Tell> {
        self.replaying = None;
        self.rehearsal = None;
        let was = std::mem::take(&mut self.busy);
        match &self.exploring {
            Some(_) if was => {
                let memory = memory + self.helpers.memory();
                self.finish(memory)
            }
            // A worker that is done has sent its result already.
            None if was => vec![Tell::Stopped],
            _ => Vec::new(),
        }
    }

    /// Continues the task as long as `time` returns true; `memory` returns the memory in use, in bytes.
    pub fn go_on(&mut self, mut time: impl FnMut() -> bool, memory: impl Fn() -> usize) -> Vec<Tell> {
        if let Some((mut replay, then)) = self.replaying.take() {
            while time() {
                if replay.advance(1) {
                    let session = replay.finish().session;
                    return match then {
                        Then::Explore(plan) => self.explore_from(session, plan, memory()),
                        Then::Rehearse(plan) => {
                            let rehearsal = Rehearsal::new(session, plan);
                            let tell = Tell::Rehearsing(rehearsal.stand());
                            self.rehearsal = Some(Box::new(rehearsal));
                            vec![tell]
                        }
                    };
                }
            }
            let (done, of) = replay.progress();
            self.replaying = Some((replay, then));
            return vec![Tell::Replaying(done, of)];
        }
        if let Some(rehearsal) = &mut self.rehearsal {
            let Some(found) = rehearsal.advance(time) else {
                return vec![Tell::Rehearsing(rehearsal.stand())];
            };
            (self.busy, self.rehearsal) = (false, None);
            return vec![match found {
                Ok(found) => Tell::Rehearsed(Box::new(found)),
                Err(why) => Tell::NoRehearsal(why),
            }];
        }
        let Some(e) = &mut self.exploring else {
            self.busy = false;
            return Vec::new();
        };
        if e.explorer.is_shared() {
            return Vec::new();
        }
        let mut more = true;
        while more && time() {
            more = e.explorer.explore(1);
            more &= !e.is_full(memory());
            if more && e.explorer.waiting() >= CALL {
                self.helpers.call(&e.plan);
            }
        }
        if !more {
            return self.finish(memory());
        }
        if self.helpers.are_ready() {
            e.explorer.share(self.helpers.count());
            self.helpers.order(e.explorer.orders());
        }
        vec![Tell::Progress(e.progress(memory()))]
    }

    fn explore_from(&mut self, session: Session, plan: Box<Plan>, memory: usize) -> Vec<Tell> {
        let invariants = match invariants(&plan) {
            Ok(invariants) => invariants,
            Err(why) => return vec![Tell::Unreadable(why)],
        };
        // A person's come last.
        let first = invariants.len().saturating_sub(plan.own.len());
        let names =
            invariants.iter().enumerate().map(|(nth, i)| (i.name().to_owned(), nth >= first)).collect();
        let options = options(&plan);
        let explorer = Explorer::new(session.cluster(), options, invariants);
        let exploring = Exploring { session, explorer, plan, names, before: memory };
        let tell = Tell::Progress(exploring.progress(memory));
        self.exploring = Some(Box::new(exploring));
        vec![tell]
    }

    fn way(&mut self, goal: Goal) -> Tell {
        let Some(e) = &mut self.exploring else { return Tell::NoWay(goal) };
        match e.way(goal) {
            Some(choices) => Tell::Way { goal, depth: e.plan.depth, choices },
            None => Tell::NoWay(goal),
        }
    }

    fn whereabouts(&mut self, link: &str) -> Option<Tell> {
        let e = self.exploring.as_mut()?;
        let link = match Link::decode(link) {
            Ok(link) => link,
            Err(why) => return Some(Tell::Refused(why.to_string())),
        };
        let mut replay = Replay::on(e.session.clone(), &link);
        if replay.progress().1 > MOMENTS as u64 {
            return Some(Tell::Where(Vec::new()));
        }
        let depth = e.plan.depth;
        let explorer = &mut e.explorer;
        let mut states = vec![explorer.find(replay.session().cluster())];
        // At a coarser depth there are many single actions between two states. Only the last of them leads
        // to a state.
        let mut passed = None;
        while !replay.advance(1) {
            let run = replay.session();
            let now = run.current();
            let finest = matches!(now.what, What::Machinery(_)) && !matches!(*now.op, Op::Heard { .. });
            if finest && depth != Depth::Machinery {
                passed = Some(run.cluster().clone());
                continue;
            }
            states.extend(passed.take().map(|cluster| explorer.find(&cluster)));
            states.push(explorer.find(run.cluster()));
        }
        states.extend(passed.map(|cluster| explorer.find(&cluster)));
        Some(Tell::Where(states))
    }
}

/// The invariants of a plan: those of the library that it names, then a person's.
///
/// # Errors
/// What is wrong with a person's invariant.
pub(crate) fn invariants(plan: &Plan) -> Result<Vec<Box<dyn Invariant>>, Unreadable> {
    let mut all = builtin();
    all.retain(|i| plan.invariants.iter().any(|n| n == i.name()));
    for own in &plan.own {
        all.push(Box::new(Cel::read(own)?));
    }
    Ok(all)
}

pub(crate) fn options(plan: &Plan) -> Options {
    Options {
        depth: plan.depth,
        symmetry: plan.symmetry,
        states: plan.states.clamp(1, STATES),
        steps: plan.steps,
        // Memory limits how many states wait.
        waiting: STATES,
    }
}

impl Exploring {
    /// Whether the bound on memory is met; if it is, notes that.
    fn is_full(&mut self, memory: usize) -> bool {
        let full = self.plan.megabytes > 0 && memory > self.plan.megabytes.saturating_mul(1 << 20);
        if full {
            self.explorer.cut_short(Cut::Memory);
        }
        full
    }

    fn progress(&self, memory: usize) -> Progress {
        let states = self.explorer.states();
        Progress {
            states: states.len(),
            waiting: self.explorer.waiting(),
            steps: states.last().map_or(0, |s| s.steps),
            memory,
        }
    }

    fn draw(&self, focus: Option<StateId>) -> Tell {
        Tell::Picture(picture(self.explorer.states(), &self.explorer.report(), focus, DRAWN))
    }

    /// The result so far, and its drawing.
    fn found(&self, memory: usize) -> Vec<Tell> {
        let e = &self.explorer;
        let report = e.report();
        let broken = report.broken.iter().map(|b| Break {
            name: b.name.clone(),
            own: self.names.get(b.invariant).is_some_and(|(_, own)| *own),
            steps: e.counterexample(b).len(),
            object: b.violation.object.as_ref().map(|o| o.to_string()),
            values: b.violation.values.iter().map(|(n, v)| (n.clone().into_owned(), v.clone())).collect(),
            undecided: b.violation.undecided.clone(),
        });
        let holds = |nth: usize| report.broken.iter().all(|b| b.invariant != nth);
        let outcomes = report.outcomes.iter().take(OUTCOMES).map(|o| Outcome {
            state: o.state,
            steps: o.steps,
            states: o.states,
            objects: self.objects(o.state),
        });
        let circle = report.endless.as_ref().map(|c| Circle {
            state: c.state,
            before: e.states().get(c.state).map_or(0, |s| s.steps),
            length: c.states.len(),
        });
        let found = Found {
            states: report.states,
            edges: report.edges,
            complete: report.complete,
            cut: report.cut,
            waiting: e.waiting(),
            steps: e.states().last().map_or(0, |s| s.steps),
            memory: memory.saturating_sub(self.before),
            outcomes: outcomes.collect(),
            shortest: report.shortest,
            longest: report.longest,
            circle,
            held: self
                .names
                .iter()
                .enumerate()
                .filter(|(n, _)| holds(*n))
                .map(|(_, (n, _))| n.clone())
                .collect(),
            broken: broken.collect(),
        };
        vec![Tell::Found(Box::new(found)), self.draw(None)]
    }

    /// How many objects of each kind a state has beside those of every cluster. Pods are counted by status.
    fn objects(&self, state: StateId) -> Vec<(String, usize)> {
        let (Some(cluster), Some(boot)) = (self.explorer.cluster(state), self.session.cluster_at(0)) else {
            return Vec::new();
        };
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for object in objects(&cluster).filter(|o| boot.api().cached(&o.reference()).is_none()) {
            let name = match object.get::<Pod>() {
                Some(pod) => format!("Pod {}", pod_view(pod).word),
                None => object.kind().as_str().to_owned(),
            };
            *counts.entry(name).or_default() += 1;
        }
        counts.into_iter().collect()
    }

    fn way(&mut self, goal: Goal) -> Option<Vec<Choice>> {
        let e = &mut self.explorer;
        match goal {
            Goal::State(id) => e.states().get(id).is_some().then(|| e.path(id)),
            Goal::Outcome(nth) => e.report().outcomes.get(nth).map(|o| e.path(o.state)),
            Goal::Longest => {
                let states = e.longest();
                if states.is_empty() { None } else { e.through(&states) }
            }
            Goal::Circle => {
                let circle = e.report().endless?;
                let mut states = e.states_to(circle.state);
                states.extend(circle.states);
                e.through(&states)
            }
            Goal::Broken(nth) => e.report().broken.get(nth).map(|b| e.counterexample(b)),
        }
    }
}

/// Explores at once, for callers that can wait. The result is that of the page's worker.
pub fn explore(plan: Plan) -> Vec<Tell> {
    let mut work = Work::default();
    let mut told = work.hear(Ask::Explore(Box::new(plan)), 0);
    while work.is_busy() {
        told = work.go_on(|| true, || 0);
    }
    told
}
