//! `/openapi/v3`, as far as kubectl asks: which options a patch takes, and the fields of every kind,
//! with their documentation where whoever serves the API has it ([`Texts`]).

// Natively only: in the wasm its weight would serve nobody.
mod custom;
#[cfg(not(target_arch = "wasm32"))]
#[rustfmt::skip]
mod enums;
#[cfg(not(target_arch = "wasm32"))]
#[rustfmt::skip]
mod defaults;
mod merging;
#[cfg(not(target_arch = "wasm32"))]
pub(super) mod swagger;
mod texts;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::api::go_types::{self, GoField, GoStruct, Type};
use crate::api::quote::go_quote;
use crate::api::{Kind, Scope, patch, release};
use crate::apiserver::apiextensions::Definitions;

pub use texts::texts_of;

/// Where the schemas stand in a document.
const SCHEMAS: &str = "#/components/schemas/";

fn group_path(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

/// `/openapi/v3`: the documents that there are, each with its hash, by which a client knows whether it has the document
/// already. `hash` is asked with the path of a document after `/openapi/v3/`.
pub(super) fn index(definitions: &Definitions, hash: &dyn Fn(&str) -> Option<String>) -> Value {
    let built_in = Kind::served().map(|kind| group_path(kind.group(), kind.version()));
    let all: BTreeSet<String> = built_in.chain(custom::paths(definitions)).collect();
    let at = |path: &String| {
        let query = hash(path).map_or_else(String::new, |hash| format!("?hash={hash}"));
        json!({"serverRelativeURL": format!("/openapi/v3/{path}{query}")})
    };
    let paths: Map<String, Value> = all.iter().map(|path| (path.clone(), at(path))).collect();
    json!({"paths": paths})
}

/// Whether a document is about built-in kinds, and so the same as long as the server runs.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn is_built_in(path: &str) -> bool {
    Kind::served().any(|kind| group_path(kind.group(), kind.version()) == path)
}

/// What the documentation says about a type. The program that serves the API supplies these texts ([`Texts`]); the library
/// has none, since in the wasm they would weigh more than all kinds together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeTexts {
    /// `io.k8s.api.apps.v1.DeploymentSpec`
    pub name: String,
    /// What it is.
    pub description: String,
    /// What each field is.
    pub fields: BTreeMap<String, String>,
    /// The possible values of the fields that have only a few, where the table of the library is not compiled in.
    pub values: BTreeMap<String, Vec<String>>,
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
    /// How the structs merge, by name.
    merging: BTreeMap<&'static str, &'static patch::Type>,
}

/// `/openapi/v3/apis/apps/v1`; `None` if there is no such document.
pub(super) fn document(path: &str, definitions: &Definitions, texts: Option<&Texts>) -> Option<Value> {
    built_in(path, texts).or_else(|| {
        let core = texts.and_then(|t| t.get(Kind::CONFIG_MAP.api_version()));
        custom::document(path, definitions, core)
    })
}

fn built_in(path: &str, texts: Option<&Texts>) -> Option<Value> {
    let kinds: Vec<Kind> = Kind::served().filter(|k| group_path(k.group(), k.version()) == path).collect();
    let api_version = kinds.first()?.api_version();
    let doc = Document {
        texts: texts.and_then(|t| t.get(api_version)),
        scalars: Default::default(),
        merging: merging::types(&kinds),
    };
    let mut paths = Map::new();
    let mut structs: BTreeMap<&'static str, &'static GoStruct> = BTreeMap::new();
    for kind in &kinds {
        let namespaces = if kind.scope() == Scope::Namespaced { "/namespaces/{namespace}" } else { "" };
        paths.insert(
            format!("/{path}{namespaces}/{}/{{name}}", kind.plural()),
            json!({"patch": operation(*kind, &PATCHES)}),
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
        "info": {"title": "Kubernetes", "version": release::GIT_VERSION},
        "paths": paths,
        "components": {"schemas": schemas},
    }))
}

fn gvk(kind: Kind) -> Value {
    json!({"group": kind.group(), "version": kind.version(), "kind": kind.as_str()})
}

/// The types of a patch's body.
const PATCHES: [&str; 4] = [
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
];

/// The options of a patch, from which kubectl learns that the server validates fields, and the types
/// of its body, from which it learns that it may work out a strategic merge patch from the schema.
fn operation(kind: Kind, patches: &[&str]) -> Value {
    let options = ["dryRun", "fieldManager", "fieldValidation", "force"];
    let parameters: Vec<Value> = options
        .iter()
        .map(|name| {
            let kind = if *name == "force" { "boolean" } else { "string" };
            json!({"name": name, "in": "query", "schema": {"type": kind}})
        })
        .collect();
    let body = json!({"schema": {"type": "object"}});
    let content: Map<String, Value> = patches.iter().map(|t| ((*t).to_owned(), body.clone())).collect();
    json!({
        "parameters": parameters,
        "requestBody": {"content": content, "required": true},
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
                Type::Struct(s) | Type::SchemaOr(_, s) => {
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
    let line =
        |(value, said): &(&str, &str)| format!(" - `{}` {said}", go_quote(value)).trim_end().to_owned();
    let mut lines: Vec<String> = values.iter().map(line).collect();
    crate::api::order::sort(&mut lines);
    Some(format!("\n\nPossible enum values:\n{}", lines.join("\n")))
}

/// Beside a reference nothing else counts: it has to stand in a list of its own.
fn beside(schema: Value) -> Value {
    if schema.get("$ref").is_some() { json!({"allOf": [schema]}) } else { schema }
}

/// What Go has where nothing is said, of a type that cannot be absent.
fn empty(kind: Type) -> Option<Value> {
    match kind {
        Type::Named(_, t) => empty(*t),
        Type::Text => Some("".into()),
        Type::Bool => Some(false.into()),
        Type::Int32 | Type::Int64 | Type::Float => Some(0.into()),
        Type::Struct(_) => Some(json!({})),
        _ => None,
    }
}

/// The default of a field: what its type's source says, or nothing of it where it is always there
/// (openapi-gen's rule).
fn default(of: &str, field: &GoField) -> Option<Value> {
    said(of, field.name).or_else(|| {
        let always = !field.omitempty || matches!(field.kind, Type::Struct(_));
        if always { empty(field.kind) } else { None }
    })
}

/// What the source says.
#[cfg(not(target_arch = "wasm32"))]
fn said(of: &str, field: &str) -> Option<Value> {
    let (_, _, value) = defaults::DEFAULTS.iter().find(|(s, f, _)| *s == of && *f == field)?;
    serde_json::from_str(value).ok()
}

#[cfg(target_arch = "wasm32")]
fn said(_: &str, _: &str) -> Option<Value> {
    None
}

impl Document<'_> {
    fn text_of(&self, name: &str) -> Option<&TypeTexts> {
        self.texts?.get(name)
    }

    /// The full name of a type, as far as it is known.
    fn schema_name(&self, name: &str) -> String {
        let said = self.text_of(name).map(|t| t.name.clone()).or_else(|| custom::metadata_name(name));
        said.unwrap_or_else(|| format!("io.k8s.api.v1.{name}"))
    }

    fn schema(&self, s: &GoStruct) -> Value {
        let texts = self.text_of(s.name);
        let merging = self.merging.get(s.name).copied();
        let properties: Map<String, Value> = s
            .fields
            .iter()
            .map(|f| {
                let mut property = beside(self.type_schema(f.kind));
                if let Some(default) = default(s.name, f) {
                    property["default"] = default;
                }
                if let Some(field) = merging.and_then(|t| t.field(f.name)) {
                    merging::say(field, &mut property);
                }
                if let Some(values) = texts.and_then(|t| t.values.get(f.name)) {
                    let of =
                        if property.get("items").is_some() { &mut property["items"] } else { &mut property };
                    of["enum"] = json!(values);
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
        if merging.is_some_and(|t| t.atomic) {
            out["x-kubernetes-map-type"] = "atomic".into();
        }
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

    /// Of what stands in a list or a map.
    fn item_schema(&self, kind: Type) -> Value {
        let mut schema = beside(self.type_schema(kind));
        if let Some(empty) = empty(kind) {
            schema["default"] = empty;
        }
        schema
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
            Type::List(t) => json!({"type": "array", "items": self.item_schema(*t)}),
            Type::Map(t) => json!({"type": "object", "additionalProperties": self.item_schema(*t)}),
            Type::Struct(s) => json!({"$ref": format!("{SCHEMAS}{}", self.schema_name(s.name))}),
            // Kubernetes publishes these without a type.
            Type::SchemaOr(..) => json!({}),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        let definitions = Definitions::default();
        for path in index(&definitions, &|_| None)["paths"].as_object().unwrap().keys() {
            let document = document(path, &definitions, None).unwrap();
            let text = document.to_string();
            let schemas = document["components"]["schemas"].as_object().unwrap();
            for name in text.split(SCHEMAS).skip(1).filter_map(|t| t.split('"').next()) {
                assert!(schemas.contains_key(name), "{path}: {name}");
            }
        }
        assert!(document("apis/example.com/v1", &definitions, None).is_none());
    }

    /// Every struct below that is not inside one of its own sort, without any field but those that decoding demands.
    fn bare(kind: Type, outer: &[&str]) -> Option<Value> {
        match kind {
            Type::Pointer(t) | Type::Named(_, t) => bare(*t, outer),
            Type::List(t) => bare(*t, outer).map(|item| json!([item])),
            Type::Map(t) => bare(*t, outer).map(|item| json!({"key": item})),
            Type::Time => Some("2026-01-01T00:00:00Z".into()),
            Type::MicroTime => Some("2026-01-01T00:00:00.000000Z".into()),
            Type::IntOrString => Some(1.into()),
            Type::Quantity => Some("1".into()),
            Type::Struct(s) if !outer.contains(&s.name) => {
                let outer = [outer, &[s.name]].concat();
                let fields = s.fields.iter();
                let fields = fields.filter_map(|f| Some((f.name.to_owned(), bare(f.kind, &outer)?)));
                Some(fields.collect::<Map<_, _>>().into())
            }
            _ => None,
        }
    }

    /// Compares what stands in a struct, and below, with what the schema says stands there.
    fn compare(s: &GoStruct, value: &Value, path: &str, met: &mut BTreeMap<(String, String), bool>) {
        for f in s.fields {
            let (at, here) = (format!("{path}.{}", f.name), &value[f.name]);
            // Not what Go has where nothing is said: that is before defaulting, which may know better (the
            // status of a Job's onPodConditions).
            if let Some(wanted) = said(s.name, f.name) {
                // A default that is nothing is met by nothing.
                let nothing = wanted == json!("") || wanted == json!(0) || wanted == json!(false);
                assert!(
                    here == &wanted || here.is_null() && nothing,
                    "{at}: {here}, but {wanted} in the schema"
                );
                met.insert((s.name.to_owned(), f.name.to_owned()), true);
            }
            let mut kind = f.kind;
            loop {
                kind = match kind {
                    Type::Pointer(t) | Type::Named(_, t) | Type::List(t) | Type::Map(t) => *t,
                    _ => break,
                };
            }
            if let Type::Struct(inner) = kind {
                let items: Vec<&Value> = match here {
                    Value::Array(items) => items.iter().collect(),
                    Value::Object(fields) if matches!(f.kind, Type::Map(_)) => fields.values().collect(),
                    Value::Object(_) => vec![here],
                    _ => vec![],
                };
                items.into_iter().for_each(|item| compare(inner, item, &at, met));
            }
        }
    }

    #[test]
    fn defaulting_does_what_the_schema_says() {
        let mut met = BTreeMap::new();
        for kind in Kind::BUILT_IN {
            let s = go_types::of(*kind);
            let Some(mut value) = bare(Type::Struct(s), &[]) else { continue };
            value["apiVersion"] = kind.api_version().into();
            value["kind"] = kind.as_str().into();
            let mut object = crate::api::Object::from_value(*kind, value).unwrap();
            crate::apiserver::rest::default(&mut object);
            compare(s, &object.to_value(), kind.as_str(), &mut met);
        }
        // Of every struct that a kind here has.
        for (of, field, _) in defaults::DEFAULTS
            .iter()
            .filter(|(of, ..)| !of.starts_with("ReplicationController") && *of != "ScaleSpec")
        {
            assert!(
                met.contains_key(&((*of).to_owned(), (*field).to_owned())),
                "{of}.{field} was not looked at"
            );
        }
    }

    #[test]
    fn it_says_how_fields_merge() {
        let doc = built_in("apis/apps/v1", None).unwrap();
        let schemas = &doc["components"]["schemas"];
        let containers = &schemas["io.k8s.api.v1.PodSpec"]["properties"]["containers"];
        assert_eq!(containers["x-kubernetes-patch-strategy"], "merge");
        assert_eq!(containers["x-kubernetes-patch-merge-key"], "name");
        assert_eq!(containers["x-kubernetes-list-type"], "map");
        let volumes = &schemas["io.k8s.api.v1.PodSpec"]["properties"]["volumes"];
        assert_eq!(volumes["x-kubernetes-patch-strategy"], "merge,retainKeys");
        let strategy = &schemas["io.k8s.api.v1.DeploymentSpec"]["properties"]["strategy"];
        assert_eq!(
            (&strategy["x-kubernetes-patch-strategy"], &strategy["default"]),
            (&json!("retainKeys"), &json!({}))
        );
        assert_eq!(schemas["io.k8s.api.v1.ContainerPort"]["properties"]["protocol"]["default"], "TCP");
    }
}
