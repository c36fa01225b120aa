//! Durations and ages as texts (`k8s.io/apimachinery/pkg/util/duration`).

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
