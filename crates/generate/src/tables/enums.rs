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
    let mut enums = BTreeMap::<String, Vec<Vec<Value>>>::new();
    for file in files.iter().filter(|file| file.of_kinds) {
        for name in marked(&file.text)? {
            let mut values = values(&name, file, files)?;
            values.sort();
            let full = format!("{}.{name}", Name::new(&file.package, &name).version());
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

/// The names of the types that are marked.
pub fn marked(text: &str) -> Result<Vec<String>> {
    let marked = regex(r"(?m)^// \+enum\n(?://.*\n)*type (\w+) string")?;
    Ok(marked.captures_iter(text).map(|found| found.extract::<1>().1.concat()).collect())
}

/// The constants of a type in a file, each with its comment in one line and without its own name, as OpenAPI has it.
pub fn values(name: &str, file: &Source, files: &[Source]) -> Result<Vec<Value>> {
    let typed = regex(&format!(r#"^(?:const )?(\w+)\s+{name}\s*=\s*"(.*)""#))?;
    let converted = regex(&format!(r#"^(?:const )?(\w+)\s*=\s*{name}\("(.*)"\)"#))?;
    // AddressTypeIPv4 = AddressType(v1.IPv4Protocol)
    let imported = regex(&format!(r"^(?:const )?(\w+)\s*=\s*{name}\((\w+\.\w+)\)"))?;
    let (mut comment, mut values) = (Vec::new(), Vec::new());
    for line in file.text.lines().map(str::trim) {
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
        } else if let Some(found) = imported.captures(line) {
            let (_, [constant, other]) = found.extract();
            let other = Name::resolve(&file.package, other);
            let value =
                constant_of(&other, files)?.ok_or_else(|| format!("no source says what {other} is"))?;
            let said = above.join(" ");
            values.push((value, said.strip_prefix(constant).unwrap_or(&said).trim().to_owned()));
        }
    }
    Ok(values)
}

/// The text of a constant.
fn constant_of(name: &Name, files: &[Source]) -> Result<Option<String>> {
    let constant = regex(&format!(r#"(?m)^\s*(?:const )?{}(?:\s+\w+)?\s*=\s*"(.*)""#, name.name))?;
    let mut found = files.iter().filter(|file| file.package == name.package);
    Ok(found.find_map(|file| Some(constant.captures(&file.text)?.get(1)?.as_str().to_owned())))
}

fn regex(text: &str) -> Result<Regex> {
    Regex::new(text).map_err(|e| e.to_string())
}
