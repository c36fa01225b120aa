//! What is wrong with a value, before it is an error of a field.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::go_json::bad_value;
use crate::api::quote::go_quote;
use crate::apiserver::validation::{BadValue, Errors, FieldError, Path};

/// An error below the validated value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Failure {
    /// The path, as `spec.list[0]`; `None` for one that has no place.
    pub at: Option<String>,
    pub kind: Kind,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Required,
    Enum(Value, Vec<String>),
    TooLong(i64),
    TooMany(i64, i64),
    Type(BadValue),
    Other(BadValue),
}

/// How many bytes the messages about a value have in all, about. Further failures are left out: each item of a long list can
/// quote a long enumeration.
const MESSAGES: usize = 4 << 20;

/// What validating a value gave. The count of rules that were kept decides which of several
/// alternatives came closest.
#[derive(Default)]
pub(super) struct Outcome {
    pub failures: Vec<Failure>,
    pub matches: usize,
    /// The messages of the failures.
    said: BTreeSet<String>,
    bytes: usize,
}

impl Outcome {
    /// Adds a failure, unless one of the same text is there.
    pub fn add(&mut self, failure: Failure) {
        if self.bytes <= MESSAGES && self.said.insert(failure.message.clone()) {
            self.bytes += failure.message.len();
            self.failures.push(failure);
        }
    }

    pub fn merge(&mut self, other: Outcome) {
        self.matches += other.matches;
        other.failures.into_iter().for_each(|f| self.add(f));
    }

    /// Forgets the failures.
    pub fn forgive(&mut self) {
        *self = Outcome { matches: self.matches, ..Outcome::default() };
    }

    pub fn is_valid(&self) -> bool {
        self.failures.is_empty()
    }
}

pub(super) fn errors(outcome: Outcome, path: &Path) -> Errors {
    outcome.failures.into_iter().map(|f| error(f, path)).collect()
}

fn error(failure: Failure, path: &Path) -> FieldError {
    let at = match failure.at.as_deref().map(|at| at.strip_prefix('.').unwrap_or(at)) {
        None | Some("") => path.clone(),
        Some(at) => path.named(at),
    };
    let count = |n: i64| usize::try_from(n).unwrap_or_default();
    let mut error = match failure.kind {
        Kind::Required => FieldError::required(&at, ""),
        Kind::Enum(value, supported) => {
            let supported: Vec<&str> = supported.iter().map(String::as_str).collect();
            FieldError::not_supported(&at, bad_value(&value), &supported)
        }
        Kind::TooLong(max) if max < 0 => {
            FieldError { detail: "value is too long".to_owned(), ..FieldError::too_long(&at, 0) }
        }
        Kind::TooLong(max) => FieldError::too_long(&at, count(max)),
        Kind::TooMany(actual, max) if max < 0 => FieldError {
            detail: "has too many items".to_owned(),
            ..FieldError::too_many(&at, count(actual), 0)
        },
        Kind::TooMany(actual, max) => FieldError::too_many(&at, count(actual), count(max)),
        Kind::Type(value) => FieldError::type_invalid(&at, value, failure.message),
        Kind::Other(value) => FieldError::invalid(&at, value, failure.message),
    };
    if error.field.is_empty() {
        super::super::ROOT.clone_into(&mut error.field);
    }
    error
}

pub(super) fn composite(message: String) -> Failure {
    Failure { at: None, kind: Kind::Other("".into()), message }
}

pub(super) fn other(path: &str, value: impl Into<BadValue>, what: String) -> Failure {
    let message = format!("{path} in body {what}");
    Failure { at: Some(path.to_owned()), kind: Kind::Other(value.into()), message }
}

pub(super) fn wrong_type(path: &str, wanted: &str, found: &str) -> Failure {
    let message = format!("{path} in body must be of type {wanted}: {}", go_quote(found));
    Failure { at: Some(path.to_owned()), kind: Kind::Type(found.into()), message }
}
