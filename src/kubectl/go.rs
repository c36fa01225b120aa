//! What Go's standard library writes: JSON with its escapes, and values in `%v` and `%#v`.

use serde::Serialize;
use serde_json::Value;

use crate::api::quote::go_quote;

/// `json.MarshalIndent`, as `-o json` prints it.
pub(super) fn json_indent(value: &impl Serialize) -> String {
    json_indented(value, "    ")
}

/// `json.MarshalIndent` with the text by which each level is indented.
pub(super) fn json_indented(value: &impl Serialize, indent: &str) -> String {
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    let mut ser = serde_json::Serializer::with_formatter(&mut out, formatter);
    // Writing a value into memory does not fail; an empty text would show it if it did.
    let _ = value.serialize(&mut ser);
    let text = String::from_utf8(out).unwrap_or_default();
    // These characters can only stand inside strings, so replacing them everywhere is right.
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

pub(super) use crate::api::go_types::go_json as json;
pub(super) use crate::api::go_types::parse_int;
pub(super) use crate::api::patch::go_value as format_value;

/// A value in `%#v`.
pub(super) fn format_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => go_quote(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(format_syntax).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            crate::api::order::sort_by_key(&mut entries, |(key, _)| *key);
            let entries: Vec<String> =
                entries.into_iter().map(|(k, v)| format!("{}:{}", go_quote(k), format_syntax(v))).collect();
            format!("map[string]interface {{}}{{{}}}", entries.join(", "))
        }
        other => other.to_string(),
    }
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
        assert_eq!(parse_int("three"), Err("strconv.ParseInt: parsing \"three\": invalid syntax".into()));
    }
}
