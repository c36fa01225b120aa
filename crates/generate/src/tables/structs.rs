//! The structs behind the kinds, with the type of every field.

use super::{GENERATED, Queue, Table, of_kinds};
use crate::Result;
use crate::go::{Field, Name, Types};
use crate::kinds::{Kind, Version};
use crate::pin::Pins;

/// What is read and written besides kinds, but not stored.
const OTHERS: &[(&str, &str)] = &[
    ("autoscaling", "Scale"),
    ("core", "Binding"),
    ("policy", "Eviction"),
    ("metav1", "DeleteOptions"),
    // Annotations of autoscaling/v1 hold lists of these.
    ("autoscaling", "MetricSpec"),
    ("autoscaling", "MetricStatus"),
    ("autoscaling", "HorizontalPodAutoscalerCondition"),
    ("authentication", "SelfSubjectReview"),
    ("authentication", "TokenRequest"),
    ("authentication", "TokenReview"),
    ("authorization", "LocalSubjectAccessReview"),
    ("authorization", "SelfSubjectAccessReview"),
    ("authorization", "SelfSubjectRulesReview"),
    ("authorization", "SubjectAccessReview"),
];

/// The table, and the structs that are in it.
pub fn table(pins: &Pins, kinds: &[Kind], versions: &[Version], types: &Types) -> Result<(Table, Vec<Name>)> {
    let others = OTHERS.iter().map(|(package, name)| Name::new(package, name));
    let names = kinds.iter().chain(versions.iter().map(|v| &v.kind)).map(Kind::name);
    let mut writer = Writer { types, queue: Queue::new(names.chain(others)) };
    let (mut written, mut out) = (Vec::new(), Vec::new());
    while let Some(name) = writer.queue.next() {
        let rows = writer.rows(&name)?.join("\n");
        let constant = types.constant(&name);
        out.push(format!(
            "pub(super) static {constant}: GoStruct = GoStruct {{ name: \"{}\", fields: &[\n{rows}\n] }};",
            name.name
        ));
        written.push(name);
    }
    let out = out.join("\n\n");
    let or = if out.contains("SchemaOr(") { "Or, " } else { "" };
    let text = format!(
        "//! The structs of the API types of Kubernetes 1.{}, in the order of their fields.\n//! {GENERATED}\n\n\
         use super::Type::*;\nuse super::{{BuiltIn, GoStruct, {or}OtherVersion, f}};\n\n{}\n{out}\n",
        pins.minor()?,
        of_kinds(kinds, versions, "GoStruct", |name| types.constant(name)),
    );
    Ok((Table { file: "src/api/go_types/table.rs", text }, written))
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
            let json = field.json();
            if field.is_inline() {
                let inner = Name::resolve(&name.package, &field.ty);
                if inner.name == "TypeMeta" {
                    rows.push("    f(\"kind\", Text, true),".to_owned());
                    rows.push("    f(\"apiVersion\", Text, true),".to_owned());
                } else {
                    rows.extend(self.rows(&inner)?);
                }
            } else if json.name != "-" {
                let ty = self.ty(&name.package, &field.ty)?;
                rows.push(format!("    f(\"{}\", {ty}, {}),", json.name, is_left_out(field)));
            }
        }
        Ok(rows)
    }

    fn ty(&mut self, package: &str, text: &str) -> Result<String> {
        if let Some(inner) = text.strip_prefix('*') {
            return Ok(format!("Pointer(&{})", self.ty(package, inner)?));
        }
        if text == "[]byte" {
            return Ok("Bytes".to_owned());
        }
        if let Some(inner) = text.strip_prefix("[]") {
            return Ok(format!("List(&{})", self.ty(package, inner)?));
        }
        if let Some((_, inner)) = text.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
            return Ok(format!("Map(&{})", self.ty(package, inner)?));
        }
        if let Some(basic) = basic(text) {
            return Ok(basic.to_owned());
        }
        let name = Name::resolve(package, text);
        if let Some(special) = special(&name.name) {
            return Ok(special.to_owned());
        }
        if let Some(or) = schema_or(&name.name) {
            let schema = Name::new(&name.package, "JSONSchemaProps");
            let constant = self.types.constant(&schema);
            self.queue.need(schema);
            return Ok(format!("SchemaOr(Or::{or}, &{constant})"));
        }
        if self.types.get(&name).is_some() {
            let constant = self.types.constant(&name);
            self.queue.need(name);
            return Ok(format!("Struct(&{constant})"));
        }
        match self.types.named(&name) {
            Some(other) => {
                let ty = self.ty(&name.package, other)?;
                Ok(format!("Named(\"{}.{}\", &{ty})", name.version(), name.name))
            }
            None => Err(format!("what {name} is, no source says that is read")),
        }
    }
}

/// Whether Go leaves a field out that is not set: a struct with `omitzero` alone, and a time is a struct.
fn is_left_out(field: &Field) -> bool {
    let time = matches!(field.ty.trim_start_matches("metav1."), "Time" | "MicroTime");
    let json = field.json();
    json.has("omitzero") || (json.has("omitempty") && !time)
}

/// Types of Go itself, and those of other repositories that are one of them.
fn basic(name: &str) -> Option<&'static str> {
    Some(match name {
        "string" => "Text",
        "bool" => "Bool",
        "int32" | "uint8" | "byte" => "Int32",
        "int64" | "int" | "uint32" => "Int64",
        "float64" => "Float",
        "types.UID" => "Named(\"types.UID\", &Text)",
        "types.NodeName" => "Named(\"types.NodeName\", &Text)",
        _ => return None,
    })
}

/// Types that encode themselves.
fn special(name: &str) -> Option<&'static str> {
    Some(match name {
        "Time" => "Time",
        "MicroTime" => "MicroTime",
        "IntOrString" => "IntOrString",
        "Quantity" => "Quantity",
        "FieldsV1" => "FieldsV1",
        "RawExtension" | "JSON" => "Any",
        "Duration" => "Duration",
        _ => return None,
    })
}

/// Types that decode themselves: a schema, or a value of another type.
fn schema_or(name: &str) -> Option<&'static str> {
    Some(match name {
        "JSONSchemaPropsOrBool" => "Bool",
        "JSONSchemaPropsOrArray" => "Schemas",
        "JSONSchemaPropsOrStringArray" => "Texts",
        _ => return None,
    })
}
