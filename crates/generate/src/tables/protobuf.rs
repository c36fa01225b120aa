//! The numbers of fields in protobuf.

use super::{GENERATED, Table};
use crate::Result;
use crate::go::{Name, Types};

/// The numbers of the structs that are in the table of structs.
pub fn table(types: &Types, written: &[Name]) -> Result<Table> {
    let mut names: Vec<(&str, String, &Name)> =
        written.iter().map(|name| (name.name.as_str(), types.constant(name), name)).collect();
    names.sort();
    let mut rows = String::new();
    for (_, constant, name) in names {
        rows.push_str(&format!("    (&{constant}, &[{}]),\n", numbers(types, name)?.join(", ")));
    }
    let text = format!(
        "//! The numbers of fields in protobuf, of the structs in [`super::super::table`].\n//! {GENERATED}\n\n\
         use super::super::table::*;\nuse super::Number::{{self, Field, Part}};\nuse super::GoStruct;\n\n\
         /// By the struct's name.\npub(super) static NUMBERS: &[(&GoStruct, &[Number])] = &[\n{rows}];\n"
    );
    Ok(Table { file: "src/api/go_types/protobuf/table.rs", text })
}

fn numbers(types: &Types, name: &Name) -> Result<Vec<String>> {
    let found = types.find(name)?;
    let mut numbers_of = Vec::new();
    for field in &found.fields {
        // `bytes,1,opt,name=metadata`
        let number = field.tag("protobuf").and_then(|tag| tag.split(',').nth(1)?.parse::<u32>().ok());
        let Some(number) = number else { continue };
        let json = field.json();
        if field.is_inline() {
            let inner = numbers(types, &Name::resolve(&name.package, &field.ty))?;
            numbers_of.push(format!("Part({number}, &[{}])", inner.join(", ")));
        } else if json.name != "-" {
            numbers_of.push(format!("Field({number}, \"{}\")", json.name));
        }
    }
    Ok(numbers_of)
}
