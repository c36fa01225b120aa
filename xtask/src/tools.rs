//! The tools that a build needs, in versions that fit each other. A tool on PATH is used if it has this
//! version; otherwise it is built from source once for each machine, into the user's cache.

use std::path::PathBuf;

use crate::run::{Result, cargo, command, find, output, path_with, root, run, script};

/// A tool that cargo installs.
pub struct Tool {
    package: &'static str,
    version: &'static str,
    /// The names of its programs. The first one reports the version.
    programs: &'static [&'static str],
    /// The profile with which it is built. These tools run for seconds at most, so building them quickly
    /// matters more.
    profile: &'static [(&'static str, &'static str)],
    /// How long building takes on two cores.
    takes: &'static str,
}

/// Trunk, which bundles the page.
pub const TRUNK: Tool = Tool {
    package: "trunk",
    version: "0.21.14",
    programs: &["trunk"],
    profile: &[
        ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
        ("CARGO_PROFILE_RELEASE_LTO", "off"),
        ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ],
    takes: "about 3 minutes",
};

/// wasm-bindgen's command line, which makes a module of the wasm and runs its tests in a browser. It
/// processes the whole wasm file, so some optimisation is worth it.
pub const WASM_BINDGEN: Tool = Tool {
    package: "wasm-bindgen-cli",
    version: "0.2.129",
    programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
    profile: &[
        ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
        ("CARGO_PROFILE_RELEASE_LTO", "off"),
        ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ],
    takes: "about 2 minutes",
};

/// The target for which the page is built.
pub const WASM: &str = "wasm32-unknown-unknown";

impl Tool {
    /// Installs the tool if needed. Returns the directory of its programs for PATH; `None` if they are on
    /// PATH already.
    pub fn ensure(&self) -> Result<Option<PathBuf>> {
        if self.on_path() {
            return Ok(None);
        }
        let home = cache()?.join(format!("{}-{}", self.package, self.version));
        let bin = home.join("bin");
        let exe = |program: &&str| bin.join(format!("{program}{}", std::env::consts::EXE_SUFFIX)).is_file();
        if !self.programs.iter().all(exe) {
            println!(
                "Building {} {} into {} ({}, once on this machine)",
                self.package,
                self.version,
                home.display(),
                self.takes
            );
            run(cargo()
                .args(["install", self.package, "--version", self.version, "--locked", "--root"])
                .arg(&home)
                .envs(self.profile.iter().copied()))?;
        }
        Ok(Some(bin))
    }

    fn on_path(&self) -> bool {
        self.programs.iter().all(|program| find(program).is_some())
            && self
                .programs
                .first()
                .and_then(|program| output(command(program).arg("--version")))
                .is_some_and(
                    // The output is `trunk 0.21.14`.
                    |said| said.split_whitespace().nth(1) == Some(self.version),
                )
    }
}

/// PATH with all programs that a build of the page needs.
pub fn build_path() -> Result<std::ffi::OsString> {
    wasm_target()?;
    let mut dirs = vec![npm_bin()?];
    dirs.extend(TRUNK.ensure()?);
    dirs.extend(WASM_BINDGEN.ensure()?);
    path_with(&dirs)
}

/// Installs the wasm target for the present toolchain, if it is missing.
pub fn wasm_target() -> Result<()> {
    let sysroot = output(command("rustc").args(["--print", "sysroot"])).ok_or("rustc cannot be run")?;
    if PathBuf::from(sysroot).join("lib/rustlib").join(WASM).join("lib").is_dir() {
        return Ok(());
    }
    if find("rustup").is_none() {
        return Err(format!(
            "this Rust has no {WASM} target, and there is no rustup to add it: install Rust from https://rustup.rs"
        ));
    }
    run(command("rustup").args(["target", "add", WASM]))
}

/// Installs the packages of package-lock.json if it has changed. Returns the directory of their programs.
pub fn npm_bin() -> Result<PathBuf> {
    let node = output(command("node").arg("--version")).ok_or("Node is missing: install Node 20 or newer")?;
    let major: u32 = node.trim_start_matches('v').split('.').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    if major < 20 {
        return Err(format!("Node {node} is too old: install Node 20 or newer"));
    }
    let modules = root().join("node_modules");
    let lock =
        std::fs::read(root().join("package-lock.json")).map_err(|e| format!("package-lock.json: {e}"))?;
    let stamp = modules.join(".steady-installed");
    if std::fs::read(&stamp).ok().as_deref() != Some(&lock) {
        run(command(script("npm")).args(["ci", "--no-audit", "--no-fund"]))?;
        std::fs::write(&stamp, lock).map_err(|e| format!("{}: {e}", stamp.display()))?;
    }
    Ok(modules.join(".bin"))
}

/// The user's cache directory for this repository, for example `~/.cache/steady`.
fn cache() -> Result<PathBuf> {
    let from = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    from("XDG_CACHE_HOME")
        .or_else(|| from("LOCALAPPDATA"))
        .or_else(|| from("HOME").map(|home| home.join(".cache")))
        .map(|dir| dir.join("steady"))
        .ok_or_else(|| "there is no HOME: set XDG_CACHE_HOME to a directory for built tools".to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]
    use super::*;

    /// The versions are in several files, because several programs read them.
    #[test]
    fn the_pins_agree() {
        let read = |name: &str| std::fs::read_to_string(root().join(name)).expect(name);
        let bindgen = format!("wasm-bindgen = \"={}\"", WASM_BINDGEN.version);
        assert!(read("Cargo.toml").contains(&bindgen), "Cargo.toml: {bindgen}");
        let trunk = read("Trunk.toml");
        assert!(trunk.contains(&format!("wasm_bindgen = \"{}\"", WASM_BINDGEN.version)), "Trunk.toml");
        let opt = trunk.split("wasm_opt = \"version_").nth(1).and_then(|rest| rest.split('"').next());
        let opt = opt.expect("Trunk.toml names wasm_opt");
        assert!(
            read("package.json").contains(&format!("\"binaryen\": \"{opt}.")),
            "package.json: binaryen {opt}"
        );
    }
}
