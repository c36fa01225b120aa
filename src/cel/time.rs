//! Durations and moments as Go reads and writes them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use crate::api::rfc3339;

/// A duration in seconds, as `string(duration)` gives it.
pub(crate) fn duration_seconds(nanos: i64) -> String {
    let seconds = nanos as f64 / 1e9;
    format!("{seconds}s")
}

/// A moment of RFC 3339, between the years 1 and 9999.
pub(crate) fn parse_timestamp(text: &str) -> Option<Timestamp> {
    in_range(rfc3339::parse(text)?)
}

/// A day, at midnight UTC.
pub(crate) fn parse_date(text: &str) -> Option<Timestamp> {
    parse_timestamp(&format!("{text}T00:00:00Z"))
}

/// A moment so many seconds after the beginning of 1970.
pub(crate) fn from_seconds(seconds: i64) -> Option<Timestamp> {
    in_range(Timestamp::from_second(seconds).ok()?)
}

pub(crate) fn from_nanos(nanos: i128) -> Option<Timestamp> {
    in_range(Timestamp::from_nanosecond(nanos).ok()?)
}

fn in_range(moment: Timestamp) -> Option<Timestamp> {
    // The beginning of the year 1.
    (moment.as_second() >= -62_135_596_800).then_some(moment)
}

/// The wall's time at a moment, in UTC or in a zone: `UTC`, `Local`, or an offset such as `-08:00`.
///
/// # Errors
/// The name of a zone that is not known. Zones by name, such as `Europe/Berlin`, are not.
pub(crate) fn civil(moment: Timestamp, zone: Option<&str>) -> Result<DateTime, String> {
    let offset = match zone {
        None | Some("" | "UTC" | "Local") => Offset::UTC,
        Some(zone) => parse_offset(zone).ok_or_else(|| format!("unknown time zone {zone}"))?,
    };
    Ok(moment.to_zoned(TimeZone::fixed(offset)).datetime())
}

fn parse_offset(zone: &str) -> Option<Offset> {
    let (negative, rest) = match zone.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, zone.strip_prefix('+').unwrap_or(zone)),
    };
    let (hours, minutes) = rest.split_once(':')?;
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    if !(0..=23).contains(&hours) || !(0..=59).contains(&minutes) {
        return None;
    }
    let seconds = (hours * 60 + minutes) * 60;
    Offset::from_seconds(if negative { -seconds } else { seconds }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_in_seconds() {
        assert_eq!(duration_seconds(5_400_000_000_000), "5400s");
        assert_eq!(duration_seconds(1_500_000_000), "1.5s");
    }

    #[test]
    fn moments_are_rfc_3339() {
        assert!(parse_timestamp("2023-01-01T00:00:00Z").is_some());
        assert!(parse_timestamp("2023-01-01T00:00:00.5+02:00").is_some());
        for text in ["2023-01-01", "2023-01-01T00:00:00", "2023-01-01 00:00:00Z", "2023-13-01T00:00:00Z", ""]
        {
            assert_eq!(parse_timestamp(text), None, "{text}");
        }
        let moment = parse_timestamp("2023-01-01T05:30:00Z").map(|m| civil(m, Some("-08:00")));
        assert_eq!(moment.and_then(Result::ok).map(|d| d.year()), Some(2022));
    }
}
