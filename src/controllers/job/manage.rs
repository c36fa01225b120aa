//! How many pods a Job has (`manageJob`).

use std::collections::BTreeSet;
use std::rc::Rc;

use jiff::SignedDuration;

use super::backoff::remaining_for_index;
use super::context::{JobSync, count};
use super::indexed::{self, COMPLETION_INDEX, FAILURE_COUNT, IGNORED_FAILURE_COUNT};
use super::pending::first_pending_indexes;
use super::tracking::remove_finalizer;
use super::util::{
    TRACKING_FINALIZER, has_backoff_limit_per_index, has_tracking_finalizer, is_indexed, is_suspended,
    only_replaces_failed,
};
use super::{BATCH_PERIOD, Cx, Task};
use crate::api::types::{Pod, PodTemplateSpec};
use crate::api::{ApiKind, Key, MetaExt, ObjectRef, order, owner_reference, pod};
use crate::apimachinery::Status;
use crate::client::{Result, Why};
use crate::controllers::controller_utils::{
    active_pods, create_pod_unless_terminating, delete_pod, is_ready, pod_from_template, slow_start_batch,
};

/// The most pods that one sync creates or deletes.
const MAX_PODS_PER_SYNC: i32 = 500;

/// How many pods were deleted, how many of these were ready, and the first refusal.
type Deleted = (i32, i32, Result);

/// Deletes the active pods of a Job that ends. Their finalizers stay until the status has counted them.
pub(super) async fn delete_active_pods(cx: &Cx, sync: &JobSync) -> Deleted {
    let reason = sync.finished.as_ref().and_then(|c| c.reason.clone()).unwrap_or_default();
    let (mut deleted, mut ready, mut failed) = (0, 0, Ok(()));
    for pod in &sync.active_pods {
        let why = Why::new("delete_active_pods")
            .read("reason", ObjectRef::of(&sync.job), "status.conditions", &reason)
            .with("active", sync.active_pods.len());
        match delete_pod(cx, pod, &sync.job, why).await {
            Err(e) if !e.is_not_found() => failed = failed.and(Err(e)),
            _ => deleted += 1,
        }
        ready += i32::from(is_ready(pod));
    }
    (deleted, ready, failed)
}

/// Creates missing pods, or deletes surplus ones. Returns how many pods are active afterwards.
pub(super) async fn manage_job(cx: &Cx, sync: &mut JobSync) -> (i32, Result) {
    let active = count(sync.active_pods.len());
    let spec = super::util::spec(&sync.job);
    let suspended = is_suspended(&sync.job);
    let wanted = match (suspended, spec.completions) {
        (true, _) => 0,
        (_, None) if sync.succeeded > 0 => active,
        (_, None) => spec.parallelism.unwrap_or(1),
        (_, Some(completions)) => {
            completions.saturating_sub(sync.succeeded).min(spec.parallelism.unwrap_or(1)).max(0)
        }
    };
    let surplus = pods_to_remove(sync, (active - wanted).max(0), suspended);
    if suspended || !surplus.is_empty() {
        let rule = if suspended { "manage_job.suspend" } else { "manage_job.delete" };
        let (deleted, ready, result) = delete_job_pods(cx, sync, &surplus, rule, wanted).await;
        sync.terminating += deleted;
        sync.ready -= ready;
        return (active - deleted, result);
    }
    let terminating = if only_replaces_failed(&sync.job) { sync.terminating } else { 0 };
    let missing = wanted - terminating - active;
    if missing > 0 {
        create_missing(cx, sync, active, missing.min(MAX_PODS_PER_SYNC)).await
    } else {
        (active, Ok(()))
    }
}

/// The pods that go if at least so many have to (`activePodsForRemoval`).
fn pods_to_remove(sync: &JobSync, at_least: i32, all: bool) -> Vec<Rc<Pod>> {
    let (mut remove, mut left) = if is_indexed(&sync.job) {
        indexed::duplicates(&sync.job, &sync.active_pods)
    } else {
        (Vec::new(), sync.active_pods.clone())
    };
    let more = usize::try_from(at_least).unwrap_or(0).saturating_sub(remove.len());
    if more > 0 {
        order::sort_by(&mut left, |a, b| active_pods(a, b));
        remove.extend(left.into_iter().take(more));
    }
    if !all {
        remove.truncate(MAX_PODS_PER_SYNC as usize);
    }
    remove
}

/// Takes the finalizer off pods, which are not to be counted, and deletes them (`deleteJobPods`).
async fn delete_job_pods(
    cx: &Cx,
    sync: &JobSync,
    pods: &[Rc<Pod>],
    rule: &'static str,
    wanted: i32,
) -> Deleted {
    let (key, now) = (sync.key.clone(), cx.now());
    let keys: BTreeSet<Key> = order::gather(pods.iter().map(|p| p.metadata.key()));
    cx.update_state(move |s| s.expectations.expect_deletions(&key, keys.clone(), now));
    let (mut deleted, mut ready, mut failed) = (count(pods.len()), 0, Ok(()));
    for (i, pod) in pods.iter().enumerate() {
        let why = || {
            Why::new(rule)
                .read("want", ObjectRef::of(&sync.job), "spec.parallelism", wanted)
                .with("have", sync.active_pods.len().saturating_sub(i))
        };
        let released = match has_tracking_finalizer(pod) {
            true => remove_finalizer(cx, pod, why()).await,
            false => Ok(()),
        };
        let released_it = released.is_ok();
        let result = match released {
            Ok(()) => delete_pod(cx, pod, &sync.job, why()).await,
            Err(e) => Err(e.into()),
        };
        if let Err(e) = result {
            let (key, gone) = (sync.key.clone(), pod.metadata.key());
            cx.update_state(move |s| s.expectations.deletion_observed(&key, &gone));
            if !e.is_not_found() {
                deleted -= 1;
                failed = failed.and(Err(e));
            }
        }
        ready += i32::from(released_it && is_ready(pod));
    }
    (deleted, ready, failed)
}

/// Creates pods, unless failed ones are still backed off.
async fn create_missing(cx: &Cx, sync: &JobSync, active: i32, missing: i32) -> (i32, Result) {
    let indexes = match pods_to_add(cx, sync, missing) {
        Ok(indexes) => indexes,
        Err(wait) => {
            cx.enqueue_after(Task::Job(sync.key.clone()), wait.max(BATCH_PERIOD));
            // The status counts no active pods while the Job waits for the end of a back-off, as in Kubernetes.
            return (0, Ok(()));
        }
    };
    let missing = count(indexes.len());
    let (key, now) = (sync.key.clone(), cx.now());
    cx.update_state(move |s| s.expectations.expect_creations(&key, i64::from(missing), now));
    let template = template(sync);
    let shared = template.spec.clone().map(pod::Spec::from);
    let mut newest = None;
    let (created, errors) = slow_start_batch(indexes, MAX_PODS_PER_SYNC as usize, async |index, created| {
        let pod = match index {
            Some(index) => indexed_pod(sync, &template, index),
            None => new_pod(sync, &template, shared.clone()),
        };
        let why = Why::new("manage_job.create")
            .read("want", ObjectRef::of(&sync.job), "spec.parallelism", active + missing)
            .with("have", active + count(created))
            .with("succeeded", sync.succeeded);
        newest = create_pod_unless_terminating(cx, pod, &sync.job, why).await?.or(newest.take());
        Ok(())
    })
    .await;
    if let Some(pod) = newest {
        cx.wrote(&sync.job.metadata, &pod);
    }
    let created = count(created);
    let skipped = missing - created;
    if skipped > 0 {
        let key = sync.key.clone();
        cx.update_state(move |s| (0..skipped).for_each(|_| s.expectations.creation_observed(&key)));
    }
    (active + created, errors.into_iter().next().map_or(Ok(()), |e: Status| Err(e.into())))
}

/// The indexes to create pods for, `None` for each pod of a Job without indexes.
///
/// # Errors
/// How long to wait, if all of them are backed off.
fn pods_to_add(
    cx: &Cx,
    sync: &JobSync,
    missing: i32,
) -> std::result::Result<Vec<Option<i64>>, SignedDuration> {
    let per_index = has_backoff_limit_per_index(&sync.job);
    let wait = sync.backoff.remaining(cx.now());
    if !per_index && wait.is_positive() {
        return Err(wait);
    }
    if !is_indexed(&sync.job) {
        return Ok((0..missing).map(|_| None).collect());
    }
    let pending = first_pending_indexes(sync, i64::from(missing));
    if !per_index {
        return Ok(pending.into_iter().map(Some).collect());
    }
    let wait = |i: &i64| remaining_for_index(sync.delayed.get(i).map(|p| &**p), cx.now());
    let due: Vec<Option<i64>> = pending.iter().filter(|i| wait(i).is_zero()).copied().map(Some).collect();
    match pending.iter().map(wait).min() {
        Some(shortest) if due.is_empty() => Err(shortest),
        _ => Ok(due),
    }
}

/// The template of the Job's pods, with the tracking finalizer and the variable for the index.
fn template(sync: &JobSync) -> PodTemplateSpec {
    let mut template = super::util::spec(&sync.job).template;
    let finalizers = template.metadata.get_or_insert_default().finalizers.get_or_insert_default();
    if finalizers.iter().all(|f| f != TRACKING_FINALIZER) {
        finalizers.push(TRACKING_FINALIZER.into());
    }
    if let (true, Some(spec)) = (is_indexed(&sync.job), template.spec.as_mut()) {
        indexed::add_index_env(spec);
    }
    template
}

fn new_pod(sync: &JobSync, template: &PodTemplateSpec, spec: Option<pod::Spec>) -> Pod {
    let owner = owner_reference(crate::api::types::Job::KIND, &sync.job.metadata);
    pod_from_template(template, spec, sync.job.metadata.namespace(), &owner)
}

/// A pod of an index, with the index in its name, host name, annotations and labels.
fn indexed_pod(sync: &JobSync, template: &PodTemplateSpec, index: i64) -> Pod {
    let job = sync.job.metadata.name();
    let spec = template.spec.clone().map(|mut spec| {
        spec.hostname = Some(format!("{job}-{index}"));
        pod::Spec::from(spec)
    });
    let mut pod = new_pod(sync, template, spec);
    let meta = &mut pod.metadata;
    meta.generate_name = Some(indexed::generate_name(job, index));
    meta.labels.get_or_insert_default().insert(COMPLETION_INDEX.into(), index.to_string());
    let annotations = meta.annotations.get_or_insert_default();
    annotations.insert(COMPLETION_INDEX.into(), index.to_string());
    if has_backoff_limit_per_index(&sync.job) {
        let replaced = sync.delayed.get(&index).map(|p| &**p);
        let (failed, ignored) = indexed::new_failure_counts(&sync.job, replaced);
        annotations.insert(FAILURE_COUNT.into(), failed.to_string());
        if ignored > 0 {
            annotations.insert(IGNORED_FAILURE_COUNT.into(), ignored.to_string());
        }
    }
    pod
}
