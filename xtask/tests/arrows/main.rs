//! Checks that the code follows the map in ARCHITECTURE.md: which room uses which others, in production code
//! and in tests.
//!
//! Known exceptions are in `known.txt`, one in each line: file, from, to. The list may only shrink: the test
//! fails at a use that is neither allowed nor listed, and at a line without such a use. Of a cycle one use
//! is listed that closes it.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod map;
mod paths;
mod rooms;

use std::path::Path;

use map::Map;
use rooms::{Break, File, between, circles, inside, uses};

/// The folders with Rust files of this repository.
const FOLDERS: &[&str] = &["src", "crates", "tests", "benches", "examples"];

/// The known exceptions.
const KNOWN: &str = "xtask/tests/arrows/known.txt";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn files(folder: &str, found: &mut Vec<File>) {
    let Ok(entries) = std::fs::read_dir(root().join(folder)) else { return };
    let mut names: Vec<String> =
        entries.flatten().map(|e| format!("{folder}/{}", e.file_name().to_string_lossy())).collect();
    names.sort();
    for name in names {
        if root().join(&name).is_dir() {
            files(&name, found);
        } else if name.ends_with(".rs") {
            let text = read(&name);
            found.push(File { name, text });
        }
    }
}

/// The result for the repository.
struct Checked {
    /// Uses that are neither allowed nor listed.
    breaks: Vec<Break>,
    /// Lines of the list without such a use.
    gone: Vec<String>,
}

fn check(known: &[&str]) -> Checked {
    let map: Map = map::read(&read("ARCHITECTURE.md")).unwrap_or_else(|e| panic!("ARCHITECTURE.md: {e}"));
    let mut all = Vec::new();
    FOLDERS.iter().for_each(|folder| files(folder, &mut all));
    let uses = uses(&all).unwrap_or_else(|e| panic!("{e}"));
    let is_known = |b: &Break| known.contains(&line(b).as_str());
    // Lines without a use are found with the list; new uses without it, since a listed use opens a cycle.
    let mut with_known = between(&map, &uses).unwrap_or_else(|e| panic!("{e}"));
    let mut breaks: Vec<Break> = with_known.iter().filter(|b| !is_known(b)).cloned().collect();
    for folder in &map.without_circles {
        assert!(root().join("src").join(folder).is_dir(), "ARCHITECTURE.md: there is no folder src/{folder}");
        let edges = inside(folder, &uses);
        with_known.extend(circles(edges.clone()));
        breaks.extend(circles(edges.into_iter().filter(|b| !is_known(b)).collect()));
    }
    let is_break = |known: &&&str| with_known.iter().any(|b| line(b) == **known);
    let gone = known.iter().filter(|known| !is_break(known)).map(|known| (*known).to_owned()).collect();
    Checked { breaks, gone }
}

fn line(b: &Break) -> String {
    format!("{} {} {}", b.file, b.from, b.to)
}

#[test]
fn arrows_point_down() {
    let known = read(KNOWN);
    let known: Vec<&str> = known.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
    let Checked { breaks, gone } = check(&known);
    let mut said = Vec::new();
    for b in breaks {
        let why = if b.in_circle { "is in a circle with" } else { "must not use" };
        said.push(format!("{}:{}: {} {why} {}", b.file, b.line, b.from, b.to));
    }
    said.extend(gone.iter().map(|gone| format!("{KNOWN}: `{gone}` is no break any more: take the line out")));
    assert!(said.is_empty(), "\n{}\nThe map is in ARCHITECTURE.md.", said.join("\n"));
}

#[test]
#[ignore = "prints what known.txt would have to list"]
fn print_breaks() {
    check(&[]).breaks.iter().for_each(|b| println!("{}", line(b)));
}
