//! A process that answers so many requests at once, and so fast, as its limits let it.
//!
//! A request first needs its time of a CPU, and then takes the rest of its time without one. Every request that is being answered has a
//! CPU of its own, but all together use no more in each period of 100 ms than the container's quota; when that is used up, none of them
//! goes on before the next period, as the kernel's `cpu.max` has it. So all of them go on, and stand still, together, and one clock is
//! enough for all of them: it counts for how long each of them has had a CPU.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use crate::api::{Timestamp, later};
use crate::network::serving::{QUOTA_PERIOD, Serving};
use jiff::SignedDuration;

/// What a request costs a server, in billionths of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The time of a CPU.
    pub cpu: i64,
    /// The time after that.
    pub rest: i64,
}

/// The status with which a server answers that has no room for a request.
pub(super) const FULL: u16 = 503;

/// What a server does with a request that comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It begins to answer, or lets the request wait.
    In,
    /// It refuses it, because so many wait already.
    Full,
}

/// A server at one moment.
#[derive(Clone, Debug)]
pub struct Server {
    of: Rc<Serving>,
    /// The moment.
    at: Timestamp,
    /// For how long each request that has had a CPU since the beginning would have had it, in billionths of a second.
    clock: i64,
    /// What is left of the quota in the present period.
    left: i64,
    /// When the next period begins.
    period: Timestamp,
    /// The requests that need a CPU, by what the clock shows when they do not any more.
    running: BTreeMap<(i64, u64), i64>,
    /// Those that do not need it any more, by the end of the answer.
    resting: BTreeMap<(Timestamp, u64), ()>,
    /// Those that wait.
    waiting: VecDeque<(u64, Cost)>,
}

fn nanos(time: SignedDuration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

fn plus(at: Timestamp, nanos: i64) -> Timestamp {
    later(at, SignedDuration::from_nanos(nanos))
}

fn between(from: Timestamp, to: Timestamp) -> i64 {
    nanos(to.duration_since(from)).max(0)
}

impl Server {
    /// A server that has nothing to do.
    pub fn new(of: Rc<Serving>, at: Timestamp) -> Server {
        let mut server = Server {
            left: of.quota.unwrap_or(i64::MAX),
            period: of.process.since,
            of,
            at,
            clock: 0,
            running: BTreeMap::new(),
            resting: BTreeMap::new(),
            waiting: VecDeque::new(),
        };
        server.begin_period();
        server
    }

    /// Whether it has nothing to do.
    pub fn is_idle(&self) -> bool {
        self.running.is_empty() && self.resting.is_empty() && self.waiting.is_empty()
    }

    /// Begins the period that the present moment is in.
    fn begin_period(&mut self) {
        let length = nanos(QUOTA_PERIOD);
        let since = between(self.of.process.since, self.at);
        self.period = plus(self.of.process.since, (since / length + 1).saturating_mul(length));
        self.left = self.of.quota.unwrap_or(i64::MAX);
    }

    /// For how long each request has a CPU in a whole period.
    fn share(&self, requests: i64) -> i64 {
        let quota = self.of.quota.unwrap_or(i64::MAX);
        (quota / requests.max(1)).clamp(1, nanos(QUOTA_PERIOD))
    }

    fn requests(&self) -> i64 {
        i64::try_from(self.running.len()).unwrap_or(i64::MAX)
    }

    /// Lets time pass until a moment at which no request has come further than its CPU time.
    fn pass(&mut self, to: Timestamp) {
        if to <= self.at {
            return;
        }
        let n = self.requests();
        if self.of.quota.is_none() {
            self.clock += if n > 0 { between(self.at, to) } else { 0 };
            self.at = to;
            return;
        }
        if n == 0 {
            self.at = to;
            if to >= self.period {
                self.begin_period();
            }
            return;
        }
        let end = to.min(self.period);
        let ran = between(self.at, end).min(self.left / n);
        self.clock += ran;
        self.left -= ran * n;
        self.at = end;
        if end < self.period {
            return;
        }
        let (length, share) = (nanos(QUOTA_PERIOD), self.share(n));
        let whole = between(self.period, to) / length;
        self.clock += whole * share;
        self.at = to;
        let begin = plus(self.period, whole * length);
        self.begin_period();
        let ran = between(begin, to).min(share);
        self.clock += ran;
        self.left = (self.left - ran * n).max(0);
    }

    /// When the clock shows a time, if no other request comes.
    fn when(&self, clock: i64) -> Timestamp {
        let (n, wanted) = (self.requests().max(1), (clock - self.clock).max(0));
        if self.of.quota.is_none() {
            return plus(self.at, wanted);
        }
        let now = between(self.at, self.period).min(self.left / n);
        if wanted <= now {
            return plus(self.at, wanted);
        }
        let (rest, share) = (wanted - now, self.share(n));
        let whole = (rest - 1) / share;
        plus(self.period, whole.saturating_mul(nanos(QUOTA_PERIOD)).saturating_add(rest - whole * share))
    }

    /// How many requests it has.
    pub fn load(&self) -> usize {
        self.busy() + self.waiting.len()
    }

    /// When something happens next, if no other request comes.
    pub fn due(&self) -> Option<Timestamp> {
        let running = self.running.first_key_value().map(|((clock, _), _)| self.when(*clock));
        let resting = self.resting.first_key_value().map(|((at, _), ())| *at);
        running.into_iter().chain(resting).min()
    }

    /// Whether a request waits.
    pub fn has_waiting(&self, request: u64) -> bool {
        self.waiting.back().is_some_and(|(last, _)| *last == request)
    }

    /// The requests that wait: nobody has read them yet.
    pub fn waiting(&self) -> impl Iterator<Item = u64> {
        self.waiting.iter().map(|(request, _)| *request)
    }

    /// Whether a request that comes at a moment finds it as if nothing had come before.
    pub fn is_fresh(&self, at: Timestamp) -> bool {
        self.is_idle() && (self.of.quota.is_none() || at >= self.period)
    }

    /// Whether it can be forgotten.
    pub fn is_done(&self) -> bool {
        self.is_idle() && self.of.quota.is_none()
    }

    fn busy(&self) -> usize {
        self.running.len() + self.resting.len()
    }

    fn begin(&mut self, request: u64, cost: Cost) {
        if cost.cpu > 0 {
            self.running.insert((self.clock + cost.cpu, request), cost.rest);
        } else {
            self.resting.insert((plus(self.at, cost.rest), request), ());
        }
    }

    /// A request comes. What was due before has happened.
    pub fn arrive(&mut self, of: &Rc<Serving>, at: Timestamp, request: u64, cost: Cost) -> Taken {
        self.pass(at);
        self.of = of.clone();
        let room = |most: u32| self.busy() < usize::try_from(most).unwrap_or(usize::MAX);
        if self.of.at_once.is_none_or(room) {
            self.begin(request, cost);
            return Taken::In;
        }
        if self.waiting.len() >= usize::try_from(self.of.queue).unwrap_or(usize::MAX) {
            return Taken::Full;
        }
        self.waiting.push_back((request, cost));
        Taken::In
    }

    /// Does what is due until a moment, and returns the requests that were answered, in their order.
    pub fn work(&mut self, until: Timestamp) -> Vec<u64> {
        let mut answered = Vec::new();
        while let Some(due) = self.due().filter(|due| *due <= until) {
            self.pass(due);
            while let Some(((clock, request), rest)) = self.running.first_key_value().map(|(k, r)| (*k, *r)) {
                if clock > self.clock {
                    break;
                }
                self.running.remove(&(clock, request));
                self.resting.insert((plus(self.at, rest), request), ());
            }
            while let Some((end, request)) = self.resting.first_key_value().map(|(k, ())| *k) {
                if end > self.at {
                    break;
                }
                self.resting.remove(&(end, request));
                answered.push(request);
            }
            let most = self.of.at_once.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
            while self.busy() < most {
                let Some((request, cost)) = self.waiting.pop_front() else { break };
                self.begin(request, cost);
            }
        }
        answered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Key;
    use crate::network::serving::Process;

    const MS: i64 = 1_000_000;

    fn millis(n: i64) -> Timestamp {
        plus(Timestamp::UNIX_EPOCH, n * MS)
    }

    fn serving(at_once: Option<u32>, queue: u32, quota: Option<i64>) -> Rc<Serving> {
        let process =
            Process { pod: Key::new("ns", "p"), container: "c".into(), since: Timestamp::UNIX_EPOCH };
        let node = "node".into();
        let (idle, requests, errors) = (None, None, None);
        let drains = false;
        Rc::new(Serving { process, node, cpu: 1, quota, at_once, queue, idle, requests, drains, errors })
    }

    /// When requests are answered that come at some milliseconds, each with its CPU time and its rest; -1 if it is refused.
    fn answered(of: &Rc<Serving>, cpu: i64, rest: i64, come: &[i64]) -> Vec<i64> {
        let mut server = Server::new(of.clone(), millis(0));
        let mut all = vec![-1; come.len()];
        let mut settle = |server: &mut Server, until: Timestamp| {
            while let Some(due) = server.due().filter(|due| *due <= until) {
                for request in server.work(due) {
                    all[request as usize] = between(Timestamp::UNIX_EPOCH, due) / MS;
                }
            }
        };
        for (n, at) in come.iter().enumerate() {
            settle(&mut server, millis(*at));
            server.arrive(of, millis(*at), n as u64, Cost { cpu: cpu * MS, rest: rest * MS });
        }
        settle(&mut server, millis(1_000_000));
        assert!(server.is_idle());
        all
    }

    #[test]
    fn requests_wait_for_a_place_and_are_refused_when_too_many_wait() {
        let one = serving(Some(1), 2, None);
        assert_eq!(answered(&one, 0, 50, &[0, 10, 20, 30, 100]), [50, 100, 150, -1, 200]);
        let two = serving(Some(2), 0, None);
        assert_eq!(answered(&two, 10, 40, &[0, 1, 2, 50]), [50, 51, -1, 100]);
    }

    /// A quota of 20 ms in 100 ms (200m): an answer of 50 ms has its CPU for 20 ms of the first two periods, and for 10 of the
    /// third. The kernel's `Documentation/scheduler/sched-bwc.rst`.
    #[test]
    fn a_container_at_its_limit_stands_still_until_the_next_period() {
        let throttled = serving(None, 0, Some(20 * MS));
        assert_eq!(answered(&throttled, 50, 0, &[0]), [210]);
        // Two at once use the quota up twice as fast.
        assert_eq!(answered(&throttled, 20, 0, &[0, 0]), [110, 110]);
        // Who comes while it stands still waits for the next period, too.
        assert_eq!(answered(&throttled, 10, 5, &[0, 10, 30]), [15, 25, 115]);
        assert_eq!(answered(&throttled, 20, 0, &[90]), [110], "ten in each of two periods");
        // Without a limit nobody waits.
        assert_eq!(answered(&serving(None, 0, None), 50, 0, &[0, 1, 2]), [50, 51, 52]);
    }

    #[test]
    fn work_that_is_done_in_one_go_ends_as_work_in_pieces() {
        let throttled = serving(Some(8), 100, Some(7 * MS));
        let come: Vec<i64> = (0..50).map(|n| n * 37 % 400).collect();
        let mut come = come;
        come.sort_unstable();
        let whole = answered(&throttled, 3, 11, &come);
        assert!(whole.iter().all(|at| *at > 0), "{whole:?}");
        let mut server = Server::new(throttled.clone(), millis(0));
        let (mut seen, mut next) = (vec![-1; 50], 0);
        for tick in 0..100_000 {
            for request in server.work(millis(tick)) {
                seen[request as usize] = tick;
            }
            server.pass(millis(tick));
            while come.get(next) == Some(&tick) {
                server.arrive(&throttled, millis(tick), next as u64, Cost { cpu: 3 * MS, rest: 11 * MS });
                next += 1;
            }
        }
        let close = whole.iter().zip(&seen).all(|(a, b)| (a - b).abs() <= 1);
        assert!(close, "{whole:?}\n{seen:?}");
    }
}
