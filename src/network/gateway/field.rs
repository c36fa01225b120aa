//! Errors of fields in the words of `k8s.io/apimachinery/pkg/util/validation/field`, in which conditions tell them.

use crate::api::quote::go_quote;

/// A value that is not among those that are supported.
pub fn not_supported(path: &str, value: &str, supported: &[&str]) -> String {
    let all: Vec<String> = supported.iter().map(go_quote).collect();
    format!("{path}: Unsupported value: {}: supported values: {}", go_quote(value), all.join(", "))
}

/// A value that is wrong.
pub fn invalid(path: &str, value: &str, detail: &str) -> String {
    format!("{path}: Invalid value: {}: {detail}", go_quote(value))
}

/// A field that must be there.
pub fn required(path: &str, detail: &str) -> String {
    format!("{path}: Required value: {detail}")
}

/// A field that must not be there.
pub fn forbidden(path: &str, detail: &str) -> String {
    format!("{path}: Forbidden: {detail}")
}

/// A reference to something that is not there.
pub fn not_found(path: &str, value: &str) -> String {
    format!("{path}: Not found: {}", go_quote(value))
}

/// Several errors as one (`ErrorList.ToAggregate`).
pub fn aggregate(errors: &[String]) -> String {
    let mut all: Vec<&str> = Vec::new();
    for error in errors {
        if !all.contains(&error.as_str()) {
            all.push(error);
        }
    }
    match all.as_slice() {
        [one] => (*one).to_owned(),
        several => format!("[{}]", several.join(", ")),
    }
}

/// A message with a capital letter at its beginning.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
