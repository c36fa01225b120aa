//! `kubectl cordon|uncordon|drain`

use std::collections::BTreeMap;

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::call::{Call, Payload};
use super::command;
use super::context::{Context, Result, Stop, fail};
use super::error::Error;
use super::flags::{Args, Flag, boolean, duration, int, text};
use super::output::{self, DryRun};
use super::resource::{self, Rules};
use super::stop::{CommandWait, WaitFor};
use crate::api::quote::go_quote;
use crate::api::types::{Node, Pod};
use crate::api::{Kind, MetaExt, Object, Timestamp, order};
use crate::apimachinery::{DeleteOptions, Verb};

pub(super) const DRAIN_FLAGS: &[Flag] = &[
    boolean("ignore-daemonsets"),
    boolean("delete-emptydir-data"),
    boolean("force"),
    boolean("disable-eviction"),
    int("grace-period"),
    duration("timeout"),
    text("pod-selector"),
    int("chunk-size"),
    int("skip-wait-for-delete-timeout"),
];

/// How long a refused eviction waits before it is tried again.
const RETRY_SECONDS: i64 = 5;

pub(super) fn cordon(cx: &mut Context<'_>, args: &Args) -> Result {
    each(cx, args, "cordon", &|cx, args, node, dry_run| mark(cx, args, node, true, dry_run))
}

pub(super) fn uncordon(cx: &mut Context<'_>, args: &Args) -> Result {
    each(cx, args, "uncordon", &|cx, args, node, dry_run| mark(cx, args, node, false, dry_run))
}

type OnNode = dyn Fn(&mut Context<'_>, &Args, &Object, DryRun) -> Result;

fn each(cx: &mut Context<'_>, args: &Args, command: &str, act: &OnNode) -> Result {
    let selector = !args.text("selector").is_empty();
    if args.words.is_empty() && !selector {
        return command::usage(&format!("kubectl {command}"), format!("USAGE: {command} NODE [flags]"));
    }
    if !args.words.is_empty() && selector {
        return fail("error: cannot specify both a node name and a --selector option");
    }
    let dry_run = DryRun::of(cx, args)?;
    let mut words = vec!["node".to_owned()];
    words.extend(args.words.iter().map(|w| w.rsplit('/').next().unwrap_or(w).to_owned()));
    let (objects, mut errors) = resource::objects(cx, args, &words, Rules::default())?;
    for (object, _) in objects {
        match act(cx, args, &object, dry_run) {
            Ok(()) => {}
            Err(Stop::Error(e)) => errors.push(e),
            Err(stop) => return Err(stop),
        }
    }
    command::finish(errors)
}

fn mark(cx: &mut Context<'_>, args: &Args, node: &Object, unschedulable: bool, dry_run: DryRun) -> Result {
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
        call.field_manager = "kubectl-cordon".into();
        cx.object(&call)?;
    }
    output::report(cx, args, &node.to_value(), done, dry_run)
}

pub(super) fn drain(cx: &mut Context<'_>, args: &Args) -> Result {
    each(cx, args, "drain", &drain_one)
}

fn drain_one(cx: &mut Context<'_>, args: &Args, node: &Object, dry_run: DryRun) -> Result {
    mark(cx, args, node, true, dry_run)?;
    let mut call = Call::new(Verb::List, Kind::POD, "", "");
    call.field_selector = format!("spec.nodeName={}", node.name());
    call.label_selector = args.text("pod-selector").to_owned();
    let pods = cx.all(call)?;
    let pods = match chosen(cx, args, pods)? {
        Ok(pods) => pods,
        Err(errors) => {
            let why = Error::one(errors.clone()).map(|e| e.message()).unwrap_or_default();
            cx.err.push_str(&format!(
                "error: unable to drain node {} due to error: {why}, continuing command...\nThere are pending nodes to be drained:\n {}\n",
                go_quote(node.name()),
                node.name()
            ));
            return Err(Stop::Error(Error::Many(errors)));
        }
    };
    if dry_run == DryRun::No {
        let until =
            args.duration("timeout").filter(|t| t.is_positive()).and_then(|t| cx.now().checked_add(t).ok());
        if !evict(cx, args, pods, until)? {
            return fail(format!(
                "error when waiting for pods to be gone: global timeout reached: {}",
                args.text("timeout")
            ));
        }
    } else {
        for p in &pods {
            cx.say(&format!("evicting pod {}{}", p.key(), dry_run.suffix()));
        }
    }
    output::report(cx, args, &node.to_value(), "drained", dry_run)
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

/// The pods that are to go, or why none may (`GetPodsForDeletion`). Warnings are said only if pods may go.
fn chosen(
    cx: &mut Context<'_>,
    args: &Args,
    pods: Vec<Object>,
) -> Result<std::result::Result<Vec<Object>, Vec<Error>>> {
    let (mut out, mut fatal, mut warnings) = (Vec::new(), Said::new(), Said::new());
    for p in pods {
        let Some(pod) = p.get::<Pod>() else { continue };
        if pod.metadata.annotation("kubernetes.io/config.mirror").is_some() {
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
    if !warnings.is_empty() {
        // kubectl's order is that of a Go map; here the sentence about pods that are deleted comes last.
        let mut all: Vec<String> = sentences(warnings).collect();
        order::sort_by_key(&mut all, |s| s.starts_with(BARE_WARNING));
        cx.warn(&all.join("; "));
    }
    Ok(Ok(out))
}

/// Evicts pods, and again those that a budget protected; `false` if time ran out.
fn evict(cx: &mut Context<'_>, args: &Args, mut pods: Vec<Object>, until: Option<Timestamp>) -> Result<bool> {
    let grace = args.int("grace-period").filter(|g| *g >= 0);
    while !pods.is_empty() {
        let (mut going, mut refused) = (Vec::new(), Vec::new());
        for p in pods {
            cx.say(&format!("evicting pod {}", p.key()));
            let options = DeleteOptions { grace_period_seconds: grace, ..Default::default() };
            let mut call =
                Call::new(Verb::Create, Kind::POD, p.namespace(), p.name()).body(Payload::Evict(options));
            call.subresource = "eviction".into();
            match cx.send(&call) {
                Err(Stop::Error(Error::Status(s))) if s.reason == "TooManyRequests" => {
                    cx.err.push_str(&format!(
                        "error when evicting pods/{} -n {} (will retry after {RETRY_SECONDS}s): {}\n",
                        go_quote(p.name()),
                        go_quote(p.namespace()),
                        s.message
                    ));
                    refused.push(p);
                }
                Err(Stop::Error(e)) if e.is_not_found() => {}
                Err(Stop::Error(Error::Status(s))) => {
                    return fail(format!(
                        "error when evicting pods/{} -n {}: {}",
                        go_quote(p.name()),
                        go_quote(p.namespace()),
                        s.message
                    ));
                }
                Err(stop) => return Err(stop),
                Ok(_) => going.push(p),
            }
        }
        let retry = cx.now().checked_add(SignedDuration::from_secs(RETRY_SECONDS)).ok();
        for p in going {
            loop {
                match cx.get(Kind::POD, p.namespace(), p.name()) {
                    Ok(o) if o.uid() == p.uid() => {
                        if !cx.wait_change(&o, until)? {
                            return Ok(false);
                        }
                    }
                    Err(Stop::Error(e)) if !e.is_not_found() => return Err(Stop::Error(e)),
                    Err(stop @ (Stop::Wait(_) | Stop::Exit(_) | Stop::Never)) => {
                        return Err(stop);
                    }
                    Ok(_) | Err(Stop::Error(_)) => break,
                }
            }
            cx.say(&format!("pod/{} evicted", p.name()));
        }
        if !refused.is_empty() {
            if retry.is_some_and(|r| cx.now() < r) {
                cx.wait(CommandWait { what: WaitFor::Time, until: retry })?;
            }
            if until.is_some_and(|t| cx.now() >= t) {
                return Ok(false);
            }
        }
        pods = refused;
    }
    Ok(true)
}
