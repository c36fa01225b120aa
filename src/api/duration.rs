//! Durations as Go reads them (`time.ParseDuration`), and durations and ages as Kubernetes prints them
//! (`k8s.io/apimachinery/pkg/util/duration`).

use jiff::SignedDuration;

use super::Timestamp;
use super::types::{MicroTime, Time};

/// The time since a moment, as [`human_duration`] writes it; `<unknown>` without a moment (`translateTimestampSince`).
pub fn age(since: Option<&Time>, now: Timestamp) -> String {
    match since {
        Some(t) => human_duration(now.duration_since(t.0)),
        None => "<unknown>".into(),
    }
}

/// [`age`] of a moment in microseconds (`translateMicroTimestampSince`).
pub fn age_micro(since: Option<&MicroTime>, now: Timestamp) -> String {
    match since {
        Some(t) => human_duration(now.duration_since(t.0)),
        None => "<unknown>".into(),
    }
}

/// A duration in two units at most, `2m5s` (`HumanDuration`). Negative ones are `<invalid>`, but for -1s, which is `0s`.
pub fn human_duration(d: SignedDuration) -> String {
    let seconds = d.as_secs();
    if seconds < -1 {
        return "<invalid>".into();
    }
    if seconds < 0 {
        return "0s".into();
    }
    // The larger unit, and the smaller one where it is not zero.
    let two = |big: i64, unit: &str, small: i64, sub: &str| match small {
        0 => format!("{big}{unit}"),
        _ => format!("{big}{unit}{small}{sub}"),
    };
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match () {
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => two(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if hours < 192 => two(days, "d", hours % 24, "h"),
        () if days < 730 => format!("{days}d"),
        () if days < 2920 => two(days / 365, "y", days % 365, "d"),
        () => format!("{}y", days / 365),
    }
}

/// The most nanoseconds that a duration may have, with a minus before it: 2^63.
const MOST: u64 = 1 << 63;

/// Reads a duration as `time.ParseDuration` does: numbers with units, such as `1h2m3.5s`, or a plain `0`. The result is
/// in nanoseconds.
///
/// # Errors
/// Go's words.
pub fn parse(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", quote(text));
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| invalid())? };
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, next) = after.split_at_checked(end).unwrap_or((after, ""));
        let scale: u64 = match unit {
            "" => return Err(format!("time: missing unit in duration {}", quote(text))),
            "ns" => 1,
            // With the micro sign, and with the Greek letter.
            "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return Err(format!("time: unknown unit {} in duration {}", quote(unit), quote(text))),
        };
        let part = whole.checked_mul(scale).and_then(|n| n.checked_add(part_of(fraction, scale)));
        total = part.and_then(|n| n.checked_add(total)).filter(|n| *n <= MOST).ok_or_else(invalid)?;
        rest = next;
    }
    match i64::try_from(total) {
        Ok(nanos) => Ok(if negative { -nanos } else { nanos }),
        Err(_) if negative => Ok(i64::MIN),
        Err(_) => Err(invalid()),
    }
}

/// The digits that a text begins with, and the rest.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The nanoseconds of a unit's fraction, by its digits. As in Go, digits that do not fit into 63 bits are left out, and
/// the result is that of a multiplication in floating point.
fn part_of(fraction: &str, unit: u64) -> u64 {
    let (mut value, mut scale) = (0_u64, 1_f64);
    for digit in fraction.bytes() {
        let next = value.checked_mul(10).and_then(|v| v.checked_add(u64::from(digit - b'0')));
        let Some(next) = next.filter(|n| *n <= MOST) else { break };
        (value, scale) = (next, scale * 10.0);
    }
    (value as f64 * (unit as f64 / scale)) as u64
}

/// A text as package `time` quotes it in errors: each byte of a character that is not printable ASCII is escaped.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.bytes() {
        match c {
            b'"' | b'\\' => out.extend(['\\', char::from(c)]),
            b' '..=0x7f => out.push(char::from(c)),
            _ => out.push_str(&format!("\\x{c:02x}")),
        }
    }
    out.push('"');
    out
}

/// A duration as Go prints it (`Duration.String`): `10s`, `1m20s`, `500ms`, `1.5s`, `5m0s`.
pub fn go_duration(d: SignedDuration) -> String {
    let sign = if d.is_negative() { "-" } else { "" };
    let nanos = d.as_nanos().unsigned_abs();
    // A number of a unit of so many nanoseconds, with the digits of its fraction that are not zero.
    let of = |nanos: u128, unit: u128, digits: usize| {
        let rest = nanos % unit;
        let fraction = if rest == 0 { String::new() } else { format!(".{rest:0digits$}") };
        format!("{}{}", nanos / unit, fraction.trim_end_matches('0'))
    };
    let (minutes, seconds) = (nanos / 60_000_000_000, of(nanos % 60_000_000_000, 1_000_000_000, 9));
    match (nanos, minutes / 60, minutes % 60) {
        (0, ..) => "0s".into(),
        (..1_000, ..) => format!("{sign}{nanos}ns"),
        (..1_000_000, ..) => format!("{sign}{}µs", of(nanos, 1_000, 3)),
        (..1_000_000_000, ..) => format!("{sign}{}ms", of(nanos, 1_000_000, 6)),
        (_, 0, 0) => format!("{sign}{seconds}s"),
        (_, 0, minutes) => format!("{sign}{minutes}m{seconds}s"),
        (_, hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_in_go() {
        let invalid = |text: &str| Err(format!("time: invalid duration \"{text}\""));
        for (text, want) in [
            ("0", Ok(0)),
            ("5s", Ok(5_000_000_000)),
            ("1h2m", Ok(3_720_000_000_000)),
            ("-1.5s", Ok(-1_500_000_000)),
            ("+.5us1.µs", Ok(1_500)),
            ("1.0000000000000000000000000000001s", Ok(1_000_000_000)),
            // More than a number in floating point can have.
            ("9007199254740993ns", Ok(9_007_199_254_740_993)),
            ("9223372036854775807ns", Ok(i64::MAX)),
            ("-9223372036854775808ns", Ok(i64::MIN)),
            ("9223372036854775808ns", invalid("9223372036854775808ns")),
            ("3000000h", invalid("3000000h")),
            ("", invalid("")),
            ("-", invalid("-")),
            (".s", invalid(".s")),
            ("s", invalid("s")),
            ("1s s", Err("time: unknown unit \"s s\" in duration \"1s s\"".into())),
            ("5", Err("time: missing unit in duration \"5\"".into())),
            ("1s5", Err("time: missing unit in duration \"1s5\"".into())),
            ("1..s", Err("time: missing unit in duration \"1..s\"".into())),
            ("1dé", Err(r#"time: unknown unit "d\xc3\xa9" in duration "1d\xc3\xa9""#.into())),
        ] {
            assert_eq!(parse(text), want, "{text}");
        }
    }

    #[test]
    fn durations_are_as_long_as_they_need_be() {
        for (seconds, want) in [
            (-5, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (125, "2m5s"),
            (599, "9m59s"),
            (600, "10m"),
            (10_799, "179m"),
            (10_800, "3h"),
            (10_860, "3h1m"),
            (28_800, "8h"),
            (172_799, "47h"),
            (172_800, "2d"),
            (176_400, "2d1h"),
            (691_200, "8d"),
            (63_071_999, "729d"),
            (63_072_000, "2y"),
            (63_158_400, "2y1d"),
            (252_288_000, "8y"),
        ] {
            assert_eq!(human_duration(SignedDuration::from_secs(seconds)), want, "{seconds}");
        }
    }

    #[test]
    fn durations_in_gos_words() {
        for (millis, want) in [
            (0, "0s"),
            (500, "500ms"),
            (1500, "1.5s"),
            (10_000, "10s"),
            (80_000, "1m20s"),
            (300_000, "5m0s"),
            (3_600_000, "1h0m0s"),
        ] {
            assert_eq!(go_duration(SignedDuration::from_millis(millis)), want);
        }
        // `TestDurationString` of Go's package time.
        for (nanos, want) in [
            (1, "1ns"),
            (1_100, "1.1µs"),
            (2_200_000, "2.2ms"),
            (580_700_000, "580.7ms"),
            (3_300_000_000, "3.3s"),
            (245_001_000_000, "4m5.001s"),
            (18_367_001_000_000, "5h6m7.001s"),
            (480_000_000_001, "8m0.000000001s"),
            (-1_100, "-1.1µs"),
            (i64::MAX, "2562047h47m16.854775807s"),
            (i64::MIN, "-2562047h47m16.854775808s"),
        ] {
            assert_eq!(go_duration(SignedDuration::from_nanos(nanos)), want);
        }
    }
}
