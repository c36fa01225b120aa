//! Functions on named formats: `k8s.io/apiserver/pkg/cel/library/format.go`.

use super::super::EvalResult;
use super::super::objects::Format;
use super::super::value::{Library, Value};

pub(super) fn global(function: &str, args: &[Value]) -> Option<EvalResult> {
    let name = function.strip_prefix("format.")?;
    let made = |format: Format| Value::library(Library::Format(format));
    match (name, args) {
        ("named", [Value::String(name)]) => {
            Some(Ok(Format::named(name).map_or(Value::Optional(None), |f| Value::some(made(f)))))
        }
        (name, []) => Format::named(name).map(made).map(Ok),
        _ => None,
    }
}

pub(super) fn member(function: &str, args: &[Value]) -> Option<EvalResult> {
    let ("validate", [Value::Library(library), Value::String(text)]) = (function, args) else { return None };
    let Library::Format(format) = &**library else { return None };
    let wrong = format.validate(text);
    if wrong.is_empty() {
        return Some(Ok(Value::Optional(None)));
    }
    Some(Ok(Value::some(Value::list(wrong.iter().map(|w| Value::string(w)).collect()))))
}
