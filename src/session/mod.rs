//! A run as a person sees it: history, time travel, branches, scenarios, the share link.
//!
//! A [`Session`] is a tree of moments. A moment has what led to it and the [`Op`] that repeats it. Some
//! moments keep their whole [`Cluster`] (a value that shares almost everything with its neighbours); the
//! cluster of any other moment is computed from the last kept one. The ops from the root to a moment are
//! what a link contains.
//!
//! ```
//! use steady::session::{Depth, Session, Start};
//! let scenario = steady::session::scenario::all().remove(0);
//! let mut session = Session::new(Start::default());
//! let out = session.apply(&scenario.manifest);
//! assert_eq!(out.stdout, "deployment.apps/web created\n");
//! assert!(session.step(Depth::Command, None));
//! assert_eq!(session.current().commands()[0].by.as_ref(), "deployment-controller");
//! session.back();
//! ```

pub mod data;
#[cfg(test)]
mod digest_tests;
pub mod explore;
pub mod handle;
mod into;
mod keep;
pub mod link;
mod op;
#[cfg(test)]
mod policy_tests;
pub mod scenario;
mod slice;
#[cfg(test)]
mod switch_tests;
mod travel;
pub mod view;
#[cfg(test)]
mod wrong_tests;

use std::collections::VecDeque;
use std::rc::Rc;

pub use into::{Exchange, FINEST_LIMIT};
pub use link::{Link, LinkError, LinkOp, Replay, Replayed, STEPS_LIMIT};
pub use op::{Depth, Op, Start};
pub use travel::Travel;

pub use crate::cluster::Policy;

use crate::api::order;
use crate::api::{ObjectRef, Timestamp};
use crate::apimachinery::{HttpRequest, HttpResponse};
use crate::apiserver::Write;
use crate::cluster::{
    Action, Actor, Cluster, Command, Config, Fault, NoSuchFault, Outcome, Search, Stopped, Transition,
};
use crate::kubectl::{ApiClient, Kubectl, Output, Poll, Wait, Waited};

/// The most moments of a session. Further steps fail with [`Stopped::Limit`].
pub const MOMENTS_LIMIT: usize = 200_000;

/// How many clusters are kept on the path to a moment that had to be repeated, for further steps back.
const NEAR: usize = 16;

/// The index of a moment in the tree; the root is 0.
pub type MomentId = usize;

/// What led to a moment.
#[derive(Clone, Debug)]
pub enum What {
    /// Nothing: the moment is the root.
    Start,
    /// A person applied a manifest or ran a command line.
    Person {
        /// The requests that write, with their responses.
        exchanges: Vec<Exchange>,
        /// What they wrote to the store.
        writes: Vec<Write>,
        /// What the command printed.
        output: Output,
    },
    /// A fault was injected.
    Fault(Fault),
    /// A command, or at reconcile depth all commands of a sync.
    Commands(Vec<Command>),
    /// A single action.
    Machinery(Box<Transition>),
}

impl What {
    /// The work of repeating it, in commands. An action counts as one.
    fn work(&self) -> usize {
        match self {
            What::Commands(c) => c.len(),
            _ => 1,
        }
    }
}

/// A moment of a run.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The moment before; `None` for the root.
    pub parent: Option<MomentId>,
    /// The moments after it, the oldest branch first.
    pub children: Vec<MomentId>,
    /// What led to it.
    pub what: What,
    /// The op that repeats it.
    pub op: Op,
    /// The number of moments before it.
    pub depth: usize,
    /// The cluster, if the moment keeps it; otherwise [`Session::cluster_at`] computes it.
    kept: Option<Box<Cluster>>,
    /// The kept clusters on the path to this moment.
    trail: keep::Trail,
}

impl Moment {
    /// The commands that led to the moment.
    pub fn commands(&self) -> &[Command] {
        match &self.what {
            What::Commands(c) => c,
            _ => &[],
        }
    }

    /// What was written on the way to the moment, events included.
    pub fn writes(&self) -> Vec<&Write> {
        match &self.what {
            What::Start | What::Fault(_) => Vec::new(),
            What::Person { writes, .. } => writes.iter().collect(),
            What::Commands(c) => c.iter().flat_map(|c| c.writes.iter().chain(&c.events)).collect(),
            What::Machinery(t) => t.writes.iter().collect(),
        }
    }

    /// Whether an object was written on the way to the moment.
    pub fn wrote(&self, object: &ObjectRef) -> bool {
        let is = |w: &Write| w.object.kind == object.kind && w.object == *object;
        match &self.what {
            What::Start | What::Fault(_) => false,
            What::Person { writes, .. } => writes.iter().any(is),
            What::Commands(c) => c.iter().any(|c| c.writes.iter().chain(&c.events).any(is)),
            What::Machinery(t) => t.writes.iter().any(is),
        }
    }

    /// The name of the component that led to the moment, or `you` for a person; `None` for the root.
    pub fn by(&self) -> Option<Rc<str>> {
        match &self.what {
            What::Start => None,
            What::Person { .. } | What::Fault(_) => Some("you".into()),
            What::Commands(c) => c.first().map(|c| c.by.clone()),
            What::Machinery(t) => match &t.outcome {
                Outcome::Sent { request, .. } => Some(request.user.clone()),
                _ => Some("machinery".into()),
            },
        }
    }
}

/// A run with all of its branches.
#[derive(Clone, Debug)]
pub struct Session {
    start: Start,
    moments: Vec<Moment>,
    at: MomentId,
    // The end of the branch that is shown; `at` is on the path to it.
    tip: MomentId,
    // The policy of steps for which no component was chosen.
    policy: Policy,
    // The cluster at `at`; while a step is under way, a later one.
    cluster: Cluster,
    // The clusters of some moments shortly before one that was gone to.
    near: VecDeque<(MomentId, Cluster)>,
    under_way: Option<slice::UnderWay>,
    astray: bool,
}

impl Session {
    /// A session with a new cluster.
    pub fn new(start: Start) -> Session {
        let config = Config { seed: start.seed, etcd: start.etcd, ..Config::nodes(start.nodes) };
        Session::with_cluster(start, Cluster::new(&config))
    }

    /// A session with a given cluster. `start` has to describe it, or links of the session will not repeat
    /// it.
    pub fn with_cluster(start: Start, cluster: Cluster) -> Session {
        let root = Moment {
            parent: None,
            children: Vec::new(),
            what: What::Start,
            op: Op::Start,
            depth: 0,
            kept: Some(Box::new(cluster.clone())),
            trail: keep::Trail::default(),
        };
        Session {
            start,
            moments: vec![root],
            at: 0,
            tip: 0,
            policy: Policy::Fair,
            cluster,
            near: VecDeque::new(),
            under_way: None,
            astray: false,
        }
    }

    /// Whether the session has [`MOMENTS_LIMIT`] moments. Then a step does nothing, whether the cluster is
    /// steady or not.
    pub fn is_full(&self) -> bool {
        self.moments.len() >= MOMENTS_LIMIT
    }

    /// The policy of steps for which no component was chosen.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Sets the policy of further steps. Earlier moments stay as they are.
    pub fn set_policy(&mut self, policy: Policy) {
        self.give_up();
        self.policy = policy;
    }

    /// The op of a step from the current moment.
    fn next_op(&self, depth: Depth, choice: Option<Actor>) -> Op {
        match &self.policy {
            policy if choice.is_none() && *policy != Policy::Fair => {
                Op::Policy { depth, policy: policy.clone(), nth: self.current().depth as u64 }
            }
            _ => Op::Step { depth, choice },
        }
    }

    /// The start of the run.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// The current moment.
    pub fn current(&self) -> &Moment {
        // `at` is always the index of a moment that was pushed.
        &self.moments[self.at]
    }

    /// The index of the current moment.
    pub fn at(&self) -> MomentId {
        self.at
    }

    /// The cluster at the current moment.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The cluster at a moment, kept or computed from the last kept one; `None` if there is no such moment.
    pub fn cluster_at(&self, id: MomentId) -> Option<Cluster> {
        self.made_again(id, |_, _, _| ())
    }

    /// A moment's cluster, if it need not be computed.
    fn at_hand(&self, id: MomentId) -> Option<&Cluster> {
        if id == self.at && !self.astray {
            return Some(&self.cluster);
        }
        let near = || self.near.iter().find(|(at, _)| *at == id).map(|(_, c)| c);
        self.moments.get(id)?.kept.as_deref().or_else(near)
    }

    /// Computes the cluster of a moment from the last one at hand. Calls `passing` for each moment in
    /// between, with its index, the number of moments left, and its cluster.
    fn made_again(
        &self,
        id: MomentId,
        mut passing: impl FnMut(MomentId, usize, &Cluster),
    ) -> Option<Cluster> {
        let mut missing = Vec::new();
        let mut at = id;
        let mut cluster = loop {
            let m = self.moments.get(at)?;
            if let Some(cluster) = self.at_hand(at) {
                break cluster.clone();
            }
            missing.push((at, &m.op));
            at = m.parent?;
        };
        while let Some((id, op)) = missing.pop() {
            redo(&mut cluster, op);
            if !missing.is_empty() {
                passing(id, missing.len(), &cluster);
            }
        }
        Some(cluster)
    }

    /// A moment, by its index.
    pub fn moment(&self, id: MomentId) -> Option<&Moment> {
        self.moments.get(id)
    }

    /// The moments of the branch that is shown, from the root to its end.
    pub fn timeline(&self) -> Vec<MomentId> {
        let mut line = vec![self.tip];
        let mut id = self.tip;
        while let Some(parent) = self.moments.get(id).and_then(|m| m.parent) {
            line.push(parent);
            id = parent;
        }
        line.reverse();
        line
    }

    /// The ends of all branches.
    #[cfg(test)]
    fn tips(&self) -> Vec<MomentId> {
        (0..self.moments.len()).filter(|i| self.moments[*i].children.is_empty()).collect()
    }

    /// Makes a moment the current one. If it is on another branch, that branch is shown. `false` if there is
    /// no such moment.
    pub fn goto(&mut self, id: MomentId) -> bool {
        if id >= self.moments.len() {
            return false;
        }
        self.show_branch_of(id);
        self.look_at(id)
    }

    fn show_branch_of(&mut self, id: MomentId) {
        if !self.timeline().contains(&id) {
            let mut tip = id;
            while let Some(next) = self.moments[tip].children.last() {
                tip = *next;
            }
            self.tip = tip;
        }
    }

    fn look_at(&mut self, id: MomentId) -> bool {
        self.give_up();
        // After one step back another is likely, so some clusters shortly before this one are kept, more of
        // them the nearer they are.
        let mut near = Vec::new();
        let cluster = self.made_again(id, |id, still, cluster| {
            if still.is_power_of_two() {
                near.push((id, cluster.clone()));
            }
        });
        self.near.extend(near);
        let surplus = self.near.len().saturating_sub(NEAR);
        self.near.drain(..surplus);
        match cluster {
            Some(cluster) => {
                self.cluster = cluster;
                self.at = id;
                true
            }
            None => false,
        }
    }

    /// Goes to the moment before. `false` at the root.
    pub fn back(&mut self) -> bool {
        match self.current().parent {
            Some(parent) => self.look_at(parent),
            None => false,
        }
    }

    /// Goes to the next moment of the branch that is shown. `false` at its end.
    pub fn forward(&mut self) -> bool {
        let line = self.timeline();
        let next = line.iter().position(|m| *m == self.at).and_then(|i| line.get(i + 1));
        next.is_some_and(|next| self.look_at(*next))
    }

    /// Goes to the root. All moments stay in the tree.
    pub fn restart(&mut self) {
        self.look_at(0);
    }

    /// Takes a step of the chosen component, or of the one that the policy chooses. If the same step was
    /// taken from here before, its moment becomes the current one. `false` if there is nothing to do.
    pub fn step(&mut self, depth: Depth, choice: Option<Actor>) -> bool {
        self.try_step(depth, choice).is_ok()
    }

    /// As [`Session::step`].
    ///
    /// # Errors
    /// Why there was no step: there is nothing to do, or a limit was reached (of moments, or of actions
    /// without a command). The session is as before.
    pub fn try_step(&mut self, depth: Depth, choice: Option<Actor>) -> Result<(), Stopped> {
        self.take(self.next_op(depth, choice))
    }

    /// Takes a step of the component whose turn it is under the fair policy; where nothing is left to do, after time has
    /// passed to the next run of a schedule.
    ///
    /// # Errors
    /// As [`Session::try_step`].
    pub fn to_schedule(&mut self, depth: Depth) -> Result<(), Stopped> {
        self.take(Op::Schedule { depth })
    }

    /// Takes the step of an op.
    fn take(&mut self, op: Op) -> Result<(), Stopped> {
        self.give_up();
        if self.replay(&op) {
            return Ok(());
        }
        if self.current().kept.is_none() && self.moments.len() < MOMENTS_LIMIT {
            return self.step_in_place(op);
        }
        let mut cluster = self.cluster.clone();
        let what = take_step(&mut cluster, &op)?;
        if self.push(what, op, cluster) { Ok(()) } else { Err(Stopped::Limit) }
    }

    /// As [`Session::take`] on the session's own cluster: the moment does not keep its cluster, so no copy
    /// is needed.
    fn step_in_place(&mut self, op: Op) -> Result<(), Stopped> {
        match take_step(&mut self.cluster, &op) {
            Ok(what) => {
                self.record(what, op);
                Ok(())
            }
            Err(stopped) => {
                // There was no command, but actions may have been taken in search of one.
                self.astray = true;
                self.give_up();
                // A further try at the end of a run must not repeat it each time, so the moment keeps its
                // cluster.
                let cluster = &self.cluster;
                if let Some(m) = self.moments.get_mut(self.at) {
                    m.kept.get_or_insert_with(|| cluster.clone().into());
                }
                Err(stopped)
            }
        }
    }

    /// Takes one action. `false` if it is not enabled.
    pub fn act(&mut self, action: Action) -> bool {
        self.give_up();
        let op = Op::Act(action);
        if self.replay(&op) {
            return true;
        }
        let mut cluster = self.cluster().clone();
        match cluster.act(&action) {
            Ok(t) => self.push(What::Machinery(Box::new(t)), op, cluster),
            Err(_) => false,
        }
    }

    /// Takes a step of the explorer, see [`Op::Heard`]. `false` if it is not possible.
    pub fn heard(&mut self, depth: Depth, choice: Option<Actor>) -> bool {
        self.give_up();
        let op = Op::Heard { depth, choice };
        if self.replay(&op) {
            return true;
        }
        match explore::heard(self.cluster().clone(), depth, choice) {
            Ok((after, what)) => self.push(what, op, after),
            Err(_) => false,
        }
    }

    /// What each component would do next; see [`Cluster::next_commands`].
    pub fn next_commands(&self, limit: usize) -> Vec<Command> {
        self.cluster().next_commands(limit)
    }

    /// Applies a manifest, as `kubectl apply -f`.
    pub fn apply(&mut self, text: &str) -> Output {
        self.kubectl("apply -f manifest.yaml", &[("manifest.yaml", text)])
    }

    /// What applying a manifest would write and print. The session stays as it is.
    pub fn preview(&self, text: &str) -> (Vec<Write>, Output) {
        let mut copy = Client::new(self.cluster());
        let files = order::gather([("manifest.yaml".to_owned(), text.to_owned())]);
        let mut command = Kubectl::new("apply -f manifest.yaml", Rc::new(files), self.now());
        let output = copy.drive(&mut command).0;
        (copy.writes, output)
    }

    /// Runs a kubectl command line until it ends or waits, see [`Session::kubectl_or_wait`].
    pub fn kubectl(&mut self, line: &str, files: &[(&str, &str)]) -> Output {
        self.kubectl_or_wait(line, files).0
    }

    /// Runs a kubectl command line. Its writes are one moment; a command that only reads, or is refused,
    /// leaves the session as it is. A command that waits (`rollout status`, `delete`) is returned with what
    /// it has printed so far; after further steps, [`Session::look_again`] continues it.
    pub fn kubectl_or_wait(&mut self, line: &str, files: &[(&str, &str)]) -> (Output, Option<Kubectl>) {
        self.give_up();
        let op = Op::Kubectl {
            line: line.to_owned(),
            files: files.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect(),
        };
        let given = order::gather(files.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())));
        let mut command = Kubectl::new(line, Rc::new(given), self.now());
        let mut client = Client::new(self.cluster());
        let (output, waits) = client.drive(&mut command);
        if !client.writes.is_empty() {
            let what =
                What::Person { exchanges: client.exchanges, writes: client.writes, output: output.clone() };
            self.push(what, op, client.cluster);
        }
        (output, waits.then_some(command))
    }

    /// Continues a waiting command with the present cluster. Returns all that it has printed, and whether it
    /// still waits. The command only reads.
    pub fn look_again(&self, command: &mut Kubectl) -> (Output, bool) {
        command.wake(self.now());
        let mut client = Client::new(self.cluster());
        client.drive(command)
    }

    /// Injects a fault.
    ///
    /// # Errors
    /// If the fault is not possible; then nothing has changed.
    pub fn fault(&mut self, fault: &Fault) -> Result<(), NoSuchFault> {
        self.give_up();
        let op = Op::Fault(fault.clone());
        if self.replay(&op) {
            return Ok(());
        }
        let mut cluster = self.cluster().clone();
        cluster.fault(fault)?;
        self.push(What::Fault(fault.clone()), op, cluster);
        Ok(())
    }

    /// Repeats an op. `false` if it does nothing here.
    pub fn perform(&mut self, op: &Op) -> bool {
        match op {
            Op::Start => false,
            Op::Step { .. } | Op::Policy { .. } | Op::Schedule { .. } => self.take(op.clone()).is_ok(),
            Op::Heard { depth, choice } => self.heard(*depth, *choice),
            Op::Act(action) => self.act(*action),
            Op::Fault(fault) => self.fault(fault).is_ok(),
            Op::Kubectl { line, files } => {
                let before = self.at;
                let files: Vec<(&str, &str)> = files.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
                self.kubectl(line, &files);
                self.at != before
            }
        }
    }

    /// The ops from the root to a moment.
    pub fn ops(&self, to: MomentId) -> Vec<Op> {
        let mut ops = Vec::new();
        let mut id = to;
        while let Some(m) = self.moments.get(id) {
            let Some(parent) = m.parent else { break };
            ops.push(m.op.clone());
            id = parent;
        }
        ops.reverse();
        ops
    }

    /// The virtual time at the current moment.
    pub fn now(&self) -> Timestamp {
        self.cluster().now()
    }

    fn replay(&mut self, op: &Op) -> bool {
        let Some(child) = self.current().children.iter().copied().find(|c| self.moments[*c].op == *op) else {
            return false;
        };
        // The only next moment is on the branch that is shown; its cluster is computed from the present one.
        if self.current().children.len() == 1 && self.moments[child].kept.is_none() {
            redo(&mut self.cluster, op);
            self.at = child;
            return true;
        }
        self.goto(child)
    }

    fn push(&mut self, what: What, op: Op, cluster: Cluster) -> bool {
        if self.is_full() {
            return false;
        }
        self.cluster = cluster;
        self.record(what, op);
        true
    }

    /// Adds a moment for what was done to the cluster.
    fn record(&mut self, what: What, op: Op) {
        let id = self.moments.len();
        let depth = self.moments[self.at].depth + 1;
        let (trail, keep) = self.follow_trail(id, what.work(), matches!(what, What::Person { .. }));
        let kept = keep.then(|| Box::new(self.cluster.clone()));
        let parent = Some(self.at);
        self.moments.push(Moment { parent, children: Vec::new(), what, op, depth, kept, trail });
        self.moments[self.at].children.push(id);
        self.at = id;
        self.tip = id;
    }
}

/// Takes the step of an op. [`Stopped::Idle`] if the op is not a step.
fn take_step(cluster: &mut Cluster, op: &Op) -> Result<What, Stopped> {
    let (depth, search) = match op {
        Op::Step { depth, choice } => (*depth, Search::new(*choice)),
        Op::Policy { depth, policy, nth } => (*depth, Search::under(policy, *nth)),
        Op::Schedule { depth } => (*depth, Search::new(None).to_schedule()),
        Op::Start | Op::Heard { .. } | Op::Act(_) | Op::Fault(_) | Op::Kubectl { .. } => {
            return Err(Stopped::Idle);
        }
    };
    match depth {
        Depth::Command => cluster.find(search).map(|c| What::Commands(vec![c])),
        Depth::Reconcile => cluster.reconcile_from(search).map(What::Commands),
        Depth::Machinery => {
            let action = match op {
                Op::Step { choice: Some(actor), .. } => cluster.next_for(*actor),
                Op::Policy { policy, nth, .. } => cluster.under(policy, *nth),
                Op::Schedule { .. } => cluster.fair().or(Some(Action::Advance)),
                _ => cluster.fair(),
            };
            let done = action.and_then(|a| cluster.act(&a).ok()).ok_or(Stopped::Idle);
            done.map(|t| What::Machinery(Box::new(t)))
        }
    }
}

/// Repeats an op. It was possible before, and a cluster does the same thing every time, so errors do not
/// occur.
fn redo(cluster: &mut Cluster, op: &Op) {
    match op {
        Op::Start => {}
        Op::Step { .. } | Op::Policy { .. } | Op::Schedule { .. } => {
            let _ = take_step(cluster, op);
        }
        Op::Heard { depth, choice } => {
            if let Ok((after, _)) = explore::heard(cluster.clone(), *depth, *choice) {
                *cluster = after;
            }
        }
        Op::Act(action) => {
            let _ = cluster.act(action);
        }
        Op::Fault(fault) => {
            let _ = cluster.fault(fault);
        }
        Op::Kubectl { line, files } => {
            let given = order::gather(files.iter().cloned());
            let mut command = Kubectl::new(line, Rc::new(given), cluster.now());
            let mut client = Client::new(cluster);
            client.drive(&mut command);
            *cluster = client.cluster;
        }
    }
}

/// kubectl's client in a session. It works on a copy of the cluster, and notes requests and writes.
struct Client {
    cluster: Cluster,
    exchanges: Vec<Exchange>,
    writes: Vec<Write>,
}

impl Client {
    fn new(cluster: &Cluster) -> Client {
        Client { cluster: cluster.clone(), exchanges: Vec::new(), writes: Vec::new() }
    }

    /// Answers a command's requests until it ends or waits. Returns whether it waits.
    fn drive(&mut self, command: &mut Kubectl) -> (Output, bool) {
        match command.drive(self) {
            Poll::Ready(output) => (output, false),
            Poll::Wait(_, output) => (output, true),
        }
    }
}

impl ApiClient for Client {
    fn http(&mut self, request: &HttpRequest) -> HttpResponse {
        let (served, writes) = self.cluster.serve_whole(request);
        self.writes.extend(writes);
        if let Some((typed, answered)) = served.exchange.map(|e| *e) {
            self.exchanges.push(Exchange {
                request: Rc::new(typed),
                response: answered,
                why: None,
                http: Some(Rc::new((request.clone(), served.response.clone()))),
            });
        }
        served.response
    }

    fn now(&self) -> Timestamp {
        self.cluster.now()
    }

    fn wait(&mut self, _: &Wait) -> Waited {
        Waited::Later
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_the_same_whether_it_was_kept_or_is_made_again() {
        let mut s = Session::new(Start::default());
        let manifest = scenario::all().remove(0).manifest.replace("replicas: 3", "replicas: 200");
        s.apply(&manifest);
        let mut digests = vec![(s.at(), s.cluster().digest())];
        while s.step(Depth::Command, None) {
            if s.at().is_multiple_of(37) {
                digests.push((s.at(), s.cluster().digest()));
            }
        }
        assert!(digests.len() > 2);
        // A step that is not possible leaves the last moment as it is.
        let (last, end) = (s.at(), s.cluster().digest());
        assert!(!s.step(Depth::Command, None));
        assert_eq!((s.at(), s.cluster().digest()), (last, end.clone()));
        for (moment, digest) in digests {
            assert!(s.goto(moment));
            assert_eq!(s.cluster().digest(), digest, "moment {moment}");
        }
        while s.forward() {}
        assert_eq!(s.cluster().digest(), end);
        // Backwards, where the clusters of some moments are at hand.
        assert!(s.goto(last - 1));
        for moment in (last - 60..last - 1).rev() {
            assert!(s.back());
            assert_eq!(s.at(), moment);
            assert!(s.near.len() <= NEAR);
        }
        let by_steps = s.cluster().digest();
        s.near.clear();
        s.astray = true;
        assert_eq!(s.made_again(last - 60, |_, _, _| ()).map(|c| c.digest()), Some(by_steps));
    }
}
