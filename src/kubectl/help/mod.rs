//! `kubectl COMMAND --help` and `kubectl help COMMAND` (`k8s.io/kubectl/pkg/util/templates`): the structure is kubectl's, the
//! sentences are not. Listed are the flags that are honoured here.

use super::command::CliCommand;
use super::commands::COMMANDS;
use super::flags::{Flag, Value};
use super::invocation::{Invocation, Result};
use crate::api::order;
use crate::api::quote::go_quote;

/// One line for each command: its path, how it is used, and what it does.
const TEXTS: &str = include_str!("commands.txt");
/// The width of the column of names, unless one is longer.
const NAMES: usize = 13;
/// The commands by what they are for, as kubectl lists them.
const SECTIONS: [(&str, &[&str]); 8] = [
    ("Basic Commands (Beginner):", &["create", "expose", "run", "set"]),
    ("Basic Commands (Intermediate):", &["explain", "get", "edit", "delete"]),
    ("Deploy Commands:", &["rollout", "scale", "autoscale"]),
    (
        "Cluster Management Commands:",
        &["certificate", "cluster-info", "top", "cordon", "uncordon", "drain", "taint"],
    ),
    (
        "Troubleshooting and Debugging Commands:",
        &["describe", "logs", "attach", "exec", "port-forward", "proxy", "cp", "auth", "debug", "events"],
    ),
    ("Advanced Commands:", &["diff", "apply", "patch", "replace", "wait", "kustomize"]),
    ("Settings Commands:", &["label", "annotate", "completion"]),
    ("Other Commands:", &["api-resources", "api-versions", "config", "plugin", "version"]),
];
const GLOBAL: &str =
    "Use \"kubectl options\" for a list of global command-line options (applies to all commands).\n";

/// How a command is used, and what it does. `path` is given without `kubectl`.
fn text_of(path: &str) -> Option<(&'static str, &'static str)> {
    TEXTS.lines().find_map(|line| {
        let rest = line.strip_prefix(path)?.strip_prefix('|')?;
        // A usage may have bars of its own.
        rest.rsplit_once('|')
    })
}

/// What a command does, in a few words. That of a group is the first line of its own help.
fn summary(command: &CliCommand, path: &str) -> String {
    let own = text_of(path).map(|(_, about)| about.to_owned());
    own.or_else(|| command.help.and_then(|help| help.lines().next()).map(str::to_owned)).unwrap_or_default()
}

/// Prints the help of `kubectl` itself.
pub(super) fn of_kubectl(cx: &mut Invocation<'_>) {
    cx.say("kubectl controls the Kubernetes cluster manager.\n");
    usage_of_kubectl(cx);
}

/// Prints the help of `kubectl` itself without its first line, which says what it is.
fn usage_of_kubectl(cx: &mut Invocation<'_>) {
    for (title, names) in SECTIONS {
        let commands = names.iter().filter_map(|name| COMMANDS.iter().find(|c| c.name == *name));
        list(cx, title, "", commands);
    }
    cx.say("Usage:\n  kubectl [flags] [options]\n");
    cx.say("Use \"kubectl <command> --help\" for more information about a given command.");
    cx.out.push_str(GLOBAL);
}

fn list<'c>(
    cx: &mut Invocation<'_>,
    title: &str,
    under: &str,
    commands: impl Iterator<Item = &'c CliCommand>,
) {
    let commands: Vec<&CliCommand> = commands.collect();
    let width = commands.iter().map(|c| c.name.len()).max().unwrap_or(0).max(NAMES);
    cx.say(title);
    for c in commands {
        let about = summary(c, format!("{under} {}", c.name).trim_start());
        cx.say(&format!("  {:width$} {}", c.name, about.trim_end_matches('.')));
    }
    cx.say("");
}

/// Prints the help of a command. `path` begins with `kubectl`.
pub(super) fn of_command(cx: &mut Invocation<'_>, command: &CliCommand, path: &str) {
    if let Some(help) = command.help {
        return cx.out.push_str(help);
    }
    let under = path.strip_prefix("kubectl").unwrap_or(path).trim_start();
    let (usage, about) = text_of(under).unwrap_or_default();
    if !command.aliases.is_empty() {
        cx.say(&format!("{about}\n\nAliases:\n{}, {}\n", command.name, command.aliases.join(", ")));
    } else {
        cx.say(&format!("{about}\n"));
    }
    if !command.sub.is_empty() {
        let mut sub: Vec<&CliCommand> = command.sub.iter().collect();
        order::sort_by(&mut sub, |a, b| a.name.cmp(b.name));
        list(cx, "Available Commands:", under, sub.into_iter());
    }
    let mut flags: Vec<&Flag> = command.flags.iter().flat_map(|t| t.iter()).collect();
    order::sort_by(&mut flags, |a, b| a.long.cmp(b.long));
    flags.dedup_by(|a, b| a.long == b.long);
    if !flags.is_empty() {
        cx.say("Options:");
        for flag in flags {
            cx.say(&format!("    {}={}", flag.display(), default_of(flag)));
        }
        cx.say("");
    }
    let usage = format!("{path} {usage}");
    cx.say(&format!("Usage:\n  {} [options]\n", usage.trim_end()));
    if !command.sub.is_empty() {
        cx.say(&format!("Use \"{path} <command> --help\" for more information about a given command."));
    }
    cx.out.push_str(GLOBAL);
}

/// The value that a flag has where it is not given, as kubectl writes it.
fn default_of(flag: &Flag) -> String {
    let quoted = |text: &str| format!("'{text}'");
    match (flag.default, flag.value) {
        (Some(text), Value::Text | Value::Optional(_)) => quoted(text),
        (Some(text), _) => text.to_owned(),
        (None, Value::Bool) => "false".to_owned(),
        (None, Value::Text | Value::Optional(_)) => quoted(""),
        (None, Value::Int) => "0".to_owned(),
        (None, Value::Duration) => "0s".to_owned(),
        (None, Value::Array | Value::Slice) => "[]".to_owned(),
    }
}

/// `kubectl help COMMAND`, from the words after `help`.
pub(super) fn run(cx: &mut Invocation<'_>, words: &[String]) -> Result {
    let mut all: &'static [CliCommand] = COMMANDS;
    let mut found: Option<&'static CliCommand> = None;
    let mut path = "kubectl".to_owned();
    for word in words.iter().filter(|w| !w.starts_with('-')) {
        let Some(command) = all.iter().find(|c| c.is(word)) else {
            if found.is_some() {
                break;
            }
            return unknown(cx, words);
        };
        path = format!("{path} {}", command.name);
        (found, all) = (Some(command), command.sub);
    }
    match found {
        Some(command) => of_command(cx, command, &path),
        None => of_kubectl(cx),
    }
    Ok(())
}

/// What `kubectl help` prints about words that are no command: it is no error (`InitDefaultHelpCmd` of cobra).
fn unknown(cx: &mut Invocation<'_>, words: &[String]) -> Result {
    let quoted =
        |word: &String| if word.contains('`') { go_quote(word).to_string() } else { format!("`{word}`") };
    let topics: Vec<String> = words.iter().map(quoted).collect();
    let before = cx.out.len();
    cx.say(&format!("Unknown help topic [{}]\n", topics.join(" ")));
    usage_of_kubectl(cx);
    // All of it goes to stderr.
    let text = cx.out.split_off(before);
    cx.err.push_str(&text);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(under: &str, commands: &[CliCommand], all: &mut Vec<(String, bool)>) {
        for c in commands {
            let path = format!("{under} {}", c.name).trim_start().to_owned();
            paths(&path, c.sub, all);
            all.push((path, c.help.is_some()));
        }
    }

    #[test]
    fn every_command_has_a_help_and_every_help_a_command() {
        let mut all = Vec::new();
        paths("", COMMANDS, &mut all);
        for (path, own) in &all {
            assert!(*own != text_of(path).is_some(), "{path}");
        }
        for line in TEXTS.lines() {
            let path = line.split('|').next().unwrap_or_default();
            assert!(all.iter().any(|(p, _)| p == path), "{path}");
            assert!(line.ends_with('.') && line.matches('|').count() >= 2, "{line}");
        }
        for name in SECTIONS.iter().flat_map(|(_, names)| *names) {
            assert!(COMMANDS.iter().any(|c| c.name == *name), "{name}");
        }
    }

    #[test]
    fn a_default_is_a_value_of_its_flag() {
        let mut all = Vec::new();
        fn flags(commands: &'static [CliCommand], all: &mut Vec<&'static Flag>) {
            for c in commands {
                all.extend(c.flags.iter().flat_map(|t| t.iter()));
                flags(c.sub, all);
            }
        }
        flags(COMMANDS, &mut all);
        for flag in all {
            let Some(default) = flag.default else { continue };
            let right = match flag.value {
                Value::Bool => matches!(default, "true" | "false"),
                Value::Int => default.parse::<i64>().is_ok(),
                Value::Duration => crate::api::duration::parse(default).is_ok(),
                Value::Array | Value::Slice => default.starts_with('['),
                Value::Text | Value::Optional(_) => !default.is_empty(),
            };
            assert!(right, "{flag:?}");
        }
    }
}
