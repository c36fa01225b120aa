//! Commands of kubectl's that are not built here: what they say before they would do anything is
//! as in kubectl, so that a mistyped line reads as it should.

use serde_json::json;

use super::command::{self, Command, sub};
use super::context::{Context, Result, fail};
use super::flags::{Args, boolean};
use super::output::{PRINT, Printer};
use super::resource::must_kind;
use crate::api::Kind;

/// `config …`: there is no kubeconfig to change here.
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
    sub("view", &[], &[PRINT, &[boolean("minify"), boolean("flatten"), boolean("raw")]], &[], view),
];

/// `config view`: the configuration of this kubectl, which has one cluster and one context.
fn view(cx: &mut Context<'_>, args: &Args) -> Result {
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "preferences": {}, "current-context": NAME,
        "clusters": [{"name": NAME, "cluster": {"server": SERVER}}],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "namespace": cx.namespace, "user": NAME}}],
        "users": [{"name": NAME, "user": {}}],
    });
    match Printer::of(cx, args, false)? {
        Some(printer) => printer.print(cx, &config, true),
        None => Printer::Yaml(false).print(cx, &config, true),
    }
}

/// What the cluster, the context and the user of `config view` are called.
const NAME: &str = "steady";
/// Where `config view` and `cluster-info` say that the server is.
pub(super) const SERVER: &str = "https://127.0.0.1:6443";

/// There is nothing behind it.
pub(super) fn nothing(_: &mut Context<'_>, _: &Args) -> Result {
    fail("this command of kubectl's is not built here yet")
}

/// `plugin list`
pub(super) const PLUGIN: &[Command] = &[sub("list", &[], &[&[boolean("name-only")]], &[], no_plugins)];

fn no_plugins(_: &mut Context<'_>, _: &Args) -> Result {
    fail("unable to find any kubectl plugins in your PATH")
}

/// `alpha`: a group without commands.
pub(super) fn alpha(cx: &mut Context<'_>, _: &Args) -> Result {
    cx.err.push_str("No alpha commands are available in this version of kubectl\n");
    Ok(())
}

/// What `deploy/x` names, or `x`: a pod.
fn named<'w>(cx: &mut Context<'_>, word: &'w str) -> Result<(Kind, &'w str)> {
    match word.split_once('/') {
        Some((kind, name)) => Ok((must_kind(cx, kind)?, name)),
        None => Ok((Kind::POD, word)),
    }
}

pub(super) fn port_forward(cx: &mut Context<'_>, args: &Args) -> Result {
    let (Some(word), true) = (args.words.first(), args.words.len() > 1) else {
        return command::usage(
            "kubectl port-forward",
            "TYPE/NAME and list of ports are required for port-forward",
        );
    };
    let namespace = cx.namespace.clone();
    let (kind, name) = named(cx, word)?;
    cx.get(kind, &namespace, name)?;
    fail("there is no network here")
}
