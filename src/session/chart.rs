//! What became of requests over time: how many were answered and lost, and how long the answers took.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::api::{Timestamp, order};
use crate::network::question::Behind;
use crate::network::traffic::{Cause, Counts, Latencies, Ledger, Row, Target};

/// The most buckets that a time is divided into.
const BUCKETS: i64 = 120;

/// How long answers took, in seconds: the time within which a half, 95 % and 99 % of them came, and all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Took {
    /// The median.
    pub p50: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

impl Took {
    /// What the counts say; `None` if nothing was answered.
    pub fn of(latencies: &Latencies) -> Option<Took> {
        let of = |thousandths| latencies.percentile(thousandths).map(|t| t.as_secs_f64());
        Some(Took { p50: of(500)?, p95: of(950)?, p99: of(990)?, max: of(1000)? })
    }
}

/// Why requests were lost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Losses {
    /// How many were lost, by cause; the most frequent first.
    pub causes: Vec<(Cause, u64)>,
    /// For how many of them somebody on their way had not heard yet of the change of the endpoints, by who; the most frequent first.
    pub behind: Vec<(Behind, u64)>,
}

/// Numbers by what they are of, the greatest first.
fn by_number<T: Copy + Ord>(all: &BTreeMap<T, u64>) -> Vec<(T, u64)> {
    let mut all: Vec<(T, u64)> = all.iter().map(|(what, n)| (*what, *n)).collect();
    order::sort_by_key(&mut all, |(what, n)| (std::cmp::Reverse(*n), *what));
    all
}

impl Losses {
    /// What was lost of the requests that were counted.
    pub fn of(counts: &Counts) -> Losses {
        Losses { causes: by_number(&counts.lost), behind: by_number(&counts.behind) }
    }

    fn of_row(row: &Row) -> Losses {
        Losses { causes: by_number(&row.lost), behind: by_number(&row.behind) }
    }

    /// How many were lost.
    pub fn all(&self) -> u64 {
        self.causes.iter().map(|(_, n)| n).sum()
    }
}

/// What became of the requests that were sent in a bucket of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// How many were answered.
    pub answered: u64,
    /// How many were lost.
    pub lost: u64,
    /// Why they were lost.
    pub losses: Losses,
    /// How long the answers took; `None` without any.
    pub took: Option<Took>,
}

/// Buckets of equal length, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// The second of virtual time with which the first one begins, counted from the beginning of the calendar.
    pub begin: i64,
    /// The length of a bucket in seconds.
    pub seconds: i64,
    /// The buckets.
    pub buckets: Vec<Bucket>,
}

/// The moment with which the chart of a run begins whose first client began at a moment: the second in which that was.
pub fn chart_begin(first: Timestamp) -> Timestamp {
    Timestamp::from_second(first.as_second()).unwrap_or(first)
}

impl Chart {
    /// The chart of what was sent to some targets from a moment until another one, in whole seconds of virtual time.
    pub fn of(ledger: &Ledger, from: Timestamp, to: Timestamp, is_meant: impl Fn(&Target) -> bool) -> Chart {
        let (begin, end) = (from.as_second(), to.as_second().max(from.as_second()) + 1);
        let seconds = (end - begin + BUCKETS - 1) / BUCKETS;
        let many = usize::try_from((end - begin + seconds - 1) / seconds).unwrap_or(0);
        let mut rows = vec![Row::default(); many];
        for (first, run, row) in
            ledger.rows().filter(|(target, _)| is_meant(target)).flat_map(|(_, r)| r.iter())
        {
            let last = first.saturating_add_unsigned(run).min(end);
            let mut at = first.max(begin);
            while at < last {
                let bucket = (at - begin) / seconds;
                let until = (begin + (bucket + 1) * seconds).min(last);
                let sum = usize::try_from(bucket).ok().and_then(|b| rows.get_mut(b));
                if let (Some(sum), Ok(times)) = (sum, u64::try_from(until - at)) {
                    sum.merge(row, times);
                }
                at = until;
            }
        }
        let bucket = |row: &Row| Bucket {
            answered: row.took.len(),
            lost: row.lost.values().sum(),
            losses: Losses::of_row(row),
            took: Took::of(&row.took),
        };
        Chart { begin, seconds, buckets: rows.iter().map(bucket).collect() }
    }
}
