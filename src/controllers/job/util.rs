//! What is read off a Job and its pods (`k8s.io/kubernetes/pkg/controller/job/util`, and helpers of
//! `job_controller.go`).

use crate::api::types::{Job, JobCondition, JobSpec, JobStatus, Pod, Time};
use crate::api::{MetaExt, Timestamp, pod, seconds};

/// The finalizer of a pod that its Job has not counted yet.
pub const TRACKING_FINALIZER: &str = "batch.kubernetes.io/job-tracking";
/// The controller that `spec.managedBy` names if it is this one.
pub const CONTROLLER_NAME: &str = "kubernetes.io/job-controller";

/// The condition of a Job that has succeeded.
pub const COMPLETE: &str = "Complete";
/// The condition of a Job that has failed.
pub const FAILED: &str = "Failed";
/// The condition of a Job that is suspended.
pub const SUSPENDED: &str = "Suspended";
/// The condition of a Job that is about to fail, once its pods have ended.
pub const FAILURE_TARGET: &str = "FailureTarget";
/// The condition of a Job that is about to be complete, once its pods have ended.
pub const SUCCESS_CRITERIA_MET: &str = "SuccessCriteriaMet";

/// Whether a pod has the tracking finalizer.
pub fn has_tracking_finalizer(pod: &Pod) -> bool {
    pod.metadata.finalizers.iter().flatten().any(|f| f == TRACKING_FINALIZER)
}

/// The condition of a type, if it is true.
pub fn true_condition<'a>(status: Option<&'a JobStatus>, type_: &str) -> Option<&'a JobCondition> {
    status?.conditions.iter().flatten().find(|c| c.type_ == type_ && c.status == "True")
}

/// The condition that says that the Job has ended: `Complete` or `Failed` (`jobutil.FinishedCondition`).
pub fn finished_condition(job: &Job) -> Option<&JobCondition> {
    let conditions = job.status.as_ref()?.conditions.iter().flatten();
    conditions.into_iter().find(|c| (c.type_ == COMPLETE || c.type_ == FAILED) && c.status == "True")
}

/// Whether the Job has ended (`jobutil.IsJobFinished`).
pub fn is_finished(job: &Job) -> bool {
    finished_condition(job).is_some()
}

/// A true condition, as of now.
pub(super) fn condition(
    type_: &str,
    reason: impl Into<String>,
    message: impl Into<String>,
    now: Timestamp,
) -> JobCondition {
    JobCondition {
        type_: type_.into(),
        status: "True".into(),
        last_probe_time: Some(Time(seconds(now))),
        last_transition_time: Some(Time(seconds(now))),
        reason: Some(reason.into()).filter(|r| !r.is_empty()),
        message: Some(message.into()).filter(|m| !m.is_empty()),
    }
}

/// Sets a condition; returns whether that changed anything. One that is not there is not added as `False`
/// (`ensureJobConditionStatus`).
pub(super) fn ensure_condition(status: &mut JobStatus, wanted: JobCondition) -> bool {
    let conditions = status.conditions.get_or_insert_default();
    let changed = match conditions.iter_mut().find(|c| c.type_ == wanted.type_) {
        Some(c) if c.status == wanted.status && c.reason == wanted.reason && c.message == wanted.message => {
            false
        }
        Some(c) => {
            *c = wanted;
            true
        }
        None if wanted.status == "False" => false,
        None => {
            conditions.push(wanted);
            true
        }
    };
    if conditions.is_empty() {
        status.conditions = None;
    }
    changed
}

/// A Job's spec; the default one if it has none.
pub(super) fn spec(job: &Job) -> JobSpec {
    job.spec.clone().unwrap_or_default()
}

/// Whether `spec.suspend` is set.
pub(super) fn is_suspended(job: &Job) -> bool {
    job.spec.as_ref().and_then(|s| s.suspend).unwrap_or(false)
}

/// Whether the Job's completions are numbered.
pub(super) fn is_indexed(job: &Job) -> bool {
    job.spec.as_ref().and_then(|s| s.completion_mode.as_deref()) == Some("Indexed")
}

/// Whether failures are counted for each index.
pub(super) fn has_backoff_limit_per_index(job: &Job) -> bool {
    job.spec.as_ref().is_some_and(|s| s.backoff_limit_per_index.is_some())
}

/// Whether a pod is replaced only after it has ended: `podReplacementPolicy: Failed`, or the Job has a pod failure
/// policy, which has to know how the pod ended.
pub(super) fn only_replaces_failed(job: &Job) -> bool {
    job.spec.as_ref().is_some_and(|s| {
        s.pod_replacement_policy.as_deref() == Some("Failed") || s.pod_failure_policy.is_some()
    })
}

/// Whether a pod counts as failed. A pod that is being deleted does, unless pods are replaced only after they have
/// ended.
pub(super) fn is_pod_failed(pod: &Pod, job: &Job) -> bool {
    match pod::phase(pod) {
        "Failed" => true,
        "Succeeded" => false,
        _ => !only_replaces_failed(job) && pod.metadata.is_deleting(),
    }
}

/// The controller that manages the Job instead of this one, if `spec.managedBy` names another.
pub(super) fn managed_by_other(job: &Job) -> Option<&str> {
    job.spec.as_ref()?.managed_by.as_deref().filter(|name| *name != CONTROLLER_NAME)
}
