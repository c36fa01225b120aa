//! Merging a strategic merge patch into an object or into another patch.

use serde_json::{Map, Value};

use super::PatchError;
use super::lists::{
    self, DELETE_FROM_PRIMITIVE_LIST, DIRECTIVE, RETAIN_KEYS, SET_ELEMENT_ORDER, as_list, go_map, go_type,
    go_value,
};
use super::types::{Field, Schema};
use crate::api::order;

/// What is merged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The API server merges a patch into an object: directives are carried out, nulls delete.
    Server,
    /// kubectl merges two patches: directives and nulls stay.
    Client,
}

const BAD_SET_ORDER: &str = "invalid patch format of setElementOrder list";
const BAD_RETAIN_KEYS: &str = "invalid patch format of retainKeys";
const BAD_PRIMITIVE_LIST: &str = "invalid patch format of primitive list";

fn bad(message: &str) -> PatchError {
    PatchError::BadRequest(message.to_owned())
}

pub(super) fn merge_map(
    mut original: Map<String, Value>,
    mut patch: Map<String, Value>,
    schema: Schema,
    side: Side,
) -> Result<Map<String, Value>, PatchError> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        return match directive.as_str() {
            Some("replace") => {
                patch.remove(DIRECTIVE);
                Ok(patch)
            }
            Some("delete") => Ok(Map::new()),
            _ => Err(bad_directive(directive, &patch)),
        };
    }
    retain_keys(&mut original, &mut patch, side)?;
    set_element_order(&mut original, &mut patch, schema, side)?;
    for (key, change) in patch {
        let delete_list = key.starts_with(DELETE_FROM_PRIMITIVE_LIST);
        if delete_list && side == Side::Client {
            original.insert(key, change);
            continue;
        }
        let key = match delete_list {
            true => directive_field(&key, DELETE_FROM_PRIMITIVE_LIST, BAD_PRIMITIVE_LIST)?.to_owned(),
            false => key,
        };
        if change.is_null() {
            original.remove(&key);
            if side == Side::Server {
                continue;
            }
        }
        match original.remove(&key) {
            Some(Value::Object(old)) if change.is_object() => {
                let Value::Object(new) = change else { continue };
                let (schema, field) = schema.map_field(&key)?;
                let merged = if field.replace { new } else { merge_map(old, new, schema, side)? };
                original.insert(key, Value::Object(merged));
            }
            Some(Value::Array(old)) if change.is_array() => {
                let Value::Array(new) = change else { continue };
                let (schema, field) = schema.list_field(&key)?;
                let merged = merge_list(old, new, schema, field, delete_list, side)?;
                original.insert(key, Value::Array(merged.list));
            }
            Some(old) if delete_list => {
                // There is no list from which items could be deleted.
                original.insert(key, old);
            }
            None if delete_list => {}
            old => {
                let mut change = change;
                let typed = old.as_ref().map(go_type);
                if typed != Some(go_type(&change)) && side == Side::Server {
                    discard_nulls(&mut change);
                }
                if let Some(value) = without_directives(change) {
                    original.insert(key, value);
                }
            }
        }
    }
    Ok(original)
}

fn bad_directive(directive: &Value, map: &Map<String, Value>) -> PatchError {
    PatchError::Internal(format!("unknown patch type: {} in map: {}", go_value(directive), go_map(map)))
}

/// The field that a directive such as `$setElementOrder/containers` is about.
fn directive_field<'a>(key: &'a str, prefix: &str, error: &str) -> Result<&'a str, PatchError> {
    key.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('/')).ok_or_else(|| bad(error))
}

/// `$retainKeys`: removes all other keys of the object.
fn retain_keys(
    original: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
    side: Side,
) -> Result<(), PatchError> {
    let Some(retain) = patch.remove(RETAIN_KEYS) else {
        return Ok(());
    };
    if side == Side::Client {
        return match original.get(RETAIN_KEYS) {
            Some(other) if *other != retain => Err(PatchError::Internal(format!(
                "{} and {} are not deep equal: this may happen when calculating the 3-way diff patch",
                go_value(other),
                go_value(&retain)
            ))),
            Some(_) => Ok(()),
            None => {
                original.insert(RETAIN_KEYS.to_owned(), retain);
                Ok(())
            }
        };
    }
    let Value::Array(retain) = retain else {
        return Err(bad(BAD_RETAIN_KEYS));
    };
    let kept = |key: &str| retain.iter().any(|k| k.as_str() == Some(key));
    let special = |k: &str| k.starts_with(DELETE_FROM_PRIMITIVE_LIST) || k.starts_with(SET_ELEMENT_ORDER);
    if patch.iter().any(|(k, v)| !v.is_null() && !special(k) && !kept(k)) {
        return Err(bad(BAD_RETAIN_KEYS));
    }
    original.retain(|key, _| kept(key));
    Ok(())
}

/// `$setElementOrder/x`: merges the list at once, then sorts it.
fn set_element_order(
    original: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
    schema: Schema,
    side: Side,
) -> Result<(), PatchError> {
    let keys: Vec<String> = patch.keys().filter(|k| k.starts_with(SET_ELEMENT_ORDER)).cloned().collect();
    for key in keys {
        let Some(order) = patch.remove(&key) else { continue };
        if side == Side::Client {
            match original.get(&key) {
                Some(other) if *other != order => return Err(bad(BAD_SET_ORDER)),
                Some(_) => {}
                None => {
                    original.insert(key.clone(), order.clone());
                }
            }
        }
        let order = as_list(&order)?;
        let name = directive_field(&key, SET_ELEMENT_ORDER, BAD_SET_ORDER)?;
        let old = original.get(name).map(|v| as_list(v).cloned()).transpose()?;
        let new = patch.get(name).map(|v| as_list(v).cloned()).transpose()?;
        let (item_schema, field) = schema.list_field(name)?;
        check_order(new.as_deref().unwrap_or_default(), order, field.merge_key)?;
        let maps = match (&old, &new) {
            (None, None) => continue,
            (old, new) => lists::items_are_maps(&[
                old.as_deref().unwrap_or_default(),
                new.as_deref().unwrap_or_default(),
            ]),
        };
        let (merged, server_order) = match (old, new) {
            (Some(old), Some(new)) => {
                let merged = merge_list(old, new, item_schema, field, false, side)?;
                (merged.list, merged.server_order)
            }
            (Some(old), None) => (old.clone(), old),
            (None, new) => match without_directives(Value::Array(new.unwrap_or_default())) {
                Some(Value::Array(list)) => (list, Vec::new()),
                _ => continue,
            },
        };
        let (from_patch, server_only) = lists::partition(merged, order, field.merge_key)?;
        let list =
            lists::normalize_order(from_patch, server_only, order, &server_order, field.merge_key, maps?)?;
        original.insert(name.to_owned(), Value::Array(list));
        patch.remove(name);
    }
    Ok(())
}

/// Checks that the items of a patch are in the order that the patch asks for.
fn check_order(items: &[Value], order: &[Value], merge_key: &str) -> Result<(), PatchError> {
    if items.is_empty() || order.is_empty() {
        return Ok(());
    }
    let mut pending = Vec::new();
    for item in items {
        if !merge_key.is_empty() {
            lists::as_map(item)?;
        }
        if item.get(DIRECTIVE).is_none() {
            pending.push(item);
        }
    }
    let mut pending = pending.into_iter().peekable();
    for wanted in order {
        let Some(item) = pending.peek() else { break };
        let equal = if merge_key.is_empty() {
            *item == wanted
        } else {
            lists::keyed(item, merge_key)?.1 == lists::keyed(wanted, merge_key)?.1
        };
        if equal {
            pending.next();
        }
    }
    if pending.peek().is_some() {
        return Err(PatchError::Internal(format!(
            "The order in patch list:\n{}\n doesn't match {SET_ELEMENT_ORDER} list:\n{}\n",
            go_value(&Value::Array(items.to_vec())),
            go_value(&Value::Array(order.to_vec()))
        )));
    }
    Ok(())
}

/// A merged list.
struct Merged {
    list: Vec<Value>,
    /// The object's items in the order in which Go finds them afterwards. Go merges within the object's own
    /// array, so an added item takes the place of a deleted one.
    server_order: Vec<Value>,
}

fn merge_list(
    original: Vec<Value>,
    patch: Vec<Value>,
    schema: Schema,
    field: &Field,
    delete_list: bool,
    side: Side,
) -> Result<Merged, PatchError> {
    if !field.merge && !delete_list {
        return Ok(Merged { list: patch, server_order: original });
    }
    if original.is_empty() && patch.is_empty() {
        return Ok(Merged { list: Vec::new(), server_order: original });
    }
    let key = field.merge_key;
    if !lists::items_are_maps(&[&original, &patch])? {
        if delete_list && side == Side::Server {
            let list = original.iter().filter(|item| !patch.contains(item)).cloned().collect();
            return Ok(Merged { list, server_order: original });
        }
        let both = original.iter().chain(&patch).cloned().collect();
        let (mine, others) = lists::partition(lists::deduplicate(both), &patch, "")?;
        let list = lists::normalize_order(mine, others, &patch, &original, key, false)?;
        return Ok(Merged { list, server_order: original });
    }
    if key.is_empty() {
        return Err(PatchError::Internal(format!(
            "cannot merge lists without merge key for {}",
            schema.name()
        )));
    }
    let length = original.len();
    let (before, patch, replaced) = special_items(original, patch, key)?;
    let mut merged = before.clone();
    for item in &patch {
        let (map, value) = lists::keyed(item, key)?;
        match lists::find(&merged, key, value)? {
            Some(at) => {
                if let Some(place) = merged.get_mut(at) {
                    let Value::Object(old) = place.take() else { continue };
                    *place = Value::Object(merge_map(old, map.clone(), schema, side)?);
                }
            }
            None => merged.push(item.clone()),
        }
    }
    let server_order = replaced.unwrap_or_else(|| merged.iter().take(length).cloned().collect());
    let (mine, others) = lists::partition(merged, &patch, key)?;
    let list = lists::normalize_order(mine, others, &patch, &before, key, true)?;
    Ok(Merged { list, server_order })
}

type SpecialItems = (Vec<Value>, Vec<Value>, Option<Vec<Value>>);

/// Carries out the items that are directives: `$patch: delete` and `$patch: replace`. Returns the object's
/// items, the items to be merged, and the object's former items if all were replaced.
fn special_items(mut original: Vec<Value>, patch: Vec<Value>, key: &str) -> Result<SpecialItems, PatchError> {
    let mut plain = Vec::new();
    let mut replace = false;
    for item in patch {
        let map = lists::as_map(&item)?;
        let Some(directive) = map.get(DIRECTIVE) else {
            plain.push(item);
            continue;
        };
        match directive.as_str() {
            Some("delete") => {
                let (_, value) = lists::keyed(&item, key)?;
                // An error if an item of the object is not a map.
                lists::find(&original, key, value)?;
                original.retain(|other| other.get(key) != Some(value));
            }
            Some("replace") => replace = true,
            Some("merge") => {
                let message = "merging lists cannot yet be specified in the patch";
                return Err(PatchError::Internal(message.to_owned()));
            }
            _ => return Err(bad_directive(directive, map)),
        }
    }
    Ok(if replace { (plain, Vec::new(), Some(original)) } else { (original, plain, None) })
}

/// Removes the nulls from a new value, for which they have nothing to delete.
fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, v| !v.is_null());
            map.values_mut().for_each(discard_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}

/// Removes the parts of a new value that have a directive; `None` if the value itself has one.
fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(map) if map.contains_key(DIRECTIVE) => None,
        Value::Object(map) => {
            let kept = map.into_iter().filter_map(|(k, v)| Some((k, without_directives(v)?)));
            Some(Value::Object(order::gather(kept)))
        }
        Value::Array(items) => Some(Value::Array(items.into_iter().filter_map(without_directives).collect())),
        other => Some(other),
    }
}

/// What is left of a patch after the API server has merged it. Merging removes directives, and lists that
/// were sorted with them, from the patch, and the refusal shows the rest.
pub(super) fn leftover(original: Option<&Value>, patch: &Value) -> Value {
    let Value::Object(changes) = patch else {
        return patch.clone();
    };
    let ordered = |key: &str| changes.contains_key(&format!("{SET_ELEMENT_ORDER}/{key}"));
    let mut left = Map::new();
    for (key, change) in changes {
        if key == RETAIN_KEYS || key.starts_with(SET_ELEMENT_ORDER) || ordered(key) {
            continue;
        }
        let change = match (original.and_then(|o| o.get(key)), change) {
            (Some(old @ Value::Object(_)), Value::Object(_)) => leftover(Some(old), change),
            (None, new) if !new.is_null() => {
                let mut new = new.clone();
                discard_nulls(&mut new);
                new
            }
            _ => change.clone(),
        };
        left.insert(key.clone(), change);
    }
    Value::Object(left)
}
