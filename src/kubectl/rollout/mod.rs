//! `kubectl rollout`

mod history;
mod status;

use serde_json::{Value, json};

use super::call::{Call, Payload};
use super::command::{self, CliCommand, sub};
use super::flags::{Args, Flag, boolean, duration, int, text};
use super::invocation::{Invocation, Result, fail};
use super::kinds::known;
use super::output::{self, DRY_RUN, DryRun, PRINT};
use super::resource::{self, FILENAME, Rules, SELECTOR};
use crate::api::quote::go_quote;
use crate::api::{Object, patch};
use crate::apimachinery::Verb;

const REVISION: &[Flag] = &[int("revision")];

/// These commands have no `--dry-run`, and `undo`, which has one, has no `--field-manager`.
const MANAGED: &[Flag] = &[text("field-manager").or("kubectl-rollout")];

pub(super) const COMMANDS_OF: &[CliCommand] = &[
    sub(
        "status",
        &[],
        &[SELECTOR, FILENAME, REVISION, &[boolean("watch").short('w').or("true"), duration("timeout")]],
        &[],
        status::run,
    ),
    sub("history", &[], &[PRINT, SELECTOR, FILENAME, REVISION], &[], history::run),
    sub("undo", &[], &[PRINT, DRY_RUN, SELECTOR, FILENAME, &[int("to-revision")]], &[], history::undo),
    sub("pause", &[], &[PRINT, MANAGED, SELECTOR, FILENAME], &[], pause),
    sub("resume", &[], &[PRINT, MANAGED, SELECTOR, FILENAME], &[], resume),
    sub("restart", &[], &[PRINT, MANAGED, SELECTOR, FILENAME], &[], restart),
];

pub(super) const HELP: &str = "Manage the rollout of one or many resources.
        
 Valid resource types include:

  *  deployments
  *  daemonsets
  *  statefulsets

Examples:
  # Rollback to the previous deployment
  kubectl rollout undo deployment/abc
  
  # Check the rollout status of a daemonset
  kubectl rollout status daemonset/foo
  
  # Restart a deployment
  kubectl rollout restart deployment/abc
  
  # Restart deployments with the 'app=nginx' label
  kubectl rollout restart deployment --selector=app=nginx

Available Commands:
  history       View rollout history
  pause         Mark the provided resource as paused
  restart       Restart a resource
  resume        Resume a paused resource
  status        Show the status of the rollout
  undo          Undo a previous rollout

Usage:
  kubectl rollout SUBCOMMAND [options]

Use \"kubectl rollout <command> --help\" for more information about a given command.
Use \"kubectl options\" for a list of global command-line options (applies to all commands).
";

pub(super) fn group(cx: &mut Invocation<'_>, args: &Args) -> Result {
    command::group(cx, args, "kubectl rollout", HELP)
}

/// The objects the words name.
fn objects(cx: &mut Invocation<'_>, args: &Args) -> Result<(Vec<Object>, Vec<super::Error>)> {
    if args.words.is_empty() && !args.has_files() {
        return fail("required resource not specified");
    }
    // A kind without a name means all of them.
    let rules = Rules { all_by_default: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, &args.words, rules)?;
    Ok((objects.into_iter().map(|(o, _)| o).collect(), errors))
}

/// Says that nothing was found.
fn say_nothing_found(cx: &mut Invocation<'_>) {
    let line = format!("No resources found in {} namespace.\n", cx.namespace);
    cx.err.push_str(&line);
}

/// The patch that a command makes of an object, or why it makes none. It is told whether the object's rollout is paused.
type Change = dyn Fn(&Invocation<'_>, Option<bool>) -> std::result::Result<Value, &'static str>;

fn change(cx: &mut Invocation<'_>, args: &Args, done: &str, change: &Change) -> Result {
    let (objects, errors) = objects(cx, args)?;
    if objects.is_empty() && errors.is_empty() {
        say_nothing_found(cx);
    }
    command::each(cx, objects, errors, &mut |cx, object| one(cx, args, object, done, change))
}

fn one(cx: &mut Invocation<'_>, args: &Args, object: &Object, done: &str, change: &Change) -> Result {
    let kind = object.kind();
    let asked = match known(kind).rollout {
        Some(rollout) => change(cx, rollout.paused(object)),
        None => Err(unsupported(done)),
    };
    let patch = match asked {
        Ok(patch) => patch,
        Err(why) => return fail(format!("{} {} {why}", kind.group_resource(), go_quote(object.name()))),
    };
    // Only the moment of a restart can be what the object has already.
    let before = object.to_value();
    if patch::strategic_merge(kind, before.clone(), &patch).is_ok_and(|after| after == before) {
        return fail(format!(
            "failed to create patch for {}: if restart has already been triggered within the past second, please wait before attempting to trigger another",
            object.name()
        ));
    }
    let mut call = Call::new(Verb::Patch, kind, object.namespace(), object.name())
        .body(Payload::StrategicPatch(super::go::json(&patch)));
    call.field_manager.clone_from(&cx.field_manager);
    let value = cx.object(&call).map_err(|stop| stop.wrapped("failed to patch: "))?.to_value();
    output::report(cx, args, &value, done, DryRun::No)
}

fn unsupported(done: &str) -> &'static str {
    match done {
        "paused" => "pausing is not supported",
        "resumed" => "resuming is not supported",
        _ => "restarting is not supported",
    }
}

fn pause(cx: &mut Invocation<'_>, args: &Args) -> Result {
    change(cx, args, "paused", &|_, paused| match paused {
        Some(true) => Err("is already paused"),
        Some(false) => Ok(json!({"spec": {"paused": true}})),
        None => Err(unsupported("paused")),
    })
}

fn resume(cx: &mut Invocation<'_>, args: &Args) -> Result {
    change(cx, args, "resumed", &|_, paused| match paused {
        Some(true) => Ok(json!({"spec": {"paused": null}})),
        Some(false) => Err("is not paused"),
        None => Err(unsupported("resumed")),
    })
}

fn restart(cx: &mut Invocation<'_>, args: &Args) -> Result {
    change(cx, args, "restarted", &|cx, paused| {
        if paused == Some(true) {
            return Err("can't restart paused deployment (run rollout resume first)");
        }
        let now = jiff::Timestamp::from_second(cx.now().as_second()).unwrap_or(cx.now());
        let annotations = json!({"kubectl.kubernetes.io/restartedAt": now.to_string()});
        Ok(json!({"spec": {"template": {"metadata": {"annotations": annotations}}}}))
    })
}
