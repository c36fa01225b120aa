//! Whether a value is what its schema asks for, in the words of `k8s.io/kube-openapi/pkg/validation`
//! (and `pkg/apiserver/validation/validation.go`, `ratcheting.go`).

mod failure;
pub mod formats;
mod numbers;

use serde_json::Value;

use super::correlation::Correlated;
use super::schema::{AdditionalProperties, Structural};
use crate::api::go_types::go_json;
use crate::api::quote::go_quote;
use crate::api::regexp;
use crate::apiserver::validation::{Errors, Path};
use failure::{Failure, Kind, Outcome, composite, errors, other, wrong_type};

/// What is wrong with a new value.
///
/// `path` is where the value stands; the texts name only what lies below it. An error of the value as a
/// whole that has no place has the place of the value, and `<nil>` in an object.
pub fn validate(value: &Value, schema: &Structural, path: &Path) -> Errors {
    let validator = Validator { is_default: false };
    errors(validator.node(value, schema, "", None), path)
}

/// [`validate`] of a value in place of an old one: what did not change is not looked at again.
pub(super) fn validate_update(
    value: &Value,
    schema: &Structural,
    path: &Path,
    old: Option<Correlated<'_>>,
) -> Errors {
    let validator = Validator { is_default: false };
    errors(validator.ratcheted(value, schema, "", old), path)
}

/// [`validate`] of a default. An `x-kubernetes-int-or-string` limits no default, and formats that are not known limit
/// its type.
pub(super) fn validate_default(value: &Value, schema: &Structural, path: &Path) -> Errors {
    let validator = Validator { is_default: true };
    errors(validator.node(value, schema, "", None), path)
}

/// The name of a value's JSON type.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether a number is a whole one that an integer may be written as.
fn is_whole(value: &Value) -> bool {
    value.as_f64().is_some_and(|f| f.is_finite() && f.fract() == 0.0)
}

struct Validator {
    is_default: bool,
}

impl Validator {
    fn types<'s>(&self, s: &'s Structural) -> Vec<&'s str> {
        if s.int_or_string && !self.is_default {
            return vec!["integer", "string"];
        }
        if s.type_.is_empty() { Vec::new() } else { vec![s.type_.as_str()] }
    }

    /// The format, unless it is not known.
    fn format<'s>(&self, s: &'s Structural, types: &[&str]) -> &'s str {
        let type_ = if let [one] = types { one } else { "" };
        let format = s.value.format.as_str();
        if self.is_default || formats::is_recognized(type_, format) { format } else { "" }
    }

    /// A value with its old one, if it has one: if it is the same, it may stay.
    fn ratcheted(&self, value: &Value, s: &Structural, path: &str, old: Option<Correlated<'_>>) -> Outcome {
        let mut outcome = self.node(value, s, path, old);
        if !outcome.is_valid() && old.is_some_and(Correlated::is_equal) {
            outcome.forgive();
        }
        outcome
    }

    /// A value by itself; `old` is for what lies below.
    fn node(&self, value: &Value, s: &Structural, path: &str, old: Option<Correlated<'_>>) -> Outcome {
        let mut out = Outcome::default();
        let types = self.types(s);
        let format = self.format(s, &types);
        if value.is_null() {
            out.matches += 1;
            if !types.is_empty() && !types.contains(&"null") && !s.nullable {
                out.matches -= 1;
                out.add(wrong_type(path, &types.join(","), "null"));
            }
            enumeration(&mut out, value, s, path);
            return out;
        }
        if !types.is_empty() || !format.is_empty() {
            self.type_and_count(&mut out, value, &types, format, path);
        }
        self.junctors(&mut out, value, s, path);
        out.matches += 1;
        match value {
            Value::String(text) => {
                string(&mut out, text, s, path);
                out.matches += 1;
                if let Some(fits) = formats::has_format(format, text) {
                    if !fits {
                        out.add(wrong_type(path, format, text));
                    }
                    out.matches += 1;
                }
            }
            Value::Number(_) => {
                numbers::validate(&mut out, value, s, &types, format, path);
                out.matches += 1;
            }
            Value::Array(items) => {
                self.list(&mut out, items, s, path, old);
                out.matches += 1;
            }
            _ => {}
        }
        enumeration(&mut out, value, s, path);
        out.matches += 1;
        if let Value::Object(map) = value {
            self.object(&mut out, map, s, path, old);
            out.matches += 1;
        }
        out.matches += 1;
        out
    }

    fn type_and_count(&self, out: &mut Outcome, value: &Value, types: &[&str], format: &str, path: &str) {
        let kind = type_of(value);
        let has_integer = types.contains(&"integer");
        let fits = types.contains(&kind)
            || (kind == "number" && is_whole(value) && has_integer)
            || (kind == "integer" && types.contains(&"number"));
        let textual = value.is_string() || value.is_array();
        out.matches += 1;
        if !format.is_empty() && !textual && !fits {
            let found = match value {
                Value::Number(n) if n.is_f64() => "float64",
                Value::Number(_) => "int64",
                _ => "",
            };
            if found != format {
                out.add(wrong_type(path, format, found));
                return;
            }
        }
        if !types.contains(&"number") && !has_integer && !format.is_empty() && textual {
            out.matches += 1;
            return;
        }
        if fits {
            out.matches += 1;
        } else {
            out.add(wrong_type(path, &types.join(","), kind));
        }
    }

    /// `anyOf`, `oneOf`, `allOf` and `not`, none of which is ratcheted.
    fn junctors(&self, out: &mut Outcome, value: &Value, s: &Structural, path: &str) {
        let place = go_quote(path);
        let v = &s.value;
        out.matches += 1;
        if !v.any_of.is_empty() {
            let mut best: Option<Outcome> = None;
            let mut success = None;
            for part in &v.any_of {
                let outcome = self.node(value, part, path, None);
                if outcome.is_valid() {
                    success = Some(outcome);
                    break;
                }
                if best.as_ref().is_none_or(|b| outcome.matches > b.matches) {
                    best = Some(outcome);
                }
            }
            if success.is_none() {
                out.add(composite(format!("{place} must validate at least one schema (anyOf)")));
            }
            if let Some(outcome) = success.or(best) {
                out.merge(outcome);
            }
        }
        if !v.one_of.is_empty() {
            let (mut best, mut success, mut valid) = (None::<Outcome>, None, 0);
            for part in &v.one_of {
                let outcome = self.node(value, part, path, None);
                if outcome.is_valid() {
                    valid += 1;
                    best = None;
                    success.get_or_insert(outcome);
                } else if valid == 0 && best.as_ref().is_none_or(|b| outcome.matches > b.matches) {
                    best = Some(outcome);
                }
            }
            if valid == 1 {
                success.into_iter().for_each(|outcome| out.merge(outcome));
            } else {
                let found = match valid {
                    0 => "Found none valid".to_owned(),
                    n => format!("Found {n} valid alternatives"),
                };
                out.add(composite(format!("{place} must validate one and only one schema (oneOf). {found}")));
                best.into_iter().for_each(|outcome| out.merge(outcome));
            }
        }
        if !v.all_of.is_empty() {
            let mut valid = 0;
            for part in &v.all_of {
                let outcome = self.node(value, part, path, None);
                valid += usize::from(outcome.is_valid());
                out.merge(outcome);
            }
            if valid != v.all_of.len() {
                let more = if valid == 0 { ". None validated" } else { "" };
                out.add(composite(format!("{place} must validate all the schemas (allOf){more}")));
            }
        }
        if let Some(part) = &v.not
            && self.node(value, part, path, None).is_valid()
        {
            out.add(composite(format!("{place} must not validate the schema (not)")));
        }
    }

    fn list(
        &self,
        out: &mut Outcome,
        items: &[Value],
        s: &Structural,
        path: &str,
        old: Option<Correlated<'_>>,
    ) {
        if let Some(schema) = &s.items {
            for (i, item) in items.iter().enumerate() {
                let path = format!("{path}[{i}]");
                let outcome = match old.and_then(|old| old.index(i)) {
                    None => self.node(item, schema, &path, None),
                    old => self.ratcheted(item, schema, &path, old),
                };
                out.merge(outcome);
            }
        }
        let size = i64::try_from(items.len()).unwrap_or(i64::MAX);
        if let Some(min) = s.value.min_items.filter(|min| size < *min) {
            out.add(other(path, size, format!("should have at least {min} items")));
        }
        if let Some(max) = s.value.max_items.filter(|max| size > *max) {
            let message = format!("{path} in body should have at most {max} items");
            out.add(Failure { at: Some(path.to_owned()), kind: Kind::TooMany(size, max), message });
        }
        out.matches += 1;
    }

    fn object(
        &self,
        out: &mut Outcome,
        map: &serde_json::Map<String, Value>,
        s: &Structural,
        path: &str,
        old: Option<Correlated<'_>>,
    ) {
        let size = i64::try_from(map.len()).unwrap_or(i64::MAX);
        if let Some(min) = s.value.min_properties.filter(|min| size < *min) {
            out.add(other(path, size, format!("should have at least {min} properties")));
        }
        if let Some(max) = s.value.max_properties.filter(|max| size > *max) {
            let message = format!("{path} in body should have at most {max} properties");
            out.add(Failure { at: Some(path.to_owned()), kind: Kind::TooMany(size, max), message });
        }
        let field = |name: &str, value: &Value, schema: &Structural, below: &str| {
            // Both objects have been brought to one version, so that of the old one is not known.
            let is_type = path.is_empty() && matches!(name, "apiVersion" | "kind");
            match old.and_then(|old| old.key(name)).filter(|_| !is_type) {
                None => self.node(value, schema, below, None),
                old => self.ratcheted(value, schema, below, old),
            }
        };
        match &s.additional_properties {
            Some(AdditionalProperties::Bool(false)) => {
                for name in map.keys().filter(|name| !s.properties.contains_key(*name)) {
                    let message = format!("{path}.{name} in body is a forbidden property");
                    let kind = Kind::Other(name.into());
                    out.add(Failure { at: Some(path.to_owned()), kind, message });
                }
            }
            Some(AdditionalProperties::Schema(schema)) => {
                for (name, value) in map.iter().filter(|(name, _)| !s.properties.contains_key(*name)) {
                    out.merge(field(name, value, schema, &format!("{path}.{name}")));
                }
            }
            _ => {}
        }
        for (name, schema) in &s.properties {
            if let Some(value) = map.get(name) {
                let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                out.merge(field(name, value, schema, &below));
            }
        }
        for name in s.value.required.iter().filter(|name| !map.contains_key(*name)) {
            let at = Some(format!("{path}.{name}"));
            let message = format!("{path}.{name} in body is required");
            out.add(Failure { at, kind: Kind::Required, message });
        }
    }
}

/// The length and the pattern of a text. The first rule that it does not keep ends this.
fn string(out: &mut Outcome, text: &str, s: &Structural, path: &str) {
    let v = &s.value;
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    if let Some(max) = v.max_length.filter(|max| length > *max) {
        let message = format!("{path} in body should be at most {max} chars long");
        out.add(Failure { at: Some(path.to_owned()), kind: Kind::TooLong(max), message });
    } else if let Some(min) = v.min_length.filter(|min| length < *min) {
        out.add(other(path, text, format!("should be at least {min} chars long")));
    } else if !v.pattern.is_empty() {
        let pattern = match regexp::compile(&v.pattern) {
            Ok(regex) if regex.is_match(text) => return,
            Ok(_) => v.pattern.clone(),
            Err(error) => format!("{}, but pattern is invalid: {error}", v.pattern),
        };
        out.add(other(path, text, format!("should match '{pattern}'")));
    }
}

fn enumeration(out: &mut Outcome, value: &Value, s: &Structural, path: &str) {
    let allowed = &s.value.enumeration;
    if allowed.is_empty() || allowed.iter().any(|a| same(value, a)) {
        return;
    }
    let text = |v: &Value| v.as_str().map_or_else(|| go_json(v), str::to_owned);
    let texts: Vec<String> = allowed.iter().map(text).collect();
    let message = format!("{path} in body should be one of [{}]", texts.join(" "));
    out.add(Failure { at: Some(path.to_owned()), kind: Kind::Enum(value.clone(), texts), message });
}

/// Whether a value is one of an enumeration; a null never is. Numbers may be written in two ways.
fn same(value: &Value, allowed: &Value) -> bool {
    match (value, allowed) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a == b,
            _ => a.as_f64() == b.as_f64(),
        },
        (a, b) => a == b,
    }
}
