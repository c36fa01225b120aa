//! `kubectl scale`

use serde_json::{Value, json};

use super::call::{Call, Payload};
use super::command;
use super::flags::Args;
use super::invocation::{Invocation, Result, fail};
use super::output::{self, DryRun};
use super::resource::{self, Rules};
use super::stop::{CommandWait, WaitFor};
use crate::api::quote::go_quote;
use crate::api::{Object, patch};
use crate::apimachinery::Verb;

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let replicas = args.int("replicas").unwrap_or(-1);
    if replicas < 0 {
        return fail("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0");
    }
    if args.int("current-replicas").is_some_and(|n| n < -1) {
        return fail("The --current-replicas must specify an integer of -1 or greater");
    }
    let dry_run = DryRun::of(cx, args)?;
    let rules = Rules { required: true, all_namespaces: args.on("all-namespaces"), ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, &args.words, rules)?;
    if !args.text("resource-version").is_empty() && objects.len() > 1 {
        return fail("cannot use --resource-version with multiple resources");
    }
    if objects.is_empty() && errors.is_empty() {
        return fail("no objects passed to scale");
    }
    // The first object that cannot be scaled ends the command.
    for (object, _) in objects {
        let count = match dry_run {
            DryRun::Client => replicas,
            _ => scale(cx, args, &object, replicas, dry_run)?,
        };
        if dry_run == DryRun::No {
            wait(cx, args, &object, replicas)?;
        }
        output::report(cx, args, &scaled(&object, count), "scaled", dry_run)?;
    }
    command::finish(errors)
}

/// The object with another count. Where a custom kind keeps its count, kubectl does not know (`updateReplicas`).
fn scaled(object: &Object, count: i64) -> Value {
    let value = object.to_value();
    match object.kind().group() {
        "" | "apps" => patch::json_merge_patch(value, &json!({"spec": {"replicas": count}})),
        _ => value,
    }
}

/// A request about the object's scale.
fn call(verb: Verb, object: &Object) -> Call {
    let mut call = Call::new(verb, object.kind(), object.namespace(), object.name());
    call.subresource = "scale".into();
    call
}

fn number(scale: &Value, path: &str) -> i64 {
    scale.pointer(path).and_then(Value::as_i64).unwrap_or(0)
}

/// Changes the object's scale, and returns the count that it has then (`ScaleSimple`).
fn scale(
    cx: &mut Invocation<'_>,
    args: &Args,
    object: &Object,
    replicas: i64,
    dry_run: DryRun,
) -> Result<i64> {
    let change = json!({"spec": {"replicas": replicas}});
    let expected = args.int("current-replicas").filter(|n| *n >= 0);
    let wanted = args.text("resource-version");
    let mut write = if expected.is_none() && wanted.is_empty() {
        call(Verb::Patch, object).body(Payload::MergePatch(change.to_string()))
    } else {
        let answer = cx.send(&call(Verb::Get, object))?;
        let (current, version) =
            (number(answer.value(), "/spec/replicas"), answer.text("/metadata/resourceVersion"));
        if let Some(n) = expected.filter(|n| *n != current) {
            return fail(format!("Expected replicas to be {n}, was {current}"));
        }
        if !wanted.is_empty() && wanted != version {
            return fail(format!("Expected resource version to be {wanted}, was {version}"));
        }
        let scale = patch::json_merge_patch(answer.value().clone(), &change);
        call(Verb::Update, object).body(Payload::Object(scale))
    };
    write.dry_run = dry_run == DryRun::Server;
    Ok(number(cx.send(&write)?.value(), "/spec/replicas"))
}

/// `--timeout`: waits until there are as many replicas as were asked for, or somebody else asks for another count
/// (`WaitForScaleHasDesiredReplicas`).
fn wait(cx: &mut Invocation<'_>, args: &Args, object: &Object, replicas: i64) -> Result {
    let Some(timeout) = args.duration("timeout").filter(|t| !t.is_zero()) else { return Ok(()) };
    let until = cx.now().checked_add(timeout).ok();
    loop {
        let answer = cx.send(&call(Verb::Get, object))?;
        let scale = answer.value();
        if number(scale, "/spec/replicas") != replicas || number(scale, "/status/replicas") == replicas {
            return Ok(());
        }
        if until.is_some_and(|until| cx.now() >= until) {
            return fail(format!("timed out waiting for {} to be synced", go_quote(object.name())));
        }
        let what = WaitFor::Change {
            kind: object.kind(),
            key: object.key(),
            resource_version: answer.text("/metadata/resourceVersion").to_owned(),
        };
        cx.wait(CommandWait { what, until })?;
    }
}
