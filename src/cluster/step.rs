//! `enabled()` and `step()`: what may happen next, and making it happen.

use std::rc::Rc;

use super::Cluster;
use super::action::{Action, Actor, Outcome, StepError, Transition};
use super::members::ETCD;
use super::process::Process;
use crate::api::{Kind, Object};
use crate::apimachinery::WatchEvent;
use crate::apiserver::Write;
use crate::client::{Env, Informer, Notification, Progress, TimerOp};

/// The actions of one process that may happen next, in a stable order.
pub(super) fn process_actions(cluster: &Cluster, id: u32, process: &Process, into: &mut Vec<Action>) {
    if !process.running {
        return;
    }
    let informers = if process.hears() { &*process.informers } else { &[] };
    for (i, informer) in informers.iter().enumerate() {
        let informer_id = i as u16;
        match informer.watch.map(|w| cluster.api.watches.pending(w)) {
            None | Some(None) => into.push(Action::List { process: id, informer: informer_id }),
            Some(Some(0)) => {}
            Some(Some(_)) => into.push(Action::Watch { process: id, informer: informer_id }),
        }
        if !informer.fifo.is_empty() {
            into.push(Action::Pop { process: id, informer: informer_id });
        }
        for l in informer.listeners.iter().filter(|l| !l.pending.is_empty()) {
            let actor = Actor { process: id, component: l.component as u16 };
            into.push(Action::Notify { actor, informer: informer_id });
        }
    }
    for (i, c) in process.components.iter().enumerate() {
        let actor = Actor { process: id, component: i as u16 };
        if !process.works(actor.component) {
            continue;
        }
        // While etcd's members elect a leader, requests wait.
        if c.has_events() && !cluster.api.is_electing() {
            into.push(Action::Record { actor });
        }
        if c.pending().is_some() {
            if !cluster.api.is_electing() {
                into.push(Action::Send { actor });
            }
        } else if process.can_start(actor.component) {
            into.push(Action::Start { actor });
        }
    }
}

impl Cluster {
    /// What may happen next, in a stable order. Time passes only where nothing else may happen.
    pub fn enabled(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        for id in self.ready.iter() {
            if let Some(p) = self.processes.get(id as usize) {
                process_actions(self, id, p, &mut actions);
            }
        }
        if actions.is_empty() && self.clock.next().is_some() {
            actions.push(Action::Advance);
        }
        actions
    }

    /// Makes an action happen: a new value, and the record of what happened.
    ///
    /// # Errors
    /// If the action is not enabled.
    pub fn step(&self, action: &Action) -> Result<(Cluster, Transition), StepError> {
        let mut next = self.clone();
        let transition = next.act(action)?;
        Ok((next, transition))
    }

    /// As [`Cluster::step`], in place.
    ///
    /// # Errors
    /// If the action is not enabled; then nothing has changed.
    pub fn act(&mut self, action: &Action) -> Result<Transition, StepError> {
        let outcome = self.perform(action).ok_or(StepError { action: *action })?;
        self.pass_turn(action, &outcome);
        if self.elects {
            self.note_election(action);
        }
        self.wake();
        if let Some(id) = action.process() {
            self.settle_readiness(id, action.informer());
        }
        let writes = self.api.take_writes();
        self.notice(&writes);
        Ok(Transition { action: *action, outcome, writes })
    }

    fn perform(&mut self, action: &Action) -> Option<Outcome> {
        match *action {
            Action::List { process, informer } => self.list(process, informer),
            Action::Watch { process, informer } => self.watch(process, informer),
            Action::Pop { process, informer } => self.pop(process, informer),
            Action::Notify { actor, informer } => self.notify(actor, informer),
            Action::Start { actor } => self.start(actor),
            Action::Send { actor } => self.send(actor),
            Action::Record { actor } => self.record(actor),
            Action::Advance => self.advance(),
        }
    }

    pub(super) fn process_mut(&mut self, id: u32) -> Option<&mut Process> {
        self.processes.get_mut(id as usize).map(Rc::make_mut)
    }

    fn hearing(&mut self, id: u32) -> Option<&mut Process> {
        self.process_mut(id).filter(|p| p.hears())
    }

    fn running(&mut self, id: u32) -> Option<&mut Process> {
        self.process_mut(id).filter(|p| p.running)
    }

    fn list(&mut self, id: u32, informer: u16) -> Option<Outcome> {
        let (kind, filter, old) = {
            let n =
                self.processes.get(id as usize).filter(|p| p.hears())?.informers.get(informer as usize)?;
            if n.watch.is_some_and(|w| self.api.watches.pending(w).is_some()) {
                return None;
            }
            (n.kind, n.filter.clone(), n.resource_version)
        };
        // A watch that was cut goes on where it stopped, as long as that is remembered.
        let resumed = (old > 0).then(|| self.api.watch_from(kind, &filter, old).map(Iterator::collect).ok());
        let missed: Option<Vec<WatchEvent>> = resumed.flatten();
        let watch = self.api.watches.add(id, kind, filter.clone());
        if let Some(missed) = missed {
            let items = missed.len();
            let n = self.process_mut(id)?.informers.get_mut(informer as usize)?;
            n.watch = Some(watch);
            missed.into_iter().for_each(|event| n.reflect(event));
            return Some(Outcome::Listed { kind, items, expired: None });
        }
        // The list of a reflector is answered by the watch cache (`resourceVersion=0`).
        let revision = self.api.resource_version();
        let all = self.api.cached_list(kind, None).map(|(_, o)| o);
        let items: Vec<Object> = all.filter(|o| filter.matches(o)).cloned().collect();
        let count = items.len();
        let p = self.process_mut(id)?;
        let n = p.informers.get_mut(informer as usize)?;
        n.watch = Some(watch);
        n.replace(items, revision, p.caches.of(kind));
        p.note_synced();
        // What it had seen is no longer the beginning of what can be told: 410 Gone.
        let expired = (old > 0).then(|| (old, self.api.etcd().compacted()));
        Some(Outcome::Listed { kind, items: count, expired })
    }

    fn watch(&mut self, id: u32, informer: u16) -> Option<Outcome> {
        let watch =
            self.processes.get(id as usize).filter(|p| p.hears())?.informers.get(informer as usize)?.watch?;
        let event = self.api.watches.next(watch).ok()??;
        let outcome = Outcome::Reflected { kind: event.object.kind(), key: event.key.clone() };
        self.process_mut(id)?.informers.get_mut(informer as usize)?.reflect(event);
        Some(outcome)
    }

    fn pop(&mut self, id: u32, informer: u16) -> Option<Outcome> {
        let p = self.hearing(id)?;
        let n = p.informers.get_mut(informer as usize).filter(|n| !n.fifo.is_empty())?;
        let kind = n.kind;
        let seen = n.process(Rc::make_mut(&mut p.caches).of_mut(kind))?;
        let key = seen.key;
        p.note_synced();
        Some(Outcome::Indexed { kind, key })
    }

    fn notify(&mut self, actor: Actor, informer: u16) -> Option<Outcome> {
        let kind = self.processes.get(actor.process as usize)?.informers.get(informer as usize)?.kind;
        let mut key = None;
        self.tell(actor, informer, 1, |seen| key = Some(seen.key));
        Some(Outcome::Handled { kind, key: key? })
    }

    /// Hands a component at most `most` of the news that wait for it at an informer, as so many
    /// [`Action::Notify`] one after another, until it has something to say itself. How many it heard.
    /// This is half of all that happens, and between two of them there is nothing else to be looked at:
    /// who hears writes nothing.
    pub(super) fn hear(&mut self, actor: Actor, informer: u16, most: usize) -> usize {
        let mut heard = 0;
        self.tell(actor, informer, most, |_| heard += 1);
        self.turn = actor;
        self.settle_readiness(actor.process, Some(informer));
        heard
    }

    fn tell(&mut self, actor: Actor, informer: u16, most: usize, mut told: impl FnMut(Notification)) {
        let now = self.clock.now();
        let mut timers = Vec::new();
        let Some(p) = self.hearing(actor.process) else { return };
        let Some(component) = p.components.get_mut(actor.component as usize) else { return };
        let Some(n) = p.informers.get_mut(informer as usize) else { return };
        let Some(l) = n.listeners.iter_mut().find(|l| l.component == actor.component as usize) else {
            return;
        };
        for _ in 0..most {
            let Some(seen) = l.pending.pop_front() else { break };
            component.notify(&mut Env { caches: &p.caches, now, timers: &mut timers }, &seen);
            told(seen);
            if component.has_events() || component.pending().is_some() {
                break;
            }
        }
        self.set_timers(actor, timers);
    }

    fn start(&mut self, actor: Actor) -> Option<Outcome> {
        let now = self.clock.now();
        let p = self.running(actor.process).filter(|p| p.can_start(actor.component))?;
        let component = p.components.get_mut(actor.component as usize)?;
        let mut timers = Vec::new();
        let progress = component.start(&mut Env { caches: &p.caches, now, timers: &mut timers })?;
        let outcome = match progress {
            Progress::Waiting => {
                Outcome::Started { key: component.working_on()?.clone(), ended: false, error: None }
            }
            Progress::Done { key, error } => Outcome::Started { key, ended: true, error },
        };
        self.set_timers(actor, timers);
        Some(outcome)
    }

    fn send(&mut self, actor: Actor) -> Option<Outcome> {
        let now = self.clock.now();
        let p = self.processes.get(actor.process as usize).filter(|p| p.works(actor.component))?;
        let component = p.components.get(actor.component as usize)?;
        let pending = component.pending()?.clone();
        let key = component.working_on()?.clone();
        if self.api.is_electing() {
            return None;
        }
        self.api.set_now(now);
        let response = self.api.request(&pending.request);
        let p = self.running(actor.process)?;
        let component = p.components.get_mut(actor.component as usize)?;
        let mut timers = Vec::new();
        let progress =
            component.answered(&mut Env { caches: &p.caches, now, timers: &mut timers }, response.clone());
        self.set_timers(actor, timers);
        let (ended, error) = match progress {
            Progress::Waiting => (false, None),
            Progress::Done { error, .. } => (true, error),
        };
        Some(Outcome::Sent {
            key,
            request: pending.request,
            why: pending.why,
            background: pending.background,
            response,
            ended,
            error,
        })
    }

    fn record(&mut self, actor: Actor) -> Option<Outcome> {
        let electing = self.api.is_electing();
        let p = self.running(actor.process).filter(|p| p.works(actor.component))?;
        let component = p.components.get_mut(actor.component as usize)?;
        if !component.has_events() || electing {
            return None;
        }
        let Some(request) = component.next_event() else { return Some(Outcome::Recorded { exchange: None }) };
        self.api.set_now(self.clock.now());
        let (request, response) = self.api.record(request);
        self.process_mut(actor.process)?
            .components
            .get_mut(actor.component as usize)?
            .event_answered(&response);
        Some(Outcome::Recorded { exchange: Some((Rc::new(request), response)) })
    }

    fn advance(&mut self) -> Option<Outcome> {
        let from = self.clock.now();
        let to = self.clock.next()?;
        self.advance_to(to);
        Some(Outcome::Advanced { from, to })
    }

    /// A person makes something go wrong in a component: data of that component's own room, as
    /// [`kubelet::Fault`](crate::kubelet::Fault). Returns whether there is such a component and it
    /// runs.
    pub fn component_fault(&mut self, actor: Actor, fault: &dyn std::any::Any) -> bool {
        let now = self.clock.now();
        let Some(p) = self.running(actor.process) else { return false };
        let Some(component) = p.components.get_mut(actor.component as usize) else { return false };
        let mut timers = Vec::new();
        component.fault(&mut Env { caches: &p.caches, now, timers: &mut timers }, fault);
        self.set_timers(actor, timers);
        self.ready.insert(actor.process);
        true
    }

    /// Polls are worth waiting for where something was written. Events and leases are no change.
    pub(super) fn notice(&mut self, writes: &[Write]) {
        for w in writes.iter().filter(|w| !matches!(w.object.kind, Kind::Event | Kind::Lease)) {
            self.clock.changed(&w.object.key.namespace);
            // What kubelets say of their nodes comes every few minutes.
            if w.object.kind != Kind::Node {
                self.clock.changed_anywhere();
            }
        }
    }

    /// Lets time pass up to a moment, whatever else there is to do.
    pub(super) fn advance_to(&mut self, to: crate::api::Timestamp) {
        for (actor, key) in self.clock.advance(to) {
            if actor == ETCD {
                self.note_leader();
                continue;
            }
            let Some(p) = self.process_mut(actor.process) else { continue };
            if let Some(c) = p.components.get_mut(actor.component as usize) {
                c.fire(&key);
            }
            self.ready.insert(actor.process);
        }
    }

    fn set_timers(&mut self, actor: Actor, timers: Vec<TimerOp>) {
        for t in timers {
            self.clock.set(actor, t);
        }
    }

    /// A process that has nothing left to do is not looked at until it is woken. An action of an
    /// informer mostly leaves something to do for the same one.
    fn settle_readiness(&mut self, id: u32, informer: Option<u16>) {
        let quiet = |n: &Informer| {
            n.fifo.is_empty()
                && n.listeners.iter().all(|l| l.pending.is_empty())
                && n.watch.is_some_and(|w| self.api.watches.pending(w) == Some(0))
        };
        let idle = self.processes.get(id as usize).is_none_or(|p| {
            let first = informer.and_then(|n| p.informers.get(n as usize));
            !p.running
                || (first.is_none_or(|n| quiet(n))
                    && p.components.iter().all(|c| {
                        !c.has_events()
                            && c.pending().is_none()
                            && (c.queue().is_empty() || c.working_on().is_some())
                    })
                    && p.informers.iter().all(|n| quiet(n)))
        });
        if idle {
            self.ready.remove(id);
        }
    }
}
