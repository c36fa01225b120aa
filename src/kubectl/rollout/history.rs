//! `kubectl rollout history` and `undo`.

use super::super::call::{Call, Payload};
use super::super::flags::Args;
use super::super::invocation::{Invocation, Result, fail};
use super::super::kinds::known;
use super::super::output::{self, DryRun, Printer};
use super::super::rollouts::Rollout;
use super::super::tabwriter::{self, DESCRIBE};
use super::super::{command, describers, resource};
use crate::api::quote::go_quote;
use crate::api::well_known::LAST_APPLIED_CONFIG_ANNOTATION;
use crate::api::{MetaExt, Object};
use crate::apimachinery::Verb;

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let revision = args.int("revision").unwrap_or(0);
    if revision < 0 {
        return fail(format!("revision must be a positive integer: {revision}"));
    }
    let (objects, errors) = super::objects(cx, args)?;
    command::each(cx, objects, errors, &mut |cx, object| view(cx, args, object, revision))
}

/// How objects of the object's kind are rolled out. `tool` is what Kubernetes calls what it lacks for other kinds.
fn rollout_of(object: &Object, doing: &str, tool: &str) -> Result<&'static dyn Rollout> {
    let known = known(object.kind());
    if let Some(rollout) = known.rollout {
        return Ok(rollout);
    }
    let kind = object.kind().group_kind();
    match known.set.pod_spec() {
        Some(_) => fail(format!("no {tool} has been implemented for {kind}", kind = go_quote(&kind))),
        None => {
            let (group, kind_only) = (object.kind().group(), object.kind().as_str());
            fail(format!(
                "error retrieving {doing} for {kind}, no visitor method exists for {{{group} {kind_only}}}",
                kind = go_quote(&kind)
            ))
        }
    }
}

fn view(cx: &mut Invocation<'_>, args: &Args, object: &Object, revision: i64) -> Result {
    let rollout = rollout_of(object, "history", "history viewer")?;
    let fresh = cx.get(object.kind(), object.namespace(), object.name())?;
    let revisions = rollout.revisions(cx, &fresh)?;
    if let Some(printer) = Printer::of(cx, args, false)? {
        if revision == 0 {
            return revisions.values().try_for_each(|r| printer.print_next(cx, &r.shown.to_value()));
        }
        let Some(found) = revisions.get(&revision) else {
            return fail("unable to find the specified revision");
        };
        return printer.print_next(cx, &found.shown.to_value());
    }
    let title = resource::resource_name(object.kind(), object.name());
    if revisions.is_empty() {
        cx.say(&format!("{title} \nNo rollout history found."));
        return Ok(());
    }
    if revision > 0 {
        let Some(found) = revisions.get(&revision) else {
            return fail("unable to find the specified revision");
        };
        let text = describers::template(&found.template);
        cx.say(&format!("{title} with revision #{revision}\n{text}"));
        return Ok(());
    }
    let mut lines = "REVISION\tCHANGE-CAUSE\n".to_owned();
    for (number, revision) in &revisions {
        let cause = Some(revision.cause.as_str()).filter(|c| !c.is_empty()).unwrap_or("<none>");
        lines.push_str(&format!("{number}\t{cause}\n"));
    }
    cx.say(&format!("{title} \n{}", tabwriter::align(&lines, DESCRIBE)));
    Ok(())
}

pub(super) fn undo(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let dry_run = DryRun::of(cx, args)?;
    let (objects, errors) = super::objects(cx, args)?;
    command::each(cx, objects, errors, &mut |cx, object| roll_back(cx, args, object, dry_run))
}

fn roll_back(cx: &mut Invocation<'_>, args: &Args, object: &Object, dry_run: DryRun) -> Result {
    let kind = object.kind();
    if object.meta().annotation(LAST_APPLIED_CONFIG_ANNOTATION).is_some() {
        cx.warn(&format!(
            "resource {}/{} was previously managed with 'kubectl apply'. Rolling back will not update the {LAST_APPLIED_CONFIG_ANNOTATION} annotation, which may cause unexpected behavior on future 'kubectl apply' operations. Consider using 'kubectl apply' with your previous configuration file instead.",
            kind.plural(),
            object.name()
        ));
    }
    let rollout = rollout_of(object, "rollbacker", "rollbacker")?;
    let fresh = cx.get(kind, object.namespace(), object.name())?;
    let to = args.int("to-revision").unwrap_or(0);
    if to < 0 {
        return fail(format!("unable to find specified revision {to} in history"));
    }
    let revisions = rollout.revisions(cx, &fresh)?;
    let revision = rollout.target(&fresh, &revisions, to)?;
    if dry_run == DryRun::Client {
        let title = resource::resource_name(kind, object.name());
        cx.say(&format!("{title} {}{}", rollout.preview(revision), dry_run.suffix()));
        return Ok(());
    }
    if rollout.paused(&fresh) == Some(true) {
        return fail(
            "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again",
        );
    }
    let done = match rollout.restore(&fresh, revision) {
        Some(payload) => {
            let failed = format!("failed restoring revision {to}: ");
            send(cx, object, payload, dry_run).map_err(|stop| stop.wrapped(&failed))?;
            "rolled back".to_owned()
        }
        None => format!("skipped rollback (current template already matches revision {to})"),
    };
    output::report(cx, args, &fresh.to_value(), &done, dry_run)
}

fn send(cx: &mut Invocation<'_>, object: &Object, payload: Payload, dry_run: DryRun) -> Result {
    let mut call = Call::new(Verb::Patch, object.kind(), object.namespace(), object.name()).body(payload);
    call.dry_run = dry_run == DryRun::Server;
    cx.object(&call)?;
    Ok(())
}
