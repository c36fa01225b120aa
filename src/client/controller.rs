//! A component: handlers that fill a queue, and a worker that empties it.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use jiff::SignedDuration;

use super::context::{Context, Effect, Error, Result, Shared};
use super::indexer::Caches;
use super::informer::Notification;
use super::recorder::{EventFlavour, Recorder};
use super::why::Why;
use super::workqueue::WorkQueue;
use crate::api::{Key, Kind, Timestamp, later};
use crate::apimachinery::{Filter, Request, Response};

/// What makes one controller differ from another: what it watches, how it turns a notification
/// into keys, and what it does with a key.
pub trait Reconciler: Clone + 'static {
    /// What it remembers between syncs. Cloned often: persistent maps, `Rc`s, small values.
    type State: Clone + Default + 'static;

    /// Its name, as in a controller-manager's `--controllers`.
    fn name(&self) -> Rc<str>;

    /// Who it is to the API server, as in `system:serviceaccount:kube-system:<user>`.
    fn user(&self) -> Rc<str> {
        self.name()
    }

    /// Which of the event APIs it writes with, and as whom.
    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: self.name(), host: None }
    }

    /// The kinds it has handlers on.
    fn watches(&self) -> Vec<(Kind, Filter)>;

    /// Keys to start with: what runs by the clock and waits for no event.
    fn initial_keys(&self) -> Vec<Key> {
        Vec::new()
    }

    /// A handler: turns what was seen into keys.
    fn handle(&self, cx: &mut Handler<'_, Self::State>, seen: &Notification);

    /// Works on a key.
    fn sync(self, cx: Context<Self::State>, key: Key) -> impl Future<Output = Result> + 'static;

    /// A person makes something go wrong: data of the component's own room (a kubelet's `Fault`).
    fn fault(&self, _cx: &mut Handler<'_, Self::State>, _fault: &dyn Any) {}

    /// What is left of its memory when it crashed and starts anew: nothing, unless something beside
    /// the process remembers it.
    fn restarted(&self, _state: &Self::State) -> Self::State {
        Self::State::default()
    }

    /// What it remembers, a line each, for whoever looks inside. Names are written whole and moments
    /// as RFC 3339, so that the explorer can tell two memories apart that differ in more than these.
    fn memory(&self, _state: &Self::State) -> Vec<String> {
        Vec::new()
    }

    /// After how many failures in a row a key is dropped; never by default.
    fn max_retries(&self) -> Option<u32> {
        None
    }
}

/// What a handler can do.
pub struct Handler<'a, S> {
    /// What the controller remembers.
    pub state: &'a mut S,
    /// What the informers have seen.
    pub caches: &'a Caches,
    /// The time.
    pub now: Timestamp,
    queue: &'a mut WorkQueue,
    timers: &'a mut Vec<TimerOp>,
}

impl<S> Handler<'_, S> {
    /// Adds a key.
    pub fn enqueue(&mut self, key: Key) {
        self.queue.add(key);
    }

    /// Adds a key after a while.
    pub fn enqueue_after(&mut self, key: &Key, after: SignedDuration, background: bool) {
        let wait = if background { Wait::Background } else { Wait::Foreground };
        self.enqueue_waiting(key, after, wait);
    }

    /// Adds a key after a while, and says who waits for it.
    pub fn enqueue_waiting(&mut self, key: &Key, after: SignedDuration, wait: Wait) {
        let at = later(self.now, after.max(SignedDuration::ZERO));
        plan(self.queue, self.timers, key, at, wait);
    }

    /// Whether anything is planned.
    pub fn has_plans(&self) -> bool {
        self.queue.planned().next().is_some()
    }

    /// Takes back what was planned for a key.
    pub fn cancel(&mut self, key: &Key) {
        cancel(self.queue, self.timers, key);
    }
}

fn cancel(queue: &mut WorkQueue, timers: &mut Vec<TimerOp>, key: &Key) {
    if let Some(at) = queue.cancel(key) {
        timers.push(TimerOp { key: key.clone(), at, replaces: Some(at), wait: Wait::Cancelled });
    }
}

fn plan(queue: &mut WorkQueue, timers: &mut Vec<TimerOp>, key: &Key, at: Timestamp, wait: Wait) {
    if let Some(replaces) = queue.add_at(key, at) {
        timers.push(TimerOp { key: key.clone(), at, replaces, wait });
    }
}

/// The namespace of a poll that any write but a node's own may concern. No namespace is called so.
pub const ANYWHERE: &str = "*";

/// Who waits for a deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The cluster: it is not steady before.
    Foreground,
    /// Nobody: it does not come any more.
    Cancelled,
    /// Nobody: it comes when time passes anyway. Heartbeats and resyncs.
    Background,
    /// Nobody, until something in a namespace is written; then the cluster. Looking again where
    /// nothing has changed is no reason to let time pass.
    Poll {
        /// The namespace that is looked at; [`ANYWHERE`] for all, and what is in none.
        namespace: Rc<str>,
    },
    /// The cluster, as soon as the node's kubelet has stopped. While it runs its heartbeats come
    /// in time, so a deadline for them never comes, however time jumps. It comes after everything
    /// else that is due at its moment, so that a heartbeat of that moment has been heard.
    Watchdog {
        /// The node whose heart beats.
        node: Rc<str>,
        /// How long after the kubelet stopped it comes at the soonest: the heartbeats before that
        /// have been in time, whether or not time was there for each to be written.
        after: SignedDuration,
    },
}

/// A key's timer is set, set earlier, or cancelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimerOp {
    /// The key.
    pub key: Key,
    /// When it comes.
    pub at: Timestamp,
    /// The plan it replaces.
    pub replaces: Option<Timestamp>,
    /// Who waits for it.
    pub wait: Wait,
}

/// A request that a sync stopped at.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// It.
    pub request: Rc<Request>,
    /// Why.
    pub why: Option<Rc<Why>>,
    /// A heartbeat: it is sent like any other request, but is no step of its own.
    pub background: bool,
}

/// What the surroundings lend a component for one action.
pub struct Env<'a> {
    /// What its process has seen.
    pub caches: &'a Rc<Caches>,
    /// The time.
    pub now: Timestamp,
    /// Timers it sets.
    pub timers: &'a mut Vec<TimerOp>,
}

/// How a sync stands after an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// It has a request to send.
    Waiting,
    /// It ended.
    Done {
        /// Its key.
        key: Key,
        /// What it failed with.
        error: Option<Error>,
    },
}

/// A component, whatever its reconciler: what the cluster drives.
pub trait Component {
    /// Its name.
    fn name(&self) -> Rc<str>;
    /// Who it is to the API server.
    fn user(&self) -> Rc<str>;
    /// The kinds it has handlers on.
    fn watches(&self) -> Vec<(Kind, Filter)>;
    /// A handler runs.
    fn notify(&mut self, env: &mut Env<'_>, seen: &Notification);
    /// A person makes something go wrong: data of the component's own room (a kubelet's `Fault`).
    fn fault(&mut self, _env: &mut Env<'_>, _fault: &dyn Any) {}
    /// A planned moment has come.
    fn fire(&mut self, key: &Key);
    /// Its queue.
    fn queue(&self) -> &WorkQueue;
    /// The key it works on.
    fn working_on(&self) -> Option<&Key>;
    /// Takes a key and runs until its first request. `None` if there is no key, or it is at work.
    fn start(&mut self, env: &mut Env<'_>) -> Option<Progress>;
    /// The caches that the sync under way began with.
    fn caches_at_start(&self) -> Option<&Caches>;
    /// How many answers the sync under way has got.
    fn answers(&self) -> usize;
    /// The status codes of these, in order.
    fn answer_codes(&self) -> Vec<u16>;
    /// What its reconciler remembers; see [`Reconciler::memory`].
    fn memory(&self) -> Vec<String>;
    /// The request it stopped at.
    fn pending(&self) -> Option<&Pending>;
    /// The answer came: it runs until its next request.
    fn answered(&mut self, env: &mut Env<'_>, answer: Response) -> Progress;
    /// Whether it has events to write.
    fn has_events(&self) -> bool;
    /// How many events it has recorded that are not written yet.
    fn events_waiting(&self) -> usize;
    /// The next event's request.
    fn next_event(&mut self) -> Option<Request>;
    /// The answer to an event's request.
    fn event_answered(&mut self, answer: &Response);
    /// It crashed and starts anew: memory, queue and work are lost.
    fn restart(&mut self);
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn Component>;
    /// Its reconciler's state, for views of a particular component.
    fn state(&self) -> &dyn Any;
}

impl Clone for Box<dyn Component> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

impl fmt::Debug for dyn Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Component")
            .field("name", &self.name())
            .field("queue", self.queue())
            .finish_non_exhaustive()
    }
}

type Running = Pin<Box<dyn Future<Output = Result>>>;

/// A sync under way. What it is made of (key, caches, answers) is cloned; the running code is not
/// and is run again from these when it is needed.
struct InFlight<S> {
    key: Key,
    caches: Rc<Caches>,
    now: Timestamp,
    /// What the controller remembered when the sync began.
    state: S,
    /// The number of handlers that had run by then.
    handled: u64,
    answers: Vec<Rc<Response>>,
    pending: Option<Pending>,
    /// How many of its effects have been carried out.
    effects_done: usize,
    /// The running code, if this value has it. Whoever goes on first takes it along.
    live: RefCell<Option<(Running, Context<S>)>>,
}

impl<S: Clone> Clone for InFlight<S> {
    fn clone(&self) -> Self {
        InFlight {
            key: self.key.clone(),
            caches: self.caches.clone(),
            now: self.now,
            state: self.state.clone(),
            handled: self.handled,
            answers: self.answers.clone(),
            pending: self.pending.clone(),
            effects_done: self.effects_done,
            // A value is copied because its copy is about to be changed (`Rc::make_mut`), so the
            // copy is the one that will go on; the original stands where it was and can be run
            // again up to here.
            live: RefCell::new(self.live.take()),
        }
    }
}

/// A [`Component`] made of a [`Reconciler`]: queue, worker, memory and event recorder.
#[derive(Clone)]
pub struct Controller<R: Reconciler> {
    reconciler: R,
    state: R::State,
    /// How many handlers have run, each of which may have changed the state.
    handled: u64,
    queue: WorkQueue,
    in_flight: Option<InFlight<R::State>>,
    recorder: Recorder,
}

impl<R: Reconciler> Controller<R> {
    /// A controller that has just started.
    pub fn new(reconciler: R) -> Controller<R> {
        let mut queue = WorkQueue::default();
        for key in reconciler.initial_keys() {
            queue.add(key);
        }
        let recorder = Recorder::new(reconciler.events());
        Controller { reconciler, state: R::State::default(), handled: 0, queue, in_flight: None, recorder }
    }

    /// The same, boxed.
    pub fn boxed(reconciler: R) -> Box<dyn Component> {
        Box::new(Controller::new(reconciler))
    }

    /// Runs the sync until its next request or its end.
    fn run(&mut self, env: &mut Env<'_>) -> Progress {
        let Some(mut f) = self.in_flight.take() else {
            return Progress::Done { key: Key::new("", ""), error: None };
        };
        let (mut running, cx) = f.live.take().unwrap_or_else(|| {
            let cx = Context::new(Shared {
                caches: f.caches.clone(),
                now: f.now,
                user: self.reconciler.user(),
                state: f.state.clone(),
                answers: Vec::new(),
                cursor: 0,
                pending: None,
                effects: Vec::new(),
                caught_up: false,
            });
            let future: Running = Box::pin(self.reconciler.clone().sync(cx.clone(), f.key.clone()));
            (future, cx)
        });
        {
            let mut shared = cx.shared.borrow_mut();
            let have = shared.answers.len();
            shared.answers.extend(f.answers.iter().skip(have).cloned());
            shared.pending = None;
        }
        let poll = running.as_mut().poll(&mut std::task::Context::from_waker(Waker::noop()));
        self.carry_out(&mut f, &cx, env);
        match poll {
            Poll::Pending => {
                f.pending = cx.shared.borrow_mut().pending.take();
                f.live = RefCell::new(Some((running, cx)));
                self.in_flight = Some(f);
                Progress::Waiting
            }
            Poll::Ready(result) => {
                let key = f.key;
                let error = result.err();
                match &error {
                    None => self.queue.forget(&key),
                    Some(_) => self.retry(&key, env),
                }
                self.queue.done(&key);
                Progress::Done { key, error }
            }
        }
    }

    fn retry(&mut self, key: &Key, env: &mut Env<'_>) {
        if self.reconciler.max_retries().is_some_and(|max| self.queue.retries(key) >= max) {
            self.queue.forget(key);
            return;
        }
        let at = later(env.now, self.queue.next_delay(key, env.now));
        // Trying again a quarter of an hour later what has failed twenty times is no reason to let
        // time pass, unless something has changed.
        let wait = if self.queue.waits_longest(key) {
            Wait::Poll { namespace: ANYWHERE.into() }
        } else {
            Wait::Foreground
        };
        plan(&mut self.queue, env.timers, key, at, wait);
    }

    /// Carries out the effects that are new; those of a part that was only run again are known.
    fn carry_out(&mut self, f: &mut InFlight<R::State>, cx: &Context<R::State>, env: &mut Env<'_>) {
        let (effects, known) = {
            let mut shared = cx.shared.borrow_mut();
            // A live future hands over its effects each time; one that was built anew handed over
            // all of them from the beginning the first time.
            let known = if shared.caught_up { 0 } else { f.effects_done };
            shared.caught_up = true;
            (std::mem::take(&mut shared.effects), known)
        };
        // Where nothing else changed the state since the sync began, the sync's own is what would come
        // of changing this one in the same way.
        let alone = f.handled == self.handled;
        let mut changed = false;
        for effect in effects.into_iter().skip(known) {
            f.effects_done += 1;
            match effect {
                Effect::State(_) if alone => changed = true,
                Effect::State(change) => change(&mut self.state),
                Effect::Event(e) => self.recorder.record(*e),
                Effect::Add(key) => self.queue.add(key),
                Effect::Cancel(key) => cancel(&mut self.queue, env.timers, &key),
                Effect::AddAt { key, at, wait } => plan(&mut self.queue, env.timers, &key, at, wait),
            }
        }
        if changed {
            self.state.clone_from(&cx.shared.borrow().state);
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

    fn watches(&self) -> Vec<(Kind, Filter)> {
        self.reconciler.watches()
    }

    fn notify(&mut self, env: &mut Env<'_>, seen: &Notification) {
        self.handled += 1;
        let mut cx = Handler {
            state: &mut self.state,
            caches: env.caches,
            now: env.now,
            queue: &mut self.queue,
            timers: env.timers,
        };
        self.reconciler.handle(&mut cx, seen);
    }

    fn fault(&mut self, env: &mut Env<'_>, fault: &dyn Any) {
        self.handled += 1;
        let mut cx = Handler {
            state: &mut self.state,
            caches: env.caches,
            now: env.now,
            queue: &mut self.queue,
            timers: env.timers,
        };
        self.reconciler.fault(&mut cx, fault);
    }

    fn fire(&mut self, key: &Key) {
        self.queue.fire(key);
    }

    fn queue(&self) -> &WorkQueue {
        &self.queue
    }

    fn working_on(&self) -> Option<&Key> {
        self.in_flight.as_ref().map(|f| &f.key)
    }

    fn start(&mut self, env: &mut Env<'_>) -> Option<Progress> {
        if self.in_flight.is_some() {
            return None;
        }
        let key = self.queue.get()?;
        self.in_flight = Some(InFlight {
            key,
            caches: env.caches.clone(),
            now: env.now,
            state: self.state.clone(),
            handled: self.handled,
            answers: Vec::new(),
            pending: None,
            effects_done: 0,
            live: RefCell::new(None),
        });
        Some(self.run(env))
    }

    fn caches_at_start(&self) -> Option<&Caches> {
        self.in_flight.as_ref().map(|f| &*f.caches)
    }

    fn answers(&self) -> usize {
        self.in_flight.as_ref().map_or(0, |f| f.answers.len())
    }

    fn answer_codes(&self) -> Vec<u16> {
        self.in_flight.iter().flat_map(|f| &f.answers).map(|a| a.code()).collect()
    }

    fn memory(&self) -> Vec<String> {
        self.reconciler.memory(&self.state)
    }

    fn pending(&self) -> Option<&Pending> {
        self.in_flight.as_ref()?.pending.as_ref()
    }

    fn answered(&mut self, env: &mut Env<'_>, answer: Response) -> Progress {
        if let Some(f) = self.in_flight.as_mut() {
            f.answers.push(Rc::new(answer));
            f.pending = None;
        }
        self.run(env)
    }

    fn has_events(&self) -> bool {
        !self.recorder.is_idle()
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
        *self = Controller::new(self.reconciler.clone());
        self.state = state;
    }

    fn boxed_clone(&self) -> Box<dyn Component> {
        Box::new(self.clone())
    }

    fn state(&self) -> &dyn Any {
        &self.state
    }
}
