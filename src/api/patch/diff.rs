//! Making the strategic merge patch from one object to another.

use std::cmp::Ordering;

use serde_json::{Map, Value, json};

use super::PatchError;
use super::lists::{
    self, DELETE_FROM_PRIMITIVE_LIST, DIRECTIVE, RETAIN_KEYS, SET_ELEMENT_ORDER, go_type, go_value,
};
use super::types::Schema;

/// What a patch contains.
#[derive(Clone, Copy, Default)]
pub(super) struct Options {
    pub(super) ignore_changes_and_additions: bool,
    pub(super) ignore_deletions: bool,
    /// Whether the field of the map has the strategy `retainKeys`.
    pub(super) retain_keys: bool,
}

pub(super) fn diff_maps(
    original: &Map<String, Value>,
    modified: &Map<String, Value>,
    schema: Schema,
    options: Options,
) -> Result<Map<String, Value>, PatchError> {
    let mut patch = Map::new();
    let change = |patch: &mut Map<String, Value>, key: &str, value: &Value| {
        if !options.ignore_changes_and_additions {
            patch.insert(key.to_owned(), value.clone());
        }
    };
    for (key, new) in modified {
        let Some(old) = original.get(key) else {
            change(&mut patch, key, new);
            continue;
        };
        match (old, new) {
            _ if key == DIRECTIVE => {
                if !(old.is_string() && new.is_string()) {
                    return Err(PatchError::Internal(format!("invalid value for special key: {DIRECTIVE}")));
                }
                if old != new {
                    patch.insert(key.clone(), new.clone());
                }
            }
            (Value::Object(old_map), Value::Object(new_map)) => {
                let (schema, field) = match schema.map_field(key) {
                    Ok(found) => found,
                    // An unknown field matters only if it changes.
                    Err(_) if old == new => continue,
                    Err(e) => return Err(e),
                };
                if field.replace {
                    change(&mut patch, key, new);
                } else {
                    let options = Options { retain_keys: field.retain_keys, ..options };
                    let inner = diff_maps(old_map, new_map, schema, options)?;
                    if !inner.is_empty() {
                        patch.insert(key.clone(), Value::Object(inner));
                    }
                }
            }
            (Value::Array(old_list), Value::Array(new_list)) => {
                let (schema, field) = match schema.list_field(key) {
                    Ok(found) => found,
                    Err(_) if old == new => continue,
                    Err(e) => return Err(e),
                };
                if field.merge {
                    let options = Options { retain_keys: field.retain_keys, ..options };
                    let diff = diff_lists(old_list, new_list, schema, field.merge_key, options)?;
                    for (prefix, list) in [
                        ("", diff.patch),
                        (DELETE_FROM_PRIMITIVE_LIST, diff.delete),
                        (SET_ELEMENT_ORDER, diff.order),
                    ] {
                        if !list.is_empty() {
                            let slash = if prefix.is_empty() { "" } else { "/" };
                            patch.insert(format!("{prefix}{slash}{key}"), Value::Array(list));
                        }
                    }
                } else if old != new {
                    change(&mut patch, key, new);
                }
            }
            _ if go_type(old) != go_type(new) || old != new => change(&mut patch, key, new),
            _ => {}
        }
    }
    if !options.ignore_deletions {
        for key in original.keys().filter(|key| !modified.contains_key(*key)) {
            patch.insert(key.clone(), Value::Null);
        }
    }
    if options.retain_keys {
        let mut keys: Vec<Value> =
            modified.iter().filter(|(_, v)| !v.is_null()).map(|(k, _)| Value::String(k.clone())).collect();
        let dropped = original.iter().any(|(k, v)| !v.is_null() && !modified.contains_key(k));
        if !keys.is_empty() && (!patch.is_empty() || dropped) {
            lists::sort_scalars(&mut keys);
            patch.insert(RETAIN_KEYS.to_owned(), Value::Array(keys));
        }
    }
    Ok(patch)
}

/// The part of a patch that is about a list.
#[derive(Default)]
struct ListDiff {
    patch: Vec<Value>,
    delete: Vec<Value>,
    order: Vec<Value>,
}

fn diff_lists(
    original: &[Value],
    modified: &[Value],
    schema: Schema,
    merge_key: &str,
    options: Options,
) -> Result<ListDiff, PatchError> {
    if original.is_empty() {
        let patch = if options.ignore_changes_and_additions { Vec::new() } else { modified.to_vec() };
        return Ok(ListDiff { patch, ..Default::default() });
    }
    if lists::items_are_maps(&[original, modified])? {
        let (patch, deletions) = diff_lists_of_maps(original, modified, schema, merge_key, options)?;
        let mut patch = lists::in_order_of(patch, modified, merge_key, true)?;
        let same_order = original.len() == modified.len()
            && original.iter().zip(modified).all(|(a, b)| a.get(merge_key) == b.get(merge_key));
        patch.extend(deletions);
        let ordered = (!options.ignore_changes_and_additions && (!patch.is_empty() || !same_order))
            || (!options.ignore_deletions && !patch.is_empty());
        let order = match ordered {
            true => modified.iter().map(|item| json!({merge_key: item.get(merge_key)})).collect(),
            false => Vec::new(),
        };
        return Ok(ListDiff { patch, delete: Vec::new(), order });
    }
    let (patch, delete) = diff_lists_of_scalars(original, modified, options);
    let patch = lists::in_order_of(patch, modified, merge_key, false)?;
    let ordered = (!options.ignore_deletions && !delete.is_empty())
        || (!options.ignore_changes_and_additions && original != modified);
    let order = if ordered { modified.to_vec() } else { Vec::new() };
    Ok(ListDiff { patch, delete, order })
}

fn diff_lists_of_scalars(
    original: &[Value],
    modified: &[Value],
    options: Options,
) -> (Vec<Value>, Vec<Value>) {
    let (mut old, mut new) = (original.to_vec(), modified.to_vec());
    lists::sort_scalars(&mut old);
    lists::sort_scalars(&mut new);
    let (mut add, mut delete) = (Vec::new(), Vec::new());
    let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => break,
            (Some(a), Some(b)) => go_value(a).cmp(&go_value(b)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
        };
        if order != Ordering::Greater {
            let gone = old.next();
            if order == Ordering::Less && !options.ignore_deletions {
                delete.extend(gone);
            }
        }
        if order != Ordering::Less {
            let added = new.next();
            if order == Ordering::Greater && !options.ignore_changes_and_additions {
                add.extend(added);
            }
        }
    }
    (add, lists::deduplicate(delete))
}

fn diff_lists_of_maps(
    original: &[Value],
    modified: &[Value],
    schema: Schema,
    merge_key: &str,
    options: Options,
) -> Result<(Vec<Value>, Vec<Value>), PatchError> {
    let sorted = |list: &[Value]| {
        let mut list = list.to_vec();
        lists::sort_by_merge_key(&mut list, merge_key);
        list
    };
    let (old, new) = (sorted(original), sorted(modified));
    let (mut patch, mut deletions) = (Vec::new(), Vec::new());
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let a = old.peek().map(|item| lists::keyed(item, merge_key)).transpose()?;
        let b = new.peek().map(|item| lists::keyed(item, merge_key)).transpose()?;
        let order = match (a, b) {
            (None, None) => return Ok((patch, deletions)),
            (Some((_, a)), Some((_, b))) => go_value(a).cmp(&go_value(b)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
        };
        if let (Ordering::Equal, Some((a, _)), Some((b, key))) = (order, a, b) {
            let mut inner = diff_maps(a, b, schema, options)?;
            if !inner.is_empty() {
                inner.insert(merge_key.to_owned(), key.clone());
                patch.push(Value::Object(inner));
            }
        } else if let (Ordering::Less, Some((_, key)), false) = (order, a, options.ignore_deletions) {
            deletions.push(json!({merge_key: key, DIRECTIVE: "delete"}));
        } else if let (Ordering::Greater, Some((b, _)), false) =
            (order, b, options.ignore_changes_and_additions)
        {
            patch.push(Value::Object(b.clone()));
        }
        if order != Ordering::Greater {
            old.next();
        }
        if order != Ordering::Less {
            new.next();
        }
    }
}
