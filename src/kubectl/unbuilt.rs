//! Commands of kubectl's that are not built here: what they say before they would do anything is
//! as in kubectl, so that a mistyped line reads as it should.

use super::commands::{self, Command, sub};
use super::context::{Context, Result, Stop, fail};
use super::flags::{Args, Flag, boolean, duration, int, slice, text};
use super::resource::must_kind;
use crate::api::Kind;

pub(super) const LOGS_FLAGS: &[Flag] = &[
    boolean("follow").short('f'),
    boolean("previous").short('p'),
    text("container").short('c'),
    boolean("timestamps"),
    int("tail"),
    duration("since"),
    text("selector").short('l'),
    boolean("all-containers"),
    boolean("prefix"),
];
pub(super) const EXEC_FLAGS: &[Flag] = &[
    boolean("stdin").short('i'),
    boolean("tty").short('t'),
    text("container").short('c'),
    boolean("quiet").short('q'),
    slice("filename").short('f'),
];

/// `config …`: there is no kubeconfig here.
pub(super) const CONFIG: &[Command] = &[
    sub("current-context", &[], &[], &[], nothing),
    sub("delete-cluster", &[], &[], &[], nothing),
    sub("delete-context", &[], &[], &[], nothing),
    sub("delete-user", &[], &[], &[], nothing),
    sub("get-clusters", &[], &[], &[], nothing),
    sub("get-contexts", &[], &[], &[], nothing),
    sub("get-users", &[], &[], &[], nothing),
    sub("rename-context", &[], &[], &[], nothing),
    sub("set", &[], &[], &[], nothing),
    sub("set-cluster", &[], &[], &[], nothing),
    sub("set-context", &[], &[], &[], nothing),
    sub("set-credentials", &[], &[], &[], nothing),
    sub("unset", &[], &[], &[], nothing),
    sub("use-context", &["use"], &[], &[], nothing),
    sub("view", &[], &[], &[], nothing),
];

/// There is nothing behind it.
pub(super) fn nothing(_: &mut Context<'_>, _: &Args) -> Result {
    fail("this command of kubectl's is not built here yet")
}

/// What `deploy/x` names, or `x`: a pod.
fn named<'w>(cx: &mut Context<'_>, word: &'w str) -> Result<(Kind, &'w str)> {
    match word.split_once('/') {
        Some((kind, name)) => Ok((must_kind(cx, kind)?, name)),
        None => Ok((Kind::POD, word)),
    }
}

pub(super) fn logs(cx: &mut Context<'_>, args: &Args) -> Result {
    let Some(word) = args.words.first() else {
        return commands::usage(
            "kubectl logs",
            "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command",
        );
    };
    let (namespace, (kind, name)) = (cx.namespace.clone(), named(cx, word)?);
    match cx.get(kind, &namespace, name) {
        Err(Stop::Error(e)) if kind == Kind::POD && e.is_not_found() => {
            fail(format!("error from server (NotFound): pods {name:?} not found in namespace {namespace:?}"))
        }
        Err(stop) => Err(stop),
        Ok(_) => fail("containers run nothing here, so they write no logs"),
    }
}

pub(super) fn exec(cx: &mut Context<'_>, args: &Args) -> Result {
    let Some(word) = args.words.first() else {
        return fail("pod, type/name or --filename must be specified");
    };
    let namespace = cx.namespace.clone();
    let (kind, name) = named(cx, word)?;
    cx.get(kind, &namespace, name)?;
    fail("containers run nothing here, so nothing can be run in them")
}

pub(super) fn port_forward(_: &mut Context<'_>, args: &Args) -> Result {
    if args.words.len() < 2 {
        return commands::usage(
            "kubectl port-forward",
            "TYPE/NAME and list of ports are required for port-forward",
        );
    }
    fail("there is no network here")
}

pub(super) fn top(_: &mut Context<'_>, _: &Args) -> Result {
    fail("Metrics API not available")
}
