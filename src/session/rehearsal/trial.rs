//! One rollout of a rehearsal: what is done to the copy of the run, one thing after the other.

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::api::types::{Pod, PodTemplateSpec};
use crate::api::{Kind, MetaExt, ObjectRef, Timestamp};
use crate::cluster::{Fault, RunningClient, Stopped};
use crate::kubectl::{Kubectl, Output};
use crate::network::traffic::{Cause, StreamId};
use crate::session::chart::{Losses, Took};
use crate::session::{CommandLine, Depth, Link, Looked, MomentId, Ran, Session};
use jiff::SignedDuration;

use super::clients::{self, Measured};
use super::mend::{self, Mend};
use super::story::{Goes, Log};
use super::workload::{self, Target, Workload};
use super::{Loser, NoRehearsal, Occasion, Plan, Port, Tried, Trigger};

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

/// `kubectl drain` evicts a pod again so long after a budget has protected it (`EvictPods` of `k8s.io/kubectl/pkg/drain`).
const AGAIN: SignedDuration = SignedDuration::from_secs(5);

/// A drain that has not ended.
#[derive(Clone, Debug)]
struct Draining {
    line: String,
    command: Kubectl,
    /// When it is looked at next.
    again: Timestamp,
}

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

    /// Enters the line of a drain. What a budget protects stays, and is evicted again later.
    fn drain(&mut self, line: String) {
        let Ran { output, waits, command } = self.enter(line.clone(), Vec::new());
        let again = crate::api::later(self.session.now(), AGAIN);
        self.last = self.session.now();
        match waits {
            Some(_) => self.draining = Some(Draining { line, command, again }),
            None => (self.draining, self.drained) = (None, Some(output)),
        }
    }

    /// Looks whether a drain would evict pods again that a budget had protected. A command that waits only looks: what it would write
    /// is written by entering its line again, which makes an op of it.
    fn look_at_drain(&mut self) {
        let now = self.session.now();
        let Some(draining) = self.draining.as_mut().filter(|d| d.again <= now) else { return };
        draining.again = crate::api::later(now, AGAIN);
        let (output, looked) = self.session.look_again(&mut draining.command);
        match looked {
            Looked::Waits => {}
            Looked::Ended => (self.draining, self.drained) = (None, Some(output)),
            Looked::Writes => {
                let line = draining.line.clone();
                self.drain(line);
            }
        }
    }

    /// Enters the line of a drain again where nothing happens any more, unless it would not change anything: then no budget will ever
    /// allow more. Returns whether it was entered.
    fn drain_again(&mut self) -> bool {
        let Some(line) = self.draining.as_ref().map(|d| d.line.clone()) else { return false };
        let given = CommandLine { line: line.clone(), files: Vec::new(), editor: false };
        if self.session.preview_command(&given).0.is_empty() {
            return false;
        }
        self.drain(line);
        true
    }

    /// A drain that has not ended is given up.
    fn leave_drain(&mut self) {
        let Some(draining) = self.draining.take() else { return };
        let given = CommandLine { line: draining.line, files: Vec::new(), editor: false };
        self.drained = Some(self.session.preview_command(&given).1);
    }

    /// Why a node could not be drained, in the words of kubectl.
    fn undrained(&self) -> Option<String> {
        let output = self.drained.as_ref().filter(|o| o.waits || o.exit != 0)?;
        let refused = output.stderr.lines().rev().find(|line| line.starts_with("error when evicting"));
        Some(refused.map_or_else(|| said(output), str::to_owned))
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

    /// Applies the manifest, if the workload is not there yet.
    fn bring(&mut self, plan: &Plan) -> Result<(), NoRehearsal> {
        match &plan.manifest {
            Some(manifest) if self.workload(&plan.workload).is_err() => self.apply(manifest)?,
            _ => {}
        }
        self.workload(&plan.workload).map(|_| ())
    }

    /// Puts a client on each node, unless there are clients of the Service.
    fn put_clients(&mut self, plan: &Plan) -> Result<(), NoRehearsal> {
        let workload = self.workload(&plan.workload)?;
        let cluster = self.session.cluster();
        let chosen = self.chosen.as_ref();
        let target = workload::target(cluster, &self.namespace, &workload.template, chosen);
        let target = target.ok_or(match chosen {
            None => NoRehearsal::NoService,
            Some(port) => NoRehearsal::NotReached(port.clone()),
        })?;
        self.former = workload::former_revision(cluster, &plan.workload);
        match (plan.occasion, workload.replicas) {
            (Occasion::Undo, _) if self.former.is_none() => return Err(NoRehearsal::NoFormerRevision),
            (Occasion::Scale | Occasion::Drain, None) => return Err(NoRehearsal::OfDaemonSet),
            (Occasion::Scale, Some(n)) if n < 2 => return Err(NoRehearsal::TooFewPods),
            _ => {}
        }
        self.url = clients::url(&self.namespace, &target);
        let known = clients::of(cluster, &self.namespace, &target.service, chosen);
        self.target = Some(target);
        if let Some(client) = known.first() {
            self.url = clients::asks(client);
            return Ok(());
        }
        let manifest = clients::manifest(cluster, &self.namespace, &self.url, plan);
        let manifest = manifest.ok_or(NoRehearsal::NoNode)?;
        self.run("create -f clients.yaml".into(), vec![("clients.yaml".into(), manifest)])
    }

    fn senders(&self) -> Vec<RunningClient> {
        let service = self.target.as_ref().map_or("", |t| t.service.as_str());
        clients::of(self.session.cluster(), &self.namespace, service, self.chosen.as_ref())
    }

    /// The clients that are counted: those that lost nothing before the rollout.
    fn counted(&self) -> Vec<RunningClient> {
        let mut all = self.senders();
        all.retain(|c| self.before.iter().all(|(id, _)| *id != c.id()));
        all
    }

    /// Whether applying the manifest changes the workload.
    fn changes_workload(&self, plan: &Plan) -> bool {
        plan.manifest.as_ref().is_some_and(|manifest| {
            let (writes, _) = self.session.preview(manifest);
            writes.iter().any(|w| w.object == plan.workload)
        })
    }

    /// Changes the workload.
    fn mend(&mut self, plan: &Plan) -> Result<(), NoRehearsal> {
        let Some(target) = self.target.clone().filter(|_| !self.mends.is_empty()) else { return Ok(()) };
        let workload = self.workload(&plan.workload)?;
        let kind = plan.workload.kind.as_str();
        // An undo is mended twice: what it leads back to is what the mend had changed. The first time the lines are those of the workload
        // as it was.
        if self.lines.is_empty() {
            self.lines = mend::lines(&workload, &target, kind, &self.mends);
        }
        let patch = mend::patch(&workload, &target, kind, &self.mends).to_string();
        let (kind, name) = (kind.to_lowercase(), &plan.workload.key.name);
        let line = format!("patch {kind} {name} --namespace {} --patch-file mend.yaml", self.namespace);
        self.run(line, vec![("mend.yaml".into(), patch)])
    }

    /// Begins the rollout.
    fn roll(&mut self, plan: &Plan) -> Result<(), NoRehearsal> {
        let now = self.session.now();
        let senders = self.senders();
        self.ready = self.times.len();
        let brought = Measured::of(self.session.cluster(), (self.changed, now)).count(&senders);
        self.brought = brought.lost.values().sum();
        let measured = Measured::of(self.session.cluster(), (now, crate::api::later(now, BEFORE)));
        let before = measured.count(&senders);
        if before.sent > 0 && before.lost.get(&Cause::NoHttp) == Some(&before.sent) {
            return Err(NoRehearsal::NoHttp(self.url.clone()));
        }
        self.before = measured.losers(&senders);
        (self.begin, self.last) = (now, now);
        let template = self.workload(&plan.workload)?.template;
        let mine = workload::pods(self.session.cluster(), &self.namespace, &template);
        self.pods = mine.map(|p| p.metadata.uid().to_owned()).collect();
        let pods = self.session.cluster().api().cached_list(Kind::POD, None);
        self.log = Log::begin(now, pods.filter_map(|(_, o)| o.get::<Pod>()));
        self.begin_rollout(plan)?;
        self.begun = self.times.len();
        Ok(())
    }

    fn begin_rollout(&mut self, plan: &Plan) -> Result<(), NoRehearsal> {
        let (kind, name) = (plan.workload.kind.as_str().to_lowercase(), &plan.workload.key.name);
        let namespace = self.namespace.clone();
        match plan.occasion {
            Occasion::Rollout | Occasion::Restart => match plan.manifest.as_ref().filter(|_| self.applies) {
                // The manifest is applied and then changed in the same way, before anybody has looked at it.
                Some(manifest) => {
                    self.trigger = Trigger::Apply;
                    let before = self.workload(&plan.workload)?.template;
                    self.apply(manifest)?;
                    self.mend(plan)?;
                    self.restart_unless_other(plan, &before)
                }
                None => self.restart(plan),
            },
            Occasion::Undo => {
                let revision = self.former.ok_or(NoRehearsal::NoFormerRevision)?;
                self.trigger = Trigger::Undo(revision);
                let before = self.workload(&plan.workload)?.template;
                let line =
                    format!("rollout undo {kind} {name} --namespace {namespace} --to-revision={revision}");
                self.run(line, Vec::new())?;
                // The former revision is changed in the same way.
                self.mend(plan)?;
                self.restart_unless_other(plan, &before)
            }
            Occasion::Scale => {
                let from = self.workload(&plan.workload)?.replicas.ok_or(NoRehearsal::OfDaemonSet)?;
                self.trigger = Trigger::Scale(from, from / 2);
                let line = format!("scale {kind} {name} --namespace {namespace} --replicas={}", from / 2);
                self.run(line, Vec::new())
            }
            Occasion::Drain => {
                let workload = self.workload(&plan.workload)?;
                let node = workload::node_with_pods(self.session.cluster(), &namespace, &workload.template);
                let node = node.ok_or(NoRehearsal::NoPods)?;
                let flags = "--ignore-daemonsets --delete-emptydir-data --force";
                let line = format!("drain {node} {flags} --pod-selector={}", clients::ALL_BUT_CLIENTS);
                self.trigger = Trigger::Drain(node);
                self.drain(line);
                match &self.drained {
                    Some(output) if output.exit != 0 => Err(NoRehearsal::Refused(output.stderr.clone())),
                    _ => Ok(()),
                }
            }
        }
    }

    fn restart(&mut self, plan: &Plan) -> Result<(), NoRehearsal> {
        let (kind, name) = (plan.workload.kind.as_str().to_lowercase(), &plan.workload.key.name);
        self.run(format!("rollout restart {kind} {name} --namespace {}", self.namespace), Vec::new())
    }

    /// What a mend changes may be all that the rollout changes. Then it would replace no pod, and a restart is the rollout.
    fn restart_unless_other(&mut self, plan: &Plan, before: &PodTemplateSpec) -> Result<(), NoRehearsal> {
        if self.mends.is_empty() || self.workload(&plan.workload)?.template != *before {
            return Ok(());
        }
        self.restart(plan)
    }

    /// How many of the pods that were there when the rollout began have gone, or are about to.
    fn gone(&self) -> usize {
        let all = self.session.cluster().api().cached_list(Kind::POD, Some(&*self.namespace));
        let left = all.filter(|(_, o)| !o.meta().is_deleting() && self.pods.contains(o.uid()));
        self.pods.len().saturating_sub(left.count())
    }

    /// What can be changed against what was lost.
    pub fn candidates(&self, plan: &Plan, plain: &Tried) -> Vec<Mend> {
        let (Ok(workload), Some(target)) = (self.workload(&plan.workload), &self.target) else {
            return Vec::new();
        };
        mend::candidates(&workload, target, plan.occasion, plain)
    }

    /// What `kubectl rollout status` says or, of a drain, `kubectl drain`.
    fn status(&self, plan: &Plan) -> String {
        if let Some(output) = &self.drained {
            return said(output);
        }
        let (kind, name) = (plan.workload.kind.as_str().to_lowercase(), &plan.workload.key.name);
        let line = format!("rollout status {kind} {name} --namespace {} --watch=false", self.namespace);
        let given = CommandLine { line, files: Vec::new(), editor: false };
        self.session.read_only_command(&given).map(|ran| said(&ran.output)).unwrap_or_default()
    }

    /// The node whose rules lead the requests of a client: that of its pod or, from outside, the one that it asks. Empty if a load
    /// balancer chooses it.
    fn node_of(&self, client: &RunningClient) -> String {
        let cluster = self.session.cluster();
        if client.id().is_from_outside() {
            let asked = client.client.url.host.parse::<IpAddr>().ok();
            let nodes = cluster.topology();
            let node = asked.and_then(|address| nodes.with_address(address));
            return node.map(|machine| machine.name.to_string()).unwrap_or_default();
        }
        let pod = cluster.api().cached(&client.sender).and_then(|o| o.get::<Pod>());
        pod.and_then(|p| p.spec.as_ref()?.node_name.clone()).unwrap_or_default()
    }

    /// What became of the requests. `anchor` is the moment of the run at which the rehearsal began.
    pub fn told(&self, plan: &Plan, anchor: MomentId) -> Tried {
        // An autoscaler without metrics goes on to look for them long after the rollout.
        let now = self.session.now().min(crate::api::later(self.last, BEFORE));
        let senders = self.counted();
        let mut urls: Vec<String> = senders.iter().map(clients::asks).collect();
        urls.sort_unstable();
        urls.dedup();
        let measured = Measured::of(self.session.cluster(), (self.begin, now));
        let counts = measured.count(&senders);
        let Losses { causes, behind } = Losses::of(&counts);
        let service = self.target.as_ref().map_or("", |t| t.service.as_str());
        let loss = measured.first_loss(&senders);
        let at = |loss: Timestamp| self.times.iter().take_while(|t| **t <= loss).count();
        Tried {
            mends: self.mends.clone(),
            lines: self.lines.clone(),
            sent: counts.sent,
            losses: causes,
            behind,
            before: self.before.iter().map(|(_, loser)| loser.clone()).collect(),
            clients: senders.len(),
            urls,
            gone: self.gone(),
            seconds: now.duration_since(self.begin).as_secs_f64(),
            steady: self.steady,
            status: self.status(plan),
            undrained: self.undrained(),
            took: Took::of(&counts.took),
            chart: measured.chart(&senders),
            moment: loss.as_ref().map_or(self.times.len(), |(_, l)| at(l.at)),
            first: loss.map(|(client, l)| {
                let sender = senders.iter().find(|c| c.sender == client);
                let node = sender.map(|c| self.node_of(c)).unwrap_or_default();
                let routed = sender.is_some_and(|c| clients::is_led_to(c, &self.namespace, service));
                self.log.story(&client, Goes { node: &node, service, routed }, &l)
            }),
            ready: self.ready,
            begun: self.begun,
            brought: self.brought,
            link: Link::between(&self.session, anchor).map(|l| l.encode()).unwrap_or_default(),
        }
    }
}
