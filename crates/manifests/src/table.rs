//! The trials of a directory, as Markdown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::trial::{Clusters, Outcome, Trial, try_manifest};

/// The trials of the files that stand in one folder, by the names of the files.
pub type Folder = BTreeMap<String, Trial>;

/// Tries every YAML and JSON file below a directory. The keys are the folders' paths within it.
///
/// # Errors
/// A directory or a file that cannot be read.
pub fn folders(root: &Path, clusters: Clusters) -> Result<BTreeMap<String, Folder>, String> {
    let mut out: BTreeMap<String, Folder> = BTreeMap::new();
    for file in files(root)? {
        let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let within = file.strip_prefix(root).unwrap_or(&file);
        let folder = within.parent().map(|p| p.display().to_string()).unwrap_or_default();
        let name = within.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        out.entry(folder).or_default().insert(name, try_manifest(&text, clusters));
    }
    Ok(out)
}

fn files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let mut out = Vec::new();
    let entries = std::fs::read_dir(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    for entry in entries {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.is_dir() {
            out.extend(files(&path)?);
        } else if path.extension().is_some_and(|e| matches!(e.to_str(), Some("yaml" | "yml" | "json"))) {
            out.push(path);
        }
    }
    out.sort();
    Ok(out)
}

/// A table of folders with how many of their files are up, wait or were refused, and below it a table of all files that
/// are not up.
pub fn table(folders: &BTreeMap<String, Folder>) -> String {
    let mut out =
        String::from("| folder | files | up | wait | refused |\n| --- | ---: | ---: | ---: | ---: |\n");
    let mut total = [0; 4];
    for (folder, trials) in folders {
        let count = |of: fn(&Outcome) -> bool| trials.values().filter(|t| of(&t.outcome)).count();
        let counts = [
            trials.len(),
            count(|o| *o == Outcome::Up),
            count(|o| matches!(o, Outcome::Waits(_))),
            count(|o| matches!(o, Outcome::Refused(_))),
        ];
        for (sum, n) in total.iter_mut().zip(counts) {
            *sum += n;
        }
        out.push_str(&row(if folder.is_empty() { "." } else { folder }, counts));
    }
    out.push_str(&row("all", total));
    out.push_str("\n| file | kinds | what came of it |\n| --- | --- | --- |\n");
    for (folder, trials) in folders {
        for (name, trial) in trials {
            let what = match &trial.outcome {
                Outcome::Up => continue,
                Outcome::Refused(why) => format!("refused: {}", cell(why)),
                Outcome::Waits(waits) => cell(&waits.join("; ")),
            };
            let file = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            out.push_str(&format!("| {file} | {} | {what} |\n", trial.kinds.join(", ")));
        }
    }
    out
}

fn row(name: &str, [files, up, wait, refused]: [usize; 4]) -> String {
    format!("| {name} | {files} | {up} | {wait} | {refused} |\n")
}

/// A text of several lines in one cell, cut where it gets long.
fn cell(text: &str) -> String {
    const LIMIT: usize = 240;
    let line = text.lines().map(str::trim).collect::<Vec<_>>().join(" ").replace('|', "\\|");
    match line.char_indices().nth(LIMIT) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line,
    }
}
