//! [`CustomObject`]: an object of a kind that a CustomResourceDefinition made.

use std::rc::Rc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Map, Value};

use super::kinds::Kind;
use super::structs::{self, Reader};

/// An object without a Rust struct: typed metadata, and JSON for all other fields
/// (`k8s.io/apimachinery/pkg/apis/meta/v1/unstructured`).
#[derive(Clone, Debug, PartialEq)]
pub struct CustomObject {
    kind: Kind,
    /// The version that the object is written in, as `example.com/v1`. A custom resource may be served in several.
    api_version: Rc<str>,
    metadata: ObjectMeta,
    /// All fields but `apiVersion`, `kind` and `metadata`.
    fields: Map<String, Value>,
}

impl CustomObject {
    /// Takes a JSON object apart. A value that is no JSON object becomes an object without fields; the reader notes
    /// what of `metadata` does not fit.
    pub(super) fn read(kind: Kind, reader: &mut Reader) -> CustomObject {
        let mut fields = match reader.take() {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        fields.remove("kind");
        let api_version = match fields.remove("apiVersion") {
            Some(Value::String(version)) if !version.is_empty() => version.into(),
            _ => kind.api_version().into(),
        };
        let metadata = match fields.remove("metadata") {
            Some(metadata) => reader.field("metadata", metadata),
            None => ObjectMeta::default(),
        };
        CustomObject { kind, api_version, metadata, fields }
    }

    /// The kind; its handle's preferred version may be another than [`CustomObject::api_version`].
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The version that the object is written in, as `example.com/v1`.
    pub fn api_version(&self) -> &str {
        &self.api_version
    }

    /// The same object said to be of another version, which is all that conversion `None` does.
    #[must_use]
    pub fn in_version(&self, api_version: &str) -> CustomObject {
        CustomObject { api_version: api_version.into(), ..self.clone() }
    }

    /// `metadata`
    pub fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    /// `metadata`, to be changed.
    pub fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    /// All fields but `apiVersion`, `kind` and `metadata`.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// The same, to be changed.
    pub fn fields_mut(&mut self) -> &mut Map<String, Value> {
        &mut self.fields
    }

    /// The whole as JSON.
    pub fn to_value(&self) -> Value {
        let mut map = self.fields.clone();
        map.insert("apiVersion".into(), Value::String(self.api_version.to_string()));
        map.insert("kind".into(), Value::String(self.kind.as_str().to_owned()));
        map.insert("metadata".into(), structs::to_value(&self.metadata));
        Value::Object(map)
    }
}
