//! The value of a scalar, as Go's YAML library reads YAML 1.1.

use serde_json::Value;

/// The value of a scalar.
#[derive(Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    Unsigned(u64),
    Float(f64),
    Text(String),
}

/// The value of a scalar. An explicit tag takes precedence over its form.
pub(super) fn scalar(text: &str, plain: bool, tag: Option<&str>) -> Result<Scalar, String> {
    let short =
        tag.map(|t| t.strip_prefix("tag:yaml.org,2002:").or_else(|| t.strip_prefix("!!")).unwrap_or(t));
    let wanted = match short {
        None if plain => return Ok(resolve(text)),
        Some(kind @ ("int" | "float" | "bool" | "null")) => kind,
        // Quoted text, `!!str`, and every unknown tag.
        _ => return Ok(Scalar::Text(text.to_owned())),
    };
    let found = resolve(text);
    match (&found, wanted) {
        (Scalar::Int(_) | Scalar::Unsigned(_), "int")
        | (Scalar::Float(_), "float")
        | (Scalar::Bool(_), "bool")
        | (Scalar::Null, "null") => Ok(found),
        (Scalar::Int(i), "float") => Ok(Scalar::Float(*i as f64)),
        _ => Err(format!("cannot decode !!{} `{text}` as a !!{wanted}", name(&found))),
    }
}

fn name(scalar: &Scalar) -> &'static str {
    match scalar {
        Scalar::Null => "null",
        Scalar::Bool(_) => "bool",
        Scalar::Int(_) | Scalar::Unsigned(_) => "int",
        Scalar::Float(_) => "float",
        Scalar::Text(_) => "str",
    }
}

/// The key of a JSON object for a scalar key.
pub(super) fn key(text: &str, plain: bool, tag: Option<&str>) -> Result<String, String> {
    Ok(match scalar(text, plain, tag)? {
        Scalar::Text(s) => s,
        Scalar::Bool(b) => b.to_string(),
        Scalar::Int(i) => i.to_string(),
        Scalar::Unsigned(u) => u.to_string(),
        Scalar::Float(f) if f.is_nan() => ".nan".to_owned(),
        Scalar::Float(f) if f.is_infinite() => if f > 0.0 { ".inf" } else { "-.inf" }.to_owned(),
        Scalar::Float(f) => (f as f32).to_string(),
        Scalar::Null => return Err("unsupported map key of type: null".to_owned()),
    })
}

/// A float as Go's JSON writes and reads it: integral ones are integers.
pub(super) fn json_float(f: f64) -> Result<Value, String> {
    if f.fract() == 0.0 && f.abs() < 9.0e18 {
        return Ok((f as i64).into());
    }
    serde_json::Number::from_f64(f).map(Value::Number).ok_or_else(|| {
        let name = if f.is_nan() {
            "NaN"
        } else if f > 0.0 {
            "+Inf"
        } else {
            "-Inf"
        };
        format!("json: unsupported value: {name}")
    })
}

/// The value of a plain scalar without a tag.
pub(super) fn resolve(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Scalar::Bool(true);
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Scalar::Bool(false);
        }
        ".nan" | ".NaN" | ".NAN" => return Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        _ => {}
    }
    let number = match text.as_bytes().first() {
        Some(b'.') => float(text),
        Some(b'0'..=b'9' | b'+' | b'-') => {
            let digits = text.replace('_', "");
            integer(&digits).or_else(|| float(&digits))
        }
        _ => None,
    };
    number.unwrap_or_else(|| Scalar::Text(text.to_owned()))
}

/// Go's `ParseInt` and `ParseUint` with base 0: `0x`, `0o`, `0b`; a leading 0 means octal.
fn integer(text: &str) -> Option<Scalar> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let lower = digits.get(..2).map(str::to_ascii_lowercase);
    let (radix, digits) = match lower.as_deref() {
        Some("0x") => (16, digits.get(2..)?),
        Some("0o") => (8, digits.get(2..)?),
        Some("0b") => (2, digits.get(2..)?),
        Some(_) if digits.starts_with('0') => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    // Rust would accept another sign.
    if !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let magnitude = u128::from_str_radix(digits, radix).ok()?;
    let value = i128::try_from(magnitude).ok()?;
    let value = if negative { -value } else { value };
    if let Ok(v) = i64::try_from(value) {
        Some(Scalar::Int(v))
    } else if let Ok(v) = u64::try_from(value) {
        Some(Scalar::Unsigned(v))
    } else {
        Some(Scalar::Float(value as f64))
    }
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn float(text: &str) -> Option<Scalar> {
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((m, e)) => (m, Some(e.strip_prefix(['-', '+']).unwrap_or(e))),
        None => (rest, None),
    };
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let number = digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    if !number || exponent.is_some_and(|e| e.is_empty() || !digits(e)) {
        return None;
    }
    text.parse().ok().filter(|f: &f64| f.is_finite()).map(Scalar::Float)
}

/// Whether a text would be read as a timestamp, and so is written in quotes.
pub(super) fn is_timestamp(text: &str) -> bool {
    let date = text.get(..10).unwrap_or(text);
    let mut parts = text.split(['-', 'T', 't', ' ']);
    let number = |s: Option<&str>, min: usize, max: usize| {
        s.is_some_and(|s| (min..=max).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit()))
    };
    if !(number(parts.next(), 4, 4) && number(parts.next(), 1, 2) && number(parts.next(), 1, 2)) {
        return false;
    }
    match parts.next() {
        None => date.matches('-').count() == 2,
        Some(time) => {
            // After `T` a zone must follow, after a blank none may.
            let zoned = !text.contains(' ');
            let (clock, zone) = match time.find(['Z', '+']) {
                Some(at) => time.split_at(at),
                None => (time, ""),
            };
            let fields: Vec<&str> = clock.split(':').collect();
            let seconds = fields.get(2).map(|s| s.split('.').next().unwrap_or_default());
            let clocked = fields.len() == 3
                && number(fields.first().copied(), 1, 2)
                && number(fields.get(1).copied(), 1, 2)
                && number(seconds, 1, 2);
            let negative_zone = zoned && zone.is_empty() && parts.next().is_some();
            clocked && if zoned { !zone.is_empty() || negative_zone } else { zone.is_empty() }
        }
    }
}
