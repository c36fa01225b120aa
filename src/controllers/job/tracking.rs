//! Counting pods that have ended, each exactly once (`trackJobStatusAndRemoveFinalizers`).
//!
//! The status first lists the uids of pods that are not counted yet, then their finalizers are removed, then the counts
//! grow and the list shrinks. Whatever is interrupted between two of these steps goes on where it stood: a pod whose
//! finalizer is gone and whose uid is in the list has to be counted, one that has its finalizer does not.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Cx;
use super::context::{JobSync, count, counts, failed_after};
use super::indexed::{completion_index, valid_index};
use super::util::{
    COMPLETE, FAILURE_TARGET, SUCCESS_CRITERIA_MET, TRACKING_FINALIZER, condition, ensure_condition,
    has_tracking_finalizer, is_finished, is_indexed, is_pod_failed, managed_by_other, true_condition,
};
use crate::api::types::{Job, JobStatus, Pod};
use crate::api::{ApiKind, Key, MetaExt, ObjectRef, order, pod};
use crate::apimachinery::Status;
use crate::client::{Error, Result, Why, controller_of};

/// The most uids that the status lists.
const MAX_UNCOUNTED_PODS: usize = 500;

/// Counts the pods that have ended, removes their finalizers, and writes the status; with the condition that ends the
/// Job once all of its pods are counted. `flush` says whether the status has already changed.
pub(super) async fn track_job_status(cx: &Cx, sync: &mut JobSync, mut flush: bool) -> Result {
    let indexed = is_indexed(&sync.job);
    if indexed {
        order::sort_by_key(&mut sync.pods, |p| completion_index(p).unwrap_or(-1));
    }
    let mut with_finalizer: BTreeSet<String> = order::gather(
        sync.pods
            .iter()
            .filter(|p| has_tracking_finalizer(p) && !sync.removed.contains(p.metadata.uid()))
            .map(|p| p.metadata.uid().to_owned()),
    );
    flush |= count_released(sync.status(), &with_finalizer);
    let (release, listed, full) = list_uncounted(sync);
    flush |= listed;
    if indexed {
        flush |= set_indexes(sync);
    }
    flush |= announce_end(cx, sync);
    if flush {
        update_status(cx, sync, "adding uncounted pods to status").await?;
        let (key, record) = (sync.key.clone(), sync.backoff.clone());
        cx.update_state(move |s| {
            s.backoff.insert(key.clone(), record.clone());
        });
    }
    let released = remove_finalizers(cx, &sync.key, &release).await;
    for uid in &released.uids {
        with_finalizer.remove(uid);
    }
    let mut flush = count_released(sync.status(), &with_finalizer);
    if let Err(e) = released.result {
        if flush {
            update_status(cx, sync, "removing uncounted pods from status").await?;
        }
        return Err(e);
    }
    let ended = !full && enact_end(cx, sync);
    flush |= ended;
    if flush {
        update_status(cx, sync, "removing uncounted pods from status").await?;
        if ended {
            record_end(cx, sync);
        }
    }
    Ok(())
}

/// Counts the listed pods that have no finalizer any more; returns whether there are any
/// (`cleanUncountedPodsWithoutFinalizers`).
fn count_released(status: &mut JobStatus, with_finalizer: &BTreeSet<String>) -> bool {
    let uncounted = status.uncounted_terminated_pods.get_or_insert_default();
    let shrink = |list: &mut Option<Vec<String>>, total: &mut Option<i32>| {
        let Some(uids) = list.as_mut() else { return false };
        let before = uids.len();
        uids.retain(|uid| with_finalizer.contains(uid));
        let counted = before - uids.len();
        if uids.is_empty() {
            *list = None;
        }
        if counted > 0 {
            *total = Some(total.unwrap_or(0).saturating_add(count(counted)));
        }
        counted > 0
    };
    let succeeded = shrink(&mut uncounted.succeeded, &mut status.succeeded);
    let failed = shrink(&mut uncounted.failed, &mut status.failed);
    succeeded || failed
}

/// Lists the pods that are to be counted. Returns the pods whose finalizer can go, whether the list has grown, and
/// whether it is full.
fn list_uncounted(sync: &mut JobSync) -> (Vec<Rc<Pod>>, bool, bool) {
    let indexed = is_indexed(&sync.job);
    let fails = sync.finished.as_ref().is_some_and(|c| c.type_ != SUCCESS_CRITERIA_MET);
    let mut release = Vec::new();
    let mut new_indexes = BTreeSet::new();
    let uncounted = sync.status().uncounted_terminated_pods.clone().unwrap_or_default();
    let (mut succeeded, mut failed) =
        (uncounted.succeeded.unwrap_or_default(), uncounted.failed.unwrap_or_default());
    let (mut grown, mut full) = (false, false);
    for pod in &sync.pods {
        let uid = pod.metadata.uid();
        if !has_tracking_finalizer(pod) || sync.removed.contains(uid) || !can_remove_finalizer(sync, pod) {
            continue;
        }
        release.push(pod.clone());
        let is_listed = sync.uncounted_failed.contains(uid);
        let wanted = !indexed || valid_index(pod, &sync.job).is_some();
        if pod::phase(pod) == "Succeeded" && !is_listed {
            match valid_index(pod, &sync.job) {
                Some(index) if indexed => {
                    if !sync.previously_succeeded.has(index) {
                        grown |= new_indexes.insert(index);
                    }
                }
                _ if indexed => {}
                _ if sync.uncounted_succeeded.contains(uid) => {}
                _ => {
                    succeeded.push(uid.to_owned());
                    grown = true;
                }
            }
        } else if (is_pod_failed(pod, &sync.job) || fails) && !is_listed && wanted && counts(&sync.job, pod) {
            failed.push(uid.to_owned());
            grown = true;
        }
        if new_indexes.len() + succeeded.len() + failed.len() >= MAX_UNCOUNTED_PODS {
            full = true;
            break;
        }
    }
    let list = |uids: Vec<String>| Some(uids).filter(|u| !u.is_empty());
    let uncounted = sync.status().uncounted_terminated_pods.get_or_insert_default();
    uncounted.succeeded = list(succeeded);
    uncounted.failed = list(failed);
    sync.succeeded_indexes = sync.succeeded_indexes.with(&new_indexes);
    (release, grown, full)
}

/// Whether a pod's finalizer can go: the Job ends or is being deleted, or the pod has ended and does not wait for its
/// replacement.
fn can_remove_finalizer(sync: &JobSync, pod: &Pod) -> bool {
    if sync.job.metadata.is_deleting() || sync.finished.is_some() || pod::phase(pod) == "Succeeded" {
        return true;
    }
    let waits = || {
        let index = completion_index(pod)?;
        Some(sync.delayed.get(&index)?.metadata.uid() == pod.metadata.uid())
    };
    is_pod_failed(pod, &sync.job) && waits() != Some(true)
}

/// Writes the indexes to the status; returns whether they have changed.
fn set_indexes(sync: &mut JobSync) -> bool {
    let succeeded = Some(sync.succeeded_indexes.to_string()).filter(|s| !s.is_empty());
    let total = Some(i32::try_from(sync.succeeded_indexes.total()).unwrap_or(i32::MAX));
    let failed = sync.failed_indexes.as_ref().map(ToString::to_string);
    let status = sync.status();
    let changed = status.completed_indexes != succeeded || status.failed_indexes != failed;
    status.succeeded = total.filter(|n| *n != 0);
    status.completed_indexes = succeeded;
    status.failed_indexes = failed;
    changed
}

/// Puts the condition into the status that announces the end of the Job, and replaces it by the one that is to follow.
/// Returns whether the status has changed.
fn announce_end(cx: &Cx, sync: &mut JobSync) -> bool {
    let Some(announced) = sync.finished.clone() else { return false };
    let text = |t: &Option<String>| t.clone().unwrap_or_default();
    let (next, is_new) = match announced.type_.as_str() {
        FAILURE_TARGET => (failed_after(&announced, cx), true),
        SUCCESS_CRITERIA_MET => {
            let is_new = true_condition(sync.job.status.as_ref(), SUCCESS_CRITERIA_MET).is_none();
            let (reason, message) = (text(&announced.reason), text(&announced.message));
            (condition(COMPLETE, reason, message, cx.now()), is_new)
        }
        _ => return false,
    };
    if is_new {
        sync.status().conditions.get_or_insert_default().push(announced);
    }
    sync.finished = Some(next);
    is_new
}

/// Puts the condition `Complete` or `Failed` into the status, unless a pod is not counted yet or is still terminating.
fn enact_end(cx: &Cx, sync: &mut JobSync) -> bool {
    let Some(finished) = sync.finished.clone() else { return false };
    let uncounted = sync.job.status.as_ref().and_then(|s| s.uncounted_terminated_pods.as_ref());
    if uncounted.is_some_and(|u| u.succeeded.is_some() || u.failed.is_some()) || sync.terminating > 0 {
        return false;
    }
    let at = finished.last_transition_time.clone();
    let is_complete = finished.type_ == COMPLETE;
    let (reason, message) = (finished.reason.unwrap_or_default(), finished.message.unwrap_or_default());
    let status = sync.status();
    ensure_condition(status, condition(&finished.type_, reason, message, cx.now()));
    if is_complete {
        status.completion_time = at;
    }
    true
}

/// Records the event about the end of the Job.
fn record_end(cx: &Cx, sync: &JobSync) {
    let Some(finished) = &sync.finished else { return };
    if finished.type_ != COMPLETE {
        let text = |t: &Option<String>| t.clone().unwrap_or_default();
        return cx.event(&sync.job, "Warning", &text(&finished.reason), text(&finished.message));
    }
    let succeeded = sync.job.status.as_ref().and_then(|s| s.succeeded).unwrap_or(0);
    if sync.job.spec.as_ref().and_then(|s| s.completions).is_some_and(|wanted| succeeded > wanted) {
        let message = "Too many succeeded pods running after completion count reached";
        cx.event(&sync.job, "Warning", "TooManySucceededPods", message);
    }
    cx.event(&sync.job, "Normal", "Completed", "Job completed");
}

/// Writes the status; afterwards the sync has the Job as it was stored.
async fn update_status(cx: &Cx, sync: &mut JobSync, doing: &str) -> Result {
    let status = sync.job.status.clone().unwrap_or_default();
    let ends = |type_: &str| true_condition(Some(&status), type_).is_some();
    let at = ObjectRef::of(&sync.job);
    let why = if ends(COMPLETE) {
        Why::new("enact_job_finished.complete").read("succeeded", at, "status.succeeded", sync.succeeded)
    } else if let Some(failed) = true_condition(Some(&status), super::util::FAILED) {
        let message = failed.message.clone().unwrap_or_default();
        Why::new("enact_job_finished.failed").read("message", at, "status.conditions", message)
    } else {
        Why::new("track_job_status")
            .read("active", at, "status.active", status.active.unwrap_or(0))
            .with("ready", status.ready.unwrap_or(0))
            .with("succeeded", sync.succeeded)
            .with("failed", sync.failed)
            .with("terminating", status.terminating.unwrap_or(0))
    };
    match cx.update_status(Rc::new(sync.job.clone())).because(why).await {
        Ok(job) => {
            cx.wrote(&job.metadata, &job);
            sync.job = Job::clone(&job);
            Ok(())
        }
        Err(e) => Err(Error::Other(format!("tracking status: {doing}: {e}"))),
    }
}

/// What came of the removal of finalizers.
struct Released {
    /// The pods that have no finalizer any more.
    uids: Vec<String>,
    result: Result,
}

async fn remove_finalizers(cx: &Cx, job: &Key, pods: &[Rc<Pod>]) -> Released {
    let mut out = Released { uids: Vec::new(), result: Ok(()) };
    if pods.is_empty() {
        return out;
    }
    let (key, uids) = (job.clone(), pods.iter().map(|p| p.metadata.uid().to_owned()).collect::<Vec<_>>());
    cx.update_state(move |s| s.expect_removals(&key, &uids));
    for pod in pods {
        let why = Why::new("remove_tracking_finalizer").read(
            "phase",
            ObjectRef::of(&**pod),
            "status.phase",
            pod::phase(pod),
        );
        if let Err(e) = remove_finalizer(cx, pod, why).await {
            let (key, uid) = (job.clone(), pod.metadata.uid().to_owned());
            cx.update_state(move |s| s.removal_observed(&key, &uid));
            if !e.is_not_found() {
                out.result = out.result.and(Err(e.into()));
                continue;
            }
        }
        out.uids.push(pod.metadata.uid().to_owned());
    }
    out
}

/// Takes the tracking finalizer off a pod, and notes that for its Job (`PatchPod`).
pub(super) async fn remove_finalizer(cx: &Cx, pod: &Rc<Pod>, why: Why) -> std::result::Result<(), Status> {
    let mut to = pod.clone();
    let finalizers = &mut Rc::make_mut(&mut to).metadata.finalizers;
    if let Some(all) = finalizers {
        all.retain(|f| f != TRACKING_FINALIZER);
        if all.is_empty() {
            *finalizers = None;
        }
    }
    let patched = cx.patch(pod.clone(), to).because(why).await?;
    cx.wrote_for_controller(&patched);
    Ok(())
}

/// Takes the tracking finalizer off a pod that no running Job owns (`syncOrphanPod`).
pub(super) async fn sync_orphan_pod(cx: &Cx, key: &Key) -> Result {
    let Some(pod) = cx.lister::<Pod>().get(key).cloned() else { return Ok(()) };
    if let Some(owner) = pod.metadata.controller() {
        if owner.kind != Job::KIND.as_str() || owner.api_version != Job::KIND.api_version() {
            return Ok(());
        }
        let job = controller_of::<Job>(cx.caches(), &pod.metadata);
        if job.is_some_and(|j| managed_by_other(j).is_some() || !is_finished(j)) {
            return Ok(());
        }
    }
    if !has_tracking_finalizer(&pod) {
        return Ok(());
    }
    let at = ObjectRef::of(&*pod);
    let why = Why::new("sync_orphan_pod").read("finalizer", at, "metadata.finalizers", TRACKING_FINALIZER);
    match remove_finalizer(cx, &pod, why).await {
        Err(e) if !e.is_not_found() => Err(e.into()),
        _ => Ok(()),
    }
}
