//! The work queue: a key is in it once, is never worked on twice at a time, and comes back later
//! and later while it keeps failing (`k8s.io/client-go/util/workqueue`).

use jiff::SignedDuration;

use super::key::AnyKey;
use super::origin::Origin;
use crate::api::persistent::{Map, Vector};
use crate::api::{Timestamp, later};

/// How long a key waits that keeps failing (`ItemExponentialFailureRateLimiter`): `base` after the first failure, twice
/// as long after each further one, at most `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// How long a key waits after its first failure.
    pub base: SignedDuration,
    /// The longest that a key waits, however often it has failed.
    pub max: SignedDuration,
}

/// The limits of controllers that set none (`DefaultTypedControllerRateLimiter`).
impl Default for RateLimit {
    fn default() -> RateLimit {
        RateLimit { base: SignedDuration::from_millis(5), max: SignedDuration::from_secs(1000) }
    }
}

/// Milliseconds between two tokens of the bucket that all failed keys of a queue share.
const BUCKET_MILLIS: i64 = 100;
/// The most tokens that the bucket holds: the first hundred failed keys need not wait for each other.
const BUCKET_BURST: i64 = 100;

impl RateLimit {
    /// How long a key waits that had failed so often in a row before it failed again.
    pub fn delay(self, failures: u32) -> SignedDuration {
        let factor = 1i32 << failures.min(30);
        self.base.checked_mul(factor).map_or(self.max, |d| d.min(self.max))
    }
}

/// A queue of keys, all of the type that its controller names.
#[derive(Clone, Debug, Default)]
pub struct WorkQueue {
    queue: Vector<AnyKey>,
    /// The keys that wait or come back, each with what it follows from.
    dirty: Map<AnyKey, Origin>,
    processing: Vec<AnyKey>,
    /// The keys that are planned, each with its moment and with what planned it.
    waiting: Map<AnyKey, (Timestamp, Origin)>,
    failures: Map<AnyKey, u32>,
    /// When the bucket that all failed keys share will be full again.
    bucket: Option<Timestamp>,
    limit: RateLimit,
}

impl WorkQueue {
    /// An empty queue.
    pub fn new(limit: RateLimit) -> WorkQueue {
        WorkQueue { limit, ..WorkQueue::default() }
    }

    /// Adds a key unless it waits already; one that is being worked on comes again afterwards. In both cases its sync
    /// follows from `origin`, too.
    pub fn add(&mut self, key: AnyKey, origin: &Origin) {
        if let Some(all) = self.dirty.get_mut(&key) {
            all.add(origin);
            return;
        }
        self.dirty.insert(key.clone(), origin.clone());
        if !self.processing.contains(&key) {
            self.queue.push_back(key);
        }
    }

    /// Takes the next key, and what its sync follows from.
    pub fn get(&mut self) -> Option<(AnyKey, Origin)> {
        let key = self.queue.pop_front()?;
        let origin = self.dirty.remove(&key).unwrap_or_default();
        self.processing.push(key.clone());
        Some((key, origin))
    }

    /// Ends the work on a key.
    pub fn done(&mut self, key: &AnyKey) {
        self.processing.retain(|k| k != key);
        if !self.dirty.is_empty() && self.dirty.contains_key(key) {
            self.queue.push_back(key.clone());
        }
    }

    /// Plans a key for a moment. The earlier of two plans holds: `Some` with the plan it replaces
    /// if the key's timer has to change.
    pub fn add_at(&mut self, key: &AnyKey, at: Timestamp, origin: &Origin) -> Option<Option<Timestamp>> {
        let Some((old, origins)) = self.waiting.get_mut(key) else {
            self.waiting.insert(key.clone(), (at, origin.clone()));
            return Some(None);
        };
        origins.add(origin);
        if *old <= at {
            return None;
        }
        let old = std::mem::replace(old, at);
        Some(Some(old))
    }

    /// Takes back a key's plan; the moment it was for.
    pub fn cancel(&mut self, key: &AnyKey) -> Option<Timestamp> {
        self.waiting.remove(key).map(|(at, _)| at)
    }

    /// A planned moment has come.
    pub fn fire(&mut self, key: &AnyKey) {
        let (_, origin) = self.waiting.remove(key).unwrap_or_default();
        self.add(key.clone(), &origin.then_planned());
    }

    /// How long a key that failed has to wait: twice as long each time, and longer where very many keys
    /// of the queue fail (`TypedMaxOfRateLimiter`).
    pub fn next_delay(&mut self, key: &AnyKey, now: Timestamp) -> SignedDuration {
        let n = self.failures.get(key).copied().unwrap_or(0);
        self.failures.insert(key.clone(), n.saturating_add(1));
        self.limit.delay(n).max(self.take_token(now))
    }

    /// Takes a token out of the bucket; how long until it is there.
    fn take_token(&mut self, now: Timestamp) -> SignedDuration {
        let full = self.bucket.map_or(now, |at| at.max(now));
        let full = later(full, SignedDuration::from_millis(BUCKET_MILLIS));
        self.bucket = Some(full);
        let owed = full.duration_since(now) - SignedDuration::from_millis(BUCKET_MILLIS * BUCKET_BURST);
        owed.max(SignedDuration::ZERO)
    }

    /// Whether a key has failed so often that its delay does not grow any more.
    pub fn waits_longest(&self, key: &AnyKey) -> bool {
        self.limit.delay(self.retries(key).saturating_sub(1)) >= self.limit.max
    }

    /// How often a key has failed in a row.
    pub fn retries(&self, key: &AnyKey) -> u32 {
        self.failures.get(key).copied().unwrap_or(0)
    }

    /// Forgets the failures of a key, which succeeded.
    pub fn forget(&mut self, key: &AnyKey) {
        if !self.failures.is_empty() {
            self.failures.remove(key);
        }
    }

    /// The keys that failed the last time they were worked on, with how often in a row.
    pub fn failed(&self) -> impl Iterator<Item = (&AnyKey, &u32)> {
        self.failures.iter()
    }

    /// How many keys wait.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether no key waits.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The keys that wait, in order.
    pub fn iter(&self) -> impl Iterator<Item = &AnyKey> {
        self.queue.iter()
    }

    /// The keys that are being worked on, each with whether it was added again meanwhile and so comes back
    /// when the work on it ends.
    pub fn processing(&self) -> impl Iterator<Item = (&AnyKey, bool)> {
        self.processing.iter().map(|k| (k, self.dirty.contains_key(k)))
    }

    /// The keys that are planned, each with its moment.
    pub fn planned(&self) -> impl Iterator<Item = (&AnyKey, &Timestamp)> {
        self.waiting.iter().map(|(key, (at, _))| (key, at))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::Key;

    fn key(name: &str) -> AnyKey {
        Key::new("d", name).into()
    }

    #[test]
    fn a_key_is_worked_on_once_at_a_time_and_comes_back_if_it_changed() {
        let mut q = WorkQueue::default();
        let k = key("a");
        q.add(k.clone(), &Origin::write(1));
        q.add(k.clone(), &Origin::write(2));
        assert_eq!(q.len(), 1);
        assert_eq!(q.get().unwrap().1.revisions(), [1, 2]);
        q.add(k.clone(), &Origin::write(3));
        assert_eq!(q.get(), None);
        q.done(&k);
        assert_eq!(q.get(), Some((k.clone(), Origin::write(3))));
        q.done(&k);
        // What was planned follows from what planned it.
        q.add_at(&k, Timestamp::UNIX_EPOCH, &Origin::write(4));
        q.add_at(&k, Timestamp::from_second(1).unwrap(), &Origin::write(5));
        q.fire(&k);
        let (_, origin) = q.get().unwrap();
        assert_eq!((origin.revisions(), origin.planned), (&[4, 5][..], true));
    }

    #[test]
    fn failing_keys_wait_longer_each_time() {
        let mut q = WorkQueue::default();
        let k = key("a");
        let now = Timestamp::UNIX_EPOCH;
        let d: Vec<(i128, bool)> =
            (0..20).map(|_| (q.next_delay(&k, now).as_millis(), q.waits_longest(&k))).collect();
        assert_eq!(d[..4], [(5, false), (10, false), (20, false), (40, false)]);
        assert_eq!(d[17], (655_360, false));
        assert_eq!(d[18..], [(1_000_000, true); 2]);
        q.forget(&k);
        assert_eq!(q.next_delay(&k, now).as_millis(), 5);
    }

    #[test]
    fn very_many_failing_keys_wait_for_each_other() {
        let mut q = WorkQueue::default();
        let mut delay = |i: i64, at: i64| {
            q.next_delay(&key(&i.to_string()), Timestamp::from_millisecond(at).unwrap()).as_millis()
        };
        let first: Vec<i128> = (0..104).map(|i| delay(i, 0)).collect();
        assert!(first[..100].iter().all(|d| *d == 5));
        assert_eq!(first[100..], [100, 200, 300, 400]);
        // A second later ten more have come in.
        assert_eq!(delay(200, 1000), 5);
        assert_eq!((1..7).map(|i| delay(200 + i, 1000)).collect::<Vec<_>>()[4..], [5, 100]);
    }
}
