//! [`CustomObject`]: an object of a kind that a CustomResourceDefinition defines.

use std::rc::Rc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Map, Value};

use super::kind::Kind;
use super::structs::{self, Reader};

/// An object without a Rust struct: typed metadata, and JSON for all other fields
/// (`k8s.io/apimachinery/pkg/apis/meta/v1/unstructured`).
#[derive(Clone, Debug, PartialEq)]
pub struct CustomObject {
    kind: Kind,
    /// The version in which the object is written, for example `example.com/v1`. A custom resource can have
    /// several.
    api_version: Rc<str>,
    metadata: ObjectMeta,
    /// All fields but `apiVersion`, `kind` and `metadata`.
    fields: Map<String, Value>,
}

impl CustomObject {
    /// Splits a JSON object. A value that is not a JSON object becomes an object without fields. `reader`
    /// notes the parts of `metadata` that do not fit.
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

    /// The object's kind. The version of the handle may differ from [`CustomObject::api_version`].
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The version in which the object is written, for example `example.com/v1`.
    pub fn api_version(&self) -> &str {
        &self.api_version
    }

    /// The object's `metadata`.
    pub fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    /// The object's `metadata`, to be changed.
    pub fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    /// All fields but `apiVersion`, `kind` and `metadata`.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// The whole object as JSON.
    pub fn to_value(&self) -> Value {
        let mut map = self.fields.clone();
        map.insert("apiVersion".into(), Value::String(self.api_version.to_string()));
        map.insert("kind".into(), Value::String(self.kind.as_str().to_owned()));
        map.insert("metadata".into(), structs::to_value(&self.metadata));
        Value::Object(map)
    }
}
