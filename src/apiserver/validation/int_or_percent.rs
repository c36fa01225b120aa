//! Numbers and percentages (`intstr.IntOrString`; `pkg/apis/apps/validation/validation.go`).

use crate::api::types::IntOrString;

use super::field::{BadValue, Errors, FieldError, Path, go_json_string};
use super::meta::non_negative;
use super::names;

/// A number or percentage, as a message quotes it.
pub(in crate::apiserver) fn quote(value: &IntOrString) -> BadValue {
    BadValue::Json(match value {
        IntOrString::Int(i) => i.to_string(),
        IntOrString::String(s) => go_json_string(s),
    })
}

/// Validates a number that is not negative, or a percentage (`ValidatePositiveIntOrPercent`).
pub(in crate::apiserver) fn positive_int_or_percent(errs: &mut Errors, value: &IntOrString, path: &Path) {
    match value {
        IntOrString::Int(i) => non_negative(errs, *i, path),
        IntOrString::String(s) => {
            let messages = names::percent(s).into_iter();
            errs.extend(messages.map(|m| FieldError::invalid(path, quote(value), m)));
        }
    }
}

fn percent_value(value: &IntOrString) -> Option<i64> {
    let IntOrString::String(s) = value else { return None };
    if !names::percent(s).is_empty() {
        return None;
    }
    // As in Go, a number that does not fit is the greatest that does.
    Some(s.trim_end_matches('%').parse().unwrap_or(i64::MAX))
}

/// The number, or the number before the `%`; 0 if the text is neither.
pub(in crate::apiserver) fn int_or_percent(value: &IntOrString) -> i64 {
    percent_value(value).unwrap_or_else(|| match value {
        IntOrString::Int(i) => i64::from(*i),
        IntOrString::String(s) => s.parse().unwrap_or_default(),
    })
}

/// Refuses a percentage of more than 100 (`IsNotMoreThan100Percent`).
pub(in crate::apiserver) fn not_more_than_100_percent(errs: &mut Errors, value: &IntOrString, path: &Path) {
    if percent_value(value).is_some_and(|p| p > 100) {
        errs.push(FieldError::invalid(path, quote(value), "must not be greater than 100%"));
    }
}
