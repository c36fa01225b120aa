//! How a command line finds its way to a command, as `spf13/cobra` does it.

use super::call::escaped;
use super::command::CliCommand;
use super::commands::COMMANDS;
use super::config::Config;
use super::flags::{self, Flag};
use super::help;
use super::invocation::{Invocation, Result, Stop, fail};
use super::words;
use crate::api::order;
use crate::api::quote::go_quote;

/// The flags that say for whom, and through which context, a command line is executed.
pub(super) const IDENTITY: [&str; 8] =
    ["as", "as-group", "as-uid", "as-user-extra", "cluster", "context", "token", "user"];

/// Runs a command line, which is given without the word `kubectl`.
pub(super) fn run(cx: &mut Invocation<'_>, line: &str) -> Result {
    match words::split(line) {
        Ok(words) => dispatch(cx, &words),
        Err(e) => fail(e.to_string()),
    }
}

/// Finds the command of some words and runs it.
fn dispatch(cx: &mut Invocation<'_>, words: &[String]) -> Result {
    if let Some(flag) = words.first().filter(|w| w.starts_with('-') && names_no_command(words)) {
        // What is no command of kubectl's may be a plug-in's, and those want their name first.
        cx.err.push_str(&format!("Error: flags cannot be placed before plugin name: {flag}\n"));
        return Err(Stop::Exit(1));
    }
    let Some((index, name)) = first_word(words) else {
        help::of_kubectl(cx);
        return Ok(());
    };
    if name == "help" {
        return help::run(cx, words.get(index + 1..).unwrap_or_default());
    }
    let Some(command) = COMMANDS.iter().find(|c| c.is(name)) else {
        return unknown(name);
    };
    let mut rest: Vec<String> = words.to_vec();
    rest.remove(index);
    descend(cx, command, format!("kubectl {}", command.name), rest)
}

fn descend(
    cx: &mut Invocation<'_>,
    command: &'static CliCommand,
    path: String,
    mut words: Vec<String>,
) -> Result {
    if !command.sub.is_empty()
        && let Some((index, name)) = first_word(&words)
        && let Some(sub) = command.sub.iter().find(|c| c.is(name))
    {
        words.remove(index);
        let path = format!("{path} {}", sub.name);
        return descend(cx, sub, path, words);
    }
    let mut tables: Vec<&'static [Flag]> = command.flags.to_vec();
    tables.push(flags::GLOBAL);
    let args = flags::parse(&path, &tables, &words)?;
    if args.on("help") {
        help::of_command(cx, command, &path);
        return Ok(());
    }
    let config = Config::read(cx)?;
    cx.namespace = config.namespace(args.flag("context"))?;
    if let Some(ns) = args.flag("namespace").filter(|n| !n.is_empty()) {
        cx.namespace = ns.to_owned();
        cx.explicit_namespace = true;
    }
    args.text("field-manager").clone_into(&mut cx.field_manager);
    cx.verbosity = args.int("v").and_then(|v| u8::try_from(v).ok()).unwrap_or(0);
    cx.identity = identity(&args);
    let given = |flag: &&str| args.all(flag).iter().map(|v| format!("--{flag}={v}")).collect::<Vec<_>>();
    cx.identity_flags = IDENTITY.iter().flat_map(given).collect();
    let names = |header: &str| cx.identity.iter().any(|(name, _)| name.starts_with(header));
    if names("Impersonate-") && !names("Impersonate-User") {
        // `validateAuthInfo` of `clientcmd/validation.go`.
        let user = config.user(args.flag("context"));
        return fail(format!(
            "invalid configuration: requesting uid, groups or user-extra for {user} without impersonating a user"
        ));
    }
    let missing: Vec<String> =
        command.required.iter().filter(|r| !args.has(r)).map(|r| go_quote(r).to_string()).collect();
    if !missing.is_empty() {
        return fail(format!("required flag(s) {} not set", missing.join(", ")));
    }
    (command.run)(cx, &args)
}

/// The headers that the flags say who asks with (`clientcmd.ConfigOverrides`, `transport.NewImpersonatingRoundTripper`).
fn identity(args: &flags::Args) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    let mut add = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
    if let Some(token) = args.flag("token").filter(|t| !t.is_empty()) {
        add("Authorization", &format!("Bearer {token}"));
    }
    if let Some(user) = args.flag("as").filter(|u| !u.is_empty()) {
        add("Impersonate-User", user);
    }
    if let Some(uid) = args.flag("as-uid").filter(|u| !u.is_empty()) {
        add("Impersonate-Uid", uid);
    }
    args.all("as-group").iter().for_each(|group| add("Impersonate-Group", group));
    for extra in args.all("as-user-extra") {
        let (key, value) = extra.split_once('=').unwrap_or((extra, ""));
        // Bytes that no header's name can hold travel percent-encoded.
        add(&format!("Impersonate-Extra-{}", escaped(key, b"-_.!#$&'*+^`|~")), value);
    }
    headers
}

/// Whether the first word that is left is no command, read as cobra reads words before it knows any flag but
/// the global ones: every other flag, and so `--help` too, takes the next word with it.
fn names_no_command(words: &[String]) -> bool {
    let alone = |w: &str| {
        let bools = flags::GLOBAL.iter().filter(|f| f.value == flags::Value::Bool && f.long != "help");
        bools.into_iter().any(|f| w.strip_prefix("--") == Some(f.long))
    };
    let mut words = words.iter();
    while let Some(w) = words.next() {
        let short = w.starts_with('-') && !w.starts_with("--");
        if w == "--" {
            return false;
        } else if w.len() > 1 && w.starts_with('-') {
            if !w.contains('=') && !alone(w) && (!short || w.len() == 2) {
                words.next();
            }
        } else {
            return !COMMANDS.iter().any(|c| c.is(w)) && w != "help";
        }
    }
    false
}

/// The first word that is no flag (nor a global flag's value), and where it stands.
pub(super) fn first_word(words: &[String]) -> Option<(usize, &str)> {
    let mut skip = false;
    for (i, w) in words.iter().enumerate() {
        if skip {
            skip = false;
        } else if w == "--" {
            return None;
        } else if w.starts_with('-') && w.len() > 1 {
            let takes_value = |f: &&Flag| f.value != flags::Value::Bool;
            skip = !w.contains('=')
                && flags::GLOBAL.iter().filter(takes_value).any(|f| {
                    w.strip_prefix("--") == Some(f.long)
                        || f.short.is_some_and(|c| w.strip_prefix('-').is_some_and(|r| r.chars().eq([c])))
                });
        } else {
            return Some((i, w));
        }
    }
    None
}

fn unknown(name: &str) -> Result {
    let mut message = format!("unknown command {name} for \"kubectl\"", name = go_quote(name));
    let similar = similar(name);
    if !similar.is_empty() {
        message.push_str("\n\nDid you mean this?\n");
        for s in similar {
            message.push('\t');
            message.push_str(s);
            message.push('\n');
        }
    }
    fail(message)
}

/// The commands whose names are like a word, sorted.
pub(super) fn similar(name: &str) -> Vec<&'static str> {
    let mut similar: Vec<&str> = COMMANDS
        .iter()
        .map(|c| c.name)
        .filter(|c| distance(name, c) <= 2 || c.to_lowercase().starts_with(&name.to_lowercase()))
        .collect();
    order::sort(&mut similar);
    similar
}

/// The Levenshtein distance; words longer than any command are far from all of them.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().take(40).collect(), b.chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let Some(slot) = row.get_mut(j + 1) else { break };
            let up = *slot;
            left = (diagonal + usize::from(ca != cb)).min(left + 1).min(up + 1);
            diagonal = up;
            *slot = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}
