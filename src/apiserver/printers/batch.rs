//! Jobs and CronJobs.

use super::workloads::{selector, template_cells};
use super::{age, created, human_duration, name, or_none};
use crate::api::types::{CronJob, Job, JobStatus};
use crate::api::{MetaExt, Timestamp};

pub(in crate::apiserver) fn job(job: &Job, now: Timestamp) -> Vec<String> {
    let none = JobStatus::default();
    let status = job.status.as_ref().unwrap_or(&none);
    let spec = job.spec.as_ref();
    let succeeded = status.succeeded.unwrap_or(0);
    let completions = match spec.and_then(|s| s.completions) {
        Some(n) => format!("{succeeded}/{n}"),
        None => match spec.and_then(|s| s.parallelism).unwrap_or(0) {
            n if n > 1 => format!("{succeeded}/1 of {n}"),
            _ => format!("{succeeded}/1"),
        },
    };
    let end = status.completion_time.as_ref().map_or(now, |t| t.0);
    let duration =
        status.start_time.as_ref().map_or_else(String::new, |t| human_duration(end.duration_since(t.0)));
    let [containers, images] = template_cells(spec.map(|s| &s.template));
    vec![
        name(&job.metadata),
        state(job, status).to_owned(),
        completions,
        duration,
        created(&job.metadata, now),
        containers,
        images,
        selector(spec.and_then(|s| s.selector.as_ref())),
    ]
}

fn state(job: &Job, status: &JobStatus) -> &'static str {
    let is = |type_: &str| status.conditions.iter().flatten().any(|c| c.type_ == type_ && c.status == "True");
    match () {
        () if is("Complete") => "Complete",
        () if is("Failed") => "Failed",
        () if job.metadata.is_deleting() => "Terminating",
        () if is("Suspended") => "Suspended",
        () if is("FailureTarget") => "FailureTarget",
        () if is("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}

pub(in crate::apiserver) fn cron_job(cron: &CronJob, now: Timestamp) -> Vec<String> {
    let spec = &cron.spec;
    let status = cron.status.as_ref();
    let last = status.and_then(|s| s.last_schedule_time.as_ref());
    let job = spec.job_template.spec.as_ref();
    let [containers, images] = template_cells(job.map(|s| &s.template));
    vec![
        name(&cron.metadata),
        spec.schedule.clone(),
        or_none(spec.time_zone.as_deref()),
        match spec.suspend {
            Some(true) => "True",
            Some(false) => "False",
            None => "<unset>",
        }
        .to_owned(),
        status.and_then(|s| s.active.as_ref()).map_or(0, Vec::len).to_string(),
        last.map_or_else(|| "<none>".to_owned(), |t| age(Some(t), now)),
        created(&cron.metadata, now),
        containers,
        images,
        selector(job.and_then(|s| s.selector.as_ref())),
    ]
}
