//! How long the controller waits before it deletes a failed pod: twice as long each time, for each node. Else a kubelet
//! that rejects the pod and the controller would keep each other busy (`k8s.io/client-go/util/flowcontrol`).

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::persistent::Map;
use crate::api::{Timestamp, later};

/// How long the next pod waits after the first failed one.
const INITIAL: SignedDuration = SignedDuration::from_secs(1);
/// The longest delay. After twice this time without a failure, the first one counts again.
const MAX: SignedDuration = SignedDuration::from_mins(15);

/// The failed pods of all sets, by `uid/generation/node`.
#[derive(Clone, Debug, Default)]
pub(super) struct FailedPods {
    by_id: Map<Rc<str>, Delay>,
}

#[derive(Clone, Copy, Debug)]
struct Delay {
    delay: SignedDuration,
    since: Timestamp,
}

impl Delay {
    fn is_over(&self, now: Timestamp) -> bool {
        now.duration_since(self.since) > MAX * 2
    }
}

impl FailedPods {
    /// How long the next pod has to wait, if the one before failed so recently that it has to.
    pub(super) fn waits(&self, id: &str, now: Timestamp) -> Option<SignedDuration> {
        let d = self.by_id.get(id).filter(|d| !d.is_over(now))?;
        (now.duration_since(d.since) < d.delay).then_some(d.delay)
    }

    /// A failed pod is deleted: the next one waits longer.
    pub(super) fn next(&mut self, id: &Rc<str>, now: Timestamp) {
        let before = self.by_id.get(id).filter(|d| !d.is_over(now));
        let delay = before.map_or(INITIAL, |d| (d.delay * 2).min(MAX));
        let over: Vec<Rc<str>> =
            self.by_id.iter().filter(|(_, d)| d.is_over(now)).map(|(id, _)| id.clone()).collect();
        for id in over {
            self.by_id.remove(&id);
        }
        self.by_id.insert(id.clone(), Delay { delay, since: now });
    }

    /// A line for each delay that still counts.
    pub(super) fn lines(&self, now: Timestamp) -> impl Iterator<Item = String> {
        self.by_id.iter().filter(move |(_, d)| !d.is_over(now)).map(move |(id, d)| {
            let left = later(d.since, d.delay).duration_since(now).max(SignedDuration::ZERO);
            format!("{id} backs off {} ms, {} ms left", d.delay.as_millis(), left.as_millis())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_that_keeps_failing_waits_longer_each_time() {
        let mut failed = FailedPods::default();
        let id: Rc<str> = "uid/1/node".into();
        let at = |s: i64| later(Timestamp::UNIX_EPOCH, SignedDuration::from_secs(s));
        assert_eq!(failed.waits(&id, at(0)), None);
        failed.next(&id, at(0));
        assert_eq!(failed.waits(&id, at(0)), Some(SignedDuration::from_secs(1)));
        assert_eq!(failed.waits(&id, at(1)), None);
        failed.next(&id, at(1));
        assert_eq!(failed.waits(&id, at(2)), Some(SignedDuration::from_secs(2)));
        for i in 0..12 {
            failed.next(&id, at(10 + i));
        }
        assert_eq!(failed.waits(&id, at(22)), Some(MAX));
        // After half an hour without a failure it begins anew.
        failed.next(&id, at(22 + 1801));
        assert_eq!(failed.waits(&id, at(22 + 1801)), Some(INITIAL));
    }
}
