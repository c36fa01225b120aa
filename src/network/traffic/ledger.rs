//! What became of all requests until a moment, and what is still under way then.
//!
//! A [`Ledger`] goes through time with the scene that is valid: requests are sent, answered, and given up in the order of their moments.
//! Where no request can be in another one's way, many are counted in one go ([`super::steady`]); otherwise each is followed
//! ([`super::flight`]). Both come to the same counts.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use jiff::SignedDuration;

use super::counts::{Cause, Counts, Loss};
use super::pool::Pool;
use super::request::{Flight, RequestTrace};
use super::rows::Rows;
use super::scene::{Scene, Stream, StreamId, Target};
use super::server::Server;
use super::visits::Visits;
use crate::api::persistent::Map;
use crate::api::{Timestamp, later};
use crate::network::serving::{Life, Process};

/// What happens at a moment though nobody sends anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A process without limits has answered a request.
    Answered(u64),
    /// A process with limits has something to do.
    Work(Process),
    /// A request has failed for a reason.
    Failed(u64, Cause),
}

/// The requests that are counted: those sent after one moment until another one, which is included.
pub type Window = (Timestamp, Timestamp);

/// What became of all requests until a moment.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// All that has happened before this moment is in it.
    pub(super) now: Timestamp,
    pub(super) scene: Rc<Scene>,
    /// The requests that are counted; `None` if all.
    pub(super) window: Option<Window>,
    pub(super) totals: Map<Rc<StreamId>, Rc<Counts>>,
    pub(super) rows: Map<Target, Rows>,
    /// The requests under way, by their numbers.
    pub(super) flights: Map<u64, Rc<Flight>>,
    /// The last number of each client that sends one request at a time.
    pub(super) alone: Map<Rc<StreamId>, u64>,
    /// What happens next: at the same moment answers come before what is given up.
    events: Map<(Timestamp, u8, u64), Event>,
    /// How many numbers were given.
    numbers: u64,
    pub(super) servers: Map<Process, Server>,
    due: Map<Process, (Timestamp, u8, u64)>,
    pub(super) pools: Map<Rc<StreamId>, Pool>,
    /// The clients of which a connection may be used by a request that waits for one, once for each connection.
    pub(super) freed: VecDeque<Rc<StreamId>>,
    /// The requests that have failed and are sent again at this very moment.
    pub(super) again: VecDeque<Flight>,
    /// Whether every request is followed.
    pub(super) one_by_one: bool,
    /// A request of which is told what happens to it.
    pub(super) followed: Option<RequestTrace>,
    /// The number of a request that somebody tries; `None` if nobody does, or if it was answered.
    pub(super) tried: Option<u64>,
    /// When the last such request was answered.
    pub(super) tried_until: Option<Timestamp>,
    /// The requests that come to one process, if somebody looks for them.
    pub(super) visits: Option<Visits>,
}

impl Ledger {
    /// What became of the requests of a stream.
    pub fn counts(&self, stream: &StreamId) -> Counts {
        self.totals.get(stream).map(|counts| Counts::clone(counts)).unwrap_or_default()
    }

    /// [`Ledger::counts`] without a copy; `None` if none was counted.
    pub fn counted(&self, stream: &StreamId) -> Option<&Counts> {
        self.totals.get(stream).map(|counts| &**counts)
    }

    /// The streams of which requests were counted, also those that have ended.
    pub fn streams(&self) -> impl Iterator<Item = (&StreamId, &Counts)> {
        self.totals.iter().map(|(id, counts)| (&**id, &**counts))
    }

    /// What became of requests second by second, by where they were sent.
    pub fn rows(&self) -> impl Iterator<Item = (&Target, &Rows)> {
        self.rows.iter()
    }

    /// The scene that is valid.
    pub fn scene(&self) -> &Rc<Scene> {
        &self.scene
    }

    /// The connections of a client that keeps them.
    pub fn pool(&self, stream: &StreamId) -> Option<&Pool> {
        self.pools.get(stream)
    }

    /// Forgets what was counted. From now on only the requests of a window are counted.
    pub(super) fn begin(&mut self, window: Window) {
        (self.totals, self.rows) = (Map::default(), Map::default());
        self.window = Some(window);
        self.flights = self
            .flights
            .iter()
            .map(|(n, f)| (*n, Rc::new(Flight { counted: false, ..(**f).clone() })))
            .collect();
    }

    /// Whether a request that is sent at a moment is counted.
    pub(super) fn counts_at(&self, at: Timestamp) -> bool {
        self.window.is_none_or(|(from, to)| at > from && at <= to)
    }

    pub(super) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// The counts of a stream, to be changed.
    pub(super) fn total(&mut self, id: &Rc<StreamId>) -> &mut Counts {
        if !self.totals.contains_key(id) {
            self.totals.insert(id.clone(), Rc::default());
        }
        Rc::make_mut(self.totals.entry(id.clone()).or_default())
    }

    /// The rows of a target, to be changed.
    pub(super) fn rows_of(&mut self, target: &Target) -> &mut Rows {
        if !self.rows.contains_key(target) {
            self.rows.insert(target.clone(), Rows::default());
        }
        self.rows.entry(target.clone()).or_default()
    }

    /// Counts a request that was answered.
    pub(super) fn count_answer(&mut self, f: &Flight, took: SignedDuration) {
        if f.counted {
            self.total(&f.id).answer(f.endpoint(), took, 1);
            self.rows_of(&f.target).add(f.sent.as_second(), 1, |row| row.answer(took, 1));
        }
    }

    /// Counts a request that was lost.
    pub(super) fn count_loss(&mut self, f: &Flight, loss: Loss) {
        if f.counted {
            let (cause, behind) = (loss.cause, loss.behind);
            self.total(&f.id).lose(loss, 1);
            self.rows_of(&f.target).add(f.sent.as_second(), 1, |row| row.lose(cause, behind, 1));
        }
    }

    /// Notes that something happens later.
    pub(super) fn plan(&mut self, at: Timestamp, event: Event) {
        let rank = u8::from(matches!(event, Event::Failed(..)));
        let number = self.number();
        self.events.insert((at, rank, number), event);
    }

    /// Notes when a server has something to do next.
    pub(super) fn plan_work(&mut self, process: &Process) {
        if let Some(old) = self.due.remove(process) {
            self.events.remove(&old);
        }
        let Some(server) = self.servers.get(process) else { return };
        if server.is_done() {
            self.servers.remove(process);
            return;
        }
        if let Some(at) = server.due() {
            let key = (at, 0, self.number());
            self.events.insert(key, Event::Work(process.clone()));
            self.due.insert(process.clone(), key);
        }
    }

    /// The next event, if it is due before a moment or, if answers count, at it.
    fn next_event(&self, until: Timestamp, answers: bool) -> Option<(Timestamp, u8, u64)> {
        let next = self.events.get_min().map(|(key, _)| *key);
        next.filter(|(at, rank, _)| *at < until || (answers && *at == until && *rank == 0))
    }

    fn happen(&mut self, key: (Timestamp, u8, u64)) {
        let Some(event) = self.events.remove(&key) else { return };
        let at = key.0;
        match event {
            Event::Answered(number) => {
                if let Some(f) = self.flights.remove(&number) {
                    self.answered(Rc::unwrap_or_clone(f), at);
                }
            }
            Event::Failed(number, cause) => {
                if let Some(f) = self.flights.remove(&number) {
                    self.failed(Rc::unwrap_or_clone(f), cause, at);
                }
            }
            Event::Work(process) => {
                self.due.remove(&process);
                let done = self.servers.get_mut(&process).map(|s| s.work(at)).unwrap_or_default();
                self.plan_work(&process);
                if self.tried.is_some_and(|tried| done.contains(&tried)) {
                    (self.tried, self.tried_until) = (None, Some(at));
                }
                for number in done {
                    if let Some(f) = self.flights.remove(&number) {
                        self.answered(Rc::unwrap_or_clone(f), at);
                    }
                }
            }
        }
        self.hand_out(at);
    }

    /// Goes on to a moment: all that happens before it has happened then.
    pub(super) fn advance(&mut self, until: Timestamp) {
        let scene = self.scene.clone();
        let mut next: Vec<u64> = Vec::with_capacity(scene.streams.len());
        let mut sends: BTreeSet<(Timestamp, usize)> = BTreeSet::new();
        let goes_on = |s: &Stream, at: Timestamp| at < until && s.end.is_none_or(|end| at <= end);
        for (place, stream) in scene.streams.iter().enumerate() {
            let nth = stream.client.before(stream.id.start, self.now);
            let at = stream.client.sent(stream.id.start, nth);
            if goes_on(stream, at) {
                sends.insert((at, place));
            }
            next.push(nth);
        }
        loop {
            let send = sends.first().copied();
            let limit = send.map_or(until, |(at, _)| at);
            if let Some(event) = self.next_event(limit, send.is_some()) {
                self.happen(event);
                continue;
            }
            let Some((at, place)) = send else { break };
            sends.remove(&(at, place));
            let (Some(stream), Some(nth)) = (scene.streams.get(place), next.get_mut(place)) else { continue };
            *nth = match self.in_one_go(stream, *nth, until) {
                Some(after) => after,
                None => {
                    self.send(stream, *nth, at);
                    self.hand_out(at);
                    *nth + 1
                }
            };
            let at = stream.client.sent(stream.id.start, *nth);
            if goes_on(stream, at) {
                sends.insert((at, place));
            }
        }
        self.now = until;
    }

    /// Goes on to a moment at which the scene changes.
    pub(super) fn change(&mut self, at: Timestamp, scene: Rc<Scene>) {
        self.advance(at);
        // What is answered at this very moment is answered.
        while let Some(event) = self.next_event(at, true) {
            self.happen(event);
        }
        let old = std::mem::replace(&mut self.scene, scene);
        let scene = self.scene.clone();
        let mut cut = Vec::new();
        for process in old.lives.keys().filter(|p| !scene.lives.contains_key(p)) {
            let server = self.servers.remove(process);
            self.plan_work(process);
            self.close_idle(process);
            let unread: BTreeSet<u64> = server.iter().flat_map(Server::waiting).collect();
            let cause = |number| if unread.contains(&number) { Cause::Reset } else { Cause::Broken };
            let there = self.flights.iter().filter(|(_, f)| f.is_at(process));
            cut.extend(there.map(|(number, _)| (*number, cause(*number))));
        }
        for (process, (_, life)) in &scene.lives {
            if *life == Life::Drains && old.life(process) != Some(Life::Drains) {
                self.close_idle(process);
            }
        }
        let gone: Vec<_> = self.pools.keys().filter(|id| scene.stream(id).is_none()).cloned().collect();
        gone.iter().for_each(|id| drop(self.pools.remove(id)));
        cut.sort_unstable();
        for (number, cause) in cut {
            if let Some(f) = self.flights.remove(&number) {
                self.broken(Rc::unwrap_or_clone(f), cause, at);
                self.hand_out(at);
            }
        }
    }

    /// Closes the kept connections to a process on which nothing is asked.
    fn close_idle(&mut self, process: &Process) {
        let has = |pool: &Pool| pool.idle.iter().any(|c| c.is_to(process));
        let all: Vec<_> = self.pools.iter().filter(|(_, pool)| has(pool)).map(|(id, _)| id.clone()).collect();
        for id in all {
            self.pools.entry(id).or_default().close_idle(process);
        }
    }

    /// How many of the requests that are counted are under way.
    pub fn waiting(&self) -> u64 {
        self.flights.values().map(|f| u64::from(f.counted)).sum()
    }

    /// What becomes of what is under way if nothing changes any more and nothing more is sent.
    pub(super) fn settle(&mut self) {
        while let Some(key) = self.events.get_min().map(|(key, _)| *key) {
            self.happen(key);
        }
    }

    /// Goes on to a moment, which is included.
    pub(super) fn include(&mut self, moment: Timestamp) {
        self.advance(later(moment, SignedDuration::from_nanos(1)));
    }
}
