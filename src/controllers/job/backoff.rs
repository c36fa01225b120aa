//! How long a Job waits before it replaces a failed pod (`k8s.io/kubernetes/pkg/controller/job/backoff_utils.go`):
//! ten seconds after the first failure, then twice as long each time, ten minutes at most.

use std::rc::Rc;

use jiff::SignedDuration;

use super::indexed::absolute_failure_count;
use crate::api::types::{ContainerStatus, Pod};
use crate::api::{Timestamp, later, order, pod};

const DEFAULT_BACKOFF: SignedDuration = SignedDuration::from_secs(10);
const MAX_BACKOFF: SignedDuration = SignedDuration::from_mins(10);

/// The failures of a Job's pods since the last success.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BackoffRecord {
    /// How many pods have failed since the last one that succeeded.
    pub(super) failures: i32,
    /// When the last of these failed.
    pub(super) last_failure: Option<Timestamp>,
}

impl BackoffRecord {
    /// The record after more pods have ended (`newBackoffRecord`).
    pub(super) fn after(&self, succeeded: &[Rc<Pod>], failed: &[Rc<Pod>]) -> BackoffRecord {
        let mut failed: Vec<Timestamp> = failed.iter().filter_map(|p| finished_time(p)).collect();
        order::sort(&mut failed);
        let last_success = succeeded.iter().filter_map(|p| finished_time(p)).max();
        let before = if last_success.is_some() { 0 } else { self.failures };
        failed.retain(|t| last_success.is_none_or(|success| *t > success));
        let more = i32::try_from(failed.len()).unwrap_or(i32::MAX);
        let kept = self.last_failure.filter(|_| last_success.is_none());
        BackoffRecord { failures: before.saturating_add(more), last_failure: failed.last().copied().or(kept) }
    }

    /// How long it is still to wait.
    pub(super) fn remaining(&self, now: Timestamp) -> SignedDuration {
        self.last_failure.map_or(SignedDuration::ZERO, |last| remaining(self.failures, last, now))
    }
}

/// How long an index still waits for the replacement of its last failed pod.
pub(super) fn remaining_for_index(last_failed: Option<&Pod>, now: Timestamp) -> SignedDuration {
    let last = last_failed.and_then(|p| Some((absolute_failure_count(p), finished_time(p)?)));
    last.map_or(SignedDuration::ZERO, |(count, at)| remaining(count.saturating_add(1), at, now))
}

fn remaining(failures: i32, last: Timestamp, now: Timestamp) -> SignedDuration {
    if failures <= 0 {
        return SignedDuration::ZERO;
    }
    let doubled = (1..failures).try_fold(DEFAULT_BACKOFF, |d, _| {
        let d = d.saturating_add(d);
        (d < MAX_BACKOFF).then_some(d)
    });
    let passed = now.duration_since(last);
    doubled.unwrap_or(MAX_BACKOFF).saturating_sub(passed).max(SignedDuration::ZERO)
}

/// When a pod ended: when the last of its containers did; else when it ceased to be ready, when its deletion began, or
/// when it was created (`getFinishedTime`).
pub(super) fn finished_time(pod: &Pod) -> Option<Timestamp> {
    let not_ready = || {
        let ready = pod::pod_condition(pod, "Ready").filter(|c| c.status == "False")?;
        Some(ready.last_transition_time.as_ref()?.0)
    };
    let deleted = || {
        let at = pod.metadata.deletion_timestamp.as_ref()?.0;
        let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
        Some(later(at, -SignedDuration::from_secs(grace)))
    };
    containers_finished(pod)
        .or_else(not_ready)
        .or_else(deleted)
        .or_else(|| Some(pod.metadata.creation_timestamp.as_ref()?.0))
}

/// When the last container ended, sidecars included; `None` while one has not.
fn containers_finished(pod: &Pod) -> Option<Timestamp> {
    let status = pod.status.as_ref()?;
    let init = || pod.spec.iter().flat_map(|s| s.init_containers.iter().flatten());
    let is_sidecar = |c: &&ContainerStatus| {
        init().any(|i| i.name == c.name && i.restart_policy.as_deref() == Some("Always"))
    };
    let sidecars = status.init_container_statuses.iter().flatten().filter(is_sidecar);
    let ended = |c: &ContainerStatus| Some(c.state.as_ref()?.terminated.as_ref()?.finished_at.as_ref()?.0);
    let all: Option<Vec<Timestamp>> =
        status.container_statuses.iter().flatten().chain(sidecars).map(ended).collect();
    all?.into_iter().max()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn failures_double_the_wait_up_to_ten_minutes() {
        let last = Timestamp::UNIX_EPOCH;
        let wait = |failures| remaining(failures, last, last).as_secs();
        let all: Vec<i64> = (0..9).map(wait).collect();
        assert_eq!(all, [0, 10, 20, 40, 80, 160, 320, 600, 600]);
        assert_eq!(remaining(1, last, Timestamp::from_second(4).unwrap()).as_secs(), 6);
        assert_eq!(remaining(i32::MAX, last, last).as_secs(), 600);
    }
}
