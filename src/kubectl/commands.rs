//! The commands and their flags.

use super::context::{Context, Result, Stop, fail};
use super::error::Error;
use super::flags::{Args, Flag, array, boolean, duration, int, optional, slice, text};
use super::output::{DRY_RUN, PRINT};
use super::resource::{FILENAME, SELECTOR};
use super::{
    annotate, apply, auth, autoscale, certificate, create, debug, delete, describe, diff, discovery, edit,
    events, explain, expose, generators, get, kustomize, label, logs, node, overrides, patch, replace,
    rollout, run, scale, set, taint, top, unbuilt, wait,
};
use crate::api::Object;
use crate::api::quote::go_quote;

/// What a command does with its arguments.
type Run = fn(&mut Context<'_>, &Args) -> Result;

/// A command or a group of them.
pub(super) struct Command {
    pub(super) name: &'static str,
    pub(super) aliases: &'static [&'static str],
    pub(super) flags: &'static [&'static [Flag]],
    /// Flags without which it does nothing.
    pub(super) required: &'static [&'static str],
    pub(super) run: Run,
    pub(super) sub: &'static [Command],
}

const fn command(name: &'static str, flags: &'static [&'static [Flag]], run: Run) -> Command {
    Command { name, aliases: &[], flags, required: &[], run, sub: &[] }
}

impl Command {
    const fn requires(mut self, required: &'static [&'static str]) -> Command {
        self.required = required;
        self
    }
    const fn alias(mut self, aliases: &'static [&'static str]) -> Command {
        self.aliases = aliases;
        self
    }
    /// With commands under it.
    pub(super) const fn with(self, sub: &'static [Command]) -> Command {
        self.group(sub)
    }
    const fn group(mut self, sub: &'static [Command]) -> Command {
        self.sub = sub;
        self
    }
    pub(super) fn is(&self, word: &str) -> bool {
        self.name == word || self.aliases.contains(&word)
    }
}

const ALL_NAMESPACES: Flag = boolean("all-namespaces").short('A');
const ALL: &[Flag] = &[boolean("all"), ALL_NAMESPACES];
const VALIDATE: &[Flag] = &[optional("validate", "strict"), boolean("save-config")];
const CREATE: &[&[Flag]] = &[PRINT, DRY_RUN, VALIDATE];

pub(super) const COMMANDS: &[Command] = &[
    command(
        "get",
        &[
            PRINT,
            SELECTOR,
            FILENAME,
            &[
                ALL_NAMESPACES,
                boolean("show-labels"),
                slice("label-columns").short('L'),
                boolean("no-headers"),
                boolean("show-kind"),
                text("sort-by"),
                boolean("ignore-not-found"),
                boolean("watch").short('w'),
                boolean("watch-only"),
                boolean("output-watch-events"),
                boolean("server-print"),
                int("chunk-size"),
                text("raw"),
                text("subresource"),
            ],
        ],
        get::run,
    ),
    command(
        "apply",
        &[
            PRINT,
            DRY_RUN,
            SELECTOR,
            FILENAME,
            VALIDATE,
            &[
                boolean("all"),
                boolean("prune"),
                boolean("overwrite"),
                boolean("server-side"),
                boolean("force-conflicts"),
                boolean("force"),
                boolean("wait"),
                boolean("openapi-patch"),
                optional("cascade", "background"),
                int("grace-period"),
                duration("timeout"),
                array("prune-allowlist"),
                boolean("record"),
            ],
        ],
        apply::run,
    )
    .group(apply::COMMANDS_OF),
    command(
        "create",
        &[PRINT, DRY_RUN, SELECTOR, FILENAME, VALIDATE, &[text("raw"), boolean("edit")]],
        create::run,
    )
    .group(generators::CREATE),
    command("replace", &[PRINT, DRY_RUN, FILENAME, VALIDATE, replace::FLAGS], replace::run),
    command(
        "delete",
        &[
            PRINT,
            DRY_RUN,
            SELECTOR,
            FILENAME,
            ALL,
            &[
                optional("cascade", "background"),
                int("grace-period"),
                boolean("force"),
                boolean("now"),
                boolean("wait"),
                duration("timeout"),
                boolean("ignore-not-found"),
                text("raw"),
                boolean("interactive").short('i'),
            ],
        ],
        delete::run,
    ),
    command(
        "scale",
        &[
            PRINT,
            DRY_RUN,
            SELECTOR,
            FILENAME,
            ALL,
            &[int("replicas"), int("current-replicas"), text("resource-version"), duration("timeout")],
        ],
        scale::run,
    )
    .requires(&["replicas"]),
    command("set", &[], set::group).group(set::COMMANDS_OF),
    command(
        "patch",
        &[
            PRINT,
            DRY_RUN,
            FILENAME,
            &[
                text("patch").short('p'),
                text("patch-file"),
                text("type"),
                boolean("local"),
                text("subresource"),
            ],
        ],
        patch::run,
    ),
    command("label", &[PRINT, DRY_RUN, SELECTOR, FILENAME, ALL, LABEL], label::run),
    command("annotate", &[PRINT, DRY_RUN, SELECTOR, FILENAME, ALL, LABEL], annotate::run),
    command("rollout", &[], rollout::group).group(rollout::COMMANDS_OF),
    command("expose", &[PRINT, DRY_RUN, FILENAME, overrides::FLAGS, expose::EXPOSE_FLAGS], expose::run),
    command("run", &[PRINT, DRY_RUN, overrides::FLAGS, run::RUN_FLAGS], run::run).requires(&["image"]),
    command("cordon", &[DRY_RUN, SELECTOR], node::cordon),
    command("uncordon", &[DRY_RUN, SELECTOR], node::uncordon),
    command("drain", &[DRY_RUN, SELECTOR, node::DRAIN_FLAGS], node::drain),
    command(
        "taint",
        &[PRINT, DRY_RUN, SELECTOR, &[boolean("overwrite"), boolean("all")], VALIDATE],
        taint::run,
    ),
    command(
        "wait",
        &[PRINT, SELECTOR, FILENAME, ALL, &[array("for"), duration("timeout"), boolean("local")]],
        wait::run,
    ),
    command(
        "events",
        &[
            PRINT,
            &[
                ALL_NAMESPACES,
                text("for"),
                slice("types"),
                boolean("no-headers"),
                boolean("watch").short('w'),
                int("chunk-size"),
            ],
        ],
        events::run,
    ),
    command(
        "api-resources",
        &[&[
            text("output").short('o'),
            text("api-group"),
            optional("namespaced", "true"),
            slice("verbs"),
            slice("categories"),
            text("sort-by"),
            boolean("no-headers"),
            boolean("cached"),
        ]],
        discovery::api_resources,
    ),
    command("api-versions", &[], discovery::api_versions),
    command("version", &[&[boolean("client"), text("output").short('o')]], discovery::version),
    command("cluster-info", &[], discovery::cluster_info),
    command(
        "describe",
        &[SELECTOR, FILENAME, ALL, &[boolean("show-events"), int("chunk-size")]],
        describe::run,
    ),
    command("edit", &[PRINT, FILENAME, VALIDATE], edit::run),
    command(
        "explain",
        &[&[boolean("recursive").short('R'), text("api-version"), text("output")]],
        explain::run,
    ),
    command("logs", &[logs::FLAGS], logs::run),
    command("exec", &[unbuilt::EXEC_FLAGS], unbuilt::exec),
    command("attach", &[], unbuilt::nothing),
    command("port-forward", &[], unbuilt::port_forward),
    command("top", &[], top::group).with(top::COMMANDS_OF),
    command("auth", &[], auth::group).with(auth::COMMANDS),
    command("autoscale", &[PRINT, DRY_RUN, FILENAME, autoscale::FLAGS], autoscale::run).requires(&["max"]),
    command("diff", &[FILENAME, SELECTOR, VALIDATE, diff::FLAGS], diff::run),
    command("config", &[], unbuilt::nothing).with(unbuilt::CONFIG),
    command("debug", &[FILENAME, debug::FLAGS], debug::run),
    command("cp", &[], unbuilt::nothing),
    command("proxy", &[], unbuilt::nothing),
    command("certificate", &[], certificate::group).with(certificate::COMMANDS_OF),
    command("alpha", &[], unbuilt::alpha),
    command("completion", &[], unbuilt::nothing),
    command("kustomize", &[kustomize::FLAGS], kustomize::run),
    command("plugin", &[], unbuilt::nothing).with(unbuilt::PLUGIN),
    command("options", &[], unbuilt::nothing),
];

const LABEL: &[Flag] = &[boolean("overwrite"), boolean("list"), boolean("local"), text("resource-version")];

/// A message that ends with where help is found (`UsageErrorf`).
pub(super) fn usage<T>(path: &str, message: impl std::fmt::Display) -> Result<T> {
    fail(format!("{message}\nSee '{path} -h' for help and examples"))
}

/// A group without one of its commands: an unknown word is a mistake, nothing is a cry for help.
pub(super) fn group(cx: &mut Context<'_>, args: &Args, path: &str, help: &str) -> Result {
    known_words(args, path)?;
    cx.out.push_str(help);
    Err(Stop::Exit(1))
}

/// Runs a group of commands without one of its commands, for a group that prints its help on stderr.
pub(super) fn complaining_group(cx: &mut Context<'_>, args: &Args, path: &str, help: &str) -> Result {
    known_words(args, path)?;
    cx.err.push_str(help);
    Err(Stop::Exit(1))
}

fn known_words(args: &Args, path: &str) -> Result {
    match args.words.is_empty() {
        true => Ok(()),
        false => usage(path, format!("unknown command {}", go_quote(args.words.join(" ")))),
    }
}

/// Does something with each object; what fails does not keep it from the others.
pub(super) fn each(
    cx: &mut Context<'_>,
    objects: Vec<Object>,
    mut errors: Vec<Error>,
    one: &mut dyn FnMut(&mut Context<'_>, &Object) -> Result,
) -> Result {
    for object in objects {
        match one(cx, &object) {
            Err(Stop::Error(e)) => errors.push(e),
            other => other?,
        }
    }
    finish(errors)
}

/// The errors of several objects, if there are any.
pub(super) fn finish(errors: Vec<Error>) -> Result {
    match Error::aggregate(errors) {
        Some(e) => Err(Stop::Error(e)),
        None => Ok(()),
    }
}

/// Flags of a command that makes an object.
pub(super) const CREATE_FLAGS: &[&[Flag]] = CREATE;

/// A row for a group's table.
pub(super) const fn sub(
    name: &'static str,
    aliases: &'static [&'static str],
    flags: &'static [&'static [Flag]],
    required: &'static [&'static str],
    run: Run,
) -> Command {
    command(name, flags, run).alias(aliases).requires(required)
}
