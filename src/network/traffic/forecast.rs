//! What a request would meet that comes to a busy process now or at a later moment, if nothing changes until then: for the probes of a
//! kubelet and for what somebody asks by hand, which are no requests of clients and take no place of theirs.

use std::rc::Rc;

use jiff::SignedDuration;

use super::history::History;
use super::ledger::Ledger;
use super::scene::limits;
use super::server::{Cost, FULL, Server, Taken};
use crate::api::{Timestamp, later};
use crate::network::question::{Outcome, Reply, Response};
use crate::network::serving::{Met, Process, QUOTA_PERIOD, Serving};

/// The most requests of clients that are gone through for one forecast.
const REQUESTS_LIMIT: i128 = 50_000;

/// The longest time of an answer that is foreseen.
const LONGEST: SignedDuration = SignedDuration::from_mins(10);

/// A request that would come at several moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// How long its answer takes if the process has nothing else to do.
    pub takes: SignedDuration,
    /// How long whoever sends it waits.
    pub within: SignedDuration,
    /// The moments, in their order.
    pub moments: Vec<Timestamp>,
}

/// What a request meets from one moment on.
pub type Forecast = Vec<(Timestamp, Met)>;

impl Ledger {
    /// What would become of a request that came to a process now.
    fn attempt(mut self, serving: &Rc<Serving>, takes: SignedDuration, within: SignedDuration) -> Met {
        let at = self.now;
        if self.try_request(serving, takes) == Taken::Full {
            return Met::Full;
        }
        self.include(later(at, within));
        if self.tried.is_none() { Met::InTime } else { Met::Late }
    }

    /// A request comes to a process now that somebody tries.
    fn try_request(&mut self, serving: &Rc<Serving>, takes: SignedDuration) -> Taken {
        let (at, process) = (self.now, &serving.process);
        if !self.servers.contains_key(process) {
            self.servers.insert(process.clone(), Server::new(serving.clone(), at));
        }
        let number = self.number();
        let whole = i64::try_from(takes.as_nanos()).unwrap_or(i64::MAX);
        let cost = Cost { cpu: serving.cpu, rest: (whole - serving.cpu).max(0) };
        let Some(server) = self.servers.get_mut(process) else { return Taken::In };
        let taken = server.arrive(serving, at, number, cost);
        self.plan_work(process);
        self.tried = (taken == Taken::In).then_some(number);
        taken
    }

    /// How many requests a process has.
    fn load(&self, process: &Process) -> usize {
        self.servers.get(process).map_or(0, Server::load)
    }
}

impl History {
    /// The last moment until which a forecast looks from a moment on.
    fn horizon(&self, now: Timestamp) -> Timestamp {
        let streams = self.scene().map(|s| s.streams.as_slice()).unwrap_or_default();
        let sent = |s: &Rc<super::scene::Stream>| {
            i128::from(s.client.requests) * 1_000_000_000_000 / s.client.per.as_nanos().max(1)
        };
        // In thousandths of a request a second.
        let rate = streams.iter().map(sent).fold(0, i128::saturating_add).max(1);
        let nanos = i64::try_from(REQUESTS_LIMIT * 1_000_000_000_000 / rate).unwrap_or(i64::MAX);
        later(now, SignedDuration::from_nanos(nanos))
    }

    /// What a request meets that is sent at a moment, as a reply that was worked out as if nobody else asked: its answer takes as long as
    /// those of the clients' requests that come then, or is 503 because too many wait already. Nothing changes by it: a request that
    /// somebody sends by hand takes no place of the clients' requests.
    pub fn meets(&self, reply: Reply, now: Timestamp) -> Reply {
        let (Some(serving), Outcome::Answered(response)) = (limits(&reply), &reply.outcome) else {
            return reply;
        };
        let mut response = Response::clone(response);
        match self.answer_takes(serving, response.takes, now) {
            Some(takes) => response.takes = takes,
            None => {
                (response.status, response.takes) = (FULL, SignedDuration::ZERO);
                (response.body, response.location) = ("".into(), "".into());
            }
        }
        Reply { outcome: Outcome::Answered(Rc::new(response)), ..reply }
    }

    /// How long the answer to a request takes that comes to a process at a moment; `None` if the process has no room for it. Who would have
    /// to wait beyond what can be foreseen is told the time until there.
    fn answer_takes(
        &self,
        serving: &Rc<Serving>,
        takes: SignedDuration,
        now: Timestamp,
    ) -> Option<SignedDuration> {
        let mut ledger = self.so_far(now);
        ledger.advance(now.max(ledger.now));
        // What is sent at the moment itself came before.
        let since = ledger.now;
        if ledger.try_request(serving, takes) == Taken::Full {
            return None;
        }
        let horizon = self.horizon(now).min(later(now, LONGEST));
        let mut step = takes.max(QUOTA_PERIOD);
        while ledger.tried.is_some() && ledger.now < horizon {
            ledger.include(later(ledger.now, step).min(horizon));
            step = step.saturating_mul(2);
        }
        let end = ledger.tried_until.unwrap_or(ledger.now);
        Some(end.duration_since(since).max(takes))
    }

    /// What a request would meet at each of its moments, as runs of moments at which it meets the same. When to ask again, because more
    /// and more requests wait at the last of them though that one is answered in time; `None` if there is no need.
    pub fn forecast(
        &self,
        serving: &Rc<Serving>,
        trial: &Trial,
        now: Timestamp,
    ) -> (Forecast, Option<Timestamp>) {
        let horizon = self.horizon(now);
        let mut ledger = self.so_far(now);
        let mut all = Forecast::new();
        let mut loads = Vec::new();
        let mut last = None;
        for at in trial.moments.iter().copied().filter(|at| *at > now && *at <= horizon) {
            ledger.advance(at);
            let met = ledger.clone().attempt(serving, trial.takes, trial.within);
            if all.last().is_none_or(|(_, before)| *before != met) {
                all.push((at, met));
            }
            loads.push(ledger.load(&serving.process));
            last = Some(at);
        }
        let grows = loads.last() > loads.get(loads.len() / 2);
        let in_time = all.last().is_some_and(|(_, met)| *met == Met::InTime);
        (all, last.filter(|_| grows && in_time))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::path::{Choice, Fate};
    use super::super::scene::{Lives, Scene, Stream, StreamId};
    use super::*;
    use crate::api::{Key, Kind, ObjectRef};
    use crate::network::question::Because;
    use crate::network::serving::Life;
    use crate::network::traffic::Client;

    fn second(n: i64) -> Timestamp {
        later(Timestamp::UNIX_EPOCH, SignedDuration::from_secs(n))
    }

    /// A server that answers ten requests a second, with one client of so many.
    fn server(requests: &str, queue: u32) -> (History, Rc<Serving>) {
        let process =
            Process { pod: Key::new("ns", "p"), container: "c".into(), since: Timestamp::UNIX_EPOCH };
        let serving = Rc::new(Serving {
            process: process.clone(),
            node: "node".into(),
            cpu: 0,
            quota: None,
            at_once: Some(1),
            queue,
            idle: None,
            requests: None,
            drains: false,
            errors: None,
        });
        let reply = reply(&serving);
        let client = Rc::new(Client::parse(requests).unwrap().remove(0));
        let id = StreamId {
            sender: ObjectRef { kind: Kind::POD, key: Key::new("ns", "c") },
            container: "c".into(),
            place: 0,
            start: second(0),
        };
        let stream = Rc::new(Stream::new(id, client, None, Fate::Replies(Choice::new(Rc::new([reply]), 0))));
        let lives: Lives = [(process, (serving.clone(), Life::Serves))].into();
        let mut history = History::default();
        history.note(second(0), Scene::new(vec![stream], lives));
        (history, serving)
    }

    /// The answer of a process to whoever asks alone: it takes 100 ms.
    fn reply(serving: &Rc<Serving>) -> Reply {
        let response = Response {
            status: 200,
            server: "".into(),
            content_type: "".into(),
            body: "".into(),
            location: "".into(),
            headers: Default::default(),
            takes: SignedDuration::from_millis(100),
            goes_on: SignedDuration::ZERO,
            by: Some(serving.clone()),
        };
        Reply::of_all(Outcome::Answered(Rc::new(response)), Because::Nothing)
    }

    #[test]
    fn a_queue_that_grows_is_foreseen() {
        let moments: Vec<Timestamp> = (1..=30).map(|n| second(n * 10)).collect();
        let trial = |within| Trial {
            takes: SignedDuration::from_millis(100),
            within: SignedDuration::from_secs(within),
            moments: moments.clone(),
        };
        // Eleven come in a second and ten are answered: one more waits each second.
        let (history, serving) = server("11/s http://web/", 60);
        assert_eq!(
            history.forecast(&serving, &trial(3), second(0)),
            (vec![(second(10), Met::InTime), (second(30), Met::Late)], None)
        );
        let (history, serving) = server("100/s http://web/", 60);
        assert_eq!(history.forecast(&serving, &trial(10), second(0)).0, [(second(10), Met::Full)]);
        let (history, serving) = server("11/s http://web/", 10_000);
        let (all, again) = history.forecast(&serving, &trial(60), second(0));
        assert_eq!((all, again), (vec![(second(10), Met::InTime)], Some(second(300))));
        let (history, serving) = server("9/s http://web/", 60);
        assert_eq!(history.forecast(&serving, &trial(1), second(0)), (vec![(second(10), Met::InTime)], None));
    }

    /// How long the answer to a request takes that somebody sends at a second, and the status.
    fn by_hand(history: &History, serving: &Rc<Serving>, at: i64) -> (i128, u16) {
        match history.meets(reply(serving), second(at)).outcome {
            Outcome::Answered(r) => (r.takes.as_millis(), r.status),
            other => panic!("{other:?}"),
        }
    }

    /// One more request waits each second, so who asks then waits as long as the requests of the client that were sent just before and
    /// after.
    #[test]
    fn what_is_asked_by_hand_waits_as_the_requests_of_clients_do() {
        let (history, serving) = server("11/s http://web/ timeout=20s", 500);
        for at in [1, 20, 60] {
            let (takes, status) = by_hand(&history, &serving, at);
            let (from, to) = (second(at - 1), second(at + 1));
            let ledger = history.within((from, to), second(at + 60));
            let (_, counts) = ledger.streams().next().unwrap();
            let of = |part| counts.took.percentile(part).unwrap().as_millis();
            assert!(status == 200 && (of(1)..=of(1000) + 200).contains(&takes), "{at}: {takes} {counts:?}");
        }
        let (early, late) = (by_hand(&history, &serving, 1).0, by_hand(&history, &serving, 60).0);
        assert!(late > early + 3000, "{early} {late}");
        // Nobody has come yet.
        assert_eq!(by_hand(&History::default(), &serving, 5), (100, 200));
    }

    #[test]
    fn what_is_asked_by_hand_is_refused_where_the_queue_is_full() {
        let (history, serving) = server("100/s http://web/", 60);
        assert_eq!(by_hand(&history, &serving, 10), (0, 503));
    }
}
