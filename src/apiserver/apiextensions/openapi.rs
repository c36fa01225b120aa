//! A custom kind in the OpenAPI documents that the API server publishes
//! (`pkg/controller/openapi/builder` and `v2`).

use serde_json::{Map, Value, json};

use super::go_json::float_value;
use super::schema::{AdditionalProperties, Structural, validate};
use super::types::{CustomResourceDefinition, CustomResourceDefinitionVersion};
use crate::api::to_value;
use crate::apiserver::validation::{Path, text};

const API_VERSION: &str = "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const KIND: &str = "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const METADATA: &str = "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
const EMBEDDED_API_VERSION: &str = "apiVersion defines the versioned schema of this representation of an object. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const EMBEDDED_KIND: &str = "kind is a string value representing the type of this object. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const LIST_METADATA: &str = "Standard list metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const META_PREFIX: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/// The name that a kind has in a document: `com.example.v1.Widget`.
pub fn model_name(group: &str, version: &str, kind: &str) -> String {
    let parts: Vec<&str> = group.split('.').rev().collect();
    format!("{}.{version}.{kind}", parts.join("."))
}

/// The schemas of a kind and of its lists, by name, for `components.schemas` of version 3. What they
/// refer to, ObjectMeta and ListMeta, has to stand beside them.
pub fn v3(crd: &CustomResourceDefinition, version: &str) -> Vec<(String, Value)> {
    publish(crd, version, false)
}

/// The schemas of [`v3`] for `definitions` of version 2, in which schemas can say less.
pub fn v2(crd: &CustomResourceDefinition, version: &str) -> Vec<(String, Value)> {
    publish(crd, version, true)
}

fn publish(crd: &CustomResourceDefinition, name: &str, older: bool) -> Vec<(String, Value)> {
    let Some(version) = crd.spec.versions.iter().find(|v| v.name == name) else { return Vec::new() };
    let kind = crd.spec.names.kind.as_str();
    let list_kind = text(&crd.spec.names.list_kind);
    let gvk = |kind: &str| json!([{"group": crd.spec.group, "version": name, "kind": kind}]);
    let selectable: Vec<Value> = (version.selectable_fields.iter().flatten())
        .map(|f| json!({"fieldPath": f.json_path.strip_prefix('.').unwrap_or(&f.json_path)}))
        .collect();

    let item = model_name(&crd.spec.group, name, kind);
    let mut object = native(crd, version, older);
    let mut list = json!({
        "type": "object",
        "description": format!("{list_kind} is a list of {kind}"),
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string", "description": API_VERSION},
            "kind": {"type": "string", "description": KIND},
            "items": {
                "type": "array",
                "description": format!("List of {}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md", crd.spec.names.plural),
                "items": {"$ref": reference(&item, older)},
            },
            "metadata": described_reference("ListMeta", LIST_METADATA, older),
        },
    });
    for (schema, kind) in [(&mut object, kind), (&mut list, list_kind)] {
        schema["x-kubernetes-group-version-kind"] = gvk(kind);
        if !selectable.is_empty() {
            schema["x-kubernetes-selectable-fields"] = selectable.clone().into();
        }
    }
    vec![(item, object), (model_name(&crd.spec.group, name, list_kind), list)]
}

fn reference(name: &str, older: bool) -> String {
    let at = if older { "#/definitions/" } else { "#/components/schemas/" };
    format!("{at}{name}")
}

/// A reference to a type of metadata. In version 3 nothing may stand beside a reference itself.
fn described_reference(name: &str, description: &str, older: bool) -> Value {
    let reference = json!({"$ref": reference(&format!("{META_PREFIX}{name}"), older)});
    let mut out = if older { reference } else { json!({"allOf": [reference]}) };
    out["description"] = description.into();
    out
}

/// The schema of an object with what every object has.
fn native(crd: &CustomResourceDefinition, version: &CustomResourceDefinitionVersion, older: bool) -> Value {
    let preserves = crd.spec.preserve_unknown_fields == Some(true);
    let schema = version.schema.as_ref().and_then(|s| s.open_api_v3_schema.as_ref());
    let structural = schema.and_then(|s| Structural::new(s).ok());
    let Some(mut structural) = structural.filter(|s| validate(s, &Path::new("")).is_empty()) else {
        return json!({"type": "object"});
    };
    // kubectl would refuse what it does not find there.
    if older && (preserves || structural.preserve_unknown_fields) {
        return json!({"type": "object"});
    }
    structural.unfold();
    if older {
        structural.visit_mut(&mut simplify);
    }
    let mut out = document(&structural, older);
    properties(&mut out, API_VERSION, KIND, older);
    Value::Object(out)
}

fn properties(schema: &mut Map<String, Value>, api_version: &str, kind: &str, older: bool) {
    let properties = schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    properties["apiVersion"] = json!({"type": "string", "description": api_version});
    properties["kind"] = json!({"type": "string", "description": kind});
    properties["metadata"] = described_reference("ObjectMeta", METADATA, older);
}

/// Takes out of a schema what version 2 does not have, or what kubectl would misunderstand there.
fn simplify(s: &mut Structural) {
    s.default = None;
    s.value.all_of.clear();
    s.value.any_of.clear();
    s.value.one_of.clear();
    s.value.not = None;
    if s.nullable {
        s.type_.clear();
        s.nullable = false;
        s.items = None;
        s.properties.clear();
    }
    if s.preserve_unknown_fields {
        s.items = None;
        s.properties.clear();
    }
    if (s.items.is_none() && s.type_ == "array") || (s.preserve_unknown_fields && s.type_ == "object") {
        s.type_.clear();
    }
    let properties = &s.properties;
    s.value.required.retain(|name| properties.get(name).is_none_or(|p| !p.nullable));
    if s.additional_schema().is_some_and(|p| p.nullable) {
        s.value.required.clear();
    }
}

/// A schema as JSON.
fn document(s: &Structural, older: bool) -> Map<String, Value> {
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| {
        let empty = match &value {
            Value::Null => true,
            Value::Bool(b) => !b,
            Value::String(s) => s.is_empty(),
            Value::Array(a) => a.is_empty(),
            Value::Object(o) => o.is_empty(),
            Value::Number(_) => false,
        };
        if !empty {
            out.insert(name.to_owned(), value);
        }
    };
    let below = |s: &Structural| Value::Object(document(s, older));
    let list = |l: &[Structural]| Value::Array(l.iter().map(below).collect());
    let number = |n: Option<f64>| n.map_or(Value::Null, float_value);
    let v = &s.value;
    put("type", s.type_.as_str().into());
    put("title", s.title.as_str().into());
    put("description", s.description.as_str().into());
    put("nullable", s.nullable.into());
    put("externalDocs", s.external_docs.as_ref().map_or(Value::Null, to_value));
    put("x-kubernetes-preserve-unknown-fields", s.preserve_unknown_fields.into());
    put("x-kubernetes-embedded-resource", s.embedded_resource.into());
    put("x-kubernetes-int-or-string", s.int_or_string.into());
    put("x-kubernetes-list-map-keys", s.list_map_keys.clone().into());
    put("x-kubernetes-list-type", s.list_type.clone().into());
    put("x-kubernetes-map-type", s.map_type.clone().into());
    put("x-kubernetes-validations", s.rules.iter().map(to_value).collect());
    put("format", v.format.as_str().into());
    put("maximum", number(v.maximum));
    put("exclusiveMaximum", v.exclusive_maximum.into());
    put("minimum", number(v.minimum));
    put("exclusiveMinimum", v.exclusive_minimum.into());
    put("maxLength", v.max_length.into());
    put("minLength", v.min_length.into());
    put("pattern", v.pattern.as_str().into());
    put("maxItems", v.max_items.into());
    put("minItems", v.min_items.into());
    put("multipleOf", number(v.multiple_of));
    put("enum", v.enumeration.clone().into());
    put("maxProperties", v.max_properties.into());
    put("minProperties", v.min_properties.into());
    put("required", v.required.clone().into());
    put("allOf", list(&v.all_of));
    put("oneOf", list(&v.one_of));
    put("anyOf", list(&v.any_of));
    put("not", v.not.as_deref().map_or(Value::Null, below));
    put("items", s.items.as_deref().map_or(Value::Null, below));
    put("properties", Value::Object(s.properties.iter().map(|(k, s)| (k.clone(), below(s))).collect()));
    match &s.additional_properties {
        Some(AdditionalProperties::Schema(s)) => put("additionalProperties", below(s)),
        Some(AdditionalProperties::Bool(b)) => {
            out.insert("additionalProperties".to_owned(), (*b).into());
        }
        None => {}
    }
    // These may be false, zero or empty.
    for (name, value) in [("default", &s.default), ("example", &s.example)] {
        if let Some(value) = value {
            out.insert(name.to_owned(), value.clone());
        }
    }
    if s.embedded_resource && !(older && s.preserve_unknown_fields) {
        properties(&mut out, EMBEDDED_API_VERSION, EMBEDDED_KIND, older);
        let required = out.entry("required").or_insert_with(|| Value::Array(Vec::new()));
        for name in ["kind", "apiVersion"] {
            if let Value::Array(names) = required
                && !names.iter().any(|n| n == name)
            {
                names.push(name.into());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn crd() -> CustomResourceDefinition {
        serde_json::from_value(json!({
            "metadata": {"name": "widgets.stable.example.com"},
            "spec": {
                "group": "stable.example.com", "scope": "Namespaced",
                "names": {"plural": "widgets", "kind": "Widget", "listKind": "WidgetList"},
                "versions": [{"name": "v1", "served": true, "storage": true,
                    "selectableFields": [{"jsonPath": ".spec.size"}],
                    "schema": {"openAPIV3Schema": {"type": "object", "description": "A widget.", "properties": {
                        "spec": {"type": "object", "required": ["size", "note"], "properties": {
                            "size": {"x-kubernetes-int-or-string": true, "default": 3},
                            "note": {"type": "string", "nullable": true, "maxLength": 5},
                            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                        }},
                    }}}}],
            },
        }))
        .unwrap()
    }

    #[test]
    fn version_3_has_the_whole_schema() {
        let models = v3(&crd(), "v1");
        let (name, widget) = &models[0];
        assert_eq!(name, "com.example.stable.v1.Widget");
        let meta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
        assert_eq!(widget["properties"]["metadata"]["allOf"][0]["$ref"], meta);
        assert_eq!(widget["description"], "A widget.");
        assert_eq!(
            widget["x-kubernetes-group-version-kind"],
            json!([{"group": "stable.example.com", "version": "v1", "kind": "Widget"}])
        );
        assert_eq!(widget["x-kubernetes-selectable-fields"], json!([{"fieldPath": "spec.size"}]));
        let spec = &widget["properties"]["spec"]["properties"];
        assert_eq!(
            spec["size"],
            json!({"anyOf": [{"type": "integer"}, {"type": "string"}], "default": 3, "x-kubernetes-int-or-string": true})
        );
        assert_eq!(spec["note"], json!({"type": "string", "nullable": true, "maxLength": 5}));
        let (name, list) = &models[1];
        assert_eq!(name, "com.example.stable.v1.WidgetList");
        assert_eq!(
            list["properties"]["items"]["items"]["$ref"],
            "#/components/schemas/com.example.stable.v1.Widget"
        );
    }

    #[test]
    fn version_2_says_less() {
        let models = v2(&crd(), "v1");
        let spec = &models[0].1["properties"]["spec"];
        // Of nullable fields none is required any more, and none has a type.
        assert_eq!(spec["required"], json!(["size"]));
        assert_eq!(
            spec["properties"],
            json!({
                "size": {"x-kubernetes-int-or-string": true},
                "note": {"maxLength": 5},
                "free": {"x-kubernetes-preserve-unknown-fields": true},
            })
        );
    }
}
