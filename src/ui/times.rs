//! How times are said: how long answers took, the seconds of the chart of requests beside the cluster's clock, and where the run stands
//! beside a request.

use steady::engine::{Chart, Stands, Took};

use super::alike::together;
use super::i18n::Texts;

/// A time as it is read: in milliseconds, or in seconds if it is one or more.
pub fn time(t: &Texts, seconds: f64) -> String {
    // Three digits are all that is known.
    let digits = |n: f64| if n < 10.0 { (n * 100.0).round() / 100.0 } else { (n * 10.0).round() / 10.0 };
    if seconds < 1.0 {
        return t.with("took-ms", &[("n", digits(seconds * 1000.0).into())]);
    }
    t.with("took-s", &[("n", digits(seconds).into())])
}

/// What the cluster's clock shows at a moment in milliseconds since 1970: the time of day in UTC, as exactly as the moment is given.
pub fn clock(at: i64) -> String {
    let (seconds, ms) = (at.div_euclid(1000), at.rem_euclid(1000));
    let of_day = seconds.rem_euclid(86_400);
    let time = format!("{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60);
    match format!("{time}.{ms:03}").trim_end_matches('0').trim_end_matches('.') {
        exact if ms > 0 => exact.to_owned(),
        _ => time,
    }
}

/// The seconds of a bucket, counted from the chart's beginning.
pub fn span(t: &Texts, chart: &Chart, place: usize) -> String {
    let from = place as f64 * chart.seconds as f64;
    t.with("traffic-span", &[("from", from.into()), ("to", (from + chart.seconds as f64).into())])
}

/// As [`span`], with what the cluster's clock shows at their beginning.
pub fn seconds_of(t: &Texts, chart: &Chart, place: usize) -> String {
    let from = i64::try_from(place).unwrap_or(0).saturating_mul(chart.seconds);
    let at = clock(chart.begin.saturating_add(from).saturating_mul(1000));
    t.with("traffic-seconds", &[("span", span(t, chart, place).into()), ("at", at.into())])
}

/// What the cluster's clock shows at the beginning of a chart, and how long a bar of it is.
pub fn axis(t: &Texts, chart: &Chart) -> String {
    let at = clock(chart.begin.saturating_mul(1000));
    t.with("chart-axis", &[("at", at.into()), ("seconds", (chart.seconds as f64).into())])
}

/// How long answers took. What is the same is said once: of all of them, or of percentiles that follow each other.
pub fn took(t: &Texts, took: &Took) -> String {
    let all = [("p50", took.p50), ("p95", took.p95), ("p99", took.p99), ("max", took.max)];
    let parts = together(all.map(|(name, seconds)| (name, time(t, seconds))));
    // `took-all` says that every answer took the same. Equal percentiles do not show that, as half of the answers may be faster than
    // p50; only if the longest took no time did all of them.
    if let [(_, time)] = parts.as_slice()
        && took.max <= 0.0
    {
        return t.with("took-all", &[("time", time.as_str().into())]);
    }
    let named = |name: &str| if name == "max" { t.get("took-max") } else { name.to_owned() };
    let said = |(names, time): &(Vec<&str>, String)| {
        let names = match names.as_slice() {
            [first, .., last] => format!("{}–{}", named(first), named(last)),
            names => names.iter().map(|name| named(name)).collect(),
        };
        t.with("took-part", &[("name", names.into()), ("time", time.as_str().into())])
    };
    let parts = parts.iter().map(said).collect::<Vec<_>>().join(&t.get("took-join"));
    t.with("took-answered", &[("parts", parts.into())])
}

/// Where the run stands while the story is read.
pub fn stands(t: &Texts, at: &Stands) -> String {
    let step = ("step", (at.step as f64).into());
    match at.passes {
        Some(passes) if at.before > 0.0 => {
            let time = |seconds| time(t, seconds).into();
            t.with("sent-moment-passes", &[step, ("before", time(at.before)), ("passes", time(passes))])
        }
        _ if at.before > 0.0 => t.with("sent-moment-before", &[step, ("before", time(t, at.before).into())]),
        _ => t.with("sent-moment", &[step]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::i18n::Lang;

    /// The seconds of the chart and the cluster's clock are told side by side, so that a reader finds one by the other.
    #[test]
    fn seconds_of_the_chart_are_said_with_the_clock() {
        // 2026-01-01T10:00:26Z.
        let begin = 1_767_261_626;
        assert_eq!([clock(begin * 1000), clock(begin * 1000 + 50)], ["10:00:26", "10:00:26.05"]);
        assert_eq!(clock(-1), "23:59:59.999");
        let chart = Chart { begin, seconds: 2, buckets: Vec::new() };
        let en = Texts::new(Lang::En);
        assert_eq!(seconds_of(&en, &chart, 17), "34–36 s (from 10:01:00)");
        assert_eq!(axis(&en, &chart), "0 s = 10:00:26 of the cluster’s clock; a bar is 2 s");
        let zh = Texts::new(Lang::Zh);
        assert!(seconds_of(&zh, &chart, 17).contains("10:01:00") && axis(&zh, &chart).contains("10:00:26"));
    }

    /// Lost requests have no time of an answer. The words say that they are not among those that the numbers are of.
    #[test]
    fn percentiles_are_said_to_be_of_answered_requests() {
        let said = took(&Texts::new(Lang::En), &Took { p50: 0.005, p95: 0.005, p99: 0.005, max: 0.2 });
        assert_eq!(said, "answered within: p50–p99 5 ms, max 200 ms");
    }

    /// A step that lets time pass ends after the request, so the run stands before that step, by as much as the clock says.
    #[test]
    fn the_story_says_where_the_run_stands() {
        let t = Texts::new(Lang::En);
        let said = |before, passes| stands(&t, &Stands { step: 12, before, passes });
        assert_eq!(
            said(0.0, Some(1.0)),
            "The run stands at step 12, the last one before it was sent, at the same moment."
        );
        assert_eq!(
            said(7.5, Some(20.0)),
            "The run stands at step 12, 7.5 s before it was sent: the step after that lets 20 s pass, and it was sent meanwhile."
        );
        assert_eq!(
            said(0.05, None),
            "The run stands at step 12, the last one before it was sent, 50 ms earlier."
        );
    }
}
