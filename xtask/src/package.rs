//! The library as an npm package, and the content of a release: docs/releasing.md.

use std::fs;
use std::path::Path;

use crate::page::{self, Profile};
use crate::run::{Result, root, target_dir};
use crate::{flags, licences};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Writes the other files of the npm package: package.json, README, licences.
pub fn describe(pkg: &Path) -> Result<()> {
    write(&pkg.join("package.json"), &manifest())?;
    write(&pkg.join("licenses.txt"), &licences::of("steady-embed")?)?;
    for (from, to) in [
        ("crates/embed/README.md", "README.md"),
        ("crates/embed/steady-run.js", "steady-run.js"),
        ("crates/embed/steady-run.d.ts", "steady-run.d.ts"),
        ("LICENSE-MIT", "LICENSE-MIT"),
        ("LICENSE-APACHE", "LICENSE-APACHE"),
    ] {
        fs::copy(root().join(from), pkg.join(to)).map_err(|e| format!("{from}: {e}"))?;
    }
    Ok(())
}

fn manifest() -> String {
    format!(
        r#"{{
  "name": "steady-k8s",
  "version": "{VERSION}",
  "description": "Kubernetes' control plane as a value you can step, in WebAssembly",
  "keywords": ["kubernetes", "simulator", "controllers", "scheduler", "wasm"],
  "license": "MIT OR Apache-2.0",
  "type": "module",
  "main": "steady.js",
  "types": "steady.d.ts",
  "exports": {{
    ".": {{ "types": "./steady.d.ts", "default": "./steady.js" }},
    "./steady-run": {{ "types": "./steady-run.d.ts", "default": "./steady-run.js" }},
    "./steady_bg.wasm": "./steady_bg.wasm"
  }},
  "files": ["steady.js", "steady.d.ts", "steady_bg.wasm", "steady_bg.wasm.d.ts", "steady-run.js", "steady-run.d.ts", "licenses.txt", "LICENSE-*"]
}}
"#
    )
}

/// `cargo xtask release [vX.Y.Z] [--check]`: checks that the tag, the version and the changelog agree, then
/// builds the npm package and writes the release notes to `target/release.md`.
pub fn release(args: &[String]) -> Result<()> {
    let (tags, args): (Vec<_>, Vec<_>) = args.iter().cloned().partition(|arg| arg.starts_with('v'));
    flags(&args, &["--check"])?;
    if let Some(tag) = tags.iter().find(|tag| tag.strip_prefix('v') != Some(VERSION)) {
        return Err(format!("the tag is {tag} and the version in Cargo.toml is {VERSION}"));
    }
    let changelog =
        fs::read_to_string(root().join("CHANGELOG.md")).map_err(|e| format!("CHANGELOG.md: {e}"))?;
    let notes = section(&changelog, VERSION).ok_or_else(|| {
        format!("CHANGELOG.md has no section \"## [{VERSION}] - YYYY-MM-DD\" with something in it")
    })?;
    let file = target_dir().join("release.md");
    write(&file, &notes)?;
    println!("{VERSION}: the notes are in {}", file.display());
    if args.is_empty() { page::lib(Profile::Release) } else { Ok(()) }
}

/// The section of the changelog about a version; `None` if it has no date.
fn section(changelog: &str, version: &str) -> Option<String> {
    let heading = format!("## [{version}] - ");
    let mut lines = changelog.lines().skip_while(|line| !line.starts_with(&heading));
    let date = lines.next()?.strip_prefix(&heading)?;
    let digits = |(i, c): (usize, char)| if i == 4 || i == 7 { c == '-' } else { c.is_ascii_digit() };
    let body: Vec<_> = lines.take_while(|line| !line.starts_with("## ")).collect();
    let body = body.join("\n").trim().to_owned();
    (date.len() == 10 && date.chars().enumerate().all(digits) && !body.is_empty()).then(|| body + "\n")
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]
    use super::*;

    #[test]
    fn a_version_is_released_with_a_date_and_notes() {
        let changelog = "# Changelog\n\n## [Unreleased]\n\n- new\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- a\n\n\
                         ## [0.1.0] - soon\n\n- b\n\n## [0.0.1] - 2026-01-01\n";
        assert_eq!(section(changelog, "0.2.0").as_deref(), Some("### Added\n\n- a\n"));
        for version in ["0.1.0", "0.0.1", "0.3.0"] {
            assert_eq!(section(changelog, version), None, "{version}");
        }
    }

    #[test]
    fn the_changelog_has_a_place_for_what_comes() {
        let changelog = fs::read_to_string(root().join("CHANGELOG.md")).expect("CHANGELOG.md");
        assert!(changelog.contains("\n## [Unreleased]"));
    }
}
