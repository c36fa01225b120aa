//! Which component acts next. Under the fair policy the components issue one command each, in turn, and each
//! is notified of all changes before that.
//!
//! What becomes due at one moment happens at that moment: the components whose deadlines are met when time
//! passes act until they have nothing left to do, and then the others react. Two containers that become
//! ready at the same moment are so one sync of their Deployment, as they are in Kubernetes, where a watch
//! event takes longer than a kubelet needs for its next pod.

use super::Cluster;
use super::action::{Action, Actor, Outcome};
use super::process::Process;
use crate::apimachinery::Response;

impl Cluster {
    /// The next action of a component: an event to record, a request, a change of its informers, a delivery
    /// of a change, a key to sync, in this order. `None` if it has nothing to do until another component
    /// acts or time passes.
    pub fn next_for(&self, actor: Actor) -> Option<Action> {
        let p = self.processes.get(actor.process as usize).filter(|p| p.running)?;
        let wants = p.wants(actor.component);
        let record = wants.record && self.api.serves();
        if (record || wants.send) && !self.api.is_electing() {
            return Some(if record { Action::Record { actor } } else { Action::Send { actor } });
        }
        if wants.informers {
            return Some(Action::Informers { actor });
        }
        if let Some(action) = self.delivery(actor, p) {
            return Some(action);
        }
        wants.start.then_some(Action::Start { actor })
    }

    /// The next action that brings a change nearer to a component.
    fn delivery(&self, actor: Actor, p: &Process) -> Option<Action> {
        if !p.hears() {
            return None;
        }
        let process = actor.process;
        for &(informer, listener) in p.routes.get(actor.component as usize)? {
            let n = p.informers.get(informer as usize)?;
            if n.listeners.waits(usize::from(listener)) {
                return Some(Action::Notify { actor, informer });
            }
            if !n.fifo.is_empty() {
                return Some(Action::Pop { process, informer });
            }
            match n.watch.map(|w| self.api.watches.pending(w)) {
                None | Some(None) if self.api.serves() => return Some(Action::List { process, informer }),
                None | Some(None | Some(0)) => {}
                Some(Some(_)) => return Some(Action::Watch { process, informer }),
            }
        }
        None
    }

    /// The next action under the fair policy; `None` if the cluster is steady.
    pub fn fair(&self) -> Option<Action> {
        self.fair_among(|_| true)
    }

    /// [`Cluster::fair`] among the components that `may` accepts.
    pub(super) fn fair_among(&self, may: impl Fn(Actor) -> bool) -> Option<Action> {
        if let Some(action) = self.due.iter().filter(|a| may(**a)).find_map(|a| self.next_for(*a)) {
            return Some(action);
        }
        let from = self.turn;
        let (mut next, mut round) = (from.process, false);
        loop {
            let id = self.ready.next(next).filter(|id| !round || *id < from.process);
            let Some(id) = id else {
                if round {
                    break;
                }
                (next, round) = (0, true);
                continue;
            };
            next = id + 1;
            let first = if id == from.process { from.component } else { 0 };
            if let Some(a) = self.first_of(id, first, u16::MAX, &may) {
                return Some(a);
            }
        }
        // At the end of the round, the components of the first process up to the one whose turn it is.
        if let Some(a) = self.first_of(from.process, 0, from.component, &may) {
            return Some(a);
        }
        self.clock.next().map(|_| Action::Advance)
    }

    fn first_of(&self, process: u32, from: u16, to: u16, may: impl Fn(Actor) -> bool) -> Option<Action> {
        let n = u16::try_from(self.processes.get(process as usize)?.components.len()).unwrap_or(u16::MAX);
        let actors = (from..to.min(n)).map(|component| Actor { process, component });
        actors.filter(|a| may(*a)).find_map(|a| self.next_for(a))
    }

    /// Removes the first of the due components, as long as they have nothing left to do.
    pub(super) fn settle_due(&mut self) {
        while self.due.front().is_some_and(|a| self.next_for(*a).is_none()) {
            self.due.pop_front();
        }
    }

    /// After a command, and after the events recorded with it, the turn goes to the next component.
    pub(super) fn pass_turn(&mut self, action: &Action, outcome: &Outcome) {
        let (actor, spoke) = match (action, outcome) {
            // A refused request has changed nothing and does not end the turn.
            (Action::Send { actor }, Outcome::Sent { request, response, .. }) => {
                (*actor, request.verb.writes() && !matches!(response, Response::Failure(_)))
            }
            (Action::Record { actor }, _) => (*actor, true),
            (Action::Start { actor } | Action::Notify { actor, .. }, _) => (*actor, false),
            _ => return,
        };
        let done = spoke
            && !self
                .processes
                .get(actor.process as usize)
                .and_then(|p| p.components.get(actor.component as usize))
                .is_some_and(|c| c.wants().record);
        self.turn = if done {
            Actor { process: actor.process, component: actor.component.saturating_add(1) }
        } else {
            actor
        };
    }
}
