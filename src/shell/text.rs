//! Texts that several commands read and write: escapes, durations, numbers.

use jiff::SignedDuration;

/// Parses a duration as `sleep` does: `5`, `0.5`, `5s`, `1m`, `2h`, `1d`. Longer ones than a century count as one, so
/// that no sum of times overflows.
pub fn duration(text: &str) -> Option<SignedDuration> {
    let (number, unit) = match text.char_indices().last()? {
        (at, 's') => (text.get(..at)?, 1.0),
        (at, 'm') => (text.get(..at)?, 60.0),
        (at, 'h') => (text.get(..at)?, 3600.0),
        (at, 'd') => (text.get(..at)?, 86400.0),
        _ => (text, 1.0),
    };
    if !number.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    let n: f64 = number.parse().ok()?;
    let millis = (n * unit * 1000.0).clamp(0.0, 3.2e12);
    Some(SignedDuration::from_millis(millis as i64))
}

/// Replaces escapes by what they stand for. Whether `\c` stood in the text is the second result; `octal` is whether
/// octal numbers begin with a zero (`echo`).
pub(super) fn unescape(text: &str, octal: bool) -> (String, bool) {
    let (mut out, mut chars) = (String::new(), text.chars().peekable());
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(e) = chars.next() else {
            out.push('\\');
            break;
        };
        let mut number = |first: u32, base: u32, most: usize| {
            let (mut value, mut count) = (first, 0);
            while count < most
                && let Some(d) = chars.peek().and_then(|c| c.to_digit(base))
            {
                value = value.wrapping_mul(base).wrapping_add(d);
                count += 1;
                chars.next();
            }
            char::from_u32(value & 0xff).unwrap_or('?')
        };
        match e {
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'c' => return (out, true),
            'e' => out.push('\u{1b}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'v' => out.push('\u{b}'),
            '\\' => out.push('\\'),
            '0' if octal => out.push(number(0, 8, 3)),
            '0'..='7' if !octal => out.push(number(e.to_digit(8).unwrap_or(0), 8, 2)),
            'x' => out.push(number(0, 16, 2)),
            '\'' | '"' if !octal => out.push(e),
            _ => {
                out.push('\\');
                out.push(e);
            }
        }
    }
    (out, false)
}

/// The output of `printf`. The error is a message, after what was printed.
pub(super) fn printf(format: &str, args: &[String]) -> (String, Option<String>) {
    let (mut out, mut error) = (String::new(), None);
    let mut args = args.iter();
    loop {
        let before = args.len();
        if once(format, &mut args, &mut out, &mut error) {
            break;
        }
        if args.len() == 0 || args.len() == before || out.len() > super::machine::TEXT_LIMIT {
            break;
        }
    }
    (out, error)
}

/// One pass over the format. Returns whether the output ends here.
fn once<'a>(
    format: &str,
    args: &mut impl Iterator<Item = &'a String>,
    out: &mut String,
    error: &mut Option<String>,
) -> bool {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let (text, stops) = unescape(rest.get(..at).unwrap_or_default(), false);
        out.push_str(&text);
        if stops {
            return true;
        }
        rest = rest.get(at + 1..).unwrap_or_default();
        let end = rest.find(|c: char| !matches!(c, '-' | '+' | ' ' | '#' | '0'..='9' | '.' | '*'));
        let spec = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let Some(c) = end.and_then(|e| rest.get(e..)?.chars().next()) else {
            out.push('%');
            break;
        };
        rest = rest.get(spec.len() + c.len_utf8()..).unwrap_or_default();
        if c == '%' {
            out.push('%');
            continue;
        }
        let mut star = |s: &str| {
            if s == "*" { args.next().cloned().unwrap_or_default() } else { s.to_owned() }
        };
        let flags: String = spec.chars().take_while(|c| matches!(c, '-' | '+' | ' ' | '#' | '0')).collect();
        let sizes = spec.get(flags.len()..).unwrap_or_default();
        let (width, precision) = sizes.split_once('.').map_or((sizes, None), |(w, p)| (w, Some(p)));
        let width = star(width).parse::<usize>().unwrap_or(0).min(1000);
        let precision = precision.map(|p| star(p).parse::<usize>().unwrap_or(0));
        let arg = args.next().map(String::as_str);
        let mut integer = || match number(arg.unwrap_or("0")) {
            Some(n) => n,
            None => {
                *error = Some(arg.unwrap_or_default().to_owned());
                0
            }
        };
        let (text, numeric) = match c {
            'd' | 'i' => {
                let n = integer();
                (if flags.contains('+') && n >= 0 { format!("+{n}") } else { n.to_string() }, true)
            }
            'u' => (integer().to_string(), true),
            'x' => (format!("{:x}", integer()), true),
            'X' => (format!("{:X}", integer()), true),
            'o' => (format!("{:o}", integer()), true),
            'f' | 'e' | 'g' => {
                let n: f64 = arg.unwrap_or("0").parse().unwrap_or(0.0);
                (format!("{n:.*}", precision.unwrap_or(6).min(30)), true)
            }
            'c' => (arg.and_then(|a| a.chars().next()).map(String::from).unwrap_or_default(), false),
            'b' => {
                let (text, stops) = unescape(arg.unwrap_or_default(), true);
                if stops {
                    out.push_str(&text);
                    return true;
                }
                (text, false)
            }
            _ => {
                let all = arg.unwrap_or_default().chars();
                (all.take(precision.unwrap_or(usize::MAX)).collect(), false)
            }
        };
        let missing = " ".repeat(width.saturating_sub(text.chars().count()));
        match (flags.contains('-'), numeric && flags.contains('0')) {
            (true, _) => out.extend([text, missing]),
            (false, true) => {
                let (sign, digits) = text.split_at(usize::from(text.starts_with(['-', '+'])));
                out.extend([sign, &missing.replace(' ', "0"), digits]);
            }
            (false, false) => out.extend([missing, text]),
        }
    }
    let (text, stops) = unescape(rest, false);
    out.push_str(&text);
    stops
}

/// An integer as `printf` and `test` read it.
pub(super) fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |d| (true, d));
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}
