//! `kubectl rollout history` and `undo`: revisions are ReplicaSets.

use std::collections::BTreeMap;

use serde_json::json;

use super::super::apply::LAST_APPLIED;
use super::super::call::{Call, Payload};
use super::super::context::{Context, Result, Stop, fail};
use super::super::flags::Args;
use super::super::output::{self, DryRun, Printer};
use super::super::tabwriter::{self, DESCRIBE};
use super::super::{annotate, commands, describe, resource};
use crate::api::order;
use crate::api::types::{Deployment, PodTemplateSpec, ReplicaSet};
use crate::api::{Kind, MetaExt, Object, labels};
use crate::apimachinery::Verb;

/// Which revision a ReplicaSet is.
pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";
const HASH: &str = "pod-template-hash";
/// Annotations that a rollback leaves as the Deployment has them.
const KEPT: [&str; 6] = [
    LAST_APPLIED,
    REVISION,
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deprecated.deployment.rollback.to",
];

/// The ReplicaSets of a Deployment by revision.
fn revisions(cx: &mut Context<'_>, object: &Object) -> Result<BTreeMap<i64, Object>> {
    let selector = object.get::<Deployment>().and_then(|d| d.spec.as_ref()).map(|s| s.selector.clone());
    let selector = selector.as_ref().map(labels::format_label_selector).unwrap_or_default();
    let all = cx.list(Kind::REPLICA_SET, object.namespace(), &selector)?;
    let own = all.into_iter().filter(|o| o.meta().controller().is_some_and(|c| c.uid == object.uid()));
    Ok(order::gather(own.filter_map(|o| Some((o.meta().annotation(REVISION)?.parse().ok()?, o)))))
}

fn template(rs: &Object) -> Option<PodTemplateSpec> {
    rs.get::<ReplicaSet>()?.spec.as_ref()?.template.clone()
}

pub(super) fn run(cx: &mut Context<'_>, args: &Args) -> Result {
    let revision = args.int("revision").unwrap_or(0);
    if revision < 0 {
        return fail(format!("revision must be a positive integer: {revision}"));
    }
    let (objects, mut errors) = super::objects(cx, args)?;
    for object in objects {
        match view(cx, args, &object, revision) {
            Ok(()) => {}
            Err(Stop::Error(e)) => errors.push(e),
            Err(stop) => return Err(stop),
        }
    }
    commands::finish(errors)
}

fn view(cx: &mut Context<'_>, args: &Args, object: &Object, revision: i64) -> Result {
    if object.kind() != Kind::DEPLOYMENT {
        let kind = object.kind().as_str();
        return fail(format!(
            "error retrieving history for {kind:?}, no visitor method exists for {{{} {kind}}}",
            object.kind().group()
        ));
    }
    let fresh = cx.get(Kind::DEPLOYMENT, object.namespace(), object.name())?;
    let revisions = revisions(cx, &fresh)?;
    if let Some(printer) = Printer::of(cx, args, false)? {
        let shown = if revision > 0 { revisions.get(&revision) } else { revisions.values().next_back() };
        let Some(rs) = shown else { return fail("unable to find the specified revision") };
        return printer.print(cx, &rs.to_value(), true);
    }
    let title = resource::resource_name(Kind::DEPLOYMENT, object.name());
    if revision > 0 {
        let Some(rs) = revisions.get(&revision) else { return fail("unable to find the specified revision") };
        let mut template = template(rs).unwrap_or_default();
        if let Some(cause) = rs.meta().annotation(annotate::CHANGE_CAUSE).filter(|c| !c.is_empty()) {
            let annotations = template.metadata.get_or_insert_default().annotations.get_or_insert_default();
            annotations.insert(annotate::CHANGE_CAUSE.to_owned(), cause.to_owned());
        }
        let text = describe::template(&template);
        cx.say(&format!("{title} with revision #{revision}\n{text}"));
        return Ok(());
    }
    if revisions.is_empty() {
        cx.say(&format!("{title} \nNo rollout history found."));
        return Ok(());
    }
    let mut lines = "REVISION\tCHANGE-CAUSE\n".to_owned();
    for (revision, rs) in &revisions {
        let cause =
            rs.meta().annotation(annotate::CHANGE_CAUSE).filter(|c| !c.is_empty()).unwrap_or("<none>");
        lines.push_str(&format!("{revision}\t{cause}\n"));
    }
    cx.say(&format!("{title} \n{}", tabwriter::align(&lines, DESCRIBE)));
    Ok(())
}

pub(super) fn undo(cx: &mut Context<'_>, args: &Args) -> Result {
    let dry_run = DryRun::of(cx, args)?;
    let (objects, mut errors) = super::objects(cx, args)?;
    for object in objects {
        match roll_back(cx, args, &object, dry_run) {
            Ok(()) => {}
            Err(Stop::Error(e)) => errors.push(e),
            Err(stop) => return Err(stop),
        }
    }
    commands::finish(errors)
}

fn roll_back(cx: &mut Context<'_>, args: &Args, object: &Object, dry_run: DryRun) -> Result {
    let kind = object.kind();
    if object.meta().annotation(LAST_APPLIED).is_some() {
        cx.warn(&format!(
            "resource {}/{} was previously managed with 'kubectl apply'. Rolling back will not update the {LAST_APPLIED} annotation, which may cause unexpected behavior on future 'kubectl apply' operations. Consider using 'kubectl apply' with your previous configuration file instead.",
            kind.plural(),
            object.name()
        ));
    }
    if kind != Kind::DEPLOYMENT {
        let (group, kind) = (kind.group(), kind.as_str());
        return fail(format!(
            "no rollbacker has been implemented for {:?}",
            format!("{kind}{}{group}", if group.is_empty() { "" } else { "." })
        ));
    }
    let fresh = cx.get(kind, object.namespace(), object.name())?;
    let Some(deployment) = fresh.get::<Deployment>() else { return Ok(()) };
    if super::is_paused(deployment) {
        return fail(
            "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again",
        );
    }
    let to = args.int("to-revision").unwrap_or(0);
    if to < 0 {
        return fail(format!("unable to find specified revision {to} in history"));
    }
    let revisions = revisions(cx, &fresh)?;
    let found = if to > 0 { revisions.get(&to) } else { revisions.values().rev().nth(1) };
    let Some(rs) = found else {
        return if to > 0 {
            fail(format!("unable to find specified revision {to} in history"))
        } else {
            fail(format!("no rollout history found for deployment {:?}", object.name()))
        };
    };
    let mut template = template(rs).unwrap_or_default();
    if dry_run == DryRun::Client {
        let text = describe::template(&template);
        let title = resource::resource_name(kind, object.name());
        cx.say(&format!("{title} {text}{}", dry_run.suffix()));
        return Ok(());
    }
    if let Some(labels) = template.metadata.as_mut().and_then(|m| m.labels.as_mut()) {
        labels.remove(HASH);
    }
    let done = if deployment.spec.as_ref().is_some_and(|s| s.template == template) {
        format!("skipped rollback (current template already matches revision {to})")
    } else {
        "rolled back".to_owned()
    };
    if done == "rolled back" {
        let mut call = Call::new(Verb::Patch, kind, object.namespace(), object.name());
        call.body = Payload::JsonPatch(patch(deployment, rs, &template));
        call.dry_run = dry_run == DryRun::Server;
        call.field_manager = "kubectl-rollout";
        cx.object(&call)?;
    }
    output::report(cx, args, &fresh.to_value(), &done, dry_run)
}

/// The old template, and the annotations it had, but for those that are the Deployment's own.
fn patch(deployment: &Deployment, rs: &Object, template: &PodTemplateSpec) -> String {
    let mut annotations = BTreeMap::new();
    let kept = deployment.metadata.annotations.iter().flatten().filter(|(k, _)| KEPT.contains(&k.as_str()));
    annotations.extend(kept);
    let old = rs.meta().annotations.iter().flatten().filter(|(k, _)| !KEPT.contains(&k.as_str()));
    annotations.extend(old);
    let template = crate::api::to_value(template);
    let patch = json!([
        {"op": "replace", "path": "/spec/template", "value": template},
        {"op": "replace", "path": "/metadata/annotations", "value": annotations},
    ]);
    super::super::go::json(&patch)
}
