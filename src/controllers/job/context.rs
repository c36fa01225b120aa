//! What a sync of a Job works on: [`Sync`].

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Cx;
use super::backoff::BackoffRecord;
use super::indexed::{self, Intervals};
use super::pod_failure_policy::verdict;
use super::util::{FAILED, condition, has_tracking_finalizer, is_indexed};
use crate::api::types::{Job, JobCondition, JobStatus, Pod};
use crate::api::{Key, MetaExt};

/// What a sync has found out, and what it makes of the Job (`syncJobCtx`).
pub(super) struct JobSync {
    pub(super) key: Key,
    /// The Job, with its status as it will be written.
    pub(super) job: Job,
    pub(super) pods: Vec<Rc<Pod>>,
    /// The pods that have not ended and are not being deleted.
    pub(super) active_pods: Vec<Rc<Pod>>,
    /// The condition with which the Job ends; `None` while it goes on.
    pub(super) finished: Option<JobCondition>,
    pub(super) succeeded: i32,
    pub(super) failed: i32,
    /// The indexes that the status says have succeeded.
    pub(super) previously_succeeded: Intervals,
    pub(super) succeeded_indexes: Intervals,
    /// The failed indexes, if they are counted.
    pub(super) failed_indexes: Option<Intervals>,
    pub(super) backoff: BackoffRecord,
    /// The uids of pods whose finalizer an earlier sync has removed.
    pub(super) removed: Rc<BTreeSet<String>>,
    /// The uids that the status has in `uncountedTerminatedPods`.
    pub(super) uncounted_succeeded: BTreeSet<String>,
    pub(super) uncounted_failed: BTreeSet<String>,
    /// The failed pods that wait for their replacement, by index.
    pub(super) delayed: BTreeMap<i64, Rc<Pod>>,
    pub(super) terminating: i32,
    pub(super) ready: i32,
}

impl JobSync {
    /// The job's status.
    pub(super) fn status(&mut self) -> &mut JobStatus {
        self.job.status.get_or_insert_default()
    }

    /// The pods that pass a filter and that are not counted yet: they have the finalizer, are not in the list given and,
    /// if the Job is indexed, have an index that it wants (`getValidPodsWithFilter`).
    pub(super) fn valid_pods(
        &self,
        uncounted: &BTreeSet<String>,
        filter: impl Fn(&Pod) -> bool,
    ) -> Vec<Rc<Pod>> {
        let valid = |p: &&Rc<Pod>| {
            let uid = p.metadata.uid();
            has_tracking_finalizer(p)
                && !uncounted.contains(uid)
                && !self.removed.contains(uid)
                && (!is_indexed(&self.job) || indexed::valid_index(p, &self.job).is_some())
                && filter(p)
        };
        self.pods.iter().filter(valid).cloned().collect()
    }
}

/// A number of pods as the API has it.
pub(super) fn count(n: usize) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

/// Whether the failure of a pod counts towards the back-off limit.
pub(super) fn counts(job: &Job, pod: &Pod) -> bool {
    verdict(job.spec.as_ref().and_then(|s| s.pod_failure_policy.as_ref()), pod).counts
}

/// The condition `Failed` that follows a `FailureTarget`.
pub(super) fn failed_after(target: &JobCondition, cx: &Cx) -> JobCondition {
    let text = |t: &Option<String>| t.clone().unwrap_or_default();
    condition(FAILED, text(&target.reason), text(&target.message), cx.now())
}
