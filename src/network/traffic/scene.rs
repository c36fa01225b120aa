//! The network at one moment as clients meet it: who sends what, what it meets, and which processes answer.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::client::Client;
use super::counts::Cause;
use super::path::{Choice, Fate};
use crate::api::{Kind, ObjectRef, Timestamp};
use crate::network::question::{Behind, GOLDEN, Outcome, Reply};
use crate::network::serving::{Life, Process, QUOTA_PERIOD, Serving, WHOLE};

/// A stream of requests: a client from its start to its end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StreamId {
    /// Who sends: a pod or, if the requests come from outside of the cluster, the object whose annotation says so.
    pub sender: ObjectRef,
    /// The pod's container; empty if no pod sends.
    pub container: Rc<str>,
    /// Which of the clients of the container, or of the object, it is, counted from 0.
    pub place: usize,
    /// Since when it sends.
    pub start: Timestamp,
}

impl StreamId {
    /// Whether its requests come from outside of the cluster.
    pub fn is_from_outside(&self) -> bool {
        self.sender.kind != Kind::POD
    }
}

/// Where requests are sent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// The namespace of the client.
    pub namespace: Rc<str>,
    /// The host, with a port if the URL has one.
    pub authority: Rc<str>,
}

/// A stream at one moment.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Which one it is.
    pub id: Rc<StreamId>,
    /// Where it sends.
    pub target: Target,
    /// What it sends.
    pub client: Rc<Client>,
    /// Until when; `None` if it goes on.
    pub end: Option<Timestamp>,
    /// What its requests meet.
    pub fate: Fate,
    /// The addresses of who sends.
    pub addresses: Rc<[IpAddr]>,
    summary: OnceCell<Option<Summary>>,
}

impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        let names = |s: &Stream| (s.id.clone(), s.end);
        names(self) == names(other) && self.client == other.client && self.fate == other.fate
    }
}

/// What becomes of a request that meets a reply, if no other request is in its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It is answered after this time.
    Answered(SignedDuration),
    /// It is lost, and this is who was behind.
    Lost(Cause, Option<Behind>),
}

/// What all requests of a stream have in common, as far as none of them is in another one's way.
#[derive(Clone, Debug)]
pub struct Summary {
    /// What becomes of requests by the place of their reply.
    pub classes: Vec<Class>,
    /// The class of all replies, if it is the same one.
    pub only: Option<Class>,
    /// For how long a request can have an effect on others that are sent after it.
    pub horizon: SignedDuration,
    /// The processes with limits that answer some of them.
    pub limited: Vec<Process>,
}

impl Stream {
    /// A stream.
    pub fn new(id: StreamId, client: Rc<Client>, end: Option<Timestamp>, fate: Fate) -> Stream {
        let authority: Rc<str> = client.url.authority().into();
        let target = Target { namespace: id.sender.key.namespace.clone(), authority };
        let addresses = Rc::new([]);
        Stream { id: Rc::new(id), target, client, end, fate, addresses, summary: OnceCell::new() }
    }

    /// The stream of somebody with these addresses.
    pub fn of(self, addresses: Rc<[IpAddr]>) -> Stream {
        Stream { addresses, ..self }
    }

    /// What all its requests have in common; `None` if each of them has to be followed.
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.get_or_init(|| self.summed()).as_ref()
    }

    fn summed(&self) -> Option<Summary> {
        let Fate::Replies(choice) = &self.fate else { return None };
        let (mut horizon, mut limited) = (SignedDuration::ZERO, Vec::new());
        let mut classes = Vec::with_capacity(choice.replies().len());
        for reply in choice.replies() {
            let takes = match &reply.outcome {
                Outcome::Answered(r) => r.takes,
                _ => SignedDuration::ZERO,
            };
            if let Some(serving) = limits(reply) {
                limited.push(serving.process.clone());
                horizon = horizon.max(takes + QUOTA_PERIOD + QUOTA_PERIOD);
            }
            horizon = horizon.max(takes);
            classes.push(match self.client.cause(reply) {
                // What has failed is sent again; a request that is not waited for goes on to take the server's time.
                Some(_) if self.client.retries > 0 || limits(reply).is_some() => return None,
                Some(cause) => Class::Lost(cause, reply.behind),
                None => Class::Answered(takes),
            });
        }
        let first = classes.first().copied();
        let only = first.filter(|first| classes.iter().all(|c| c == first));
        Some(Summary { classes, only, horizon, limited })
    }

    /// Whether each request is over when the next one is sent.
    pub(super) fn never_waits(&self, classes: &[Class]) -> bool {
        let period = self.client.per.as_nanos() / i128::from(self.client.requests.max(1));
        classes.iter().all(|class| match class {
            Class::Answered(takes) => takes.as_nanos() <= period,
            // How long these take is not summed up, so each of them is followed.
            Class::Lost(Cause::TimedOut(_) | Cause::TooSlow | Cause::Status(_), _) => false,
            Class::Lost(..) => true,
        })
    }

    /// The most requests that it sends in a time, wherever that begins.
    fn most(&self, time: SignedDuration) -> u64 {
        let sent = time.as_nanos().saturating_mul(i128::from(self.client.requests));
        u64::try_from(sent / self.client.per.as_nanos().max(1)).unwrap_or(u64::MAX).saturating_add(2)
    }
}

/// The process with limits behind a reply.
pub(super) fn limits(reply: &Reply) -> Option<&Rc<Serving>> {
    let Outcome::Answered(response) = &reply.outcome else { return None };
    response.by.as_ref().filter(|by| by.is_limited() && response.takes > SignedDuration::ZERO)
}

/// The most of so many numbers that follow each other in a [`Spread`](crate::network::question::Spread) that can be in a part of all
/// numbers. The least distance between two of them is that of two whose places differ by a Fibonacci number.
fn most_within(part: u128, many: u64) -> u64 {
    let (mut a, mut b, mut least) = (1_u64, 2_u64, WHOLE);
    while a < many {
        let turn = u128::from(GOLDEN.wrapping_mul(a));
        least = least.min(turn.min(WHOLE - turn));
        (a, b) = (b, a.saturating_add(b));
    }
    u64::try_from(part / least.max(1)).unwrap_or(u64::MAX).saturating_add(1).min(many)
}

/// Processes, and what they do with the requests that they get.
pub type Lives = BTreeMap<Process, (Rc<Serving>, Life)>;

/// Who sends and who answers at one moment.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// In the order of their ids.
    pub streams: Vec<Rc<Stream>>,
    /// The processes that answer requests or have open connections. A process that has ended is not there any more.
    pub lives: Lives,
    calm: OnceCell<BTreeSet<Process>>,
}

impl PartialEq for Scene {
    fn eq(&self, other: &Scene) -> bool {
        let same = |(a, b): (&Rc<Stream>, &Rc<Stream>)| Rc::ptr_eq(a, b) || a == b;
        self.streams.len() == other.streams.len()
            && self.lives == other.lives
            && self.streams.iter().zip(&other.streams).all(same)
    }
}

impl Scene {
    /// A scene of streams in any order.
    pub fn new(mut streams: Vec<Rc<Stream>>, lives: Lives) -> Scene {
        crate::api::order::sort_by(&mut streams, |a, b| a.id.cmp(&b.id));
        Scene { streams, lives, calm: OnceCell::new() }
    }

    /// What a process does; `None` if it has ended, or if nothing depends on it.
    pub fn life(&self, process: &Process) -> Option<Life> {
        self.lives.get(process).map(|(_, life)| *life)
    }

    /// The stream with an id.
    pub fn stream(&self, id: &StreamId) -> Option<&Rc<Stream>> {
        let place = self.streams.binary_search_by(|s| (*s.id).cmp(id)).ok()?;
        self.streams.get(place)
    }

    /// Whether a process has so much room that no request ever waits for another one, by the most requests that can come to it in the
    /// time of one answer.
    pub fn is_calm(&self, process: &Process) -> bool {
        self.calm.get_or_init(|| self.calm()).contains(process)
    }

    /// Whether what becomes of a stream's requests can depend on the requests before them: its client keeps connections, or a process with
    /// limits that is not [`calm`](Scene::is_calm) answers some of them.
    pub fn is_crowded(&self, stream: &Stream) -> bool {
        let mut limited = choice(stream).into_iter().flat_map(Choice::replies).filter_map(limits);
        stream.client.keep.is_some() || limited.any(|by| !self.is_calm(&by.process))
    }

    fn calm(&self) -> BTreeSet<Process> {
        let mut all: BTreeMap<&Process, Option<(&Serving, u64, u64)>> = BTreeMap::new();
        for stream in &self.streams {
            let Fate::Replies(choice) = &stream.fate else { continue };
            for (place, reply) in choice.replies().iter().enumerate() {
                let (Some(by), Outcome::Answered(response)) = (limits(reply), &reply.outcome) else {
                    continue;
                };
                let sum = all.entry(&by.process).or_insert(Some((by, 0, 0)));
                if stream.client.keep.is_some() || stream.summary().is_none() {
                    *sum = None;
                    continue;
                }
                let part = choice.spread().map_or(WHOLE, |s| s.part(place));
                let come = |time| most_within(part, stream.most(time));
                if let Some((_, at_once, in_period)) = sum {
                    *at_once = at_once.saturating_add(come(response.takes));
                    *in_period = in_period.saturating_add(come(response.takes + QUOTA_PERIOD));
                }
            }
        }
        let keeps = self.streams.iter().any(|s| s.client.keep.is_some());
        let calm = |(process, sum): (&Process, Option<(&Serving, u64, u64)>)| {
            let (by, at_once, in_period) = sum.filter(|_| !keeps)?;
            let room = by.at_once.is_none_or(|most| at_once <= u64::from(most));
            let cpu = i128::from(by.cpu) * i128::from(in_period);
            let unthrottled = by.cpu == 0 || by.quota.is_none_or(|quota| cpu <= i128::from(quota));
            (room && unthrottled).then(|| process.clone())
        };
        all.into_iter().filter_map(calm).collect()
    }
}

/// The choice of a stream, if its requests come so far.
pub(super) fn choice(stream: &Stream) -> Option<&Choice> {
    match &stream.fate {
        Fate::Replies(choice) => Some(choice),
        Fate::Unknown | Fate::Nowhere(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_gets_more_than_the_least_distance_allows() {
        for (part, many) in
            [(WHOLE / 3, 10), (WHOLE / 1000, 11), (WHOLE / 2, 500), (WHOLE / 40, 7), (WHOLE - 1, 9)]
        {
            let bound = most_within(part, many);
            let number = |n: u64| u128::from(GOLDEN.wrapping_mul(n));
            let most = (0..2000_u64)
                .map(|from| (from..from + many).filter(|n| number(*n) < part).count() as u64)
                .max();
            assert!(most.is_some_and(|most| most <= bound), "{part} {many}: {most:?} {bound}");
        }
        assert_eq!(most_within(WHOLE / 1000, 11), 1);
    }
}
