//! Checks that messages of Kubernetes are written with Go's `%q` (`api::quote::go_quote`) and not with Rust's `{:?}`,
//! which escapes other characters.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

/// The folders below `src/` whose messages are those of Kubernetes.
const FOLDERS: &[&str] = &["apimachinery", "apiserver", "kubectl"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The lines with a `{:?}`, counted from 1, but for those of tests and of assertions.
fn debugged(text: &str) -> Vec<usize> {
    let production = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    let is_message = |line: &str| {
        let code = line.trim_start();
        line.contains(":?}")
            && !code.starts_with("//")
            && !line.contains("panic!")
            && !line.contains("assert")
    };
    production.lines().zip(1..).filter(|(line, _)| is_message(line)).map(|(_, number)| number).collect()
}

#[test]
fn messages_are_quoted_as_in_go() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("src");
    let mut all = Vec::new();
    FOLDERS.iter().for_each(|folder| files(&source.join(folder), &mut all));
    let is_test = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.ends_with("tests.rs") || name == "facts.rs"
    };
    let mut wrong = Vec::new();
    for path in all.iter().filter(|path| !is_test(path)) {
        let text = std::fs::read_to_string(path).unwrap();
        let lines = debugged(&text).into_iter();
        wrong.extend(lines.map(|line| format!("{}:{line}", path.strip_prefix(&source).unwrap().display())));
    }
    assert!(wrong.is_empty(), "use api::quote::go_quote instead of {{:?}}:\n{}", wrong.join("\n"));
}

#[test]
fn a_debug_format_is_found_outside_of_tests() {
    let text =
        "format!(\"{x:?}\");\n// {:?}\npanic!(\"{x:?}\");\n#[cfg(test)]\nmod tests { format!(\"{:?}\") }";
    assert_eq!(debugged(text), [1]);
}
