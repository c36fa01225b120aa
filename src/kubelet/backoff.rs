//! Exponential back-off (`k8s.io/client-go/util/flowcontrol.Backoff`), and Go's format of durations.

use jiff::SignedDuration;

use super::timings::later;
use crate::api::Timestamp;

/// The first delay.
pub const BASE: SignedDuration = SignedDuration::from_secs(10);
/// The longest delay. `ReduceDefaultCrashLoopBackOffDecay`, which would make it a minute, is an alpha gate
/// and off.
pub const MAX: SignedDuration = SignedDuration::from_secs(300);
/// If a container ends later than this after its last restart, its delay starts from [`BASE`] again. The
/// back-off of an image expires after the same time, twice [`MAX`].
pub const EXPIRES: SignedDuration = SignedDuration::from_secs(600);

/// The back-off of one container, or of one container's image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackOff {
    entry: Option<(SignedDuration, Timestamp)>,
}

impl BackOff {
    /// The current delay; zero if nothing has failed yet.
    pub fn delay(&self) -> SignedDuration {
        self.entry.map_or(SignedDuration::ZERO, |(d, _)| d)
    }

    /// Whether the delay has reached [`MAX`].
    pub fn is_at_max(&self) -> bool {
        self.delay() >= MAX
    }

    fn has_expired(&self, event: Timestamp) -> bool {
        self.entry.is_none_or(|(_, updated)| event.duration_since(updated) > EXPIRES)
    }

    /// The end of the wait after a failure at `event`; `None` if it is over (`IsInBackOffSince`).
    pub fn until(&self, event: Timestamp, now: Timestamp) -> Option<Timestamp> {
        if self.has_expired(event) {
            return None;
        }
        Some(later(event, self.delay())).filter(|t| *t > now)
    }

    /// The end of the wait after the last call of [`next`](BackOff::next); `None` if it is over
    /// (`IsInBackOffSinceUpdate`).
    pub fn until_since_update(&self, now: Timestamp) -> Option<Timestamp> {
        let (delay, updated) = self.entry?;
        Some(later(updated, delay)).filter(|t| *t > now)
    }

    /// Doubles the delay, or starts it from [`BASE`] if the last one has expired (`Next`).
    pub fn next(&mut self, event: Timestamp, now: Timestamp) {
        let delay =
            if self.has_expired(event) { BASE } else { (self.delay().saturating_add(self.delay())).min(MAX) };
        self.entry = Some((delay, now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// client-go's `util/flowcontrol/backoff.go`, `Next` and `hasExpired`: twice the longest time.
    #[test]
    fn doubles_up_to_five_minutes_and_starts_anew_after_ten() {
        let mut b = BackOff::default();
        let mut now = Timestamp::UNIX_EPOCH;
        let mut delays = Vec::new();
        for _ in 0..8 {
            assert_eq!(b.until(now, now).map(|t| t.duration_since(now)).unwrap_or_default(), b.delay());
            now += b.delay();
            b.next(now, now);
            delays.push(b.delay().as_secs());
        }
        assert_eq!(delays, [10, 20, 40, 80, 160, 300, 300, 300]);
        now += SignedDuration::from_secs(601);
        assert_eq!(b.until(now, now), None);
        b.next(now, now);
        assert_eq!(b.delay(), BASE);
    }
}
