//! Where each pod of the queue waits, for whoever shows it.

use super::{Key, Queue, Queued, Timestamp};

/// The place of a pod in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// `activeQ`: one of the next to be scheduled.
    Active,
    /// `backoffQ`: the pod becomes active at this time. After a refusal it is taken before that if no pod is active; after
    /// an error (`true`) it is not.
    Backoff(Timestamp, bool),
    /// `unschedulablePods`: it waits for an event that helps.
    Unschedulable,
    /// `unschedulablePods`, too, but kept out by this plugin (PreEnqueue).
    Gated(&'static str),
}

impl Queue {
    /// A pod that waits; `None` if the queue does not have it.
    pub fn get(&self, key: &Key) -> Option<&Queued> {
        self.pods.get(key)
    }

    /// Where a pod of the queue waits.
    pub fn place(&self, q: &Queued) -> Place {
        match q.gated_by {
            Some(plugin) => Place::Gated(plugin),
            None if self.unschedulable.contains_key(&q.info.key) => Place::Unschedulable,
            None if self.active.contains_key(&q.order()) => Place::Active,
            None => Place::Backoff(q.backed_off(), q.refused_by.is_empty()),
        }
    }

    /// The active pods, the next to be scheduled first.
    pub fn active(&self) -> impl Iterator<Item = &Queued> {
        self.active.keys().filter_map(|(_, _, key)| self.pods.get(key))
    }

    /// The pods that back off, those after a refusal first, and of these and of those after an error the soonest first.
    pub fn backing_off(&self) -> impl Iterator<Item = &Queued> {
        let refused = self.backoff.keys().map(|(_, (_, _, key))| key);
        let failed = self.error_backoff.keys().map(|(_, key)| key);
        refused.chain(failed).filter_map(|key| self.pods.get(key))
    }

    /// The unschedulable and the gated pods, sorted by key.
    pub fn parked(&self) -> impl Iterator<Item = &Queued> {
        self.unschedulable.keys().filter_map(|k| self.pods.get(k))
    }

    /// One line for each pod: its place, its attempts, and the plugins that refused it; and one for each nomination.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let pods = self.pods.iter().map(move |(key, q)| {
            let place = match self.place(q) {
                Place::Gated(_) => "gated",
                Place::Unschedulable => "unschedulable",
                Place::Active => "active",
                Place::Backoff(..) => "backing off",
            };
            let (refusals, errors, by) = (q.refusals, q.errors, q.refused_by.join(", "));
            let before = self.tried_before.contains_key(&(q.at, key.clone()));
            let then = if before { "other nodes" } else { "these nodes" };
            format!("{key} {place} after {refusals} refusals and {errors} errors, {then} refused by {by}")
        });
        pods.chain(self.promises())
    }

    /// One line for each nomination, and for each pod for which other pods are being deleted.
    pub fn promises(&self) -> impl Iterator<Item = String> {
        let nominated = self.nominated.iter().map(|(key, node)| format!("{key} nominated to {node}"));
        nominated.chain(self.preempting.keys().map(|key| format!("{key} preempts")))
    }
}
