//! The pods that wait for a node (`k8s.io/kubernetes/pkg/scheduler/backend/queue`). A pod is active (to be
//! scheduled next, by priority and age), backing off, unschedulable (it waits for a change in the cluster),
//! or gated.

use std::cmp::Reverse;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::persistent::Map;
use crate::api::types::Pod;
use crate::api::{Key, MetaExt, Timestamp, later};

/// The back-off after the first failed attempt, in seconds. It doubles with each further one.
const INITIAL_BACKOFF: i64 = 1;
/// The longest back-off, in seconds.
const MAX_BACKOFF: i64 = 10;
/// After this many seconds an unschedulable pod is tried again even if nothing has changed.
pub const MAX_IN_UNSCHEDULABLE: i64 = 300;

/// After this many failed bindings a pod's next attempt does not keep the cluster from being steady.
const VERY_OFTEN: u32 = 20;

/// A pod that waits for a node.
#[derive(Clone, Debug)]
pub struct Queued {
    /// The pod's namespace and name.
    pub key: Key,
    /// The pod, as the informer last delivered it.
    pub pod: Rc<Pod>,
    /// `spec.priority`; 0 if absent.
    pub priority: i32,
    /// When the pod was added, or when its last attempt failed.
    pub at: Timestamp,
    /// How many attempts to schedule the pod were begun.
    pub attempts: u32,
    /// The plugins that refused the pod in the last attempt.
    pub refused_by: Rc<[&'static str]>,
}

/// The order of active pods: priority, the highest first, then age.
type Order = (Reverse<i32>, Timestamp, Key);

/// The scheduling queue. Clones share their content.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    active: Map<Order, ()>,
    backoff: Map<(Timestamp, Key), ()>,
    unschedulable: Map<Key, ()>,
    // The unschedulable pods by the time of their last attempt.
    parked_at: Map<(Timestamp, Key), ()>,
    gated: Map<Key, ()>,
    pods: Map<Key, Queued>,
}

fn order(q: &Queued) -> Order {
    (Reverse(q.priority), q.at, q.key.clone())
}

/// How long a pod backs off after `attempts` attempts.
fn back_off(attempts: u32) -> SignedDuration {
    let factor = 1i64 << attempts.saturating_sub(1).min(10);
    SignedDuration::from_secs((INITIAL_BACKOFF * factor).min(MAX_BACKOFF))
}

impl Queue {
    /// Adds a pod that has no node yet: to the active pods, or to the gated ones.
    pub fn add(&mut self, key: Key, pod: &Rc<Pod>, now: Timestamp, gated: bool) {
        let priority = pod.spec.as_ref().and_then(|s| s.priority).unwrap_or(0);
        let refused_by = Rc::new([]);
        let q = Queued { key: key.clone(), pod: pod.clone(), priority, at: now, attempts: 0, refused_by };
        if gated {
            self.gated.insert(key.clone(), ());
        } else {
            self.active.insert(order(&q), ());
        }
        self.pods.insert(key, q);
    }

    /// Takes a new version of a pod. The pod stays in its place.
    pub fn refresh(&mut self, key: &Key, pod: &Rc<Pod>) {
        if let Some(q) = self.pods.get_mut(key) {
            q.pod = pod.clone();
        }
    }

    /// Whether the pod is gated (`spec.schedulingGates`).
    pub fn is_gated(&self, key: &Key) -> bool {
        self.gated.contains_key(key)
    }

    /// Whether the pod is in the queue, in any place.
    pub fn has(&self, key: &Key) -> bool {
        self.pods.contains_key(key)
    }

    /// Removes a pod that was bound or deleted. Does nothing if it is not in the queue.
    pub fn remove(&mut self, key: &Key) {
        // Most pods that change were bound long ago and are not here.
        let Some(q) = self.pods.remove(key) else { return };
        self.active.remove(&order(&q));
        if self.unschedulable.remove(key).is_some() {
            self.parked_at.remove(&(q.at, key.clone()));
        }
        self.gated.remove(key);
        let waiting: Vec<_> = self.backoff.keys().filter(|(_, k)| k == key).cloned().collect();
        for w in waiting {
            self.backoff.remove(&w);
        }
    }

    /// How many attempts to schedule the pod were begun; 0 if it is not in the queue.
    pub fn attempts(&self, key: &Key) -> u32 {
        self.pods.get(key).map_or(0, |q| q.attempts)
    }

    /// The active pod to schedule next.
    pub fn first(&self) -> Option<(&Key, &Queued)> {
        let ((_, _, key), ()) = self.active.get_min()?;
        Some((key, self.pods.get(key)?))
    }

    /// Takes a pod from the active ones, and counts the attempt that begins.
    pub fn take(&mut self, key: &Key) {
        if let Some(q) = self.pods.get_mut(key) {
            let at = order(q);
            q.attempts += 1;
            self.active.remove(&at);
        }
    }

    /// Makes a pod unschedulable, because these plugins refused it.
    pub fn park(&mut self, key: &Key, refused_by: Vec<&'static str>, now: Timestamp) {
        if let Some(q) = self.pods.get_mut(key) {
            q.refused_by = refused_by.into();
            q.at = now;
            self.unschedulable.insert(key.clone(), ());
            self.parked_at.insert((now, key.clone()), ());
        }
    }

    /// Backs a pod off whose binding failed. No plugin refused it, so it is tried again even if nothing
    /// changes.
    pub fn back_off(&mut self, pod: &Rc<Pod>, attempts: u32, now: Timestamp) {
        let key = pod.metadata.key();
        self.remove(&key);
        let priority = pod.spec.as_ref().and_then(|s| s.priority).unwrap_or(0);
        let (name, pod, refused_by) = (key.clone(), pod.clone(), Rc::new([]));
        let q = Queued { key: name, pod, priority, at: now, attempts, refused_by };
        self.backoff.insert((later(now, back_off(attempts)), key.clone()), ());
        self.pods.insert(key, q);
    }

    /// Moves the unschedulable pods for which `helps` holds to the active ones, or to those that back off
    /// until their back-off is over. Returns the moment at which the first of them is active; `None` if none
    /// was moved.
    pub fn move_parked(&mut self, now: Timestamp, helps: impl Fn(&Queued) -> bool) -> Option<Timestamp> {
        let keys: Vec<Key> =
            self.unschedulable.keys().filter(|k| self.pods.get(*k).is_some_and(&helps)).cloned().collect();
        let mut first: Option<Timestamp> = None;
        for key in keys {
            self.unschedulable.remove(&key);
            let Some(q) = self.pods.get(&key) else { continue };
            self.parked_at.remove(&(q.at, key.clone()));
            let until = later(q.at, back_off(q.attempts));
            if until <= now {
                self.active.insert(order(q), ());
                first = Some(now);
            } else {
                self.backoff.insert((until, key), ());
                first = Some(first.map_or(until, |f| f.min(until)));
            }
        }
        first
    }

    /// When the next back-off is over, among pods tried `VERY_OFTEN` times or more if `very_often`, else
    /// among the others.
    pub fn next_back_off(&self, very_often: bool) -> Option<Timestamp> {
        let tried = |key: &Key| self.attempts(key) >= VERY_OFTEN;
        self.backoff.keys().find(|(_, key)| tried(key) == very_often).map(|(until, _)| *until)
    }

    /// Activates the pods whose back-off is over, and those that were unschedulable for longer than
    /// [`MAX_IN_UNSCHEDULABLE`].
    pub fn flush(&mut self, now: Timestamp) {
        while let Some(((until, key), ())) = self.backoff.get_min().map(|(k, ())| (k.clone(), ())) {
            if until > now {
                break;
            }
            self.backoff.remove(&(until, key.clone()));
            if let Some(q) = self.pods.get(&key) {
                self.active.insert(order(q), ());
            }
        }
        let stale = |at: Timestamp| now.duration_since(at) > SignedDuration::from_secs(MAX_IN_UNSCHEDULABLE);
        while let Some((oldest, ())) = self.parked_at.get_min().filter(|((at, _), ())| stale(*at)).cloned() {
            self.parked_at.remove(&oldest);
            self.unschedulable.remove(&oldest.1);
            if let Some(q) = self.pods.get(&oldest.1) {
                self.active.insert(order(q), ());
            }
        }
    }

    /// Activates a gated pod that has no gates any more.
    pub fn open(&mut self, key: &Key) {
        if self.gated.remove(key).is_some()
            && let Some(q) = self.pods.get(key)
        {
            self.active.insert(order(q), ());
        }
    }

    /// One line for each pod: its place, its attempts, and the plugins that refused it.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let backing_off = |key: &Key| self.backoff.keys().any(|(_, k)| k == key);
        self.pods.iter().map(move |(key, q)| {
            let place = match () {
                () if self.gated.contains_key(key) => "gated",
                () if self.unschedulable.contains_key(key) => "unschedulable",
                () if self.active.contains_key(&order(q)) => "active",
                () if backing_off(key) => "backing off",
                () => "in flight",
            };
            format!("{key} {place} after {} attempts, refused by {}", q.attempts, q.refused_by.join(", "))
        })
    }

    /// The unschedulable pods.
    pub fn parked(&self) -> impl Iterator<Item = &Queued> {
        self.unschedulable.keys().filter_map(|k| self.pods.get(k))
    }
}
