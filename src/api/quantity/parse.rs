//! Reading an amount from a text, with the roundings of Kubernetes' two ways to do it.

use super::{Amount, BINARY, DECIMAL, Format, NANO, ParseQuantityError, Parsed, pow10};

/// The format and exponent of a suffix (the exponent of 2 for binary ones, else of 10).
fn suffix_of(suffix: &str) -> Option<(Format, i32)> {
    if let Some((_, e)) = DECIMAL.iter().find(|(s, _)| *s == suffix) {
        return Some((Format::DecimalSI, *e));
    }
    if let Some((_, e)) = BINARY.iter().find(|(s, _)| *s == suffix) {
        return Some((Format::BinarySI, *e));
    }
    let digits = suffix.strip_prefix(['e', 'E'])?;
    digits.parse::<i32>().ok().map(|e| (Format::DecimalExponent, e))
}

/// The parts of a text: sign, digits before and after the point, suffix.
fn scan(text: &str) -> Result<(bool, &str, &str, &str), ParseQuantityError> {
    let (positive, rest) = match text.strip_prefix('-') {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix('+').unwrap_or(text)),
    };
    let rest = rest.trim_start_matches('0');
    let digit = |c: char| !c.is_ascii_digit();
    let (whole, rest) = rest.split_at(rest.find(digit).unwrap_or(rest.len()));
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.find(digit).unwrap_or(rest.len())),
        None => ("", rest),
    };
    let tail = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let tail = tail.strip_prefix(['-', '+']).unwrap_or(tail);
    if tail.contains(digit) {
        return Err(ParseQuantityError::FormatWrong);
    }
    Ok((positive, if whole.is_empty() { "0" } else { whole }, fraction, suffix))
}

pub(in crate::api) fn parse(text: &str) -> Result<Parsed, ParseQuantityError> {
    if text.is_empty() {
        return Err(ParseQuantityError::FormatWrong);
    }
    if text == "0" {
        return Ok(Parsed { amount: Amount::ZERO, keeps_text: true });
    }
    let (positive, whole, fraction, suffix) = scan(text)?;
    let (format, exponent) = suffix_of(suffix).ok_or(ParseQuantityError::Suffix)?;
    if let Some(parsed) = parse_small(positive, whole, fraction, format, exponent) {
        return Ok(parsed);
    }
    let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|b| b - b'0').collect();
    let fraction = i32::try_from(fraction.len()).map_err(|_| ParseQuantityError::Numeric)?;
    let amount = parse_large(digits, fraction, format, exponent);
    Ok(Parsed { amount: if positive { amount } else { amount.negated() }, keeps_text: false })
}

/// Parses what Go's fast path accepts: few digits, not below nano, no fraction of a binary unit. `None` for
/// all others.
fn parse_small(positive: bool, whole: &str, fraction: &str, format: Format, exponent: i32) -> Option<Parsed> {
    let digits = i64::try_from(whole.len() + fraction.len()).ok()?;
    let binary = format == Format::BinarySI;
    // Go's estimate of the decimal digits of a power of two.
    let room = match binary {
        true if fraction.is_empty() => 15 - digits - i64::from(exponent * 3 / 10) - 1,
        true => -1,
        false => 18 - digits,
    };
    let scale = (if binary { 0 } else { exponent }).checked_sub(i32::try_from(fraction.len()).ok()?)?;
    if room < 0 || scale < NANO {
        return None;
    }
    let shifted = format!("{whole}{fraction}");
    let value: i64 = shifted.parse().ok()?;
    let factor = if binary { 1i64.checked_shl(exponent.unsigned_abs())? } else { 1 };
    let result = value.checked_mul(factor)?;
    let keeps_text = match binary {
        true => exponent % 10 == 0 && value & 7 != 0,
        false => scale % 3 == 0 && !shifted.ends_with("000") && !shifted.starts_with('0'),
    };
    let unscaled = i128::from(if positive { result } else { -result });
    Some(Parsed { amount: Amount { unscaled, exponent: scale, format, dec: false }, keeps_text })
}

/// Parses any number of digits exactly, and keeps 38 of them at the end.
fn parse_large(mut digits: Vec<u8>, fraction: i32, mut format: Format, exponent: i32) -> Amount {
    let mut scale = fraction.saturating_neg();
    if format == Format::BinarySI {
        multiply(&mut digits, 1 << exponent.clamp(0, 60));
    } else {
        scale = scale.saturating_add(exponent);
    }
    let (mut unscaled, mut scale) = round_up(&digits, scale);
    // Go holds big amounts in nano.
    let at_nano = pow10(scale.saturating_sub(NANO).unsigned_abs()).and_then(|p| unscaled.checked_mul(p));
    if let (Some(v), true) = (at_nano, scale >= NANO && unscaled != 0) {
        (unscaled, scale) = (v, NANO);
    }
    let mut amount = Amount { unscaled, exponent: scale, format, dec: true };
    if format == Format::BinarySI {
        if amount > Amount::from_value(i64::MAX, format) {
            amount = Amount { dec: true, ..Amount::from_value(i64::MAX, format) };
        } else if amount.sign() > 0 && amount < Amount::from_value(1, format) {
            format = Format::DecimalSI;
        }
    }
    Amount { format, ..amount }
}

/// Multiplies decimal digits, the most significant first.
fn multiply(digits: &mut Vec<u8>, factor: u64) {
    let mut carry: u128 = 0;
    for d in digits.iter_mut().rev() {
        carry += u128::from(*d) * u128::from(factor);
        *d = (carry % 10) as u8;
        carry /= 10;
    }
    let mut front = Vec::new();
    while carry > 0 {
        front.push((carry % 10) as u8);
        carry /= 10;
    }
    front.reverse();
    digits.splice(0..0, front);
}

/// The digits as a number with an exponent of at least nano; lost digits round up.
fn round_up(digits: &[u8], scale: i32) -> (i128, i32) {
    let mut number: i128 = 0;
    let leading = digits.iter().take_while(|d| **d == 0).count();
    let significant = digits.get(leading..).unwrap_or_default();
    let below_nano = i64::from(NANO) - i64::from(scale);
    let drop = usize::try_from(below_nano.max(0)).unwrap_or(usize::MAX);
    let keep = significant.len().saturating_sub(drop).min(38);
    let (kept, lost) = significant.split_at(keep);
    for d in kept {
        number = number.saturating_mul(10).saturating_add(i128::from(*d));
    }
    if lost.iter().any(|d| *d != 0) {
        number = number.saturating_add(1);
    }
    // If all digits are below nano, the amount is one nano.
    let scale = if lost.len() < drop && drop > 0 { NANO } else { scale.saturating_add(lost.len() as i32) };
    (number, if number == 0 { 0 } else { scale })
}
