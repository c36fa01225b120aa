//! The answer to a refused object: a `Status` with one cause per violation.

use serde_json::{Map, Value, json};

use crate::api::Kind;

use super::field::FieldError;

/// All messages in one: equal ones once, several in brackets (`utilerrors.Aggregate`).
pub fn aggregate(errors: &[FieldError]) -> String {
    let mut messages: Vec<String> = Vec::new();
    for error in errors {
        let message = error.to_string();
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    match messages.as_slice() {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

/// The `Status` with code 422 for an object of `kind` called `name` (`errors.NewInvalid`).
pub fn invalid_status(kind: Kind, name: &str, errors: &[FieldError]) -> Value {
    let causes: Vec<Value> = errors
        .iter()
        .map(|e| {
            // A path or a reason that is empty is left out, as Go does.
            let mut cause = Map::new();
            cause.insert("reason".into(), e.kind.reason().into());
            cause.insert("message".into(), e.body().into());
            if !e.field.is_empty() {
                cause.insert("field".into(), e.field.clone().into());
            }
            Value::Object(cause)
        })
        .collect();
    let mut details = Map::new();
    details.insert("kind".into(), kind.as_str().into());
    if !name.is_empty() {
        details.insert("name".into(), name.into());
    }
    let group = kind.stored().group();
    if !group.is_empty() {
        details.insert("group".into(), group.into());
    }
    if !causes.is_empty() {
        details.insert("causes".into(), causes.into());
    }
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": format!("{} {} is invalid: {}", kind.group_kind(), super::field::go_quote(name), aggregate(errors)),
        "reason": "Invalid",
        "details": details,
        "code": 422,
    })
}
