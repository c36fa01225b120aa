//! `kubectl auth`: everybody may do everything here, and says so.

use super::commands::{self, Command, sub};
use super::context::{Context, Result, fail};
use super::flags::{Args, Flag, boolean, text};
use super::resource;

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
    // Of all groups this one cries for help on the other stream.
    let help = std::mem::take(&mut cx.out);
    cx.err.push_str(&help);
    answer
}

fn can_i(cx: &mut Context<'_>, args: &Args) -> Result {
    let what = match args.words.as_slice() {
        [_, what] | [_, what, _] => what,
        _ => {
            return fail(
                "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.",
            );
        }
    };
    let name = what.split('/').next().unwrap_or_default();
    if !what.starts_with('/') && name != "*" {
        match resource::kind_of(name) {
            Some(kind) if !kind.namespaced() && !args.on("all-namespaces") => {
                let group = if kind.group().is_empty() {
                    String::new()
                } else {
                    format!(" in group '{}'", kind.group())
                };
                let (plural, text) = (kind.plural(), "is not namespace scoped");
                cx.err.push_str(&format!("Warning: resource '{plural}' {text}{group}\n\n"));
            }
            None if resource::must_kind(name).is_err() => {
                cx.err.push_str(&format!("Warning: the server doesn't have a resource type '{name}'\n\n"));
            }
            _ => {}
        }
    }
    if !args.on("quiet") {
        cx.say("yes");
    }
    Ok(())
}

fn whoami(cx: &mut Context<'_>, _: &Args) -> Result {
    cx.say("ATTRIBUTE   VALUE\nUsername    system:anonymous\nGroups      [system:unauthenticated]");
    Ok(())
}
