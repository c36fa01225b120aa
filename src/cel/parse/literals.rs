//! Literals as they are written, into their values (`parser/unescape.go` of cel-go).

/// The value of a text literal, without a prefix of bytes. Bytes take `\xff` as one byte, texts as one code point.
///
/// # Errors
/// What cel-go says of it.
pub(super) fn unescape(literal: &str, bytes: bool) -> Result<Vec<u8>, &'static str> {
    let literal = literal.replace("\r\n", "\n").replace('\r', "\n");
    let (raw, quoted) = match literal.strip_prefix(['r', 'R']) {
        Some(rest) => (true, rest),
        None => (false, literal.as_str()),
    };
    let quotes =
        if quoted.len() >= 6 && (quoted.starts_with("'''") || quoted.starts_with("\"\"\"")) { 3 } else { 1 };
    let inside = quoted.len().checked_sub(quotes).and_then(|end| quoted.get(quotes..end));
    let inside = inside.ok_or("unable to unescape string")?;
    if raw {
        return Ok(inside.as_bytes().to_vec());
    }
    let mut value = Vec::with_capacity(inside.len());
    let mut chars = inside.chars();
    let put = |value: &mut Vec<u8>, c: char| {
        value.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    };
    while let Some(c) = chars.next() {
        if c != '\\' {
            put(&mut value, c);
            continue;
        }
        let escape = chars.next().ok_or("unable to unescape string, found '\\' as last character")?;
        let (digits, radix, first) = match escape {
            'a' => (0, 0, 7),
            'b' => (0, 0, 8),
            'f' => (0, 0, 12),
            'n' => (0, 0, 10),
            'r' => (0, 0, 13),
            't' => (0, 0, 9),
            'v' => (0, 0, 11),
            '\\' | '\'' | '"' | '`' | '?' => (0, 0, escape as u32),
            'x' | 'X' => (2, 16, 0),
            'u' if !bytes => (4, 16, 0),
            'U' if !bytes => (8, 16, 0),
            'u' | 'U' => return Err("unable to unescape string"),
            '0'..='3' => (2, 8, escape as u32 - '0' as u32),
            _ => return Err("unable to unescape string"),
        };
        let mut code = first;
        for _ in 0..digits {
            let digit = chars.next().and_then(|c| c.to_digit(radix)).ok_or("unable to unescape string")?;
            code = code.saturating_mul(radix).saturating_add(digit);
        }
        if bytes && digits == 2 {
            value.push(u8::try_from(code).map_err(|_| "unable to unescape octal sequence in bytes")?);
        } else {
            put(&mut value, char::from_u32(code).ok_or("invalid unicode code point")?);
        }
    }
    Ok(value)
}

/// The value of a whole number with its sign, decimal or with `0x`.
pub(super) fn int(text: &str, negative: bool) -> Option<i64> {
    let (digits, radix) = digits(text);
    let sign = if negative { "-" } else { "" };
    i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()
}

/// The value of a whole number that ends in `u`.
pub(super) fn uint(text: &str) -> Option<u64> {
    let (digits, radix) = digits(text.strip_suffix(['u', 'U'])?);
    u64::from_str_radix(digits, radix).ok()
}

fn digits(text: &str) -> (&str, u32) {
    text.strip_prefix("0x").map_or((text, 10), |hex| (hex, 16))
}

/// The value of a number with a point or an exponent. Nothing if it is too large.
pub(super) fn double(text: &str) -> Option<f64> {
    text.parse().ok().filter(|d: &f64| d.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone() {
        let text = |s: &str| unescape(s, false).map(|b| String::from_utf8_lossy(&b).into_owned());
        assert_eq!(text(r#"'a\n\x41\101\u0041\U00000041\''"#).as_deref(), Ok("a\nAAAA'"));
        assert_eq!(text(r"r'a\n'").as_deref(), Ok(r"a\n"));
        assert_eq!(text("'''a'b'''").as_deref(), Ok("a'b"));
        assert_eq!(text("''").as_deref(), Ok(""));
        assert_eq!(text(r"'\udead'"), Err("invalid unicode code point"));
        assert_eq!(unescape(r"'\xff\377'", true), Ok(vec![255, 255]));
        assert_eq!(unescape(r"'\xff'", false), Ok("ÿ".as_bytes().to_vec()));
    }

    #[test]
    fn numbers_have_bounds() {
        assert_eq!(int("9223372036854775808", true), Some(i64::MIN));
        assert_eq!(int("9223372036854775808", false), None);
        assert_eq!(int("0xff", false), Some(255));
        assert_eq!(uint("0xFFFFFFFFFFFFFFFFFu"), None);
        assert_eq!(double("1.99e90000009"), None);
    }
}
