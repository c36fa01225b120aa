//! The answer to a refused object: a `Status` with one cause for each error.

use crate::api::Kind;
use crate::api::quote::go_quote;
use crate::apimachinery::{Cause, Details, Status};

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

/// 422 for an object with errors (`errors.NewInvalid`).
pub fn invalid(kind: Kind, name: &str, errors: &[FieldError]) -> Status {
    invalid_as(kind.as_str(), kind.stored().group(), name, errors)
}

/// [`invalid`] for an object that says that it is of another kind of the group.
pub(in crate::apiserver) fn invalid_as(kind: &str, group: &str, name: &str, errors: &[FieldError]) -> Status {
    let joined = aggregate(errors);
    let causes = errors
        .iter()
        .map(|e| Cause { reason: e.kind.reason().to_owned(), message: e.body(), field: e.field.clone() })
        .collect();
    let details = Details {
        name: name.to_owned(),
        group: group.to_owned(),
        kind: kind.to_owned(),
        causes,
        ..Details::default()
    };
    let what = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
    Status::new(422, "Invalid", format!("{what} {name} is invalid: {joined}", name = go_quote(name)))
        .with(details)
}
