//! Lists whose items must differ: `x-kubernetes-list-type` `set` and `map`
//! (`pkg/apiserver/schema/listtype`).

use serde_json::{Map, Value};

use super::go_json::bad_value;
use super::schema::Structural;
use crate::apiserver::validation::{Errors, FieldError, Path};

/// What is there twice in an object's sets, and which keys are there twice in its lists of maps. Only
/// the first repetition of a value is named.
pub fn validate(object: &Value, schema: &Structural, path: &Path) -> Errors {
    let mut errs = Errors::new();
    walk(&mut errs, object, schema, path);
    errs
}

fn walk(errs: &mut Errors, value: &Value, schema: &Structural, path: &Path) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                if let Some(s) = schema.additional_schema() {
                    walk(errs, value, s, &path.key(name));
                }
                if let Some(s) = schema.properties.get(name) {
                    walk(errs, value, s, &path.named(name));
                }
            }
        }
        Value::Array(items) => {
            match schema.list_type.as_deref() {
                Some("set") => {
                    for i in repeated(items) {
                        let item = items.get(i).unwrap_or(&Value::Null);
                        errs.push(FieldError::duplicate(&path.index(i), bad_value(item)));
                    }
                }
                Some("map") => keyed(errs, items, schema, path),
                _ => {}
            }
            if let Some(s) = &schema.items {
                for (i, item) in items.iter().enumerate() {
                    walk(errs, item, s, &path.index(i));
                }
            }
        }
        _ => {}
    }
}

fn keyed(errs: &mut Errors, items: &[Value], schema: &Structural, path: &Path) {
    if let Some((i, item)) = items.iter().enumerate().find(|(_, v)| !v.is_null() && !v.is_object()) {
        let detail = "must be an object for an array of list-type map";
        errs.push(FieldError::invalid(&path.index(i), bad_value(item), detail));
        return;
    }
    let keys: Vec<Value> = items.iter().map(|item| keys_of(item, schema)).collect();
    for i in repeated(&keys) {
        let key = keys.get(i).unwrap_or(&Value::Null);
        errs.push(FieldError::duplicate(&path.index(i), bad_value(key)));
    }
}

/// The keys of an item of a list of maps, with their values; those it does not have are left out.
pub(super) fn keys_of(item: &Value, schema: &Structural) -> Value {
    let mut keys = Map::new();
    for key in &schema.list_map_keys {
        if let Some(value) = item.get(key) {
            keys.insert(key.clone(), value.clone());
        }
    }
    Value::Object(keys)
}

/// Where values stand for the second time.
fn repeated(values: &[Value]) -> Vec<usize> {
    // The text of a value is the same only for equal ones: keys are sorted, text is in quotes.
    let mut seen: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    let mut out = Vec::new();
    for (i, value) in values.iter().enumerate() {
        let times = seen.entry(value.to_string()).or_default();
        *times += 1;
        if *times == 2 {
            out.push(i);
        }
    }
    out
}
