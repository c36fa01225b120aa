//! The `pod-template-hash/` vectors: two facts each, `hash` and `collision`.

use std::path::Path;

use serde_json::Value;
use steady::api::types::PodTemplateSpec;

use crate::report::{Fact, Outcome, read};

/// A function from a template and a collision count to the hash.
pub type HashFn<'a> = dyn Fn(&PodTemplateSpec, Option<i32>) -> String + 'a;

/// Judges the hash of every template whose name begins with `filter`.
///
/// # Errors
/// If the file cannot be read.
pub fn run(folder: &Path, filter: &str, hash: &HashFn<'_>) -> Result<Vec<Outcome>, String> {
    let mut out = Vec::new();
    for line in read(&folder.join("vectors.jsonl"))?.lines() {
        let row: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let text = |k: &str| row.get(k).and_then(Value::as_str).unwrap_or("");
        let name = text("name");
        if !name.starts_with(filter) {
            continue;
        }
        let template = row.get("template").cloned().unwrap_or(Value::Null);
        let check = |key: &str, collisions: Option<i32>| {
            let have = serde_json::from_value::<PodTemplateSpec>(template.clone())
                .map_err(|e| e.to_string())
                .and_then(|t| crate::guarded(|| hash(&t, collisions)));
            let want = text(key);
            match have {
                Ok(h) if h == want => None,
                Ok(h) => Some(format!("want {want}, have {h}")),
                Err(e) => Some(format!("want {want}, have {e}")),
            }
        };
        let facts = vec![
            Fact::new("hash", name, check("hash", None)),
            Fact::new("collision", name, check("hash_collision_1", Some(1))),
        ];
        out.push(Outcome { name: format!("hash/{name}"), facts, ..Outcome::default() });
    }
    Ok(out)
}
