//! Commands of kubectl's that are not built here: what they say before they would do anything is
//! as in kubectl, so that a mistyped line reads as it should.

use super::command::{self, CliCommand, sub};
use super::flags::{Args, Flag, boolean, int, text};
use super::invocation::{Invocation, Result, fail};
use super::resource::must_kind;
use crate::api::Kind;

pub(super) const CP_FLAGS: &[Flag] = &[text("container").short('c'), boolean("no-preserve"), int("retries")];

pub(super) const PROXY_FLAGS: &[Flag] = &[
    text("port").short('p'),
    text("address"),
    text("api-prefix"),
    text("www").short('w'),
    text("unix-socket").short('u'),
];

/// There is nothing behind it.
pub(super) fn nothing(_: &mut Invocation<'_>, _: &Args) -> Result {
    fail("this command of kubectl's is not built here yet")
}

/// `plugin list`
pub(super) const PLUGIN: &[CliCommand] = &[sub("list", &[], &[&[boolean("name-only")]], &[], no_plugins)];

fn no_plugins(_: &mut Invocation<'_>, _: &Args) -> Result {
    fail("unable to find any kubectl plugins in your PATH")
}

/// `alpha`: a group without commands.
pub(super) fn alpha(cx: &mut Invocation<'_>, _: &Args) -> Result {
    cx.err.push_str("No alpha commands are available in this version of kubectl\n");
    Ok(())
}

/// What `deploy/x` names, or `x`: a pod.
fn named<'w>(cx: &mut Invocation<'_>, word: &'w str) -> Result<(Kind, &'w str)> {
    match word.split_once('/') {
        Some((kind, name)) => Ok((must_kind(cx, kind)?, name)),
        None => Ok((Kind::POD, word)),
    }
}

pub(super) fn port_forward(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let (Some(word), true) = (args.words.first(), args.words.len() > 1) else {
        return command::usage(
            "kubectl port-forward",
            "TYPE/NAME and list of ports are required for port-forward",
        );
    };
    let namespace = cx.namespace.clone();
    let (kind, name) = named(cx, word)?;
    cx.get(kind, &namespace, name)?;
    fail(format!(
        "there is no machine on this side to which {name}'s ports could be forwarded: a pod can ask it, for example kubectl run ask --image=busybox --restart=Never -- wget -qO- ADDRESS"
    ))
}

/// `cp`
pub(super) fn cp(_: &mut Invocation<'_>, args: &Args) -> Result {
    if args.words.len() != 2 {
        return fail("source and destination are required");
    }
    fail(
        "there is no disk on this side from which files could be copied, or to which: a ConfigMap that a pod mounts brings files into it (kubectl create configmap NAME --from-literal=FILE=TEXT)",
    )
}

/// `proxy`
pub(super) fn proxy(_: &mut Invocation<'_>, _: &Args) -> Result {
    fail(
        "nothing on this side could connect to a port: kubectl get --raw PATH asks the API server for a path",
    )
}

/// `completion`
pub(super) fn completion(_: &mut Invocation<'_>, _: &Args) -> Result {
    fail("this terminal completes with Tab, without a script")
}

/// `options`: the flags that all commands have.
pub(super) fn options(cx: &mut Invocation<'_>, _: &Args) -> Result {
    cx.say("The following options can be passed to any command:\n");
    for flag in super::flags::GLOBAL {
        cx.say(&format!("    {}", flag.display()));
    }
    Ok(())
}
