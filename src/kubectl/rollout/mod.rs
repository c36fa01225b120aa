//! `kubectl rollout`

mod history;
mod status;

use serde_json::{Value, json};

use super::call::{Call, Payload};
use super::commands::{self, Command, sub};
use super::context::{Context, Result, fail};
use super::flags::{Args, Flag, boolean, duration, int};
use super::output::{self, DRY_RUN, DryRun, PRINT};
use super::resource::{self, FILENAME, Rules, SELECTOR};
use crate::api::types::Deployment;
use crate::api::{Kind, Object};
use crate::apimachinery::Verb;

const REVISION: &[Flag] = &[int("revision")];

pub(super) const COMMANDS_OF: &[Command] = &[
    sub(
        "status",
        &[],
        &[SELECTOR, FILENAME, REVISION, &[boolean("watch").short('w'), duration("timeout")]],
        &[],
        status::run,
    ),
    sub("history", &[], &[PRINT, SELECTOR, FILENAME, REVISION], &[], history::run),
    sub("undo", &[], &[PRINT, DRY_RUN, SELECTOR, FILENAME, &[int("to-revision")]], &[], history::undo),
    sub("pause", &[], &[PRINT, DRY_RUN, SELECTOR, FILENAME], &[], pause),
    sub("resume", &[], &[PRINT, DRY_RUN, SELECTOR, FILENAME], &[], resume),
    sub("restart", &[], &[PRINT, DRY_RUN, SELECTOR, FILENAME], &[], restart),
];

const HELP: &str = "Manage the rollout of one or many resources.
        
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

pub(super) fn group(cx: &mut Context<'_>, args: &Args) -> Result {
    commands::group(cx, args, "kubectl rollout", HELP)
}

/// The objects the words name.
fn objects(cx: &mut Context<'_>, args: &Args) -> Result<(Vec<Object>, Vec<super::Error>)> {
    if args.words.is_empty() && !args.has("filename") {
        return fail("required resource not specified");
    }
    // A kind without a name means all of them.
    let rules = Rules { all_by_default: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, &args.words, rules)?;
    Ok((objects.into_iter().map(|(o, _)| o).collect(), errors))
}

/// What a command changes of a Deployment, or why it does not.
type Change = dyn Fn(&Context<'_>, &Deployment) -> std::result::Result<Value, String>;

fn change(cx: &mut Context<'_>, args: &Args, doing: &str, done: &str, change: &Change) -> Result {
    let dry_run = DryRun::of(cx, args)?;
    let (objects, errors) = objects(cx, args)?;
    commands::each(cx, objects, errors, &mut |cx, object| one(cx, args, object, doing, done, change, dry_run))
}

fn one(
    cx: &mut Context<'_>,
    args: &Args,
    object: &Object,
    doing: &str,
    done: &str,
    change: &Change,
    dry_run: DryRun,
) -> Result {
    let name = format!("{} {:?}", object.kind().group_resource(), object.name());
    let Some(deployment) = object.get::<Deployment>() else {
        return fail(format!("{name} {doing} is not supported"));
    };
    let patch = match change(cx, deployment) {
        Ok(patch) => patch,
        Err(why) => return fail(format!("{name} {why}")),
    };
    if dry_run == DryRun::Client {
        return output::report(cx, args, &object.to_value(), done, dry_run);
    }
    let mut call = Call::new(Verb::Patch, Kind::DEPLOYMENT, object.namespace(), object.name())
        .body(Payload::StrategicPatch(super::go::json(&patch)));
    call.dry_run = dry_run == DryRun::Server;
    call.field_manager = "kubectl-rollout";
    let value = cx.object(&call)?.to_value();
    output::report(cx, args, &value, done, dry_run)
}

fn is_paused(d: &Deployment) -> bool {
    d.spec.as_ref().and_then(|s| s.paused) == Some(true)
}

fn pause(cx: &mut Context<'_>, args: &Args) -> Result {
    change(cx, args, "pausing", "paused", &|_, d| {
        if is_paused(d) { Err("is already paused".into()) } else { Ok(json!({"spec": {"paused": true}})) }
    })
}

fn resume(cx: &mut Context<'_>, args: &Args) -> Result {
    change(cx, args, "resuming", "resumed", &|_, d| {
        if is_paused(d) { Ok(json!({"spec": {"paused": null}})) } else { Err("is not paused".into()) }
    })
}

fn restart(cx: &mut Context<'_>, args: &Args) -> Result {
    change(cx, args, "restarting", "restarted", &|cx, d| {
        if is_paused(d) {
            return Err("can't restart paused deployment (run rollout resume first)".into());
        }
        let now = jiff::Timestamp::from_second(cx.now().as_second()).unwrap_or(cx.now());
        let annotations = json!({"kubectl.kubernetes.io/restartedAt": now.to_string()});
        Ok(json!({"spec": {"template": {"metadata": {"annotations": annotations}}}}))
    })
}
