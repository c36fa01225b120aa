//! Prepares the scenarios' files, the list of lessons, the rule book and the glossary for the library.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use serde_json::Value;

fn main() -> ExitCode {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|is| is == value);
    if is("CARGO_CFG_TARGET_ARCH", "wasm32") && is("OPT_LEVEL", "z") {
        // The page that is published is cut in two by crates/split, as crates/worker/build.rs says of the engine.
        println!("cargo:rustc-link-arg-bins=--emit-relocs");
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=static/scenarios");
    println!("cargo:rerun-if-changed=static/lessons");
    println!("cargo:rerun-if-changed=static/rules.yaml");
    println!("cargo:rerun-if-changed=static/glossary.yaml");
    match with_rules() {
        // The rule book has the lines of the code.
        Ok(places) => places.iter().for_each(|place| println!("cargo:rerun-if-changed={}", place.display())),
        Err(why) => println!("cargo::error={why}"),
    }
    match scenarios().and_then(|()| lessons()).and_then(|()| rules()).and_then(|()| glossary()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cargo::error={why}");
            ExitCode::FAILURE
        }
    }
}

/// The rooms in which no rule stands.
const WITHOUT_RULES: [&str; 4] = ["ui", "engine", "lessons", "session"];

/// The rooms whose code has the rules. A change of the others does not make the tables anew, which would compile the whole
/// library again.
fn with_rules() -> Result<Vec<PathBuf>, String> {
    let why = |e: std::io::Error| format!("src: {e}");
    let entries = fs::read_dir("src").map_err(why)?.collect::<Result<Vec<_>, _>>().map_err(why)?;
    let has = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name != "main.rs" && !WITHOUT_RULES.contains(&&*name)
    };
    Ok(entries.into_iter().map(|e| e.path()).filter(has).collect())
}

/// Writes what `src/session/scenario/mod.rs` includes: `LISTED` with each file's name and title, and the files as
/// JSON without their plays, the first one apart. Only what the list needs is checked here; a test checks that each file is a scenario.
fn scenarios() -> Result<(), String> {
    let (mut code, mut files_of) = (String::from("const LISTED: &[Listed] = &[\n"), Vec::new());
    for (number, (file, mut value)) in files("static/scenarios")?.into_iter().enumerate() {
        // Plays are for tests.
        if let Some(fields) = value.as_object_mut() {
            fields.remove("plays");
        }
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        let title = text(&file, &value, "title")?;
        let _ = writeln!(code, "    Listed {{ id: {id:?}, title: {title}, number: {number} }},");
        files_of.push(value.to_string());
    }
    let (first, later) = files_of.split_first().ok_or("there is no scenario")?;
    let _ = writeln!(code, "];\nconst FIRST: &str = {first:?};\nconst LATER: &[&str] = &{later:?};");
    write("scenarios.rs", &code)
}

/// Writes `LISTED`, which `src/lessons/mod.rs` includes: each file's name, title, idea, and the lessons before it.
fn lessons() -> Result<(), String> {
    let mut code = String::from("const LISTED: &[Listed] = &[\n");
    let mut all = files("static/lessons")?;
    // The tenth lesson of a chapter comes after the ninth.
    all.sort_by_key(|(file, _)| numbers(file));
    for (file, value) in all {
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

/// The numbers of the chapter and of the lesson in it, with which the name of a lesson's file begins.
fn numbers(file: &Path) -> Vec<u32> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    name.split('-').next().unwrap_or_default().split('.').filter_map(|n| n.parse().ok()).collect()
}

/// Writes `BOOK`, which `src/session/view/rules.rs` includes: each rule with the places in the code where its name stands.
fn rules() -> Result<(), String> {
    let file = Path::new("static/rules.yaml");
    let chapters = list(file)?;
    let rules_of =
        |chapter: &Value| chapter.get("rules").and_then(Value::as_array).cloned().unwrap_or_default();
    let name_of = |rule: &Value| rule.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut places: BTreeMap<String, Vec<Found>> =
        chapters.iter().flat_map(rules_of).map(|rule| (name_of(&rule), Vec::new())).collect();
    look_for(Path::new("src"), &mut places)?;
    let mut code = String::from("const BOOK: &[Chapter] = &[\n");
    for chapter in &chapters {
        let by = texts(chapter, "by");
        let _ = writeln!(code, "    Chapter {{ by: &{by:?}, rules: &[");
        for rule in rules_of(chapter) {
            let name = name_of(&rule);
            let found = places.get(&name).map(Vec::as_slice).unwrap_or_default();
            // A name without dots can be another word elsewhere.
            let made = found.iter().any(|f| f.is_made);
            let at: Vec<(&str, usize)> =
                found.iter().filter(|f| f.is_made || !made).map(|f| (f.file.as_str(), f.line)).collect();
            if at.is_empty() {
                return Err(format!("{}: the code has no rule {name}", file.display()));
            }
            let (when, then) = (text(file, &rule, "when")?, text(file, &rule, "then")?);
            let _ = writeln!(
                code,
                "        Rule {{ name: {name:?}, when: {when}, then: {then}, places: &{at:?} }},"
            );
        }
        code.push_str("    ] },\n");
    }
    code.push_str("];\n");
    write("rules.rs", &code)
}

/// A place where the name of a rule stands.
struct Found {
    /// The file, below `src/`.
    file: String,
    line: usize,
    /// Whether the reason is made there, and the name not only passed on.
    is_made: bool,
}

/// Notes where names stand in the code of the components, tests aside.
fn look_for(folder: &Path, places: &mut BTreeMap<String, Vec<Found>>) -> Result<(), String> {
    let mut entries = fs::read_dir(folder)
        .and_then(|all| all.map(|entry| entry.map(|e| e.path())).collect::<Result<Vec<_>, _>>())
        .map_err(|e| format!("{}: {e}", folder.display()))?;
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !WITHOUT_RULES.contains(&&*name) {
            look_for(&path, places)?;
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let source = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            for (n, line) in source.lines().enumerate().filter(|(_, l)| !l.trim_start().starts_with("//")) {
                for literal in line.split('"').skip(1).step_by(2) {
                    let Some(found) = places.get_mut(literal) else { continue };
                    let file = path.strip_prefix("src").unwrap_or(&path).to_string_lossy().replace('\\', "/");
                    let is_made = line.contains(&format!("Why::new(\"{literal}\""));
                    found.push(Found { file, line: n + 1, is_made });
                }
            }
        }
    }
    Ok(())
}

/// Writes `TERMS`, which `src/lessons/glossary.rs` includes.
fn glossary() -> Result<(), String> {
    let file = Path::new("static/glossary.yaml");
    let mut code = String::from("const TERMS: &[Term] = &[\n");
    for term in list(file)? {
        let forms = term.get("forms").cloned().unwrap_or_default();
        let (en, zh) = (texts(&forms, "en"), texts(&forms, "zh"));
        let (name, says) = (text(file, &term, "term")?, text(file, &term, "says")?);
        let url = term.get("url").and_then(Value::as_str).unwrap_or_default();
        let _ = writeln!(
            code,
            "    Term {{ term: {name}, forms: Text {{ en: &{en:?}, zh: &{zh:?} }}, says: {says}, url: {url:?} }},"
        );
    }
    code.push_str("];\n");
    write("glossary.rs", &code)
}

/// The items of a YAML file that is a list.
fn list(file: &Path) -> Result<Vec<Value>, String> {
    let why = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
    let text = fs::read_to_string(file).map_err(|e| why(&e))?;
    serde_yaml::from_str(&text).map_err(|e| why(&e))
}

/// The texts of a field that is a list.
fn texts<'v>(value: &'v Value, field: &str) -> Vec<&'v str> {
    value.get(field).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The YAML files of a folder, in the order of their names, each with what it contains.
fn files(folder: &str) -> Result<Vec<(PathBuf, Value)>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{folder}: {e}"))?;
    let mut files = entries
        .map(|entry| entry.map(|e| e.path()).map_err(|e| e.to_string()))
        .collect::<Result<Vec<_>, _>>()?;
    files.retain(|file| file.extension().is_some_and(|e| e == "yaml"));
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
