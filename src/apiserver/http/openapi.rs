//! `/openapi/v3`, as far as kubectl asks: which options a patch takes, and the fields of every kind
//! without their documentation.

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

/// `/openapi/v3/apis/apps/v1`; `None` if there is no such document.
pub(super) fn document(path: &str) -> Option<Value> {
    let kinds: Vec<Kind> =
        Kind::ALL.iter().copied().filter(|k| group_path(k.group(), k.version()) == path).collect();
    if kinds.is_empty() {
        return None;
    }
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
        structs.into_iter().map(|(name, s)| (schema_name(name), schema(s))).collect();
    for kind in &kinds {
        if let Some(s) = schemas.get_mut(&schema_name(kind.as_str())) {
            s["x-kubernetes-group-version-kind"] = json!([gvk(*kind)]);
        }
    }
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

fn schema_name(name: &str) -> String {
    format!("io.k8s.api.v1.{name}")
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

fn schema(s: &GoStruct) -> Value {
    let properties: Map<String, Value> =
        s.fields.iter().map(|f| (f.name.to_owned(), type_schema(f.kind))).collect();
    let required: Vec<&str> = s.fields.iter().filter(|f| !f.omitempty).map(|f| f.name).collect();
    let mut out = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        out["required"] = json!(required);
    }
    out
}

fn type_schema(kind: Type) -> Value {
    match kind {
        Type::Pointer(t) | Type::Named(_, t) => type_schema(*t),
        Type::Text => json!({"type": "string"}),
        Type::Bool => json!({"type": "boolean"}),
        Type::Int32 => json!({"type": "integer", "format": "int32"}),
        Type::Int64 => json!({"type": "integer", "format": "int64"}),
        Type::Float => json!({"type": "number", "format": "double"}),
        Type::Bytes => json!({"type": "string", "format": "byte"}),
        Type::Time | Type::MicroTime => json!({"type": "string", "format": "date-time"}),
        Type::Duration => json!({"type": "string"}),
        Type::Quantity => json!({"oneOf": [{"type": "string"}, {"type": "number"}]}),
        Type::IntOrString => {
            json!({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]})
        }
        Type::FieldsV1 | Type::Any => json!({"type": "object"}),
        Type::List(t) => json!({"type": "array", "items": type_schema(*t)}),
        Type::Map(t) => json!({"type": "object", "additionalProperties": type_schema(*t)}),
        Type::Struct(s) => json!({"allOf": [{"$ref": format!("{SCHEMAS}{}", schema_name(s.name))}]}),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        for path in index()["paths"].as_object().unwrap().keys() {
            let document = document(path).unwrap();
            let text = document.to_string();
            let schemas = document["components"]["schemas"].as_object().unwrap();
            for name in text.split(SCHEMAS).skip(1).filter_map(|t| t.split('"').next()) {
                assert!(schemas.contains_key(name), "{path}: {name}");
            }
        }
        assert!(document("apis/example.com/v1").is_none());
    }
}
