//! `format` of a text: `ext/formatting.go` of cel-go.

use super::super::super::time::duration_seconds;
use super::super::EvalError;
use super::super::meter::Meter;
use super::super::value::{Items, Value};
use crate::api::order;
use crate::api::quote::go_quote;

/// Digits behind the point where a clause does not say how many.
const PRECISION: usize = 6;
/// A clause may ask for so many.
const PRECISION_LIMIT: usize = 1_000;

/// Writes `args` into `text` where it has clauses: `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o`.
pub(super) fn printf(text: &str, args: &Items, meter: &mut Meter) -> Result<String, EvalError> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    let mut nth = 0;
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut clause = chars.next().ok_or_else(|| EvalError::new("unexpected end of string"))?;
        if clause == '%' {
            out.push('%');
            continue;
        }
        let arg = args.get(nth).ok_or_else(|| EvalError::new(format!("index {nth} out of range")))?;
        nth += 1;
        let mut precision = PRECISION;
        if clause == '.' {
            let digits: String = chars.as_str().chars().take_while(char::is_ascii_digit).collect();
            chars = chars.as_str().get(digits.len()..).unwrap_or_default().chars();
            let wrong =
                || EvalError::new("error while parsing precision: could not find end of precision specifier");
            clause = chars.next().ok_or_else(wrong)?;
            precision = digits.parse().ok().filter(|p| *p <= PRECISION_LIMIT).ok_or_else(wrong)?;
        }
        let written = match clause {
            's' => shown(arg, false, meter)?,
            'd' => match arg {
                Value::Int(n) => n.to_string(),
                Value::Uint(n) => n.to_string(),
                other => return Err(wrong_type("decimal clause can only be used on integers", other)),
            },
            'f' => format!("{:.precision$}", number(arg, "fixed-point")?),
            'e' => scientific(number(arg, "scientific")?, precision),
            'b' => match arg {
                Value::Int(n) => signed(*n, |n| format!("{n:b}")),
                Value::Uint(n) => format!("{n:b}"),
                Value::Bool(b) => u8::from(*b).to_string(),
                other => return Err(wrong_type("only integers and bools can be formatted as binary", other)),
            },
            'o' => match arg {
                Value::Int(n) => signed(*n, |n| format!("{n:o}")),
                Value::Uint(n) => format!("{n:o}"),
                other => return Err(wrong_type("octal clause can only be used on integers", other)),
            },
            'x' | 'X' => {
                let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
                let text = match arg {
                    Value::Int(n) => signed(*n, |n| format!("{n:x}")),
                    Value::Uint(n) => format!("{n:x}"),
                    Value::String(s) => hex(s.as_bytes()),
                    Value::Bytes(b) => hex(b),
                    other => {
                        let why = "only integers, byte buffers, and strings can be formatted as hex";
                        return Err(wrong_type(why, other));
                    }
                };
                if clause == 'X' { text.to_uppercase() } else { text }
            }
            other => {
                let message = format!("error during formatting: unrecognized formatting clause \"{other}\"");
                return Err(EvalError::new(message));
            }
        };
        meter.work(written.len() as u64 / 8)?;
        out.push_str(&written);
    }
    Ok(out)
}

fn wrong_type(why: &str, value: &Value) -> EvalError {
    EvalError::new(format!("error during formatting: {why}, was given {}", value.type_name()))
}

fn signed(n: i64, write: impl Fn(u64) -> String) -> String {
    format!("{}{}", if n < 0 { "-" } else { "" }, write(n.unsigned_abs()))
}

fn number(value: &Value, clause: &str) -> Result<f64, EvalError> {
    match value {
        Value::Double(d) => Ok(*d),
        Value::String(s) if matches!(&**s, "NaN" | "Infinity" | "-Infinity") => {
            Ok(s.parse().unwrap_or(f64::NAN))
        }
        other => Err(wrong_type(&format!("{clause} clause can only be used on doubles"), other)),
    }
}

/// A number as Go's `golang.org/x/text` writes it in English: `3.140000 × 10⁰⁰`, with narrow spaces.
fn scientific(d: f64, precision: usize) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let text = format!("{d:.precision$e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let raised = |digit: u32| RAISED.get(digit as usize).copied().unwrap_or('⁰');
    let mut power: String = format!("{:02}", exponent.unsigned_abs())
        .chars()
        .filter_map(|c| c.to_digit(10))
        .map(raised)
        .collect();
    if exponent < 0 {
        power.insert(0, '⁻');
    }
    format!("{digits}\u{202f}×\u{202f}10{power}")
}

/// A value as `%s` writes it; inside of a list or a map it is written as a literal.
fn shown(value: &Value, inside: bool, meter: &mut Meter) -> Result<String, EvalError> {
    meter.work(1)?;
    Ok(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Uint(n) => n.to_string(),
        Value::Double(d) if inside && d.is_finite() => format!("{d:.PRECISION$}"),
        Value::Double(d) => super::super::numbers::double_string(*d),
        Value::String(s) if inside => go_quote(s),
        Value::String(s) => s.to_string(),
        Value::Bytes(b) => {
            let text = String::from_utf8_lossy(b);
            if inside { format!("b{}", go_quote(&text)) } else { text.into_owned() }
        }
        Value::Timestamp(t) if inside => format!("timestamp({})", go_quote(t.to_string())),
        Value::Timestamp(t) => t.to_string(),
        Value::Duration(d) if inside => format!("duration({})", go_quote(duration_seconds(*d))),
        Value::Duration(d) => duration_seconds(*d),
        Value::Type(t) => t.name().to_owned(),
        Value::List(list) => {
            let items = list.items.iter().map(|item| shown(item, true, meter));
            format!("[{}]", items.collect::<Result<Vec<_>, _>>()?.join(", "))
        }
        Value::Map(map) => {
            let mut pairs = Vec::new();
            for (key, value) in &map.entries {
                pairs.push((shown(&key.value(), true, meter)?, shown(value, true, meter)?));
            }
            order::sort(&mut pairs);
            let pairs: Vec<String> = pairs.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => {
            return Err(EvalError::new(format!(
                "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, \
                 maps, lists, types, durations, and timestamps, was given {}",
                other.type_name()
            )));
        }
    })
}
