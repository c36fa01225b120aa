//! The hook that Trunk calls after a build: it cuts the published page's wasm into two files, and names both
//! in `index.html`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use crate::module::Module;
use crate::profile::{Names, Profile, unhashed};
use crate::{Result, cut, data, mark};

/// The environment variable that asks for a page with marks instead of one that is cut.
pub const MARK: &str = "STEADY_MARK";
/// The cargo profile with which index.html builds the page, which is also the name of its folder.
const FOLDER: &str = "page";

/// Cuts or marks the page in Trunk's staging directory. A page for development is left as it is.
pub fn run(profile: &str) -> Result<()> {
    if profile != "release" {
        return Ok(());
    }
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let stage = variable("TRUNK_STAGING_DIR").ok_or("there is no TRUNK_STAGING_DIR")?;
    let source = variable("TRUNK_SOURCE_DIR").ok_or("there is no TRUNK_SOURCE_DIR")?;
    let target = variable("CARGO_TARGET_DIR").map_or_else(|| source.join("target"), |dir| source.join(dir));
    let linked = target.join("wasm32-unknown-unknown").join(FOLDER).join("steady.wasm");
    let index = stage.join("index.html");
    let html = text(&index)?;
    let name = attribute(&html, "data-wasm").ok_or("index.html names no data-wasm")?.to_owned();
    let wasm = stage.join(&name);
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
    // Both files have the hash of both in their names, so that a file is never used with that of another
    // build.
    let hash = fnv(read(&first)?.iter().chain(&read(&second)?));
    let names = [format!("steady-{hash:016x}_bg.wasm"), format!("steady-{hash:016x}_second.wasm")];
    let [as_first, as_second] = &names;
    std::fs::remove_file(&wasm)?;
    std::fs::rename(first, stage.join(as_first))?;
    std::fs::rename(second, stage.join(as_second))?;
    let old = name.trim_start_matches("./");
    let html = html.replace(old, as_first);
    let named = format!("data-wasm=\"./{as_first}\"");
    if !html.contains(&named) {
        return Err("index.html does not name the wasm as it did".into());
    }
    write(&index, html.replace(&named, &format!("{named} data-second=\"./{as_second}\"")).as_bytes())
}

/// Functions sorted by name are next to similar ones, which compresses better: see "Size" in
/// docs/benchmarks.md.
fn optimise(file: &Path) -> Result<Child> {
    let program = if cfg!(windows) { "wasm-opt.cmd" } else { "wasm-opt" };
    let mut command = Command::new(program);
    command.args(["-O2", "--reorder-functions-by-name"]).arg(file).arg("-o").arg(file);
    command.spawn().map_err(|e| format!("cannot run wasm-opt: {e}").into())
}

fn attribute<'a>(html: &'a str, name: &str) -> Option<&'a str> {
    html.split_once(&format!("{name}=\""))?.1.split('"').next()
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
