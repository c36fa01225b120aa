//! Prepares the scenarios' files for the library. For the published page it also has the linker report which
//! data refers to which, because `crates/split/` cuts that page in two.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use serde_json::Value;

fn main() -> ExitCode {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=static/scenarios");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|is| is == value);
    // Only what is built for size is cut.
    if is("CARGO_CFG_TARGET_ARCH", "wasm32") && is("OPT_LEVEL", "z") {
        println!("cargo:rustc-link-arg-bin=steady=--emit-relocs");
    }
    match scenarios() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cargo::error={why}");
            ExitCode::FAILURE
        }
    }
}

/// Writes `LISTED`, which `src/session/scenario/mod.rs` includes: each file's name, title, and the file as
/// JSON without its plays. Only what the list needs is checked here; a test checks that each file is a scenario.
fn scenarios() -> Result<(), String> {
    let folder = Path::new("static/scenarios");
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files = entries
        .map(|entry| entry.map(|e| e.path()).map_err(|e| e.to_string()))
        .collect::<Result<Vec<_>, _>>()?;
    files.sort();
    let mut code = String::from("const LISTED: &[Listed] = &[\n");
    for file in files {
        let why = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
        let text = fs::read_to_string(&file).map_err(|e| why(&e))?;
        let mut value: Value = serde_yaml::from_str(&text).map_err(|e| why(&e))?;
        // Plays are for tests.
        if let Some(fields) = value.as_object_mut() {
            fields.remove("plays");
        }
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        let title = |lang: &str| {
            let title = value.get("title").and_then(|title| title.get(lang)).and_then(Value::as_str);
            title.ok_or_else(|| why(&format!("title.{lang}: there is no such text")))
        };
        let _ = writeln!(
            code,
            "    Listed {{ id: {id:?}, title: Text {{ en: {:?}, zh: {:?} }}, json: {:?} }},",
            title("en")?,
            title("zh")?,
            value.to_string()
        );
    }
    code.push_str("];\n");
    let out = env::var_os("OUT_DIR").map(PathBuf::from).ok_or("cargo names no OUT_DIR")?.join("scenarios.rs");
    fs::write(&out, code).map_err(|e| format!("{}: {e}", out.display()))
}
