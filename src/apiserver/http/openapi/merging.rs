//! How fields merge, as extensions of the schema (`x-kubernetes-…`): from these kubectl works out its
//! patches.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::api::Kind;
use crate::api::patch::{Field, ListType, Shape, Type, type_of};

/// The structs of these kinds by name.
pub(super) fn types(kinds: &[Kind]) -> BTreeMap<&'static str, &'static Type> {
    let mut all = BTreeMap::new();
    let mut next: Vec<&'static Type> = kinds.iter().map(|k| type_of(*k)).collect();
    while let Some(t) = next.pop() {
        if all.insert(t.name, t).is_none() {
            next.extend(t.fields.iter().filter_map(|f| f.shape.as_struct()));
        }
    }
    all
}

/// Adds to a field's schema what there is to say.
pub(super) fn say(field: &Field, schema: &mut Value) {
    let strategies = [(field.merge, "merge"), (field.replace, "replace"), (field.retain_keys, "retainKeys")];
    let named: Vec<&str> = strategies.iter().filter(|(there, _)| *there).map(|(_, name)| *name).collect();
    if !named.is_empty() {
        schema["x-kubernetes-patch-strategy"] = named.join(",").into();
    }
    if !field.merge_key.is_empty() {
        schema["x-kubernetes-patch-merge-key"] = field.merge_key.into();
    }
    match field.list_type {
        Some(ListType::Atomic) => schema["x-kubernetes-list-type"] = "atomic".into(),
        Some(ListType::Set) => schema["x-kubernetes-list-type"] = "set".into(),
        Some(ListType::Map(keys)) => {
            schema["x-kubernetes-list-type"] = "map".into();
            schema["x-kubernetes-list-map-keys"] = json!(keys);
        }
        None => {}
    }
    if field.atomic && !matches!(field.shape, Shape::List(_)) {
        schema["x-kubernetes-map-type"] = "atomic".into();
    }
}
