//! Whether the repository fits `kubernetes.toml`. Needs neither network nor Kubernetes' sources.
#![allow(clippy::expect_used)]

use std::path::{Path, PathBuf};

use steady_generate::lock;
use steady_generate::pin::Pins;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All files below a directory whose names end with `end`.
fn files(directory: &Path, end: &str, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, end, found);
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
}

/// Whether a line has the version: `1.20` is in `v1.20.3`, and neither in `1.201` nor in `21.20`.
fn names(line: &str, version: &str) -> bool {
    line.match_indices(version).any(|(at, found)| {
        let number = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        !number(line[..at].chars().next_back()) && !number(line[at + found.len()..].chars().next())
    })
}

#[test]
fn tables_fit_their_sources() {
    if let Err(why) = lock::check(&root()) {
        panic!("\n{why}");
    }
}

#[test]
fn the_structs_are_those_of_the_release() {
    let minor = Pins::read(&root()).and_then(|pins| pins.minor()).expect("kubernetes.toml");
    let feature = format!("features = [\"v1_{minor}\"]");
    let manifest = read(&root().join("Cargo.toml"));
    let line = manifest.lines().find(|line| line.starts_with("k8s-openapi ")).expect("k8s-openapi");
    assert!(
        line.contains(&feature),
        "Cargo.toml: k8s-openapi wants {feature}, for kubernetes.toml says 1.{minor}"
    );
}

/// Code asks `api::release`. What may be said is since when something is, and tags of images.
#[test]
fn no_code_names_the_release() {
    let minor = Pins::read(&root()).and_then(|pins| pins.minor()).expect("kubernetes.toml");
    let version = format!("1.{minor}");
    let lock = read(&root().join(lock::FILE));
    let mut found = Vec::new();
    for directory in ["src", "crates", "xtask", "tests", "examples", "benches"] {
        files(&root().join(directory), ".rs", &mut found);
    }
    let mut said = Vec::new();
    for file in found {
        let name = file.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
        if lock.contains(&format!("\"{name}\"")) && name.starts_with("src/") {
            continue;
        }
        let text = read(&file);
        for (line, at) in text.lines().zip(1..) {
            let since = line.to_lowercase().contains(&format!("since {version}"));
            let image = line.contains(&format!(":{version}"));
            if names(line, &version) && !since && !image {
                said.push(format!("{name}:{at}: {}", line.trim()));
            }
        }
    }
    assert!(said.is_empty(), "ask api::release instead:\n{}", said.join("\n"));
}

#[test]
fn documents_name_the_release() {
    let pins = Pins::read(&root()).expect("kubernetes.toml");
    let minor = pins.minor().expect("kubernetes.toml");
    let fidelity = read(&root().join("docs/fidelity.md"));
    let measure = format!(
        "The measure is Kubernetes {} (API server, controller-manager, scheduler) and kubectl {}.",
        pins.version, pins.kubectl
    );
    assert!(fidelity.contains(&measure), "docs/fidelity.md wants: {measure}");
    let mut found =
        vec![root().join("README.md"), root().join("ARCHITECTURE.md"), root().join("CONTRIBUTING.md")];
    files(&root().join("docs"), ".md", &mut found);
    for file in found {
        let text = read(&file);
        for (line, at) in text.lines().zip(1..) {
            let Some((_, rest)) = line.split_once("Kubernetes 1.") else { continue };
            let named: String = rest.chars().take_while(char::is_ascii_digit).collect();
            assert_eq!(named, minor.to_string(), "{}:{at}: {line}", file.display());
        }
    }
}
