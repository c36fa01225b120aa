//! How long answers took: counts of durations, which add up exactly.

use std::collections::BTreeMap;

use jiff::SignedDuration;

/// How often answers took how long. A duration is rounded up to three significant digits, so that the counts of two times, or of two
/// clients, can be added without anything being lost, and take little room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Latencies {
    /// By the duration, in billionths of a second.
    counts: BTreeMap<u64, u64>,
}

/// A number rounded up to three significant digits.
fn rounded(nanos: u64) -> u64 {
    let mut unit = 1_u64;
    while nanos / unit >= 1000 {
        unit *= 10;
    }
    nanos.div_ceil(unit) * unit
}

impl Latencies {
    /// Counts answers that took equally long.
    pub fn add(&mut self, took: SignedDuration, many: u64) {
        if many > 0 {
            let nanos = u64::try_from(took.as_nanos().max(0)).unwrap_or(u64::MAX / 10);
            *self.counts.entry(rounded(nanos)).or_default() += many;
        }
    }

    /// Adds what was counted elsewhere, so many times.
    pub fn merge(&mut self, other: &Latencies, times: u64) {
        for (took, many) in &other.counts {
            *self.counts.entry(*took).or_default() += many * times;
        }
    }

    /// How many answers were counted.
    pub fn len(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Whether none was counted.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The time within which a part of the answers came, in thousandths of all of them: the least of the durations that so many
    /// answers did not exceed (the nearest rank). `None` without answers.
    pub fn percentile(&self, thousandths: u64) -> Option<SignedDuration> {
        let rank = (u128::from(self.len()) * u128::from(thousandths)).div_ceil(1000).max(1);
        let mut until = 0_u128;
        let found = self.counts.iter().find(|(_, many)| {
            until += u128::from(**many);
            until >= rank
        });
        found.map(|(took, _)| SignedDuration::from_nanos(i64::try_from(*took).unwrap_or(i64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn durations_have_three_digits_and_are_never_too_short() {
        let all = [(0, 0), (7, 7), (999, 999), (1000, 1000), (1001, 1010), (400_000_000, 400_000_000)];
        for (nanos, wanted) in all.into_iter().chain([(123_456_789, 124_000_000), (999_900, 1_000_000)]) {
            assert_eq!(rounded(nanos), wanted, "{nanos}");
        }
    }

    #[test]
    fn percentiles_are_those_of_the_nearest_rank_and_add_up() {
        let ms = SignedDuration::from_millis;
        let (mut low, mut high) = (Latencies::default(), Latencies::default());
        (1..=50).for_each(|n| low.add(ms(n), 1));
        (51..=100).for_each(|n| high.add(ms(n), 1));
        low.merge(&high, 1);
        let of = |p| low.percentile(p).unwrap();
        assert_eq!([500, 950, 990, 1000].map(of), [ms(50), ms(95), ms(99), ms(100)]);
        assert_eq!((low.len(), Latencies::default().percentile(500)), (100, None));
        let mut twice = Latencies::default();
        twice.merge(&low, 2);
        assert_eq!((twice.len(), twice.percentile(950)), (200, Some(ms(95))));
    }
}
