//! Patterns with the syntax and the guarantees of RE2, which Go's `regexp` has: no look-around, linear time.

use regex::{Regex, RegexBuilder};

/// A compiled pattern takes at most so many bytes.
const SIZE_LIMIT: usize = 1 << 20;

/// Compiles a pattern.
///
/// # Errors
/// Why it is none. The words are the `regex` crate's, and not Go's.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    // Go's classes are ASCII ones; the crate's are Unicode's unless they are written with `(?-u:…)`.
    let built =
        RegexBuilder::new(&ascii_classes(pattern)).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT).build();
    built.map_err(|e| format!("error parsing regexp: {}", e.to_string().replace('\n', " ")))
}

/// Writes `\d`, `\s`, `\w` and `\b` so that they mean what they mean in RE2: ASCII.
fn ascii_classes(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match (chars.next(), in_class) {
                (Some('d'), true) => out.push_str("0-9"),
                (Some('w'), true) => out.push_str("0-9A-Za-z_"),
                (Some('s'), true) => out.push_str(r"\t\n\f\r "),
                (Some('d'), false) => out.push_str("[0-9]"),
                (Some('w'), false) => out.push_str("[0-9A-Za-z_]"),
                (Some('s'), false) => out.push_str(r"[\t\n\f\r ]"),
                (Some('D'), _) => out.push_str("[^0-9]"),
                (Some('W'), _) => out.push_str("[^0-9A-Za-z_]"),
                (Some('S'), _) => out.push_str(r"[^\t\n\f\r ]"),
                (Some('b'), false) => out.push_str(r"(?-u:\b)"),
                (Some('B'), false) => out.push_str(r"(?-u:\B)"),
                (Some('Q'), false) => {
                    // A literal text up to `\E`.
                    let rest = chars.as_str();
                    let (text, after) = rest.split_once("\\E").unwrap_or((rest, ""));
                    out.push_str(&regex::escape(text));
                    chars = after.chars();
                }
                (Some(other), _) => {
                    out.push('\\');
                    out.push(other);
                }
                (None, _) => out.push('\\'),
            },
            '[' if in_class && !chars.as_str().starts_with(':') => out.push_str("\\["),
            '[' if !in_class => {
                in_class = true;
                out.push('[');
                if let Some(rest) = chars.as_str().strip_prefix('^') {
                    out.push('^');
                    chars = rest.chars();
                }
                if let Some(rest) = chars.as_str().strip_prefix(']') {
                    out.push_str("\\]");
                    chars = rest.chars();
                }
            }
            // `[:alpha:]` inside of a class ends with two characters.
            '[' => {
                let rest = chars.as_str();
                match rest.find(":]").and_then(|end| Some((rest.get(..end + 2)?, rest.get(end + 2..)?))) {
                    Some((named, after)) => {
                        out.push('[');
                        out.push_str(named);
                        chars = after.chars();
                    }
                    None => out.push_str("\\["),
                }
            }
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            // What the crate reads as set operations are plain characters in RE2.
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_re2s() {
        let matches = |pattern: &str, text: &str| compile(pattern).map(|r| r.is_match(text));
        assert_eq!(matches(r"^\d+$", "12"), Ok(true));
        assert_eq!(matches(r"^\d+$", "١"), Ok(false));
        assert_eq!(matches(r"^[\w-]+$", "a-b_1"), Ok(true));
        assert_eq!(matches(r"^[a&&b[]+$", "a&b["), Ok(true));
        assert_eq!(matches(r"^[[:alpha:]]+$", "ab"), Ok(true));
        assert_eq!(matches(r"^[]a]+$", "]a"), Ok(true));
        assert_eq!(matches(r"\Qa.b\E+", "a.bb"), Ok(true));
        assert!(compile("(?=a)").is_err());
        assert!(compile("a(").is_err());
        assert!(compile("(((a{500}){500}){500}){500}").is_err());
    }
}
