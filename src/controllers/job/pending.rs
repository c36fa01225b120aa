//! The indexes of an Indexed Job for which pods are to be created, and the failed pods that wait for their replacement
//! (`k8s.io/kubernetes/pkg/controller/job/indexed_job_utils.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::backoff::finished_time;
use super::context::JobSync;
use super::indexed::{absolute_failure_count, completion_index, completions, indexes};
use super::util::{is_pod_failed, only_replaces_failed};
use crate::api::types::Pod;
use crate::controllers::controller_utils::is_terminating;

/// The failed pods that keep their finalizer until their replacement exists, by index: the replacement's annotation
/// takes over their count of failures.
pub(super) fn delayed_deletions(sync: &JobSync) -> BTreeMap<i64, Rc<Pod>> {
    let active = indexes(&sync.active_pods);
    let mut out: BTreeMap<i64, Rc<Pod>> = BTreeMap::new();
    for pod in sync.valid_pods(&BTreeSet::new(), |p| is_pod_failed(p, &sync.job)) {
        let Some(index) = completion_index(&pod) else { continue };
        let failed = sync.failed_indexes.as_ref().is_some_and(|f| f.has(index));
        if sync.succeeded_indexes.has(index) || failed || active.contains(&index) {
            continue;
        }
        let later = |than: &Rc<Pod>| {
            absolute_failure_count(than) <= absolute_failure_count(&pod)
                && finished_time(&pod) >= finished_time(than)
        };
        if out.get(&index).is_none_or(later) {
            out.insert(index, pod);
        }
    }
    out
}

/// The first indexes that have no pod and have neither succeeded nor failed (`firstPendingIndexes`).
pub(super) fn first_pending_indexes(sync: &JobSync, count: i64) -> Vec<i64> {
    let mut taken = sync.succeeded_indexes.with(&indexes(&sync.active_pods));
    if only_replaces_failed(&sync.job) {
        taken = taken.with(&indexes(sync.pods.iter().filter(|p| is_terminating(p))));
    }
    if let Some(failed) = &sync.failed_indexes {
        taken = taken.merge(failed);
    }
    taken.first_missing(count, completions(&sync.job))
}
