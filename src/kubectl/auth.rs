//! `kubectl auth`: the server reviews who asks and what they may do.

use std::rc::Rc;

use serde_json::{Value, json};

use super::answer::Answer;
use super::call::{Accept, raw};
use super::command::{self, CliCommand, sub};
use super::flags::{Args, Flag, boolean, text};
use super::invocation::{Invocation, Result, Stop, fail};
use super::output::{DRY_RUN, PRINT, Printer};
use super::resource::FILENAME;
use super::{describers, reconcile, resource, tabwriter};
use crate::api::Kind;
use crate::api::types::rbac::PolicyRule;

const AUTHORIZATION: &str = "authorization.k8s.io/v1";

const CAN_I: &[Flag] = &[
    boolean("all-namespaces").short('A'),
    boolean("quiet").short('q'),
    boolean("list"),
    boolean("no-headers"),
    text("subresource"),
];

pub(super) const HELP: &str = "Inspect authorization.\n\nAvailable Commands:\n  can-i         Check whether an action is allowed\n  reconcile     Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects\n  whoami        Experimental: Check self subject attributes\n\nUsage:\n  kubectl auth [flags] [options]\n\nUse \"kubectl auth <command> --help\" for more information about a given command.\nUse \"kubectl options\" for a list of global command-line options (applies to all commands).\n";

/// `auth COMMAND`
pub(super) const COMMANDS: &[CliCommand] = &[
    sub("can-i", &[], &[CAN_I], &[], can_i),
    sub("whoami", &[], &[PRINT], &[], whoami),
    sub("reconcile", &[], &[PRINT, DRY_RUN, FILENAME, reconcile::FLAGS], &[], reconcile::run),
];

pub(super) fn group(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let answer = command::group(cx, args, "kubectl auth", HELP);
    // `kubectl auth` without a command writes its help to stderr, other groups write theirs to stdout.
    let help = std::mem::take(&mut cx.out);
    cx.err.push_str(&help);
    answer
}

/// The verbs of requests for objects that `can-i` does not warn of.
const RESOURCE_VERBS: &[&str] = &[
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
    "use",
    "bind",
    "impersonate",
    "*",
    "approve",
    "sign",
    "escalate",
    "attest",
];
/// The verbs of other requests that `can-i` does not warn of.
const OTHER_VERBS: &[&str] = &["get", "put", "post", "head", "options", "delete", "patch", "*"];
/// What can be impersonated although no discovery lists it.
const NOT_DISCOVERED: &[&str] = &["users", "groups"];

fn can_i(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if args.on("list") {
        return access_list(cx, args);
    }
    let [verb, what] = args.words.as_slice() else {
        return fail(
            "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.",
        );
    };
    let part = args.text("subresource");
    let spec = if what.starts_with('/') {
        if !part.is_empty() {
            return fail("--subresource can not be used with NonResourceURL");
        }
        warn_of_verb(cx, verb, OTHER_VERBS);
        json!({"nonResourceAttributes": {"path": what, "verb": verb}})
    } else {
        let (word, name) = what.split_once('/').unwrap_or((what, ""));
        let kind = meant(cx, word)?;
        let mut attributes = json!({"verb": verb, "resource": kind.map_or(word, |k| k.plural())});
        if !args.on("all-namespaces") {
            if let Some(kind) = kind.filter(|k| !k.namespaced()) {
                warn_of_scope(cx, kind);
            }
            warn_of_verb(cx, verb, RESOURCE_VERBS);
            attributes["namespace"] = cx.namespace.clone().into();
        }
        for (key, value) in [("group", kind.map_or("", |k| k.group())), ("name", name), ("subresource", part)]
        {
            if !value.is_empty() {
                attributes[key] = value.into();
            }
        }
        json!({"resourceAttributes": attributes})
    };
    if args.on("no-headers") {
        return fail("--no-headers cannot be set without --list specified");
    }
    let answer = review(cx, AUTHORIZATION, "SelfSubjectAccessReview", &spec)?;
    let status = answer.value().get("status");
    let allowed = status.and_then(|s| s.get("allowed")).and_then(Value::as_bool) == Some(true);
    let why = |key: &str| {
        let text = status.and_then(|s| s.get(key)).and_then(Value::as_str).unwrap_or_default();
        if text.is_empty() { String::new() } else { format!(" - {text}") }
    };
    if !args.on("quiet") {
        let no = || format!("no{}{}", why("reason"), why("evaluationError"));
        cx.say(&if allowed { "yes".to_owned() } else { no() });
    }
    if allowed { Ok(()) } else { Err(Stop::Exit(1)) }
}

/// The kind that a word means, with a warning if there is none; nothing for `*`.
fn meant(cx: &mut Invocation<'_>, word: &str) -> Result<Option<Kind>> {
    if word == "*" {
        return Ok(None);
    }
    match resource::must_kind(cx, word) {
        Ok(kind) => Ok(Some(kind)),
        Err(Stop::Error(_)) => {
            let lower = word.to_lowercase();
            let (name, group) = match lower.split_once('.') {
                Some((name, group)) => (name, format!(" in group '{group}'")),
                None => (lower.as_str(), String::new()),
            };
            if !NOT_DISCOVERED.contains(&lower.as_str()) {
                cx.warn(&format!("the server doesn't have a resource type '{name}'{group}\n"));
            }
            Ok(None)
        }
        Err(stop) => Err(stop),
    }
}

fn warn_of_scope(cx: &mut Invocation<'_>, kind: Kind) {
    let group = if kind.group().is_empty() { String::new() } else { format!(" in group '{}'", kind.group()) };
    cx.warn(&format!("resource '{}' is not namespace scoped{group}\n", kind.plural()));
}

fn warn_of_verb(cx: &mut Invocation<'_>, verb: &str, known: &[&str]) {
    if !known.contains(&verb) {
        cx.warn(&format!("verb '{verb}' is not a known verb\n"));
    }
}

/// `can-i --list`: what one may do in a namespace.
fn access_list(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if !args.words.is_empty() {
        return fail("list option must be specified with no arguments");
    }
    if args.on("quiet") || args.on("all-namespaces") || !args.text("subresource").is_empty() {
        return fail(
            "list option can't be specified with neither quiet, all-namespaces nor subresource options",
        );
    }
    let spec = json!({"namespace": cx.namespace});
    let answer = review(cx, AUTHORIZATION, "SelfSubjectRulesReview", &spec)?;
    let status = answer.value().get("status").cloned().unwrap_or_default();
    if status.get("incomplete").and_then(Value::as_bool) == Some(true) {
        let why = status.get("evaluationError").and_then(Value::as_str).unwrap_or_default();
        cx.warn(&format!("the list may be incomplete: {why}"));
    }
    let mut rules: Vec<PolicyRule> = Vec::new();
    for list in ["resourceRules", "nonResourceRules"] {
        let items = status.get(list).and_then(Value::as_array).into_iter().flatten();
        rules.extend(items.filter_map(|rule| serde_json::from_value(rule.clone()).ok()));
    }
    let mut lines = String::new();
    if !args.on("no-headers") {
        lines.push_str("Resources\tNon-Resource URLs\tResource Names\tVerbs\n");
    }
    describers::access(&rules).iter().for_each(|line| {
        lines.push_str(line);
        lines.push('\n');
    });
    let table = tabwriter::align(&lines, tabwriter::TABLE);
    cx.out.push_str(&table);
    Ok(())
}

/// Posts a review; the server answers it and stores nothing. A review of oneself has no `spec`, which is null then.
fn review(cx: &mut Invocation<'_>, group_version: &str, kind: &str, spec: &Value) -> Result<Rc<Answer>> {
    let mut body = json!({"kind": kind, "apiVersion": group_version, "metadata": {}});
    if !spec.is_null() {
        body["spec"] = spec.clone();
    }
    let path = format!("/apis/{group_version}/{}s", kind.to_lowercase());
    cx.exchange(&raw("POST", &path, Accept::Objects, body.to_string().into_bytes()))
}

fn whoami(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let printer = Printer::of(cx, args, false)?;
    let answer = review(cx, "authentication.k8s.io/v1", "SelfSubjectReview", &Value::Null)?;
    if let Some(printer) = printer {
        return printer.print(cx, answer.value(), true);
    }
    let user = answer.value().pointer("/status/userInfo").cloned().unwrap_or_default();
    let list = |value: &Value| {
        let items = value.as_array().into_iter().flatten();
        format!("[{}]", items.filter_map(Value::as_str).collect::<Vec<_>>().join(" "))
    };
    let mut lines = String::from("ATTRIBUTE\tVALUE\n");
    for (title, key) in [("Username", "username"), ("UID", "uid")] {
        if let Some(text) = user.get(key).and_then(Value::as_str).filter(|t| !t.is_empty()) {
            lines.push_str(&format!("{title}\t{text}\n"));
        }
    }
    if let Some(groups) = user.get("groups").filter(|g| g.as_array().is_some_and(|g| !g.is_empty())) {
        lines.push_str(&format!("Groups\t{}\n", list(groups)));
    }
    for (key, values) in user.get("extra").and_then(Value::as_object).into_iter().flatten() {
        lines.push_str(&format!("Extra: {key}\t{}\n", list(values)));
    }
    let table = tabwriter::align(&lines, tabwriter::TABLE);
    cx.out.push_str(&table);
    Ok(())
}
