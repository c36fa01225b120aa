//! The hook that Trunk calls after a build: it cuts the wasm of the published page's engine into two files, and names both
//! in `index.html`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use crate::module::Module;
use crate::profile::{Names, Profile, unhashed};
use crate::{Result, cut, data, mark};

/// The environment variable that asks for an engine with marks instead of one that is cut.
pub const MARK: &str = "STEADY_MARK";
/// The cargo profile with which index.html builds the page, which is also the name of its folder.
const FOLDER: &str = "page";
/// The program with the engine: crates/worker.
const NAME: &str = "steady-worker";
/// Where index.html names the files of the page.
const BOOT: &str = " id=\"boot\"";

/// Cuts or marks the engine's wasm in Trunk's staging directory. That of a page for development is left as it is.
pub fn run(profile: &str) -> Result<()> {
    if profile != "release" {
        return Ok(());
    }
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let stage = variable("TRUNK_STAGING_DIR").ok_or("there is no TRUNK_STAGING_DIR")?;
    let source = variable("TRUNK_SOURCE_DIR").ok_or("there is no TRUNK_SOURCE_DIR")?;
    let target = variable("CARGO_TARGET_DIR").map_or_else(|| source.join("target"), |dir| source.join(dir));
    let linked = target.join("wasm32-unknown-unknown").join(FOLDER).join(format!("{NAME}.wasm"));
    let index = stage.join("index.html");
    let html = text(&index)?;
    let wasm = stage.join(format!("{NAME}_bg.wasm"));
    let bytes = read(&wasm)?;
    let module = Module::parse(&bytes)?;
    if variable(MARK).is_some() {
        write(&wasm, &mark::mark(&module)?)?;
        let names: Vec<_> = module.defined().map(|(function, _)| unhashed(module.name(function))).collect();
        return write(&stage.join("marks.txt"), names.join("\n").as_bytes());
    }
    let names =
        |file: &str| Ok::<_, crate::Error>(Names::read(&text(&source.join("crates/split").join(file))?));
    let profile = Profile { first: names("first.txt")?, second: Some(names("second.txt")?) };
    let linked = data::References::read(&read(&linked)?)?;
    let parts = cut::cut(&module, &linked, |function| profile.opens(module.name(function)))?;
    let [stay, leave, stubs] = parts.counts;
    println!("the first part has {stay} functions and {stubs} stubs for the {leave} of the second");

    let (first, second) = (stage.join("first.wasm"), stage.join("second.wasm"));
    write(&first, &parts.first)?;
    write(&second, &parts.second)?;
    let optimising = [optimise(&first)?, optimise(&second)?];
    for mut child in optimising {
        let status = child.wait()?;
        if !status.success() {
            return Err(format!("wasm-opt failed ({status})").into());
        }
    }
    // All files have the hash of all in their names, so that a file is never used with that of another build.
    let js = stage.join(format!("{NAME}.js"));
    let hash = fnv(read(&js)?.iter().chain(&read(&first)?).chain(&read(&second)?));
    let named = |rest: &str| format!("{NAME}-{hash:016x}{rest}");
    let names = [named(".js"), named("_bg.wasm"), named("_second.wasm")];
    let [as_js, as_first, as_second] = &names;
    // The whole stays beside the parts: static/boot.js takes it if an engine in parts cannot be had.
    std::fs::copy(js, stage.join(as_js))?;
    std::fs::rename(first, stage.join(as_first))?;
    std::fs::rename(second, stage.join(as_second))?;
    if html.matches(BOOT).count() != 1 {
        return Err(format!("index.html has not one script with{BOOT}").into());
    }
    // static/boot.js reads these.
    let data = format!(
        "{BOOT} data-engine-js=\"./{as_js}\" data-engine-wasm=\"./{as_first}\" data-engine-second=\"./{as_second}\""
    );
    write(&index, html.replace(BOOT, &data).as_bytes())
}

/// Functions sorted by name are next to similar ones, which compresses better: see "Size" in
/// docs/benchmarks.md.
fn optimise(file: &Path) -> Result<Child> {
    let program = if cfg!(windows) { "wasm-opt.cmd" } else { "wasm-opt" };
    let mut command = Command::new(program);
    command.args(["-O2", "--reorder-functions-by-name"]).arg(file).arg("-o").arg(file);
    command.spawn().map_err(|e| format!("cannot run wasm-opt: {e}").into())
}

/// The 64-bit FNV-1a hash of some bytes.
pub fn fnv<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Reads a file's bytes. The error names the file.
pub fn read(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()).into())
}

/// Reads a file's text. The error names the file.
pub fn text(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()).into())
}

/// Writes a file. The error names the file.
pub fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(file, bytes).map_err(|e| format!("{}: {e}", file.display()).into())
}
