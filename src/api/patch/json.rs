//! JSON patch (RFC 6902) and JSON merge patch (RFC 7386).

use serde_json::{Map, Value};

use super::PatchError;

/// The most operations of a JSON patch that the API server accepts.
pub const JSON_PATCH_MAX_OPERATIONS: usize = 10_000;
/// How many bytes the copies of a JSON patch may have together (`JSONPatchMaxCopyBytes` of `apiserver/pkg/server/config.go`).
const MAX_COPIED: usize = 3 * 1024 * 1024;
/// The deepest place at which a JSON patch puts a value. Go's limit is 10,000, which no stack here holds.
const MAX_DEPTH: usize = 500;

/// Applies a JSON merge patch: maps are merged, null deletes, all other values replace.
pub fn json_merge_patch(original: Value, patch: &Value) -> Value {
    let Value::Object(changes) = patch else {
        return patch.clone();
    };
    let mut map = match original {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    for (key, change) in changes {
        if change.is_null() {
            map.remove(key);
        } else {
            let old = map.remove(key).unwrap_or(Value::Null);
            map.insert(key.clone(), json_merge_patch(old, change));
        }
    }
    Value::Object(map)
}

/// The JSON merge patch that leads from one value to another (`jsonmergepatch.CreateMergePatch`).
pub fn create_json_merge_patch(from: &Value, to: &Value) -> Value {
    let (Value::Object(from), Value::Object(to)) = (from, to) else { return to.clone() };
    let mut patch = Map::new();
    for (key, new) in to {
        match from.get(key) {
            Some(old) if old == new => {}
            Some(old) if old.is_object() && new.is_object() => {
                patch.insert(key.clone(), create_json_merge_patch(old, new));
            }
            _ => {
                patch.insert(key.clone(), new.clone());
            }
        }
    }
    for key in from.keys().filter(|key| !to.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    Value::Object(patch)
}

/// The JSON merge patch of `kubectl apply` on a custom object (`jsonmergepatch.CreateThreeWayJSONMergePatch`): what
/// `modified` adds to or changes in `current`, and deletes from `original`, which was applied last.
pub fn create_three_way_json_merge_patch(original: &Value, modified: &Value, current: &Value) -> Value {
    let mut changes = create_json_merge_patch(current, modified);
    keep_or_drop_nulls(&mut changes, false);
    let mut deletions = create_json_merge_patch(original, modified);
    keep_or_drop_nulls(&mut deletions, true);
    merge_patches(deletions, changes)
}

/// Keeps only the nulls of a merge patch, or all else; what is empty then goes as well.
fn keep_or_drop_nulls(patch: &mut Value, keep: bool) {
    let Value::Object(map) = patch else { return };
    map.retain(|_, value| match value {
        Value::Null => keep,
        Value::Object(inside) if !inside.is_empty() => {
            keep_or_drop_nulls(value, keep);
            value.as_object().is_some_and(|map| !map.is_empty())
        }
        _ => !keep,
    });
}

/// Two merge patches as one, the second after the first.
fn merge_patches(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::Object(mut first), Value::Object(second)) => {
            for (key, value) in second {
                let merged = match first.remove(&key) {
                    Some(earlier) => merge_patches(earlier, value),
                    None => value,
                };
                first.insert(key, merged);
            }
            Value::Object(first)
        }
        (_, second) => second,
    }
}

/// Applies a JSON patch: all of its operations, or none.
///
/// # Errors
/// [`PatchError::BadRequest`] if the patch is not a list of operations; [`PatchError::Unprocessable`] if an
/// operation does not fit the document, or its test fails.
pub fn json_patch(mut document: Value, patch: &Value) -> Result<Value, PatchError> {
    let Value::Array(operations) = patch else {
        let what = match patch {
            Value::Object(_) => "object",
            Value::String(_) => "string",
            Value::Number(_) => "number",
            Value::Bool(_) => "bool",
            _ => return Ok(document),
        };
        return Err(PatchError::BadRequest(format!(
            "error decoding patch: json: cannot unmarshal {what} into Go value of type []handlers.jsonPatchOp"
        )));
    };
    let mut copied = 0;
    for operation in operations {
        apply(&mut document, operation, &mut copied)?;
    }
    Ok(document)
}

fn apply(document: &mut Value, operation: &Value, copied: &mut usize) -> Result<(), PatchError> {
    let text = |key: &str| operation.get(key).and_then(Value::as_str);
    let wrong = |message: String| PatchError::Unprocessable(message);
    let op = text("op").unwrap_or_default();
    let path = text("path").ok_or_else(|| wrong(format!("{op} operation failed to decode path")))?;
    let from = || text("from").ok_or_else(|| wrong(format!("{op} operation needs from")));
    let value = || operation.get("value").cloned().unwrap_or(Value::Null);
    if path.matches('/').count() > MAX_DEPTH {
        return Err(wrong("exceeded max depth".to_owned()));
    }
    let missing = |path: &str| wrong(format!("{op} operation does not apply: doc is missing path: {path}"));
    match op {
        "add" => add(document, path, value()).ok_or_else(|| missing(path)),
        "remove" => remove(document, path).map(drop).ok_or_else(|| missing(path)),
        "replace" => {
            // Go's library also sets a key that is not there. The whole document can only be replaced by an
            // object or a list.
            if path.is_empty() {
                let whole = Some(value()).filter(|v| v.is_object() || v.is_array());
                *document = whole.ok_or_else(|| missing(path))?;
                return Ok(());
            }
            set(document, path, value()).ok_or_else(|| missing(path))
        }
        "move" => {
            let from = from()?;
            let moved = remove(document, from).ok_or_else(|| missing(from))?;
            add(document, path, moved).ok_or_else(|| missing(path))
        }
        "copy" => {
            let from = from()?;
            let copy = found(document, from).ok_or_else(|| missing(from))?;
            *copied += copy.to_string().len();
            if *copied > MAX_COPIED {
                return Err(wrong(format!(
                    "Unable to complete the copy, the accumulated size increase of copy is {copied}, exceeding the limit {MAX_COPIED}"
                )));
            }
            add(document, path, copy).ok_or_else(|| missing(path))
        }
        "test" => {
            // An absent value equals null.
            let found = found(document, path).ok_or_else(|| missing(path))?;
            if found == value() {
                Ok(())
            } else {
                Err(wrong(format!("testing value {path} failed: test failed")))
            }
        }
        other => Err(wrong(format!("Unexpected kind: {other}"))),
    }
}

/// The names in a JSON pointer; `None` if it is malformed. Text before the first slash is ignored.
fn steps(path: &str) -> Option<Vec<String>> {
    if path.is_empty() {
        return Some(Vec::new());
    }
    let (_, path) = path.split_once('/')?;
    Some(path.split('/').map(|s| s.replace("~1", "/").replace("~0", "~")).collect())
}

/// The index of an existing item. Go's library counts negative indexes from the end.
fn index(step: &str, len: usize) -> Option<usize> {
    let i = step.parse::<i64>().ok()?;
    let i = if i < 0 { i + i64::try_from(len).ok()? } else { i };
    usize::try_from(i).ok().filter(|i| *i < len)
}

fn down<'a>(mut place: &'a mut Value, steps: &[String]) -> Option<&'a mut Value> {
    for step in steps {
        place = match place {
            Value::Object(map) => map.get_mut(step)?,
            Value::Array(items) => {
                let i = index(step, items.len())?;
                items.get_mut(i)?
            }
            _ => return None,
        };
    }
    Some(place)
}

/// The value at a path; null for an absent key of a map.
fn found(document: &mut Value, path: &str) -> Option<Value> {
    let steps = steps(path)?;
    let Some((last, parents)) = steps.split_last() else { return Some(document.clone()) };
    match down(document, parents)? {
        Value::Object(map) => Some(map.get(last).cloned().unwrap_or(Value::Null)),
        Value::Array(items) => items.get(index(last, items.len())?).cloned(),
        _ => None,
    }
}

/// Sets a key of a map, or an existing item of a list.
fn set(document: &mut Value, path: &str, value: Value) -> Option<()> {
    let steps = steps(path)?;
    let (last, parents) = steps.split_last()?;
    match down(document, parents)? {
        Value::Object(map) => {
            map.insert(last.clone(), value);
        }
        Value::Array(items) => {
            let at = index(last, items.len())?;
            *items.get_mut(at)? = value;
        }
        _ => return None,
    }
    Some(())
}

fn add(document: &mut Value, path: &str, value: Value) -> Option<()> {
    let steps = steps(path)?;
    let (last, parents) = steps.split_last()?;
    match down(document, parents)? {
        Value::Object(map) => {
            map.insert(last.clone(), value);
        }
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => {
            // One more place than there are items: the one behind the last.
            let at = index(last, items.len() + 1)?;
            items.insert(at, value);
        }
        _ => return None,
    }
    Some(())
}

fn remove(document: &mut Value, path: &str) -> Option<Value> {
    let steps = steps(path)?;
    let (last, parents) = steps.split_last()?;
    match down(document, parents)? {
        Value::Object(map) => map.remove(last),
        Value::Array(items) => {
            let at = index(last, items.len())?;
            Some(items.remove(at))
        }
        _ => None,
    }
}
