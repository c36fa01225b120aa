//! `/openapi/v3`, as far as kubectl asks: which options a patch takes, and the fields of every kind,
//! with their documentation where whoever serves the API has it ([`Texts`]).

// Natively only: in the wasm its weight would serve nobody.
#[cfg(not(target_arch = "wasm32"))]
#[rustfmt::skip]
mod enums;
#[cfg(not(target_arch = "wasm32"))]
pub(super) mod swagger;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::api::go_types::{self, GoStruct, Type};
use crate::api::{Kind, Scope};

/// Where the schemas stand in a document.
const SCHEMAS: &str = "#/components/schemas/";

fn group_path(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

/// `/openapi/v3`: the documents that there are.
pub(super) fn index() -> Value {
    let mut paths = Map::new();
    for kind in Kind::ALL {
        let path = group_path(kind.group(), kind.version());
        let at = json!({"serverRelativeURL": format!("/openapi/v3/{path}")});
        paths.insert(path, at);
    }
    json!({"paths": paths})
}

/// What the documentation says about a type: data of whoever serves the API, the library has none
/// (in the wasm it would weigh more than all kinds together).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeTexts {
    /// `io.k8s.api.apps.v1.DeploymentSpec`
    pub name: String,
    /// What it is.
    pub description: String,
    /// What each field is.
    pub fields: BTreeMap<String, String>,
    /// The fields that must be there.
    pub required: Vec<String>,
}

/// The texts of all types by group and version (`apps/v1`), then by the type's name
/// (`DeploymentSpec`).
pub type Texts = BTreeMap<String, BTreeMap<String, TypeTexts>>;

/// A document while it is written.
struct Document<'a> {
    texts: Option<&'a BTreeMap<String, TypeTexts>>,
    /// Types of one value that have a schema of their own.
    scalars: std::cell::RefCell<BTreeMap<String, Value>>,
}

/// The document that a kind is in.
pub fn openapi_document(kind: Kind, texts: Option<&Texts>) -> Option<Value> {
    document(&group_path(kind.group(), kind.version()), texts)
}

/// `/openapi/v3/apis/apps/v1`; `None` if there is no such document.
pub(super) fn document(path: &str, texts: Option<&Texts>) -> Option<Value> {
    let kinds: Vec<Kind> =
        Kind::ALL.iter().copied().filter(|k| group_path(k.group(), k.version()) == path).collect();
    let api_version = kinds.first()?.api_version();
    let doc = Document { texts: texts.and_then(|t| t.get(api_version)), scalars: Default::default() };
    let mut paths = Map::new();
    let mut structs: BTreeMap<&'static str, &'static GoStruct> = BTreeMap::new();
    for kind in &kinds {
        let namespaces = if kind.scope() == Scope::Namespaced { "/namespaces/{namespace}" } else { "" };
        paths.insert(
            format!("/{path}{namespaces}/{}/{{name}}", kind.plural()),
            json!({"patch": patch(*kind)}),
        );
        collect(go_types::of(*kind), &mut structs);
    }
    let mut schemas: Map<String, Value> =
        structs.values().map(|s| (doc.schema_name(s.name), doc.schema(s))).collect();
    for kind in &kinds {
        if let Some(s) = schemas.get_mut(&doc.schema_name(kind.as_str())) {
            s["x-kubernetes-group-version-kind"] = json!([gvk(*kind)]);
        }
    }
    schemas.extend(doc.scalars.into_inner());
    Some(json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "v1.36.2"},
        "paths": paths,
        "components": {"schemas": schemas},
    }))
}

fn gvk(kind: Kind) -> Value {
    json!({"group": kind.group(), "version": kind.version(), "kind": kind.as_str()})
}

/// The options of a patch: from these kubectl learns that the server validates fields.
fn patch(kind: Kind) -> Value {
    let options = ["dryRun", "fieldManager", "fieldValidation", "force"];
    let parameters: Vec<Value> = options
        .iter()
        .map(|name| {
            let kind = if *name == "force" { "boolean" } else { "string" };
            json!({"name": name, "in": "query", "schema": {"type": kind}})
        })
        .collect();
    json!({
        "parameters": parameters,
        "x-kubernetes-action": "patch",
        "x-kubernetes-group-version-kind": gvk(kind),
    })
}

/// A struct and all below it.
fn collect(s: &'static GoStruct, out: &mut BTreeMap<&'static str, &'static GoStruct>) {
    if out.insert(s.name, s).is_some() {
        return;
    }
    for field in s.fields {
        let mut kind = field.kind;
        loop {
            kind = match kind {
                Type::Pointer(t) | Type::Named(_, t) | Type::List(t) | Type::Map(t) => *t,
                Type::Struct(s) => {
                    collect(s, out);
                    break;
                }
                _ => break,
            };
        }
    }
}

/// Values of a type, and what is said of each.
type Values = &'static [(&'static str, &'static str)];

/// The values of a type that has only a few.
#[cfg(not(target_arch = "wasm32"))]
fn values(name: &str) -> Option<Values> {
    let at = enums::ENUMS.binary_search_by_key(&name, |(n, _)| n).ok()?;
    enums::ENUMS.get(at).map(|(_, values)| *values)
}

#[cfg(target_arch = "wasm32")]
fn values(_: &str) -> Option<Values> {
    None
}

/// The sentences about the values of a field (`k8s.io/kube-openapi/pkg/generators/enum.go`).
fn about_values(kind: Type) -> Option<String> {
    let values = match kind {
        Type::Pointer(t) => return about_values(*t),
        Type::Named(name, _) => values(name)?,
        _ => return None,
    };
    let line = |(value, said): &(&str, &str)| format!(" - `{value:?}` {said}").trim_end().to_owned();
    let mut lines: Vec<String> = values.iter().map(line).collect();
    crate::api::order::sort(&mut lines);
    Some(format!("\n\nPossible enum values:\n{}", lines.join("\n")))
}

impl Document<'_> {
    fn text_of(&self, name: &str) -> Option<&TypeTexts> {
        self.texts?.get(name)
    }

    /// The full name of a type, as far as it is known.
    fn schema_name(&self, name: &str) -> String {
        self.text_of(name).map_or_else(|| format!("io.k8s.api.v1.{name}"), |t| t.name.clone())
    }

    fn schema(&self, s: &GoStruct) -> Value {
        let texts = self.text_of(s.name);
        let properties: Map<String, Value> = s
            .fields
            .iter()
            .map(|f| {
                let mut property = self.type_schema(f.kind);
                if property.get("$ref").is_some() {
                    // Beside a reference nothing else counts.
                    property = json!({"allOf": [property]});
                }
                if let Some(text) = texts.and_then(|t| t.fields.get(f.name)).filter(|t| !t.is_empty()) {
                    let values = about_values(f.kind).unwrap_or_default();
                    property["description"] = format!("{text}{values}").into();
                }
                (f.name.to_owned(), property)
            })
            .collect();
        let required: Vec<&str> = match texts {
            // The texts' source takes a name that may be empty (of a LocalObjectReference) for one that
            // must be there.
            Some(t) => {
                let must = |name: &&String| s.field(name).is_some_and(|f| !f.omitempty || f.name != "name");
                t.required.iter().filter(must).map(String::as_str).collect()
            }
            None => s.fields.iter().filter(|f| !f.omitempty).map(|f| f.name).collect(),
        };
        let mut out = json!({"type": "object", "properties": properties});
        if let Some(text) = texts.filter(|t| !t.description.is_empty()) {
            out["description"] = text.description.as_str().into();
        }
        if !required.is_empty() {
            out["required"] = json!(required);
        }
        out
    }

    /// A reference to a type of one value, which gets its place among the schemas.
    fn scalar(&self, package: &str, name: &str, mut of: Value) -> Value {
        if let Some(text) = self.text_of(name).filter(|t| !t.description.is_empty()) {
            of["description"] = text.description.as_str().into();
        }
        let full = format!("io.k8s.apimachinery.pkg.{package}.{name}");
        let reference = json!({"$ref": format!("{SCHEMAS}{full}")});
        self.scalars.borrow_mut().insert(full, of);
        reference
    }

    fn type_schema(&self, kind: Type) -> Value {
        const META: &str = "apis.meta.v1";
        match kind {
            Type::Pointer(t) => self.type_schema(*t),
            Type::Named(name, t) => {
                let mut schema = self.type_schema(*t);
                if let Some(values) = values(name) {
                    schema["enum"] = values.iter().map(|(value, _)| *value).collect();
                }
                schema
            }
            Type::Text => json!({"type": "string"}),
            Type::Bool => json!({"type": "boolean"}),
            Type::Int32 => json!({"type": "integer", "format": "int32"}),
            Type::Int64 => json!({"type": "integer", "format": "int64"}),
            Type::Float => json!({"type": "number", "format": "double"}),
            Type::Bytes => json!({"type": "string", "format": "byte"}),
            Type::Time => self.scalar(META, "Time", json!({"type": "string", "format": "date-time"})),
            Type::MicroTime => {
                self.scalar(META, "MicroTime", json!({"type": "string", "format": "date-time"}))
            }
            Type::Duration => self.scalar(META, "Duration", json!({"type": "string"})),
            Type::Quantity => self.scalar(
                "api.resource",
                "Quantity",
                json!({"oneOf": [{"type": "string"}, {"type": "number"}]}),
            ),
            Type::IntOrString => self.scalar(
                "util.intstr",
                "IntOrString",
                json!({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]}),
            ),
            Type::FieldsV1 => self.scalar(META, "FieldsV1", json!({"type": "object"})),
            Type::Any => json!({"type": "object"}),
            Type::List(t) => json!({"type": "array", "items": self.type_schema(*t)}),
            Type::Map(t) => json!({"type": "object", "additionalProperties": self.type_schema(*t)}),
            Type::Struct(s) => json!({"$ref": format!("{SCHEMAS}{}", self.schema_name(s.name))}),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        for path in index()["paths"].as_object().unwrap().keys() {
            let document = document(path, None).unwrap();
            let text = document.to_string();
            let schemas = document["components"]["schemas"].as_object().unwrap();
            for name in text.split(SCHEMAS).skip(1).filter_map(|t| t.split('"').next()) {
                assert!(schemas.contains_key(name), "{path}: {name}");
            }
        }
        assert!(document("apis/example.com/v1", None).is_none());
    }
}
