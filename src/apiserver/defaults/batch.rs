//! Defaults of Job and CronJob (`pkg/apis/batch/v1/defaults.go`).

use crate::api::types as t;

use super::{default, pod};

pub(in crate::apiserver) fn job(job: &mut t::Job) {
    let spec = job.spec.get_or_insert_default();
    if spec.completions.is_none() && spec.parallelism.is_none() {
        spec.completions = Some(1);
    }
    spec.parallelism.get_or_insert(1);
    let per_index = spec.backoff_limit_per_index.is_some();
    spec.backoff_limit.get_or_insert(if per_index { i32::MAX } else { 6 });
    let labels = spec.template.metadata.as_ref().and_then(|m| m.labels.as_ref());
    if let Some(labels) = labels.filter(|l| !l.is_empty())
        && job.metadata.labels.as_ref().is_none_or(|l| l.is_empty())
    {
        job.metadata.labels = Some(labels.clone());
    }
    spec.completion_mode.get_or_insert_with(|| "NonIndexed".into());
    spec.suspend.get_or_insert(false);
    patterns(spec);
    let replace = if spec.pod_failure_policy.is_some() { "Failed" } else { "TerminatingOrFailed" };
    spec.pod_replacement_policy.get_or_insert_with(|| replace.into());
    spec.manual_selector.get_or_insert(false);
    pod::template(&mut spec.template);
    // Go writes the struct even when it is empty.
    job.status.get_or_insert_default();
}

fn patterns(spec: &mut t::JobSpec) {
    let rules = spec.pod_failure_policy.iter_mut().flat_map(|p| p.rules.iter_mut());
    for pattern in rules.flat_map(|r| r.on_pod_conditions.iter_mut().flatten()) {
        default(&mut pattern.status, "True");
    }
}

/// The Job in the template is left as it is, but for its pods.
pub(in crate::apiserver) fn cron_job(cron: &mut t::CronJob) {
    let spec = &mut cron.spec;
    default(&mut spec.concurrency_policy, "Allow");
    spec.suspend.get_or_insert(false);
    spec.successful_jobs_history_limit.get_or_insert(3);
    spec.failed_jobs_history_limit.get_or_insert(1);
    let template = &mut spec.job_template;
    template.metadata.get_or_insert_default();
    let job = template.spec.get_or_insert_default();
    patterns(job);
    pod::template(&mut job.template);
    job.template.metadata.get_or_insert_default();
    cron.status.get_or_insert_default();
}
