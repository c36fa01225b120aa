//! One rollout of a rehearsal: what is done to the copy of the run, one thing after the other.

mod drain;
mod rollout;
mod told;

use std::collections::BTreeSet;

use jiff::SignedDuration;

use super::mend::Mend;
use super::story::Log;
use super::workload::{self, Target, Workload};
use super::{Loser, NoRehearsal, Occasion, Plan, Port, Trigger};
use crate::api::{Kind, ObjectRef, Timestamp};
use crate::cluster::{Fault, Stopped};
use crate::kubectl::Output;
use crate::network::traffic::StreamId;
use crate::session::{CommandLine, Depth, Ran, Session};
use drain::Draining;

/// After so many steps a rollout is given up.
const STEPS: usize = 60_000;
/// After so much time a rollout is given up.
const TIME: SignedDuration = SignedDuration::from_hours(1);
/// What would become of requests if nothing changed is worked out for so much time, and requests are counted for so much time
/// after the last change.
const BEFORE: SignedDuration = SignedDuration::from_secs(10);

/// For so much time the clients send before the rollout begins. By then each has asked for the name, and the proxies have rested for
/// longer than they wait between two writes of their rules.
const LEAD: SignedDuration = SignedDuration::from_secs(5);

/// How far a trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Nothing was done.
    Start,
    /// The workload is there, or its manifest was applied.
    Applied,
    /// The clients were made.
    Watching,
    /// The clients send requests, and the cluster is at rest.
    Prepared,
    /// The workload is to be changed.
    Mend,
    /// It was changed.
    Mending,
    /// The clients send for a while.
    Leading,
    /// It is to be rolled out.
    Roll,
    /// It was told to roll out.
    Rolling,
    /// The rollout has ended.
    Done,
}

/// A rollout of a copy of the run.
#[derive(Clone, Debug)]
pub struct Trial {
    session: Session,
    stage: Stage,
    namespace: String,
    mends: Vec<Mend>,
    target: Option<Target>,
    url: String,
    trigger: Trigger,
    /// The port that was chosen.
    chosen: Option<Port>,
    /// The revision that an undo leads to.
    former: Option<i64>,
    draining: Option<Draining>,
    /// What a drain has said.
    drained: Option<Output>,
    /// The lines of a manifest that make the changes.
    lines: String,
    /// The number of ops until the rollout has been begun.
    begun: usize,
    /// The moments of virtual time after each op.
    times: Vec<Timestamp>,
    steps: usize,
    begin: Timestamp,
    /// When something was written last, besides what an autoscaler says of itself.
    last: Timestamp,
    /// The number of ops until the rollout begins.
    ready: usize,
    /// When the workload began to be changed before it is rolled out.
    changed: Timestamp,
    /// How many requests were lost while the workload was changed before.
    brought: u64,
    steady: bool,
    /// Until when the clients send before the rollout begins.
    leads_until: Timestamp,
    /// Whether the rollout is that of the manifest: it changes the workload as it was before any mend.
    applies: bool,
    /// The clients that lose requests before the rollout, which are not counted.
    before: Vec<(StreamId, Loser)>,
    /// The workload's pods when the rollout began, by their UIDs.
    pods: BTreeSet<String>,
    log: Log,
}

/// What a command line has printed.
fn said(output: &Output) -> String {
    format!("{}{}", output.stdout, output.stderr).trim().to_owned()
}

impl Trial {
    /// A trial on a run at its current moment.
    pub fn new(session: Session) -> Trial {
        Trial {
            begin: session.now(),
            last: session.now(),
            changed: session.now(),
            session,
            stage: Stage::Start,
            namespace: String::new(),
            mends: Vec::new(),
            target: None,
            url: String::new(),
            ready: 0,
            brought: 0,
            trigger: Trigger::Restart,
            chosen: None,
            former: None,
            draining: None,
            drained: None,
            lines: String::new(),
            begun: 0,
            times: Vec::new(),
            steps: 0,
            steady: true,
            leads_until: Timestamp::UNIX_EPOCH,
            applies: false,
            before: Vec::new(),
            pods: BTreeSet::new(),
            log: Log::default(),
        }
    }

    /// How far it is.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The steps that were taken.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Where the requests are sent.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How the rollout was begun.
    pub fn trigger(&self) -> Trigger {
        self.trigger.clone()
    }

    /// What is changed before.
    pub fn mends(&self) -> &[Mend] {
        &self.mends
    }

    /// The number of clients.
    pub fn clients(&self) -> usize {
        self.senders().len()
    }

    /// Begins the rollout of a prepared run, after some changes of the workload.
    pub fn begin(&mut self, mends: Vec<Mend>) {
        self.mends = mends;
        self.changed = self.session.now();
        self.stage = Stage::Mend;
    }

    /// Goes on as long as `go_on` returns true. Returns whether it has come to [`Stage::Prepared`] or [`Stage::Done`].
    pub fn advance(&mut self, plan: &Plan, go_on: &mut impl FnMut() -> bool) -> Result<bool, NoRehearsal> {
        loop {
            self.stage = match self.stage {
                Stage::Prepared | Stage::Done => return Ok(true),
                Stage::Start => {
                    self.namespace = plan.workload.key.namespace.to_string();
                    self.chosen.clone_from(&plan.port);
                    self.bring(plan)?;
                    Stage::Applied
                }
                Stage::Applied => {
                    if !self.rest(go_on)? {
                        return Ok(false);
                    }
                    self.put_clients(plan)?;
                    Stage::Watching
                }
                Stage::Watching => {
                    if !self.rest(go_on)? {
                        return Ok(false);
                    }
                    self.applies = plan.occasion == Occasion::Rollout && self.changes_workload(plan);
                    Stage::Prepared
                }
                Stage::Mend => {
                    self.mend(plan)?;
                    Stage::Mending
                }
                Stage::Mending => {
                    if !self.rest(go_on)? {
                        return Ok(false);
                    }
                    self.leads_until = crate::api::later(self.session.now(), LEAD);
                    Stage::Leading
                }
                Stage::Leading => {
                    if !self.lead(go_on)? {
                        return Ok(false);
                    }
                    Stage::Roll
                }
                Stage::Roll => {
                    self.roll(plan)?;
                    Stage::Rolling
                }
                Stage::Rolling => match self.settle(go_on) {
                    Some(steady) => {
                        self.steady = steady;
                        self.leave_drain();
                        Stage::Done
                    }
                    None => return Ok(false),
                },
            };
        }
    }

    /// Runs a command line of kubectl's.
    fn run(&mut self, line: String, files: Vec<(String, String)>) -> Result<(), NoRehearsal> {
        let ran = self.enter(line, files);
        if ran.output.exit != 0 {
            return Err(NoRehearsal::Refused(ran.output.stderr));
        }
        Ok(())
    }

    fn enter(&mut self, line: String, files: Vec<(String, String)>) -> Ran {
        let before = self.session.at();
        let ran = self.session.command(CommandLine { line, files, editor: false });
        if self.session.at() != before {
            self.times.push(self.session.now());
            let when = (self.session.now(), self.times.len());
            self.log.note_writes(self.session.current().writes(), &"kubectl".into(), when);
        }
        ran
    }

    /// Lets the cluster come to rest. Returns whether it has; `None` if `go_on` returned false before.
    fn settle(&mut self, go_on: &mut impl FnMut() -> bool) -> Option<bool> {
        loop {
            if self.steps >= STEPS || self.session.now().duration_since(self.begin) > TIME {
                return Some(false);
            }
            match self.session.step_within(Depth::Command, &mut *go_on) {
                Ok(true) => {
                    self.steps += 1;
                    self.times.push(self.session.now());
                    let moment = self.times.len();
                    let aside = [Kind::LEASE, Kind::HORIZONTAL_POD_AUTOSCALER];
                    for command in self.session.current().commands() {
                        self.log.note(command, moment);
                        if command.writes.iter().any(|w| !aside.contains(&w.object.kind)) {
                            self.last = command.at;
                        }
                    }
                    self.look_at_drain();
                }
                Ok(false) => return None,
                Err(Stopped::Idle) if self.drain_again() => self.steps += 1,
                Err(Stopped::Idle) => return Some(true),
                Err(Stopped::Limit) => return Some(false),
            }
            if !go_on() {
                return None;
            }
        }
    }

    /// As [`Trial::settle`], where a rollout has not begun yet.
    fn rest(&mut self, go_on: &mut impl FnMut() -> bool) -> Result<bool, NoRehearsal> {
        match self.settle(go_on) {
            Some(true) => {
                self.begin = self.session.now();
                Ok(true)
            }
            Some(false) => Err(NoRehearsal::Restless),
            None => Ok(false),
        }
    }

    /// Lets time pass until the clients have sent for long enough. Returns whether it has.
    fn lead(&mut self, go_on: &mut impl FnMut() -> bool) -> Result<bool, NoRehearsal> {
        while self.rest(go_on)? {
            let until = self.leads_until.as_millisecond();
            if self.session.now() >= self.leads_until || self.session.fault(&Fault::Wait { until }).is_err() {
                return Ok(true);
            }
            self.steps += 1;
            self.times.push(self.session.now());
        }
        Ok(false)
    }

    fn workload(&self, at: &ObjectRef) -> Result<Workload, NoRehearsal> {
        workload::workload(self.session.cluster(), at).ok_or(NoRehearsal::NoWorkload)
    }

    fn apply(&mut self, manifest: &str) -> Result<(), NoRehearsal> {
        self.run("apply -f manifest.yaml".into(), vec![("manifest.yaml".into(), manifest.to_owned())])
    }
}
