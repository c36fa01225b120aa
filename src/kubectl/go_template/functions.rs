//! The functions of a template: Go's own (`text/template/funcs.go`) and kubectl's `exists` and `base64decode`.

use std::cmp::Ordering;

use base64::Engine;
use serde_json::Value;

use super::super::go;
use crate::api::quote::go_quote;

/// Whether there is a function of this name.
pub(super) fn is_known(name: &str) -> bool {
    matches!(
        name,
        "and"
            | "or"
            | "not"
            | "len"
            | "index"
            | "slice"
            | "print"
            | "printf"
            | "println"
            | "html"
            | "js"
            | "urlquery"
            | "eq"
            | "ne"
            | "lt"
            | "le"
            | "gt"
            | "ge"
            | "exists"
            | "base64decode"
            | "call"
    )
}

/// Whether a condition holds: a value that is not its type's zero.
pub(super) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(b) => *b,
        Value::Number(n) => n.as_f64() != Some(0.0),
        Value::String(s) => !s.is_empty(),
        Value::Array(a) => !a.is_empty(),
        Value::Object(m) => !m.is_empty(),
    }
}

/// Calls a function.
///
/// # Errors
/// Arguments that it does not take.
pub(super) fn call(name: &str, values: &[Value]) -> Result<Value, String> {
    match (name, values) {
        ("not", [one]) => Ok((!is_true(one)).into()),
        ("len", [one]) => length(one).map(Value::from),
        ("index", [of, keys @ ..]) => keys.iter().try_fold(of.clone(), |value, key| index(&value, key)),
        ("exists", [of, keys @ ..]) => {
            let found = keys.iter().try_fold(of.clone(), |value, key| index(&value, key));
            Ok(found.is_ok_and(|v| keys.is_empty() || !v.is_null()).into())
        }
        ("slice", [of, bounds @ ..]) => slice(of, bounds),
        ("print", all) => Ok(print(all).into()),
        ("println", all) => {
            let texts: Vec<String> = all.iter().map(go::format_value).collect();
            Ok((texts.join(" ") + "\n").into())
        }
        ("printf", [Value::String(format), rest @ ..]) => Ok(printf(format, rest).into()),
        ("html", all) => Ok(html(&print(all)).into()),
        ("js", all) => Ok(js(&print(all)).into()),
        ("urlquery", all) => Ok(urlquery(&print(all)).into()),
        ("eq", [one, others @ ..]) if !others.is_empty() => {
            for other in others {
                if equal(one, other)? {
                    return Ok(true.into());
                }
            }
            Ok(false.into())
        }
        ("ne", [a, b]) => Ok((!equal(a, b)?).into()),
        ("lt", [a, b]) => Ok((compare(a, b)? == Ordering::Less).into()),
        ("le", [a, b]) => Ok((compare(a, b)? != Ordering::Greater).into()),
        ("gt", [a, b]) => Ok((compare(a, b)? == Ordering::Greater).into()),
        ("ge", [a, b]) => Ok((compare(a, b)? != Ordering::Less).into()),
        ("base64decode", [Value::String(text)]) => base64decode(text).map(Value::from),
        ("base64decode", [_]) => Err("invalid value; expected string".into()),
        ("call", _) => Err("call of nil".into()),
        ("eq", [_]) => Err("missing argument for comparison".into()),
        (name, values) => Err(format!("wrong number of args for {name}: got {}", values.len())),
    }
}

fn length(value: &Value) -> Result<usize, String> {
    match value {
        Value::Array(a) => Ok(a.len()),
        Value::Object(m) => Ok(m.len()),
        Value::String(s) => Ok(s.len()),
        Value::Null => Err("len of nil pointer".into()),
        other => Err(format!("len of type {}", go_type(other))),
    }
}

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "nil",
        Value::Bool(_) => "bool",
        Value::Number(n) if n.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

fn index(value: &Value, key: &Value) -> Result<Value, String> {
    match (value, key) {
        (Value::Object(map), Value::String(key)) => Ok(map.get(key).cloned().unwrap_or_default()),
        (Value::Object(_), Value::Null) => Err("value is nil; should be of type string".into()),
        (Value::Object(_), other) => Err(format!("value has type {}; should be string", go_type(other))),
        (Value::Array(items), Value::Number(n)) => {
            let at = n.as_i64().and_then(|i| usize::try_from(i).ok());
            at.and_then(|i| items.get(i)).cloned().ok_or_else(|| "reflect: slice index out of range".into())
        }
        (Value::String(text), Value::Number(n)) => {
            let at = n.as_i64().and_then(|i| usize::try_from(i).ok());
            let byte = at.and_then(|i| text.as_bytes().get(i).copied());
            byte.map(Value::from).ok_or_else(|| "reflect: string index out of range".into())
        }
        (Value::Array(_) | Value::String(_), other) => {
            Err(format!("cannot index slice/array with type {}", go_type(other)))
        }
        (Value::Null, _) => Err("index of untyped nil".into()),
        (other, _) => Err(format!("can't index item of type {}", go_type(other))),
    }
}

fn slice(value: &Value, bounds: &[Value]) -> Result<Value, String> {
    let length = match value {
        Value::Null => return Err("slice of untyped nil".into()),
        Value::Array(_) | Value::String(_) => length(value)?,
        other => return Err(format!("can't slice item of type {}", go_type(other))),
    };
    let mut given = Vec::new();
    for bound in bounds {
        let at = bound.as_i64().and_then(|i| usize::try_from(i).ok()).filter(|i| *i <= length);
        given.push(at.ok_or_else(|| format!("index out of range: {}", go::format_value(bound)))?);
    }
    let (from, to) = match given[..] {
        [] => (0, length),
        [from] => (from, length),
        [from, to, ..] => (from, to),
    };
    if from > to {
        return Err(format!("invalid slice index: {from} > {to}"));
    }
    match value {
        Value::Array(items) => Ok(items.get(from..to).unwrap_or_default().to_vec().into()),
        Value::String(text) => match text.get(from..to) {
            Some(part) => Ok(part.into()),
            None => Err("the slice cuts a character".into()),
        },
        _ => Ok(Value::Null),
    }
}

/// `fmt.Sprint`: blanks only between operands neither of which is a text.
fn print(all: &[Value]) -> String {
    let mut out = String::new();
    for (i, value) in all.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| all.get(i));
        if before.is_some_and(|b| !b.is_string() && !value.is_string()) {
            out.push(' ');
        }
        out.push_str(&go::format_value(value));
    }
    out
}

/// `fmt.Sprintf` for the verbs that JSON's values have.
fn printf(format: &str, values: &[Value]) -> String {
    let mut out = String::new();
    let mut values = values.iter();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let (mut left, mut zero) = (false, false);
        while let Some(flag) = chars.next_if(|c| matches!(c, '-' | '0' | '+' | '#' | ' ')) {
            left |= flag == '-';
            zero |= flag == '0';
        }
        let mut number = || {
            let mut n = None;
            while let Some(d) = chars.next_if(char::is_ascii_digit).and_then(|c| c.to_digit(10)) {
                n = Some((n.unwrap_or(0usize) * 10 + d as usize).min(1000));
            }
            n
        };
        let width = number().unwrap_or(0);
        let precision = chars.next_if_eq(&'.').map(|_| ()).and_then(|()| {
            let mut n = Some(0usize);
            while let Some(d) = chars.next_if(char::is_ascii_digit).and_then(|c| c.to_digit(10)) {
                n = n.map(|n| (n * 10 + d as usize).min(1000));
            }
            n
        });
        let Some(verb) = chars.next() else {
            out.push_str("%!(NOVERB)");
            break;
        };
        if verb == '%' {
            out.push('%');
            continue;
        }
        let text = match values.next() {
            Some(value) => formatted(verb, value, precision),
            None => format!("%!{verb}(MISSING)"),
        };
        let missing = width.saturating_sub(text.chars().count());
        if left {
            out.push_str(&text);
            out.extend(std::iter::repeat_n(' ', missing));
        } else {
            let fill = if zero && verb != 's' { '0' } else { ' ' };
            out.extend(std::iter::repeat_n(fill, missing));
            out.push_str(&text);
        }
    }
    let extra: Vec<String> = values.map(|v| format!("{}={}", go_type(v), go::format_value(v))).collect();
    if !extra.is_empty() {
        out.push_str(&format!("%!(EXTRA {})", extra.join(", ")));
    }
    out
}

fn formatted(verb: char, value: &Value, precision: Option<usize>) -> String {
    match (verb, value) {
        ('s', Value::String(s)) => match precision {
            Some(n) => s.chars().take(n).collect(),
            None => s.clone(),
        },
        ('q', Value::String(s)) => go_quote(s).to_string(),
        ('x', Value::String(s)) => s.bytes().map(|b| format!("{b:02x}")).collect(),
        ('x', Value::Number(n)) if n.is_i64() => format!("{:x}", n.as_i64().unwrap_or(0)),
        ('d', Value::Number(n)) if n.is_i64() || n.is_u64() => n.to_string(),
        ('f', Value::Number(n)) if n.is_f64() => {
            format!("{:.*}", precision.unwrap_or(6), n.as_f64().unwrap_or(0.0))
        }
        ('t', Value::Bool(b)) => b.to_string(),
        ('T', value) => go_type(value).to_owned(),
        ('v', value) => go::format_value(value),
        (verb, value) => format!("%!{verb}({}={})", go_type(value), go::format_value(value)),
    }
}

fn html(text: &str) -> String {
    let escape = |c: char| match c {
        '"' => "&#34;".to_owned(),
        '\'' => "&#39;".to_owned(),
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '\0' => "\u{fffd}".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}

fn js(text: &str) -> String {
    let escape = |c: char| match c {
        '\\' => "\\\\".to_owned(),
        '\'' => "\\'".to_owned(),
        '"' => "\\\"".to_owned(),
        '<' | '>' | '&' | '=' => format!("\\u{:04X}", u32::from(c)),
        c if c < ' ' => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}

fn urlquery(text: &str) -> String {
    let escape = |b: u8| match b {
        b' ' => "+".to_owned(),
        b if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) => char::from(b).to_string(),
        b => format!("%{b:02X}"),
    };
    text.bytes().map(escape).collect()
}

fn equal(a: &Value, b: &Value) -> Result<bool, String> {
    match (a, b) {
        (Value::Null, other) | (other, Value::Null) => Ok(other.is_null()),
        (Value::Array(_) | Value::Object(_), _) | (_, Value::Array(_) | Value::Object(_)) => {
            Err("non-comparable type".into())
        }
        _ => Ok(compare_basic(a, b)? == Ordering::Equal),
    }
}

fn compare(a: &Value, b: &Value) -> Result<Ordering, String> {
    match (a, b) {
        (Value::Number(_), Value::Number(_)) | (Value::String(_), Value::String(_)) => compare_basic(a, b),
        (Value::Number(_), Value::String(_)) | (Value::String(_), Value::Number(_)) => {
            Err("incompatible types for comparison".into())
        }
        _ => Err("invalid type for comparison".into()),
    }
}

fn compare_basic(a: &Value, b: &Value) -> Result<Ordering, String> {
    let incompatible = || "incompatible types for comparison".to_owned();
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Ok(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Ok(a.cmp(b)),
        (Value::Number(a), Value::Number(b)) if a.is_f64() == b.is_f64() => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Ok(a.cmp(&b)),
            _ => a.as_f64().partial_cmp(&b.as_f64()).ok_or_else(incompatible),
        },
        _ => Err(incompatible()),
    }
}

fn base64decode(text: &str) -> Result<String, String> {
    let plain: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    match base64::engine::general_purpose::STANDARD.decode(&plain) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(e) => {
            let at = match e {
                base64::DecodeError::InvalidByte(at, _) | base64::DecodeError::InvalidLastSymbol(at, _) => at,
                base64::DecodeError::InvalidLength(_) | base64::DecodeError::InvalidPadding => plain.len(),
            };
            Err(format!("base64 decode failed: illegal base64 data at input byte {at}"))
        }
    }
}
