//! `kubectl create job` and `create cronjob`.

use serde_json::{Value, json};

use super::flags::{Args, Flag, text};
use super::generate::{make, name};
use super::invocation::{Invocation, Result, fail};
use super::resource;
use crate::api::Kind;

pub(super) const JOB: &[Flag] = &[text("image"), text("from")];
pub(super) const CRON_JOB: &[Flag] = &[text("image"), text("schedule"), text("restart")];

/// What a job's pods are made of, from flags.
fn job_spec(args: &Args, name: &str, restart: &str) -> Value {
    let mut container = json!({"image": args.text("image"), "name": name, "resources": {}});
    let command = args.words.get(1..).unwrap_or_default();
    if !command.is_empty() {
        container["command"] = json!(command);
    }
    json!({"template": {"metadata": {}, "spec": {"containers": [container], "restartPolicy": restart}}})
}

pub(super) fn job(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let name = name(args)?;
    let (image, from) = (args.text("image"), args.text("from"));
    if image.is_empty() == from.is_empty() {
        return fail("either --image or --from must be specified");
    }
    if !from.is_empty() && args.words.len() > 1 {
        return fail("cannot specify --from and command");
    }
    let value = if from.is_empty() {
        json!({"metadata": {"name": name}, "spec": job_spec(args, name, "Never"), "status": {}})
    } else {
        job_from(cx, name, from)?
    };
    make(cx, args, Kind::JOB, value, "job")
}

/// The job that a cron job would make now.
fn job_from(cx: &mut Invocation<'_>, name: &str, from: &str) -> Result<Value> {
    let kind = match from.split_once('/') {
        Some((word, _)) => resource::must_kind(cx, word)?,
        None => return fail(format!("arguments in resource/name form are needed, have {from}")),
    };
    if kind != Kind::CRON_JOB {
        return fail(format!("unknown object type *{}.{}", kind.version(), kind.as_str()));
    }
    let namespace = cx.namespace.clone();
    let cron = cx.get(kind, &namespace, from.split_once('/').map_or(from, |(_, n)| n))?.to_value();
    let template = &cron["spec"]["jobTemplate"];
    let mut annotations = template["metadata"]["annotations"].as_object().cloned().unwrap_or_default();
    annotations.insert("cronjob.kubernetes.io/instantiate".into(), "manual".into());
    let mut metadata = json!({
        "name": name,
        "annotations": annotations,
        "ownerReferences": [{
            "apiVersion": kind.api_version(), "kind": kind.as_str(), "controller": true,
            "name": cron["metadata"]["name"], "uid": cron["metadata"]["uid"],
        }],
    });
    if let Some(labels) = template["metadata"].get("labels") {
        metadata["labels"] = labels.clone();
    }
    Ok(json!({"metadata": metadata, "spec": template["spec"], "status": {}}))
}

pub(super) fn cron_job(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let name = name(args)?;
    let restart = args.flag("restart").filter(|r| !r.is_empty()).unwrap_or("OnFailure");
    let template = json!({"metadata": {"name": name}, "spec": job_spec(args, name, restart)});
    let value = json!({
        "metadata": {"name": name},
        "spec": {"jobTemplate": template, "schedule": args.text("schedule")},
        "status": {},
    });
    make(cx, args, Kind::CRON_JOB, value, "cronjob")
}
