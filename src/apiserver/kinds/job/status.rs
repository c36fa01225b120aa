//! Validation of an update of a Job's status (`ValidateJobUpdateStatus` in `pkg/apis/batch/validation/validation.go`,
//! `pkg/registry/batch/job/strategy.go`): it may not contradict itself, nor take back what it said. What was wrong
//! before and has not changed is accepted.

use std::collections::BTreeSet;

use crate::api::types as t;

use super::policy::{index_interval, indexes_format};
use super::validation::is_indexed;
use crate::apiserver::validation::field::{BadValue, Errors, FieldError, Path, go_json_string};
use crate::apiserver::validation::meta::{IMMUTABLE, non_negative, object_meta_update};
use crate::apiserver::validation::{internal, list, or_default, text};

/// Which of the conditions about the end of a Job are true.
struct Says {
    complete: bool,
    failed: bool,
    failure_target: bool,
    success_criteria_met: bool,
}

impl Says {
    fn of(status: &t::JobStatus) -> Says {
        let is =
            |type_: &str| list(&status.conditions).iter().any(|c| c.type_ == type_ && c.status == "True");
        Says {
            complete: is("Complete"),
            failed: is("Failed"),
            failure_target: is("FailureTarget"),
            success_criteria_met: is("SuccessCriteriaMet"),
        }
    }

    fn finished(&self) -> bool {
        self.complete || self.failed
    }
}

pub(in crate::apiserver) fn update(errs: &mut Errors, new: &t::Job, old: &t::Job) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let none = Default::default();
    let (status, before) = (or_default(&new.status, &none), or_default(&old.status, &none));
    let none = Default::default();
    let spec = or_default(&new.spec, &none);
    let (says, said) = (Says::of(status), Says::of(before));
    let path = Path::new("status");
    let n = |count: Option<i32>| count.unwrap_or_default();
    for (name, count) in [
        ("active", Some(n(status.active))),
        ("succeeded", Some(n(status.succeeded))),
        ("failed", Some(n(status.failed))),
        ("ready", status.ready),
        ("terminating", status.terminating),
    ] {
        if let Some(count) = count {
            non_negative(errs, count, &path.child(name));
        }
    }
    uncounted(errs, status, &path.child("uncountedTerminatedPods"));
    // A Job that was suspended before it started has no start time.
    let nothing_to_do = spec.suspend == Some(true) && spec.completions == Some(0);
    times_and_ends(errs, status, before, (&says, &said), nothing_to_do);
    indexes(errs, spec, status, before);
    counts(errs, status, before, &says, &said);
    contradictions(errs, spec, &says);
    going_back(errs, spec, status, before, &says, &said);
}

fn conditions(errs: &mut Errors, message: &str) {
    let at = Path::new("status").child("conditions");
    errs.push(FieldError::invalid(&at, BadValue::Omitted, message));
}

fn uncounted(errs: &mut Errors, status: &t::JobStatus, path: &Path) {
    let Some(pods) = &status.uncounted_terminated_pods else { return };
    let mut seen = BTreeSet::new();
    for (name, uids) in [("succeeded", list(&pods.succeeded)), ("failed", list(&pods.failed))] {
        for (i, uid) in uids.iter().enumerate() {
            let at = path.child(name).index(i);
            if uid.is_empty() {
                errs.push(FieldError::invalid(&at, uid, "must not be empty"));
            } else if !seen.insert(uid) {
                errs.push(FieldError::duplicate(&at, uid));
            }
        }
    }
}

fn times_and_ends(
    errs: &mut Errors,
    status: &t::JobStatus,
    before: &t::JobStatus,
    (says, said): (&Says, &Says),
    nothing_to_do: bool,
) {
    let path = Path::new("status");
    let complete_changed = says.complete != said.complete;
    let finished_changed = says.finished() != said.finished();
    let start_changed = status.start_time != before.start_time;
    let end_changed = status.completion_time != before.completion_time;
    if (complete_changed || says.failed != said.failed) && says.complete && says.failed {
        conditions(errs, "cannot set Complete=True and Failed=true conditions");
    }
    if (complete_changed || says.failure_target != said.failure_target)
        && says.complete
        && says.failure_target
    {
        conditions(errs, "cannot set Complete=True and FailureTarget=true conditions");
    }
    let at = path.child("completionTime");
    if complete_changed || end_changed {
        match &status.completion_time {
            Some(time) if !says.complete => {
                let message = "cannot set completionTime when there is no Complete=True condition";
                errs.push(FieldError::invalid(&at, quote_time(time), message));
            }
            None if says.complete => {
                errs.push(FieldError::required(&at, "completionTime is required for Complete jobs"));
            }
            _ => {}
        }
    }
    if (start_changed || end_changed)
        && let (Some(start), Some(end)) = (&status.start_time, &status.completion_time)
        && end.0 < start.0
    {
        let message = "must be equal to or after `startTime`";
        errs.push(FieldError::invalid(&at, quote_time(end), message));
    }
    if (says.failed != said.failed || status.failed_indexes != before.failed_indexes)
        && says.failed
        && !says.failure_target
    {
        conditions(errs, "cannot set Failed=True condition without the FailureTarget=true condition");
    }
    if (complete_changed || says.success_criteria_met != said.success_criteria_met)
        && says.complete
        && !says.success_criteria_met
    {
        conditions(errs, "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
    }
    let active = status.active.unwrap_or_default();
    if (finished_changed || active != before.active.unwrap_or_default()) && active > 0 && says.finished() {
        errs.push(FieldError::invalid(&path.child("active"), active, "active>0 is invalid for finished job"));
    }
    let unstarted = (finished_changed || start_changed) && !nothing_to_do;
    if unstarted && status.start_time.is_none() && says.finished() {
        let message = "startTime is required for finished job";
        errs.push(FieldError::required(&path.child("startTime"), message));
    }
    if let Some(pods) = &status.uncounted_terminated_pods
        && (finished_changed || status.uncounted_terminated_pods != before.uncounted_terminated_pods)
        && says.finished()
        && list(&pods.failed).len() + list(&pods.succeeded).len() > 0
    {
        let value = internal::quote("UncountedTerminatedPods", pods);
        let message = "must be empty for finished job";
        errs.push(FieldError::invalid(&path.child("uncountedTerminatedPods"), value, message));
    }
}

fn indexes(errs: &mut Errors, spec: &t::JobSpec, status: &t::JobStatus, before: &t::JobStatus) {
    let path = Path::new("status");
    let completed = text(&status.completed_indexes);
    let completed_changed = completed != text(&before.completed_indexes);
    let failed_changed = status.failed_indexes != before.failed_indexes;
    let at = path.child("completedIndexes");
    if let Some(Err(why)) =
        spec.completions.filter(|_| completed_changed).map(|n| indexes_format(completed, n))
    {
        errs.push(FieldError::invalid(&at, completed, format!("error parsing completedIndexes: {why}")));
    }
    let at_failed = path.child("failedIndexes");
    if let (Some(n), Some(failed)) = (spec.completions, &status.failed_indexes)
        && failed_changed
        && spec.backoff_limit_per_index.is_some()
        && let Err(why) = indexes_format(failed, n)
    {
        errs.push(FieldError::invalid(&at_failed, failed, format!("error parsing failedIndexes: {why}")));
    }
    if completed_changed && !completed.is_empty() && !is_indexed(spec) {
        let message = "cannot set non-empty completedIndexes when non-indexed completion mode";
        errs.push(FieldError::invalid(&at, completed, message));
    }
    let Some(failed) = &status.failed_indexes else { return };
    if failed_changed && spec.backoff_limit_per_index.is_none() {
        let message = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
        errs.push(FieldError::invalid(&at_failed, failed, message));
    }
    if let Some(n) = spec.completions.filter(|_| completed_changed || failed_changed)
        && let Some(index) = overlap(completed, failed, n)
    {
        let message = format!("failedIndexes and completedIndexes overlap at index: {index}");
        errs.push(FieldError::invalid(&at_failed, failed, message));
    }
}

fn counts(errs: &mut Errors, status: &t::JobStatus, before: &t::JobStatus, says: &Says, said: &Says) {
    let path = Path::new("status");
    let finished_changed = says.finished() != said.finished();
    if let Some(n) = status.terminating.filter(|n| *n > 0 && says.finished())
        && (finished_changed || status.terminating != before.terminating)
    {
        let message = "terminating>0 is invalid for finished job";
        errs.push(FieldError::invalid(&path.child("terminating"), n, message));
    }
    let active = status.active.unwrap_or_default();
    if let Some(n) = status.ready.filter(|n| *n > active)
        && (status.ready != before.ready || active != before.active.unwrap_or_default())
    {
        let message = "cannot set more ready pods than active";
        errs.push(FieldError::invalid(&path.child("ready"), n, message));
    }
}

/// The first index that is in both texts, if both can be read.
fn overlap(completed: &str, failed: &str, completions: i32) -> Option<i32> {
    let read = |text: &str| -> Vec<(i32, i32)> {
        text.split(',').filter_map(|i| index_interval(i, completions).ok()).collect()
    };
    let failed = read(failed);
    read(completed)
        .into_iter()
        .find_map(|(from, to)| failed.iter().find(|(f, t)| from <= *t && *f <= to).map(|(f, _)| from.max(*f)))
}

fn contradictions(errs: &mut Errors, spec: &t::JobSpec, says: &Says) {
    if says.success_criteria_met && says.failed {
        conditions(errs, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
    }
    if says.success_criteria_met && says.failure_target {
        conditions(errs, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
    }
    if spec.success_policy.is_some() && !says.success_criteria_met && says.complete {
        let message = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True";
        conditions(errs, message);
    }
}

fn going_back(
    errs: &mut Errors,
    spec: &t::JobSpec,
    status: &t::JobStatus,
    before: &t::JobStatus,
    says: &Says,
    said: &Says,
) {
    let path = Path::new("status");
    for (type_, was, is) in [
        ("Failed", said.failed, says.failed),
        ("Complete", said.complete, says.complete),
        ("FailureTarget", said.failure_target, says.failure_target),
    ] {
        if was && !is {
            conditions(errs, &format!("cannot disable the terminal {type_}=True condition"));
        }
    }
    let n = |count: Option<i32>| count.unwrap_or_default();
    if n(status.failed) < n(before.failed) {
        let message = "cannot decrease the failed counter";
        errs.push(FieldError::invalid(&path.child("failed"), n(status.failed), message));
    }
    // An elastic indexed Job may lose succeeded pods when its completions shrink.
    let elastic = is_indexed(spec) && spec.completions == spec.parallelism;
    if !elastic && n(status.succeeded) < n(before.succeeded) {
        let message = "cannot decrease the succeeded counter";
        errs.push(FieldError::invalid(&path.child("succeeded"), n(status.succeeded), message));
    }
    if let (Some(new), Some(old)) = (&status.completion_time, &before.completion_time)
        && new != old
    {
        let at = path.child("completionTime");
        errs.push(FieldError::invalid(&at, quote_time(new), IMMUTABLE));
    }
    let suspended = |status: &t::JobStatus, is: &str| {
        list(&status.conditions).iter().any(|c| c.type_ == "Suspended" && c.status == is)
    };
    let resumed = suspended(before, "True") && suspended(status, "False");
    let restarted = before.start_time.is_some() && status.start_time != before.start_time;
    if restarted && !resumed && spec.suspend != Some(true) {
        let value = status.start_time.as_ref().map_or_else(|| BadValue::Json("null".into()), quote_time);
        let message = "field is immutable for unsuspended job once set";
        errs.push(FieldError::invalid(&path.child("startTime"), value, message));
    }
    if said.success_criteria_met && !says.success_criteria_met {
        conditions(errs, "cannot disable the SuccessCriteriaMet=True condition");
    }
    if said.complete && !said.success_criteria_met && says.success_criteria_met {
        let message = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
        conditions(errs, message);
    }
}

/// A time, as a message quotes it.
fn quote_time(time: &t::Time) -> BadValue {
    BadValue::Json(go_json_string(&time.0.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::api::{Kind, Object};
    use crate::apiserver::rest::validate_status_update;
    use crate::apiserver::validation::aggregate;
    use serde_json::{Value, json};

    fn job(spec: Value, status: Value) -> Object {
        let mut spec = spec;
        spec["template"] = json!({"spec": {"containers": []}});
        let metadata = json!({"name": "j", "namespace": "default", "resourceVersion": "1"});
        let body = json!({"metadata": metadata, "spec": spec, "status": status});
        Object::from_value(Kind::JOB, body).unwrap()
    }

    fn condition(kind: &str) -> Value {
        json!({"type": kind, "status": "True"})
    }

    /// After `pkg/registry/batch/job/strategy_test.go`.
    #[test]
    fn what_a_job_says_of_itself_holds_together() {
        let start = "2024-01-01T00:00:00Z";
        for (spec, status, message) in [
            (json!({}), json!({"ready": 1, "active": 1}), ""),
            (
                json!({}),
                json!({"ready": 2, "active": 1}),
                "status.ready: Invalid value: 2: cannot set more ready pods than active",
            ),
            (
                json!({}),
                json!({"startTime": start, "conditions": [condition("Failed")]}),
                "status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition",
            ),
            (
                json!({}),
                json!({"startTime": start, "terminating": 1, "conditions": [condition("FailureTarget"), condition("Failed")]}),
                "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job",
            ),
            (
                json!({}),
                json!({"startTime": start, "completionTime": start, "conditions": [condition("Complete")]}),
                "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
            ),
            (
                json!({"suspend": true, "completions": 0}),
                json!({"completionTime": start, "conditions": [condition("SuccessCriteriaMet"), condition("Complete")]}),
                "",
            ),
            (
                json!({"completions": 0}),
                json!({"completionTime": start, "conditions": [condition("SuccessCriteriaMet"), condition("Complete")]}),
                "status.startTime: Required value: startTime is required for finished job",
            ),
        ] {
            let errors = validate_status_update(&job(spec.clone(), status.clone()), &job(spec, json!({})));
            let said = if errors.is_empty() { String::new() } else { aggregate(&errors) };
            assert_eq!(said, message, "{status}");
        }
    }

    /// `getStatusValidationOptions` in `pkg/registry/batch/job/strategy.go`, `ValidateJobStatusUpdate`: a Job starts its time anew
    /// when a status says that it is suspended no more.
    #[test]
    fn a_job_that_is_resumed_starts_its_time_anew() {
        let said = |spec: Value, status: Value, old: Value| {
            let errors = validate_status_update(&job(spec.clone(), status), &job(spec, old));
            if errors.is_empty() { String::new() } else { aggregate(&errors) }
        };
        let (first, second) = ("2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z");
        let status = |start: &str, suspended: &str| {
            let condition = json!({"type": "Suspended", "status": suspended});
            json!({"startTime": start, "conditions": [condition]})
        };
        assert_eq!(said(json!({}), status(second, "False"), status(first, "True")), "");
        assert_eq!(
            said(json!({}), status(second, "True"), status(first, "True")),
            "status.startTime: Invalid value: \"2024-01-02T00:00:00Z\": field is immutable for unsuspended job once set"
        );
        let ended = |end: &str| {
            let conditions = [condition("SuccessCriteriaMet"), condition("Complete")];
            json!({"startTime": second, "completionTime": end, "conditions": conditions})
        };
        let third = "2024-01-03T00:00:00Z";
        assert_eq!(
            said(json!({}), ended(third), ended(second)),
            "status.completionTime: Invalid value: \"2024-01-03T00:00:00Z\": field is immutable"
        );
        assert_eq!(
            said(json!({}), ended(first), json!({"startTime": second})),
            "status.completionTime: Invalid value: \"2024-01-01T00:00:00Z\": must be equal to or after `startTime`"
        );
        let mut counting = ended(second);
        counting["uncountedTerminatedPods"] = json!({"succeeded": ["u"]});
        assert!(
            said(json!({}), counting, json!({"startTime": second}))
                .ends_with(": must be empty for finished job")
        );
    }
}
