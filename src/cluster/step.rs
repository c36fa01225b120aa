//! `enabled()` and `step()`: which actions can happen next, and what each of them does.

use std::rc::Rc;

use super::Cluster;
use super::action::{Action, Actor, Outcome, StepError, Transition};
use super::members::ETCD;
use super::process::Process;
use crate::api::{Kind, order};
use crate::apiserver::Write;
use crate::client::{Env, Informer, Listed, Notification, Progress, TimerOp, Wants};

/// Adds the enabled actions of one process to `into`, in a stable order.
pub(super) fn process_actions(cluster: &Cluster, id: u32, process: &Process, into: &mut Vec<Action>) {
    if !process.running {
        return;
    }
    let informers = if process.hears() { &*process.informers } else { &[] };
    for (i, informer) in informers.iter().enumerate() {
        let informer_id = i as u16;
        if informer.is_stopped() {
            continue;
        }
        match informer.watch.map(|w| cluster.api.watches.pending(w)) {
            None | Some(None) if cluster.api.serves() => {
                into.push(Action::List { process: id, informer: informer_id });
            }
            None | Some(None | Some(0)) => {}
            Some(Some(_)) => into.push(Action::Watch { process: id, informer: informer_id }),
        }
        if !informer.fifo.is_empty() {
            into.push(Action::Pop { process: id, informer: informer_id });
        }
        for component in informer.listeners.waiting() {
            let actor = Actor { process: id, component: component as u16 };
            into.push(Action::Notify { actor, informer: informer_id });
        }
    }
    // Requests wait while the members of etcd elect a leader, and events while nobody listens at the API server's port.
    let electing = cluster.api.is_electing();
    let records = !electing && cluster.api.serves();
    for component in 0..u16::try_from(process.components.len()).unwrap_or(u16::MAX) {
        let actor = Actor { process: id, component };
        let wants = process.wants(component);
        let may = [
            (wants.informers, Action::Informers { actor }),
            (wants.record && records, Action::Record { actor }),
            (wants.send && !electing, Action::Send { actor }),
            (wants.start, Action::Start { actor }),
        ];
        into.extend(may.into_iter().filter(|(may, _)| *may).map(|(_, action)| action));
    }
}

impl Cluster {
    /// The enabled actions in a stable order. [`Action::Advance`] is among them only if there is no other. It is also
    /// enabled in a steady cluster that has a schedule.
    pub fn enabled(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        for id in self.ready.iter() {
            if let Some(p) = self.processes.get(id as usize) {
                process_actions(self, id, p, &mut actions);
            }
        }
        if actions.is_empty() && self.clock.next_or_scheduled().is_some() {
            actions.push(Action::Advance);
        }
        actions
    }

    /// Takes an action on a clone. Returns the clone and what happened.
    ///
    /// # Errors
    /// If the action is not enabled.
    pub fn step(&self, action: &Action) -> Result<(Cluster, Transition), StepError> {
        let mut next = self.clone();
        let transition = next.act(action)?;
        Ok((next, transition))
    }

    /// Takes an action, as [`Cluster::step`] does, on the cluster itself.
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
        self.settle_due();
        let writes = self.api.take_writes();
        self.notice(&writes);
        self.settle_network();
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
            Action::Informers { actor } => self.follow(actor),
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
        self.api.set_now(self.clock.now());
        let p = self.processes.get_mut(id as usize).filter(|p| p.hears())?;
        let has_to_list = |n: &Informer| n.has_to_list(&self.api);
        p.informers.get(usize::from(informer)).filter(|n| has_to_list(n))?;
        let p = Rc::make_mut(p);
        let n = p.informers.get_mut(usize::from(informer))?;
        let kind = n.kind;
        let Listed { items, expired } = n.list(&mut self.api, id, p.caches.of(kind));
        n.note_seen(Rc::make_mut(&mut p.caches).of_mut(kind));
        p.note_synced();
        Some(Outcome::Listed { kind, items, expired })
    }

    fn watch(&mut self, id: u32, informer: u16) -> Option<Outcome> {
        let p = self.processes.get_mut(id as usize).filter(|p| p.hears())?;
        p.informers.get(usize::from(informer))?.watch?;
        let event = Rc::make_mut(p).informers.get_mut(usize::from(informer))?.next_event(&mut self.api)?;
        Some(Outcome::Reflected { kind: event.object.kind(), key: event.key.clone() })
    }

    fn pop(&mut self, id: u32, informer: u16) -> Option<Outcome> {
        let p = self.hearing(id)?;
        let n = p.informers.get_mut(informer as usize).filter(|n| !n.fifo.is_empty())?;
        let kind = n.kind;
        let seen = n.process(Rc::make_mut(&mut p.caches).of_mut(kind))?;
        let key = seen.key.clone();
        p.note_synced();
        Some(Outcome::Indexed { kind, key })
    }

    fn notify(&mut self, actor: Actor, informer: u16) -> Option<Outcome> {
        let kind = self.processes.get(actor.process as usize)?.informers.get(informer as usize)?.kind;
        let mut key = None;
        self.tell(actor, informer, 1, |seen| key = Some(seen.key.clone()));
        Some(Outcome::Handled { kind, key: key? })
    }

    /// Notifies a component of at most `most` of the changes that wait for it at an informer, as that many
    /// [`Action::Notify`] in a row, until the component can do something other than start a sync. Returns
    /// how many it were. Half of all actions are notifications, and as handlers write nothing, nothing else
    /// has to be checked between two of them.
    pub(super) fn hear(&mut self, actor: Actor, informer: u16, most: usize) -> usize {
        let mut heard = 0;
        self.tell(actor, informer, most, |_| heard += 1);
        self.turn = actor;
        self.settle_readiness(actor.process, Some(informer));
        heard
    }

    fn tell(&mut self, actor: Actor, informer: u16, most: usize, mut told: impl FnMut(&Notification)) {
        let now = self.clock.now();
        let mut timers = Vec::new();
        let Some(p) = self.hearing(actor.process) else { return };
        let Some(component) = p.components.get_mut(actor.component as usize) else { return };
        let Some(n) = p.informers.get_mut(informer as usize) else { return };
        let Some(place) = n.listeners.place_of(usize::from(actor.component)) else { return };
        let Some(watch) = n.listeners.iter().nth(place).map(|l| l.watch) else { return };
        let mut env = Env { caches: &p.caches, now, timers: &mut timers };
        // A handler neither records events nor sends requests.
        let wants = component.wants();
        let most = if wants.record || wants.send { most.min(1) } else { most };
        for _ in 0..most {
            let Some(seen) = n.listeners.take(place) else { break };
            component.notify(&mut env, watch, &seen);
            told(&seen);
            if component.wants_informers() {
                break;
            }
        }
        self.set_timers(actor, timers);
    }

    fn start(&mut self, actor: Actor) -> Option<Outcome> {
        let now = self.clock.now();
        let p = self.running(actor.process).filter(|p| p.wants(actor.component).start)?;
        let component = p.components.get_mut(actor.component as usize)?;
        let mut timers = Vec::new();
        let progress = component.start(&mut Env { caches: &p.caches, now, timers: &mut timers })?;
        let published = component.take_published();
        let outcome = match progress {
            Progress::Waiting => {
                Outcome::Started { key: component.working_on()?.clone(), ended: false, error: None }
            }
            Progress::Done { key, error } => Outcome::Started { key, ended: true, error },
        };
        self.set_timers(actor, timers);
        self.published(actor, published);
        Some(outcome)
    }

    fn send(&mut self, actor: Actor) -> Option<Outcome> {
        let now = self.clock.now();
        let p = self.processes.get(actor.process as usize).filter(|p| p.works(actor.component))?;
        let component = p.components.get(actor.component as usize)?;
        let pending = component.pending()?.clone();
        let key = component.working_on()?.clone();
        let origin = component.origin()?.clone();
        if self.api.is_electing() {
            return None;
        }
        self.api.set_now(now);
        let response = match self.answered_elsewhere(&pending.request) {
            Some(response) => response,
            None => self.api.request_of(p.program.as_ref(), &pending.request),
        };
        let p = self.running(actor.process)?;
        let component = p.components.get_mut(actor.component as usize)?;
        let mut timers = Vec::new();
        let progress =
            component.answered(&mut Env { caches: &p.caches, now, timers: &mut timers }, response.clone())?;
        let published = component.take_published();
        self.set_timers(actor, timers);
        self.published(actor, published);
        let (ended, error) = match progress {
            Progress::Waiting => (false, None),
            Progress::Done { error, .. } => (true, error),
        };
        Some(Outcome::Sent {
            key,
            origin,
            request: pending.request,
            why: pending.why,
            background: pending.background,
            response,
            ended,
            error,
        })
    }

    fn record(&mut self, actor: Actor) -> Option<Outcome> {
        let records = !self.api.is_electing() && self.api.serves();
        let p = self.running(actor.process).filter(|p| p.works(actor.component))?;
        let component = p.components.get_mut(actor.component as usize)?;
        if !component.wants().record || !records {
            return None;
        }
        let Some(request) = component.next_event() else { return Some(Outcome::Recorded { exchange: None }) };
        self.api.set_now(self.clock.now());
        let program = self.processes.get(actor.process as usize)?.program.as_ref();
        let (request, response) = self.api.record(program, request);
        self.process_mut(actor.process)?
            .components
            .get_mut(actor.component as usize)?
            .event_answered(&response);
        Some(Outcome::Recorded { exchange: Some((Rc::new(request), response)) })
    }

    fn follow(&mut self, actor: Actor) -> Option<Outcome> {
        let p = self.running(actor.process).filter(|p| p.wants(actor.component).informers)?;
        let (started, stopped, ended) = p.follow(actor.component);
        ended.into_iter().for_each(|w| self.api.watches.remove(w));
        Some(Outcome::Informers { started, stopped })
    }

    fn advance(&mut self) -> Option<Outcome> {
        let from = self.clock.now();
        let to = self.clock.next_or_scheduled()?;
        self.advance_to(to);
        Some(Outcome::Advanced { from, to })
    }

    /// Injects a fault into a component. `fault` is a type of the component's room, for example
    /// [`kubelet::KubeletFault`](crate::kubelet::KubeletFault). Returns whether there is such a component, its process
    /// runs, and the component knows the type of the fault.
    pub fn component_fault(&mut self, actor: Actor, fault: &dyn std::any::Any) -> bool {
        self.processes.get(actor.process as usize).is_some_and(|p| p.running) && self.happen_to(actor, fault)
    }

    /// As [`Cluster::component_fault`], also to a component whose process does not run: it finds what has happened when it
    /// runs again.
    pub(super) fn happen_to(&mut self, actor: Actor, fault: &dyn std::any::Any) -> bool {
        let now = self.clock.now();
        let Some(p) = self.process_mut(actor.process) else { return false };
        let running = p.running;
        let Some(component) = p.components.get_mut(actor.component as usize) else { return false };
        let mut timers = Vec::new();
        let taken = component.fault(&mut Env { caches: &p.caches, now, timers: &mut timers }, fault);
        self.set_timers(actor, timers);
        if running {
            self.ready.insert(actor.process);
        }
        taken
    }

    /// Polls of namespaces in which something was written become foreground deadlines. Events and Leases do
    /// not count.
    pub(super) fn notice(&mut self, writes: &[Write]) {
        self.notice_network(writes);
        self.notice_callers(writes);
        self.notice_ingress_classes(writes);
        self.notice_gateway_classes(writes);
        self.notice_storage(writes);
        for w in writes.iter().filter(|w| ![Kind::EVENT, Kind::LEASE].contains(&w.object.kind)) {
            self.clock.changed(&w.object.key.namespace);
            // Kubelets report their Nodes every few minutes, which is no reason for polls of all namespaces.
            if w.object.kind != Kind::NODE {
                self.clock.changed_anywhere();
            }
        }
    }

    /// Sets the time to a moment, whatever else is enabled, and lets components enqueue the keys that are
    /// due.
    pub(super) fn advance_to(&mut self, to: crate::api::Timestamp) {
        let mut due = Vec::new();
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
            due.push(actor);
        }
        order::sort(&mut due);
        due.dedup();
        self.due = due.into_iter().collect();
    }

    fn set_timers(&mut self, actor: Actor, timers: Vec<TimerOp>) {
        for t in timers {
            self.clock.set(actor, t);
        }
    }

    /// Removes a process that has nothing left to do from the ready ones. The informer of the last action is
    /// asked first, because it mostly has something left to do.
    fn settle_readiness(&mut self, id: u32, informer: Option<u16>) {
        let quiet = |n: &Informer| n.is_quiet(&self.api);
        let idle = self.processes.get(id as usize).is_none_or(|p| {
            let first = informer.and_then(|n| p.informers.get(usize::from(n)));
            !p.running
                || (first.is_none_or(|n| quiet(n))
                    && (0..).zip(&p.components).all(|(component, _)| p.wants(component) == Wants::default())
                    && p.informers.iter().all(|n| quiet(n)))
        });
        if idle {
            self.ready.remove(id);
        }
    }
}
