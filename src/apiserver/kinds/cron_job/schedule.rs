//! Schedules of CronJobs, as `github.com/robfig/cron/v3` reads them (`ParseStandard`): five fields,
//! or a word that begins with `@`.

use crate::apiserver::validation::field::go_quote;

struct Bounds {
    min: u64,
    max: u64,
    names: &'static [&'static str],
    /// The number of the first name.
    first: u64,
}

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS: [Bounds; 5] = [
    Bounds { min: 0, max: 59, names: &[], first: 0 },
    Bounds { min: 0, max: 23, names: &[], first: 0 },
    Bounds { min: 1, max: 31, names: &[], first: 0 },
    Bounds { min: 1, max: 12, names: MONTHS, first: 1 },
    Bounds { min: 0, max: 6, names: DAYS, first: 0 },
];

/// Checks that a schedule can be read.
///
/// # Errors
/// The parser's words for what is wrong with it.
pub fn parse(spec: &str) -> Result<(), String> {
    if spec.is_empty() {
        return Err("empty spec string".into());
    }
    let mut spec = spec;
    if spec.starts_with("TZ=") || spec.starts_with("CRON_TZ=") {
        // The caller refuses a time zone; only the fields after it are read here.
        spec = spec.split_once(' ').map_or("", |(_, rest)| rest.trim());
    }
    if spec.starts_with('@') {
        return descriptor(spec);
    }
    let fields: Vec<&str> = spec.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        let n = FIELDS.len();
        return Err(format!("expected exactly {n} fields, found {}: [{}]", fields.len(), fields.join(" ")));
    }
    for (text, bounds) in fields.iter().zip(&FIELDS) {
        text.split(',').filter(|expr| !expr.is_empty()).try_for_each(|expr| range(expr, bounds))?;
    }
    Ok(())
}

fn range(expr: &str, bounds: &Bounds) -> Result<(), String> {
    let mut parts = expr.split('/');
    let mut ends = parts.next().unwrap_or_default().split('-');
    let low = ends.next().unwrap_or_default();
    let high = ends.next();
    let (start, mut end) = if low == "*" || low == "?" {
        (bounds.min, bounds.max)
    } else {
        let start = int_or_name(low, bounds)?;
        let end = high.map_or(Ok(start), |h| int_or_name(h, bounds))?;
        if ends.next().is_some() {
            return Err(format!("too many hyphens: {expr}"));
        }
        (start, end)
    };
    let mut step = 1;
    if let Some(text) = parts.next() {
        if parts.next().is_some() {
            return Err(format!("too many slashes: {expr}"));
        }
        step = int(text)?;
        if high.is_none() {
            end = bounds.max;
        }
    }
    if start < bounds.min {
        return Err(format!("beginning of range ({start}) below minimum ({}): {expr}", bounds.min));
    }
    if end > bounds.max {
        return Err(format!("end of range ({end}) above maximum ({}): {expr}", bounds.max));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {expr}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {expr}"));
    }
    Ok(())
}

fn int_or_name(text: &str, bounds: &Bounds) -> Result<u64, String> {
    let lower = text.to_lowercase();
    match (bounds.first..).zip(bounds.names).find(|(_, name)| **name == lower) {
        Some((number, _)) => Ok(number),
        None => int(text),
    }
}

fn int(text: &str) -> Result<u64, String> {
    let parsed = text.parse::<i64>().map_err(|e| {
        let why = match e.kind() {
            std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("failed to parse int from {text}: strconv.Atoi: parsing {}: {why}", go_quote(text))
    })?;
    u64::try_from(parsed).map_err(|_| format!("negative number ({parsed}) not allowed: {text}"))
}

fn descriptor(spec: &str) -> Result<(), String> {
    match spec {
        "@yearly" | "@annually" | "@monthly" | "@weekly" | "@daily" | "@midnight" | "@hourly" => Ok(()),
        _ => match spec.strip_prefix("@every ") {
            Some(text) => duration(text).map_err(|why| format!("failed to parse duration {spec}: {why}")),
            None => Err(format!("unrecognized descriptor: {spec}")),
        },
    }
}

/// Reads a duration as `time.ParseDuration` does: numbers with units such as `1h30m`, or a plain `0`.
fn duration(text: &str) -> Result<(), String> {
    let invalid = || format!("time: invalid duration {}", go_quote(text));
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(());
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (digits, tail) = rest.split_at(number);
        if digits.chars().filter(|c| *c == '.').count() > 1 || !digits.contains(|c: char| c.is_ascii_digit())
        {
            return Err(invalid());
        }
        let end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(end);
        match unit {
            "" => return Err(format!("time: missing unit in duration {}", go_quote(text))),
            "ns" | "us" | "µs" | "μs" | "ms" | "s" | "m" | "h" => {}
            _ => {
                return Err(format!("time: unknown unit {} in duration {}", go_quote(unit), go_quote(text)));
            }
        }
        rest = tail;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_schedule() {
        for good in ["*/5 * * * *", "0 0 1,15 jan-MAR ?", "@hourly", "@every 1h30m", "5/15 * * * 0-6/2"] {
            assert_eq!(parse(good), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("", "empty spec string"),
            ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
            ("60 * * * *", "end of range (60) above maximum (59): 60"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            ("* 5-3 * * *", "beginning of range (5) beyond end of range (3): 5-3"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            ("a * * * *", "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax"),
            ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
            ("1/2/3 * * * *", "too many slashes: 1/2/3"),
            ("@sometimes", "unrecognized descriptor: @sometimes"),
            ("@every x", "failed to parse duration @every x: time: invalid duration \"x\""),
        ] {
            assert_eq!(parse(bad), Err(why.to_owned()), "{bad}");
        }
    }
}
