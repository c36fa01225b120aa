//! `kubectl patch` (`k8s.io/kubectl/pkg/cmd/patch`).

use serde_json::Value;

use super::call::{Call, Payload};
use super::command;
use super::error::Error;
use super::files;
use super::flags::Args;
use super::invocation::{Invocation, Result, Stop, fail};
use super::output::{self, DryRun};
use super::resource::{self, Rules};
use crate::api::quote::go_quote;
use crate::api::yaml::{self, Limits};
use crate::api::{Object, patch};
use crate::apimachinery::Verb;

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let dry_run = DryRun::of(cx, args)?;
    let file = args.text("patch-file");
    match (args.text("patch"), file) {
        ("", "") => return fail("must specify --patch or --patch-file containing the contents of the patch"),
        (_, "") | ("", _) => {}
        _ => return fail("cannot specify --patch and --patch-file together"),
    }
    let local = args.on("local");
    if local && !args.words.is_empty() {
        return fail("cannot specify --local and server resources");
    }
    if local && dry_run == DryRun::Server {
        return fail("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
    }
    let type_ = args.text("type").to_lowercase();
    let wrap: fn(String) -> Payload = match type_.as_str() {
        "strategic" => Payload::StrategicPatch,
        "merge" => Payload::MergePatch,
        "json" => Payload::JsonPatch,
        other => {
            return fail(format!(
                "--type must be one of [json merge strategic], not {other}",
                other = go_quote(other)
            ));
        }
    };
    let text = match file {
        "" => args.text("patch").to_owned(),
        file => match files::text(cx, file) {
            Err(Stop::Error(e)) => return fail(format!("unable to read patch file: {}", e.message())),
            text => text?,
        },
    };
    let text = to_json(&text)?;
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, &args.words, rules)?;
    let objects: Vec<Object> = objects.into_iter().map(|(o, _)| o).collect();
    if objects.is_empty() && errors.is_empty() {
        return fail("no objects passed to patch");
    }
    command::each(cx, objects, errors, &mut |cx, object| {
        let (before, after) = if local || dry_run == DryRun::Client {
            let before = object.to_value();
            let after = patched(object, &type_, before.clone(), &text)?;
            (before, after)
        } else {
            let mut call = Call::new(Verb::Patch, object.kind(), object.namespace(), object.name());
            call.body = wrap(text.clone());
            call.dry_run = dry_run == DryRun::Server;
            call.field_manager.clone_from(&cx.field_manager);
            call.subresource = args.text("subresource").to_owned();
            match send(cx, &call, object) {
                Err(Stop::Error(Error::Status(s))) if s.code == 415 => {
                    let (type_, kind) = (call.body.media_type(), object.kind());
                    let (version, kind) = (kind.api_version(), kind.as_str());
                    let why = &s.message;
                    return fail(format!("{type_} is not supported by {version}, Kind={kind}: {why}"));
                }
                sent => sent?,
            }
        };
        let done = if after == before { "patched (no change)" } else { "patched" };
        // kubectl does not say here that a run is dry.
        output::report(cx, args, &after, done, DryRun::No)
    })
}

/// Sends the patch: what the object or its subresource was, and what it is now.
fn send(cx: &mut Invocation<'_>, call: &Call, object: &Object) -> Result<(Value, Value)> {
    if call.subresource.is_empty() {
        return Ok((object.to_value(), cx.object(call)?.to_value()));
    }
    let get = Call { verb: Verb::Get, body: Payload::None, ..call.clone() };
    let before = cx.send(&get)?.value().clone();
    let after = cx.send(call)?.value().clone();
    Ok((before, after))
}

/// The object with the patch, without asking the server.
fn patched(object: &Object, type_: &str, before: Value, text: &str) -> Result<Value> {
    let patch: Value = match serde_json::from_str(text) {
        Ok(patch) => patch,
        Err(e) => return fail(format!("unable to parse {text}: {e}", text = go_quote(text))),
    };
    let done = match type_ {
        "merge" => Ok(patch::json_merge_patch(before, &patch)),
        "json" => patch::json_patch(before, &patch),
        _ => patch::strategic_merge(object.kind(), before, &patch),
    };
    done.map_err(|e| Stop::Error(Error::Text(e.to_string())))
}

/// JSON stays as it is, right or wrong; YAML becomes JSON.
fn to_json(text: &str) -> Result<String> {
    if text.trim_start().starts_with(['{', '[']) {
        return Ok(text.to_owned());
    }
    match yaml::documents(text, &Limits::default()) {
        Ok(documents) => Ok(documents.into_iter().next().map_or(Value::Null, |d| d.value).to_string()),
        Err(e) => fail(format!("unable to parse {text}: {}", e.message, text = go_quote(text))),
    }
}
