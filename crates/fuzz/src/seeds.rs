//! The first inputs: what the repository has of each sort.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use steady::session::scenario;

/// A path in the repository.
fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The texts of a folder's files with this ending, in the order of their names.
pub(crate) fn files(folder: &str, ending: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(at(folder)).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> =
        entries.map(|e| e.path()).filter(|p| p.to_string_lossy().ends_with(ending)).collect();
    paths.sort();
    let name = |p: &Path| p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    paths.iter().filter_map(|p| Some((name(p), std::fs::read_to_string(p).ok()?))).collect()
}

/// The manifests of all lessons, and of the scenarios of ordinary size.
pub(crate) fn manifests() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for s in scenario::ordinary() {
        all.push(s.manifest.clone());
        all.extend(s.files.into_values());
    }
    all.extend(lessons().into_iter().map(|l| l.start.manifest));
    all.extend(files("tests/rehearsal", ".yaml").into_iter().map(|(_, text)| text));
    all.retain(|text| !text.trim().is_empty());
    all.sort();
    all.dedup();
    all
}

/// All lessons.
pub(crate) fn lessons() -> Vec<steady::lessons::Lesson> {
    let read = |(name, text): &(String, String)| steady::lessons::read(name, text).ok();
    files("static/lessons", ".yaml").iter().filter_map(read).collect()
}

/// Recorded requests of the files whose names begin so, each with a few that came before it.
pub(crate) fn requests(beginnings: &[&str]) -> Vec<Value> {
    let mut all = Vec::new();
    for (name, text) in files("tests/conformance/api", ".jsonl") {
        if !beginnings.iter().any(|b| name.starts_with(b)) {
            continue;
        }
        let rows: Vec<Value> =
            text.lines().filter_map(|l| serde_json::from_str(l).ok()).map(request).collect();
        for end in 1..=rows.len() {
            let mut few: Vec<Value> = rows[end.saturating_sub(3)..end].to_vec();
            // The first request of a file makes what the others are about.
            if end > 3 {
                few.insert(0, rows[0].clone());
            }
            all.push(Value::Array(few));
        }
    }
    all
}

/// A row as this crate writes a request.
fn request(row: Value) -> Value {
    let text = |name: &str| row.get(name).cloned().unwrap_or_else(|| json!(""));
    json!({
        "method": text("method"), "path": text("path"), "query": text("query"),
        "content": text("contentType"), "accept": text("accept"), "body": row.get("body").cloned().unwrap_or_default(),
    })
}

/// Command lines: those of scenarios, lessons and recordings.
pub(crate) fn lines() -> Vec<String> {
    let mut all = Vec::new();
    for (_, text) in files("tests/conformance/kubectl", ".jsonl") {
        for row in text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok()) {
            for field in ["line", "command", "args"] {
                match row.get(field) {
                    Some(Value::String(line)) => all.push(line.clone()),
                    Some(Value::Array(words)) => {
                        all.push(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "));
                    }
                    _ => {}
                }
            }
        }
    }
    let texts = files("static/scenarios", ".yaml").into_iter().chain(files("static/lessons", ".yaml"));
    for (_, text) in texts {
        for line in text.lines() {
            if let Some((_, line)) = line.split_once("kubectl: ") {
                all.push(line.trim_end_matches(['}', ']']).trim_matches(['"', '\'']).to_owned());
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Scripts that containers of manifests run.
pub(crate) fn scripts() -> Vec<String> {
    fn look(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let words = value.as_array().filter(|_| key == "command" || key == "args");
                    out.extend(words.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
                    look(value, out);
                }
            }
            Value::Array(items) => items.iter().for_each(|v| look(v, out)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    for text in manifests() {
        let documents = steady::api::yaml::documents(&text, &steady::api::yaml::Limits::default());
        documents.unwrap_or_default().iter().for_each(|d| look(&d.value, &mut all));
    }
    all.sort();
    all.dedup();
    all
}

/// Expressions: those in the schemas and policies of the recordings, and the conditions of lessons.
pub(crate) fn expressions() -> Vec<String> {
    fn look(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let is = matches!(
                        key.as_str(),
                        "rule" | "expression" | "messageExpression" | "valueExpression"
                    );
                    out.extend(value.as_str().filter(|_| is).map(str::to_owned));
                    look(value, out);
                }
            }
            Value::Array(items) => items.iter().for_each(|v| look(v, out)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    for (_, text) in files("tests/conformance/api", ".jsonl") {
        for row in text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok()) {
            look(&row["body"], &mut all);
        }
    }
    for (_, text) in files("static/lessons", ".yaml") {
        let quoted =
            text.lines().filter_map(|l| l.split_once("holds: {")?.1.split_once('\'')?.1.rsplit_once('\''));
        all.extend(quoted.map(|(inner, _)| inner.replace("''", "'")));
    }
    all.sort();
    all.dedup();
    all
}
