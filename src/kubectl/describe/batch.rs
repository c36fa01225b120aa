//! Jobs, CronJobs, StatefulSets, DaemonSets, and claims.

use serde_json::Value;

use super::super::context::{Context, Result};
use super::{Writer, annotations, instant, moment, pod_template};
use crate::api::types::{CronJob, DaemonSet, Job, PersistentVolumeClaim, Pod, StatefulSet, Time};
use crate::api::volume::{access_modes_as_string, claim_class, claim_of};
use crate::api::{Kind, MetaExt, Object, duration, intstr, labels};

fn named(w: &mut Writer, object: &Object) {
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Namespace:\t{}", object.namespace()));
}

fn marked(w: &mut Writer, object: &Object) {
    w.map(0, "Labels", object.meta().labels.as_ref());
    annotations(w, 0, object.meta().annotations.as_ref());
}

/// A field if it is set, with what stands after it; or what stands for it when it is not.
fn field(w: &mut Writer, name: &str, value: &Value, unit: &str, unset: Option<&str>) {
    match (value, unset) {
        (Value::Null, None) => {}
        (Value::Null, Some(text)) => w.line(0, &format!("{name}:\t{text}")),
        (Value::String(s), _) => w.line(0, &format!("{name}:\t{s}{unit}")),
        (v, _) => w.line(0, &format!("{name}:\t{v}{unit}")),
    }
}

/// How the pods of an object fare.
pub(super) fn pods_status(cx: &mut Context<'_>, w: &mut Writer, object: &Object, selector: &str) -> Result {
    let mut pods = cx.list(Kind::POD, object.namespace(), selector)?;
    pods.retain(|p| p.meta().controller().is_some_and(|c| c.uid == object.uid()));
    let phase = |p: &Object| p.get::<Pod>().and_then(|p| p.status.as_ref()?.phase.clone());
    let count = |want: &str| pods.iter().filter(|p| phase(p).as_deref() == Some(want)).count();
    w.line(
        0,
        &format!(
            "Pods Status:\t{} Running / {} Waiting / {} Succeeded / {} Failed",
            count("Running"),
            count("Pending"),
            count("Succeeded"),
            count("Failed")
        ),
    );
    Ok(())
}

pub(in super::super) fn stateful_set(cx: &mut Context<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(s) = object.get::<StatefulSet>() else { return Ok(true) };
    let spec = s.spec.clone().unwrap_or_default();
    let selector = labels::format_label_selector(&spec.selector);
    named(w, object);
    w.line(0, &format!("CreationTimestamp:\t{}", moment(s.metadata.creation_timestamp.as_ref())));
    w.line(0, &format!("Selector:\t{selector}"));
    marked(w, object);
    let total = s.status.as_ref().map_or(0, |s| s.replicas);
    w.line(0, &format!("Replicas:\t{} desired | {total} total", spec.replicas.unwrap_or(0)));
    let strategy = spec.update_strategy.unwrap_or_default();
    w.line(0, &format!("Update Strategy:\t{}", strategy.type_.as_deref().unwrap_or_default()));
    if let Some((partition, rolling)) = strategy.rolling_update.and_then(|r| Some((r.partition?, r))) {
        w.line(1, &format!("Partition:\t{partition}"));
        if let Some(most) = &rolling.max_unavailable {
            w.line(1, &format!("MaxUnavailable:\t{}", intstr::to_string(most)));
        }
    }
    pods_status(cx, w, object, &selector)?;
    pod_template(w, &spec.template);
    claim_templates(w, spec.volume_claim_templates.as_deref().unwrap_or_default());
    Ok(true)
}

fn claim_templates(w: &mut Writer, claims: &[PersistentVolumeClaim]) {
    if claims.is_empty() {
        return w.line(0, "Volume Claims:\t<none>");
    }
    w.line(0, "Volume Claims:");
    for c in claims {
        let spec = c.spec.clone().unwrap_or_default();
        let size = spec.resources.and_then(|r| r.requests?.get("storage").map(|q| q.0.clone()));
        w.line(1, &format!("Name:\t{}", c.metadata.name()));
        w.line(1, &format!("StorageClass:\t{}", claim_class(c)));
        w.map(1, "Labels", c.metadata.labels.as_ref());
        w.map(1, "Annotations", c.metadata.annotations.as_ref());
        w.line(1, &format!("Capacity:\t{}", size.as_deref().unwrap_or("<default>")));
        w.line(1, &format!("Access Modes:\t[{}]", spec.access_modes.unwrap_or_default().join(" ")));
    }
}

pub(in super::super) fn daemon_set(cx: &mut Context<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(d) = object.get::<DaemonSet>() else { return Ok(true) };
    let spec = d.spec.clone().unwrap_or_default();
    let status = d.status.clone().unwrap_or_default();
    let selector = labels::format_label_selector(&spec.selector);
    let nodes = spec.template.spec.as_ref().and_then(|s| s.node_selector.as_ref());
    named(w, object);
    w.line(0, &format!("Selector:\t{selector}"));
    w.line(0, &format!("Node-Selector:\t{}", labels::format_labels(nodes)));
    marked(w, object);
    for (what, n) in [
        ("Desired Number of Nodes Scheduled", status.desired_number_scheduled),
        ("Current Number of Nodes Scheduled", status.current_number_scheduled),
        ("Number of Nodes Scheduled with Up-to-date Pods", status.updated_number_scheduled.unwrap_or(0)),
        ("Number of Nodes Scheduled with Available Pods", status.number_available.unwrap_or(0)),
        ("Number of Nodes Misscheduled", status.number_misscheduled),
    ] {
        w.line(0, &format!("{what}: {n}"));
    }
    pods_status(cx, w, object, &selector)?;
    pod_template(w, &spec.template);
    Ok(true)
}

pub(in super::super) fn job(_: &mut Context<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(j) = object.get::<Job>() else { return Ok(true) };
    let spec = j.spec.clone().unwrap_or_default();
    let status = j.status.clone().unwrap_or_default();
    let value = object.to_value();
    let of = |name: &str| &value["spec"][name];
    named(w, object);
    w.line(
        0,
        &format!(
            "Selector:\t{}",
            spec.selector.as_ref().map_or_else(String::new, labels::format_label_selector)
        ),
    );
    marked(w, object);
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

pub(in super::super) fn cron_job(_: &mut Context<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(c) = object.get::<CronJob>() else { return Ok(true) };
    let spec = c.spec.clone();
    let status = c.status.clone().unwrap_or_default();
    let value = object.to_value();
    let of = |name: &str| &value["spec"][name];
    let unset = Some("<unset>");
    named(w, object);
    marked(w, object);
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

pub(in super::super) fn claim(cx: &mut Context<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(c) = object.get::<PersistentVolumeClaim>() else { return Ok(true) };
    let spec = c.spec.clone().unwrap_or_default();
    let status = c.status.clone().unwrap_or_default();
    named(w, object);
    w.line(0, &format!("StorageClass:\t{}", claim_class(c)));
    let phase = match &c.metadata.deletion_timestamp {
        Some(t) => format!("Terminating (lasts {})", cx.age(Some(t))),
        None => status.phase.unwrap_or_default(),
    };
    w.line(0, &format!("Status:\t{phase}"));
    let volume = spec.volume_name.as_deref().unwrap_or_default();
    w.line(0, &format!("Volume:\t{volume}"));
    marked(w, object);
    w.line(
        0,
        &format!(
            "Finalizers:\t[{}]",
            c.metadata.finalizers.iter().flatten().cloned().collect::<Vec<_>>().join(" ")
        ),
    );
    let (mut capacity, mut modes) = (String::new(), String::new());
    if !volume.is_empty() {
        let size = status.capacity.as_ref().and_then(|m| m.get("storage"));
        capacity = size.map_or_else(|| "0".to_owned(), |q| q.0.clone());
        modes = access_modes_as_string(status.access_modes.as_ref());
    }
    w.line(0, &format!("Capacity:\t{capacity}"));
    w.line(0, &format!("Access Modes:\t{modes}"));
    if let Some(mode) = &spec.volume_mode {
        w.line(0, &format!("VolumeMode:\t{mode}"));
    }
    if let Some(source) = &spec.data_source {
        w.line(0, "DataSource:");
        if let Some(group) = &source.api_group {
            w.line(1, &format!("APIGroup:\t{group}"));
        }
        w.line(1, &format!("Kind:\t{}", source.kind));
        w.line(1, &format!("Name:\t{}", source.name));
    }
    let uses = |p: &Object| {
        let pod = p.get::<Pod>()?;
        let volumes = pod.spec.as_ref()?.volumes.as_ref()?;
        volumes
            .iter()
            .any(|v| claim_of(pod, v).is_some_and(|(n, _)| n == object.name()))
            .then(|| p.name().to_owned())
    };
    let mut users: Vec<String> =
        cx.list(Kind::POD, object.namespace(), "")?.iter().filter_map(uses).collect();
    users.sort();
    let users = if users.is_empty() { "<none>".to_owned() } else { users.join("\n\t") };
    w.line(0, &format!("Used By:\t{users}"));
    if let Some(conditions) = status.conditions.as_ref().filter(|c| !c.is_empty()) {
        w.line(0, "Conditions:");
        w.line(1, "Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage");
        w.line(1, "----\t------\t-----------------\t------------------\t------\t-------");
        for c in conditions {
            w.line(
                1,
                &format!(
                    "{} \t{} \t{} \t{} \t{} \t{}",
                    c.type_,
                    c.status,
                    instant(c.last_probe_time.as_ref()),
                    instant(c.last_transition_time.as_ref()),
                    c.reason.as_deref().unwrap_or_default(),
                    c.message.as_deref().unwrap_or_default(),
                ),
            );
        }
    }
    Ok(true)
}
