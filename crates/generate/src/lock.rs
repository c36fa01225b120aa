//! `kubernetes.lock`: the digests of what the tables are made from and of the tables themselves.
//!
//! Whoever changes one of them alone (a pin, a row of the table of kinds, a line of this crate, a table by hand) is told so
//! by [`check`], which needs neither network nor Kubernetes' sources.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::digest::sha256;
use crate::pin::{self, Pins};
use crate::{Result, kinds, read_file};

/// Where the lock stands.
pub const FILE: &str = "kubernetes.lock";

/// The sources of this crate, all but `tests.rs`: they decide what is written.
const GENERATOR: &str = "crates/generate/src";

/// SHA-256 by file of the repository.
type Digests = BTreeMap<String, String>;

/// What the file says.
#[derive(Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// What the tables are made from. Of the table of kinds, the rows' groups, versions and names.
    inputs: Digests,
    /// The tables.
    outputs: Digests,
}

impl Lock {
    /// The lock for the repository as it is.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn of(root: &Path, outputs: &[&str]) -> Result<Lock> {
        let mut inputs = Digests::new();
        inputs.insert(pin::FILE.to_owned(), sha256(&read_file(&root.join(pin::FILE))?));
        inputs.insert(kinds::FILE.to_owned(), sha256(&kinds::heads(root)?));
        add_sources(root, GENERATOR, &mut inputs)?;
        let digest = |file: &&str| Ok(((*file).to_owned(), sha256(&read_file(&root.join(file))?)));
        Ok(Lock { inputs, outputs: outputs.iter().map(digest).collect::<Result<_>>()? })
    }

    /// The file.
    ///
    /// # Errors
    /// If it cannot be written as TOML, which would be an error in this crate.
    pub fn text(&self) -> Result<String> {
        let body = toml::to_string(self).map_err(|e| e.to_string())?;
        Ok(format!("# Written by `cargo xtask generate`; do not edit.\n\n{body}"))
    }

    fn read(root: &Path) -> Result<Lock> {
        toml::from_str(&read_file(&root.join(FILE))?).map_err(|e| format!("{FILE}: {e}"))
    }

    /// What has changed since `self` was written, as sentences.
    fn differences(&self, now: &Lock) -> Vec<String> {
        let mut said = Vec::new();
        for (file, digest) in &now.inputs {
            match self.inputs.get(file) {
                Some(locked) if locked == digest => {}
                _ => said.push(format!("{file} has changed since the tables were written")),
            }
        }
        for file in self.inputs.keys().filter(|file| !now.inputs.contains_key(*file)) {
            said.push(format!("{file} is gone since the tables were written"));
        }
        for (file, digest) in &now.outputs {
            if self.outputs.get(file) != Some(digest) {
                said.push(format!("{file} is not what the generator wrote"));
            }
        }
        said
    }
}

fn add_sources(root: &Path, directory: &str, digests: &mut Digests) -> Result<()> {
    let entries = std::fs::read_dir(root.join(directory)).map_err(|e| format!("{directory}: {e}"))?;
    for entry in entries {
        let entry = entry.map_err(|e| format!("{directory}: {e}"))?;
        let name = format!("{directory}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            add_sources(root, &name, digests)?;
        } else if entry.file_name() != "tests.rs" {
            digests.insert(name, sha256(&read_file(&entry.path())?));
        }
    }
    Ok(())
}

/// Compares the repository with the lock.
///
/// # Errors
/// Names the files that were changed alone, and the command that writes all anew.
pub fn check(root: &Path) -> Result<()> {
    let locked = Lock::read(root)?;
    let outputs: Vec<&str> = locked.outputs.keys().map(String::as_str).collect();
    let differences = locked.differences(&Lock::of(root, &outputs)?);
    if differences.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{}\nWrite the tables anew: cargo xtask generate --from DIR\n{}",
        differences.join("\n"),
        Pins::read(root)?.how_to_get()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(input: &str, output: &str) -> Lock {
        let one = |file: &str, digest: &str| Digests::from([(file.to_owned(), digest.to_owned())]);
        Lock { inputs: one("kubernetes.toml", input), outputs: one("table.rs", output) }
    }

    #[test]
    fn what_was_changed_alone_is_named() {
        assert!(lock("a", "b").differences(&lock("a", "b")).is_empty());
        let said = lock("a", "b").differences(&lock("x", "b"));
        assert_eq!(said, ["kubernetes.toml has changed since the tables were written"]);
        let said = lock("a", "b").differences(&lock("a", "x"));
        assert_eq!(said, ["table.rs is not what the generator wrote"]);
    }

    #[test]
    fn a_file_that_is_new_or_gone_is_named() {
        let mut more = lock("a", "b");
        more.inputs.insert("new.rs".into(), "c".into());
        assert_eq!(lock("a", "b").differences(&more), ["new.rs has changed since the tables were written"]);
        assert_eq!(more.differences(&lock("a", "b")), ["new.rs is gone since the tables were written"]);
    }
}
