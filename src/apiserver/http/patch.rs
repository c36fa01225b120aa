//! Patches as text: what they make of an object, and in which words they are refused
//! (`k8s.io/apiserver/pkg/endpoints/handlers/patch.go`).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::decode::{complain, internal_package};
use super::discovery;
use crate::api::go_types::{self, GoStruct, Json};
use crate::api::patch;
use crate::api::quote::go_quote;
use crate::api::{Kind, Object};
use crate::apimachinery::{Cause, Details, FieldValidation, Status};
use crate::apiserver::decode::to_object;
use crate::apiserver::patch::refusal;

/// The kinds of patches but apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatchType {
    /// `application/json-patch+json`
    Json,
    /// `application/merge-patch+json`
    Merge,
    /// `application/strategic-merge-patch+json`
    Strategic,
}

/// What a patch is read against.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub go: &'static GoStruct,
    /// How fields merge; only kinds have it.
    pub kind: Option<Kind>,
}

/// The object that a patch makes of `old`, the stored object's JSON.
///
/// # Errors
/// 400 for what is no patch, 422 for one that does not fit or leads to no object of the kind.
pub(super) fn patched(
    kind: Kind,
    old: &Value,
    patch_type: PatchType,
    body: &[u8],
    validation: FieldValidation,
    warnings: &mut Vec<String>,
) -> Result<Object, Status> {
    let layout = Layout { go: go_types::of(kind), kind: Some(kind) };
    to_object(kind, patched_value(layout, old, patch_type, body, validation, warnings)?)
}

/// [`patched`] for any value that has a layout.
pub(super) fn patched_value(
    layout: Layout,
    old: &Value,
    patch_type: PatchType,
    body: &[u8],
    validation: FieldValidation,
    warnings: &mut Vec<String>,
) -> Result<Value, Status> {
    let (new, mut strict, change) = patch_json(layout.kind, old, patch_type, body)?;
    let refused = |why: &str| {
        let text = match patch_type {
            PatchType::Json => go_types::to_json(layout.go, &new, Some(&touched(&change))),
            PatchType::Merge => go_types::to_json(layout.go, &new, Some(&change)),
            PatchType::Strategic => patch::refused_patch_text(old, &change),
        };
        refused(&text, why)
    };
    if patch_type != PatchType::Strategic
        && let Some(kind) = layout.kind
    {
        other_kind(kind, &new).map_or(Ok(()), |why| Err(refused(&why)))?;
    }
    let decode = if patch_type == PatchType::Strategic { go_types::convert } else { go_types::decode };
    let decoded = decode(layout.go, &Json::from(&new)).map_err(|e| refused(&e))?;
    strict.extend(decoded.strict.iter().map(ToString::to_string));
    complain(strict, validation, warnings).map_err(|e| refused(&e))?;
    Ok(decoded.value)
}

/// The JSON that a patch makes of `old`, what strict decoding has against the patch itself, and the patch. `kind` is how
/// fields merge in a strategic merge.
pub(super) fn patch_json(
    kind: Option<Kind>,
    old: &Value,
    patch_type: PatchType,
    body: &[u8],
) -> Result<(Value, Vec<String>, Value), Status> {
    let prefix = if patch_type == PatchType::Strategic { "" } else { "error decoding patch: " };
    let json = go_types::parse(body).map_err(|e| Status::bad_request(format!("{prefix}{e}")))?;
    if patch_type == PatchType::Merge && json == Json::Null {
        return Err(Status::bad_request("Invalid JSON Patch"));
    }
    if patch_type != PatchType::Json && !matches!(json, Json::Object(_) | Json::Null) {
        return Err(Status::bad_request(format!(
            "{prefix}json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            json.word()
        )));
    }
    let mut strict = Vec::new();
    if patch_type == PatchType::Json {
        operations(&json, &mut strict)?;
    } else {
        duplicates(&json, &mut String::new(), &mut strict);
    }
    let change = json.to_value();
    let new = match (patch_type, kind) {
        (PatchType::Json, _) => patch::json_patch(old.clone(), &change),
        (PatchType::Merge, _) => Ok(patch::json_merge_patch(old.clone(), &change)),
        (PatchType::Strategic, Some(kind)) => patch::strategic_merge(kind, old.clone(), &change),
        // A struct of single values merges the same either way.
        (PatchType::Strategic, None) => Ok(patch::json_merge_patch(old.clone(), &change)),
    };
    Ok((new.map_err(refusal)?, strict, change))
}

/// The operations of a JSON patch, as they are read before any of them is done: their members are
/// texts, but for the value, and there are no others.
fn operations(json: &Json, strict: &mut Vec<String>) -> Result<(), Status> {
    const MEMBERS: [&str; 4] = ["op", "path", "from", "value"];
    let Json::List(items) = json else { return Ok(()) };
    let wrong = |what: &Json, into: &str| {
        Err(Status::bad_request(format!(
            "error decoding patch: json: cannot unmarshal {} into Go {into}",
            what.word()
        )))
    };
    for (i, item) in items.iter().enumerate() {
        let members = match item {
            Json::Object(members) => members,
            Json::Null => continue,
            other => return wrong(other, "value of type handlers.jsonPatchOp"),
        };
        let mut seen = BTreeSet::new();
        for (key, value) in members {
            let at = go_quote(format!("[{i}].{key}"));
            if !seen.insert(key) {
                strict.push(format!("json patch duplicate field {at}"));
            } else if !MEMBERS.contains(&key.as_str()) {
                strict.push(format!("json patch unknown field {at}"));
            } else if key != "value" && !matches!(value, Json::Text(_) | Json::Null) {
                return wrong(value, &format!("struct field jsonPatchOp.{key} of type string"));
            }
        }
    }
    if items.len() > patch::JSON_PATCH_MAX_OPERATIONS {
        return Err(Status::new(
            413,
            "RequestEntityTooLarge",
            format!(
                "Request entity too large: The allowed maximum operations in a JSON patch is {}, got {}",
                patch::JSON_PATCH_MAX_OPERATIONS,
                items.len()
            ),
        ));
    }
    Ok(())
}

/// Why a patch that says of what kind the object is leads to none of `kind`.
fn other_kind(kind: Kind, new: &Value) -> Option<String> {
    let text = |key: &str| new.get(key).and_then(Value::as_str);
    let (version, name) =
        (text("apiVersion")?, text("kind").filter(|k| !k.is_empty()).unwrap_or(kind.as_str()));
    if version == kind.api_version() && name == kind.as_str() {
        return None;
    }
    Some(match discovery::is_registered(version, name) {
        true => format!(
            "converting ({}.{name}) to ({}.{}): unknown conversion",
            version.rsplit('/').next().unwrap_or_default(),
            internal_package(kind.api_version()),
            kind.as_str()
        ),
        false => format!(
            "no kind {} is registered for version {} in scheme \"pkg/api/legacyscheme/scheme.go:30\"",
            go_quote(name),
            go_quote(version)
        ),
    })
}

/// 422 that quotes the patch, or the object it led to.
pub(super) fn refused(text: &str, why: &str) -> Status {
    let message = format!("Invalid value: {}: {why}", go_quote(text));
    let causes =
        vec![Cause { reason: "FieldValueInvalid".into(), message: message.clone(), field: "patch".into() }];
    Status::new(422, "Invalid", format!(" \"\" is invalid: patch: {message}"))
        .with(Details { causes, ..Details::default() })
}

/// Keys that a patch has twice.
pub(super) fn duplicates(json: &Json, path: &mut String, out: &mut Vec<String>) {
    let len = path.len();
    match json {
        Json::Object(fields) => {
            let mut seen = BTreeSet::new();
            for (key, value) in fields {
                if len > 0 {
                    path.push('.');
                }
                path.push_str(key);
                if !seen.insert(key) {
                    out.push(format!("duplicate field {}", go_quote(&path)));
                }
                duplicates(value, path, out);
                path.truncate(len);
            }
        }
        Json::List(items) => {
            for (i, value) in items.iter().enumerate() {
                path.push_str(&format!("[{i}]"));
                duplicates(value, path, out);
                path.truncate(len);
            }
        }
        _ => {}
    }
}

/// The objects that the operations of a JSON patch went through, as a tree of their paths.
fn touched(operations: &Value) -> Value {
    let mut tree = Map::new();
    for operation in operations.as_array().into_iter().flatten() {
        for key in ["path", "from"] {
            let Some(pointer) = operation.get(key).and_then(Value::as_str) else { continue };
            let mut at = &mut tree;
            let steps: Vec<String> =
                pointer.split('/').skip(1).map(|s| s.replace("~1", "/").replace("~0", "~")).collect();
            let Some((_, parents)) = steps.split_last() else { continue };
            for step in parents {
                let next = at.entry(step.clone()).or_insert_with(|| Value::Object(Map::new()));
                match next {
                    Value::Object(map) => at = map,
                    _ => break,
                }
            }
        }
    }
    Value::Object(tree)
}
