//! The values of types with the marker `enum`, and what stands above each.

use std::collections::BTreeMap;

use regex::Regex;

use super::{GENERATED, Table, quoted};
use crate::Result;
use crate::go::Name;
use crate::pin::Pins;
use crate::sources::Source;

/// A value and its description.
type Value = (String, String);

pub fn table(pins: &Pins, files: &[Source]) -> Result<Table> {
    let marked = regex(r"(?m)^// \+enum\n(?://.*\n)*type (\w+) string")?;
    let mut enums = BTreeMap::<String, Vec<Vec<Value>>>::new();
    for file in files {
        for found in marked.captures_iter(&file.text) {
            let (_, [name]) = found.extract();
            let mut values = values(name, &file.text)?;
            values.sort();
            let full = format!("{}.{name}", Name::new(&file.package, name).version());
            enums.entry(full).or_default().push(values);
        }
    }
    let mut rows = String::new();
    for (name, found) in enums {
        // OpenAPI has nothing of a name that two groups have, nor of an enum without values.
        if let [values] = found.as_slice()
            && !values.is_empty()
        {
            let values: Vec<String> =
                values.iter().map(|(v, said)| format!("({}, {})", quoted(v), quoted(said))).collect();
            rows.push_str(&format!("    (\"{name}\", &[{}]),\n", values.join(", ")));
        }
    }
    let text = format!(
        "//! The values of the types that Kubernetes 1.{} marks as enums, and what is said of each.\n\
         //! {GENERATED}\n\n/// By the type's name.\npub(super) static ENUMS: &[(&str, &[(&str, &str)])] = &[\n{rows}];\n",
        pins.minor()?
    );
    Ok(Table { file: "src/apiserver/http/openapi/enums.rs", text })
}

/// The constants of a type, each with its comment in one line and without its own name, as OpenAPI has it.
fn values(name: &str, text: &str) -> Result<Vec<Value>> {
    let typed = regex(&format!(r#"^(?:const )?(\w+)\s+{name}\s*=\s*"(.*)""#))?;
    let converted = regex(&format!(r#"^(?:const )?(\w+)\s*=\s*{name}\("(.*)"\)"#))?;
    let (mut comment, mut values) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim) {
        if let Some(said) = line.strip_prefix("//") {
            comment.extend(said.split_whitespace());
            continue;
        }
        let above = std::mem::take(&mut comment);
        if let Some(found) = typed.captures(line).or_else(|| converted.captures(line)) {
            let (_, [constant, value]) = found.extract();
            let said = above.join(" ");
            let said = said.strip_prefix(constant).unwrap_or(&said).trim();
            values.push((value.to_owned(), said.to_owned()));
        }
    }
    Ok(values)
}

fn regex(text: &str) -> Result<Regex> {
    Regex::new(text).map_err(|e| e.to_string())
}
