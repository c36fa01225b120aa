//! From kubectl's calls to the API server's requests: bodies are decoded, lists are filtered. Where
//! the API server has a door for JSON of its own, calls go there instead.

use std::rc::Rc;

use serde_json::Value;

use super::call::{Answer, Call, FieldValidation, Payload};
use crate::api::fields::FieldSelector;
use crate::api::labels::Selector;
use crate::api::patch::refused_patch_text;
use crate::api::{Kind, Object};
use crate::apiserver::{Body, Cause, Details, Patch, Request, Response, Status, Subresource, Verb};

/// Asks an API server that takes typed requests.
pub fn send(call: &Call, ask: &mut dyn FnMut(&Request) -> Response) -> Answer {
    let mut warnings = Vec::new();
    let response = match request(call, &mut warnings, ask) {
        Ok(request) => filter(call, ask(&request)),
        Err(status) => Response::Failure(Box::new(status)),
    };
    Answer { response, warnings }
}

fn request(
    call: &Call,
    warnings: &mut Vec<String>,
    ask: &mut dyn FnMut(&Request) -> Response,
) -> Result<Request, Status> {
    let user: Rc<str> = "kubectl".into();
    let mut r = Request::new(&user, call.verb, call.kind, call.key.clone()).subresource(call.subresource);
    r.dry_run = call.dry_run;
    selectors(call)?;
    r.body = match &call.body {
        Payload::None => Body::None,
        Payload::Delete(options) => Body::Delete(options.clone()),
        Payload::Object(value) => Body::Object(decode(call, value.clone(), warnings)?),
        Payload::Apply(_) => {
            return Err(Status::new(415, "UnsupportedMediaType", "server-side apply is not built here yet"));
        }
        Payload::JsonPatch(text) => Body::Patch(Patch::Json(parse(text)?)),
        Payload::MergePatch(text) if call.subresource == Subresource::Scale => {
            // All that a patch of it can change is a number.
            let value = parse(text)?;
            if call.kind.has_subresource("scale") {
                let version = value.pointer("/metadata/resourceVersion").and_then(Value::as_str);
                let replicas = value.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(0);
                Body::Scale {
                    replicas: i32::try_from(replicas).unwrap_or(i32::MAX),
                    resource_version: version.map(str::to_owned),
                }
            } else {
                return Err(Status::no_such_path());
            }
        }
        Payload::MergePatch(text) => {
            let value = parse(text)?;
            check_patch(call, &value, warnings, ask, Patch::Merge)?
        }
        Payload::StrategicPatch(text) => {
            let value = parse(text)?;
            check_patch(call, &value, warnings, ask, Patch::Strategic)?
        }
    };
    Ok(r)
}

fn parse(text: &str) -> Result<Value, Status> {
    serde_json::from_str(text).map_err(|e| Status::bad_request(json_error(text, &e)))
}

/// What Go's decoder says where serde's has other words.
fn json_error(text: &str, e: &serde_json::Error) -> String {
    if e.is_eof() {
        return "unexpected end of JSON input".into();
    }
    let line = text.lines().nth(e.line().saturating_sub(1)).unwrap_or_default();
    let at = line.chars().nth(e.column().saturating_sub(1)).unwrap_or(' ');
    let message = e.to_string();
    let place = if message.starts_with("key must be a string") {
        "looking for beginning of object key string"
    } else if message.starts_with("expected `:`") {
        "after object key"
    } else if message.starts_with("expected `,` or `}`") {
        "after object key:value pair"
    } else if message.starts_with("expected `,` or `]`") {
        "after array element"
    } else if message.starts_with("trailing characters") {
        "after top-level value"
    } else {
        "looking for beginning of value"
    };
    format!("invalid character '{at}' {place}")
}

fn decode(call: &Call, value: Value, warnings: &mut Vec<String>) -> Result<Object, Status> {
    let kind = call.kind;
    let cannot = |why: &str| {
        Status::bad_request(format!(
            "{} in version {:?} cannot be handled as a {}: {why}",
            kind.as_str(),
            kind.version(),
            kind.as_str()
        ))
    };
    let mut value = value;
    crate::apiserver::defaults::prepare(kind, &mut value);
    let decoded = Object::decode(kind, value).map_err(|e| cannot(&e.to_string()))?;
    let unknown: Vec<String> = decoded.unknown.iter().map(|p| format!("unknown field {p:?}")).collect();
    match call.field_validation {
        FieldValidation::Strict if !unknown.is_empty() => {
            Err(cannot(&format!("strict decoding error: {}", unknown.join(", "))))
        }
        FieldValidation::Warn => {
            warnings.extend(unknown);
            Ok(decoded.object)
        }
        FieldValidation::Strict | FieldValidation::Ignore => Ok(decoded.object),
    }
}

/// A patch that leads to an object with unknown fields or fields of the wrong type is refused in
/// words of its own, which quote the patch.
fn check_patch(
    call: &Call,
    patch: &Value,
    warnings: &mut Vec<String>,
    ask: &mut dyn FnMut(&Request) -> Response,
    wrap: fn(Value) -> Patch,
) -> Result<Body, Status> {
    let body = Body::Patch(wrap(patch.clone()));
    let read = Request::new(&"kubectl".into(), Verb::Get, call.kind, call.key.clone());
    let Response::Object { object, .. } = ask(&read) else { return Ok(body) };
    let old = object.to_value();
    let strategic = matches!(call.body, Payload::StrategicPatch(_));
    let merged = if strategic {
        crate::api::patch::strategic_merge(call.kind, old.clone(), patch).ok()
    } else {
        Some(crate::api::patch::json_merge_patch(old.clone(), patch))
    };
    let Some(merged) = merged else { return Ok(body) };
    let refused = |why: &str| {
        let text =
            if strategic { refused_patch_text(&old, patch) } else { crate::api::patch::go_value(patch) };
        let message = format!("Invalid value: {text:?}: {why}");
        let causes = vec![Cause {
            reason: "FieldValueInvalid".into(),
            message: message.clone(),
            field: "patch".into(),
        }];
        Status::new(422, "Invalid", format!(" \"\" is invalid: patch: {message}"))
            .with(Details { causes, ..Details::default() })
    };
    match Object::decode(call.kind, merged) {
        Err(e) => Err(refused(&e.to_string())),
        Ok(d) => {
            let unknown: Vec<String> = d.unknown.iter().map(|p| format!("unknown field {p:?}")).collect();
            match call.field_validation {
                FieldValidation::Strict if !unknown.is_empty() => {
                    Err(refused(&format!("strict decoding error: {}", unknown.join(", "))))
                }
                FieldValidation::Warn => {
                    warnings.extend(unknown);
                    Ok(body)
                }
                FieldValidation::Strict | FieldValidation::Ignore => Ok(body),
            }
        }
    }
}

fn selectors(call: &Call) -> Result<(Selector, FieldSelector), Status> {
    let labels = Selector::parse(&call.label_selector).map_err(Status::bad_request)?;
    let fields = FieldSelector::parse(&call.field_selector)
        .and_then(|f| f.for_kind(call.kind))
        .map_err(Status::bad_request)?;
    Ok((labels, fields))
}

/// The part of a list that was asked for.
fn filter(call: &Call, response: Response) -> Response {
    let Response::List { items, revision } = response else { return response };
    let Ok((labels, fields)) = selectors(call) else { return Response::List { items, revision } };
    let keep = |o: &Object| {
        use crate::api::MetaExt;
        labels.matches(o.meta().labels_or_empty()) && fields.matches_object(o)
    };
    let mut items: Vec<Object> = items.into_iter().filter(|o| keep(o)).collect();
    if call.kind == Kind::Event {
        // Events have a store of their own order in no way: by key like the rest.
        items.sort_by_key(Object::key);
    }
    Response::List { items, revision }
}
