//! What a query says of a write, and what is wrong with it (`k8s.io/apimachinery/pkg/apis/meta/v1/validation`).

use serde_json::Value;

use crate::api::quote::go_quote;
use crate::apimachinery::{Cause, Details, FieldValidation, Query, Status};
use crate::apiserver::validation::meta::not_printable;

/// The longest name a field manager may have, in bytes.
const FIELD_MANAGER_MAX: usize = 128;

/// What the options of a write say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// `dryRun=All`: the request is checked and answered, and nothing is stored.
    pub dry_run: bool,
    /// What becomes of unknown fields.
    pub field_validation: FieldValidation,
    /// Who is said to own the fields; empty for the user agent's first word.
    pub field_manager: String,
    /// An apply takes fields from others.
    pub force: bool,
}

/// One violation of options.
pub(super) struct Violation {
    pub reason: &'static str,
    pub message: String,
    pub field: &'static str,
}

pub(super) fn violation(reason: &'static str, field: &'static str, message: String) -> Violation {
    Violation { reason, message, field }
}

/// 422 for options: `ListOptions`, `CreateOptions` …
pub(super) fn invalid_options(kind: &str, errors: Vec<Violation>) -> Result<(), Status> {
    if errors.is_empty() {
        return Ok(());
    }
    let texts: Vec<String> = errors.iter().map(|e| format!("{}: {}", e.field, e.message)).collect();
    let joined = match texts.as_slice() {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    let causes = errors
        .into_iter()
        .map(|e| Cause { reason: e.reason.into(), message: e.message, field: e.field.into() })
        .collect();
    Err(Status::new(422, "Invalid", format!("{kind}.meta.k8s.io \"\" is invalid: {joined}")).with(Details {
        group: "meta.k8s.io".into(),
        kind: kind.into(),
        causes,
        ..Details::default()
    }))
}

/// The options of a write; `kind` is `CreateOptions`, `UpdateOptions` or `PatchOptions`.
pub fn write_options(query: &Query, kind: &str, apply: bool) -> Result<WriteOptions, Status> {
    let mut errors = Vec::new();
    let manager = query.text("fieldManager");
    if kind == "PatchOptions" {
        if apply && manager.is_empty() {
            let m = "Required value: is required for apply patch".to_owned();
            errors.push(violation("FieldValueRequired", "fieldManager", m));
        } else if !apply && query.has("force") {
            let m = "Forbidden: may not be specified for non-apply patch".to_owned();
            errors.push(violation("FieldValueForbidden", "force", m));
        }
    }
    if manager.len() > FIELD_MANAGER_MAX {
        let m = format!("Too long: may not be more than {FIELD_MANAGER_MAX} bytes");
        errors.push(violation("FieldValueTooLong", "fieldManager", m));
    }
    for why in not_printable(manager) {
        let m = format!("Invalid value: {}: {why}", go_quote(manager));
        errors.push(violation("FieldValueInvalid", "fieldManager", m));
    }
    errors.extend(dry_run_errors(query));
    let field_validation = match query.text("fieldValidation") {
        "" | "Warn" => FieldValidation::Warn,
        "Strict" => FieldValidation::Strict,
        "Ignore" => FieldValidation::Ignore,
        other => {
            let m = format!(
                "Unsupported value: {}: supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
                go_quote(other)
            );
            errors.push(violation("FieldValueNotSupported", "fieldValidation", m));
            FieldValidation::Warn
        }
    };
    invalid_options(kind, errors)?;
    Ok(WriteOptions {
        dry_run: query.has("dryRun"),
        field_validation,
        field_manager: manager.into(),
        force: query.on("force"),
    })
}

fn dry_run_errors(query: &Query) -> Vec<Violation> {
    let values = query.all("dryRun");
    if values.iter().all(|v| *v == "All") {
        return Vec::new();
    }
    let given = Value::from(values);
    let m = format!("Unsupported value: {given}: supported values: \"All\"");
    vec![violation("FieldValueNotSupported", "dryRun", m)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        let q = Query::parse("labelSelector=a%3Db%2Cc+d&x==1&y&z=%zz");
        assert_eq!(q.text("labelSelector"), "a=b,c d");
        assert_eq!((q.text("x"), q.text("y"), q.text("z")), ("=1", "", "%zz"));
        assert!(q.has("y") && q.on("y") && !q.has("w"));
    }
}
