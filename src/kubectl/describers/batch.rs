//! Jobs and CronJobs.

use serde_json::Value;

use super::super::invocation::{Invocation, Result};
use super::{Writer, head, moment, pod_template};
use crate::api::types::{CronJob, Job, Time};
use crate::api::{MetaExt, Object, duration, labels};

/// A field if it is set, with what stands after it; or what stands for it when it is not.
fn field(w: &mut Writer, name: &str, value: &Value, unit: &str, unset: Option<&str>) {
    match (value, unset) {
        (Value::Null, None) => {}
        (Value::Null, Some(text)) => w.line(0, &format!("{name}:\t{text}")),
        (Value::String(s), _) => w.line(0, &format!("{name}:\t{s}{unit}")),
        (v, _) => w.line(0, &format!("{name}:\t{v}{unit}")),
    }
}

pub(in super::super) fn job(_: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(j) = object.get::<Job>() else { return Ok(true) };
    let spec = j.spec.clone().unwrap_or_default();
    let status = j.status.clone().unwrap_or_default();
    let value = object.to_value();
    let of = |name: &str| &value["spec"][name];
    head::named(w, object);
    w.line(
        0,
        &format!(
            "Selector:\t{}",
            spec.selector.as_ref().map_or_else(String::new, labels::format_label_selector)
        ),
    );
    head::marks(w, object);
    if let Some(c) = j.metadata.controller() {
        w.line(0, &format!("Controlled By:\t{}/{}", c.kind, c.name));
    }
    field(w, "Parallelism", of("parallelism"), "", None);
    field(w, "Completions", of("completions"), "", Some("<unset>"));
    field(w, "Completion Mode", of("completionMode"), "", None);
    field(w, "Suspend", of("suspend"), "", None);
    field(w, "Backoff Limit", of("backoffLimit"), "", None);
    field(w, "TTL Seconds After Finished", of("ttlSecondsAfterFinished"), "", None);
    let time = |w: &mut Writer, name: &str, t: &Option<Time>| {
        if t.is_some() {
            w.line(0, &format!("{name}:\t{}", moment(t.as_ref())));
        }
    };
    time(w, "Start Time", &status.start_time);
    time(w, "Completed At", &status.completion_time);
    if let (Some(from), Some(to)) = (&status.start_time, &status.completion_time) {
        w.line(0, &format!("Duration:\t{}", duration::human_duration(to.0.duration_since(from.0))));
    }
    field(w, "Active Deadline Seconds", of("activeDeadlineSeconds"), "s", None);
    let ready = status.ready.map_or_else(String::new, |n| format!(" ({n} Ready)"));
    let (active, succeeded, failed) =
        (status.active.unwrap_or(0), status.succeeded.unwrap_or(0), status.failed.unwrap_or(0));
    w.line(0, &format!("Pods Statuses:\t{active} Active{ready} / {succeeded} Succeeded / {failed} Failed"));
    if spec.completion_mode.as_deref() == Some("Indexed") {
        let done = status.completed_indexes.unwrap_or_default();
        w.line(0, &format!("Completed Indexes:\t{}", capped(&done, 50)));
    }
    pod_template(w, &spec.template);
    Ok(true)
}

/// A list of numbers, cut after the first comma beyond a limit.
fn capped(list: &str, limit: usize) -> String {
    if list.is_empty() {
        return "<none>".to_owned();
    }
    match list.char_indices().find(|(i, c)| *i >= limit && *c == ',') {
        Some((i, _)) => list.chars().take(i + 1).chain("...".chars()).collect(),
        None => list.to_owned(),
    }
}

pub(in super::super) fn cron_job(_: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(c) = object.get::<CronJob>() else { return Ok(true) };
    let spec = c.spec.clone();
    let status = c.status.clone().unwrap_or_default();
    let value = object.to_value();
    let of = |name: &str| &value["spec"][name];
    let unset = Some("<unset>");
    head::named(w, object);
    head::marks(w, object);
    w.line(0, &format!("Schedule:\t{}", spec.schedule));
    w.line(0, &format!("Concurrency Policy:\t{}", spec.concurrency_policy.as_deref().unwrap_or_default()));
    let suspend = spec.suspend.map_or("<unset>", |s| if s { "True" } else { "False" });
    w.line(0, &format!("Suspend:\t{suspend}"));
    field(w, "Time Zone", of("timeZone"), "", unset);
    field(w, "Successful Job History Limit", of("successfulJobsHistoryLimit"), "", unset);
    field(w, "Failed Job History Limit", of("failedJobsHistoryLimit"), "", unset);
    field(w, "Starting Deadline Seconds", of("startingDeadlineSeconds"), "s", unset);
    let job = &value["spec"]["jobTemplate"]["spec"];
    let template = spec.job_template.spec.unwrap_or_default();
    let selector = template.selector.as_ref().map_or_else(|| "<unset>".into(), labels::format_label_selector);
    w.line(0, &format!("Selector:\t{selector}"));
    field(w, "Parallelism", &job["parallelism"], "", unset);
    field(w, "Completions", &job["completions"], "", unset);
    field(w, "Active Deadline Seconds", &job["activeDeadlineSeconds"], "s", None);
    pod_template(w, &template.template);
    w.line(0, &format!("Last Schedule Time:\t{}", moment(status.last_schedule_time.as_ref())));
    let active: Vec<String> = status.active.into_iter().flatten().filter_map(|j| j.name).collect();
    let active = if active.is_empty() { "<none>".to_owned() } else { active.join(", ") };
    w.line(0, &format!("Active Jobs:\t{active}"));
    Ok(true)
}
