//! `kubectl rollout status`: waits until a Deployment is what it was asked to be.

use super::super::commands;
use super::super::context::{Context, Result, Stop, fail};
use super::super::flags::Args;
use crate::api::types::Deployment;
use crate::api::{Kind, MetaExt, Object};

pub(super) fn run(cx: &mut Context<'_>, args: &Args) -> Result {
    let (objects, mut errors) = super::objects(cx, args)?;
    let timeout = args.duration("timeout").filter(|t| t.is_positive());
    let until = timeout.and_then(|t| cx.now().checked_add(t).ok());
    for object in objects {
        match one(cx, args, object, until) {
            Ok(()) => {}
            Err(Stop::Error(e)) => errors.push(e),
            Err(stop) => return Err(stop),
        }
    }
    commands::finish(errors)
}

fn one(
    cx: &mut Context<'_>,
    args: &Args,
    mut object: Object,
    until: Option<crate::api::Timestamp>,
) -> Result {
    let revision = args.int("revision").unwrap_or(0);
    loop {
        let Some(deployment) = object.get::<Deployment>() else {
            return fail(format!("no status viewer has been implemented for {}", object.kind().as_str()));
        };
        let (line, done) = view(deployment, revision)?;
        cx.say(&line);
        if done || !args.on_or("watch", true) {
            return Ok(());
        }
        if !cx.wait_change(&object, until)? {
            return fail("timed out waiting for the condition");
        }
        let (namespace, name) = (object.namespace().to_owned(), object.name().to_owned());
        object = match cx.get(Kind::DEPLOYMENT, &namespace, &name) {
            Ok(object) => object,
            Err(Stop::Error(e)) if e.is_not_found() => return fail("object has been deleted"),
            Err(stop) => return Err(stop),
        };
    }
}

/// Where a rollout is, and whether it is over (`DeploymentStatusViewer`).
fn view(d: &Deployment, wanted: i64) -> Result<(String, bool)> {
    let name = MetaExt::name(&d.metadata);
    let status = d.status.clone().unwrap_or_default();
    if wanted > 0 {
        let running: i64 =
            d.metadata.annotation(super::history::REVISION).and_then(|r| r.parse().ok()).unwrap_or(0);
        if running != wanted {
            return fail(format!(
                "desired revision ({wanted}) is different from the running revision ({running})"
            ));
        }
    }
    if d.metadata.generation() > status.observed_generation.unwrap_or(0) {
        return Ok(("Waiting for deployment spec update to be observed...".into(), false));
    }
    let late = status
        .conditions
        .iter()
        .flatten()
        .any(|c| c.type_ == "Progressing" && c.reason.as_deref() == Some("ProgressDeadlineExceeded"));
    if late {
        return fail(format!("deployment {name:?} exceeded its progress deadline"));
    }
    let replicas = d.spec.as_ref().and_then(|s| s.replicas).unwrap_or(0);
    let (all, updated, available) = (
        status.replicas.unwrap_or(0),
        status.updated_replicas.unwrap_or(0),
        status.available_replicas.unwrap_or(0),
    );
    let waiting = format!("Waiting for deployment {name:?} rollout to finish: ");
    Ok(if updated < replicas {
        (format!("{waiting}{updated} out of {replicas} new replicas have been updated..."), false)
    } else if all > updated {
        (format!("{waiting}{} old replicas are pending termination...", all.saturating_sub(updated)), false)
    } else if available < updated {
        (format!("{waiting}{available} of {updated} updated replicas are available..."), false)
    } else {
        (format!("deployment {name:?} successfully rolled out"), true)
    })
}
