//! `kubectl cordon|uncordon|drain`

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::call::{CHUNK, Call, Payload};
use super::command;
use super::error::Error;
use super::evict;
use super::flags::{Args, Flag, boolean, duration, int, text};
use super::invocation::{Invocation, Result, Stop, fail};
use super::output::{self, DryRun};
use super::resource::{self, Rules};
use crate::api::labels::Selector;
use crate::api::quote::go_quote;
use crate::api::types::{Node, Pod};
use crate::api::well_known::CONFIG_MIRROR_ANNOTATION;
use crate::api::{Kind, MetaExt, Object, order};
use crate::apimachinery::Verb;

pub(super) const DRAIN_FLAGS: &[Flag] = &[
    boolean("ignore-daemonsets"),
    boolean("delete-emptydir-data"),
    boolean("force"),
    boolean("disable-eviction"),
    int("grace-period").or("-1"),
    duration("timeout"),
    text("pod-selector"),
    int("chunk-size").or(CHUNK),
    int("skip-wait-for-delete-timeout"),
];

pub(super) fn cordon(cx: &mut Invocation<'_>, args: &Args) -> Result {
    mark_each(cx, args, "cordon", true)
}

pub(super) fn uncordon(cx: &mut Invocation<'_>, args: &Args) -> Result {
    mark_each(cx, args, "uncordon", false)
}

/// The nodes that the command names, and what went wrong with the others.
fn nodes(cx: &mut Invocation<'_>, args: &Args, command: &str) -> Result<(Vec<Object>, Vec<Error>)> {
    let selector = !args.text("selector").is_empty();
    if args.words.is_empty() && !selector {
        return command::usage(&format!("kubectl {command}"), format!("USAGE: {command} NODE [flags]"));
    }
    if !args.words.is_empty() && selector {
        let why = "error: cannot specify both a node name and a --selector option";
        return command::usage(&format!("kubectl {command}"), why);
    }
    if Selector::parse(args.text("pod-selector")).is_err() {
        return fail("--pod-selector=<pod_selector> must be a valid label selector");
    }
    let mut words = vec!["node".to_owned()];
    words.extend(args.words.iter().map(|w| w.rsplit('/').next().unwrap_or(w).to_owned()));
    let (objects, errors) = resource::objects(cx, args, &words, Rules::default())?;
    Ok((objects.into_iter().map(|(node, _)| node).collect(), errors))
}

/// Marks the nodes that the command names as schedulable or not.
fn mark_each(cx: &mut Invocation<'_>, args: &Args, command: &str, unschedulable: bool) -> Result {
    let dry_run = DryRun::of(cx, args)?;
    let (nodes, mut errors) = nodes(cx, args, command)?;
    for node in nodes {
        match mark(cx, args, &node, unschedulable, dry_run) {
            Ok(()) => {}
            Err(Stop::Error(e)) => errors.push(e),
            Err(stop) => return Err(stop),
        }
    }
    command::finish(errors)
}

fn mark(cx: &mut Invocation<'_>, args: &Args, node: &Object, unschedulable: bool, dry_run: DryRun) -> Result {
    let now = node.get::<Node>().and_then(|n| n.spec.as_ref()?.unschedulable) == Some(true);
    let done = if unschedulable { "cordoned" } else { "uncordoned" };
    if now == unschedulable {
        return output::report(cx, args, &node.to_value(), &format!("already {done}"), dry_run);
    }
    if dry_run != DryRun::Client {
        let patch =
            json!({"spec": {"unschedulable": if unschedulable { Value::Bool(true) } else { Value::Null }}});
        let mut call = Call::new(Verb::Patch, Kind::NODE, "", node.name())
            .body(Payload::StrategicPatch(patch.to_string()));
        call.dry_run = dry_run == DryRun::Server;
        cx.object(&call)?;
    }
    output::report(cx, args, &node.to_value(), done, dry_run)
}

pub(super) fn drain(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let dry_run = DryRun::of(cx, args)?;
    let (nodes, errors) = nodes(cx, args, "drain")?;
    if !errors.is_empty() {
        return command::finish(errors);
    }
    for node in &nodes {
        mark(cx, args, node, true, dry_run)?;
    }
    let (mut fatal, mut pending) = (Vec::new(), Vec::new());
    for node in &nodes {
        let failed = drain_one(cx, args, node, dry_run)?;
        if failed.is_empty() {
            output::report(cx, args, &node.to_value(), "drained", dry_run)?;
            continue;
        }
        let why = Error::one(failed.clone()).map(|e| e.message()).unwrap_or_default();
        let name = go_quote(node.name());
        cx.err.push_str(&format!(
            "error: unable to drain node {name} due to error: {why}, continuing command...\n"
        ));
        fatal.push(failed);
        pending.push(format!(" {}\n", node.name()));
    }
    if pending.is_empty() {
        return Ok(());
    }
    cx.err.push_str(&format!("There are pending nodes to be drained:\n{}", pending.concat()));
    Err(Stop::Error(match <[Vec<Error>; 1]>::try_from(fatal) {
        // Deletions end with the first failure, evictions with the failures of all pods.
        Ok([errors]) if args.on("disable-eviction") => Error::one(errors).unwrap_or(Error::Many(Vec::new())),
        Ok([errors]) => Error::Many(errors),
        Err(fatal) => Error::Many(fatal.into_iter().filter_map(Error::one).collect()),
    }))
}

/// Makes the pods of a node go. Returns why not all of them have gone.
fn drain_one(cx: &mut Invocation<'_>, args: &Args, node: &Object, dry_run: DryRun) -> Result<Vec<Error>> {
    let pods = match chosen(cx, args, node, true)? {
        Ok(pods) => pods,
        Err(errors) => return Ok(errors),
    };
    if dry_run != DryRun::No {
        for p in &pods {
            cx.say(&format!("evicting pod {}{}", p.key(), dry_run.suffix()));
        }
        return Ok(Vec::new());
    }
    let errors = evict::delete_or_evict(cx, args, pods)?;
    if let Some(why) = Error::one(errors.clone()) {
        let name = go_quote(node.name());
        match chosen(cx, args, node, false)? {
            Ok(left) if !left.is_empty() => {
                let left: String = left.iter().map(|p| format!("pod/{}\n", p.name())).collect();
                let why = why.message();
                cx.err.push_str(&format!(
                    "There are pending pods in node {name} when an error occurred: {why}\n{left}"
                ));
            }
            Ok(_) => {}
            Err(errors) => {
                let why = Error::one(errors).map(|e| e.message()).unwrap_or_default();
                cx.err.push_str(&format!(
                    "Following errors occurred while getting the list of pods to delete:\n{why}"
                ));
            }
        }
    }
    Ok(errors)
}

const DAEMON_FATAL: &str = "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)";
const DAEMON_WARNING: &str = "ignoring DaemonSet-managed Pods";
const LOCAL_FATAL: &str = "cannot delete Pods with local storage (use --delete-emptydir-data to override)";
const BARE_FATAL: &str = "cannot delete Pods that declare no controller (use --force to override)";
const BARE_WARNING: &str = "deleting Pods that declare no controller";

/// What is said of pods, and of which.
type Said = BTreeMap<String, Vec<String>>;

fn sentences(said: Said) -> impl Iterator<Item = String> {
    said.into_iter().map(|(text, pods)| format!("{text}: {}", pods.join(", ")))
}

/// The pods of a node that are to go, or why none may (`GetPodsForDeletion`). Warnings are said only if pods may go, and
/// if `warns`.
fn chosen(
    cx: &mut Invocation<'_>,
    args: &Args,
    node: &Object,
    warns: bool,
) -> Result<std::result::Result<Vec<Object>, Vec<Error>>> {
    let mut call = Call::new(Verb::List, Kind::POD, "", "");
    call.field_selector = format!("spec.nodeName={}", node.name());
    call.label_selector = args.text("pod-selector").to_owned();
    let pods = cx.all(call)?;
    let (mut out, mut fatal, mut warnings) = (Vec::new(), Said::new(), Said::new());
    for p in pods {
        let Some(pod) = p.get::<Pod>() else { continue };
        let is_mirror = pod.metadata.annotation(CONFIG_MIRROR_ANNOTATION).is_some();
        if is_mirror || evict::is_left_alone(cx, args, &p) {
            continue;
        }
        let phase = pod.status.as_ref().and_then(|s| s.phase.as_deref()).unwrap_or_default();
        if matches!(phase, "Succeeded" | "Failed") {
            out.push(p);
            continue;
        }
        let note = |said: &mut Said, text: &str| {
            said.entry(text.to_owned()).or_default().push(p.key().to_string());
        };
        let controller = pod.metadata.controller();
        if let Some(daemons) = controller.filter(|c| c.kind == "DaemonSet") {
            match cx.get(Kind::DAEMON_SET, p.namespace(), &daemons.name) {
                Err(Stop::Error(Error::Status(e))) if e.is_not_found() && args.on("force") => {
                    note(&mut warnings, &e.message);
                }
                Err(Stop::Error(Error::Status(e))) => {
                    note(&mut fatal, &e.message);
                    continue;
                }
                Err(stop) => return Err(stop),
                Ok(_) => {
                    match args.on("ignore-daemonsets") {
                        true => note(&mut warnings, DAEMON_WARNING),
                        false => note(&mut fatal, DAEMON_FATAL),
                    }
                    continue;
                }
            }
        }
        let volumes = pod.spec.as_ref().and_then(|s| s.volumes.as_deref()).unwrap_or_default();
        if volumes.iter().any(|v| v.empty_dir.is_some()) && !args.on("delete-emptydir-data") {
            note(&mut fatal, LOCAL_FATAL);
            continue;
        }
        if controller.is_none() {
            if !args.on("force") {
                note(&mut fatal, BARE_FATAL);
                continue;
            }
            note(&mut warnings, BARE_WARNING);
        }
        out.push(p);
    }
    if !fatal.is_empty() {
        return Ok(Err(sentences(fatal).map(Error::text).collect()));
    }
    if warns && !warnings.is_empty() {
        // kubectl's order is that of a Go map; here the sentence about pods that are deleted comes last.
        let mut all: Vec<String> = sentences(warnings).collect();
        order::sort_by_key(&mut all, |s| s.starts_with(BARE_WARNING));
        cx.warn(&all.join("; "));
    }
    Ok(Ok(out))
}
