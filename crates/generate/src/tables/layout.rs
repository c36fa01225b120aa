//! The structs behind a pod template, as Go prints them with their types: what the pod-template-hash is a hash of.

use super::{GENERATED, Queue, Table};
use crate::Result;
use crate::go::{Name, Types};

pub fn table(types: &Types) -> Result<Table> {
    let mut writer = Writer { types, queue: Queue::new([Name::new("core", "PodTemplateSpec")]) };
    let mut out = Vec::new();
    while let Some(name) = writer.queue.next() {
        let rows: String = writer.rows(&name)?.concat();
        out.push(format!("pub(super) static {}: &[Field] = &[\n{rows}];\n", types.constant(&name)));
    }
    let text = format!(
        "//! The Go structs behind a pod template, in the order of their fields.\n//! {GENERATED}\n\n\
         use super::Field;\nuse super::Kind::*;\n\n\
         const fn f(head: &'static str, json: &'static str, kind: super::Kind) -> Field {{\n    \
         Field {{ head, json, kind }}\n}}\n\n{}",
        out.join("\n")
    );
    Ok(Table { file: "src/api/pod_template_layout.rs", text })
}

struct Writer<'a> {
    types: &'a Types,
    queue: Queue,
}

impl Writer<'_> {
    fn rows(&mut self, name: &Name) -> Result<Vec<String>> {
        let found = self.types.find(name)?;
        let mut rows = Vec::new();
        for field in &found.fields {
            let (printed, kind) = (printed(&name.package, &field.ty), self.kind(name, &field.ty)?);
            rows.push(format!("    f(\"{}:({printed})\", \"{}\", {kind}),\n", field.name, field.json().name));
        }
        Ok(rows)
    }

    fn kind(&mut self, of: &Name, text: &str) -> Result<String> {
        if let Some(inner) = text.strip_prefix('*') {
            return Ok(format!("Pointer(&{})", self.kind(of, inner)?));
        }
        if let Some(inner) = text.strip_prefix("[]") {
            return Ok(format!("List(&{})", self.kind(of, inner)?));
        }
        if let Some(inner) = text.strip_prefix("map[string]") {
            return Ok(format!("Map(&{})", self.kind(of, inner)?));
        }
        match text {
            "string" | "types.UID" => return Ok("Text".to_owned()),
            "bool" => return Ok("Bool".to_owned()),
            text if is_basic(text) => return Ok("Int".to_owned()),
            _ => {}
        }
        let name = Name::resolve(&of.package, text);
        match name.name.as_str() {
            // Printed by hand.
            "Quantity" | "IntOrString" | "Time" | "FieldsV1" => return Ok(name.name),
            "ResourceList" => return Ok("Map(&Quantity)".to_owned()),
            _ => {}
        }
        if self.types.get(&name).is_some() {
            let constant = self.types.constant(&name);
            self.queue.need(name);
            return Ok(format!("Struct({constant})"));
        }
        match self.types.named(&name) {
            Some(other) => self.kind(&name, other),
            None => Err(format!("what {name} is, no source says that is read")),
        }
    }
}

/// Whether a type is one of Go itself: a text, a bool, an integer.
fn is_basic(text: &str) -> bool {
    let integers = ["int", "int32", "int64", "uint", "uint8", "uint64"];
    text == "string" || text == "bool" || integers.contains(&text)
}

/// A type as Go's reflection prints it: with the name of its package, which is `v1` of all that are read.
fn printed(package: &str, text: &str) -> String {
    for wrap in ["*", "[]", "map[string]"] {
        if let Some(inner) = text.strip_prefix(wrap) {
            return format!("{wrap}{}", printed(package, inner));
        }
    }
    let name = Name::resolve(package, text);
    match text {
        "byte" => "uint8".to_owned(),
        text if is_basic(text) => text.to_owned(),
        _ if name.package == "core" || name.package == "metav1" => {
            format!("{}.{}", name.version(), name.name)
        }
        text => text.to_owned(),
    }
}
