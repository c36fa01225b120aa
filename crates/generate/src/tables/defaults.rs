//! What the marker `default` says about fields.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::{GENERATED, Table, quoted};
use crate::Result;
use crate::pin::Pins;
use crate::sources::Sources;

pub fn table(pins: &Pins, sources: &Sources) -> Result<Table> {
    let constant =
        Regex::new(r#"(?m)^\s*(\w+)(?:\s+\w+)?\s*=\s*(?:\w+\()?(".*?")"#).map_err(|e| e.to_string())?;
    let mut constants = BTreeMap::new();
    for file in sources.files.iter().filter(|file| file.of_kinds) {
        for found in constant.captures_iter(&file.text) {
            let (_, [name, value]) = found.extract();
            constants.insert((file.package.as_str(), name), value);
        }
    }
    let mut rows = BTreeSet::new();
    let of_kinds = |package: &str| sources.files.iter().any(|file| file.of_kinds && file.package == package);
    for (name, body) in sources.types.structs().filter(|(name, _)| of_kinds(&name.package)) {
        for field in &body.fields {
            for value in field.marker("default") {
                let value = match value.strip_prefix("ref(").and_then(|rest| rest.strip_suffix(')')) {
                    None => value,
                    Some(constant) => {
                        *constants.get(&(name.package.as_str(), constant)).ok_or_else(|| {
                            format!("no source says what the default {constant} of {} is", field.name)
                        })?
                    }
                };
                rows.insert((name.name.as_str(), field.json().name, value));
            }
        }
    }
    let rows: String = rows
        .into_iter()
        .map(|(name, field, value)| format!("    (\"{name}\", \"{field}\", {}),\n", quoted(value)))
        .collect();
    let text = format!(
        "//! What the types of Kubernetes 1.{} say about their defaults (the marker `default`).\n//! {GENERATED}\n\n\
         /// The struct, the field's name in JSON, the default as JSON.\n\
         pub(super) static DEFAULTS: &[(&str, &str, &str)] = &[\n{rows}];\n",
        pins.minor()?
    );
    Ok(Table { file: "src/apiserver/http/openapi/defaults.rs", text })
}
