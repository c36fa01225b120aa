//! What a session does to its cluster: steps, actions and faults, each of which makes a moment.

use std::rc::Rc;

use super::kubectl::Client;
use super::moment::{Moment, What};
use super::op::{Depth, Op};
use super::{MOMENTS_LIMIT, Policy, Session, explore};
use crate::api::order;
use crate::cluster::{Action, Actor, Cluster, Fault, NoSuchFault, Search, Stopped};
use crate::kubectl::Kubectl;

impl Session {
    /// The op of a step from the current moment.
    pub(super) fn next_op(&self, depth: Depth, choice: Option<Actor>) -> Op {
        self.op_of(self.current().steps, depth, choice)
    }

    /// The op of a step from a moment with so many steps before it.
    pub(super) fn op_of(&self, steps: usize, depth: Depth, choice: Option<Actor>) -> Op {
        match &self.policy {
            policy if choice.is_none() && *policy != Policy::Fair => {
                Op::Policy { depth, policy: policy.clone(), nth: steps as u64 }
            }
            _ => Op::Step { depth, choice },
        }
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
        let writes = cluster.fault_with_writes(fault)?;
        self.push(What::Fault(Box::new(fault.clone()), writes), op, cluster);
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

    pub(super) fn replay(&mut self, op: &Op) -> bool {
        let Some(child) = self.current().children.iter().copied().find(|c| *self.moments[*c].op == *op)
        else {
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

    pub(super) fn push(&mut self, what: What, op: Op, cluster: Cluster) -> bool {
        if self.is_full() {
            return false;
        }
        self.cluster = cluster;
        self.record(what, op);
        true
    }

    /// Adds a moment for what was done to the cluster.
    pub(super) fn record(&mut self, what: What, op: Op) {
        let id = self.moments.len();
        let steps = self.moments[self.at].steps + 1;
        let (trail, keep) = self.follow_trail(id, what.work(), matches!(what, What::Person { .. }));
        let kept = keep.then(|| Box::new(self.cluster.clone()));
        let parent = Some(self.at);
        let before = &mut self.moments[self.at];
        let op = if *before.op == op { before.op.clone() } else { Rc::new(op) };
        // Nearly every moment has one after it, and there may be a hundred thousand: no room is taken for what does not come.
        before.children.reserve_exact(1);
        before.children.push(id);
        if before.children.len() > 1 {
            self.forks.insert(self.at);
        }
        // The moment that is shown is on the branch that is shown, which goes on with this one.
        let place = self.place(self.at).unwrap_or_default();
        self.line.truncate(place + 1);
        self.line.push(id);
        if id == self.moments.capacity() {
            self.moments.reserve_exact(id / 8 + 64);
        }
        let at = self.cluster.now();
        self.moments.push(Moment { parent, children: Vec::new(), what, op, steps, at, kept, trail });
        self.at = id;
        self.end = None;
    }
}

/// Takes the step of an op. [`Stopped::Idle`] if the op is not a step.
pub(super) fn take_step(cluster: &mut Cluster, op: &Op) -> Result<What, Stopped> {
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
pub(super) fn redo(cluster: &mut Cluster, op: &Op) {
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
            let mut command = Kubectl::new(line, Rc::new(given), Default::default(), cluster.now());
            let mut client = Client::new(cluster);
            client.drive(&mut command);
            *cluster = client.cluster;
        }
    }
}
