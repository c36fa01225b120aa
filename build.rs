//! Prepares the scenarios' files and the list of lessons for the library. For the published page it also has the linker report which
//! data refers to which, because `crates/split/` cuts that page in two.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use serde_json::Value;

fn main() -> ExitCode {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=static/scenarios");
    println!("cargo:rerun-if-changed=static/lessons");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|is| is == value);
    // Only what is built for size is cut.
    if is("CARGO_CFG_TARGET_ARCH", "wasm32") && is("OPT_LEVEL", "z") {
        println!("cargo:rustc-link-arg-bin=steady=--emit-relocs");
    }
    match scenarios().and_then(|()| lessons()) {
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
    let mut code = String::from("const LISTED: &[Listed] = &[\n");
    for (file, mut value) in files("static/scenarios")? {
        // Plays are for tests.
        if let Some(fields) = value.as_object_mut() {
            fields.remove("plays");
        }
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        let title = text(&file, &value, "title")?;
        let _ = writeln!(code, "    Listed {{ id: {id:?}, title: {title}, json: {:?} }},", value.to_string());
    }
    code.push_str("];\n");
    write("scenarios.rs", &code)
}

/// Writes `LISTED`, which `src/lessons/mod.rs` includes: each file's name, title, idea, and the lessons before it.
fn lessons() -> Result<(), String> {
    let mut code = String::from("const LISTED: &[Listed] = &[\n");
    for (file, value) in files("static/lessons")? {
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        let (title, idea) = (text(&file, &value, "title")?, text(&file, &value, "idea")?);
        let after: Vec<&str> = value
            .get("after")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let _ =
            writeln!(code, "    Listed {{ id: {id:?}, title: {title}, idea: {idea}, after: &{after:?} }},");
    }
    code.push_str("];\n");
    write("lessons.rs", &code)
}

/// The YAML files of a folder, in the order of their names, each with what it contains.
fn files(folder: &str) -> Result<Vec<(PathBuf, Value)>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{folder}: {e}"))?;
    let mut files = entries
        .map(|entry| entry.map(|e| e.path()).map_err(|e| e.to_string()))
        .collect::<Result<Vec<_>, _>>()?;
    files.sort();
    let read = |file: PathBuf| {
        let why = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
        let text = fs::read_to_string(&file).map_err(|e| why(&e))?;
        let value = serde_yaml::from_str(&text).map_err(|e| why(&e))?;
        Ok((file, value))
    };
    files.into_iter().map(read).collect()
}

/// A field with a text in both languages, as an expression of Rust.
fn text(file: &Path, value: &Value, field: &str) -> Result<String, String> {
    let say = |lang: &str| {
        let said = value.get(field).and_then(|text| text.get(lang)).and_then(Value::as_str);
        said.ok_or_else(|| format!("{}: {field}.{lang}: there is no such text", file.display()))
    };
    Ok(format!("Text {{ en: {:?}, zh: {:?} }}", say("en")?, say("zh")?))
}

fn write(name: &str, code: &str) -> Result<(), String> {
    let out = env::var_os("OUT_DIR").map(PathBuf::from).ok_or("cargo names no OUT_DIR")?.join(name);
    fs::write(&out, code).map_err(|e| format!("{}: {e}", out.display()))
}
