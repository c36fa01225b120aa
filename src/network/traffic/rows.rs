//! What became of requests second by second of virtual time.

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use super::counts::Cause;
use super::latency::Latencies;
use crate::api::persistent::Map;
use crate::network::question::Behind;

/// What became of the requests that were sent in one second.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// How many were lost, by cause.
    pub lost: BTreeMap<Cause, u64>,
    /// For how many of them somebody had not heard yet of the change of the endpoints, by who.
    pub behind: BTreeMap<Behind, u64>,
    /// How long the answers took that came.
    pub took: Latencies,
}

impl Row {
    /// Adds another row, so many times.
    pub fn merge(&mut self, other: &Row, times: u64) {
        for (cause, many) in &other.lost {
            *self.lost.entry(*cause).or_default() += many * times;
        }
        for (who, many) in &other.behind {
            *self.behind.entry(*who).or_default() += many * times;
        }
        self.took.merge(&other.took, times);
    }

    /// Adds requests that were answered after the same time.
    pub(super) fn answer(&mut self, took: SignedDuration, many: u64) {
        self.took.add(took, many);
    }

    /// Adds requests that were lost for the same reason, and says who was behind.
    pub(super) fn lose(&mut self, cause: Cause, behind: Option<Behind>, many: u64) {
        *self.lost.entry(cause).or_default() += many;
        if let Some(who) = behind {
            *self.behind.entry(who).or_default() += many;
        }
    }
}

/// Seconds of which each has the same row.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    seconds: u64,
    row: Rc<Row>,
}

/// The rows of a time. Seconds that follow each other and are alike take the room of one; a clone shares all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// By the first second, counted from the beginning of the calendar.
    runs: Map<i64, Run>,
}

impl Rows {
    /// All rows, each with its first second, and how many seconds have it.
    pub fn iter(&self) -> impl Iterator<Item = (i64, u64, &Row)> {
        self.runs.iter().map(|(first, run)| (*first, run.seconds, &*run.row))
    }

    /// Adds the same to some seconds.
    pub(super) fn add(&mut self, first: i64, seconds: u64, change: impl Fn(&mut Row)) {
        let Ok(many) = i64::try_from(seconds) else { return };
        let end = first.saturating_add(many);
        // What is added most often is the last second, or one after it.
        let last = self.runs.get_max().map(|(at, run)| (*at, run.seconds));
        match last {
            Some((at, 1)) if at == first && seconds == 1 => {
                if let Some(run) = self.runs.get_mut(&first) {
                    change(Rc::make_mut(&mut run.row));
                }
                return;
            }
            Some((at, n)) if first >= at.saturating_add_unsigned(n) => {
                self.join(at);
                self.insert_new(first, seconds, &change);
                return;
            }
            _ => {}
        }
        self.split(first);
        self.split(end);
        let known: Vec<(i64, u64)> =
            self.runs.range(first..end).map(|(at, run)| (*at, run.seconds)).collect();
        let mut at = first;
        for (begin, n) in known {
            if begin > at {
                self.insert_new(at, u64::try_from(begin - at).unwrap_or(0), &change);
            }
            if let Some(run) = self.runs.get_mut(&begin) {
                change(Rc::make_mut(&mut run.row));
            }
            at = begin.saturating_add_unsigned(n);
        }
        if at < end {
            self.insert_new(at, u64::try_from(end - at).unwrap_or(0), &change);
        }
    }

    fn insert_new(&mut self, first: i64, seconds: u64, change: &impl Fn(&mut Row)) {
        let mut row = Row::default();
        change(&mut row);
        self.runs.insert(first, Run { seconds, row: Rc::new(row) });
    }

    /// Makes a run begin at a second, if one has it.
    fn split(&mut self, at: i64) {
        let Some((first, run)) = self.runs.get_prev(&at).map(|(f, r)| (*f, r.clone())) else { return };
        let Ok(before) = u64::try_from(at - first) else { return };
        if before == 0 || before >= run.seconds {
            return;
        }
        self.runs.insert(at, Run { seconds: run.seconds - before, row: run.row.clone() });
        self.runs.insert(first, Run { seconds: before, row: run.row });
    }

    /// Joins the last run with the one before it, if they are alike.
    fn join(&mut self, last: i64) {
        let Some(run) = self.runs.get(&last) else { return };
        let Some((first, before)) = self.runs.get_prev(&(last - 1)) else { return };
        if first.saturating_add_unsigned(before.seconds) != last || before.row != run.row {
            return;
        }
        let joined = Run { seconds: before.seconds + run.seconds, row: before.row.clone() };
        let first = *first;
        self.runs.remove(&last);
        self.runs.insert(first, joined);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(all: &[(i64, u64, u64)]) -> Rows {
        let mut rows = Rows::default();
        for (first, seconds, many) in all {
            rows.add(*first, *seconds, |row| row.answer(SignedDuration::ZERO, *many));
        }
        rows
    }

    fn seen(rows: &Rows) -> Vec<(i64, u64, u64)> {
        rows.iter().map(|(first, n, row)| (first, n, row.took.len())).collect()
    }

    #[test]
    fn seconds_that_are_alike_take_the_room_of_one() {
        let all: Vec<_> = (0..100).map(|n| (n, 1, 5)).collect();
        assert_eq!(seen(&rows(&all)), [(0, 99, 5), (99, 1, 5)]);
    }

    #[test]
    fn what_is_added_later_is_in_its_second() {
        assert_eq!(seen(&rows(&[(0, 10, 1), (4, 2, 7)])), [(0, 4, 1), (4, 2, 8), (6, 4, 1)]);
        assert_eq!(seen(&rows(&[(5, 1, 1), (0, 10, 1)])), [(0, 5, 1), (5, 1, 2), (6, 4, 1)]);
        assert_eq!(
            seen(&rows(&[(0, 2, 1), (8, 2, 1), (1, 8, 1)])),
            [(0, 1, 1), (1, 1, 2), (2, 6, 1), (8, 1, 2), (9, 1, 1)]
        );
    }
}
