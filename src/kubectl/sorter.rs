//! `--sort-by` (kubectl's `pkg/cmd/get/sorter.go`).

use serde_json::Value;

use super::flags::Args;
use super::invocation::{Result, fail};
use crate::api::jsonpath::{self, Template};
use crate::api::quote::go_quote;
use crate::api::{order, quantity};

/// Sorts objects by the field that `--sort-by` names, if it names one; `value_of` is the JSON of an object.
pub(super) fn sort<T>(args: &Args, objects: &mut Vec<T>, value_of: impl Fn(&T) -> Value) -> Result {
    let path = args.text("sort-by");
    if path.is_empty() || objects.is_empty() {
        return Ok(());
    }
    let template = jsonpath::relaxed(path).and_then(|p| Template::parse(&p));
    let template = match template {
        Ok(t) => t,
        Err(e) => return fail(e),
    };
    let mut keyed: Vec<(Option<Value>, T)> = Vec::new();
    for o in objects.drain(..) {
        let value = value_of(&o);
        let key = match template.find(&value) {
            Ok(values) => values.first().map(|v| (*v).clone()),
            Err(e) => return fail(e),
        };
        keyed.push((key, o));
    }
    if keyed.iter().all(|(key, _)| key.is_none()) {
        return fail(format!(
            "couldn't find any field with path {} in the list of objects",
            go_quote(format!("{{.{}}}", path.trim_matches(['{', '}', '.'])))
        ));
    }
    order::sort_by(&mut keyed, |a, b| compare(a.0.as_ref(), b.0.as_ref()));
    *objects = keyed.into_iter().map(|(_, o)| o).collect();
    Ok(())
}

/// Numbers as numbers, quantities as quantities, the rest as text; what is missing or `null` comes first (`isLess`).
fn compare(a: Option<&Value>, b: Option<&Value>) -> std::cmp::Ordering {
    let given = |value: &&Value| !value.is_null();
    match (a.filter(given), b.filter(given)) {
        (Some(Value::String(a)), Some(Value::String(b))) => {
            match (quantity::Amount::parse(a), quantity::Amount::parse(b)) {
                (Ok(x), Ok(y)) => x.cmp(&y),
                _ => a.cmp(b),
            }
        }
        (Some(Value::Number(a)), Some(Value::Number(b))) => {
            a.as_f64().unwrap_or(0.0).total_cmp(&b.as_f64().unwrap_or(0.0))
        }
        (Some(Value::Bool(a)), Some(Value::Bool(b))) => a.cmp(b),
        (None, None) => std::cmp::Ordering::Equal,
        (None, Some(_)) => std::cmp::Ordering::Less,
        (Some(_), None) => std::cmp::Ordering::Greater,
        (Some(a), Some(b)) => a.to_string().cmp(&b.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The events of the scheduler have `lastTimestamp: null`.
    #[test]
    fn null_comes_first_as_what_is_missing_does() {
        let mut all = [
            Some(json!("2026-01-01T00:00:00Z")),
            Some(Value::Null),
            Some(json!("2025-01-01T00:00:00Z")),
            None,
        ];
        all.sort_by(|a, b| compare(a.as_ref(), b.as_ref()));
        assert_eq!(all[2..], [Some(json!("2025-01-01T00:00:00Z")), Some(json!("2026-01-01T00:00:00Z"))]);
    }
}
