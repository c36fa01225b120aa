//! One request on its way: it takes a connection or opens one, is answered or waits, fails, and is sent again.

use std::rc::Rc;

use jiff::SignedDuration;

use super::counts::Cause;
use super::ledger::{Event, Ledger};
use super::path::Fate;
use super::pool::Connection;
use super::request::{Flight, Step};
use super::scene::{Stream, StreamId, limits};
use super::server::{Cost, FULL, Server, Taken};
use super::visits::Ended;
use crate::api::{Timestamp, later};
use crate::network::question::{Because, Outcome, Reply, Response, Via};
use crate::network::serving::Life;

/// How long a client tries to open a connection to which nothing comes back, and to an address that nobody has.
const UNANSWERED: SignedDuration = SignedDuration::from_secs(127);
const UNREACHABLE: SignedDuration = SignedDuration::from_secs(3);

impl Ledger {
    fn tell(&mut self, f: &Flight, at: Timestamp, step: impl FnOnce() -> Step) {
        if let Some(followed) = self.followed.as_mut().filter(|w| w.nth == f.nth && w.stream == *f.id) {
            followed.steps.push((at, step()));
        }
    }

    /// A client sends a request.
    pub(super) fn send(&mut self, stream: &Stream, nth: u64, at: Timestamp) {
        if stream.fate == Fate::Unknown || (stream.client.one_at_a_time && self.is_under_way(stream)) {
            return;
        }
        let counted = self.counts_at(at);
        if counted {
            self.total(&stream.id).sent += 1;
        }
        self.dispatch(Flight::new(stream, nth, at, counted), at);
    }

    /// A request is under way.
    fn fly(&mut self, number: u64, f: Flight) {
        if f.client.one_at_a_time {
            self.alone.insert(f.id.clone(), number);
        }
        self.flights.insert(number, Rc::new(f));
    }

    /// Whether the request of a stream that sends one at a time is under way.
    pub(super) fn is_under_way(&self, stream: &Stream) -> bool {
        self.alone.get(&stream.id).is_some_and(|number| self.flights.contains_key(number))
    }

    /// A request takes a connection, or opens one.
    fn dispatch(&mut self, mut f: Flight, at: Timestamp) {
        let scene = self.scene.clone();
        let Some(stream) = scene.stream(&f.id) else { return self.lost(&f, Cause::Broken, at) };
        // Whoever has a connection to a host asks neither for its name nor for a way.
        if let Some(keep) = f.client.keep {
            let pool = self.pools.entry(f.id.clone()).or_default();
            pool.expire(keep, at);
            if let Some(connection) = pool.idle.pop() {
                let seed = match &stream.fate {
                    Fate::Replies(choice) => choice.seed(),
                    Fate::Unknown | Fate::Nowhere(_) => 0,
                };
                let (reply, used) = (connection.reply.clone().anew(seed, f.draw()), connection.used);
                f.reply = Some(reply.clone());
                f.connection = Some(connection.number);
                f.reused = true;
                pool.busy.insert(connection.number, connection);
                self.tell(&f, at, || Step::Reuses(Box::new(reply), used));
                return self.meet(f, at);
            }
            if pool.is_full(keep) {
                self.tell(&f, at, || Step::WaitsForConnection);
                f.reply = None;
                return self.wait(f);
            }
        }
        let choice = match &stream.fate {
            // Nobody has answered yet what it asks before it can be sent.
            Fate::Unknown => {
                f.reply = None;
                let left = f.left(at);
                return self.fail_after(f, at, left, Cause::TooSlow);
            }
            Fate::Nowhere(cause) => {
                self.tell(&f, at, || Step::Nowhere);
                f.reply = None;
                return self.failed(f, *cause, at);
            }
            Fate::Replies(choice) => choice,
        };
        let reply = choice.pick(f.draw());
        let Some(reply) = reply.cloned() else {
            f.reply = None;
            return self.failed(f, Cause::Broken, at);
        };
        f.reused = false;
        f.reply = Some(reply.clone());
        self.tell(&f, at, || Step::Opens(Box::new(reply.clone())));
        // A connection counts from the moment on at which it begins to be opened (`queueForDial` in Go's `net/http/transport.go`).
        if f.client.keep.is_some() {
            let number = self.number();
            f.connection = Some(number);
            let connection = Connection { number, reply, used: 0, since: at };
            self.pools.entry(f.id.clone()).or_default().busy.insert(number, connection);
        }
        self.meet(f, at);
    }

    /// A request waits for a connection, until the client gives it up.
    fn wait(&mut self, f: Flight) {
        let number = self.number();
        self.pools.entry(f.id.clone()).or_default().waiting.push_back(number);
        self.plan(f.deadline, Event::Failed(number, Cause::TooSlow));
        self.fly(number, f);
    }

    /// A request fails after some time, for a reason.
    fn fail_after(&mut self, f: Flight, at: Timestamp, after: SignedDuration, cause: Cause) {
        if f.fails_for_good() {
            return self.failed(f, cause, at);
        }
        let number = self.number();
        self.fly(number, f);
        self.plan(later(at, after), Event::Failed(number, cause));
    }

    /// A request has come to the end of its connection.
    fn meet(&mut self, mut f: Flight, at: Timestamp) {
        f.came = at;
        let left = f.left(at);
        let Some(reply) = &f.reply else { return };
        let because = reply.because;
        let response = match &reply.outcome {
            Outcome::Refused => return self.failed(f, Cause::Refused(because), at),
            Outcome::TimedOut => {
                let waits = f.client.connect.map_or(UNANSWERED, |own| own.min(UNANSWERED));
                return self.fail_after(f, at, left.min(waits), Cause::TimedOut(because));
            }
            Outcome::Unreachable => {
                let waits = f.client.connect.map_or(UNREACHABLE, |own| own.min(UNREACHABLE));
                return self.fail_after(f, at, left.min(waits), Cause::TimedOut(because));
            }
            Outcome::Closed | Outcome::Connected | Outcome::Untrusted(_) => {
                return self.failed(f, Cause::NoHttp, at);
            }
            Outcome::Answered(response) => response.clone(),
        };
        let by = response.by.as_ref();
        let life = by.and_then(|by| self.scene.life(&by.process));
        if f.reused && life == Some(Life::CutOff) {
            // The packets of an open connection are not refused by anybody: nothing comes back.
            return self.fail_after(f, at, left, Cause::TimedOut(Because::CutOff));
        }
        if let Some(by) = limits(reply).cloned() {
            let whole = i64::try_from(response.takes.as_nanos()).unwrap_or(i64::MAX);
            let cost = Cost { cpu: by.cpu, rest: (whole - by.cpu).max(0) };
            let number = self.number();
            if !self.servers.contains_key(&by.process) {
                self.servers.insert(by.process.clone(), Server::new(by.clone(), at));
            }
            let Some(server) = self.servers.get_mut(&by.process) else { return };
            let (taken, waits) = (server.arrive(&by, at, number, cost), server.has_waiting(number));
            self.plan_work(&by.process);
            if taken == Taken::Full {
                self.visit(&f, at, Ended::Refused(FULL));
                // A server that has no room for a request answers that, and goes on to use the connection.
                self.release(&f, at);
                return self.failed(Flight { connection: None, ..f }, Cause::QueueFull, at);
            }
            if waits {
                self.tell(&f, at, || Step::Waits);
            }
            self.fly(number, f);
            return self.plan(later(at, left), Event::Failed(number, Cause::TooSlow));
        }
        if response.takes > left {
            self.visit(&f, later(at, left), Ended::GivenUp);
            return self.fail_after(f, at, left, Cause::TooSlow);
        }
        if response.takes.is_zero() {
            return self.answered(f, at);
        }
        let number = self.number();
        self.fly(number, f);
        self.plan(later(at, response.takes), Event::Answered(number));
    }

    /// A request's connection can be used by another one.
    fn release(&mut self, f: &Flight, at: Timestamp) {
        let (Some(number), Some(keep)) = (f.connection, f.client.keep) else { return };
        let by = f.response().and_then(|r| r.by.as_ref());
        let life = by.and_then(|by| self.scene.life(&by.process));
        let closes = life == Some(Life::Drains);
        if let Some(pool) = self.pools.get_mut(&f.id) {
            pool.give_back(number, keep, at, closes);
        }
        self.freed.push_back(f.id.clone());
    }

    /// Does what is left to do at a moment: requests that wait for a connection get those that were freed, in their order, and after
    /// them those are sent again that have failed. Each of them can free a connection and fail in turn, so they stand in queues.
    pub(super) fn hand_out(&mut self, at: Timestamp) {
        loop {
            let f = if let Some(id) = self.freed.pop_front() {
                self.next_waiting(&id).map(Rc::unwrap_or_clone)
            } else if let Some(f) = self.again.pop_front() {
                Some(f)
            } else {
                break;
            };
            if let Some(f) = f {
                self.dispatch(f, at);
            }
        }
    }

    /// The request that gets the next connection of a client, if the client has one for it.
    fn next_waiting(&mut self, id: &Rc<StreamId>) -> Option<Rc<Flight>> {
        let pool = self.pools.get_mut(id)?;
        while let Some(number) = pool.waiting.pop_front() {
            let Some(f) = self.flights.get(&number) else { continue };
            if pool.idle.is_empty() && f.client.keep.is_some_and(|keep| pool.is_full(keep)) {
                pool.waiting.push_front(number);
                return None;
            }
            return self.flights.remove(&number);
        }
        None
    }

    /// The server has answered a request.
    pub(super) fn answered(&mut self, f: Flight, at: Timestamp) {
        self.visit(&f, at, Ended::Answered);
        self.release(&f, at);
        let f = Flight { connection: None, ..f };
        let status = f.response().map_or(200, |r| r.status);
        if status >= 500 {
            return self.failed(f, Cause::Status(status), at);
        }
        self.tell(&f, at, || Step::Answered(status));
        self.count_answer(&f, at.duration_since(f.sent));
    }

    /// The process that answers a request has ended; `cause` is what a client hears of that. A proxy in between asks another endpoint, if
    /// it knows one, and otherwise answers with 502 (`proxy_next_upstream error` of nginx). The other endpoint is taken to be as fast as
    /// the first.
    pub(super) fn broken(&mut self, mut f: Flight, cause: Cause, at: Timestamp) {
        let (reply, response) = (f.reply.clone(), f.response().cloned());
        let (Some(reply), Some(response)) = (reply, response) else {
            return self.failed(f, cause, at);
        };
        let Some(via) = reply.via.clone() else { return self.failed(f, cause, at) };
        let Some(next) = via.next else { return self.failed(f, Cause::Status(502), at) };
        let takes = response.takes;
        let via = Some(Rc::new(Via { next: None, ..(*via).clone() }));
        let outcome = Outcome::Answered(Rc::new(Response { by: None, ..(*response).clone() }));
        f.reply = Some(Reply { endpoint: Some(next), outcome, via, ..reply });
        self.tell(&f, at, || Step::PassedOn(next));
        let left = f.left(at);
        if takes > left {
            return self.fail_after(f, at, left, Cause::TooSlow);
        }
        let number = self.number();
        self.fly(number, f);
        self.plan(later(at, takes), Event::Answered(number));
    }

    /// A request has failed. It is sent again at once, if the client does that.
    pub(super) fn failed(&mut self, mut f: Flight, cause: Cause, at: Timestamp) {
        if let Some(number) = f.connection.take() {
            // A connection over which a request has failed is closed.
            if let Some(pool) = self.pools.get_mut(&f.id) {
                pool.busy.remove(&number);
            }
            self.freed.push_back(f.id.clone());
        }
        // Go sends a request without a body again if the server has closed or reset a connection over which it had answered before
        // (`shouldRetryRequest` in `net/http/transport.go`).
        if f.reused && matches!(cause, Cause::Broken | Cause::Reset) {
            self.tell(&f, at, || Step::Again(cause, true));
            f.redials += 1;
            return self.again.push_back(f);
        }
        if f.first.is_none() {
            f.first = Some(f.loss(cause));
        }
        if f.attempt < f.client.retries {
            self.tell(&f, at, || Step::Again(cause, false));
            f.attempt += 1;
            f.deadline = later(at, f.client.timeout);
            return self.again.push_back(f);
        }
        self.lost(&f, cause, at);
    }

    fn lost(&mut self, f: &Flight, cause: Cause, at: Timestamp) {
        self.tell(f, at, || Step::Lost(cause));
        let loss = f.first.clone().unwrap_or_else(|| f.loss(cause));
        self.count_loss(f, loss);
    }
}
