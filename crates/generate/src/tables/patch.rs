//! How fields merge: strategic merge patch and server-side apply.

use super::{GENERATED, Queue, Table, of_kinds};
use crate::Result;
use crate::go::{Field, Name, Types};
use crate::kinds::{Kind, Version};
use crate::pin::Pins;

pub fn table(pins: &Pins, kinds: &[Kind], versions: &[Version], types: &Types) -> Result<Table> {
    let names = kinds.iter().chain(versions.iter().map(|v| &v.kind)).map(Kind::name);
    let mut writer = Writer { types, queue: Queue::new(names) };
    let mut out = Vec::new();
    while let Some(name) = writer.queue.next() {
        let rows = writer.rows(&name)?;
        let fields = if rows.is_empty() { String::new() } else { format!("\n{}\n", rows.join("\n")) };
        let atomic = types.get(&name).is_some_and(|s| s.comment.iter().any(|l| l == "+structType=atomic"));
        out.push(format!(
            "static {}: Type = Type {{ name: \"{}\", atomic: {atomic}, fields: &[{fields}] }};",
            types.constant(&name),
            name.name
        ));
    }
    let text = format!(
        "//! How the fields of every struct merge: the tags `patchStrategy` and `patchMergeKey`, and the\n\
         //! markers `listType`, `listMapKey`, `structType` and `mapType` of the types of Kubernetes 1.{}.\n\
         //! Fields that hold one value have no row. {GENERATED}\n\n\
         use super::{{BuiltIn, OtherVersion}};\nuse super::types::{{Shape::*, Type, f}};\n\n{}\n{}\n",
        pins.minor()?,
        of_kinds(kinds, versions, "Type", |name| types.constant(name)),
        out.join("\n\n"),
    );
    Ok(Table { file: "src/api/patch/schema.rs", text })
}

/// What a field is in JSON.
enum Shape {
    Scalar,
    Struct(Name),
    List(Box<Shape>),
    Map(Box<Shape>),
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
            let (json, shape) = (field.json(), self.shape(&name.package, &field.ty));
            match shape {
                Shape::Struct(inner) if field.is_inline() => rows.extend(self.rows(&inner)?),
                Shape::Scalar => {}
                _ if field.is_inline() || json.name == "-" => {}
                shape => {
                    let shape = self.rust(shape);
                    rows.push(format!("    f(\"{}\", {shape}){},", json.name, merging(field)?));
                }
            }
        }
        Ok(rows)
    }

    fn shape(&self, package: &str, text: &str) -> Shape {
        let text = text.trim_start_matches('*');
        if let Some(inner) = text.strip_prefix("[]") {
            return Shape::List(Box::new(self.shape(package, inner)));
        }
        if let Some((_, inner)) = text.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
            return Shape::Map(Box::new(self.shape(package, inner)));
        }
        let name = Name::resolve(package, text);
        if is_one_value(&name.name) {
            return Shape::Scalar;
        }
        if self.types.get(&name).is_some() {
            return Shape::Struct(name);
        }
        match self.types.named(&name) {
            Some(other) => self.shape(&name.package, other),
            None => Shape::Scalar,
        }
    }

    fn rust(&mut self, shape: Shape) -> String {
        match shape {
            Shape::Scalar => "Scalar".to_owned(),
            Shape::List(inner) => format!("List(&{})", self.rust(*inner)),
            Shape::Map(inner) => format!("Map(&{})", self.rust(*inner)),
            Shape::Struct(name) => {
                let constant = self.types.constant(&name);
                self.queue.need(name);
                format!("Struct(&{constant})")
            }
        }
    }
}

/// Structs in Go that are one value in JSON.
fn is_one_value(name: &str) -> bool {
    let values = ["Time", "MicroTime", "IntOrString", "Quantity", "FieldsV1", "RawExtension", "JSON"];
    let schemas = ["JSONSchemaPropsOrBool", "JSONSchemaPropsOrArray", "JSONSchemaPropsOrStringArray"];
    values.contains(&name) || schemas.contains(&name)
}

/// The calls behind a row that say how the field merges.
fn merging(field: &Field) -> Result<String> {
    let mut calls = String::new();
    for strategy in field.tag("patchStrategy").unwrap_or_default().split(',').filter(|s| !s.is_empty()) {
        calls.push_str(match strategy {
            "merge" => ".merge()",
            "replace" => ".replace()",
            "retainKeys" => ".retain_keys()",
            other => return Err(format!("the patchStrategy {other} of {} is not known", field.name)),
        });
    }
    if let Some(key) = field.tag("patchMergeKey") {
        calls.push_str(&format!(".merge_key(\"{key}\")"));
    }
    match field.marker("listType").next_back() {
        None => {}
        Some("atomic") => calls.push_str(".atomic()"),
        Some("set") => calls.push_str(".list_set()"),
        Some("map") => {
            let keys: Vec<String> = field.marker("listMapKey").map(|key| format!("\"{key}\"")).collect();
            calls.push_str(&format!(".list_map(&[{}])", keys.join(", ")));
        }
        Some(other) => return Err(format!("the listType {other} of {} is not known", field.name)),
    }
    let atomic = |marker| field.marker(marker).next_back() == Some("atomic");
    if atomic("mapType") || atomic("structType") {
        calls.push_str(".atomic()");
    }
    Ok(calls)
}
