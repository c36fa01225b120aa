//! `kubectl patch`

use serde_json::Value;

use super::call::{Call, Payload};
use super::commands;
use super::context::{Context, Result, Stop, fail};
use super::error::Error;
use super::files;
use super::flags::Args;
use super::output::{self, DryRun};
use super::resource::{self, Rules};
use crate::api::Object;
use crate::api::yaml::{self, Limits};
use crate::apimachinery::{Subresource, Verb};

pub(super) fn run(cx: &mut Context<'_>, args: &Args) -> Result {
    let text = match (args.text("patch"), args.text("patch-file")) {
        ("", "") => return fail("must specify --patch or --patch-file containing the contents of the patch"),
        (_, "") => args.text("patch").to_owned(),
        ("", file) => files::text(cx, file)?,
        _ => return fail("cannot specify --patch and --patch-file together"),
    };
    let wrap: fn(String) -> Payload = match args.flag("type").unwrap_or("strategic").to_lowercase().as_str() {
        "strategic" => Payload::StrategicPatch,
        "merge" => Payload::MergePatch,
        "json" => Payload::JsonPatch,
        other => return fail(format!("--type must be one of [json merge strategic], not {other:?}")),
    };
    let dry_run = DryRun::of(cx, args)?;
    let text = to_json(&text)?;
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, mut errors) = resource::objects(cx, args, &args.words, rules)?;
    for (object, _) in objects {
        if dry_run == DryRun::Client {
            output::report(cx, args, &object.to_value(), "patched", dry_run)?;
            continue;
        }
        let mut call = Call::new(Verb::Patch, object.kind(), object.namespace(), object.name());
        call.body = wrap(text.clone());
        call.dry_run = dry_run == DryRun::Server;
        call.field_manager = "kubectl-patch";
        call.subresource = match args.text("subresource") {
            "status" => Subresource::Status,
            "scale" => Subresource::Scale,
            _ => Subresource::None,
        };
        match one(cx, &call, &object) {
            Ok((patched, changed)) => {
                let done = if changed { "patched" } else { "patched (no change)" };
                output::report(cx, args, &patched, done, dry_run)?;
            }
            Err(Stop::Error(Error::Status(s))) if s.code == 415 => {
                let kind = object.kind();
                errors.push(Error::Text(format!(
                    "{} is not supported by {}, Kind={}: {}",
                    call.body.media_type(),
                    kind.api_version(),
                    kind.as_str(),
                    s.message
                )));
            }
            Err(Stop::Error(e)) => errors.push(e),
            Err(stop) => return Err(stop),
        }
    }
    commands::finish(errors)
}

/// Sends the patch: what it made of the object or of its scale, and whether that is something else than before.
fn one(cx: &mut Context<'_>, call: &Call, object: &Object) -> Result<(Value, bool)> {
    if call.subresource != Subresource::Scale {
        let patched = cx.object(call)?;
        return Ok((patched.to_value(), patched != *object));
    }
    let get = Call { verb: Verb::Get, body: Payload::None, ..call.clone() };
    let before = cx.send(&get)?.value().clone();
    let patched = cx.send(call)?.value().clone();
    let changed = patched != before;
    Ok((patched, changed))
}

/// JSON stays as it is, right or wrong; YAML becomes JSON.
fn to_json(text: &str) -> Result<String> {
    if text.trim_start().starts_with(['{', '[']) {
        return Ok(text.to_owned());
    }
    match yaml::documents(text, &Limits::default()) {
        Ok(documents) => Ok(documents.into_iter().next().map_or(Value::Null, |d| d.value).to_string()),
        Err(e) => fail(format!("unable to parse {text:?}: {}", e.message)),
    }
}
