//! What the handlers of a controller work with: [`Handler`], and the change they are told, [`Seen`].

use std::marker::PhantomData;
use std::rc::Rc;

use jiff::SignedDuration;

use super::context::object_reference;
use super::indexer::Caches;
use super::key::{AnyKey, WorkKey};
use super::listeners::Notification;
use super::origin::Origin;
use super::recorder::{Recorded, Recorder};
use super::timer::{TimerOp, Wait};
use super::workqueue::WorkQueue;
use crate::api::{ApiKind, Key, Object, Timestamp, later};

/// A change of an object of a kind, as a handler hears of it: `OnAdd`, `OnUpdate`, `OnDelete`.
#[derive(Debug)]
pub struct Seen<'a, T> {
    /// Namespace and name.
    pub key: &'a Key,
    /// The object before; `None` if it is new.
    pub old: Option<&'a Rc<T>>,
    /// The object after; `None` if it is gone.
    pub new: Option<&'a Rc<T>>,
    latest: &'a Rc<T>,
}

// Not derived: that would ask for a `T` that can be copied.
impl<T> Clone for Seen<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Seen<'_, T> {}

impl<'a, T: ApiKind> Seen<'a, T> {
    /// The change, if it is one of a `T`.
    pub fn of(seen: &'a Notification) -> Option<Seen<'a, T>> {
        let old = seen.old.as_ref().and_then(T::from_object);
        let new = seen.new.as_ref().and_then(T::from_object);
        Some(Seen { key: &seen.key, old, new, latest: new.or(old)? })
    }

    /// The object in its last known state.
    pub fn object(&self) -> &'a Rc<T> {
        self.latest
    }

    /// Whether it is gone.
    pub fn is_gone(&self) -> bool {
        self.new.is_none()
    }
}

/// What a handler works with.
pub struct Handler<'a, S = (), K = Key> {
    /// What the controller remembers.
    pub state: &'a mut S,
    /// What the informers have seen.
    pub caches: &'a Caches,
    /// The time.
    pub now: Timestamp,
    queue: &'a mut WorkQueue,
    timers: &'a mut Vec<TimerOp>,
    recorder: &'a mut Recorder,
    /// What the handler heard of: the keys that are added follow from it. `None` for a fault.
    heard: Option<&'a Object>,
    key: PhantomData<fn(K)>,
}

impl<'a, S, K: WorkKey> Handler<'a, S, K> {
    pub(super) fn new(
        state: &'a mut S,
        caches: &'a Caches,
        now: Timestamp,
        queue: &'a mut WorkQueue,
        timers: &'a mut Vec<TimerOp>,
        recorder: &'a mut Recorder,
        heard: Option<&'a Object>,
    ) -> Handler<'a, S, K> {
        Handler { state, caches, now, queue, timers, recorder, heard, key: PhantomData }
    }

    /// Records an event about an object.
    pub fn event<T: ApiKind>(
        &mut self,
        about: &T,
        type_: &'static str,
        reason: &str,
        message: impl Into<String>,
    ) {
        self.recorder.record(Recorded {
            about: object_reference(about),
            type_,
            reason: reason.into(),
            message: message.into(),
            action: "",
            at: self.now,
        });
    }

    /// Adds a key.
    pub fn enqueue(&mut self, key: K) {
        self.queue.add(AnyKey::new(key), &Origin::heard(self.heard));
    }

    /// Adds a key after a while. The cluster is not steady before that.
    pub fn enqueue_after(&mut self, key: K, after: SignedDuration) {
        self.enqueue_waiting(key, after, Wait::Foreground);
    }

    /// Adds a key after a while, and says what waits for it.
    pub fn enqueue_waiting(&mut self, key: K, after: SignedDuration, wait: Wait) {
        let at = later(self.now, after.max(SignedDuration::ZERO));
        plan(self.queue, self.timers, &AnyKey::new(key), &Origin::heard(self.heard), at, wait);
    }

    /// Whether any key is planned for later.
    pub fn has_plans(&self) -> bool {
        self.queue.planned().next().is_some()
    }

    /// Takes back what was planned for a key.
    pub fn cancel(&mut self, key: K) {
        cancel(self.queue, self.timers, &AnyKey::new(key));
    }
}

pub(super) fn cancel(queue: &mut WorkQueue, timers: &mut Vec<TimerOp>, key: &AnyKey) {
    if let Some(at) = queue.cancel(key) {
        timers.push(TimerOp::Cancel { key: key.clone(), at });
    }
}

pub(super) fn plan(
    queue: &mut WorkQueue,
    timers: &mut Vec<TimerOp>,
    key: &AnyKey,
    origin: &Origin,
    at: Timestamp,
    wait: Wait,
) {
    if let Some(replaces) = queue.add_at(key, at, origin) {
        timers.push(TimerOp::Set { key: key.clone(), at, replaces, wait });
    }
}
