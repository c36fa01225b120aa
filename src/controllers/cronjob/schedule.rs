//! When a CronJob runs: the run that is due, and how long until the next (`pkg/controller/cronjob/utils.go`).

use jiff::SignedDuration;

use crate::api::cron::{self, Schedule, load_location};
use crate::api::types::CronJob;
use crate::api::{Timestamp, later, seconds};

/// How long after a run's moment the CronJob is synced, for clocks that differ (`nextScheduleDelta`).
const NEXT_SCHEDULE_DELTA: SignedDuration = SignedDuration::from_millis(100);
/// More missed runs than this are reported.
const MANY_MISSED: i64 = 100;

/// The schedule of a CronJob, in its time zone; one of a zone that does not exist in UTC (`formatSchedule`).
///
/// # Errors
/// What is wrong with the schedule.
pub(super) fn of(cron_job: &CronJob) -> Result<Schedule, String> {
    let spec = &cron_job.spec;
    match spec.time_zone.as_deref() {
        Some(zone) if !spec.schedule.contains("TZ") && load_location(zone).is_some() => {
            cron::parse(&format!("TZ={zone} {}", spec.schedule))
        }
        _ => cron::parse(&spec.schedule),
    }
}

/// How many runs were missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missed {
    None,
    Few,
    Many,
}

/// What lies between the last run and now.
struct Recent {
    /// The moment from which runs are looked for: the last run, the creation, or the starting deadline.
    earliest: Timestamp,
    /// The last run that is due; `None` if there is none.
    due: Option<Timestamp>,
    missed: Missed,
}

/// The error of a schedule that has no runs.
const NO_RUNS: &str = "time difference between two schedules is less than 1 second";

/// `mostRecentScheduleTime`. `by_deadline` says whether runs that missed the starting deadline are left out.
fn most_recent(
    cron_job: &CronJob,
    now: Timestamp,
    schedule: &Schedule,
    by_deadline: bool,
) -> Result<Recent, &'static str> {
    let created = cron_job.metadata.creation_timestamp.as_ref().map_or(now, |t| t.0);
    let last = cron_job.status.as_ref().and_then(|s| s.last_schedule_time.as_ref());
    let mut earliest = last.map_or(created, |t| t.0);
    if let Some(deadline) = cron_job.spec.starting_deadline_seconds.filter(|_| by_deadline) {
        earliest = earliest.max(later(now, -SignedDuration::from_secs(deadline)));
    }
    let recent = |due, missed| Ok(Recent { earliest, due, missed });
    let first = schedule.next(earliest).ok_or(NO_RUNS)?;
    if now < first {
        return recent(None, Missed::None);
    }
    let second = schedule.next(first).ok_or(NO_RUNS)?;
    if now < second {
        return recent(Some(first), Missed::None);
    }
    let between = second.duration_since(first).as_secs();
    if between < 1 {
        return Err(NO_RUNS);
    }
    // An estimate, from the distance of the first two runs. Runs are looked for from one run before it on, because
    // the distances may differ.
    let missed = now.duration_since(first).as_secs() / between + 1;
    let from = later(first, SignedDuration::from_secs((missed - 2).saturating_mul(between)));
    let runs = std::iter::successors(schedule.next(from), |t| schedule.next(*t));
    let due = runs.take_while(|t| *t <= now).last();
    recent(due, if missed > MANY_MISSED { Missed::Many } else { Missed::Few })
}

/// The run that is due.
pub(super) struct Due {
    /// The moment for which the run was planned.
    pub(super) at: Timestamp,
    /// Whether more than a hundred runs were missed.
    pub(super) too_many_missed: bool,
}

/// The run that is due; `None` if there is none (`nextScheduleTime`).
///
/// # Errors
/// Why the schedule makes no sense.
pub(super) fn due(
    cron_job: &CronJob,
    now: Timestamp,
    schedule: &Schedule,
) -> Result<Option<Due>, &'static str> {
    let recent = most_recent(cron_job, now, schedule, true)?;
    Ok(recent.due.map(|at| Due { at, too_many_missed: recent.missed == Missed::Many }))
}

/// How long until the CronJob is to be synced for its next run; `None` if there is none (`nextScheduleTimeDuration`).
pub(super) fn time_to_next(
    cron_job: &CronJob,
    now: Timestamp,
    schedule: &Schedule,
) -> Option<SignedDuration> {
    let from = match most_recent(cron_job, now, schedule, false) {
        Ok(Recent { due: Some(due), .. }) => due,
        Ok(Recent { earliest, missed: Missed::None, .. }) => earliest,
        Ok(_) | Err(_) => now,
    };
    Some(later(schedule.next(from)?, NEXT_SCHEDULE_DELTA).duration_since(now))
}

/// A moment in the CronJob's time zone, as RFC 3339.
pub(super) fn in_zone(cron_job: &CronJob, at: Timestamp) -> String {
    let zone = cron_job.spec.time_zone.as_deref().and_then(load_location);
    let offset = zone.map(|z| z.to_offset(at)).filter(|o| o.seconds() != 0);
    let at = seconds(at);
    offset.map_or_else(|| at.to_string(), |offset| at.display_with_offset(offset).to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::types::Time;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn cron_job(schedule: &str, created: &str, deadline: Option<i64>) -> CronJob {
        let mut c = CronJob::default();
        c.spec.schedule = schedule.into();
        c.spec.starting_deadline_seconds = deadline;
        c.metadata.creation_timestamp = Some(Time(at(created)));
        c
    }

    fn look(c: &CronJob, now: &str) -> (String, bool, i128) {
        let schedule = of(c).unwrap();
        let due = due(c, at(now), &schedule).unwrap();
        let many = due.as_ref().is_some_and(|d| d.too_many_missed);
        let next = time_to_next(c, at(now), &schedule).unwrap();
        (due.map_or("-".into(), |d| d.at.to_string()), many, next.as_millis())
    }

    #[test]
    fn the_last_missed_run_is_due() {
        let c = cron_job("*/10 * * * *", "2026-01-01T00:05:00Z", None);
        assert_eq!(look(&c, "2026-01-01T00:06:00Z"), ("-".into(), false, 240_100));
        assert_eq!(look(&c, "2026-01-01T00:10:00.1Z"), ("2026-01-01T00:10:00Z".into(), false, 600_000));
        assert_eq!(look(&c, "2026-01-01T01:15:00Z"), ("2026-01-01T01:10:00Z".into(), false, 300_100));
        assert!(look(&c, "2026-01-02T00:00:00Z").1);
        let c = cron_job("*/10 * * * *", "2026-01-01T00:05:00Z", Some(60));
        assert_eq!(look(&c, "2026-01-01T01:15:00Z"), ("-".into(), false, 300_100));
        let c = cron_job("0 0 31 2 *", "2026-01-01T00:05:00Z", None);
        let schedule = of(&c).unwrap();
        assert_eq!(due(&c, at("2026-01-01T00:06:00Z"), &schedule).err(), Some(NO_RUNS));
        assert_eq!(time_to_next(&c, at("2026-01-01T00:06:00Z"), &schedule), None);
    }

    #[test]
    fn moments_are_shown_in_the_time_zone() {
        let mut c = cron_job("@daily", "2026-01-01T00:05:00Z", None);
        assert_eq!(in_zone(&c, at("2026-07-01T00:00:00Z")), "2026-07-01T00:00:00Z");
        c.spec.time_zone = Some("Europe/Zurich".into());
        assert_eq!(in_zone(&c, at("2026-07-01T00:00:00Z")), "2026-07-01T02:00:00+02:00");
        assert_eq!(look(&c, "2026-07-01T22:30:00Z").0, "2026-07-01T22:00:00Z");
    }
}
