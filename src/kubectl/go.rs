//! What Go's standard library writes: JSON with its escapes, values in `%v`, durations.

use serde_json::Value;

/// `json.Marshal`: sorted keys, no blanks, `<`, `>` and `&` escaped.
pub(super) fn json(value: &Value) -> String {
    escape_html(value.to_string())
}

/// `json.MarshalIndent`, as `-o json` prints it.
pub(super) fn json_indent(value: &Value) -> String {
    use serde::Serialize;
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut ser = serde_json::Serializer::with_formatter(&mut out, formatter);
    // Writing a value into memory does not fail; an empty text would show it if it did.
    let _ = value.serialize(&mut ser);
    escape_html(String::from_utf8(out).unwrap_or_default())
}

/// These characters can only stand inside strings, so replacing them everywhere is right.
fn escape_html(text: String) -> String {
    if !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 32);
    for c in text.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out
}

/// A duration as `time.ParseDuration` reads it, in nanoseconds.
pub(super) fn parse_duration(text: &str) -> Option<i128> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: f64 = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, tail) = rest.split_at(end);
        let number: f64 = number.parse().ok()?;
        let end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(end);
        let unit = match unit {
            "ns" => 1.0,
            "us" | "µs" | "μs" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "m" => 60e9,
            "h" => 3600e9,
            _ => return None,
        };
        total += number * unit;
        rest = tail;
    }
    if !total.is_finite() || total > i64::MAX as f64 {
        return None;
    }
    Some(sign * (total as i128))
}

/// A number as `strconv.ParseInt` reads it, or what is wrong with it.
pub(super) fn parse_int(text: &str) -> Result<i64, String> {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    text.parse::<i64>().map_err(|e| {
        let why = match e.kind() {
            PosOverflow | NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("strconv.ParseInt: parsing {text:?}: {why}")
    })
}

pub(super) use crate::api::patch::go_value as format_value;

/// A value in `%#v`.
pub(super) fn format_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(format_syntax).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            crate::api::order::sort_by_key(&mut entries, |(key, _)| *key);
            let entries: Vec<String> =
                entries.into_iter().map(|(k, v)| format!("{}:{}", quoted(k), format_syntax(v))).collect();
            format!("map[string]interface {{}}{{{}}}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

/// A text as `strconv.Quote` writes it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_reads_and_writes() {
        assert_eq!(
            json(&serde_json::json!({"b": "<a & b>", "a": [1, null]})),
            r#"{"a":[1,null],"b":"\u003ca \u0026 b\u003e"}"#
        );
        assert_eq!(
            format_value(&serde_json::json!({"a": {"b": [1, "x", null]}})),
            "map[a:map[b:[1 x <nil>]]]"
        );
        assert_eq!(
            format_syntax(&serde_json::json!({"b": [1, "x\n", null], "a": {}})),
            r#"map[string]interface {}{"a":map[string]interface {}{}, "b":[]interface {}{1, "x\n", interface {}(nil)}}"#
        );
        for (text, want) in [
            ("5s", Some(5_000_000_000)),
            ("1h2m", Some(3_720_000_000_000)),
            ("1.5s", Some(1_500_000_000)),
            ("0", Some(0)),
            ("5", None),
            ("", None),
            ("-1s", Some(-1_000_000_000)),
            ("1x", None),
            ("s", None),
        ] {
            assert_eq!(parse_duration(text), want, "{text}");
        }
        assert_eq!(parse_int("three"), Err("strconv.ParseInt: parsing \"three\": invalid syntax".into()));
    }
}
