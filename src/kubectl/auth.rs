//! `kubectl auth`: the server reviews who asks and what they may do.

use std::rc::Rc;

use serde_json::{Value, json};

use super::answer::Answer;
use super::call::{Accept, raw};
use super::commands::{self, Command, sub};
use super::context::{Context, Result, Stop, fail};
use super::flags::{Args, Flag, boolean, text};
use super::{resource, tabwriter};
use crate::api::Kind;

const AUTHORIZATION: &str = "authorization.k8s.io/v1";

const CAN_I: &[Flag] = &[
    boolean("all-namespaces").short('A'),
    boolean("quiet").short('q'),
    boolean("list"),
    text("subresource"),
];

const HELP: &str = "Inspect authorization.\n\nAvailable Commands:\n  can-i         Check whether an action is allowed\n  reconcile     Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects\n  whoami        Experimental: Check self subject attributes\n\nUsage:\n  kubectl auth [flags] [options]\n\nUse \"kubectl auth <command> --help\" for more information about a given command.\nUse \"kubectl options\" for a list of global command-line options (applies to all commands).\n";

/// `auth COMMAND`
pub(super) const COMMANDS: &[Command] =
    &[sub("can-i", &[], &[CAN_I], &[], can_i), sub("whoami", &[], &[], &[], whoami)];

pub(super) fn group(cx: &mut Context<'_>, args: &Args) -> Result {
    let answer = commands::group(cx, args, "kubectl auth", HELP);
    // `kubectl auth` without a command writes its help to stderr, other groups write theirs to stdout.
    let help = std::mem::take(&mut cx.out);
    cx.err.push_str(&help);
    answer
}

fn can_i(cx: &mut Context<'_>, args: &Args) -> Result {
    let (verb, what, named) = match args.words.as_slice() {
        [verb, what] => (verb, what, ""),
        [verb, what, name] => (verb, what, name.as_str()),
        _ => {
            return fail(
                "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.",
            );
        }
    };
    let spec = if what.starts_with('/') {
        json!({"nonResourceAttributes": {"path": what, "verb": verb}})
    } else {
        let (word, name) = what.split_once('/').unwrap_or((what, named));
        let mut attributes = json!({"verb": verb, "resource": word});
        match resource::kind_of(word) {
            Some(kind) => {
                attributes["group"] = kind.group().into();
                attributes["resource"] = kind.plural().into();
                warn_of_scope(cx, args, kind);
            }
            None if word != "*" && resource::must_kind(cx, word).is_err() => {
                cx.err.push_str(&format!("Warning: the server doesn't have a resource type '{word}'\n\n"));
            }
            None => {}
        }
        if !args.on("all-namespaces") {
            attributes["namespace"] = cx.namespace.clone().into();
        }
        for (key, value) in [("name", name), ("subresource", args.text("subresource"))] {
            if !value.is_empty() {
                attributes[key] = value.into();
            }
        }
        json!({"resourceAttributes": attributes})
    };
    let answer = review(cx, AUTHORIZATION, "SelfSubjectAccessReview", &spec)?;
    let allowed = answer.value().pointer("/status/allowed").and_then(Value::as_bool) == Some(true);
    if !args.on("quiet") {
        cx.say(if allowed { "yes" } else { "no" });
    }
    if allowed { Ok(()) } else { Err(Stop::Exit(1)) }
}

fn warn_of_scope(cx: &mut Context<'_>, args: &Args, kind: Kind) {
    if kind.namespaced() || args.on("all-namespaces") {
        return;
    }
    let group = if kind.group().is_empty() { String::new() } else { format!(" in group '{}'", kind.group()) };
    let (plural, text) = (kind.plural(), "is not namespace scoped");
    cx.err.push_str(&format!("Warning: resource '{plural}' {text}{group}\n\n"));
}

/// Posts a review; the server answers it and stores nothing.
fn review(cx: &mut Context<'_>, group_version: &str, kind: &str, spec: &Value) -> Result<Rc<Answer>> {
    let body = json!({"kind": kind, "apiVersion": group_version, "metadata": {}, "spec": spec});
    let path = format!("/apis/{group_version}/{}s", kind.to_lowercase());
    cx.exchange(&raw("POST", &path, Accept::Objects, body.to_string().into_bytes()))
}

fn whoami(cx: &mut Context<'_>, _: &Args) -> Result {
    let answer = review(cx, "authentication.k8s.io/v1", "SelfSubjectReview", &json!({}))?;
    let user = answer.value().pointer("/status/userInfo");
    let text = |key: &str| user.and_then(|u| u.get(key)).and_then(Value::as_str).unwrap_or_default();
    let groups = user.and_then(|u| u.get("groups")).and_then(Value::as_array);
    let groups: Vec<&str> = groups.into_iter().flatten().filter_map(Value::as_str).collect();
    let lines = format!("ATTRIBUTE\tVALUE\nUsername\t{}\nGroups\t[{}]\n", text("username"), groups.join(" "));
    let table = tabwriter::align(&lines, tabwriter::TABLE);
    cx.out.push_str(&table);
    Ok(())
}
