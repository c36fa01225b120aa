//! Lists of scalars, and lists of maps with a merge key: order, duplicates and comparison, as in Go.

use serde_json::{Map, Value};

use super::PatchError;
use crate::api::{go_types, order};

pub(super) const DIRECTIVE: &str = "$patch";
pub(super) const RETAIN_KEYS: &str = "$retainKeys";
pub(super) const DELETE_FROM_PRIMITIVE_LIST: &str = "$deleteFromPrimitiveList";
pub(super) const SET_ELEMENT_ORDER: &str = "$setElementOrder";

/// A value in the format of Go's `%v`: `map[a:1 b:[x y]]`.
pub fn go_value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(s) => s.clone(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(go_value).collect::<Vec<_>>().join(" "))
        }
        Value::Object(map) => go_map(map),
        other => other.to_string(),
    }
}

pub(super) fn go_map(map: &Map<String, Value>) -> String {
    let mut entries: Vec<_> = map.iter().collect();
    order::sort_by_key(&mut entries, |(key, _)| *key);
    let entries: Vec<String> = entries.into_iter().map(|(k, v)| format!("{k}:{}", go_value(v))).collect();
    format!("map[{}]", entries.join(" "))
}

/// The name of a value's type in Go, as `%s` prints the type.
pub(super) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "%!s(<nil>)",
        value => go_types::go_type(value),
    }
}

pub(super) fn bad_type(expected: &str, actual: &Value) -> PatchError {
    PatchError::Internal(format!("expected a {expected}, but received a {}", go_type(actual)))
}

pub(super) fn no_merge_key(map: &Map<String, Value>, key: &str) -> PatchError {
    PatchError::Internal(format!("map: {} does not contain declared merge key: {key}", go_map(map)))
}

pub(super) fn as_map(value: &Value) -> Result<&Map<String, Value>, PatchError> {
    value.as_object().ok_or_else(|| bad_type("map[string]interface {}", value))
}

pub(super) fn as_list(value: &Value) -> Result<&Vec<Value>, PatchError> {
    value.as_array().ok_or_else(|| bad_type("[]interface {}", value))
}

/// The map of an item, and the value of its merge key.
pub(super) fn keyed<'a>(
    item: &'a Value,
    key: &str,
) -> Result<(&'a Map<String, Value>, &'a Value), PatchError> {
    let map = as_map(item)?;
    map.get(key).map(|value| (map, value)).ok_or_else(|| no_merge_key(map, key))
}

/// Whether the lists contain maps. An error if the items have several types.
pub(super) fn items_are_maps(lists: &[&[Value]]) -> Result<bool, PatchError> {
    let mut first: Option<&'static str> = None;
    for item in lists.iter().copied().flatten() {
        let this = go_type(item);
        match first {
            None if item.is_array() => {
                return Err(PatchError::Unprocessable("lists of lists are not supported".to_owned()));
            }
            None => first = Some(this),
            Some(first) if first != this => {
                let all: Vec<Value> = lists.iter().map(|l| Value::Array(l.to_vec())).collect();
                return Err(PatchError::Internal(format!(
                    "list element types are not identical: {}",
                    go_value(&Value::Array(all))
                )));
            }
            Some(_) => {}
        }
    }
    match first {
        Some(t) => Ok(t.starts_with("map")),
        None => Err(PatchError::Internal("no elements in any of the given slices".to_owned())),
    }
}

/// Removes duplicate scalars as Go does: the first of equal items stays, and the last item of the list moves
/// into the place of a removed one.
pub(super) fn deduplicate(mut list: Vec<Value>) -> Vec<Value> {
    let mut i = 0;
    while i < list.len() {
        let mut j = i + 1;
        while j < list.len() {
            if list.get(i) == list.get(j) {
                list.swap_remove(j);
            } else {
                j += 1;
            }
        }
        i += 1;
    }
    list
}

/// Sorts scalars by their text.
pub(super) fn sort_scalars(list: &mut [Value]) {
    order::sort_by_key(list, go_value);
}

/// Sorts maps by the text of their merge key.
pub(super) fn sort_by_merge_key(list: &mut [Value], key: &str) {
    order::sort_by_key(list, |item| item.get(key).map_or_else(|| "<nil>".to_owned(), go_value));
}

/// The index of an item in a list: by merge key for maps, by value for scalars.
fn position(list: &[Value], item: &Value, key: &str, maps: bool) -> Option<usize> {
    if maps {
        list.iter().position(|other| other.get(key) == item.get(key))
    } else {
        list.iter().position(|other| other == item)
    }
}

/// Sorts items in the order of another list. Items with `$patch: delete` come last.
pub(super) fn in_order_of(
    list: Vec<Value>,
    order: &[Value],
    key: &str,
    maps: bool,
) -> Result<Vec<Value>, PatchError> {
    let (list, deletions): (Vec<Value>, Vec<Value>) = if maps {
        for item in list.iter().chain(order) {
            keyed(item, key)?;
        }
        list.into_iter().partition(|item| item.get(DIRECTIVE).and_then(Value::as_str) != Some("delete"))
    } else {
        (list, Vec::new())
    };
    // Go's stable sort is an insertion sort for so few items. An item that is not in `order` counts as less
    // than the one before it.
    let mut sorted: Vec<(Option<usize>, Value)> = Vec::with_capacity(list.len());
    for item in list {
        let rank = position(order, &item, key, maps);
        let less = |other: Option<usize>| match (rank, other) {
            (Some(this), Some(other)) => this < other,
            _ => true,
        };
        let at = sorted.iter().rposition(|(other, _)| !less(*other)).map_or(0, |i| i + 1);
        sorted.insert(at, (rank, item));
    }
    Ok(sorted.into_iter().map(|(_, item)| item).chain(deletions).collect())
}

/// Merges the items of the patch, in the patch's order, with those that only the server has, in the server's
/// order.
pub(super) fn normalize_order(
    patch: Vec<Value>,
    server_only: Vec<Value>,
    patch_order: &[Value],
    server_order: &[Value],
    key: &str,
    maps: bool,
) -> Result<Vec<Value>, PatchError> {
    let patch = in_order_of(patch, patch_order, key, maps)?;
    let server_only = in_order_of(server_only, server_order, key, maps)?;
    let mut out = Vec::with_capacity(patch.len() + server_only.len());
    let (mut left, mut right) = (server_only.into_iter().peekable(), patch.into_iter().peekable());
    loop {
        let take_left = match (left.peek(), right.peek()) {
            (None, None) => return Ok(out),
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(l), Some(r)) => {
                let rank = |item| position(server_order, item, key, maps);
                matches!((rank(l), rank(r)), (Some(l), Some(r)) if l < r)
            }
        };
        out.extend(if take_left { left.next() } else { right.next() });
    }
}

/// Splits items into those that are in a list (by merge key, or by value if there is none) and the others.
pub(super) fn partition(
    items: Vec<Value>,
    list: &[Value],
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>), PatchError> {
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for item in items {
        let found = if key.is_empty() {
            list.contains(&item)
        } else {
            let (_, value) = keyed(&item, key)?;
            find(list, key, value)?.is_some()
        };
        if found { inside.push(item) } else { outside.push(item) }
    }
    Ok((inside, outside))
}

/// The index of the first item with this value of the merge key.
pub(super) fn find(list: &[Value], key: &str, value: &Value) -> Result<Option<usize>, PatchError> {
    for (i, item) in list.iter().enumerate() {
        let Value::Object(map) = item else {
            return Err(PatchError::Internal(format!("value for key {i} is not a map")));
        };
        if map.get(key) == Some(value) {
            return Ok(Some(i));
        }
    }
    Ok(None)
}
