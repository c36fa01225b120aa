//! The boundary between the page and the library: the page imports nothing of the library but `steady::engine`,
//! and the engine names nothing of a browser.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

/// What the page may import: the standard library, what draws it, what keeps runs in the browser, and its texts.
const PAGE: [&str; 12] = [
    "console_error_panic_hook",
    "fluent_bundle",
    "gloo",
    "idb",
    "js_sys",
    "pulldown_cmark",
    "std",
    "unic_langid",
    "wasm_bindgen",
    "wasm_bindgen_futures",
    "web_sys",
    "yew",
];
/// What belongs to a browser.
const BROWSER: [&str; 7] =
    ["gloo", "idb", "js_sys", "wasm_bindgen", "wasm_bindgen_futures", "web_sys", "yew"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below these places.
fn files(places: &[&str]) -> Vec<PathBuf> {
    let mut left: Vec<PathBuf> = places.iter().map(|p| root().join(p)).collect();
    let mut out = Vec::new();
    while let Some(f) = left.pop() {
        if f.is_dir() {
            left.extend(std::fs::read_dir(&f).unwrap().map(|e| e.unwrap().path()));
        } else if f.extension().is_some_and(|e| e == "rs") {
            out.push(f);
        }
    }
    out.sort();
    out
}

/// The crates that the package depends on, as code names them, and the library itself.
fn crates() -> Vec<String> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let mut out = vec!["steady".to_owned(), "std".to_owned(), "core".to_owned(), "alloc".to_owned()];
    let mut dependencies = false;
    for line in manifest.lines() {
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            dependencies = table.ends_with("dependencies");
            // A dependency may have a table of its own.
            out.extend(table.split_once("dependencies.").map(|(_, name)| name.replace('-', "_")));
        } else if let Some((name, _)) = line.split_once('=').filter(|_| dependencies) {
            let name = name.trim();
            if !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') {
                out.push(name.replace('-', "_"));
            }
        }
    }
    out
}

/// The paths that begin with a crate's name, with the segment after it, in a line of code.
fn paths<'l>(line: &'l str, crates: &[String]) -> Vec<(&'l str, &'l str)> {
    let code = line.split("//").next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = Vec::new();
    for (at, _) in code.match_indices("::") {
        let before = &code[..at];
        let start = before.rfind(|c: char| !is_name(c)).map_or(0, |i| i + 1);
        let name = &before[start..];
        // Neither a method nor a segment in the middle of a path.
        if before[..start].ends_with([':', '.']) || !crates.iter().any(|c| c == name) {
            continue;
        }
        let after = &code[at + 2..];
        let end = after.find(|c: char| !is_name(c)).unwrap_or(after.len());
        out.push((name, &after[..end]));
    }
    out
}

fn offences(files: &[PathBuf], allowed: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let crates = crates();
    let mut out = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).unwrap();
        for (i, line) in text.lines().enumerate() {
            for (name, next) in paths(line, &crates).into_iter().filter(|(name, next)| !allowed(name, next)) {
                let file = file.strip_prefix(root()).unwrap().display();
                out.push(format!("{file}:{}: {name}::{next}", i + 1));
            }
        }
    }
    out
}

#[test]
fn the_page_imports_nothing_of_the_library_but_the_engine() {
    let page = files(&["src/ui", "src/main.rs"]);
    assert!(page.len() > 40, "{}", page.len());
    let is_test = |file: &PathBuf| file.to_string_lossy().ends_with("tests.rs");
    let (tests, page): (Vec<_>, Vec<_>) = page.into_iter().partition(is_test);
    let of_page = |name: &str, next: &str| match name {
        "steady" => next == "engine",
        other => PAGE.contains(&other),
    };
    assert_eq!(offences(&page, of_page), Vec::<String>::new());
    let of_tests = |name: &str, next: &str| name == "proptest" || of_page(name, next);
    assert_eq!(offences(&tests, of_tests), Vec::<String>::new());
}

#[test]
fn the_engine_names_nothing_of_a_browser() {
    let library = files(&["src/engine", "src/session"]);
    assert!(library.len() > 40, "{}", library.len());
    assert_eq!(offences(&library, |name, _| !BROWSER.contains(&name)), Vec::<String>::new());
    // Nor does it reach up into the page.
    for file in library {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!text.contains("crate::ui"), "{}", file.display());
    }
}

#[test]
fn what_is_imported_is_found() {
    let crates = crates();
    for name in ["steady", "yew", "serde_json", "web_sys", "k8s_openapi", "imbl"] {
        assert!(crates.iter().any(|c| c == name), "{name}");
    }
    assert_eq!(paths("use steady::api::{Kind, Object};", &crates), [("steady", "api")]);
    assert_eq!(paths("    let x = steady::cluster::Cluster::new(&c);", &crates), [("steady", "cluster")]);
    assert_eq!(paths("use steady::{api, engine};", &crates), [("steady", "")]);
    assert_eq!(paths("use crate::ui::yew::x; // steady::api", &crates), []);
}
