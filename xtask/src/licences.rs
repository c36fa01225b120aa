//! The licences of the crates that are compiled into what is published. MIT and others require that their
//! text is included.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{Result, cargo, output};
use crate::tools::WASM;

/// The licence texts for a package's wasm, each once, after the names of the crates that have it.
pub fn of(package: &str) -> Result<String> {
    let mut tree = cargo();
    tree.args(["tree", "--locked", "--package", package, "--target", WASM]);
    tree.args(["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}|{l}|{r}"]);
    let printed = output(&mut tree).ok_or("`cargo tree` fails")?;
    let sources = sources()?;
    let mut crates_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Crate { name, licence, repository } in crates(&printed) {
        for text in texts(&sources, &name, &licence)? {
            crates_of.entry(text).or_default().push(format!("{name} {repository}"));
        }
    }
    let mut parts: Vec<_> = crates_of.into_iter().map(|(text, crates)| (crates.join("\n"), text)).collect();
    parts.sort();
    let parts: Vec<_> = parts.into_iter().map(|(crates, text)| format!("{crates}\n\n{text}\n")).collect();
    Ok(parts.join("\n----\n\n"))
}

/// A crate of another project.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    /// Name and version: `serde-1.0.0`.
    name: String,
    licence: String,
    repository: String,
}

/// The crates in lines like `serde v1.0.0|MIT OR Apache-2.0|https://…`. In the lines of this repository's
/// packages the folder follows the version; these are left out.
fn crates(printed: &str) -> Vec<Crate> {
    let crate_of = |line: &str| {
        let mut fields = line.trim_end_matches("(*)").trim_end().split('|');
        let (name, version) = fields.next()?.split_once(" v")?;
        let (licence, repository) = (fields.next()?.to_owned(), fields.next()?.to_owned());
        let ours = version.contains('(');
        (!ours).then(|| Crate { name: format!("{name}-{version}"), licence, repository })
    };
    let mut crates: Vec<_> = printed.lines().filter_map(crate_of).collect();
    crates.sort();
    crates.dedup();
    crates
}

/// The folders into which cargo unpacks crates, one for each registry.
fn sources() -> Result<Vec<PathBuf>> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
        .ok_or("there is neither CARGO_HOME nor a home directory")?;
    entries(&home.join("registry/src"))
}

/// The licence files of a crate. If the licence leaves a choice, all but Apache's.
fn texts(sources: &[PathBuf], name: &str, licence: &str) -> Result<Vec<String>> {
    let folder = sources.iter().map(|source| source.join(name)).find(|folder| folder.is_dir());
    let folder = folder.ok_or_else(|| format!("cargo has not unpacked {name}: `cargo fetch` does"))?;
    let upper = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
    let starts = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];
    let mut files = entries(&folder)?;
    files.retain(|path| path.is_file() && starts.iter().any(|start| upper(path).starts_with(start)));
    files.sort();
    if licence.contains(" OR ") && files.iter().any(|path| !upper(path).contains("APACHE")) {
        files.retain(|path| !upper(path).contains("APACHE"));
    }
    if files.is_empty() {
        return Ok(vec![format!("Licensed under {licence}; the crate carries no text of it.")]);
    }
    let read = |path: &PathBuf| fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    files.iter().map(|path| Ok(read(path)?.replace("\r\n", "\n").trim_end().to_owned())).collect()
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let why = |e| format!("{}: {e}", folder.display());
    fs::read_dir(folder).map_err(why)?.map(|entry| entry.map(|entry| entry.path()).map_err(why)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_names_crates_once_and_not_our_own() {
        let printed = "steady v0.1.0 (/home/x/steady)|MIT OR Apache-2.0|\nserde v1.0.2|MIT|https://s\n\
                       itoa v1.0.1|MIT|https://i\nserde v1.0.2|MIT|https://s (*)\nours v1.0.0 (C:\\x)|MIT|";
        let crates: Vec<_> =
            crates(printed).into_iter().map(|c| format!("{} {}", c.name, c.repository)).collect();
        assert_eq!(crates, ["itoa-1.0.1 https://i", "serde-1.0.2 https://s"]);
    }
}
