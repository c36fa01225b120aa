//! JSON patch (RFC 6902) and JSON merge patch (RFC 7386).

use serde_json::{Map, Value};

use super::PatchError;
use crate::api::quote::go_quote;

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
/// operation does not fit the document; [`PatchError::TestFailed`] if a test fails.
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

/// Applies one operation, with the words of the library that Kubernetes applies patches with (`gopkg.in/evanphx/json-patch.v4`).
fn apply(document: &mut Value, operation: &Value, copied: &mut usize) -> Result<(), PatchError> {
    let text = |key: &str| operation.get(key).and_then(Value::as_str);
    let wrong = |message: String| PatchError::Unprocessable(message);
    let op = text("op").unwrap_or("unknown");
    let path =
        || text("path").ok_or_else(|| wrong(format!("{op} operation failed to decode path: {MISSING}")));
    let from = || {
        let missing = "operation, missing from field";
        text("from")
            .ok_or_else(|| wrong(format!("{op} operation failed to decode from: {missing}: {MISSING}")))
    };
    let value = || operation.get("value").cloned().unwrap_or(Value::Null);
    let deepest = text("path").unwrap_or_default().matches('/').count();
    if deepest > MAX_DEPTH {
        return Err(wrong("exceeded max depth".to_owned()));
    }
    let no_place =
        |what: &str, at: &str| wrong(format!("{op} operation does not apply: {what}: {at}: {MISSING}"));
    let quoted = |path: &str| format!("\"{path}\"");
    let failed = |action: &str, at: &str, why: String| wrong(format!("error in {action}: '{at}': {why}"));
    match op {
        "add" => {
            let path = path()?;
            let place =
                place(document, path).ok_or_else(|| no_place("doc is missing path", &quoted(path)))?;
            place.add(value()).map_err(|why| failed("add for path", path, why))
        }
        "remove" => {
            let path = path()?;
            let place =
                place(document, path).ok_or_else(|| no_place("doc is missing path", &quoted(path)))?;
            place.remove().map(drop).map_err(|why| failed("remove for path", path, why))
        }
        "replace" => {
            let path = path()?;
            // The whole document can only be replaced by an object or a list.
            if path.is_empty() {
                let whole = Some(value()).filter(|v| v.is_object() || v.is_array());
                let refused =
                    || wrong("replace operation value must be object or array: %!w(<nil>)".to_owned());
                *document = whole.ok_or_else(refused)?;
                return Ok(());
            }
            let place = place(document, path).ok_or_else(|| no_place("doc is missing path", path))?;
            // A key of a map that is not there is set.
            place.set(value()).map_err(|_| no_place("doc is missing key", path))
        }
        "move" => {
            let from = from()?;
            let source = place(document, from).ok_or_else(|| no_place("doc is missing from path", from))?;
            let key = source.key.clone();
            let moved = source.get().map_err(|why| failed("move for path", &key, why))?;
            source.remove().map_err(|why| failed("move for path", &key, why))?;
            let path = path()?;
            let to =
                place(document, path).ok_or_else(|| no_place("doc is missing destination path", path))?;
            to.add(moved).map_err(|why| failed("move for path", path, why))
        }
        "copy" => {
            let from = from()?;
            let source = place(document, from).ok_or_else(|| no_place("doc is missing from path", from))?;
            let copy = source.get().map_err(|why| failed("copy for from", from, why))?;
            let path = path()?;
            let to =
                place(document, path).ok_or_else(|| no_place("doc is missing destination path", path))?;
            *copied += copy.to_string().len();
            if *copied > MAX_COPIED {
                return Err(wrong(format!(
                    "Unable to complete the copy, the accumulated size increase of copy is {copied}, exceeding the limit {MAX_COPIED}"
                )));
            }
            to.add(copy).map_err(|why| wrong(format!("error while adding value during copy: {why}")))
        }
        "test" => {
            let path = path()?;
            // An absent value equals null.
            let found = if path.is_empty() {
                document.clone()
            } else {
                let place = place(document, path).ok_or_else(|| no_place("is missing path", path))?;
                place.get().map_err(|why| failed("test for path", path, why))?
            };
            if found == value() {
                Ok(())
            } else {
                Err(PatchError::TestFailed(format!("testing value {path} failed: test failed")))
            }
        }
        other => Err(wrong(format!("Unexpected kind: {other}"))),
    }
}

/// How the library says that something is not there.
const MISSING: &str = "missing value";

/// Where an operation is done: a map or a list, and the key in it.
struct Place<'a> {
    of: &'a mut Value,
    key: String,
}

/// The place that a JSON pointer names; `None` if it is malformed, or there is no such map or list. Text before the first slash is
/// ignored.
fn place<'a>(document: &'a mut Value, path: &str) -> Option<Place<'a>> {
    let (_, path) = path.split_once('/')?;
    let mut steps: Vec<String> = path.split('/').map(|s| s.replace("~1", "/").replace("~0", "~")).collect();
    let key = steps.pop()?;
    let of = down(document, &steps)?;
    (of.is_object() || of.is_array()).then_some(Place { of, key })
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

/// What Go says of a text that is no number (`strconv.Atoi`).
fn no_number(key: &str) -> String {
    format!("strconv.Atoi: parsing {}: invalid syntax", go_quote(key))
}

/// The index of an item, or why there is none.
fn existing(key: &str, len: usize) -> Result<usize, String> {
    if key.parse::<i64>().is_err() {
        return Err(no_number(key));
    }
    index(key, len).ok_or_else(|| invalid_index(key))
}

fn invalid_index(key: &str) -> String {
    format!("Unable to access invalid index: {key}: invalid index referenced")
}

impl Place<'_> {
    /// The value there; null for an absent key of a map.
    fn get(&self) -> Result<Value, String> {
        match &*self.of {
            Value::Array(items) => {
                let at = existing(&self.key, items.len())?;
                Ok(items.get(at).cloned().unwrap_or_default())
            }
            of => Ok(of.get(&self.key).cloned().unwrap_or_default()),
        }
    }

    /// Sets a key of a map, or an existing item of a list.
    fn set(self, value: Value) -> Result<(), String> {
        match self.of {
            Value::Object(map) => {
                map.insert(self.key, value);
            }
            Value::Array(items) => {
                let at = existing(&self.key, items.len())?;
                if let Some(item) = items.get_mut(at) {
                    *item = value;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Sets a key of a map, or puts an item into a list.
    fn add(self, value: Value) -> Result<(), String> {
        match self.of {
            Value::Object(map) => {
                map.insert(self.key, value);
            }
            Value::Array(items) if self.key == "-" => items.push(value),
            Value::Array(items) => {
                if self.key.parse::<i64>().is_err() {
                    let why = no_number(&self.key);
                    return Err(format!("value was not a proper array index: '{}': {why}", self.key));
                }
                // One more place than there are items: the one behind the last.
                let at = index(&self.key, items.len() + 1).ok_or_else(|| invalid_index(&self.key))?;
                items.insert(at, value);
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes out a key of a map, or an item of a list.
    fn remove(self) -> Result<Value, String> {
        match self.of {
            Value::Array(items) => {
                let at = existing(&self.key, items.len())?;
                Ok(items.remove(at))
            }
            Value::Object(map) => map
                .remove(&self.key)
                .ok_or_else(|| format!("Unable to remove nonexistent key: {}: {MISSING}", self.key)),
            _ => Ok(Value::Null),
        }
    }
}
