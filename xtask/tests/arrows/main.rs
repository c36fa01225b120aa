//! Checks that the code follows the map in ARCHITECTURE.md: which room uses which others, in production code
//! and in tests.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod map;
mod paths;
mod rooms;

use std::path::Path;

use map::Map;
use rooms::{Break, File, between, circles, folders, inside, unused, uses};

/// The folders with Rust files of this repository.
const FOLDERS: &[&str] = &["src", "crates", "tests", "benches", "examples"];

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

#[test]
fn arrows_point_down() {
    let map: Map = map::read(&read("ARCHITECTURE.md")).unwrap_or_else(|e| panic!("ARCHITECTURE.md: {e}"));
    let mut all = Vec::new();
    FOLDERS.iter().for_each(|folder| files(folder, &mut all));
    let uses = uses(&all).unwrap_or_else(|e| panic!("{e}"));
    let mut breaks: Vec<Break> = between(&map, &uses).unwrap_or_else(|e| panic!("{e}"));
    let unused = unused(&map, &uses);
    assert!(
        unused.is_empty(),
        "ARCHITECTURE.md: no file uses these arrows of the map: {}",
        unused.join(", ")
    );
    let folders = folders(&all);
    for folder in &map.with_circles {
        assert!(folders.contains(folder), "ARCHITECTURE.md: there is no folder src/{folder}");
    }
    for folder in &folders {
        let found = circles(inside(folder, &all, &uses));
        match map.with_circles.contains(folder) {
            true => assert!(!found.is_empty(), "ARCHITECTURE.md: src/{folder} has no circles any more"),
            false => breaks.extend(found),
        }
    }
    let message = |b: &Break| {
        let why = if b.in_circle { "is in a circle with" } else { "must not use" };
        format!("{}:{}: {} {why} {}", b.file, b.line, b.from, b.to)
    };
    let messages: Vec<String> = breaks.iter().map(message).collect();
    assert!(messages.is_empty(), "\n{}\nThe map is in ARCHITECTURE.md.", messages.join("\n"));
}

/// The metadata of a pod that code for any kind gets has no `resource_version`, because a pod has that beside it
/// (`api::Metadata`): such code asks the object.
#[test]
fn the_resource_version_is_asked_of_the_object() {
    let mut all = Vec::new();
    FOLDERS.iter().for_each(|folder| files(folder, &mut all));
    let asks =
        |line: &str| ["meta()", "meta_mut()"].iter().any(|m| line.contains(&format!("{m}.resource_version")));
    let found = all.iter().filter(|f| f.name != "src/api/object.rs").flat_map(|f| {
        let lines = f.text.lines().enumerate().filter(|(_, line)| asks(line));
        lines.map(|(n, _)| format!("{}:{}", f.name, n + 1))
    });
    assert_eq!(found.collect::<Vec<_>>(), Vec::<String>::new(), "Object::resource_version is what is meant");
    let object = all.iter().find(|f| f.name == "src/api/object.rs").expect("the objects");
    assert!(object.text.lines().any(asks), "this test looks for what nobody writes any more");
}
