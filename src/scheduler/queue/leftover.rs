//! Pods that stay unschedulable for too long are tried again, whatever has happened.

use jiff::SignedDuration;

use super::super::framework::QueueLister;
use super::{Key, MAX_IN_UNSCHEDULABLE, Queue, Timestamp, later};

impl Queue {
    /// Tries the pods again that were unschedulable for [`MAX_IN_UNSCHEDULABLE`] (`flushUnschedulablePodsLeftover`).
    pub fn flush_leftover(&mut self, reads: &dyn QueueLister, now: Timestamp) {
        let stale = |at: Timestamp| now.duration_since(at) >= SignedDuration::from_secs(MAX_IN_UNSCHEDULABLE);
        let keys = self.parked_at.keys().take_while(|(at, _)| stale(*at)).map(|(_, key)| key.clone());
        for key in keys.collect::<Vec<_>>() {
            if self.pods.get(&key).is_some_and(|q| q.gated_by.is_some()) {
                continue;
            }
            self.unpark(&key);
            if let Some(q) = self.pods.remove(&key) {
                self.requeue(q, reads, now);
            }
        }
    }

    /// When [`Queue::flush_leftover`] has something to do next; `None` if no pod is unschedulable.
    pub fn next_leftover(&self) -> Option<Timestamp> {
        let waits = |key: &Key| self.pods.get(key).is_some_and(|q| q.gated_by.is_none());
        let (oldest, _) = self.parked_at.keys().find(|(_, key)| waits(key))?;
        Some(later(*oldest, SignedDuration::from_secs(MAX_IN_UNSCHEDULABLE)))
    }

    /// When [`Queue::flush_leftover`] next has a pod to try that may fare otherwise than in its last attempt, because a
    /// node has changed since.
    pub fn next_leftover_after_change(&self) -> Option<Timestamp> {
        let ((tried, _), ()) = self.tried_before.get_min()?;
        Some(later(*tried, SignedDuration::from_secs(MAX_IN_UNSCHEDULABLE)))
    }

    /// Notes that a node has changed for the pods that are still unschedulable, because no plugin that refused them takes
    /// the change for one that helps. It may help all the same: a plugin that was not asked, since an earlier one had
    /// refused every node, may have been the reason why preemption was in vain.
    pub fn node_changed(&mut self) {
        let waits = |key: &Key| self.pods.get(key).is_some_and(|q| q.gated_by.is_none());
        let new = |at: &(Timestamp, Key)| waits(&at.1) && !self.tried_before.contains_key(at);
        for at in self.parked_at.keys().filter(|at| new(at)).cloned().collect::<Vec<_>>() {
            self.tried_before.insert(at, ());
        }
    }
}
