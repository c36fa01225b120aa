//! `kubectl replace -f` (`k8s.io/kubectl/pkg/cmd/replace`).

use super::call::{Call, Payload};
use super::flags::{Args, Flag, boolean, duration, int, optional, text};
use super::invocation::{Invocation, Result, Stop, fail};
use super::manifests::{Loaded, Manifest};
use super::output::{self, DryRun};
use super::{apply, command, create, files};
use crate::apimachinery::{DeleteOptions, FieldValidation, Propagation, Verb};

pub(super) const FLAGS: &[Flag] = &[
    text("raw"),
    boolean("force"),
    int("grace-period").or("-1"),
    duration("timeout"),
    optional("cascade", "background"),
    boolean("wait"),
    text("subresource"),
];

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let force = args.on("force");
    if !args.has_files() {
        return command::usage("kubectl replace", "Must specify --filename to replace");
    }
    let dry_run = DryRun::of(cx, args)?;
    if args.int("grace-period").is_some_and(|g| g >= 0) && !force {
        return fail("--grace-period must have --force specified");
    }
    if args.duration("timeout").is_some_and(|t| !t.is_zero()) && !force {
        return fail("--timeout must have --force specified");
    }
    if force && dry_run != DryRun::No {
        return fail("--dry-run can not be used when --force is set");
    }
    if !args.text("raw").is_empty() {
        return match args.all("filename") {
            [_] => create::raw(cx, args, "PUT"),
            _ => fail("--raw can only use a single local file or stdin"),
        };
    }
    let validation = apply::validation(args)?;
    let Loaded { manifests, mut errors, .. } = files::load_all(cx, args)?;
    if manifests.is_empty() && errors.is_empty() {
        return fail("no objects passed to replace");
    }
    if force {
        for m in &manifests {
            delete(cx, args, m)?;
        }
    }
    for m in manifests {
        let done = if force {
            let value = if args.on("save-config") { apply::annotated(&m.value) } else { m.value.clone() };
            create::post(cx, m.kind, &m.key(), value, dry_run, validation).map(|value| (value, "replaced"))
        } else {
            apply::from(replace(cx, args, &m, dry_run, validation), "replacing", &m.source)
                .map(|value| (value, "replaced"))
        };
        match done {
            Ok((value, done)) => output::report(cx, args, &value, done, dry_run)?,
            Err(Stop::Error(e)) => {
                cx.refuse(&m.place, &e);
                errors.push(e);
            }
            Err(stop) => return Err(stop),
        }
    }
    command::finish(errors)
}

/// `--force`: deletes the object, if it is there, and waits until it is gone.
fn delete(cx: &mut Invocation<'_>, args: &Args, m: &Manifest) -> Result {
    let policy = match args.text("cascade") {
        "foreground" => Propagation::Foreground,
        "orphan" | "false" => Propagation::Orphan,
        _ => Propagation::Background,
    };
    let grace = args.int("grace-period").filter(|g| *g >= 0).or(Some(0));
    let options = DeleteOptions {
        grace_period_seconds: grace,
        propagation_policy: Some(policy),
        ..DeleteOptions::default()
    };
    let call = Call::new(Verb::Delete, m.kind, &m.namespace, &m.name).body(Payload::Delete(options));
    match cx.send(&call) {
        Err(Stop::Error(e)) if e.is_not_found() => return Ok(()),
        sent => sent?,
    };
    cx.wait_gone(m.kind, &m.namespace, &m.name, args.duration("timeout"))
}

fn replace(
    cx: &mut Invocation<'_>,
    args: &Args,
    m: &Manifest,
    dry_run: DryRun,
    validation: FieldValidation,
) -> Result<serde_json::Value> {
    if m.name.is_empty() {
        return fail("resource name may not be empty");
    }
    let mut value = if args.on("save-config") { apply::annotated(&m.value) } else { m.value.clone() };
    if dry_run == DryRun::Client {
        return Ok(value);
    }
    value["metadata"]["resourceVersion"] = version(cx, m)?.into();
    let mut call = Call::new(Verb::Update, m.kind, &m.namespace, &m.name).body(Payload::Object(value));
    call.dry_run = dry_run == DryRun::Server;
    call.field_validation = validation;
    call.field_manager.clone_from(&cx.field_manager);
    call.subresource = args.text("subresource").to_owned();
    Ok(cx.send(&call)?.value().clone())
}

/// The version to replace: the one that is there, unless the file names one.
fn version(cx: &mut Invocation<'_>, m: &Manifest) -> Result<String> {
    match m.value.pointer("/metadata/resourceVersion").and_then(serde_json::Value::as_str) {
        Some(version) => Ok(version.to_owned()),
        None => Ok(cx
            .get(m.kind, &m.namespace, &m.name)?
            .resource_version()
            .map(str::to_owned)
            .unwrap_or_default()),
    }
}
