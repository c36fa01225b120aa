//! What a command is, and what commands share: their flags, their groups, and how they go through several objects.

use super::error::Error;
use super::flags::{Args, Flag, boolean, optional};
use super::invocation::{Invocation, Result, Stop, fail};
use super::output::{PRINT, managed};
use crate::api::Object;
use crate::api::quote::go_quote;

/// What a command does with its arguments.
type Run = fn(&mut Invocation<'_>, &Args) -> Result;

/// A command or a group of them.
pub(super) struct CliCommand {
    pub(super) name: &'static str,
    pub(super) aliases: &'static [&'static str],
    pub(super) flags: &'static [&'static [Flag]],
    /// Flags without which it does nothing.
    pub(super) required: &'static [&'static str],
    pub(super) run: Run,
    pub(super) sub: &'static [CliCommand],
    /// The help of a group, which it prints without one of its commands, too.
    pub(super) help: Option<&'static str>,
}

/// A command without aliases and without commands under it.
pub(super) const fn command(name: &'static str, flags: &'static [&'static [Flag]], run: Run) -> CliCommand {
    CliCommand { name, aliases: &[], flags, required: &[], run, sub: &[], help: None }
}

impl CliCommand {
    pub(super) const fn requires(mut self, required: &'static [&'static str]) -> CliCommand {
        self.required = required;
        self
    }
    pub(super) const fn alias(mut self, aliases: &'static [&'static str]) -> CliCommand {
        self.aliases = aliases;
        self
    }
    /// With commands under it.
    pub(super) const fn with(mut self, sub: &'static [CliCommand]) -> CliCommand {
        self.sub = sub;
        self
    }
    /// With a help of its own.
    pub(super) const fn says(mut self, help: &'static str) -> CliCommand {
        self.help = Some(help);
        self
    }
    pub(super) fn is(&self, word: &str) -> bool {
        self.name == word || self.aliases.contains(&word)
    }
}

/// The command of this name under a command.
pub(super) fn sub_of(command: &CliCommand, name: &str) -> Option<&'static CliCommand> {
    let all: &'static [CliCommand] = command.sub;
    all.iter().find(|c| c.is(name))
}

/// `--all-namespaces`
pub(super) const ALL_NAMESPACES: Flag = boolean("all-namespaces").short('A');
/// `--all` and `--all-namespaces`
pub(super) const ALL: &[Flag] = &[boolean("all"), ALL_NAMESPACES];
/// `--validate` and `--save-config`
pub(super) const VALIDATE: &[Flag] = &[optional("validate", "strict").or("strict"), boolean("save-config")];
/// The flags of a command that makes an object.
pub(super) const CREATE_FLAGS: &[&[Flag]] = &[PRINT, CREATED, VALIDATE];
/// `--dry-run` and `--field-manager` of `create`
pub(super) const CREATED: &[Flag] = &managed("kubectl-create");

/// A message that ends with where help is found (`UsageErrorf`).
pub(super) fn usage<T>(path: &str, message: impl std::fmt::Display) -> Result<T> {
    fail(format!("{message}\nSee '{path} -h' for help and examples"))
}

/// A group without one of its commands: an unknown word is a mistake, nothing is a cry for help.
pub(super) fn group(cx: &mut Invocation<'_>, args: &Args, path: &str, help: &str) -> Result {
    known_words(args, path)?;
    cx.out.push_str(help);
    Err(Stop::Exit(1))
}

/// Runs a group of commands without one of its commands, for a group that prints its help on stderr.
pub(super) fn complaining_group(cx: &mut Invocation<'_>, args: &Args, path: &str, help: &str) -> Result {
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
    cx: &mut Invocation<'_>,
    objects: Vec<Object>,
    mut errors: Vec<Error>,
    one: &mut dyn FnMut(&mut Invocation<'_>, &Object) -> Result,
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

/// A row for a group's table.
pub(super) const fn sub(
    name: &'static str,
    aliases: &'static [&'static str],
    flags: &'static [&'static [Flag]],
    required: &'static [&'static str],
    run: Run,
) -> CliCommand {
    command(name, flags, run).alias(aliases).requires(required)
}
