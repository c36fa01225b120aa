//! The pods that wait for a node (`k8s.io/kubernetes/pkg/scheduler/backend/queue`). A pod is active (to be
//! scheduled next, by priority and age), backing off, unschedulable (it waits for an event that helps), or gated
//! (a plugin does not let it in). The pod of a running cycle is in none of these places.
//!
//! A cycle here is one step, in which no event can come. So there are no events to be remembered for pods in flight.

mod leftover;
mod places;

use std::cmp::Reverse;
use std::rc::Rc;

use jiff::SignedDuration;

use super::framework::{Actions, Asked, ClusterEvent, PodInfo, QueueLister, pod_changes};
use super::framework::{Change, EventResource, Subject};
use super::plugins::{DEFAULT_PREEMPTION, dynamic_resources, events_to_register, scheduling_gates};
use crate::api::persistent::Map;
use crate::api::types::Pod;
use crate::api::{Key, Timestamp, later, seconds};

pub use places::Place;

/// The back-off after the first failed attempt, in seconds. It doubles with each further one.
const INITIAL_BACKOFF: i64 = 1;
/// The longest back-off, in seconds.
const MAX_BACKOFF: i64 = 10;
/// The unit in which the ends of back-offs are told apart, in seconds (`backoffQOrderingWindowDuration`).
const WINDOW: i64 = 1;
/// After this many seconds an unschedulable pod is tried again even if nothing has changed.
pub const MAX_IN_UNSCHEDULABLE: i64 = 300;

/// After this many errors in a row a pod's next attempt does not keep the cluster from being steady.
const VERY_OFTEN: u32 = 20;

/// A pod that waits for a node (`framework.QueuedPodInfo`).
#[derive(Clone, Debug)]
pub struct Queued {
    /// The pod, as the informer last delivered it.
    pub info: Rc<PodInfo>,
    /// When the pod was added, or when its last attempt failed.
    pub at: Timestamp,
    /// How many attempts to schedule the pod were begun.
    pub attempts: u32,
    /// How many attempts ended because plugins refused the pod.
    pub refusals: u32,
    /// How many attempts in a row have ended with an error.
    pub errors: u32,
    /// The plugins that refused the pod in the last attempt, or keep it out of the queue. After an error there are
    /// none.
    pub refused_by: Rc<[&'static str]>,
    /// The plugin that does not let the pod into the queue (PreEnqueue).
    pub gated_by: Option<&'static str>,
    /// What that plugin says; `None` if it says nothing.
    pub gated_because: Option<Rc<str>>,
}

/// The order of active pods (`PrioritySort`): priority, the highest first, then age.
type Order = (Reverse<i32>, Timestamp, Key);

/// What keeps a pod from being scheduled: the plugin that gates it, and the plugins that refused it.
type Refusal = (Option<&'static str>, Rc<[&'static str]>);

/// The scheduling queue. Clones share their content.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    active: Map<Order, ()>,
    // Pods that plugins refused, by the second from which on they do not back off. When no pod is active, the first of these
    // is taken without waiting for that (`SchedulerPopFromBackoffQ`).
    backoff: Map<(Timestamp, Order), ()>,
    // Pods whose attempt ended with an error, by the same second.
    error_backoff: Map<(Timestamp, Key), ()>,
    // Unschedulable and gated pods.
    unschedulable: Map<Key, ()>,
    // The same by what keeps them there. An event that none of these plugins has registered for leaves a group as it is,
    // whatever its size.
    refused: Map<Refusal, Map<Key, ()>>,
    // The unschedulable pods by the time of their last attempt.
    parked_at: Map<(Timestamp, Key), ()>,
    // The unschedulable pods that were last tried before a node changed, by the time of that attempt.
    tried_before: Map<(Timestamp, Key), ()>,
    pods: Map<Key, Queued>,
    // Pods for which preemption is deleting other pods.
    preempting: Map<Key, ()>,
    // The nodes to which pods are nominated, known before the informer delivers the pod's status.
    nominated: Map<Key, Rc<str>>,
}

impl Queued {
    fn new(info: Rc<PodInfo>, now: Timestamp) -> Queued {
        let refused_by = Rc::new([]);
        Queued {
            info,
            at: now,
            attempts: 0,
            refusals: 0,
            errors: 0,
            refused_by,
            gated_by: None,
            gated_because: None,
        }
    }

    fn refusal(&self) -> Refusal {
        (self.gated_by, self.refused_by.clone())
    }

    fn order(&self) -> Order {
        (Reverse(self.info.priority), self.at, self.info.key.clone())
    }

    /// When the pod does not back off any more. It still does in the whole second in which the time of its back-off is over
    /// (`isPodBackingoff`).
    fn backed_off(&self) -> Timestamp {
        let times = if self.errors > 0 { self.errors } else { self.refusals };
        let wait = match times {
            0 => 0,
            n => (INITIAL_BACKOFF << (n - 1).min(10)).min(MAX_BACKOFF) + WINDOW,
        };
        seconds(later(self.at, SignedDuration::from_secs(wait)))
    }

    /// The pod.
    pub fn pod(&self) -> &Rc<Pod> {
        &self.info.pod
    }

    fn refuse(&mut self, plugin: &'static str) {
        if !self.refused_by.contains(&plugin) {
            self.refused_by = self.refused_by.iter().copied().chain([plugin]).collect();
        }
    }
}

fn nominated_in(pod: &Pod) -> Option<&str> {
    pod.status.as_ref()?.nominated_node_name.as_deref().filter(|n| !n.is_empty())
}

impl Queue {
    /// Adds a pod that has no node yet, or takes its new version if it is in the queue already.
    pub fn add(&mut self, key: &Key, pod: &Rc<Pod>, reads: &dyn QueueLister, now: Timestamp) {
        let q = Queued::new(Rc::new(PodInfo::new(pod.clone())), now);
        self.nominate_as_in_status(key, None, pod);
        self.remove_from_places(key);
        self.activate(q, reads);
    }

    /// Takes a new version of a pod that has no node. A pod that waits is tried again if its change helps.
    pub fn update(
        &mut self,
        key: &Key,
        old: &Rc<Pod>,
        new: &Rc<Pod>,
        reads: &dyn QueueLister,
        now: Timestamp,
    ) {
        let Some(q) = self.pods.get(key) else { return self.add(key, new, reads, now) };
        let (was_active, order) = (self.active.contains_key(&q.order()), q.order());
        let backed_off = (q.backed_off(), order.clone());
        let info = Rc::new(PodInfo::new(new.clone()));
        if let Some(q) = self.pods.get_mut(key) {
            q.info = info;
        }
        self.nominate_as_in_status(key, Some(old), new);
        let Some(q) = self.pods.get(key).cloned() else { return };
        if was_active {
            self.active.remove(&order);
            self.active.insert(q.order(), ());
            return;
        }
        if self.backoff.remove(&backed_off).is_some() {
            self.backoff.insert((q.backed_off(), q.order()), ());
            return;
        }
        if !self.unschedulable.contains_key(key) {
            return;
        }
        for action in pod_changes(old, new) {
            let subject = Subject::Pod(Change { old: Some(old), new: Some(new) });
            let event = ClusterEvent { resource: EventResource::UnscheduledPod, action, subject };
            if self.worth_requeuing(&q, &event, reads) {
                self.unpark(key);
                self.requeue(q, reads, now);
                break;
            }
        }
    }

    /// Whether the pod is in the queue, in any place.
    pub fn has(&self, key: &Key) -> bool {
        self.pods.contains_key(key)
    }

    /// Removes a pod that was assumed, bound or deleted, with its nomination. Does nothing if it is not in the queue.
    pub fn remove(&mut self, key: &Key) {
        self.nominated.remove(key);
        self.remove_from_places(key);
    }

    fn remove_from_places(&mut self, key: &Key) {
        // Most pods that change were bound long ago and are not here.
        let Some(q) = self.pods.remove(key) else { return };
        self.active.remove(&q.order());
        self.backoff.remove(&(q.backed_off(), q.order()));
        self.error_backoff.remove(&(q.backed_off(), key.clone()));
        if self.unschedulable.contains_key(key) {
            self.leave(key, &q);
        }
    }

    /// Takes a pod out of the unschedulable ones.
    fn leave(&mut self, key: &Key, q: &Queued) {
        self.unschedulable.remove(key);
        let refusal = q.refusal();
        if let Some(group) = self.refused.get_mut(&refusal) {
            group.remove(key);
            if group.is_empty() {
                self.refused.remove(&refusal);
            }
        }
        let at = (q.at, key.clone());
        self.parked_at.remove(&at);
        self.tried_before.remove(&at);
    }

    /// Takes the pod to schedule next, and counts the attempt that begins; `None` if no pod is active or backing off
    /// after a refusal.
    pub fn pop(&mut self, now: Timestamp) -> Option<Queued> {
        self.flush_backed_off(now);
        let active = self.active.get_min().map(|(order, ())| order.clone());
        let key = match active {
            Some(order) => {
                self.active.remove(&order);
                order.2
            }
            None => {
                let first = self.backoff.get_min()?.0.clone();
                self.backoff.remove(&first);
                first.1.2
            }
        };
        let mut q = self.pods.remove(&key)?;
        q.attempts += 1;
        q.refused_by = Rc::new([]);
        Some(q)
    }

    /// Whether [`Queue::pop`] would return a pod.
    pub fn is_ready(&self, now: Timestamp) -> bool {
        !self.active.is_empty()
            || !self.backoff.is_empty()
            || self.error_backoff.get_min().is_some_and(|((until, _), ())| *until <= now)
    }

    /// Takes a pod back whose attempt failed (`AddUnschedulableIfNotPresent`). If plugins refused it, it waits for an
    /// event that helps; if not, the attempt has failed with an error, and the pod backs off.
    pub fn add_unschedulable(
        &mut self,
        mut q: Queued,
        refused_by: Vec<&'static str>,
        reads: &dyn QueueLister,
        now: Timestamp,
    ) {
        if refused_by.is_empty() {
            q.errors = q.errors.saturating_add(1);
        } else {
            q.refusals = q.refusals.saturating_add(1);
            q.errors = 0;
        }
        q.refused_by = refused_by.into();
        q.at = now;
        self.remove_from_places(&q.info.key);
        if q.refused_by.is_empty() { self.requeue(q, reads, now) } else { self.park(q) }
    }

    fn park(&mut self, q: Queued) {
        let key = q.info.key.clone();
        self.unschedulable.insert(key.clone(), ());
        let refusal = q.refusal();
        match self.refused.get_mut(&refusal) {
            Some(group) => {
                group.insert(key.clone(), ());
            }
            None => {
                self.refused.insert(refusal, Map::unit(key.clone(), ()));
            }
        }
        self.parked_at.insert((q.at, key.clone()), ());
        self.pods.insert(key, q);
    }

    fn unpark(&mut self, key: &Key) {
        if let Some(q) = self.pods.get(key).cloned() {
            self.leave(key, &q);
        }
    }

    /// The plugin that does not let a pod into the queue, and why (PreEnqueue).
    fn pre_enqueue(&self, q: &Queued, reads: &dyn QueueLister) -> Option<(&'static str, String)> {
        let gates = scheduling_gates::pre_enqueue(q.pod());
        if !gates.is_success() {
            return Some((scheduling_gates::NAME, gates.message()));
        }
        let claims = dynamic_resources::pre_enqueue(reads, q.pod());
        if !claims.is_success() {
            return Some((dynamic_resources::NAME, claims.message()));
        }
        self.preempting.contains_key(&q.info.key).then(|| (DEFAULT_PREEMPTION, String::new()))
    }

    /// Puts a pod into a place that `place` chooses, unless a plugin does not let it in.
    fn enter(&mut self, mut q: Queued, reads: &dyn QueueLister, place: impl FnOnce(&mut Queue, &Queued)) {
        (q.gated_by, q.gated_because) = match self.pre_enqueue(&q, reads) {
            Some((plugin, why)) => (Some(plugin), Some(why.into()).filter(|why: &Rc<str>| !why.is_empty())),
            None => (None, None),
        };
        if let Some(plugin) = q.gated_by {
            q.refuse(plugin);
            return self.park(q);
        }
        place(self, &q);
        self.pods.insert(q.info.key.clone(), q);
    }

    fn activate(&mut self, q: Queued, reads: &dyn QueueLister) {
        self.enter(q, reads, |queue, q| {
            queue.active.insert(q.order(), ());
        });
    }

    /// Makes a pod active, or lets it back off if its back-off is not over.
    fn requeue(&mut self, q: Queued, reads: &dyn QueueLister, now: Timestamp) {
        let until = q.backed_off();
        if until <= seconds(now) {
            return self.activate(q, reads);
        }
        self.enter(q, reads, |queue, q| {
            if q.refused_by.is_empty() {
                queue.error_backoff.insert((until, q.info.key.clone()), ());
            } else {
                queue.backoff.insert((until, q.order()), ());
            }
        });
    }

    /// Tries the unschedulable pods again that an event may help (`MoveAllToActiveOrBackoffQueue`): those of which a
    /// plugin that refused them says so. `considered` chooses the pods that are looked at.
    pub fn move_all(
        &mut self,
        event: &ClusterEvent<'_>,
        reads: &dyn QueueLister,
        now: Timestamp,
        considered: impl Fn(&Pod) -> bool,
    ) {
        let mut keys: Vec<Key> = Vec::new();
        let listens = |plugin: &'static str| events_to_register(plugin).iter().any(|r| r.matches(event));
        for ((gated_by, refused_by), group) in &self.refused {
            let asked = refused_by.is_empty() || refused_by.iter().any(|plugin| listens(plugin));
            if !asked || !gated_by.is_none_or(listens) {
                continue;
            }
            let pods = group.keys().filter_map(|key| self.pods.get(key)).filter(|q| considered(q.pod()));
            let helped = pods.filter(|q| self.worth_requeuing(q, event, reads));
            keys.extend(helped.map(|q| q.info.key.clone()));
        }
        for key in keys {
            self.unpark(&key);
            if let Some(q) = self.pods.remove(&key) {
                self.requeue(q, reads, now);
            }
        }
    }

    /// Whether a plugin that refused the pod takes the event for one that helps (`isPodWorthRequeuing`).
    fn worth_requeuing(&self, q: &Queued, event: &ClusterEvent<'_>, reads: &dyn QueueLister) -> bool {
        let asked = Asked { pod: &q.info, namespaces: reads, claims: reads };
        q.refused_by.is_empty()
            || q.refused_by.iter().any(|plugin| {
                let registered = events_to_register(plugin).iter().filter(|r| r.matches(event));
                registered.into_iter().any(|r| r.may_help(asked, event.subject))
            })
    }

    /// Activates the pods whose back-off is over (`flushBackoffQCompleted`).
    fn flush_backed_off(&mut self, now: Timestamp) {
        let now = seconds(now);
        let mut over: Vec<Key> = Vec::new();
        while let Some((first, ())) = self.backoff.get_min().filter(|((until, _), ())| *until <= now).cloned()
        {
            self.backoff.remove(&first);
            over.push(first.1.2);
        }
        while let Some((first, ())) =
            self.error_backoff.get_min().filter(|((until, _), ())| *until <= now).cloned()
        {
            self.error_backoff.remove(&first);
            over.push(first.1);
        }
        for key in over {
            if let Some(q) = self.pods.get(&key) {
                self.active.insert(q.order(), ());
            }
        }
    }

    /// When the next back-off after an error is over, among pods that have failed `VERY_OFTEN` times or more in a row if
    /// `very_often`, else among the others.
    pub fn next_back_off(&self, very_often: bool) -> Option<Timestamp> {
        let failed = |key: &Key| self.pods.get(key).is_some_and(|q| q.errors >= VERY_OFTEN);
        self.error_backoff.keys().find(|(_, key)| failed(key) == very_often).map(|(until, _)| *until)
    }

    /// Notes that preemption deletes other pods for this one. Until [`Queue::preempted`] it is kept out of the queue.
    pub fn preempts(&mut self, key: &Key) {
        self.preempting.insert(key.clone(), ());
    }

    /// Notes that preemption is done. If it failed, the pod is tried again at once (`Activate`).
    pub fn preempted(&mut self, key: &Key, failed: bool, reads: &dyn QueueLister) {
        self.preempting.remove(key);
        if failed && self.unschedulable.contains_key(key) {
            self.unpark(key);
            if let Some(q) = self.pods.remove(key) {
                self.activate(q, reads);
            }
        }
    }

    /// Nominates a pod to a node, or to none.
    pub fn nominate(&mut self, key: &Key, node: Option<&str>) {
        match node {
            Some(node) => self.nominated.insert(key.clone(), node.into()),
            None => self.nominated.remove(key),
        };
    }

    /// Nominates a pod to the node in its status. A nomination that the status does not have yet stays until the status
    /// changes.
    pub fn nominate_as_in_status(&mut self, key: &Key, old: Option<&Pod>, new: &Pod) {
        let is = nominated_in(new);
        if is.is_some() || old.is_none_or(|o| nominated_in(o).is_some()) {
            self.nominate(key, is);
        }
    }

    /// The pods that are nominated to a node, each with the node's name. Pods that are not in the queue are left out.
    pub fn nominations(&self) -> impl Iterator<Item = (&Rc<PodInfo>, &Rc<str>)> {
        self.nominated.iter().filter_map(|(key, node)| Some((&self.pods.get(key)?.info, node)))
    }
}

/// The event that something happened to a pod.
pub fn pod_event<'a>(
    resource: EventResource,
    action: Actions,
    old: Option<&'a Rc<Pod>>,
    new: Option<&'a Rc<Pod>>,
) -> ClusterEvent<'a> {
    ClusterEvent { resource, action, subject: Subject::Pod(Change { old, new }) }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
