//! KYAML (KEP-5295, `sigs.k8s.io/yaml/kyaml`): YAML in braces, with every text quoted.

use serde_json::Value;

/// A document with its separator.
pub(super) fn document(value: &Value) -> String {
    let mut out = String::from("---\n");
    node(value, 0, &mut out);
    out.push('\n');
    out
}

fn indent(level: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", level));
}

fn node(value: &Value, level: usize, out: &mut String) {
    match value {
        Value::String(s) => text(s, level + 1, out),
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        Value::Object(map) if map.is_empty() => out.push_str("{}"),
        Value::Array(items) if items.iter().all(|i| i.is_object() || i.is_array()) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                node(item, level, out);
            }
            out.push(']');
        }
        Value::Array(items) => {
            out.push_str("[\n");
            for item in items {
                indent(level + 1, out);
                node(item, level + 1, out);
                out.push_str(",\n");
            }
            indent(level, out);
            out.push(']');
        }
        Value::Object(map) => {
            out.push_str("{\n");
            for (key, value) in map {
                indent(level + 1, out);
                if is_plain(key) {
                    out.push_str(key);
                } else {
                    text(key, level + 1, out);
                }
                out.push_str(": ");
                node(value, level + 1, out);
                out.push_str(",\n");
            }
            indent(level, out);
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// Whether a key needs no quotes: no YAML reader takes it for anything but a text.
fn is_plain(key: &str) -> bool {
    let last = key.chars().count().saturating_sub(1);
    let allowed = |(i, c): (usize, char)| {
        c.is_alphanumeric() || c == '_' || (i > 0 && i < last && matches!(c, '-' | '.' | '/'))
    };
    !key.is_empty() && key.chars().enumerate().all(allowed) && !is_guessed(key)
}

/// Whether YAML readers may take a text for null, a boolean, a number or a time.
fn is_guessed(text: &str) -> bool {
    let lower = text.to_lowercase();
    let word = matches!(
        lower.as_str(),
        "null"
            | "~"
            | "true"
            | "t"
            | "y"
            | "yes"
            | "on"
            | "false"
            | "f"
            | "n"
            | "no"
            | "off"
            | ".inf"
            | "-.inf"
            | "+.inf"
            | ".nan"
    );
    let digits = lower.replace('_', "");
    let radix = |prefix: &str, radix: u32| {
        digits.strip_prefix(prefix).is_some_and(|d| i64::from_str_radix(d, radix).is_ok())
    };
    let number = digits.parse::<f64>().is_ok() || radix("0x", 16) || radix("0o", 8) || radix("0b", 2);
    let mut date = text.splitn(3, '-');
    let part = |p: Option<&str>, longest: usize| {
        p.is_some_and(|p| !p.is_empty() && p.len() <= longest && p.bytes().all(|b| b.is_ascii_digit()))
    };
    let year = date.next();
    let time =
        year.is_some_and(|y| y.len() == 4) && part(year, 4) && part(date.next(), 2) && part(date.next(), 2);
    word || number || time
}

/// A quoted text; one of several lines is folded, a line each.
fn text(value: &str, level: usize, out: &mut String) {
    let folded = value.contains('\n');
    out.push('"');
    if folded {
        out.push_str("\\\n");
    }
    let mut begins = folded;
    for c in value.chars() {
        if begins {
            indent(level, out);
            // Blanks at the beginning of a line are dropped unless they are escaped.
            out.push(if c.is_whitespace() && c != '\n' { '\\' } else { ' ' });
        }
        begins = c == '\n';
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n\\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\0' => out.push_str("\\0"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\u{1b}' => out.push_str("\\e"),
            '\u{85}' => out.push_str("\\N"),
            '\u{a0}' => out.push_str("\\_"),
            '\u{2028}' => out.push_str("\\L"),
            '\u{2029}' => out.push_str("\\P"),
            c if c < ' ' || c == '\u{7f}' => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    if folded {
        if !begins {
            out.push_str("\\\n");
        }
        indent(level, out);
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_braces_and_texts_are_quoted() {
        let value = serde_json::json!({
            "a.b/c": "x", "y": [1, "two", null], "m": {}, "l": [{"n": true}, {"n": 1.5}], "t": "one\n two\n", "no": [],
        });
        let want = "---\n{\n  a.b/c: \"x\",\n  l: [{\n    \"n\": true,\n  }, {\n    \"n\": 1.5,\n  }],\n  m: {},\n  \"no\": [],\n  \"t\": \"\\\n     one\\n\\\n    \\ two\\n\\\n    \",\n  \"y\": [\n    1,\n    \"two\",\n    null,\n  ],\n}\n";
        assert_eq!(document(&value), want);
        for key in ["1", "0x1f", "1e3", "2001-1-2", "TRUE", "", "-a", "a b"] {
            assert!(!is_plain(key), "{key}");
        }
        assert!(is_plain("kubernetes.io/name") && is_plain("a1"));
    }
}
