//! Cuts the wasm of the page and that of its engine in two: what opening the page and the first step run, and all else, which is
//! loaded after that.
//!
//! Trunk calls this program after every build (Trunk.toml). `cargo xtask split` lets it mark functions
//! instead, to learn which of them open the page.

mod cut;
mod data;
mod emit;
mod hook;
mod live;
mod mark;
mod module;
mod plan;
mod points;
mod profile;
mod region;

use std::path::Path;
use std::process::ExitCode;

use module::Module;
use profile::{Names, Profile};

/// An error with a text for the person who builds.
pub type Error = Box<dyn std::error::Error>;
/// The result of every function that can fail here.
pub type Result<T> = std::result::Result<T, Error>;

const USAGE: &str = "\
steady-split
    what Trunk calls: cuts the page that it has built, and its engine
steady-split profile OPEN ALL FIRST SECOND
    writes the files of the functions that open the page and of all others, from their names, one in a line; with a function
    that opens it may stand what was reached of it
steady-split mark WASM MARKED NAMES
    writes a module that marks what runs, and what it marks
steady-split cut LINKED WASM NAMES FIRST SECOND
    cuts one module; those of its functions stay first that the file names, and LINKED is what the linker wrote";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        [] => {
            std::env::var("TRUNK_PROFILE").map_err(|_| USAGE.into()).and_then(|profile| hook::run(&profile))
        }
        ["profile", open, all, first, second] => profile(open, all, [first, second]),
        ["mark", wasm, marked, names] => hook::mark([wasm, marked, names].map(Path::new)),
        ["cut", linked, wasm, names, first, second] => cut(linked, wasm, names, [first, second]),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn profile(open: &str, all: &str, [first, second]: [&str; 2]) -> Result<()> {
    let [open, all] = [open, all].map(|file| hook::text(Path::new(file)).map(|text| Names::of(&text)));
    let (open, all) = (open?, all?);
    hook::write(Path::new(first), open.write("Functions that open the page").as_bytes())?;
    hook::write(Path::new(second), all.without(&open).write("All other functions of the page").as_bytes())
}

fn cut(linked: &str, wasm: &str, names: &str, [first, second]: [&str; 2]) -> Result<()> {
    let bytes = hook::read(Path::new(wasm))?;
    let module = Module::parse(&bytes)?;
    let linked = data::References::read(&hook::read(Path::new(linked))?)?;
    let profile = Profile { first: Names::of(&hook::text(Path::new(names))?), second: None };
    let parts = cut::cut(&module, &linked, &profile.of(&module))?;
    hook::write(Path::new(first), &parts.first)?;
    hook::write(Path::new(second), &parts.second)
}
