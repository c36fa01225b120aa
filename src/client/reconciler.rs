//! What a controller says of itself, [`Reconciler`], and what its handlers can do, [`Handler`].

use std::any::Any;
use std::future::Future;
use std::marker::PhantomData;
use std::rc::Rc;

use jiff::SignedDuration;

use super::context::{Context, Result};
use super::indexer::Caches;
use super::key::{AnyKey, WorkKey};
use super::recorder::EventFlavour;
use super::watches::Watches;
use super::workqueue::{RateLimit, WorkQueue};
use crate::api::{Key, Timestamp, later};

/// What makes one controller differ from another: what it watches, how a change becomes keys, and
/// what it does with a key.
///
/// ```
/// use std::rc::Rc;
/// use steady::api::types::Namespace;
/// use steady::api::{Key, MetaExt};
/// use steady::client::{Context, Reconciler, Result, Watches};
///
/// /// Records an event about each namespace that is being deleted.
/// #[derive(Clone)]
/// struct Mourner;
///
/// impl Reconciler for Mourner {
///     type Key = Key;
///     type State = ();
///     fn name(&self) -> Rc<str> {
///         "mourner".into()
///     }
///     fn watches(&self) -> Watches {
///         Watches::new().for_::<Namespace>()
///     }
///     async fn sync(self, cx: Context, key: Key) -> Result {
///         let Some(ns) = cx.lister::<Namespace>().get(&key).cloned() else { return Ok(()) };
///         if ns.metadata.is_deleting() {
///             cx.event(&*ns, "Normal", "Farewell", "It is about to go");
///         }
///         Ok(())
///     }
/// }
/// ```
pub trait Reconciler: Clone + 'static {
    /// What its work queue holds: [`Key`], an object's namespace and name, or an enum where it has
    /// several sorts of work.
    type Key: WorkKey;
    /// What it remembers between syncs; `()` if nothing.
    type State: Memory;

    /// Its name, as in a controller-manager's `--controllers`.
    fn name(&self) -> Rc<str>;

    /// Its user at the API server: `x` of `system:serviceaccount:kube-system:x`.
    fn user(&self) -> Rc<str> {
        self.name()
    }

    /// Which of the event APIs it writes with, and as which component.
    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: self.name(), host: None }
    }

    /// The kinds that it watches, and what a change of each means to it.
    fn watches(&self) -> Watches<Self::State, Self::Key>;

    /// Keys to start with: work that is done by the clock and that no change leads to.
    fn initial_keys(&self) -> Vec<Self::Key> {
        Vec::new()
    }

    /// Works on a key. It reads nothing but `cx` and awaits nothing but requests of `cx`, so that it
    /// does the same when it is run again (see [`Controller`](super::Controller)).
    fn sync(
        self,
        cx: Context<Self::State, Self::Key>,
        key: Self::Key,
    ) -> impl Future<Output = Result> + 'static;

    /// A person makes something go wrong in the component. `fault` is a type of the component's own
    /// room, as [`kubelet::Fault`](crate::kubelet::Fault).
    fn fault(&self, _cx: &mut Handler<'_, Self::State, Self::Key>, _fault: &dyn Any) {}

    /// The state after a restart of its process: the default, unless something beside the process
    /// (a disk, a container runtime) keeps a part of it.
    fn restarted(&self, _state: &Self::State) -> Self::State {
        Self::State::default()
    }

    /// How long a key waits that failed.
    fn rate_limit(&self) -> RateLimit {
        RateLimit::default()
    }

    /// After how many failures in a row a key is dropped; never if `None`.
    fn max_retries(&self) -> Option<u32> {
        None
    }
}

/// What a controller remembers between syncs. It is cloned with every step, so it is made of
/// persistent maps ([`Map`](crate::api::persistent::Map)), `Rc`s and small values.
pub trait Memory: Clone + Default + 'static {
    /// What is remembered, a line each, for the component map and for the explorer, which takes two
    /// states of a cluster for one if these lines are the same.
    ///
    /// Whatever can change what the controller writes later has to be in the lines. Names of objects
    /// are written whole and uids and moments (as RFC 3339) too: the explorer replaces a name by the
    /// object it stands for and leaves moments out. A moment that decides something later is written
    /// as milliseconds from `now`.
    fn lines(&self, now: Timestamp) -> Vec<String>;
}

impl Memory for () {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        Vec::new()
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
    key: PhantomData<fn(K)>,
}

impl<'a, S, K: WorkKey> Handler<'a, S, K> {
    pub(super) fn new(
        state: &'a mut S,
        caches: &'a Caches,
        now: Timestamp,
        queue: &'a mut WorkQueue,
        timers: &'a mut Vec<TimerOp>,
    ) -> Handler<'a, S, K> {
        Handler { state, caches, now, queue, timers, key: PhantomData }
    }

    /// Adds a key.
    pub fn enqueue(&mut self, key: K) {
        self.queue.add(AnyKey::new(key));
    }

    /// Adds a key after a while. The cluster is not steady before that.
    pub fn enqueue_after(&mut self, key: K, after: SignedDuration) {
        self.enqueue_waiting(key, after, Wait::Foreground);
    }

    /// Adds a key after a while, and says what waits for it.
    pub fn enqueue_waiting(&mut self, key: K, after: SignedDuration, wait: Wait) {
        let at = later(self.now, after.max(SignedDuration::ZERO));
        plan(self.queue, self.timers, &AnyKey::new(key), at, wait);
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
        timers.push(TimerOp { key: key.clone(), at, replaces: Some(at), wait: Wait::Cancelled });
    }
}

pub(super) fn plan(
    queue: &mut WorkQueue,
    timers: &mut Vec<TimerOp>,
    key: &AnyKey,
    at: Timestamp,
    wait: Wait,
) {
    if let Some(replaces) = queue.add_at(key, at) {
        timers.push(TimerOp { key: key.clone(), at, replaces, wait });
    }
}

/// The namespace of a [`Wait::Poll`] that looks at all objects but Nodes, in whatever namespace or
/// in none. No namespace has this name.
pub const ANYWHERE: &str = "*";

/// Whether a cluster waits for a deadline: whether time passes in order to meet it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The cluster waits; it is not steady before.
    Foreground,
    /// The deadline is taken back.
    Cancelled,
    /// The cluster does not wait. The deadline is met when time passes for another reason: heartbeats
    /// and resyncs.
    Background,
    /// The cluster does not wait until something in a namespace is written, and waits from then on.
    /// To look again where nothing has changed is no reason to let time pass.
    Poll {
        /// The namespace; [`ANYWHERE`] for all, and for objects in none.
        namespace: Rc<str>,
    },
    /// The deadline belongs to a schedule that never ends, so the cluster does not wait: it is steady until then. The
    /// deadline is met on time when time passes for another reason, and time passes to it when a person lets it
    /// ([`Action::Advance`](crate::cluster::Action::Advance)).
    Schedule,
    /// The cluster waits from the moment on at which the node's kubelet stops. A kubelet that runs
    /// renews its heartbeat in time, so a deadline for it is never met, however far time jumps. The
    /// deadline is met after everything else that is due at its moment, so that a heartbeat of that
    /// moment has been heard.
    Watchdog {
        /// The node.
        node: Rc<str>,
        /// How long after the kubelet stopped the deadline is met at the soonest: heartbeats before
        /// that were in time, whether or not time was there for each to be written.
        after: SignedDuration,
    },
}

/// A key's timer is set, set to an earlier moment, or cancelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimerOp {
    /// The key.
    pub key: AnyKey,
    /// The moment.
    pub at: Timestamp,
    /// The plan it replaces.
    pub replaces: Option<Timestamp>,
    /// Whether the cluster waits for it.
    pub wait: Wait,
}
