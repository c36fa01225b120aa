//! Building the page with Trunk, and the library as a module.

use std::path::Path;
use std::process::{Child, Command};

use crate::run::{Result, cargo, command, root, run, script, target_dir};
use crate::tools::{self, WASM};
use crate::{SCHEMA_PROGRAM, bench, licences, package};

/// How the page or the library is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Builds quickly; the result is large and slow.
    Dev,
    /// As it is published.
    Release,
}

/// The environment variable by which cargo gets flags for rustc.
const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";
/// Cargo's profile of what runs in a browser in tests and while somebody works on the page.
pub const QUICK: &str = "quick";
/// Symbol names that differ for different instances of a generic function: `crates/split/` needs them.
const NAMES: &str = "-Csymbol-mangling-version=v0";

/// Builds the page into `dist/`, with the program that writes the schema if that is built already.
pub fn build(profile: Profile, schema: Option<&Path>) -> Result<()> {
    let mut trunk = trunk("build", profile)?;
    trunk.envs(schema.map(|program| (SCHEMA_PROGRAM, program)));
    run(&mut trunk)?;
    if profile == Profile::Release {
        // Appended to what editor/build.mjs has written about the npm packages.
        let file = root().join("dist/licenses.txt");
        let why = |e| format!("{}: {e}", file.display());
        let npm = std::fs::read_to_string(&file).map_err(why)?;
        let (page, explorer) = (licences::of("steady")?, licences::of("steady-worker")?);
        std::fs::write(&file, [npm, page, explorer].join("\n\n----\n\n")).map_err(why)?;
        // Not as a debug build, in which compressing takes minutes.
        let dist = root().join("dist");
        run(cargo().args(["run", "--quiet", "--release", "--package", "steady-pack", "--"]).arg(&dist))?;
    }
    Ok(())
}

/// Cuts the wasm of the page that Trunk has just built, if it is to be published. crates/split is optimised for that, as a debug
/// build would take minutes; a page for development does not need it.
pub fn cut() -> Result<()> {
    if std::env::var("TRUNK_PROFILE").as_deref() != Ok("release") {
        return Ok(());
    }
    run(cargo().args(["run", "--quiet", "--release", "--package", "steady-split"]))
}

/// Rebuilds the page whenever a file changes, until the process ends.
pub fn watch(profile: Profile) -> Result<Child> {
    trunk("watch", profile)?.spawn().map_err(|e| format!("cannot run trunk: {e}"))
}

/// Builds the page with marks, uses it as a person does who opens it for the first time, and writes the lists of what ran of
/// the page and of its engine.
pub fn profile() -> Result<()> {
    run(trunk("build", Profile::Release)?.env("STEADY_MARK", "1"))?;
    let target = target_dir().display().to_string();
    bench::with_page("crates/split/profile.mjs", &[&target])?;
    for part in ["page", "engine"] {
        run(cargo()
            .args(["run", "--quiet", "--release", "--package", "steady-split", "--", "profile"])
            .args([format!("{target}/opening-{part}.txt"), format!("dist/marks-{part}.txt")])
            .args(["first", "second"].map(|list| format!("crates/split/{part}/{list}.txt"))))?;
    }
    Ok(())
}

fn trunk(verb: &str, profile: Profile) -> Result<Command> {
    let mut trunk = command("trunk");
    trunk.arg(verb).env("PATH", tools::build_path()?).env("TRUNK_SKIP_VERSION_CHECK", "true");
    // Trunk refuses the values that other programs accept for this variable.
    trunk.env_remove("NO_COLOR");
    match profile {
        Profile::Dev => trunk.args(["--cargo-profile", QUICK]),
        Profile::Release => trunk.arg("--release").env(FLAGS, NAMES),
    };
    Ok(trunk)
}

/// Builds the library as an ES module into `pkg/`.
pub fn lib(profile: Profile) -> Result<()> {
    let release = profile == Profile::Release;
    let path = tools::build_path()?;
    let pkg = root().join("pkg");
    let mut build = cargo();
    build.args(["build", "--package", "steady-embed", "--lib", "--target", WASM]);
    // The same profile and flags as for the page, so that what both use is compiled once.
    let folder = if release { "page" } else { QUICK };
    build.args(["--profile", folder]);
    if release {
        build.env(FLAGS, NAMES);
    }
    run(&mut build)?;
    let wasm = target_dir().join(WASM).join(folder).join("steady_embed.wasm");
    run(command("wasm-bindgen")
        .args(["--target", "web", "--out-name", "steady", "--out-dir"])
        .arg(&pkg)
        .arg(wasm)
        .env("PATH", &path))?;
    let wasm = pkg.join("steady_bg.wasm");
    if release {
        run(command(script("wasm-opt"))
            .args(["-O2", "--reorder-functions-by-name"])
            .arg(&wasm)
            .arg("-o")
            .arg(&wasm)
            .env("PATH", &path))?;
    }
    package::describe(&pkg)?;
    let size = std::fs::metadata(&wasm).map_err(|e| format!("{}: {e}", wasm.display()))?.len();
    println!("\npkg/steady.js and pkg/steady_bg.wasm ({} KB)", size / 1000);
    Ok(())
}
