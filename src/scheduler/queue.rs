//! The pods that wait for a node (`k8s.io/kubernetes/pkg/scheduler/backend/queue`): active ones, by
//! priority and age, ones that back off, and unschedulable ones, which wait for a change.

use std::cmp::Reverse;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::persistent::Map;
use crate::api::types::Pod;
use crate::api::{Key, MetaExt, Timestamp, later};

/// How long a pod that could not be placed waits at first, in seconds …
const INITIAL_BACKOFF: i64 = 1;
/// … and at most.
const MAX_BACKOFF: i64 = 10;
/// An unschedulable pod is tried again after so long even if nothing has changed, in seconds.
pub const MAX_IN_UNSCHEDULABLE: i64 = 300;

/// The cluster does not wait for the next try of a pod whose binding has failed so often.
const VERY_OFTEN: u32 = 20;

/// A pod that waits.
#[derive(Clone, Debug)]
pub struct Queued {
    /// Its namespace and name.
    pub key: Key,
    /// The pod as it was last seen.
    pub pod: Rc<Pod>,
    /// Its priority.
    pub priority: i32,
    /// When it was queued.
    pub at: Timestamp,
    /// How often it could not be placed.
    pub attempts: u32,
    /// The plugins that refused it the last time.
    pub refused_by: Rc<[&'static str]>,
}

/// The order of the active queue: importance, then age.
type Order = (Reverse<i32>, Timestamp, Key);

/// The queue.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    active: Map<Order, ()>,
    backoff: Map<(Timestamp, Key), ()>,
    unschedulable: Map<Key, ()>,
    // The unschedulable ones by the time of their last attempt.
    parked_at: Map<(Timestamp, Key), ()>,
    gated: Map<Key, ()>,
    pods: Map<Key, Queued>,
}

fn order(q: &Queued) -> Order {
    (Reverse(q.priority), q.at, q.key.clone())
}

/// How long a pod waits that was tried so often: twice as long each time.
fn back_off(attempts: u32) -> SignedDuration {
    let factor = 1i64 << attempts.saturating_sub(1).min(10);
    SignedDuration::from_secs((INITIAL_BACKOFF * factor).min(MAX_BACKOFF))
}

impl Queue {
    /// A pod that has no node yet came.
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

    /// A pod that waits changed; it is kept up to date where it is.
    pub fn refresh(&mut self, key: &Key, pod: &Rc<Pod>) {
        if let Some(q) = self.pods.get_mut(key) {
            q.pod = pod.clone();
        }
    }

    /// Whether the pod waits behind its gates.
    pub fn is_gated(&self, key: &Key) -> bool {
        self.gated.contains_key(key)
    }

    /// Whether the pod waits.
    pub fn has(&self, key: &Key) -> bool {
        self.pods.contains_key(key)
    }

    /// Removes a pod that is bound or gone.
    pub fn remove(&mut self, key: &Key) {
        // Most pods that change were bound long ago.
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

    /// How often the pod was tried.
    pub fn attempts(&self, key: &Key) -> u32 {
        self.pods.get(key).map_or(0, |q| q.attempts)
    }

    /// The most important pod that is active.
    pub fn first(&self) -> Option<(&Key, &Queued)> {
        let ((_, _, key), ()) = self.active.get_min()?;
        Some((key, self.pods.get(key)?))
    }

    /// Takes a pod out of the active queue for an attempt.
    pub fn take(&mut self, key: &Key) {
        if let Some(q) = self.pods.get_mut(key) {
            let at = order(q);
            q.attempts += 1;
            self.active.remove(&at);
        }
    }

    /// Parks a pod that these plugins refused.
    pub fn park(&mut self, key: &Key, refused_by: Vec<&'static str>, now: Timestamp) {
        if let Some(q) = self.pods.get_mut(key) {
            q.refused_by = refused_by.into();
            q.at = now;
            self.unschedulable.insert(key.clone(), ());
            self.parked_at.insert((now, key.clone()), ());
        }
    }

    /// A pod's binding failed, and no plugin refused it: it is tried again after its back-off even if
    /// nothing changes.
    pub fn back_off(&mut self, pod: &Rc<Pod>, attempts: u32, now: Timestamp) {
        let key = pod.metadata.key();
        self.remove(&key);
        let priority = pod.spec.as_ref().and_then(|s| s.priority).unwrap_or(0);
        let (name, pod, refused_by) = (key.clone(), pod.clone(), Rc::new([]));
        let q = Queued { key: name, pod, priority, at: now, attempts, refused_by };
        self.backoff.insert((later(now, back_off(attempts)), key.clone()), ());
        self.pods.insert(key, q);
    }

    /// Something changed. Parked pods that it may help are active after their back-off; the moment at
    /// which the first of them is.
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

    /// When the next back-off is over: of pods that were tried very often, or of the others.
    pub fn next_back_off(&self, very_often: bool) -> Option<Timestamp> {
        let tried = |key: &Key| self.attempts(key) >= VERY_OFTEN;
        self.backoff.keys().find(|(_, key)| tried(key) == very_often).map(|(until, _)| *until)
    }

    /// Those whose back-off is over become active; those that were parked for too long, too.
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

    /// A gated pod lost its last gate.
    pub fn open(&mut self, key: &Key) {
        if self.gated.remove(key).is_some()
            && let Some(q) = self.pods.get(key)
        {
            self.active.insert(order(q), ());
        }
    }

    /// The pods that wait, where and why, a line each.
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

    /// The pods that could not be placed and wait for a change.
    pub fn parked(&self) -> impl Iterator<Item = &Queued> {
        self.unschedulable.keys().filter_map(|k| self.pods.get(k))
    }
}
