//! The files that are written. A module is one file; its head says what the file holds.

mod defaults;
mod enums;
mod layout;
mod patch;
mod protobuf;
mod structs;
#[cfg(test)]
mod tests;
mod values;
mod version;

use std::collections::{BTreeSet, VecDeque};

use crate::Result;
use crate::go::Name;
use crate::kinds::{Kind, Version};
use crate::pin::Pins;
use crate::sources::Sources;

/// A file that is written.
pub struct Table {
    /// Its place in the repository.
    pub file: &'static str,
    /// What stands in it.
    pub text: String,
}

/// All files.
pub fn all(pins: &Pins, kinds: &[Kind], versions: &[Version], sources: &Sources) -> Result<Vec<Table>> {
    let types = &sources.types;
    let (structs, written) = structs::table(pins, kinds, versions, types)?;
    Ok(vec![
        version::table(pins)?,
        structs,
        protobuf::table(types, &written)?,
        patch::table(pins, kinds, versions, types)?,
        enums::table(pins, &sources.files)?,
        defaults::table(pins, sources)?,
        layout::table(types)?,
        values::table(kinds, sources)?,
    ])
}

/// The line that tells a person not to change the file.
const GENERATED: &str = "Written by `cargo xtask generate`; do not edit.";

/// Text as a literal in Rust.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The functions that give a kind's struct, in its own version and in the others.
fn of_kinds(
    kinds: &[Kind],
    versions: &[Version],
    result: &str,
    constant: impl Fn(&Name) -> String,
) -> String {
    let arm =
        |of: &str, variant: &str, name: &Name| format!("        {of}::{variant} => &{},\n", constant(name));
    let arms: String = kinds.iter().map(|k| arm("BuiltIn", &k.kind, &k.name())).collect();
    let others: String = versions.iter().map(|v| arm("OtherVersion", &v.variant, &v.kind.name())).collect();
    format!(
        "/// The struct of a kind.\npub(super) const fn of(kind: BuiltIn) -> &'static {result} {{\n    \
         match kind {{\n{arms}    }}\n}}\n\n\
         /// The struct of another version of a kind.\n\
         pub(super) const fn of_version(version: OtherVersion) -> &'static {result} {{\n    \
         match version {{\n{others}    }}\n}}\n"
    )
}

/// Which structs are written and which still have to be: each once, those of kinds first, then what their fields need.
struct Queue {
    waiting: VecDeque<Name>,
    seen: BTreeSet<Name>,
}

impl Queue {
    fn new(names: impl IntoIterator<Item = Name>) -> Queue {
        let mut queue = Queue { waiting: VecDeque::new(), seen: BTreeSet::new() };
        names.into_iter().for_each(|name| queue.need(name));
        queue
    }

    fn need(&mut self, name: Name) {
        if self.seen.insert(name.clone()) {
            self.waiting.push_back(name);
        }
    }

    fn next(&mut self) -> Option<Name> {
        self.waiting.pop_front()
    }
}
