//! A [`Component`] made of a [`Reconciler`]: handlers that fill a queue, and a worker that empties it.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::task::{Poll, Waker};

use super::component::{Component, Env, Progress, Reading, Wants};
use super::context::Context;
use super::handler::{Handler, cancel, plan};
use super::in_flight::{InFlight, Running};
use super::indexer::Caches;
use super::key::AnyKey;
use super::listeners::Notification;
use super::memory::Memory;
use super::origin::Origin;
use super::reconciler::Reconciler;
use super::recorder::{EventFlavour, Recorder};
use super::sync::{Effect, Error, Pending, Published, Shared};
use super::timer::{ANYWHERE, Wait};
use super::watches::{Kinds, Watches};
use super::workqueue::WorkQueue;
use crate::api::{Kind, Object, Timestamp, later};
use crate::apimachinery::{Filter, Request, Response};

/// A [`Component`] made of a [`Reconciler`]: queue, worker, memory and event recorder.
///
/// A sync stops at each of its requests, so that other components may act before the answer. A copy
/// that goes on without the running code runs the sync again from its key, with the answers recorded
/// so far, up to the same request; the effects of the part that is run again were carried out before
/// and are skipped by counting them.
pub struct Controller<R: Reconciler> {
    reconciler: R,
    watches: Rc<Watches<R::State, R::Key>>,
    /// Of the kinds that depend on what is known, those that the process has informers for.
    watching: Option<Kinds>,
    state: R::State,
    /// How many handlers have run, each of which may have changed the state.
    handled: u64,
    queue: WorkQueue,
    in_flight: Option<InFlight<R::State>>,
    recorder: Recorder,
    /// What syncs have published that its process has not heard of yet.
    published: Published,
    /// What syncs have noted; `None` if nobody looks.
    notes: Option<Vec<Rc<dyn Any>>>,
}

// Not derived: that would ask for keys that can be defaulted or compared in ways nobody needs.
impl<R: Reconciler> Clone for Controller<R> {
    fn clone(&self) -> Self {
        Controller {
            reconciler: self.reconciler.clone(),
            watches: self.watches.clone(),
            watching: self.watching.clone(),
            state: self.state.clone(),
            handled: self.handled,
            queue: self.queue.clone(),
            in_flight: self.in_flight.clone(),
            recorder: self.recorder.clone(),
            published: self.published,
            notes: self.notes.clone(),
        }
    }
}

impl<R: Reconciler> Controller<R> {
    /// A controller that has just started.
    pub fn new(reconciler: R) -> Controller<R> {
        let watches = Rc::new(reconciler.watches());
        Controller::started(reconciler, watches, R::State::default())
    }

    /// [`Controller::new`] as a component of a process.
    pub fn boxed(reconciler: R) -> Box<dyn Component> {
        Box::new(Controller::new(reconciler))
    }

    fn started(reconciler: R, watches: Rc<Watches<R::State, R::Key>>, state: R::State) -> Controller<R> {
        let mut queue = WorkQueue::new(reconciler.rate_limit());
        for key in reconciler.initial_keys(&state) {
            queue.add(AnyKey::new(key), &Origin::default());
        }
        let recorder = Recorder::new(reconciler.events());
        let watching = None;
        let (handled, in_flight, published, notes) = (0, None, Published::default(), None);
        Controller {
            reconciler,
            watches,
            watching,
            state,
            handled,
            queue,
            in_flight,
            recorder,
            published,
            notes,
        }
    }

    /// The code of a sync, at its beginning.
    fn begin(&self, f: &InFlight<R::State>) -> Option<Running<R::State>> {
        let key = f.key.get::<R::Key>()?.clone();
        let shared = Rc::new(RefCell::new(Shared {
            caches: f.caches.clone(),
            now: f.now,
            user: self.reconciler.user(),
            state: f.state.clone(),
            answers: Vec::new(),
            seen: Vec::new(),
            cursor: 0,
            pending: None,
            effects: Vec::new(),
            caught_up: false,
            notes: None,
        }));
        let sync = self.reconciler.clone().sync(Context::new(shared.clone()), key);
        Some(Running { code: Box::pin(sync), shared })
    }

    /// Runs a sync until its next request or its end.
    fn run(&mut self, mut f: InFlight<R::State>, env: &mut Env<'_>) -> Progress {
        let Some(mut running) = f.live.take().or_else(|| self.begin(&f)) else {
            let error = Some(Error::Other(format!("the key {} is another component's", f.key)));
            self.queue.done(&f.key);
            return Progress::Done { key: f.key, error };
        };
        {
            let mut shared = running.shared.borrow_mut();
            let have = shared.answers.len();
            shared.answers.extend(f.answers.iter().skip(have).cloned());
            let have = shared.seen.len();
            shared.seen.extend(f.seen.iter().skip(have).cloned());
            shared.pending = None;
            shared.notes = self.notes.is_some().then(Vec::new);
        }
        let poll = running.code.as_mut().poll(&mut std::task::Context::from_waker(Waker::noop()));
        self.carry_out(&mut f, &running.shared, env);
        if let (Some(all), Some(new)) = (self.notes.as_mut(), running.shared.borrow_mut().notes.take()) {
            // What was noted before the last answer belongs to an earlier action.
            let last = f.answers.len();
            all.extend(new.into_iter().filter(|(answers, _)| *answers == last).map(|(_, note)| note));
        }
        match poll {
            Poll::Pending => {
                f.pending = running.shared.borrow_mut().pending.take();
                f.live = RefCell::new(Some(running));
                self.in_flight = Some(f);
                Progress::Waiting
            }
            Poll::Ready(result) => {
                let key = f.key;
                let error = result.err();
                match &error {
                    None => self.queue.forget(&key),
                    Some(_) => self.retry(&key, &f.leads, env),
                }
                self.queue.done(&key);
                Progress::Done { key, error }
            }
        }
    }

    fn retry(&mut self, key: &AnyKey, origin: &Origin, env: &mut Env<'_>) {
        if self.reconciler.max_retries().is_some_and(|max| self.queue.retries(key) >= max) {
            self.queue.forget(key);
            return;
        }
        let at = later(env.now, self.queue.next_delay(key, env.now));
        // To try again a quarter of an hour later what has failed twenty times is no reason to let
        // time pass, unless something has changed.
        let wait = if self.queue.waits_longest(key) {
            Wait::Poll { namespace: ANYWHERE.into() }
        } else {
            Wait::Foreground
        };
        plan(&mut self.queue, env.timers, key, origin, at, wait);
    }

    /// Carries out the effects that are new; those of a part that was run again have been.
    fn carry_out(
        &mut self,
        f: &mut InFlight<R::State>,
        shared: &RefCell<Shared<R::State>>,
        env: &mut Env<'_>,
    ) {
        let (effects, known) = {
            let mut shared = shared.borrow_mut();
            // Running code hands over its effects each time. Code that was built anew hands over all
            // of them from the beginning the first time.
            let known = if shared.caught_up { 0 } else { f.effects_done };
            shared.caught_up = true;
            (std::mem::take(&mut shared.effects), known)
        };
        // Where no handler has changed the state since the sync began, the sync's own state is what
        // would come of changing this one in the same way.
        let alone = f.handled == self.handled;
        let mut changed = false;
        for effect in effects.into_iter().skip(known) {
            f.effects_done += 1;
            match effect {
                Effect::State(_) if alone => changed = true,
                Effect::State(change) => change(&mut self.state),
                Effect::Event(e) => self.recorder.record(*e),
                Effect::Publish(news) => self.published = self.published.or(news),
                Effect::Add(key) => self.queue.add(key, &f.leads),
                Effect::Cancel(key) => cancel(&mut self.queue, env.timers, &key),
                Effect::AddAt { key, at, wait } => {
                    plan(&mut self.queue, env.timers, &key, &f.leads, at, wait)
                }
            }
        }
        if changed {
            self.state.clone_from(&shared.borrow().state);
        }
    }
}

impl<R: Reconciler> Component for Controller<R> {
    fn name(&self) -> Rc<str> {
        self.reconciler.name()
    }

    fn user(&self) -> Rc<str> {
        self.reconciler.user()
    }

    fn event_source(&self) -> Rc<str> {
        match self.reconciler.events() {
            EventFlavour::Core { component, .. } | EventFlavour::Events { component, .. } => component,
        }
    }

    fn watches(&self) -> Vec<(Kind, Filter)> {
        self.watches.all(&self.state)
    }

    fn watching(&mut self) {
        self.watching = self.watches.kinds(&self.state);
    }

    fn wants(&self) -> Wants {
        let pending = self.in_flight.as_ref().map(|f| f.pending.is_some());
        Wants {
            record: !self.recorder.is_idle(),
            send: pending == Some(true),
            start: pending.is_none() && !self.queue.is_empty(),
            informers: self.wants_informers(),
        }
    }

    fn notify(&mut self, env: &mut Env<'_>, watch: usize, seen: &Notification) {
        self.handled += 1;
        let mut handler = Handler::new(
            &mut self.state,
            env.caches,
            env.now,
            &mut self.queue,
            env.timers,
            &mut self.recorder,
            seen.object(),
        );
        self.watches.tell(&mut handler, watch, seen);
    }

    fn wants_informers(&self) -> bool {
        self.watches.differ_from(&self.state, self.watching.as_ref())
    }

    fn fault(&mut self, env: &mut Env<'_>, fault: &dyn Any) -> bool {
        self.handled += 1;
        let mut handler = Handler::new(
            &mut self.state,
            env.caches,
            env.now,
            &mut self.queue,
            env.timers,
            &mut self.recorder,
            None,
        );
        self.reconciler.fault(&mut handler, fault)
    }

    fn fire(&mut self, key: &AnyKey) {
        self.queue.fire(key);
    }

    fn queue(&self) -> &WorkQueue {
        &self.queue
    }

    fn working_on(&self) -> Option<&AnyKey> {
        self.in_flight.as_ref().map(|f| &f.key)
    }

    fn start(&mut self, env: &mut Env<'_>) -> Option<Progress> {
        if self.in_flight.is_some() {
            return None;
        }
        let (key, origin) = self.queue.get()?;
        let f = InFlight::new(key, origin, env, self.state.clone(), self.handled);
        Some(self.run(f, env))
    }

    fn origin(&self) -> Option<&Origin> {
        self.in_flight.as_ref().map(|f| &f.origin)
    }

    fn caches_at_start(&self) -> Option<&Caches> {
        self.in_flight.as_ref().map(|f| &*f.caches)
    }

    fn caches_at_answer(&self) -> Option<&Caches> {
        self.in_flight.as_ref().and_then(|f| f.seen.last()).map(|c| &**c)
    }

    fn answer_codes(&self) -> Vec<u16> {
        self.in_flight.iter().flat_map(|f| &f.answers).map(|a| a.code()).collect()
    }

    fn remembers(&self, now: Timestamp) -> Vec<String> {
        self.state.lines(now)
    }

    fn waits_for(&self, caches: &Caches) -> Vec<String> {
        self.state.waits_for(caches)
    }

    fn pending(&self) -> Option<&Pending> {
        self.in_flight.as_ref()?.pending.as_ref()
    }

    fn answered(&mut self, env: &mut Env<'_>, answer: Response) -> Option<Progress> {
        let mut f = self.in_flight.take()?;
        let writes = f.pending.as_ref().is_some_and(|p| p.request.verb.writes());
        if let Response::Object { object, .. } = &answer
            && writes
            && let Some(revision) = object.revision()
        {
            f.leads = Origin::write(revision);
        }
        f.answers.push(Rc::new(answer));
        if self.reconciler.reads_again() {
            f.seen.push(env.caches.clone());
        }
        f.pending = None;
        Some(self.run(f, env))
    }

    fn events_waiting(&self) -> usize {
        self.recorder.waiting()
    }

    fn next_event(&mut self) -> Option<Request> {
        let user = self.reconciler.user();
        self.recorder.next_request(&user)
    }

    fn event_answered(&mut self, answer: &Response) {
        self.recorder.answered(answer);
    }

    fn restart(&mut self) {
        let state = self.reconciler.restarted(&self.state);
        *self = Controller::started(self.reconciler.clone(), self.watches.clone(), state);
    }

    fn boxed_clone(&self) -> Box<dyn Component> {
        Box::new(self.clone())
    }

    fn state(&self) -> &dyn Any {
        &self.state
    }

    fn take_published(&mut self) -> Published {
        std::mem::take(&mut self.published)
    }

    fn look(&mut self) {
        self.notes = Some(Vec::new());
    }

    fn take_notes(&mut self) -> Vec<Rc<dyn Any>> {
        self.notes.take().unwrap_or_default()
    }

    fn metrics(&self, reading: &Reading<'_>) -> Option<Vec<Object>> {
        self.reconciler.metrics(&self.state, reading)
    }
}
