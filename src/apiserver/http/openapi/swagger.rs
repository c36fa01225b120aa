//! `/openapi/v2`, made of the documents of version 3: what kubectl falls back on for kinds it finds no
//! document of, and all that kubectl before 1.28 asks. Such clients want it in protobuf, as the messages
//! of gnostic (`github.com/google/gnostic-models/openapiv2`).

use serde_json::{Map, Value, json};

use super::{SCHEMAS, Texts};
use crate::api::{Kind, release};
use crate::apiserver::apiextensions::Definitions;

/// The type of the document in protobuf.
pub(in crate::apiserver::http) const PROTOBUF: &str =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// Whether a client wants it in protobuf.
pub(in crate::apiserver::http) fn wants_protobuf(accept: &str) -> bool {
    let ranges = accept.split(',').filter_map(|r| r.split(';').next()).map(str::trim);
    ranges.take(1).any(|r| r == PROTOBUF || r == "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
}

/// The document.
pub(in crate::apiserver::http) fn document(custom: &Definitions, texts: Option<&Texts>) -> Value {
    let (mut paths, mut definitions) = super::custom::older(custom);
    // Lists of custom objects refer to ListMeta, which no struct of a built-in kind contains.
    let core = texts.and_then(|t| t.get(Kind::CONFIG_MAP.api_version()));
    definitions.extend(super::custom::metadata(core).into_iter().map(|(name, schema)| (name, older(schema))));
    let index = super::index(&Definitions::default(), &|_| None);
    for path in index["paths"].as_object().into_iter().flat_map(Map::keys) {
        let Some(mut document) = super::built_in(path, texts) else { continue };
        if let Value::Object(more) = document["paths"].take() {
            paths.extend(more);
        }
        if let Value::Object(more) = document["components"]["schemas"].take() {
            definitions.extend(more.into_iter().map(|(name, schema)| (name, older(schema))));
        }
    }
    for operation in paths.values_mut().filter_map(|p| p.get_mut("patch")) {
        operation["responses"] = json!({"200": {"description": "OK"}});
        let patches = operation["requestBody"]["content"].as_object().cloned().unwrap_or_default();
        operation["consumes"] = patches.keys().map(String::as_str).collect();
        if let Value::Object(operation) = operation {
            operation.remove("requestBody");
        }
        for p in operation["parameters"].as_array_mut().into_iter().flatten() {
            // What a parameter is stands beside its name.
            p["type"] = p["schema"]["type"].take();
            if let Value::Object(p) = p {
                p.remove("schema");
            }
        }
    }
    json!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": release::GIT_VERSION},
        "paths": paths,
        "definitions": definitions,
    })
}

/// A schema as version 2 has it: no `oneOf`, no defaults, and text beside references.
fn older(schema: Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let mut out = Map::new();
            for (name, value) in fields {
                match name.as_str() {
                    // Names of fields, which may be called as what follows is.
                    "properties" => {
                        let fields = value.as_object().cloned().unwrap_or_default();
                        let fields: Map<String, Value> =
                            fields.into_iter().map(|(n, schema)| (n, older(schema))).collect();
                        out.insert(name, fields.into());
                    }
                    "default" => {}
                    "oneOf" => {
                        out.insert("type".into(), "string".into());
                    }
                    "allOf" => {
                        if let Value::Object(only) = older(value.get(0).cloned().unwrap_or_default()) {
                            out.extend(only);
                        }
                    }
                    "$ref" => {
                        let name = value.as_str().unwrap_or_default().replace(SCHEMAS, "#/definitions/");
                        out.insert("$ref".into(), name.into());
                    }
                    _ => {
                        out.insert(name, older(value));
                    }
                }
            }
            Value::Object(out)
        }
        Value::Array(items) => items.into_iter().map(older).collect(),
        other => other,
    }
}

/// A message while it is written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut n: usize) {
        while n > 0x7f {
            self.0.push((n & 0x7f) as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    fn bytes(&mut self, number: usize, bytes: &[u8]) {
        self.varint(number << 3 | 2);
        self.varint(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    /// A text, if there is one.
    fn text(&mut self, number: usize, text: &Value) {
        if let Some(text) = text.as_str() {
            self.bytes(number, text.as_bytes());
        }
    }

    fn message(&mut self, number: usize, message: &Message) {
        self.bytes(number, &message.0);
    }

    /// Texts, one by one.
    fn texts(&mut self, number: usize, texts: &Value) {
        texts.as_array().into_iter().flatten().for_each(|t| self.text(number, t));
    }

    /// Any value: as YAML, which JSON is.
    fn any(value: &Value) -> Message {
        let mut any = Message::default();
        any.bytes(2, value.to_string().as_bytes());
        any
    }

    /// A name and what it stands for.
    fn named(name: &str, value: &Message) -> Message {
        let mut named = Message::default();
        named.bytes(1, name.as_bytes());
        named.message(2, value);
        named
    }

    /// All that begins with `x-`.
    fn extensions(&mut self, number: usize, of: &Value) {
        for (name, value) in of.as_object().into_iter().flatten().filter(|(n, _)| n.starts_with("x-")) {
            self.message(number, &Message::named(name, &Message::any(value)));
        }
    }
}

/// The document in protobuf.
pub(in crate::apiserver::http) fn to_protobuf(document: &Value) -> Vec<u8> {
    let mut out = Message::default();
    out.text(1, &document["swagger"]);
    let mut info = Message::default();
    info.text(1, &document["info"]["title"]);
    info.text(2, &document["info"]["version"]);
    out.message(2, &info);
    let mut paths = Message::default();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        let mut one = Message::default();
        one.message(8, &operation(&item["patch"]));
        paths.message(2, &Message::named(path, &one));
    }
    out.message(8, &paths);
    let mut definitions = Message::default();
    for (name, of) in document["definitions"].as_object().into_iter().flatten() {
        definitions.message(1, &Message::named(name, &schema(of)));
    }
    out.message(9, &definitions);
    out.0
}

fn operation(of: &Value) -> Message {
    let mut out = Message::default();
    out.texts(7, &of["consumes"]);
    for p in of["parameters"].as_array().into_iter().flatten() {
        let mut query = Message::default();
        query.text(2, &p["in"]);
        query.text(4, &p["name"]);
        query.text(6, &p["type"]);
        // A parameter that is not the body, and stands in the query.
        let nested = [3, 2, 1].into_iter().fold(query, |inner, number| {
            let mut outer = Message::default();
            outer.message(number, &inner);
            outer
        });
        out.message(8, &nested);
    }
    let mut responses = Message::default();
    for (code, response) in of["responses"].as_object().into_iter().flatten() {
        let (mut inner, mut value) = (Message::default(), Message::default());
        inner.text(1, &response["description"]);
        value.message(1, &inner);
        responses.message(1, &Message::named(code, &value));
    }
    out.message(9, &responses);
    out.extensions(13, of);
    out
}

fn schema(of: &Value) -> Message {
    let mut out = Message::default();
    out.text(1, &of["$ref"]);
    out.text(2, &of["format"]);
    out.text(4, &of["description"]);
    out.texts(19, &of["required"]);
    for value in of["enum"].as_array().into_iter().flatten() {
        out.message(20, &Message::any(value));
    }
    let mut wrapped = |number: usize, inner: &Value| {
        if !inner.is_null() {
            let mut item = Message::default();
            item.message(1, &schema(inner));
            out.message(number, &item);
        }
    };
    wrapped(21, &of["additionalProperties"]);
    wrapped(23, &of["items"]);
    if of["type"].is_string() {
        let mut kind = Message::default();
        kind.text(1, &of["type"]);
        out.message(22, &kind);
    }
    if let Some(fields) = of["properties"].as_object() {
        let mut properties = Message::default();
        for (name, field) in fields {
            properties.message(1, &Message::named(name, &schema(field)));
        }
        out.message(25, &properties);
    }
    out.extensions(31, of);
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_older_document_has_everything() {
        let doc = document(&Definitions::default(), None);
        let deployment = &doc["definitions"]["io.k8s.api.v1.Deployment"];
        assert_eq!(deployment["properties"]["spec"]["$ref"], "#/definitions/io.k8s.api.v1.DeploymentSpec");
        assert_eq!(deployment["x-kubernetes-group-version-kind"][0]["kind"], "Deployment");
        let text = doc.to_string();
        // A JSON schema of a definition has fields of these names; they hold objects.
        assert!(!text.contains(r#""oneOf":["#) && !text.contains(r#""allOf":["#) && !text.contains(SCHEMAS));
        let patch = &doc["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"];
        assert_eq!(
            patch["parameters"][2],
            json!({"name": "fieldValidation", "in": "query", "type": "string"})
        );
        // `swagger` is the first field of the message.
        assert!(to_protobuf(&doc).starts_with(b"\x0a\x032.0\x12"));
        assert!(wants_protobuf("application/com.github.proto-openapi.spec.v2@v1.0+protobuf"));
        assert!(!wants_protobuf("application/json"));
    }
}
