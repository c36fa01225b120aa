//! The Job controller (`k8s.io/kubernetes/pkg/controller/job`): it runs pods until enough of them have
//! succeeded, and counts each pod that has ended exactly once.
//!
//! To count exactly once, each pod has a finalizer (`batch.kubernetes.io/job-tracking`) until the Job's status
//! has counted it (KEP-2307). Changes of pods and of the Job's status are batched: a sync follows one second
//! after the first of them, so that it sees several at once.

mod backoff;
mod context;
mod indexed;
mod manage;
mod pending;
mod pod_failure_policy;
mod success_policy;
mod sync;
mod tracking;
pub mod util;

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::labels::Selector;
use crate::api::persistent::Map;
use crate::api::types::{Job, Pod};
use crate::api::{Key, MetaExt, Timestamp};
use crate::client::{
    Caches, Consistency, Context, Expectations, Handler, Memory, RateLimit, Reconciler, Result, Seen,
    Selects, Watches, controller_of,
};
use backoff::BackoffRecord;
use util::{has_tracking_finalizer, is_finished};

/// How long changes of pods and of the status are collected before the Job is synced (`syncJobBatchPeriod`).
const BATCH_PERIOD: SignedDuration = SignedDuration::from_secs(1);

/// The Job controller.
#[derive(Clone, Copy, Debug)]
pub struct JobController;

/// A key of the Job controller's work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// A Job is to be synced.
    Job(Key),
    /// A pod that no running Job owns any more may still have the tracking finalizer.
    OrphanPod(Key),
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Job(key) => write!(f, "{key}"),
            Task::OrphanPod(key) => write!(f, "orphanPod/{key}"),
        }
    }
}

/// What the Job controller remembers between syncs.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Pods that were created or deleted and that the informer has not delivered yet.
    expectations: Expectations,
    /// The uids of pods whose finalizer was removed, which the informer has not delivered yet, by the key of
    /// their Job (`uidTrackingExpectations`).
    finalizers: Map<Key, Rc<BTreeSet<String>>>,
    /// The failures of each Job's pods (`backoffStore`).
    backoff: Map<Key, BackoffRecord>,
    /// What was written for each Job: a sync begins when the caches have it.
    consistency: Consistency,
}

impl State {
    fn removal_observed(&mut self, job: &Key, pod_uid: &str) {
        let Some(uids) = self.finalizers.get_mut(job).filter(|u| u.contains(pod_uid)) else { return };
        Rc::make_mut(uids).remove(pod_uid);
        if uids.is_empty() {
            self.finalizers.remove(job);
        }
    }

    fn expect_removals(&mut self, job: &Key, pod_uids: &[String]) {
        let mut uids = self.finalizers.get(job).cloned().unwrap_or_default();
        Rc::make_mut(&mut uids).extend(pod_uids.iter().cloned());
        self.finalizers.insert(job.clone(), uids);
    }

    fn forget(&mut self, job: &Key) {
        self.expectations.delete(job);
        self.finalizers.remove(job);
        self.backoff.remove(job);
        self.consistency.clear(job);
    }
}

impl AsMut<Consistency> for State {
    fn as_mut(&mut self) -> &mut Consistency {
        &mut self.consistency
    }
}

impl Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let mut lines = self.expectations.lines(now);
        for (job, uids) in self.finalizers.iter() {
            lines.extend(uids.iter().map(|uid| format!("{job} expects the finalizer of {uid} to go")));
        }
        for (job, record) in self.backoff.iter().filter(|(_, r)| r.failures > 0) {
            let remaining = record.remaining(now).as_millis();
            lines.push(format!("{job} has {} failures, back-off for {remaining} ms", record.failures));
        }
        lines
    }

    fn waits_for(&self, caches: &Caches) -> Vec<String> {
        self.consistency.waits_for(caches)
    }
}

impl Selects for Job {
    fn selector(&self) -> std::result::Result<Selector, String> {
        Selector::from_label_selector(self.spec.as_ref().and_then(|s| s.selector.as_ref()))
    }
}

type Cx = Context<State, Task>;

impl Reconciler for JobController {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        "job-controller".into()
    }

    fn watches(&self) -> Watches<State, Task> {
        Watches::new().watches(handle_job).watches(handle_pod)
    }

    fn rate_limit(&self) -> RateLimit {
        RateLimit { base: SignedDuration::from_secs(1), max: SignedDuration::from_mins(1) }
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::Job(key) => sync::sync_job(&cx, &key).await,
            Task::OrphanPod(key) => tracking::sync_orphan_pod(&cx, &key).await,
        }
    }
}

fn enqueue_batched(cx: &mut Handler<'_, State, Task>, job: Key) {
    cx.enqueue_after(Task::Job(job), BATCH_PERIOD);
}

/// `addJob`, `updateJob`, `deleteJob`: a new spec is synced at once, a new status after the batch period.
fn handle_job(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Job>) {
    let key = seen.key.clone();
    match (seen.old, seen.new) {
        // It has nothing left to do but to let its pods go.
        (Some(_), Some(new)) if is_finished(new) => clean_up_pod_finalizers(cx, new),
        (Some(old), Some(new)) => {
            match old.metadata.generation() == new.metadata.generation() {
                true => enqueue_batched(cx, key),
                false => cx.enqueue(Task::Job(key)),
            }
            resync_at_new_deadline(cx, old, new);
        }
        (_, new) => {
            cx.enqueue(Task::Job(key));
            if new.is_none() {
                clean_up_pod_finalizers(cx, seen.object());
            }
        }
    }
}

/// `activeDeadlineSeconds` was changed while the Job runs: the Job is synced at the new deadline.
fn resync_at_new_deadline(cx: &mut Handler<'_, State, Task>, old: &Job, new: &Job) {
    let deadline = |j: &Job| j.spec.as_ref().and_then(|s| s.active_deadline_seconds);
    let start = new.status.as_ref().and_then(|s| s.start_time.as_ref());
    if let (Some(start), Some(seconds)) = (start, deadline(new))
        && deadline(old) != Some(seconds)
    {
        let passed = cx.now.duration_since(start.0);
        let after = SignedDuration::from_secs(seconds).saturating_sub(passed);
        cx.enqueue_after(Task::Job(new.metadata.key()), after);
    }
}

/// Enqueues the pods of a Job that has ended or is gone and that still have the tracking finalizer.
fn clean_up_pod_finalizers(cx: &mut Handler<'_, State, Task>, job: &Rc<Job>) {
    let Ok(selector) = job.selector() else { return };
    let pods = cx.caches.of(<Pod as crate::api::ApiKind>::KIND).controlled_by(job.metadata.uid());
    let left: Vec<Key> = pods
        .filter_map(|o| o.get::<Pod>())
        .filter(|p| has_tracking_finalizer(p) && selector.matches(p.metadata.labels_or_empty()))
        .map(|p| p.metadata.key())
        .collect();
    left.into_iter().for_each(|pod| cx.enqueue(Task::OrphanPod(pod)));
}

fn handle_pod(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Pod>) {
    match (seen.old, seen.new) {
        (None, Some(pod)) if !pod.metadata.is_deleting() => pod_added(cx, pod),
        (Some(old), Some(new)) if !new.metadata.is_deleting() => pod_updated(cx, old, new),
        (Some(old), Some(new)) if old.metadata.resource_version == new.metadata.resource_version => {}
        _ => pod_deleted(cx, seen.object(), seen.is_gone()),
    }
}

fn owner(cx: &Handler<'_, State, Task>, pod: &Pod) -> Option<Rc<Job>> {
    controller_of::<Job>(cx.caches, &pod.metadata).cloned()
}

fn pod_added(cx: &mut Handler<'_, State, Task>, pod: &Pod) {
    if pod.metadata.controller().is_none() {
        return orphan_seen(cx, pod, true);
    }
    if let Some(job) = owner(cx, pod) {
        let key = job.metadata.key();
        cx.state.expectations.creation_observed(&key);
        enqueue_batched(cx, key);
    }
}

fn pod_updated(cx: &mut Handler<'_, State, Task>, old: &Pod, new: &Pod) {
    if old.metadata.resource_version == new.metadata.resource_version {
        return;
    }
    let removed = !has_tracking_finalizer(new);
    let changed = old.metadata.controller() != new.metadata.controller();
    let mut owners = Vec::new();
    if changed {
        owners.extend(owner(cx, old));
    }
    owners.extend(owner(cx, new));
    for job in owners {
        let key = job.metadata.key();
        if removed {
            cx.state.removal_observed(&key, new.metadata.uid());
        }
        enqueue_batched(cx, key);
    }
    if new.metadata.controller().is_none() {
        orphan_seen(cx, new, changed || old.metadata.labels != new.metadata.labels);
    }
}

/// `deletePod`: the pod begins to be deleted, or is gone.
fn pod_deleted(cx: &mut Handler<'_, State, Task>, pod: &Pod, gone: bool) {
    let has_finalizer = has_tracking_finalizer(pod);
    match owner(cx, pod).filter(|job| !is_finished(job)) {
        Some(job) => {
            let key = job.metadata.key();
            cx.state.expectations.deletion_observed(&key, &pod.metadata.key());
            if gone || !has_finalizer {
                cx.state.removal_observed(&key, pod.metadata.uid());
            }
            enqueue_batched(cx, key);
        }
        None if has_finalizer => cx.enqueue(Task::OrphanPod(pod.metadata.key())),
        None => {}
    }
}

/// No controller owns the pod: its finalizer goes, and every Job that selects it may adopt it.
fn orphan_seen(cx: &mut Handler<'_, State, Task>, pod: &Pod, may_be_adopted: bool) {
    if has_tracking_finalizer(pod) {
        cx.enqueue(Task::OrphanPod(pod.metadata.key()));
    }
    if may_be_adopted {
        jobs_that_select(cx.caches, pod).into_iter().for_each(|job| enqueue_batched(cx, job));
    }
}

fn jobs_that_select(caches: &Caches, pod: &Pod) -> Vec<Key> {
    let jobs = caches.of(<Job as crate::api::ApiKind>::KIND).list(Some(pod.metadata.namespace()));
    jobs.filter_map(|o| o.get::<Job>())
        .filter(|j| j.selector().is_ok_and(|s| !s.is_empty() && s.matches(pod.metadata.labels_or_empty())))
        .map(|j| j.metadata.key())
        .collect()
}
