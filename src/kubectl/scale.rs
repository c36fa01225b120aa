//! `kubectl scale`

use serde_json::{Value, json};

use super::call::{Call, Payload};
use super::command;
use super::flags::Args;
use super::invocation::{Invocation, Result, Stop, fail};
use super::output::{self, DryRun};
use super::resource::{self, Rules};
use crate::api::Object;
use crate::apimachinery::Verb;

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let replicas = args.int("replicas").unwrap_or(-1);
    if replicas < 0 {
        return fail("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0");
    }
    let dry_run = DryRun::of(cx, args)?;
    let rules = Rules { required: true, all_namespaces: args.on("all-namespaces"), ..Rules::default() };
    let (objects, mut errors) = resource::objects(cx, args, &args.words, rules)?;
    if objects.is_empty() && errors.is_empty() {
        return fail("no objects passed to scale");
    }
    for (object, _) in objects {
        match one(cx, args, &object, replicas, dry_run) {
            Ok(()) => output::report(cx, args, &object.to_value(), "scaled", dry_run)?,
            Err(Stop::Error(e)) => errors.push(e),
            Err(stop) => return Err(stop),
        }
    }
    command::finish(errors)
}

fn one(cx: &mut Invocation<'_>, args: &Args, object: &Object, replicas: i64, dry_run: DryRun) -> Result {
    if dry_run == DryRun::Client {
        return Ok(());
    }
    let version = object.resource_version().unwrap_or_default();
    let mut patch = json!({"spec": {"replicas": replicas}});
    let expected = args.int("current-replicas").filter(|n| *n >= 0);
    let wanted = args.text("resource-version");
    if let Some(n) = expected {
        let current = current(cx, object)?;
        if current != n {
            return fail(format!("Expected replicas to be {n}, was {current}"));
        }
    }
    if !wanted.is_empty() && wanted != version {
        return fail(format!("Expected resource version to be {wanted}, was {version}"));
    }
    if expected.is_some() || !wanted.is_empty() {
        patch["metadata"] = json!({"resourceVersion": version});
    }
    let mut call = Call::new(Verb::Patch, object.kind(), object.namespace(), object.name())
        .body(Payload::MergePatch(patch.to_string()));
    call.subresource = "scale".into();
    call.dry_run = dry_run == DryRun::Server;
    cx.send(&call)?;
    Ok(())
}

/// How many replicas an object wants: what its scale says, or, of a built-in kind, its spec.
fn current(cx: &mut Invocation<'_>, object: &Object) -> Result<i64> {
    let wanted = |of: &Value| of.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(0);
    if !object.kind().is_custom() {
        return Ok(wanted(&object.to_value()));
    }
    let mut call = Call::new(Verb::Get, object.kind(), object.namespace(), object.name());
    call.subresource = "scale".into();
    Ok(wanted(cx.send(&call)?.value()))
}
