//! Writes the tables that are made from Kubernetes' Go sources: structs and their fields in JSON and protobuf, merge
//! strategies, enums, defaults, the version.
//!
//! `kubernetes.toml` ([`pin`]) names the release and has the digest of each source file. `kubernetes.lock` ([`lock`]) has
//! the digests of everything that the tables depend on and of the tables themselves, so a test without network tells when
//! one of them was changed alone. Which structs are written depends on the kinds in `src/api/kinds.rs` ([`kinds`]).

mod digest;
pub mod go;
pub mod kinds;
pub mod lock;
pub mod pin;
mod sources;
mod tables;

use std::path::Path;

use lock::Lock;
use pin::Pins;

/// An error is a text for the person who called the command.
pub type Result<T> = std::result::Result<T, String>;

/// Writes all tables in the repository at `root` from the checkouts in `from` (`from/api`, `from/apimachinery`, …), and
/// the lock. Returns the names of the files that have changed.
///
/// # Errors
/// If a source file is missing, does not have the pinned digest (unless `repin` is set: then its digest is pinned anew), or
/// has something that a table cannot express.
pub fn write(root: &Path, from: &Path, repin: bool) -> Result<Vec<String>> {
    let (kinds, versions) = (kinds::read(root)?, kinds::read_versions(root)?);
    let mut pins = Pins::read(root)?;
    let sources = sources::read(&kinds, &versions, from, &pins.tag())?;
    let mut changed = Vec::new();
    if repin {
        pins.pin(sources.digests());
        changed.extend(write_file(root, pin::FILE, &pins.text(root)?)?);
    } else {
        pins.verify(&sources.digests())?;
    }
    let mut outputs = Vec::new();
    for table in tables::all(&pins, &kinds, &versions, &sources)? {
        changed.extend(write_file(root, table.file, &table.text)?);
        outputs.push(table.file);
    }
    let lock = Lock::of(root, &outputs)?;
    changed.extend(write_file(root, lock::FILE, &lock.text()?)?);
    Ok(changed)
}

/// Writes a file if it says something else; returns its name if so.
fn write_file(root: &Path, name: &str, text: &str) -> Result<Option<String>> {
    let path = root.join(name);
    if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
        return Ok(None);
    }
    std::fs::write(&path, text).map_err(|e| format!("{name}: {e}"))?;
    Ok(Some(name.to_owned()))
}

/// A file of the repository, with `\n` at the ends of its lines.
fn read_file(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(text.replace("\r\n", "\n"))
}
