//! The metadata of embedded objects: `x-kubernetes-embedded-resource`
//! (`pkg/apiserver/schema/objectmeta`).

use serde_json::{Map, Value};

use super::go_json::bad_value;
use super::schema::Structural;
use crate::api::go_types::StrictError;
use crate::api::types::ObjectMeta;
use crate::api::{go_types, order};
use crate::apiserver::validation::{
    Errors, FieldError, Path, dns1035_label, name_is_path_segment, object_meta_at,
};

/// Brings the metadata of an object and of all that are embedded in it into form: fields that metadata
/// does not have are taken out. Gives their paths, sorted.
///
/// `is_resource_root`: the object itself is one with metadata. `drop_invalid`: what has the wrong type
/// is taken out, too.
///
/// # Errors
/// The first `apiVersion`, `kind` or `metadata` that has the wrong type, unless those are dropped.
pub fn coerce(
    object: &mut Value,
    schema: &Structural,
    is_resource_root: bool,
    drop_invalid: bool,
) -> Result<Vec<String>, FieldError> {
    let mut coercer = Coercer { drop_invalid, unknown: Vec::new() };
    let resource = is_resource_root || schema.embedded_resource;
    coercer.coerce(object, schema, resource, &Path::new(""))?;
    order::sort(&mut coercer.unknown);
    Ok(coercer.unknown)
}

/// The same for the metadata of the object itself, without looking further into it. A field of the
/// wrong type is dropped if `drop_invalid` says so.
///
/// # Errors
/// What has the wrong type, in the words of Go's decoder.
pub fn coerce_own(object: &mut Value, drop_invalid: bool) -> Result<Vec<String>, String> {
    let Some(metadata) = object.get_mut("metadata") else { return Ok(Vec::new()) };
    let (coerced, unknown) = decode(metadata, drop_invalid)?;
    *metadata = coerced;
    Ok(unknown.into_iter().map(|field| format!("metadata.{field}")).collect())
}

/// Metadata as it is stored, and which of its fields are none.
fn decode(metadata: &Value, drop_invalid: bool) -> Result<(Value, Vec<String>), String> {
    let into = go_types::object_meta();
    match go_types::decode(into, &metadata.into()) {
        Ok(decoded) => Ok((normal(decoded.value), unknown(&decoded.strict))),
        Err(error) if !drop_invalid => Err(error),
        Err(_) => {
            let Value::Object(map) = metadata else {
                return Err(format!(
                    "invalid metadata: expected object, got {}",
                    go_types::go_type(metadata)
                ));
            };
            // Field by field, so that only those go that are wrong.
            let mut out = Map::new();
            let mut strict = Vec::new();
            for (name, value) in map {
                let field = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
                if let Ok(decoded) = go_types::decode(into, &(&field).into()) {
                    strict.extend(unknown(&decoded.strict));
                    if let Value::Object(fields) = decoded.value {
                        out.extend(fields);
                    }
                }
            }
            Ok((normal(Value::Object(out)), strict))
        }
    }
}

/// Metadata without what Go leaves out when it is empty.
fn normal(metadata: Value) -> Value {
    let Value::Object(mut map) = metadata else { return Value::Object(Map::new()) };
    map.retain(|_, value| match value {
        Value::Null => false,
        Value::String(s) => !s.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
        _ => true,
    });
    if map.get("generation").is_some_and(|g| g == 0) {
        map.remove("generation");
    }
    Value::Object(map)
}

/// The fields that a strict decoder complained of.
fn unknown(strict: &[StrictError]) -> Vec<String> {
    strict.iter().filter(|error| !error.duplicate).map(|error| error.path.clone()).collect()
}

struct Coercer {
    drop_invalid: bool,
    unknown: Vec<String>,
}

impl Coercer {
    fn coerce(
        &mut self,
        value: &mut Value,
        schema: &Structural,
        resource: bool,
        path: &Path,
    ) -> Result<(), FieldError> {
        match value {
            Value::Object(map) => {
                if resource {
                    self.own(map, path)?;
                }
                for (name, value) in map {
                    if let Some(s) = schema.properties.get(name) {
                        self.coerce(value, s, s.embedded_resource, &path.named(name))?;
                    } else if let Some(s) = schema.additional_schema() {
                        self.coerce(value, s, s.embedded_resource, &path.key(name))?;
                    }
                }
            }
            Value::Array(items) => {
                let Some(s) = schema.items.as_deref() else { return Ok(()) };
                for (i, item) in items.iter_mut().enumerate() {
                    self.coerce(item, s, s.embedded_resource, &path.index(i))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn own(&mut self, map: &mut Map<String, Value>, path: &Path) -> Result<(), FieldError> {
        for name in ["apiVersion", "kind"] {
            if let Some(value) = map.get(name).filter(|v| !v.is_string()) {
                if !self.drop_invalid {
                    return Err(FieldError::invalid(&path.child(name), bad_value(value), "must be a string"));
                }
                map.remove(name);
            }
        }
        let Some(metadata) = map.get_mut("metadata") else { return Ok(()) };
        let at = path.child("metadata");
        match decode(metadata, self.drop_invalid) {
            Ok((coerced, unknown)) => {
                *metadata = coerced;
                self.unknown.extend(unknown.into_iter().map(|field| format!("{at}.{field}")));
            }
            Err(error) if !self.drop_invalid => {
                return Err(FieldError::invalid(&at, bad_value(metadata), error));
            }
            // It stays as it is.
            Err(_) => {}
        }
        Ok(())
    }
}

/// What is wrong with the metadata of embedded objects, and of the object itself if `is_resource_root`
/// says that it is one.
pub fn validate(object: &Value, schema: &Structural, is_resource_root: bool, path: &Path) -> Errors {
    let mut errs = Errors::new();
    walk(&mut errs, object, schema, is_resource_root || schema.embedded_resource, path);
    errs
}

fn walk(errs: &mut Errors, value: &Value, schema: &Structural, resource: bool, path: &Path) {
    match value {
        Value::Object(map) => {
            if resource {
                embedded(errs, map, path);
            }
            for (name, value) in map {
                if let Some(s) = schema.properties.get(name) {
                    walk(errs, value, s, s.embedded_resource, &path.named(name));
                } else if let Some(s) = schema.additional_schema() {
                    walk(errs, value, s, s.embedded_resource, &path.key(name));
                }
            }
        }
        Value::Array(items) => {
            let Some(s) = schema.items.as_deref() else { return };
            for (i, item) in items.iter().enumerate() {
                walk(errs, item, s, s.embedded_resource, &path.index(i));
            }
        }
        _ => {}
    }
}

fn embedded(errs: &mut Errors, map: &Map<String, Value>, path: &Path) {
    for name in ["apiVersion", "kind"] {
        if !map.contains_key(name) {
            errs.push(FieldError::required(&path.child(name), ""));
        }
    }
    for name in ["apiVersion", "kind"] {
        let Some(value) = map.get(name) else { continue };
        let at = path.child(name);
        let Some(value) = value.as_str() else {
            errs.push(FieldError::invalid(&at, bad_value(value), "must be a string"));
            continue;
        };
        if value.is_empty() {
            errs.push(FieldError::invalid(&at, value, "must not be empty"));
        } else if name == "apiVersion" && value.matches('/').count() > 1 {
            let detail = format!("unexpected GroupVersion string: {value}");
            errs.push(FieldError::invalid(&at, value, detail));
        } else if name == "kind" {
            let bad = dns1035_label(&value.to_lowercase());
            if !bad.is_empty() {
                let detail = format!("may have mixed case, but should otherwise match: {}", bad.join(","));
                errs.push(FieldError::invalid(&at, value, detail));
            }
        }
    }
    let Some(metadata) = map.get("metadata") else { return };
    let at = path.child("metadata");
    match decode(metadata, false).and_then(|(v, _)| meta_of(v)) {
        Err(error) => errs.push(FieldError::invalid(&at, bad_value(metadata), error)),
        Ok(mut meta) => {
            // An embedded object needs no name.
            meta.name.get_or_insert_with(|| "fakename".to_owned());
            let namespaced = meta.namespace.is_some();
            object_meta_at(errs, &meta, namespaced, &name_is_path_segment, &at);
        }
    }
}

/// Metadata as its type.
pub(super) fn meta_of(metadata: Value) -> Result<ObjectMeta, String> {
    serde_json::from_value(metadata).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn embedding() -> Structural {
        let mut schema = Structural::default();
        let inner = Structural { type_: "object".into(), embedded_resource: true, ..Structural::default() };
        schema.properties.insert("emb".into(), inner);
        schema
    }

    #[test]
    fn unknown_metadata_goes_and_is_named() {
        let mut object = json!({"emb": {"metadata": {"name": "p", "bogus": 1}}});
        assert_eq!(coerce(&mut object, &embedding(), false, false).unwrap(), ["emb.metadata.bogus"]);
        assert_eq!(object, json!({"emb": {"metadata": {"name": "p"}}}));
    }

    #[test]
    fn metadata_of_the_wrong_type_is_refused_or_dropped() {
        let mut object = json!({"emb": {"metadata": {"name": "p", "labels": {"x": 5}}}});
        let error = coerce(&mut object, &embedding(), false, false).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"emb.metadata: Invalid value: {"labels":{"x":5},"name":"p"}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"#
        );
        coerce(&mut object, &embedding(), false, true).unwrap();
        assert_eq!(object, json!({"emb": {"metadata": {"name": "p"}}}));
    }

    #[test]
    fn an_embedded_object_needs_a_type_and_no_name() {
        let text = |object| {
            let errs = validate(&object, &embedding(), false, &Path::new(""));
            errs.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(text(json!({"emb": {}})), ["emb.apiVersion: Required value", "emb.kind: Required value"]);
        assert!(text(json!({"emb": {"apiVersion": "v1", "kind": "Pod", "metadata": {}}})).is_empty());
        assert_eq!(
            text(json!({"emb": {"apiVersion": "a/b/c", "kind": "Pod", "metadata": {"name": "a/b"}}})),
            [
                r#"emb.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c"#,
                r#"emb.metadata.name: Invalid value: "a/b": may not contain '/'"#
            ]
        );
    }
}
