//! A component as its process drives it, whatever its reconciler: [`Component`].

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use super::indexer::Caches;
use super::key::AnyKey;
use super::listeners::Notification;
use super::origin::Origin;
use super::sync::{Error, Pending, Published};
use super::timer::TimerOp;
use super::workqueue::WorkQueue;
use crate::api::{Key, Kind, Object, Timestamp};
use crate::apimachinery::{Filter, Request, Response};

/// What a process lends a component for one action.
pub struct Env<'a> {
    /// What its informers have seen.
    pub caches: &'a Rc<Caches>,
    /// The time.
    pub now: Timestamp,
    /// Where timers go that the component sets.
    pub timers: &'a mut Vec<TimerOp>,
}

/// What a component is told when it is asked what is used ([`Component::metrics`]).
pub struct Reading<'a> {
    /// What its informers have seen.
    pub caches: &'a Caches,
    /// The time.
    pub now: Timestamp,
    /// The work that requests make.
    pub load: &'a Load,
}

/// The work that requests make for pods, in billionths of a CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// What a load that is declared at Services makes for the first container of a pod. Pods without it are absent.
    pub of_services: Rc<BTreeMap<Key, i64>>,
    /// What the requests of clients make for a container of a pod. Containers without it are absent.
    pub of_clients: BTreeMap<(Key, Rc<str>), i64>,
}

impl Load {
    /// The work of a container.
    pub fn of(&self, pod: &Key, container: &str, is_first: bool) -> i64 {
        let declared = self.of_services.get(pod).filter(|_| is_first).copied().unwrap_or(0);
        let sent = self.of_clients.get(&(pod.clone(), Rc::from(container))).copied().unwrap_or(0);
        declared.saturating_add(sent)
    }
}

/// How a sync stands after an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// It has a request to send.
    Waiting,
    /// The sync ended.
    Done {
        /// The key of the sync.
        key: AnyKey,
        /// What it failed with.
        error: Option<Error>,
    },
}

/// What a component could do next, apart from hearing of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// It has events to write.
    pub record: bool,
    /// Its sync stopped at a request.
    pub send: bool,
    /// It has a key and works on none.
    pub start: bool,
    /// The kinds that it watches are others than those its process has informers for.
    pub informers: bool,
}

/// A component, whatever its reconciler.
pub trait Component {
    /// The component's name.
    fn name(&self) -> Rc<str>;
    /// Its user at the API server.
    fn user(&self) -> Rc<str>;
    /// The component that its events name as their source.
    fn event_source(&self) -> Rc<str>;
    /// The kinds that it watches, as things stand.
    fn watches(&self) -> Vec<(Kind, Filter)>;
    /// Its process has informers for all that [`Component::watches`] gives.
    fn watching(&mut self);
    /// What it could do next.
    fn wants(&self) -> Wants;
    /// The handlers of one of its watches hear of a change. `watch` is the watch's place in
    /// [`Component::watches`]. Nothing but [`Wants::start`] and [`Wants::informers`] changes by it.
    fn notify(&mut self, env: &mut Env<'_>, watch: usize, seen: &Notification);
    /// Whether the kinds that it watches are others than those its process has informers for; the same as
    /// [`Wants::informers`].
    fn wants_informers(&self) -> bool;
    /// A person makes something go wrong; see [`Reconciler::fault`](super::Reconciler::fault). Returns whether the
    /// component knows the type of the fault.
    fn fault(&mut self, env: &mut Env<'_>, fault: &dyn Any) -> bool;
    /// A planned moment has come.
    fn fire(&mut self, key: &AnyKey);
    /// The component's work queue.
    fn queue(&self) -> &WorkQueue;
    /// The key it works on.
    fn working_on(&self) -> Option<&AnyKey>;
    /// Takes a key and runs until its first request. `None` if there is no key, or it is at work.
    fn start(&mut self, env: &mut Env<'_>) -> Option<Progress>;
    /// What the sync under way followed from.
    fn origin(&self) -> Option<&Origin>;
    /// The caches that the sync under way began with.
    fn caches_at_start(&self) -> Option<&Caches>;
    /// The caches at the time of the last answer that the sync under way has got, if it may read them
    /// ([`Reconciler::reads_again`](super::Reconciler::reads_again)).
    fn caches_at_answer(&self) -> Option<&Caches>;
    /// The status codes of the answers that the sync under way has got, in order.
    fn answer_codes(&self) -> Vec<u16>;
    /// What its reconciler remembers, and what it waits for until the caches of its process have it; see
    /// [`Memory`](super::Memory).
    fn memory(&self, caches: &Caches, now: Timestamp) -> Vec<String> {
        let mut lines = self.remembers(now);
        lines.extend(self.waits_for(caches));
        lines
    }
    /// The part of [`Component::memory`] that depends on nothing but the component and the time.
    fn remembers(&self, now: Timestamp) -> Vec<String>;
    /// The part of [`Component::memory`] that depends on the caches of its process.
    fn waits_for(&self, caches: &Caches) -> Vec<String>;
    /// The request that its sync stopped at.
    fn pending(&self) -> Option<&Pending>;
    /// The answer came: the sync runs until its next request. `None` if no sync waits for an answer.
    fn answered(&mut self, env: &mut Env<'_>, answer: Response) -> Option<Progress>;
    /// How many events it has recorded that are not written yet.
    fn events_waiting(&self) -> usize;
    /// The next event's request.
    fn next_event(&mut self) -> Option<Request>;
    /// The answer to an event's request.
    fn event_answered(&mut self, answer: &Response);
    /// It starts anew: its memory (but for what [`Reconciler::restarted`](super::Reconciler::restarted)
    /// keeps), its queue and the sync under way are lost.
    fn restart(&mut self);
    /// A copy of the component, for a copy of its cluster.
    fn boxed_clone(&self) -> Box<dyn Component>;
    /// Its reconciler's state, for views of a particular component.
    fn state(&self) -> &dyn Any;
    /// What syncs have published since the last call of this function.
    fn take_published(&mut self) -> Published;
    /// From now on its syncs note what they do beside requests, as values of the component's own types. To be called on a copy.
    fn look(&mut self);
    /// What its syncs have noted since [`Component::look`]. Nobody looks any more.
    fn take_notes(&mut self) -> Vec<Rc<dyn Any>>;
    /// What it answers if it is asked what is used; see [`Reconciler::metrics`](super::Reconciler::metrics).
    fn metrics(&self, reading: &Reading<'_>) -> Option<Vec<Object>>;
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
