//! What a request would meet that comes to a busy process at a later moment, if nothing changes until then: for the probes of a
//! kubelet, which are no requests of clients and take no place of theirs.

use std::rc::Rc;

use jiff::SignedDuration;

use super::history::History;
use super::ledger::Ledger;
use super::server::{Cost, Server, Taken};
use crate::api::{Timestamp, later};
use crate::network::serving::{Met, Process, Serving};

/// The most requests of clients that are gone through for one forecast.
const REQUESTS_LIMIT: i128 = 50_000;

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
        let (at, process) = (self.now, &serving.process);
        if !self.servers.contains_key(process) {
            self.servers.insert(process.clone(), Server::new(serving.clone(), at));
        }
        let number = self.number();
        let whole = i64::try_from(takes.as_nanos()).unwrap_or(i64::MAX);
        let cost = Cost { cpu: serving.cpu, rest: (whole - serving.cpu).max(0) };
        let Some(server) = self.servers.get_mut(process) else { return Met::InTime };
        if server.arrive(serving, at, number, cost) == Taken::Full {
            return Met::Full;
        }
        self.plan_work(process);
        self.tried = Some(number);
        self.include(later(at, within));
        if self.tried.is_none() { Met::InTime } else { Met::Late }
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
    use crate::network::question::{Because, Outcome, Reply, Response};
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
        let reply = Reply::of_all(Outcome::Answered(Rc::new(response)), Because::Nothing);
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
}
