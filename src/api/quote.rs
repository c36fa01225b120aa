//! Texts as Go prints them.

/// A text as Go's `%q` prints it (`strconv.Quote`): in double quotes, with Go's escapes for quotes, backslashes and
/// characters that `strconv.IsPrint` refuses.
pub fn go_quote(text: impl AsRef<str>) -> String {
    quote(text.as_ref())
}

fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            ' '..='~' => out.push(c),
            '\0'..='\u{7f}' => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            _ if is_print(c) => out.push(c),
            '\0'..='\u{ffff}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

/// Whether Go prints a character as it is (`strconv.IsPrint`, `unicode.IsPrint`). Rust's escapes of characters that are not
/// ASCII depend on the same Unicode classes. Only the first character of a text is escaped for being a combining mark, so
/// another one is put before it.
pub fn is_print(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    let mut pair = String::from("x");
    pair.push(c);
    pair.escape_debug().count() == 2
}

/// A text as Go's `json.Marshal` writes it: `<`, `>`, `&` and the line separators U+2028 and U+2029 are escaped, too.
pub fn go_json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_go_json(&mut out, text);
    out
}

/// Appends [`go_json_string`] of a text.
pub fn push_go_json(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_quoted_as_in_go() {
        for (text, want) in [
            ("a \"b\" \\", r#""a \"b\" \\""#),
            ("\u{7}\u{8}\u{c}\n\r\t\u{b}\0\u{1}\u{7f}", r#""\a\b\f\n\r\t\v\x00\x01\x7f""#),
            ("é世e\u{301}'", "\"é世e\u{301}'\""),
            ("\u{a0}\u{200b}\u{e000}\u{10ffff}", r#""\u00a0\u200b\ue000\U0010ffff""#),
        ] {
            assert_eq!(go_quote(text), want);
        }
        assert_eq!(go_quote("\u{301}"), "\"\u{301}\"");
    }

    #[test]
    fn a_text_is_json_as_in_go() {
        assert_eq!(
            go_json_string("<a&b>\u{2028}\u{1}\n\"é\u{7f}"),
            "\"\\u003ca\\u0026b\\u003e\\u2028\\u0001\\n\\\"é\u{7f}\""
        );
    }
}
