//! The values of awk, and how numbers are written.

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Of a variable that was never set: 0 or an empty text.
    Unset,
    Number(f64),
    Text(String),
    /// A text from the input, which is compared as a number if it looks like one.
    Input(String),
}

impl Value {
    pub(super) fn number(&self) -> f64 {
        match self {
            Value::Unset => 0.0,
            Value::Number(n) => *n,
            Value::Text(text) | Value::Input(text) => leading_number(text),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Value::Unset => String::new(),
            Value::Number(n) => written(*n),
            Value::Text(text) | Value::Input(text) => text.clone(),
        }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Value::Unset => false,
            Value::Number(n) => *n != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::Input(text) => match numeric(text) {
                Some(n) => n != 0.0,
                None => !text.is_empty(),
            },
        }
    }

    /// The number to compare; `None` for what is compared as a text.
    pub(super) fn compared(&self) -> Option<f64> {
        match self {
            Value::Unset => Some(0.0),
            Value::Number(n) => Some(*n),
            Value::Input(text) => numeric(text),
            Value::Text(_) => None,
        }
    }
}

impl From<bool> for Value {
    fn from(is: bool) -> Value {
        Value::Number(f64::from(u8::from(is)))
    }
}

/// The text as a number, if it is one as a whole.
fn numeric(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-' | b'e' | b'E'));
    if plain { text.parse().ok() } else { None }
}

/// The number with which a text begins; 0 if it begins with none.
fn leading_number(text: &str) -> f64 {
    let text = text.trim_start();
    let mut end = 0;
    let (mut digits, mut point, mut exponent) = (false, false, false);
    for (at, c) in text.char_indices() {
        let after_e = text.get(..at).is_some_and(|t| t.ends_with(['e', 'E']));
        match c {
            '0'..='9' => {
                digits = true;
                end = at + 1;
            }
            '.' if !point && !exponent => point = true,
            'e' | 'E' if digits && !exponent => exponent = true,
            '+' | '-' if at == 0 || after_e => {}
            _ => break,
        }
    }
    text.get(..end).and_then(|t| t.parse().ok()).unwrap_or(0.0)
}

/// A number as `print` writes it: whole numbers in full, others by `%.6g`.
pub(super) fn written(n: f64) -> String {
    if n.fract() == 0.0 && n.abs() < 1e16 {
        return format!("{n:.0}").replace("-0", if n == 0.0 { "0" } else { "-0" });
    }
    general(n, 6)
}

/// A number by `%.Ng`.
fn general(n: f64, digits: usize) -> String {
    if !n.is_finite() {
        return if n.is_nan() {
            "nan"
        } else if n > 0.0 {
            "inf"
        } else {
            "-inf"
        }
        .to_owned();
    }
    let digits = digits.clamp(1, 17);
    let scientific = format!("{n:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let places = i32::try_from(digits).unwrap_or(17);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= places {
        return format!("{}{}", trimmed(mantissa), exponent_of(exponent));
    }
    let decimals = usize::try_from(places - 1 - exponent).unwrap_or(0);
    trimmed(&format!("{n:.decimals$}"))
}

/// An exponent as C writes it: `e+06`.
fn exponent_of(exponent: i32) -> String {
    format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// What `printf` and `sprintf` write. Values that are missing count as unset.
pub(super) fn formatted(format: &str, values: &[Value], limit: usize) -> String {
    let mut out = String::new();
    let mut values = values.iter();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if out.len() > limit {
            break;
        }
        if c != '%' {
            out.push(c);
            continue;
        }
        if chars.next_if_eq(&'%').is_some() {
            out.push('%');
            continue;
        }
        let mut flags = String::new();
        while let Some(flag) = chars.next_if(|c| matches!(c, '-' | '+' | ' ' | '0' | '#')) {
            flags.push(flag);
        }
        let mut size = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            if chars.next_if_eq(&'*').is_some() {
                let n = values.next().map_or(0.0, Value::number);
                return Some(n.clamp(0.0, 4096.0) as usize);
            }
            let mut digits = String::new();
            while let Some(d) = chars.next_if(char::is_ascii_digit) {
                digits.push(d);
            }
            digits.parse::<usize>().ok().map(|n| n.min(4096))
        };
        let width = size(&mut chars);
        let precision = chars.next_if_eq(&'.').map(|_| size(&mut chars).unwrap_or(0));
        let Some(verb) = chars.next() else { break };
        let value = values.next().cloned().unwrap_or(Value::Unset);
        let text = one(verb, &value, precision, &flags);
        let pad = width.unwrap_or(0).saturating_sub(text.chars().count());
        let zeros = flags.contains('0') && !flags.contains('-') && !matches!(verb, 's' | 'c');
        match (flags.contains('-'), zeros) {
            (true, _) => out.push_str(&format!("{text}{}", " ".repeat(pad))),
            (false, true) => {
                let (sign, digits) = match text.strip_prefix(['-', '+']) {
                    Some(digits) => text.split_at(text.len() - digits.len()),
                    None => ("", text.as_str()),
                };
                out.push_str(&format!("{sign}{}{digits}", "0".repeat(pad)));
            }
            (false, false) => out.push_str(&format!("{}{text}", " ".repeat(pad))),
        }
    }
    out
}

fn one(verb: char, value: &Value, precision: Option<usize>, flags: &str) -> String {
    let n = value.number();
    let signed = |text: String| match n >= 0.0 {
        true if flags.contains('+') => format!("+{text}"),
        true if flags.contains(' ') => format!(" {text}"),
        _ => text,
    };
    // A number that is too large for a whole one becomes the largest, as a cast of C's does in practice.
    let whole = n.trunc() as i64;
    match verb {
        'd' | 'i' => signed(whole.to_string()),
        'u' => (whole as u64).to_string(),
        'o' => format!("{whole:o}"),
        'x' => format!("{whole:x}"),
        'X' => format!("{whole:X}"),
        'f' | 'F' => signed(format!("{n:.*}", precision.unwrap_or(6).min(300))),
        'g' | 'G' => signed(general(n, precision.unwrap_or(6))),
        'e' | 'E' => {
            let text = format!("{n:.*e}", precision.unwrap_or(6).min(300));
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            signed(format!("{mantissa}{}", exponent_of(exponent.parse().unwrap_or(0))))
        }
        'c' => match value {
            Value::Number(n) => char::from_u32(*n as u32).map(String::from).unwrap_or_default(),
            other => other.text().chars().take(1).collect(),
        },
        's' => match precision {
            Some(most) => value.text().chars().take(most).collect(),
            None => value.text(),
        },
        other => format!("%{other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_in_c() {
        let of = [0.0, -0.0, 3.0, -12.0, 0.1, 1e6, 1e20, 1.0 / 3.0, 123_456.789, 0.000_012_345].map(written);
        let wanted = ["0", "0", "3", "-12", "0.1", "1000000", "1e+20", "0.333333", "123457", "1.2345e-05"];
        assert_eq!(of, wanted);
        let format = |format: &str, value: Value| formatted(format, &[value], 100);
        assert_eq!(format("%5.1f|", Value::Number(2.25)), "  2.2|");
        assert_eq!(format("%-5s|%%", Value::Text("ab".into())), "ab   |%");
        assert_eq!(format("%05d", Value::Number(-42.9)), "-0042");
        assert_eq!(format("%.2s", Value::Text("abc".into())), "ab");
        assert_eq!(format("%x", Value::Number(255.0)), "ff");
        assert_eq!(format("%e", Value::Number(12345.678)), "1.234568e+04");
        assert_eq!(leading_number(" 12.5kB"), 12.5);
        assert_eq!(leading_number("-1e3x"), -1000.0);
    }
}
