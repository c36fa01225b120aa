//! Writes the schema of every kind of [`Kind::BUILT_IN`] as one compact JSON document.
//!
//! ```text
//! {"kinds": {"apps/v1 Deployment": "io.k8s.api.apps.v1.Deployment", …},
//!  "definitions": {"io.k8s.api.apps.v1.Deployment": {JSON Schema with "$ref": "#/definitions/…"}, …}}
//! ```
//!
//! The program `steady-schema` writes the document; the editor reads it, see `editor/schema.js`. Native
//! programs that serve the API have the same descriptions in `/openapi/v3` ([`texts`]).

#[rustfmt::skip]
mod enums;

use std::collections::BTreeSet;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use steady::api::Kind;
use steady::apiserver::http::{Texts, texts_of};

/// The structs with a schema. The library's own Pod and Event, which have shared parts, use those of k8s-openapi.
mod types {
    pub use k8s_openapi::api::core::v1::{Event, Pod};
    pub use steady::api::types::*;
}

/// The schema document of the editor.
///
/// # Errors
/// If the table of enums names a field that does not exist.
pub fn document() -> Result<Value, String> {
    let mut document = without_values();
    let definitions = &mut document["definitions"];
    for (definition, field, values) in enums::VALUES {
        // The table is made from the release in kubernetes.toml, the definitions are k8s-openapi's.
        let schema = definitions
            .get_mut(*definition)
            .and_then(|d| d.pointer_mut(&format!("/properties/{field}")))
            .and_then(Value::as_object_mut)
            .ok_or_else(|| {
                format!("{definition} has no field {field}: k8s-openapi is of another release than kubernetes.toml")
            })?;
        // The values of a list are those of its items.
        match schema.get_mut("items").and_then(Value::as_object_mut) {
            Some(items) => items.insert("enum".into(), json!(values)),
            None => schema.insert("enum".into(), json!(values)),
        };
    }
    Ok(document)
}

/// The text of Kubernetes' documentation about every type of every group and version.
pub fn texts() -> Texts {
    let document = without_values();
    let versions: BTreeSet<&str> = Kind::BUILT_IN.iter().map(|k| k.api_version()).collect();
    versions.into_iter().map(|version| (version.to_owned(), texts_of(&document, version))).collect()
}

/// The schema document, without the values of fields that have only a few.
fn without_values() -> Value {
    let mut generator = SchemaSettings::draft07().into_generator();
    let mut kinds = Map::new();
    for &kind in Kind::BUILT_IN {
        kinds.insert(format!("{} {}", kind.api_version(), kind.as_str()), add(kind, &mut generator).into());
    }
    json!({ "kinds": kinds, "definitions": generator.take_definitions(true) })
}

macro_rules! registered {
    ($($(#[$doc:meta])* $kind:ident $constant:ident: $group:literal / $version:literal $plural:literal $singular:literal [$($short:literal),*] $scope:ident [$($sub:literal),*];)*) => {
        /// Registers a built-in kind and all types that it contains. Returns the name of its definition.
        fn add(kind: Kind, generator: &mut SchemaGenerator) -> String {
            $(if kind == Kind::$constant {
                generator.subschema_for::<types::$kind>();
                return <types::$kind as JsonSchema>::schema_name().into_owned();
            })*
            String::new()
        }
    };
}

steady::with_built_in_kinds!(registered);

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used, clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        let doc = document().expect("the table of enums fits");
        let text = doc.to_string();
        for target in
            text.split("\"$ref\":\"#/definitions/").skip(1).filter_map(|rest| rest.split('"').next())
        {
            assert!(doc["definitions"].get(target).is_some(), "{target}");
        }
        for (id, name) in doc["kinds"].as_object().expect("an object") {
            assert!(doc["definitions"].get(name.as_str().unwrap_or("")).is_some(), "{id}");
        }
        assert_eq!(doc["kinds"].as_object().map(Map::len), Some(Kind::BUILT_IN.len()));
    }
}
