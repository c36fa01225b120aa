//! `kubectl delete`

use jiff::SignedDuration;

use super::call::{Call, Payload};
use super::error::Error;
use super::flags::Args;
use super::invocation::{Invocation, Result, Stop, fail};
use super::manifests::Manifest;
use super::output::{DryRun, Printer};
use super::resource::{self, Rules, Target};
use super::{apply, command, create};
use crate::api::quote::go_quote;
use crate::api::{Kind, Object};
use crate::apimachinery::{DeleteOptions, Propagation, Verb};

/// One thing to delete.
struct Victim {
    kind: Kind,
    namespace: String,
    name: String,
    source: String,
}

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let dry_run = DryRun::of(cx, args)?;
    let options = options(cx, args)?;
    if !args.text("raw").is_empty() {
        return raw(cx, args);
    }
    let printer = Printer::of(cx, args, false)?;
    if printer.as_ref().is_some_and(|p| !matches!(p, Printer::Name)) {
        return fail(format!(
            "unexpected -o output mode: {}. We only support '-o name'",
            args.text("output")
        ));
    }
    let rules = Rules { required: true, all_namespaces: args.on("all-namespaces"), ..Rules::default() };
    let targets = resource::targets(cx, args, &args.words, rules)?;
    if args.on("interactive") {
        return fail("nobody can be asked here whether to go on: delete without -i");
    }
    if cx.explicit_namespace && targets.iter().any(|t| !t.kind().namespaced()) {
        cx.warn("deleting cluster-scoped resources, not scoped to the provided namespace");
    }
    let mut errors = Vec::new();
    let victims = victims(cx, args, targets, &mut errors)?;
    if victims.is_empty() && errors.is_empty() {
        cx.say("No resources found");
        return Ok(());
    }
    let mut gone = Vec::new();
    for v in victims {
        match delete(cx, &v, &options, dry_run) {
            Ok(uid) => {
                say(cx, args, &v, dry_run, matches!(printer, Some(Printer::Name)));
                gone.push((v, uid));
            }
            Err(Stop::Error(e)) if e.is_not_found() && args.on("ignore-not-found") => {}
            Err(Stop::Error(e)) => errors.push(e.source("deleting", &v.source)),
            Err(stop) => return Err(stop),
        }
    }
    if args.on("wait") && dry_run == DryRun::No {
        match wait(cx, args, &gone, &mut errors) {
            // The deletions were accepted, and this client cannot wait.
            Ok(()) | Err(Stop::Never) => {}
            stop => return stop,
        }
    }
    command::finish(errors)
}

/// `delete --raw PATH`, with the body of a file if one is named (`rawhttp.RawDelete`).
fn raw(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if args.on("interactive") {
        return fail("--interactive can not be used with --raw");
    }
    match args.all("filename") {
        [] | [_] => create::raw(cx, args, "DELETE"),
        _ => fail("--raw can only use a single local file or stdin"),
    }
}

fn options(cx: &mut Invocation<'_>, args: &Args) -> Result<DeleteOptions> {
    let mut grace = args.int("grace-period").filter(|g| *g >= 0);
    let force = args.on("force");
    if args.on("now") {
        if grace.is_some() {
            return fail("--now and --grace-period cannot be specified together");
        }
        grace = Some(1);
    }
    if force && grace.is_none() {
        grace = Some(0);
    }
    if !force && grace == Some(0) {
        // Without --force a deletion has at least one second of grace.
        grace = Some(1);
    }
    if force && grace.is_some_and(|g| g > 0) {
        return fail("--force and --grace-period greater than 0 cannot be specified together");
    }
    if force && grace == Some(0) {
        cx.warn("Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.");
    }
    let policy = match args.text("cascade") {
        "background" => Propagation::Background,
        "foreground" => Propagation::Foreground,
        "orphan" => Propagation::Orphan,
        "true" => {
            cx.warn(
                "--cascade=true is deprecated (boolean value) and can be replaced with --cascade=background.",
            );
            Propagation::Background
        }
        "false" => {
            cx.warn(
                "--cascade=false is deprecated (boolean value) and can be replaced with --cascade=orphan.",
            );
            Propagation::Orphan
        }
        other => {
            return fail(format!(
                "invalid cascade value ({other}). Must be \"background\", \"foreground\", or \"orphan\""
            ));
        }
    };
    Ok(DeleteOptions { grace_period_seconds: grace, propagation_policy: Some(policy), ..Default::default() })
}

fn victims(
    cx: &mut Invocation<'_>,
    args: &Args,
    targets: Vec<Target>,
    errors: &mut Vec<Error>,
) -> Result<Vec<Victim>> {
    let mut out = Vec::new();
    for target in targets {
        match target {
            Target::Named { kind, namespace, name } => {
                out.push(Victim { kind, namespace, name, source: String::new() });
            }
            Target::File(m) => {
                let Manifest { kind, namespace, name, source, .. } = (*m).clone();
                out.push(Victim { kind, namespace, name, source });
            }
            listed @ Target::Listed { .. } => {
                let (found, mut failed) = resource::fetch(cx, args, &[listed])?;
                errors.append(&mut failed);
                let objects = found.into_iter().flat_map(|f| f.objects);
                out.extend(objects.map(|o: Object| Victim {
                    kind: o.kind(),
                    namespace: o.namespace().to_owned(),
                    name: o.name().to_owned(),
                    source: String::new(),
                }));
            }
        }
    }
    Ok(out)
}

/// Deletes an object. Returns the uid that the server names, or an empty text.
fn delete(cx: &mut Invocation<'_>, v: &Victim, options: &DeleteOptions, dry_run: DryRun) -> Result<String> {
    if v.name.is_empty() {
        return fail("resource name may not be empty");
    }
    if dry_run == DryRun::Client {
        return Ok(String::new());
    }
    let mut call =
        Call::new(Verb::Delete, v.kind, &v.namespace, &v.name).body(Payload::Delete(options.clone()));
    call.dry_run = dry_run == DryRun::Server;
    let answer = cx.send(&call)?;
    // The answer is the object that is going, or a Status about the one that went.
    let uid = match answer.text("/kind") {
        "Status" => answer.text("/details/uid"),
        _ => answer.text("/metadata/uid"),
    };
    Ok(uid.to_owned())
}

fn say(cx: &mut Invocation<'_>, args: &Args, v: &Victim, dry_run: DryRun, name_only: bool) {
    if name_only {
        let line = resource::resource_name(v.kind, &v.name);
        return cx.say(&line);
    }
    let kind = match v.kind.group() {
        "" => v.kind.singular().to_owned(),
        group => format!("{}.{group}", v.kind.singular()),
    };
    let how = if args.on("force") { "force deleted" } else { "deleted" };
    let place = if v.kind.namespaced() { format!(" from {} namespace", v.namespace) } else { String::new() };
    cx.say(&format!("{kind} {} {how}{place}{}", go_quote(&v.name), dry_run.suffix()));
}

fn wait(cx: &mut Invocation<'_>, args: &Args, gone: &[(Victim, String)], errors: &mut Vec<Error>) -> Result {
    let timeout = args.duration("timeout").filter(|t| !t.is_zero());
    let until = timeout.map(|t| cx.now().saturating_add(t.max(SignedDuration::ZERO)).unwrap_or(cx.now()));
    for (v, uid) in gone {
        loop {
            match cx.get(v.kind, &v.namespace, &v.name) {
                Ok(object) if uid.is_empty() || object.uid() == uid => {
                    if !cx.wait_change(&object, until)? {
                        errors.push(Error::Text(format!(
                            "timed out waiting for the condition on {}/{}",
                            v.kind.plural(),
                            v.name
                        )));
                        break;
                    }
                }
                // An object of the same name with another uid is a new one.
                Ok(_) => break,
                Err(Stop::Error(e)) if e.is_not_found() => break,
                Err(stop) => return apply::from(Err(stop), "waiting for", &v.source),
            }
        }
    }
    Ok(())
}
