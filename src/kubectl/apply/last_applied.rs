//! `kubectl apply view-last-applied`, `set-last-applied` and `edit-last-applied`: the annotation that client-side apply
//! keeps.

use serde_json::{Value, json};

use super::super::call::{Call, Payload};
use super::super::error::Error;
use super::super::flags::Args;
use super::super::invocation::{Invocation, Result, fail};
use super::super::output::{self, DryRun};
use super::super::resource::{self, Rules};
use super::super::{command, files, go};
use super::{annotated, current};
use crate::api::well_known::LAST_APPLIED_CONFIG_ANNOTATION;
use crate::api::yaml::{self, Limits};
use crate::api::{MetaExt, Object};
use crate::apimachinery::Verb;

pub(super) fn view(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let format = match args.text("output") {
        format @ ("" | "yaml" | "json") => format.to_owned(),
        other => {
            return fail(format!(
                "Unexpected -o output mode: {other}, the flag 'output' must be one of yaml|json"
            ));
        }
    };
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, &args.words, rules)?;
    for (object, source) in objects {
        let Some(text) = object.meta().annotation(LAST_APPLIED_CONFIG_ANNOTATION) else {
            // kubectl wraps an error here that it does not have, and says nothing of an object that no file names.
            if source.is_empty() {
                continue;
            }
            let what =
                format!("no last-applied-configuration annotation found on resource: {}\n", object.name());
            return Err(Error::text("<nil>").source(&what, &source).into());
        };
        let value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        if format == "json" {
            let json = go::json_indent(&value);
            cx.say(&json);
        } else {
            cx.out.push_str(&yaml::to_yaml(&value));
        }
    }
    command::finish(errors)
}

pub(super) fn set(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let dry_run = DryRun::of(cx, args)?;
    let mut changes = Vec::new();
    for m in files::load(cx, args)? {
        let Some(object) = current(cx, &m)? else {
            let call = Call::new(Verb::Get, m.kind, &m.namespace, &m.name);
            cx.send(&call)?;
            continue;
        };
        let before = object.meta().annotation(LAST_APPLIED_CONFIG_ANNOTATION).unwrap_or_default();
        if before.is_empty() && !args.on("create-annotation") {
            return fail(format!(
                "no last-applied-configuration annotation found on resource: {}, to create the annotation, run the command with --create-annotation",
                m.name
            ));
        }
        let value = annotated(&m.value);
        let pointer = "/metadata/annotations";
        let after = value
            .pointer(pointer)
            .and_then(|a| a.get(LAST_APPLIED_CONFIG_ANNOTATION))
            .cloned()
            .unwrap_or_default();
        if after.as_str().map(str::trim_end) == Some(before.trim_end()) {
            cx.say(&format!("set-last-applied {}: no changes required.", m.name));
            continue;
        }
        changes.push((object, after));
    }
    for (object, after) in changes {
        let value = match dry_run {
            DryRun::Client => object.to_value(),
            _ => send(cx, &object, &after, dry_run)?,
        };
        output::report(cx, args, &value, "configured", dry_run)?;
    }
    Ok(())
}

fn send(cx: &mut Invocation<'_>, object: &Object, annotation: &Value, dry_run: DryRun) -> Result<Value> {
    let patch = json!({"metadata": {"annotations": {LAST_APPLIED_CONFIG_ANNOTATION: annotation}}});
    let mut call = Call::new(Verb::Patch, object.kind(), object.namespace(), object.name())
        .body(Payload::MergePatch(go::json(&patch)));
    call.dry_run = dry_run == DryRun::Server;
    // `set-last-applied` has no `--field-manager`.
    call.field_manager.clone_from(&cx.field_manager);
    Ok(cx.object(&call)?.to_value())
}

pub(super) fn edit(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, &args.words, rules)?;
    let objects = objects.into_iter().map(|(o, _)| o).collect();
    command::each(cx, objects, errors, &mut |cx, object| {
        let Some(text) = object.meta().annotation(LAST_APPLIED_CONFIG_ANNOTATION) else {
            return fail(format!(
                "no last-applied-configuration annotation found on resource: {}",
                object.name()
            ));
        };
        let before: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        let shown = yaml::to_yaml(&before);
        let Some((_, edited)) = cx.edit(&shown)? else {
            return fail("no editor can be opened from this terminal: use apply set-last-applied -f");
        };
        let after = match yaml::documents(&edited, &Limits::default()) {
            Ok(documents) => documents.into_iter().next().map_or(Value::Null, |d| d.value),
            Err(e) => return fail(format!("The edited file had a syntax error: {}", e.message)),
        };
        if after == before {
            cx.err.push_str("Edit cancelled, no changes made.\n");
            return Ok(());
        }
        let text = Value::from(go::json(&after) + "\n");
        let value = send(cx, object, &text, DryRun::No)?;
        output::report(cx, args, &value, "edited", DryRun::No)
    })
}
