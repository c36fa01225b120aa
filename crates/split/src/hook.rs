//! The hook that Trunk calls after a build: it cuts the wasm of the published page and that of its engine into two files each,
//! and names all of them in `index.html`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use crate::module::Module;
use crate::profile::{Names, Profile};
use crate::{Result, cut, data, mark};

/// The environment variable that asks for wasm with marks instead of one that is cut.
pub const MARK: &str = "STEADY_MARK";
/// The cargo profile with which index.html builds the page, which is also the name of its folder.
const FOLDER: &str = "page";
/// Where index.html names the files of the page.
const BOOT: &str = " id=\"boot\"";

/// A program that is cut.
struct Cut {
    /// The binary's name.
    program: &'static str,
    /// The folder of `crates/split` with its lists.
    lists: &'static str,
    /// What the attributes in `index.html` begin with that name its files.
    attributes: &'static str,
    /// Whether the whole stays beside the parts: static/boot.js takes the engine whole if its parts cannot be had.
    keeps_whole: bool,
}

const CUTS: [Cut; 2] = [
    Cut { program: "steady", lists: "page", attributes: "data-", keeps_whole: false },
    Cut { program: "steady-worker", lists: "engine", attributes: "data-engine-", keeps_whole: true },
];

/// The directories of a build.
struct Dirs {
    stage: PathBuf,
    source: PathBuf,
    /// With what the linker wrote.
    linked: PathBuf,
}

/// Cuts or marks the wasm in Trunk's staging directory. That of a page for development is left as it is.
pub fn run(profile: &str) -> Result<()> {
    if profile != "release" {
        return Ok(());
    }
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let stage = variable("TRUNK_STAGING_DIR").ok_or("there is no TRUNK_STAGING_DIR")?;
    let source = variable("TRUNK_SOURCE_DIR").ok_or("there is no TRUNK_SOURCE_DIR")?;
    let target = variable("CARGO_TARGET_DIR").map_or_else(|| source.join("target"), |dir| source.join(dir));
    let dirs = Dirs { stage, source, linked: target.join("wasm32-unknown-unknown").join(FOLDER) };
    let index = dirs.stage.join("index.html");
    let mut html = text(&index)?;
    if html.matches(BOOT).count() != 1 {
        return Err(format!("index.html has not one script with{BOOT}").into());
    }
    if variable(MARK).is_some() {
        for cut in &CUTS {
            let (_, wasm) = cut.built(&html);
            let wasm = dirs.stage.join(wasm);
            let marks = dirs.stage.join(format!("marks-{}.txt", cut.lists));
            self::mark([&wasm, &wasm, &marks])?;
        }
        return Ok(());
    }
    for cut in &CUTS {
        cut.parts(&dirs, &html)?;
    }
    // All files have the hash of all in their names, so that a file is never used with that of another build.
    let mut all = Vec::new();
    for cut in &CUTS {
        let (js, _) = cut.built(&html);
        for file in [js, cut.part("first"), cut.part("second")] {
            all.extend(read(&dirs.stage.join(file))?);
        }
    }
    let hash = fnv(&all);
    for cut in &CUTS {
        html = cut.name(&dirs, &html, hash)?;
    }
    write(&index, html.as_bytes())
}

/// Writes a module with marks, and what has marks: in each line a function's name, the print of its shape, and how many points it
/// has.
pub fn mark([wasm, marked, names]: [&Path; 3]) -> Result<()> {
    let bytes = read(wasm)?;
    let (module, functions) = mark::mark(&Module::parse(&bytes)?)?;
    write(marked, &module)?;
    let line = |of: &mark::Marked| format!("{}\t{:08x}\t{}", of.name, of.print, of.points);
    let lines: Vec<_> = functions.iter().map(line).collect();
    write(names, lines.join("\n").as_bytes())
}

impl Cut {
    /// The JavaScript and the wasm as Trunk has named them: those of the page with their hashes, which index.html knows.
    fn built(&self, html: &str) -> (String, String) {
        let named = |attribute: &str| {
            let (_, after) = html.split_once(&format!(" {}{attribute}=\"./", self.attributes))?;
            after.split('"').next().map(str::to_owned)
        };
        let program = self.program;
        (
            named("js").unwrap_or_else(|| format!("{program}.js")),
            named("wasm").unwrap_or_else(|| format!("{program}_bg.wasm")),
        )
    }

    /// The file of a part while it has no hash.
    fn part(&self, which: &str) -> String {
        format!("{}.{which}.wasm", self.lists)
    }

    /// Cuts it.
    fn parts(&self, dirs: &Dirs, html: &str) -> Result<()> {
        let lists = dirs.source.join("crates/split").join(self.lists);
        let names = |file: &str| Ok::<_, crate::Error>(Names::read(&text(&lists.join(file))?));
        let profile = Profile { first: names("first.txt")?, second: Some(names("second.txt")?) };
        let linked = data::References::read(&read(&dirs.linked.join(format!("{}.wasm", self.program)))?)?;
        let bytes = read(&dirs.stage.join(self.built(html).1))?;
        let module = Module::parse(&bytes)?;
        let parts = cut::cut(&module, &linked, &profile.of(&module))?;
        let [stay, leave, stubs, regions] = parts.counts;
        println!(
            "{}: the first part has {stay} functions and {stubs} stubs for the {leave} of the second, which has {regions} parts of functions, too",
            self.lists
        );
        let files = ["first", "second"].map(|which| dirs.stage.join(self.part(which)));
        for (file, bytes) in files.iter().zip([&parts.first, &parts.second]) {
            write(file, bytes)?;
        }
        let [first, second] = &files;
        for mut child in [optimise(first)?, optimise(second)?] {
            let status = child.wait()?;
            if !status.success() {
                return Err(format!("wasm-opt failed ({status})").into());
            }
        }
        Ok(())
    }

    /// Gives its files their names, and writes these into `index.html`, where static/boot.js reads them.
    fn name(&self, dirs: &Dirs, html: &str, hash: u64) -> Result<String> {
        let named = |rest: &str| format!("{}-{hash:016x}{rest}", self.program);
        let (js, wasm) = self.built(html);
        let names = [named(".js"), named("_bg.wasm"), named("_second.wasm")];
        for (from, to) in [&js, &self.part("first"), &self.part("second")].into_iter().zip(&names) {
            std::fs::copy(dirs.stage.join(from), dirs.stage.join(to))?;
        }
        let mut old = vec![self.part("first"), self.part("second")];
        if !self.keeps_whole {
            old.extend([js.clone(), wasm.clone()]);
        }
        for file in old {
            std::fs::remove_file(dirs.stage.join(file))?;
        }
        let attribute = |what: &str, file: &str| format!(" {}{what}=\"./{file}\"", self.attributes);
        let html = html.replace(&attribute("js", &js), "").replace(&attribute("wasm", &wasm), "");
        let [js, first, second] = &names;
        let all = [attribute("js", js), attribute("wasm", first), attribute("second", second)].concat();
        Ok(html.replace(BOOT, &format!("{BOOT}{all}")))
    }
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
