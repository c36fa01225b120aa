//! Writes the schema of every kind of [`Kind::ALL`] as one compact JSON document.
//!
//! ```text
//! {"kinds": {"apps/v1 Deployment": "io.k8s.api.apps.v1.Deployment", …},
//!  "definitions": {"io.k8s.api.apps.v1.Deployment": {JSON Schema with "$ref": "#/definitions/…"}, …}}
//! ```
//!
//! `steady-schema [FILE]`; without a file, to `schema.json` in Trunk's staging directory when run as
//! a hook of its, else to `target/schema.json`. The editor reads it: see `editor/schema.js`.

mod enums;

use std::path::{Path, PathBuf};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use steady::api::{Kind, types};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args_os().nth(1).map(PathBuf::from).unwrap_or_else(default_file);
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir)?;
    }
    std::fs::write(&file, serde_json::to_vec(&document()?)?)?;
    Ok(())
}

fn default_file() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    match std::env::var_os("TRUNK_STAGING_DIR") {
        Some(dir) => PathBuf::from(dir).join("schema.json"),
        None => root.join("target/schema.json"),
    }
}

fn document() -> Result<Value, String> {
    let mut generator = SchemaSettings::draft07().into_generator();
    let mut kinds = Map::new();
    for &kind in Kind::ALL {
        kinds.insert(format!("{} {}", kind.api_version(), kind.as_str()), add(kind, &mut generator).into());
    }
    let mut definitions = generator.take_definitions(true);
    for (definition, field, values) in enums::VALUES {
        // A name that is not there is a typing error here or a change in Kubernetes: say so.
        let schema = definitions
            .get_mut(*definition)
            .and_then(|d| d.pointer_mut(&format!("/properties/{field}")))
            .and_then(Value::as_object_mut)
            .ok_or_else(|| format!("{definition} has no field {field}: correct schema/src/enums.rs"))?;
        // Of a list, the values are its items'.
        match schema.get_mut("items").and_then(Value::as_object_mut) {
            Some(items) => items.insert("enum".into(), json!(values)),
            None => schema.insert("enum".into(), json!(values)),
        };
    }
    Ok(json!({ "kinds": kinds, "definitions": definitions }))
}

/// Registers a kind and, through it, every type it is made of; returns its definition's name. The
/// match has no wildcard: a new row in the table of kinds does not compile until it is here too.
fn add(kind: Kind, generator: &mut SchemaGenerator) -> String {
    macro_rules! kinds {
        ($($kind:ident)*) => { match kind { $(Kind::$kind => {
            generator.subschema_for::<types::$kind>();
            <types::$kind as JsonSchema>::schema_name().into_owned()
        })* } };
    }
    kinds! {
        Namespace Node Pod Service ServiceAccount ConfigMap Secret Event PersistentVolumeClaim
        PersistentVolume StorageClass Lease Deployment ReplicaSet PodDisruptionBudget PriorityClass
        StatefulSet DaemonSet Job CronJob Endpoints EndpointSlice
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(doc["kinds"].as_object().map(Map::len), Some(Kind::ALL.len()));
    }
}
