//! What a schema asks of itself by `x-kubernetes-list-type`.

use std::collections::BTreeSet;

use super::super::go_json;
use super::super::types::{JSONSchemaProps, JSONSchemaPropsOrArray};
use super::items;
use crate::apiserver::validation::{BadValue, Errors, FieldError, Path, json_strings, text};

/// How many bytes of keys the errors about the keys of a list quote in all. Each of them quotes all keys.
const QUOTED: usize = 1 << 20;

/// A list of maps has keys, and its items have them as single values.
pub(super) fn list_of_maps(errs: &mut Errors, s: &JSONSchemaProps, keys: &[String], path: &Path) {
    let keys_at = path.child("x-kubernetes-list-map-keys");
    let items_at = path.child("items");
    if keys.is_empty() {
        let detail = "must not be empty if x-kubernetes-list-type is map";
        errs.push(FieldError::required(&keys_at, detail));
    }
    let is = match &s.items {
        None => {
            let detail = "must have a schema if x-kubernetes-list-type is map";
            errs.push(FieldError::required(&items_at, detail));
            return;
        }
        Some(items @ JSONSchemaPropsOrArray::Schemas(_)) => {
            let value = BadValue::Json(go_json::items(items));
            let detail = "must only have a single schema if x-kubernetes-list-type is map";
            errs.push(FieldError::invalid(&items_at, value, detail));
            return;
        }
        Some(JSONSchemaPropsOrArray::Schema(items)) => items,
    };
    let type_ = text(&is.type_);
    if type_ != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        errs.push(FieldError::invalid(&items_at.child("type"), type_, detail));
        return;
    }
    let mut seen = BTreeSet::new();
    let before = errs.len();
    let most = 1 + QUOTED / keys.iter().map(|key| key.len() + 3).sum::<usize>().max(1);
    for key in keys {
        if errs.len() - before >= most {
            break;
        }
        match is.properties.as_ref().and_then(|p| p.get(key)) {
            Some(property) if matches!(text(&property.type_), "array" | "object") => {
                let at = items_at.child("properties").key(key).child("type");
                let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                errs.push(FieldError::invalid(&at, type_, detail));
            }
            Some(_) => {}
            None => {
                let detail = "entries must all be names of item properties";
                errs.push(FieldError::invalid(&keys_at, json_strings(keys), detail));
            }
        }
        if !seen.insert(key) {
            let detail = "must not contain duplicate entries";
            errs.push(FieldError::invalid(&keys_at, json_strings(keys), detail));
        }
    }
}

/// Whether a schema is one of a set whose items have parts that could be changed by themselves.
pub(super) fn has_set_of_parts(s: &JSONSchemaProps) -> bool {
    if s.x_kubernetes_list_type.as_deref() != Some("set") {
        return false;
    }
    items(s).is_some_and(|is| match text(&is.type_) {
        "array" => is.x_kubernetes_list_type.as_deref().is_some_and(|t| t != "atomic"),
        "object" => is.x_kubernetes_map_type.as_deref() != Some("atomic"),
        _ => false,
    })
}

/// The items of sets and lists of maps are there, and so are the keys of the latter.
pub(super) fn map_keys(s: &JSONSchemaProps, path: &Path) -> Errors {
    let mut errs = Errors::new();
    let (Some(is), Some(list_type @ ("set" | "map"))) = (items(s), s.x_kubernetes_list_type.as_deref())
    else {
        return errs;
    };
    let at = path.child("items");
    if is.nullable == Some(true) {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        errs.push(FieldError::forbidden(&at.child("nullable"), detail));
    }
    if list_type == "set" {
        return errs;
    }
    const KEY: &str = "this property is in x-kubernetes-list-map-keys";
    let required = is.required.as_deref().unwrap_or_default();
    for key in s.x_kubernetes_list_map_keys.iter().flatten() {
        let Some(property) = is.properties.as_ref().and_then(|p| p.get(key)) else { continue };
        let at = at.child("properties").key(key);
        if !required.contains(key) && property.default.is_none() {
            let detail = format!("{KEY}, so it must have a default or be a required property");
            errs.push(FieldError::required(&at.child("default"), detail));
        }
        if property.nullable == Some(true) {
            let detail = format!("{KEY}, so it cannot be nullable");
            errs.push(FieldError::forbidden(&at.child("nullable"), detail));
        }
    }
    errs
}
