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

/// The property that an identifier stands for. `None` if the identifier holds an escape that does not exist.
pub fn unescape(identifier: &str) -> Option<String> {
    let mut name = String::with_capacity(identifier.len());
    let mut rest = identifier;
    while let Some(start) = rest.find("__") {
        let inside = rest.get(start + 2..)?;
        // An escape is two underscores, at least one other character, two underscores.
        let length = inside.find('_').unwrap_or(inside.len());
        let closed = length > 0 && inside.get(length..).is_some_and(|s| s.starts_with("__"));
        if !closed {
            name.push_str(rest.get(..start + 1)?);
            rest = rest.get(start + 1..)?;
            continue;
        }
        name.push_str(rest.get(..start)?);
        match inside.get(..length)? {
            "underscores" => name.push_str("__"),
            "dot" => name.push('.'),
            "dash" => name.push('-'),
            "slash" => name.push('/'),
            word if is_reserved(word) && word.len() + 4 == identifier.len() => name.push_str(word),
            _ => return None,
        }
        rest = inside.get(length + 2..)?;
    }
    name.push_str(rest);
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_come_back() {
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
            assert_eq!(unescape(escaped).as_deref(), Some(name), "{escaped}");
        }
    }

    #[test]
    fn some_names_cannot_be_said() {
        for name in ["", "1a", "a b", "ä", "a$"] {
            assert_eq!(escape(name), None, "{name}");
        }
        assert_eq!(unescape("a__nothing__b"), None);
        assert_eq!(unescape("a__namespace__"), None);
    }
}
