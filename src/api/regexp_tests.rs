//! Go's regular expressions: their errors, and what they match.
#![allow(clippy::unwrap_used)]

use super::compile;

fn error(expression: &str) -> String {
    let text = compile(expression).unwrap_err();
    text.strip_prefix("error parsing regexp: ").unwrap_or(&text).to_owned()
}

#[test]
fn errors_read_as_go_has_them() {
    for (expression, wanted) in [
        ("[", "missing closing ]: `[`"),
        ("a[b", "missing closing ]: `[b`"),
        ("(a", "missing closing ): `(a`"),
        ("a)", "unexpected ): `a)`"),
        ("*a", "missing argument to repetition operator: `*`"),
        ("a|*", "missing argument to repetition operator: `*`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("a{3,2}", "invalid repeat count: `{3,2}`"),
        ("(a{100}){100}", "invalid repeat count: `{100}`"),
        ("(?!a)", "invalid or unsupported Perl syntax: `(?!`"),
        ("(?<=a)b", "invalid named capture: `(?<=a)b`"),
        ("(?P<a b>c)", "invalid named capture: `(?P<a b>`"),
        ("\\", "trailing backslash at end of expression: ``"),
        ("\\y", "invalid escape sequence: `\\y`"),
        ("\\1", "invalid escape sequence: `\\1`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        ("[[:word2:]]", "invalid character class range: `[:word2:]`"),
        ("\\p{Nothing}", "invalid character class range: `\\p{Nothing}`"),
    ] {
        assert_eq!(error(expression), wanted, "{expression}");
    }
}

#[test]
fn matches_as_go_does() {
    for (expression, text, wanted) in [
        ("^[a-z]+$", "abc", true),
        ("^\\d$", "٣", false),
        ("^\\w+$", "é", false),
        ("\\bfoo\\b", "a foo b", true),
        ("^a\\B", "ab", true),
        ("^a{,2}$", "a{,2}", true),
        ("^(?i)abc$", "ABC", true),
        ("^(?i:a)b$", "Ab", true),
        ("(?:a|b)?c", "c", true),
        ("^[^/\\-]+$", "a-b", false),
        ("^[]a]$", "]", true),
        ("^\\x{e9}\\351$", "éé", true),
        ("^\\Qa.b\\E$", "a.b", true),
        ("^(?P<year>[0-9]{4})$", "2026", true),
        ("^\\p{Lu}\\PL$", "A1", true),
        ("a&&b", "a&&b", true),
        ("[a&&b]+", "&", true),
        ("^$", "\n", false),
    ] {
        assert_eq!(compile(expression).unwrap().is_match(text), wanted, "{expression} {text}");
    }
}
