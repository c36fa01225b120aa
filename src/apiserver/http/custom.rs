//! Requests on custom objects: how their bodies are read
//! (`k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go`).

use serde_json::Value;

use super::decode::{from_yaml, summary, unsupported_media};
use super::patch::{PatchType, duplicates, patch_json, refused};
use super::path::Target;
use crate::api::go_types::{self, Json, go_json};
use crate::api::quote::go_quote;
use crate::api::{Kind, Object};
use crate::apimachinery::{Details, FieldValidation, Status};
use crate::apiserver::apiextensions::{Decode, View};
use crate::apiserver::patch::unsupported_patch;
use crate::apiserver::validation::invalid_as;

/// Reads the body of a request as an object of the view's version. What is only worth a warning is added to
/// `warnings`.
pub(super) fn decode_object(
    view: &View,
    content_type: &str,
    body: &[u8],
    validation: FieldValidation,
    warnings: &mut Vec<String>,
) -> Result<Object, Status> {
    let expected = view.kind().as_str();
    let unrecognized = |why: &str| {
        Status::bad_request(format!(
            "the object provided is unrecognized (must be of type {expected}): {why} ({})",
            summary(body)
        ))
    };
    let (json, mut strict) = match content_type {
        "" | "application/json" => {
            let json = go_types::parse(body)
                .map_err(|e| unrecognized(&format!("couldn't get version/kind; json parse error: {e}")))?;
            let mut twice = Vec::new();
            duplicates(&json, &mut String::new(), &mut twice);
            (json, twice)
        }
        "application/yaml" => from_yaml(body).map_err(|e| unrecognized(&e))?,
        _ => return Err(unsupported_media()),
    };
    let kind = json.get("kind").and_then(Json::as_str).unwrap_or_default();
    if kind.is_empty() {
        let why = format!("Object 'Kind' is missing in '{}'", String::from_utf8_lossy(body));
        return Err(unrecognized(&why));
    }
    let api_version = json.get("apiVersion").and_then(Json::as_str).unwrap_or_default();
    let version = api_version.rsplit('/').next().unwrap_or_default();
    let cannot = |why: &str| {
        let version = go_quote(version);
        Status::bad_request(format!("{kind} in version {version} cannot be handled as a {expected}: {why}"))
    };
    let mut value = json.to_value();
    let unknown = view.schema().coerce(&mut value, Decode::Request).map_err(|e| cannot(&e))?;
    strict.extend(unknown.iter().map(|path| format!("unknown field {}", go_quote(path))));
    super::decode::complain(strict, validation, warnings).map_err(|e| cannot(&e))?;
    if api_version != view.kind().api_version() {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({})",
            view.kind().api_version()
        )));
    }
    of_kind(view, value)
}

/// An object that has the form of the schema. One that says that it is of another kind is not valid.
fn of_kind(view: &View, mut value: Value) -> Result<Object, Status> {
    let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    if kind != view.kind().as_str() {
        let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let errors = view.schema().validate_create(&value).errors;
        return Err(invalid_as(&kind, view.kind().group(), &name, &errors));
    }
    let managers = match value.get_mut("metadata") {
        Some(Value::Object(meta)) => meta.remove("managedFields").filter(|v| !v.is_null()),
        _ => None,
    };
    let mut object = view.object(value)?;
    // An empty list says something: nobody is to own anything.
    if let Some(managers) = managers {
        object.meta_mut().managed_fields = serde_json::from_value(managers).ok();
    }
    Ok(object)
}

/// The object that a patch makes of `old`, the JSON of the object in the view's version.
pub(super) fn patched(
    view: &View,
    old: &Value,
    patch_type: PatchType,
    body: &[u8],
    validation: FieldValidation,
    warnings: &mut Vec<String>,
) -> Result<Object, Status> {
    if patch_type == PatchType::Strategic {
        return Err(unsupported_patch());
    }
    let (new, mut strict, _) = patch_json(None, old, patch_type, body)?;
    let refused = |why: &str| refused(&go_json(&new), why);
    let mut value = new.clone();
    let unknown = view.schema().coerce(&mut value, Decode::Request).map_err(|e| refused(&e))?;
    strict.extend(unknown.iter().map(|path| format!("unknown field {}", go_quote(path))));
    super::decode::complain(strict, validation, warnings).map_err(|e| refused(&e))?;
    of_kind(view, value)
}

/// 404 for what Go's multiplexer does not know: a collection of all namespaces can only be read.
pub(super) fn is_misplaced(target: &Target, method: &str) -> bool {
    target.view.is_some() && target.kind.namespaced() && target.namespace.is_none() && method != "GET"
}

/// 405 for a method that a custom resource or a part of it does not have, with the verb that it stands for.
pub(super) fn no_such_method(kind: Kind, method: &str, whole: bool) -> Status {
    let verb = match method {
        "GET" => "get",
        "POST" => "create",
        "PUT" => "update",
        "PATCH" => "patch",
        "DELETE" if whole => "deletecollection",
        "DELETE" => "delete",
        _ => "",
    };
    Status::method_not_supported(kind, verb)
}

/// 429: a list has objects that no version of the definition can read, so that the watch cache of the kind never
/// becomes ready.
pub(super) fn initializing(kind: Kind, why: &str) -> Status {
    let message = format!(
        "storage is (re)initializing: failed to list {}, Kind={}: {why}",
        kind.api_version(),
        kind.as_str()
    );
    Status::new(429, "TooManyRequests", message)
        .with(Details { retry_after_seconds: 1, ..Details::default() })
}
