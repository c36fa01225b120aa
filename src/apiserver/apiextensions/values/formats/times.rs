//! Dates, times and durations.

use jiff::civil::Date;

use super::digits;
use crate::api::duration;

/// `2006-01-02`
pub(super) fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let number = |part: &str, length: usize| {
        (part.len() == length && digits(part)).then(|| part.parse::<i16>().ok()).flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    match (i8::try_from(month), i8::try_from(day)) {
        (Ok(month), Ok(day)) => Date::new(year, month, day).is_ok(),
        _ => false,
    }
}

/// RFC 3339, in any case. What lies behind a second `t` is not looked at.
pub(super) fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut halves = lower.split('t');
    let (Some(date), Some(time)) = (halves.next(), halves.next()) else { return false };
    if !is_date(date) {
        return false;
    }
    let two = |at: usize, most: &str| time.get(at..at + 2).is_some_and(|t| digits(t) && t <= most);
    let mark = |at: usize| time.get(at..=at) == Some(":");
    if !(two(0, "23") && mark(2) && two(3, "59") && mark(5) && two(6, "59")) {
        return false;
    }
    let mut zone = time.get(8..).unwrap_or_default();
    // Any character may stand before the fraction.
    let fraction = zone.chars().next().map_or("", |c| zone.get(c.len_utf8()..).unwrap_or_default());
    let rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() < fraction.len() && (rest == "z" || is_offset(rest)) {
        zone = rest;
    }
    zone == "z" || is_offset(zone)
}

/// `+02:00`
fn is_offset(text: &str) -> bool {
    let Some((hours, minutes)) = text.strip_prefix(['+', '-']).and_then(|t| t.split_once(':')) else {
        return false;
    };
    [hours, minutes].iter().all(|t| t.len() == 2 && digits(t))
}

/// What Go's `time.ParseDuration` reads, or numbers with units in words: `3 days`.
pub(super) fn is_duration(text: &str) -> bool {
    duration::parse(text).is_ok() || is_worded_duration(text)
}

/// Whether a number with a unit stands anywhere in a text. The last name of each unit may go on.
fn is_worded_duration(text: &str) -> bool {
    const EXACT: [&str; 16] =
        ["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk", "nano", "micro", "milli", "sec", "min"];
    const PREFIXES: [&str; 8] = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
    let mut found = false;
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        rest = rest.get(start..).unwrap_or_default();
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = rest.get(..rest.len() - after.len()).unwrap_or_default();
        let after = after.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
        let tail = after.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == 'µ');
        let unit = after.get(..after.len() - tail.len()).unwrap_or_default().to_lowercase();
        rest = tail;
        if unit.is_empty() {
            continue;
        }
        if number.parse::<i64>().is_err() {
            return false;
        }
        found |= EXACT.contains(&unit.as_str()) || PREFIXES.iter().any(|p| unit.starts_with(p));
    }
    found
}
