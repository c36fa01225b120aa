//! `kubectl create -f`; the commands that make an object from flags are in `generators`.

use serde_json::Value;

use super::call::{self, Accept, Call, Payload};
use super::files;
use super::flags::Args;
use super::invocation::{Invocation, Result, Stop, fail};
use super::manifests::Loaded;
use super::output::{self, DryRun};
use super::{apply, command};
use crate::api::{Key, Kind};
use crate::apimachinery::{FieldValidation, Verb};

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if !args.words.is_empty() {
        return command::usage("kubectl create", format!("Unexpected args: [{}]", args.words.join(" ")));
    }
    if !args.has_files() {
        return fail("must specify one of -f and -k");
    }
    if !args.text("raw").is_empty() {
        if args.on("edit") {
            return fail("--raw and --edit are mutually exclusive");
        }
        return match args.all("filename") {
            [_] => raw(cx, args, "POST"),
            _ => fail("--raw can only use a single local file or stdin"),
        };
    }
    if args.on("edit") {
        return fail(
            "what is created cannot be edited on the way here: edit the file, or create it and use kubectl edit",
        );
    }
    let dry_run = DryRun::of(cx, args)?;
    let validation = apply::validation(args)?;
    let Loaded { manifests, mut errors, .. } = files::load_all(cx, args)?;
    if manifests.is_empty() && errors.is_empty() {
        return fail("no objects passed to create");
    }
    for m in manifests {
        let value = if args.on("save-config") { apply::annotated(&m.value) } else { m.value.clone() };
        let made = post(cx, m.kind, &m.key(), value, dry_run, validation);
        match apply::from(made, "creating", &m.source) {
            Ok(value) => output::report(cx, args, &value, "created", dry_run)?,
            Err(Stop::Error(e)) => {
                cx.refuse(&m.place, &e);
                errors.push(e);
            }
            Err(stop) => return Err(stop),
        }
    }
    command::finish(errors)
}

/// Makes an object, or says what it would be.
pub(super) fn post(
    cx: &mut Invocation<'_>,
    kind: Kind,
    key: &Key,
    value: Value,
    dry_run: DryRun,
    validation: FieldValidation,
) -> Result<Value> {
    if dry_run == DryRun::Client {
        return Ok(value);
    }
    let mut call = Call::new(Verb::Create, kind, &key.namespace, &key.name).body(Payload::Object(value));
    call.dry_run = dry_run == DryRun::Server;
    call.field_validation = validation;
    call.field_manager.clone_from(&cx.field_manager);
    Ok(cx.object(&call)?.to_value())
}

/// `--raw PATH`: sends the file that is named as it is, or nothing, to a path (`rawhttp`).
pub(super) fn raw(cx: &mut Invocation<'_>, args: &Args, method: &str) -> Result {
    if args.on("recursive") {
        return fail("--raw and --recursive are mutually exclusive");
    }
    if !args.text("output").is_empty() {
        return fail("--raw and --output are mutually exclusive");
    }
    let body = match args.all("filename").first() {
        Some(file) => files::text(cx, file)?.into_bytes(),
        None => Vec::new(),
    };
    let answer = cx.exchange(&call::raw(method, args.text("raw"), Accept::Objects, body))?;
    cx.out.push_str(&answer.response.body);
    Ok(())
}
