//! From kubectl's calls to the API server's requests: bodies are decoded, lists are filtered. Where
//! the API server has a door for JSON of its own, calls go there instead.

use std::rc::Rc;

use serde_json::Value;

use super::call::{Answer, Call, Payload};
use crate::api::fields::FieldSelector;
use crate::api::labels::Selector;
use crate::api::order;
use crate::api::{Kind, Object};
use crate::apimachinery::{Body, Patch, Request, Response, Status, Subresource, Verb};
use crate::apiserver::http::{self, PatchType};
use crate::apiserver::warnings;

/// Asks an API server that takes typed requests.
pub fn send(call: &Call, ask: &mut dyn FnMut(&Request) -> Response) -> Answer {
    let mut warnings = Vec::new();
    let response = match request(call, &mut warnings, ask) {
        Ok(request) => {
            let before = before(call, ask);
            let response = filter(call, ask(&request));
            warnings.extend(advice(call, before.as_ref(), &response));
            response
        }
        Err(status) => Response::Failure(Box::new(status)),
    };
    Answer { response, warnings }
}

fn changes(call: &Call) -> bool {
    matches!(call.verb, Verb::Update | Verb::Patch)
        && matches!(call.subresource, Subresource::None | Subresource::Scale)
}

/// What an update changes, where the API server's advice depends on it.
fn before(call: &Call, ask: &mut dyn FnMut(&Request) -> Response) -> Option<Object> {
    if !changes(call) || !warnings::compares(call.kind) {
        return None;
    }
    let read = Request::new(&"kubectl".into(), Verb::Get, call.kind, call.key.clone());
    match ask(&read) {
        Response::Object { object, .. } => Some(object),
        _ => None,
    }
}

/// What the API server says to a write beside its answer.
fn advice(call: &Call, before: Option<&Object>, response: &Response) -> Vec<String> {
    let Response::Object { object, created } = response else { return Vec::new() };
    match before {
        _ if *created => warnings::on_create(object),
        Some(before) if changes(call) => warnings::on_update(object, before),
        None if changes(call) && !warnings::compares(call.kind) => warnings::on_update(object, object),
        _ => Vec::new(),
    }
}

fn request(
    call: &Call,
    warnings: &mut Vec<String>,
    ask: &mut dyn FnMut(&Request) -> Response,
) -> Result<Request, Status> {
    let user: Rc<str> = "kubectl".into();
    let mut r = Request::new(&user, call.verb, call.kind, call.key.clone()).subresource(call.subresource);
    r.dry_run = call.dry_run;
    r.field_manager = Some(call.field_manager.into()).filter(|m: &Rc<str>| !m.is_empty());
    selectors(call)?;
    r.body = match &call.body {
        Payload::None => Body::None,
        Payload::Delete(options) => Body::Delete(options.clone()),
        Payload::Object(value) => {
            Body::Object(http::decode_value(call.kind, value, call.field_validation, warnings)?)
        }
        Payload::Apply(config) => Body::Patch(Patch::Apply { config: config.clone(), force: call.force }),
        Payload::JsonPatch(text) => {
            Body::Patch(Patch::Json(check_patch(call, text, PatchType::Json, warnings, ask)?))
        }
        Payload::MergePatch(text) if call.subresource == Subresource::Scale => {
            // All that a patch of it can change is a number.
            let value = parse(text);
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
            Body::Patch(Patch::Merge(check_patch(call, text, PatchType::Merge, warnings, ask)?))
        }
        Payload::StrategicPatch(text) => {
            Body::Patch(Patch::Strategic(check_patch(call, text, PatchType::Strategic, warnings, ask)?))
        }
    };
    Ok(r)
}

/// The JSON of a patch that was found to be one.
fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

/// Holds a patch against the stored object first, as the API server does with patches that come as
/// text: it may be refused in words that quote it, or be worth a warning.
fn check_patch(
    call: &Call,
    text: &str,
    patch_type: PatchType,
    warnings: &mut Vec<String>,
    ask: &mut dyn FnMut(&Request) -> Response,
) -> Result<Value, Status> {
    let read = Request::new(&"kubectl".into(), Verb::Get, call.kind, call.key.clone());
    if let Response::Object { object, .. } = ask(&read) {
        let (old, body) = (object.to_value(), text.as_bytes());
        http::patched(call.kind, &old, patch_type, body, call.field_validation, warnings)?;
    }
    Ok(parse(text))
}

fn selectors(call: &Call) -> Result<(Selector, FieldSelector), Status> {
    let labels = Selector::parse(&call.label_selector).map_err(Status::bad_request)?;
    let fields = FieldSelector::parse(&call.field_selector)
        .and_then(|f| crate::apiserver::fields::for_kind(f, call.kind))
        .map_err(Status::bad_request)?;
    Ok((labels, fields))
}

/// The part of a list that was asked for.
fn filter(call: &Call, response: Response) -> Response {
    let Response::List { items, revision } = response else { return response };
    let Ok((labels, fields)) = selectors(call) else { return Response::List { items, revision } };
    let keep = |o: &Object| {
        use crate::api::MetaExt;
        labels.matches(o.meta().labels_or_empty()) && crate::apiserver::fields::matches(&fields, o)
    };
    let mut items: Vec<Object> = items.into_iter().filter(|o| keep(o)).collect();
    if call.kind == Kind::EVENT {
        // Events have a store of their own order in no way: by key like the rest.
        order::sort_by_key(&mut items, Object::key);
    }
    Response::List { items, revision }
}
