//! One sync of a Job (`syncJob`): what its pods have come to, whether the Job ends, which pods it needs, and its
//! status.

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use super::backoff::BackoffRecord;
use super::context::{JobSync, count, counts, failed_after};
use super::indexed::{self, Intervals, completions};
use super::manage::{delete_active_pods, manage_job};
use super::pending::delayed_deletions;
use super::pod_failure_policy::verdict;
use super::tracking::track_job_status;
use super::util::{
    FAILURE_TARGET, SUCCESS_CRITERIA_MET, SUSPENDED, condition, ensure_condition,
    has_backoff_limit_per_index, is_finished, is_indexed, is_pod_failed, is_suspended, managed_by_other,
    spec, true_condition,
};
use super::{Cx, Task, success_policy};
use crate::api::types::{Job, JobCondition, Pod, Time};
use crate::api::{Key, MetaExt, pod, seconds};
use crate::client::{Result, Selects};
use crate::controllers::controller_ref_manager::claim_objects_noted;
use crate::controllers::controller_utils::{is_active, is_ready, is_terminating};

/// Syncs a Job.
pub(super) async fn sync_job(cx: &Cx, key: &Key) -> Result {
    cx.state(|s| s.consistency.ensure_ready(key, cx.caches()))?;
    let Some(shared) = cx.lister::<Job>().get(key).cloned() else {
        let key = key.clone();
        cx.update_state(move |s| s.forget(&key));
        return Ok(());
    };
    if managed_by_other(&shared).is_some() {
        return Ok(());
    }
    if is_finished(&shared) {
        let key = key.clone();
        cx.update_state(move |s| {
            s.backoff.remove(&key);
        });
        return Ok(());
    }
    let may_manage = cx.state(|s| s.expectations.satisfied(key, cx.now()));
    let pods = pods_of(cx, &shared).await?;
    let mut sync = begin(cx, key, &shared, pods);
    let (succeeded, failed) = newly_finished(&sync);
    let ignored = failed.iter().filter(|p| !counts(&sync.job, p)).count();
    let status = shared.status.clone().unwrap_or_default();
    sync.succeeded = status.succeeded.unwrap_or(0) + count(succeeded.len() + sync.uncounted_succeeded.len());
    sync.failed = status.failed.unwrap_or(0) + count(failed.len() - ignored + sync.uncounted_failed.len());
    if status.start_time.is_none() && !is_suspended(&sync.job) {
        sync.status().start_time = Some(Time(seconds(cx.now())));
    }
    sync.backoff = cx.state(|s| s.backoff.get(key).cloned().unwrap_or_default()).after(&succeeded, &failed);

    sync.finished = finished(cx, &sync);
    if is_indexed(&sync.job) {
        count_indexes(cx, &mut sync);
    }

    let mut active = count(sync.active_pods.len());
    let mut suspend_changed = false;
    let managed;
    if sync.finished.is_some() {
        let (deleted, deleted_ready, result) = delete_active_pods(cx, &sync).await;
        if deleted != active || !may_manage {
            // Pods may be left, or not be in the cache yet: a later sync ends the Job.
            sync.finished = None;
        }
        active -= deleted;
        sync.terminating += deleted;
        sync.ready -= deleted_ready;
        managed = result;
    } else {
        let manages = may_manage && !sync.job.metadata.is_deleting();
        managed = if manages {
            let (left, result) = manage_job(cx, &mut sync).await;
            active = left;
            result
        } else {
            Ok(())
        };
        if is_complete(&sync, active) {
            let message = "Reached expected number of succeeded pods";
            sync.finished = Some(condition(SUCCESS_CRITERIA_MET, "CompletionsReached", message, cx.now()));
        } else if manages {
            suspend_changed = set_suspended(cx, &mut sync);
        }
    }

    let (ready, terminating) = (Some(sync.ready), Some(sync.terminating));
    let status = sync.status();
    let flush = suspend_changed
        || active != status.active.unwrap_or(0)
        || status.ready != ready
        || status.terminating != terminating;
    status.active = Some(active).filter(|n| *n != 0);
    status.ready = ready;
    status.terminating = terminating;
    track_job_status(cx, &mut sync, flush).await?;
    managed
}

/// The Job's pods (`getPodsForJob`). A pod that is adopted gets the tracking finalizer, one that is released loses it.
async fn pods_of(cx: &Cx, job: &Rc<Job>) -> Result<Vec<Rc<Pod>>> {
    // Validation refuses selectors that cannot be parsed.
    let Ok(selector) = job.selector() else { return Ok(Vec::new()) };
    let pods = cx.lister::<Pod>();
    let owned = pods.controlled_by(job.metadata.uid());
    let all = owned.chain(pods.orphans(job.metadata.namespace())).cloned().collect();
    let finalizers = &[super::util::TRACKING_FINALIZER];
    let adopted = |pod: &Rc<Pod>| cx.wrote(&job.metadata, pod);
    claim_objects_noted(cx, job, &selector, all, |_| true, finalizers, adopted).await
}

fn begin(cx: &Cx, key: &Key, job: &Rc<Job>, pods: Vec<Rc<Pod>>) -> JobSync {
    let mut job = Job::clone(job);
    let status = job.status.get_or_insert_default();
    let uncounted = status.uncounted_terminated_pods.get_or_insert_default();
    let uids = |list: &Option<Vec<String>>| list.iter().flatten().cloned().collect();
    let active_pods: Vec<Rc<Pod>> = pods.iter().filter(|p| is_active(p)).cloned().collect();
    JobSync {
        key: key.clone(),
        uncounted_succeeded: uids(&uncounted.succeeded),
        uncounted_failed: uids(&uncounted.failed),
        terminating: count(pods.iter().filter(|p| is_terminating(p)).count()),
        ready: count(active_pods.iter().filter(|p| is_ready(p)).count()),
        removed: cx.state(|s| s.finalizers.get(key).cloned().unwrap_or_default()),
        job,
        pods,
        active_pods,
        finished: None,
        succeeded: 0,
        failed: 0,
        previously_succeeded: Intervals::default(),
        succeeded_indexes: Intervals::default(),
        failed_indexes: None,
        backoff: BackoffRecord::default(),
        delayed: BTreeMap::new(),
    }
}

/// The pods that have succeeded and that have failed since the last sync.
fn newly_finished(sync: &JobSync) -> (Vec<Rc<Pod>>, Vec<Rc<Pod>>) {
    (
        sync.valid_pods(&sync.uncounted_succeeded, |p| pod::phase(p) == "Succeeded"),
        sync.valid_pods(&sync.uncounted_failed, |p| is_pod_failed(p, &sync.job)),
    )
}

/// The condition with which the Job ends, as far as it does not depend on its indexes.
fn finished(cx: &Cx, sync: &JobSync) -> Option<JobCondition> {
    let (job, now) = (&sync.job, cx.now());
    let spec = job.spec.as_ref()?;
    if let Some(met) = true_condition(job.status.as_ref(), SUCCESS_CRITERIA_MET) {
        return Some(met.clone());
    }
    if let Some(target) = true_condition(job.status.as_ref(), FAILURE_TARGET) {
        return Some(failed_after(target, cx));
    }
    let failed = sync.pods.iter().filter(|p| is_pod_failed(p, job));
    if let Some(policy) = spec.pod_failure_policy.as_ref()
        && let Some(message) = failed.into_iter().find_map(|p| verdict(Some(policy), p).fail_job)
    {
        return Some(condition(FAILURE_TARGET, "PodFailurePolicy", message, now));
    }
    if sync.failed > spec.backoff_limit.unwrap_or(6) || past_backoff_limit_on_failure(job, &sync.pods) {
        let message = "Job has reached the specified backoff limit";
        return Some(condition(FAILURE_TARGET, "BackoffLimitExceeded", message, now));
    }
    let started = job.status.as_ref().and_then(|s| s.start_time.as_ref());
    if let (Some(deadline), Some(started), false) = (spec.active_deadline_seconds, started, is_suspended(job))
    {
        let left = SignedDuration::from_secs(deadline).saturating_sub(now.duration_since(started.0));
        if !left.is_positive() {
            let message = "Job was active longer than specified deadline";
            return Some(condition(FAILURE_TARGET, "DeadlineExceeded", message, now));
        }
        cx.enqueue_after(Task::Job(sync.key.clone()), left);
    }
    None
}

/// Whether containers were restarted as often as the back-off limit says, where pods restart their containers
/// themselves (`restartPolicy: OnFailure`).
fn past_backoff_limit_on_failure(job: &Job, pods: &[Rc<Pod>]) -> bool {
    let spec = spec(job);
    let policy = spec.template.spec.as_ref().and_then(|s| s.restart_policy.as_deref());
    if policy != Some("OnFailure") {
        return false;
    }
    let running = pods.iter().filter(|p| matches!(pod::phase(p), "Running" | "Pending"));
    let restarts = running.filter_map(|p| p.status.as_ref()).fold(0i32, |sum, s| {
        let all = s.init_container_statuses.iter().chain(&s.container_statuses).flatten();
        all.fold(sum, |sum, c| sum.saturating_add(c.restart_count))
    });
    match spec.backoff_limit.unwrap_or(6) {
        0 => restarts > 0,
        limit => restarts >= limit,
    }
}

/// Counts the indexes, and ends the Job if too many have failed or its success policy is met.
fn count_indexes(cx: &Cx, sync: &mut JobSync) {
    let (before, now) = indexed::succeeded_indexes(&sync.job, &sync.pods);
    (sync.previously_succeeded, sync.succeeded_indexes) = (before, now);
    let succeeded = sync.succeeded_indexes.total();
    sync.succeeded = i32::try_from(succeeded).unwrap_or(i32::MAX);
    let (spec, wanted) = (spec(&sync.job), completions(&sync.job));
    if has_backoff_limit_per_index(&sync.job) {
        let failed = indexed::failed_indexes(&sync.job, &sync.pods);
        let total = failed.total();
        sync.failed_indexes = Some(failed);
        let ends = if spec.max_failed_indexes.is_some_and(|max| total > i64::from(max)) {
            let message = "Job has exceeded the specified maximal number of failed indexes";
            Some(("MaxFailedIndexesExceeded", message))
        } else {
            (total > 0 && total + succeeded >= wanted).then_some(("FailedIndexes", "Job has failed indexes"))
        };
        if let (None, Some((reason, message))) = (&sync.finished, ends) {
            sync.finished = Some(condition(FAILURE_TARGET, reason, message, cx.now()));
        }
        sync.delayed = delayed_deletions(sync);
    }
    if let (None, Some(policy)) = (&sync.finished, &spec.success_policy)
        && let Some(message) = success_policy::met(policy, wanted, &sync.succeeded_indexes)
    {
        sync.finished = Some(condition(SUCCESS_CRITERIA_MET, "SuccessPolicy", message, cx.now()));
    }
}

/// Whether enough pods have succeeded. Without `completions`, one success is enough, once no other pod is active.
fn is_complete(sync: &JobSync, active: i32) -> bool {
    let completions = sync.job.spec.as_ref().and_then(|s| s.completions);
    active == 0 && completions.map_or(sync.succeeded > 0, |wanted| sync.succeeded >= wanted)
}

/// Sets the condition `Suspended` with its event; returns whether it changed. A Job that is resumed starts its time
/// anew.
fn set_suspended(cx: &Cx, sync: &mut JobSync) -> bool {
    let now = cx.now();
    if is_suspended(&sync.job) {
        let changed =
            ensure_condition(sync.status(), condition(SUSPENDED, "JobSuspended", "Job suspended", now));
        if changed {
            cx.event(&sync.job, "Normal", "Suspended", "Job suspended");
            sync.status().start_time = None;
        }
        return changed;
    }
    let resumed =
        JobCondition { status: "False".into(), ..condition(SUSPENDED, "JobResumed", "Job resumed", now) };
    let changed = ensure_condition(sync.status(), resumed);
    if changed {
        cx.event(&sync.job, "Normal", "Resumed", "Job resumed");
        sync.status().start_time = Some(Time(seconds(now)));
    }
    changed
}
