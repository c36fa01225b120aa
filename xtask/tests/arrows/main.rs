//! Which module uses which.
mod paths;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, found) } else if path.extension().is_some_and(|e| e == "rs") { found.push(path) }
    }
    found.sort();
}

#[test]
fn graph() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let mut all = Vec::new();
    files(&root, &mut all);
    let mut founds = Vec::new();
    for file in &all {
        let name = file.strip_prefix(&root).unwrap().with_extension("");
        let mut module: Vec<String> = name.iter().map(|c| c.to_string_lossy().into_owned()).collect();
        if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) { module.pop(); }
        let found = paths::read(&std::fs::read_to_string(file).unwrap(), &module, &["crate", "steady"]).unwrap();
        founds.push((file.clone(), module, found));
    }
    let tests: Vec<Vec<String>> = founds.iter().flat_map(|(_, _, f)| f.test_modules.clone()).collect();
    for (file, module, found) in &founds {
        let test_file = tests.iter().any(|t| module.starts_with(t));
        for p in &found.paths {
            println!("{} {} {}:{} {}", module.join("::"), p.segments.join("::"), file.strip_prefix(&root).unwrap().display(), p.line, if p.in_test || test_file {"T"} else {"P"});
        }
    }
}
