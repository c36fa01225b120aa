//! Names of properties as CEL identifiers, after `Escape` and `Unescape` in `k8s.io/apiserver/pkg/cel/escaping.go`.

/// The words that CEL's grammar keeps for itself.
const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// Whether CEL's grammar keeps a word for itself.
pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// The identifier under which an expression reaches the property `name`: `a-b` is `a__dash__b`, `namespace` is
/// `__namespace__`. `None` if CEL cannot name the property at all.
pub fn escape(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if is_reserved(name) {
        return Some(format!("__{name}__"));
    }
    let mut escaped = String::with_capacity(name.len());
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '_' if rest.peek() == Some(&'_') => {
                rest.next();
                escaped.push_str("__underscores__");
            }
            '.' => escaped.push_str("__dot__"),
            '-' => escaped.push_str("__dash__"),
            '/' => escaped.push_str("__slash__"),
            c if c == '_' || c.is_ascii_alphanumeric() => escaped.push(c),
            _ => return None,
        }
    }
    Some(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        for (name, escaped) in [
            ("a", "a"),
            ("a-b", "a__dash__b"),
            ("a.b/c", "a__dot__b__slash__c"),
            ("namespace", "__namespace__"),
            ("namespaces", "namespaces"),
            ("a__b", "a__underscores__b"),
            ("_a_", "_a_"),
            ("___", "__underscores___"),
        ] {
            assert_eq!(escape(name).as_deref(), Some(escaped));
        }
    }

    #[test]
    fn some_names_cannot_be_said() {
        for name in ["", "1a", "a b", "ä", "a$"] {
            assert_eq!(escape(name), None, "{name}");
        }
    }
}
