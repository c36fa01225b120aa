//! Clients that send a steady stream of requests, and what becomes of the requests.
//!
//! A client is declared ([`Client::parse`]): `20/s http://web/`. Its requests are no events: they are so many that nobody could
//! step them, and between two changes of the network they all meet the same. What is kept is what the client was answered and
//! when that changed ([`Answers`]); [`Sending::count`] works out from it what became of each request of some time, exactly: request *n*
//! is sent at the start plus *n* periods, and [`Answer::pick`] says which endpoint it meets.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::rc::Rc;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::dns::{RecordType, Records};
use super::question::{Answer, Because, Outcome, Question, Reply, Work};
use super::resolver::{ResolvConf, in_hosts};
use super::url::Url;
use crate::api::{Timestamp, later};

/// The answers of the network to a question, each with the moment from which it is valid.
pub type Answers = Vec<(Timestamp, Answer)>;

/// The most requests a second of one client.
pub const RATE_LIMIT: u32 = 10_000;

/// The most clients of one pod.
pub const CLIENTS_LIMIT: usize = 8;

/// How long a client waits for a response if it does not say: long, as most do.
const TIMEOUT: SignedDuration = SignedDuration::from_secs(30);

/// A client that sends requests at regular intervals, each over a connection of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// How many requests it sends in so much time.
    pub requests: u32,
    /// The time.
    pub per: SignedDuration,
    /// What it asks for.
    pub url: Url,
    /// How long it waits for a response.
    pub timeout: SignedDuration,
    /// How often it sends a request again that has failed.
    pub retries: u32,
    /// The header `Host`, if it is not the URL's.
    pub host: Option<Rc<str>>,
}

/// Why the declaration of a client cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAClient(pub String);

impl std::fmt::Display for NotAClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotAClient {}

impl Client {
    /// Reads clients: `20/s http://web/ timeout=1s retries=2`, several of them with `;` in between.
    ///
    /// # Errors
    /// What cannot be read, and what was expected.
    pub fn parse(text: &str) -> Result<Vec<Client>, NotAClient> {
        let all = text.split(';').map(str::trim).filter(|t| !t.is_empty());
        all.take(CLIENTS_LIMIT).map(Client::parse_one).collect()
    }

    /// A client that sends one request.
    pub fn once(url: &Url) -> Client {
        let per = SignedDuration::from_secs(1);
        Client { requests: 1, per, url: url.clone(), timeout: TIMEOUT, retries: 0, host: None }
    }

    fn parse_one(text: &str) -> Result<Client, NotAClient> {
        let mut words = text.split_whitespace();
        let rate = words.next().unwrap_or_default();
        let (number, unit) = rate.split_once('/').unwrap_or((rate, ""));
        let per = match unit {
            "s" => SignedDuration::from_secs(1),
            "m" => SignedDuration::from_mins(1),
            _ => return Err(NotAClient(format!("{rate:?} is no rate: expected for example 20/s or 30/m"))),
        };
        let requests = number.parse::<u32>().ok().filter(|n| (1..=RATE_LIMIT).contains(n));
        let Some(requests) = requests else {
            return Err(NotAClient(format!(
                "{number:?} is no number of requests between 1 and {RATE_LIMIT}"
            )));
        };
        let address = words.next().unwrap_or_default();
        let url = Url::parse(address).map_err(|_| NotAClient(format!("{address:?} is no URL of HTTP")))?;
        let mut client = Client { requests, per, url, timeout: TIMEOUT, retries: 0, host: None };
        for word in words {
            let bad =
                || NotAClient(format!("{word:?} is none of timeout=DURATION, retries=NUMBER and host=NAME"));
            match word.split_once('=').ok_or_else(bad)? {
                ("timeout", value) => {
                    let nanos = crate::api::duration::parse(value).ok().filter(|n| *n > 0);
                    client.timeout = SignedDuration::from_nanos(nanos.ok_or_else(bad)?);
                }
                ("retries", value) => {
                    client.retries = value.parse::<u32>().ok().filter(|n| *n <= 10).ok_or_else(bad)?;
                }
                ("host", value) if !value.is_empty() => client.host = Some(value.into()),
                _ => return Err(bad()),
            }
        }
        Ok(client)
    }

    /// When the nth request is sent, counted from 0, by a client that begins at a moment. The first one is sent after one period.
    pub fn sent(&self, start: Timestamp, nth: u64) -> Timestamp {
        let periods = (i128::from(nth) + 1).saturating_mul(self.per.as_nanos());
        let nanos = periods / i128::from(self.requests.max(1));
        later(start, SignedDuration::from_nanos(i64::try_from(nanos).unwrap_or(i64::MAX)))
    }

    /// How many requests have been sent until a moment, which is included.
    pub fn until(&self, start: Timestamp, moment: Timestamp) -> u64 {
        let nanos = moment.duration_since(start).as_nanos().max(0);
        let per = self.per.as_nanos().max(1);
        // The nth request, counted from 0, is sent at ⌊(n + 1) · per / requests⌋.
        let sent = ((nanos + 1).saturating_mul(i128::from(self.requests)) - 1) / per;
        u64::try_from(sent.max(0)).unwrap_or(u64::MAX)
    }
}

/// What a client knows of names by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// `/etc/resolv.conf`
    pub conf: ResolvConf,
    /// The text of `/etc/hosts`.
    pub hosts: Rc<str>,
}

/// Why requests are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cause {
    /// There is no such name.
    NoSuchName,
    /// The DNS does not answer.
    NoDns,
    /// The connection is refused, and this is why.
    Refused(Because),
    /// The connection is not answered, and this is why.
    TimedOut(Because),
    /// The connection was accepted, and ended without a response: the server was stopped meanwhile, or speaks no HTTP.
    Broken,
    /// The response takes longer than the client waits.
    TooSlow,
    /// The server answers with an error (5xx).
    Status(u16),
}

impl std::fmt::Display for Cause {
    /// The variant's name, as in `Refused(Stopping)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

/// A request that was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// When it was sent.
    pub at: Timestamp,
    /// Its number, counted from 0.
    pub nth: u64,
    /// Why it was lost.
    pub cause: Cause,
    /// The endpoint that it was sent to, if it came so far.
    pub endpoint: Option<SocketAddr>,
    /// Whether the rule that led there was behind: the EndpointSlices did not name the endpoint any more.
    pub stale: bool,
}

/// What became of the requests of some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many were sent.
    pub sent: u64,
    /// How many were answered, by the endpoint; `None` where there was no Service in between.
    pub answered: BTreeMap<Option<SocketAddr>, u64>,
    /// How many were lost, by cause.
    pub lost: BTreeMap<Cause, u64>,
    /// The first that was lost.
    pub first: Option<Loss>,
}

impl Counts {
    /// How many requests were lost.
    pub fn losses(&self) -> u64 {
        self.lost.values().sum()
    }

    /// Adds what became of other requests.
    pub fn add(&mut self, other: Counts) {
        self.sent += other.sent;
        for (endpoint, n) in other.answered {
            *self.answered.entry(endpoint).or_default() += n;
        }
        for (cause, n) in other.lost {
            *self.lost.entry(cause).or_default() += n;
        }
        if let Some(loss) = other.first
            && self.first.as_ref().is_none_or(|f| f.at > loss.at)
        {
            self.first = Some(loss);
        }
    }

    fn lose(&mut self, loss: Loss, many: u64) {
        *self.lost.entry(loss.cause).or_default() += many;
        if self.first.as_ref().is_none_or(|f| f.at > loss.at) {
            self.first = Some(loss);
        }
    }
}

/// How far a client's questions are answered.
enum Path<'a> {
    /// This has to be asked.
    Open(Question),
    /// The name leads nowhere.
    Nowhere(Cause),
    /// The request is answered like this.
    Answered(&'a Answer),
}

/// The answer that was valid at a moment.
fn at<'a>(
    answers: &'a BTreeMap<Question, Answers>,
    question: &Question,
    moment: Timestamp,
) -> Option<&'a Answer> {
    let all = answers.get(question)?;
    let valid = all.iter().rev().find(|(from, _)| *from <= moment).or(all.first());
    valid.map(|(_, answer)| answer)
}

impl Client {
    fn request(&self, address: IpAddr) -> Question {
        Question::Fetch {
            to: SocketAddr::new(address, self.url.port()),
            tls: self.url.tls,
            host: self.host.clone().unwrap_or_else(|| self.url.authority().into()),
            method: "GET".into(),
            path: self.url.path.as_str().into(),
        }
    }

    /// What a request at a moment asks, one question after the other, as far as the answers are known.
    fn path<'a>(
        &self,
        names: &Names,
        answers: &'a BTreeMap<Question, Answers>,
        moment: Timestamp,
        asked: &mut Vec<Question>,
    ) -> Path<'a> {
        let mut ask = |question: Question| -> Result<&'a Answer, Question> {
            asked.push(question.clone());
            at(answers, &question, moment).ok_or(question)
        };
        let host = self.url.host.as_str();
        let known = host.parse::<IpAddr>().ok().or_else(|| in_hosts(&names.hosts, host).first().copied());
        let mut address = known;
        if address.is_none() {
            let Some(server) = names.conf.servers.first().copied() else {
                return Path::Nowhere(Cause::NoDns);
            };
            for name in names.conf.candidates(host) {
                for type_ in [RecordType::A, RecordType::Aaaa] {
                    let question = Question::Lookup { server, name: name.to_ascii_lowercase().into(), type_ };
                    let records = match ask(question) {
                        Ok(Answer::Records(Some(records))) => records,
                        Ok(_) => return Path::Nowhere(Cause::NoDns),
                        Err(open) => return Path::Open(open),
                    };
                    let Records { exists, addresses, failure, .. } = records;
                    if failure.is_some() {
                        return Path::Nowhere(Cause::NoDns);
                    }
                    address = address.or(addresses.first().copied());
                    if !exists || address.is_some() {
                        break;
                    }
                }
                if address.is_some() {
                    break;
                }
            }
        }
        let Some(address) = address else { return Path::Nowhere(Cause::NoSuchName) };
        match ask(self.request(address)) {
            Ok(answer) => Path::Answered(answer),
            Err(open) => Path::Open(open),
        }
    }

    /// The question that has to be answered before it is known what becomes of a request now; `None` if it is known.
    pub fn open(
        &self,
        names: &Names,
        answers: &BTreeMap<Question, Answers>,
        now: Timestamp,
    ) -> Option<Question> {
        match self.path(names, answers, now, &mut Vec::new()) {
            Path::Open(question) => Some(question),
            Path::Nowhere(_) | Path::Answered(_) => None,
        }
    }

    /// Why a request now comes to no address; `None` if it comes to one, or if that is not known yet.
    pub fn nowhere(
        &self,
        names: &Names,
        answers: &BTreeMap<Question, Answers>,
        now: Timestamp,
    ) -> Option<Cause> {
        match self.path(names, answers, now, &mut Vec::new()) {
            Path::Nowhere(cause) => Some(cause),
            Path::Open(_) | Path::Answered(_) => None,
        }
    }

    /// Why a reply is a loss to the client; `None` if it is an answer.
    pub fn cause(&self, reply: &Reply) -> Option<Cause> {
        match &reply.outcome {
            Outcome::Refused => Some(Cause::Refused(reply.because)),
            Outcome::TimedOut | Outcome::Unreachable => Some(Cause::TimedOut(reply.because)),
            Outcome::Reset | Outcome::Connected => Some(Cause::Broken),
            Outcome::Answered(r) if r.takes > self.timeout => Some(Cause::TooSlow),
            Outcome::Answered(r) if r.status >= 500 => Some(Cause::Status(r.status)),
            Outcome::Answered(_) => None,
        }
    }
}

/// The moments at which something that a client had asked was answered otherwise than before.
fn changes(answers: &BTreeMap<Question, Answers>, from: Timestamp, to: Timestamp) -> Vec<Timestamp> {
    let all = answers.values().flatten().map(|(at, _)| *at).filter(|t| *t > from && *t <= to);
    let mut all: Vec<Timestamp> = all.collect();
    crate::api::order::sort(&mut all);
    all.dedup();
    all
}

/// A process that answered requests and has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Where it was reached.
    pub address: SocketAddr,
    /// Since when it ran.
    pub since: Timestamp,
    /// When it ended.
    pub at: Timestamp,
}

/// A client that sends, with all that its pod was told by the network.
#[derive(Clone, Copy, Debug)]
pub struct Sending<'a> {
    /// What it sends.
    pub client: &'a Client,
    /// What it knows of names by itself.
    pub names: &'a Names,
    /// What the network has answered to its pod.
    pub answers: &'a BTreeMap<Question, Answers>,
    /// The processes that had been reached, and have ended.
    pub ended: &'a [Ended],
    /// When it began.
    pub start: Timestamp,
}

impl<'s> Sending<'s> {
    /// What became of the requests that were sent after `from` until `to`.
    pub fn count(&self, from: Timestamp, to: Timestamp) -> Counts {
        let mut counts = Counts::default();
        let begin = from.max(self.start);
        // The moments from which on the network is the same, each with the number of the first request after it. A request that
        // is sent at the moment of a change meets what is so after the change.
        let mut parts = vec![(begin, self.until(begin))];
        let nanosecond = SignedDuration::from_nanos(-1);
        let changes = changes(self.answers, begin, to);
        parts.extend(changes.into_iter().map(|at| (at, self.until(later(at, nanosecond)))));
        let ends = parts.iter().skip(1).map(|(_, nth)| *nth).chain([self.until(to)]);
        for ((moment, first), end) in parts.iter().copied().zip(ends) {
            if end > first {
                self.segment(moment, first..end, &mut counts);
            }
        }
        counts
    }

    /// Why a request that was sent at a moment could be lost, and where it was sent; `None` if none would be.
    pub fn could_lose(&self, moment: Timestamp) -> Option<(Cause, Option<SocketAddr>)> {
        match self.client.path(self.names, self.answers, moment, &mut Vec::new()) {
            // Nobody has answered yet, so nobody knows.
            Path::Open(_) => None,
            Path::Nowhere(cause) => Some((cause, None)),
            Path::Answered(Answer::Replies { replies, .. }) => {
                let lost = |r: &Reply| Some((self.client.cause(r)?, r.endpoint));
                // A client that sends again meets another endpoint sooner or later.
                let saved = self.client.retries > 0 && replies.iter().any(|r| lost(r).is_none());
                replies.iter().find_map(lost).filter(|_| !saved)
            }
            Path::Answered(Answer::Records(_)) => None,
        }
    }

    /// The work that the client's requests make for each container that answers some of them now, in billionths of a CPU: its
    /// rate, the part of the requests that come to the container, and what an answer costs. What is sent again because it
    /// failed is not counted.
    pub fn work(&self, now: Timestamp) -> Vec<(&'s Work, i64)> {
        let path = self.client.path(self.names, self.answers, now, &mut Vec::new());
        let Path::Answered(Answer::Replies { replies, .. }) = path else { return Vec::new() };
        let all: i128 = replies.iter().map(|r| i128::from(r.share)).sum();
        // Billionths of a CPU times billionths of a second, over the period in the latter.
        let period = self.client.per.as_nanos().max(1).saturating_mul(all.max(1));
        let cpu = |work: &Work, share: u32| {
            let sent = i128::from(self.client.requests) * i128::from(share) * 1_000_000_000;
            i64::try_from(i128::from(work.cpu).saturating_mul(sent) / period).unwrap_or(i64::MAX)
        };
        let each = replies.iter().filter_map(|r| match &r.outcome {
            Outcome::Answered(response) => response.work.as_ref().map(|work| (work, cpu(work, r.share))),
            _ => None,
        });
        each.collect()
    }

    fn until(&self, moment: Timestamp) -> u64 {
        self.client.until(self.start, moment)
    }

    /// Counts requests that all meet the same network.
    fn segment(&self, moment: Timestamp, range: Range<u64>, counts: &mut Counts) {
        let many = range.end - range.start;
        counts.sent += many;
        let answer = match self.client.path(self.names, self.answers, moment, &mut Vec::new()) {
            Path::Answered(answer) => answer,
            Path::Nowhere(cause) => {
                return counts.lose(self.loss(range.start, cause, None), many);
            }
            // Nobody has answered yet, so nobody knows.
            Path::Open(_) => {
                counts.sent -= many;
                return;
            }
        };
        let Answer::Replies { replies, .. } = answer else { return };
        let Some(spread) = answer.spread() else { return };
        for (place, taken) in spread.counts(&range) {
            let Some(reply) = replies.get(place) else { continue };
            let mine = |range: Range<u64>| range.filter(|n| spread.place(*n) == Some(place));
            let Some(cause) = self.client.cause(reply) else {
                let mut answered = taken;
                for (ended, cut) in self.in_flight(reply, &range) {
                    for nth in mine(cut) {
                        answered -= 1;
                        // A proxy that gets no whole answer asks another endpoint, or says so.
                        if let Some(via) = &reply.via {
                            match via.next {
                                Some(next) => *counts.answered.entry(Some(next)).or_default() += 1,
                                None => self.again(nth, Cause::Status(502), reply, ended.at, counts),
                            }
                            continue;
                        }
                        self.again(nth, Cause::Broken, reply, ended.at, counts);
                    }
                }
                if answered > 0 {
                    *counts.answered.entry(reply.endpoint).or_default() += answered;
                }
                continue;
            };
            for nth in mine(range.clone()) {
                self.again(nth, cause, reply, moment, counts);
            }
        }
    }

    fn loss(&self, nth: u64, cause: Cause, reply: Option<&Reply>) -> Loss {
        Loss {
            at: self.client.sent(self.start, nth),
            nth,
            cause,
            endpoint: reply.and_then(|r| r.endpoint),
            stale: reply.is_some_and(|r| r.stale),
        }
    }

    /// The requests among some that were being answered when the process that answered them ended, for each such process.
    fn in_flight<'a>(
        &'a self,
        reply: &'a Reply,
        range: &'a Range<u64>,
    ) -> impl Iterator<Item = (&'a Ended, Range<u64>)> {
        let response = match &reply.outcome {
            Outcome::Answered(response) if !response.takes.is_zero() => Some(response),
            _ => None,
        };
        self.ended.iter().filter_map(move |e| {
            let response = response.filter(|r| r.since == Some(e.since))?;
            if reply.endpoint.is_some_and(|to| to != e.address) {
                return None;
            }
            let first = self.until(later(e.at, -response.takes)).max(range.start);
            let end = self.until(e.at).min(range.end);
            (first < end).then_some((e, first..end))
        })
    }

    /// Counts a request that has failed at a moment. It is sent again at once, if the client does that, and meets the endpoint
    /// whose turn is next.
    fn again(&self, nth: u64, cause: Cause, reply: &Reply, moment: Timestamp, counts: &mut Counts) {
        let answer = match self.client.path(self.names, self.answers, moment, &mut Vec::new()) {
            Path::Answered(answer) if self.client.retries > 0 => Some(answer),
            _ => None,
        };
        let turns = (1..=u64::from(self.client.retries)).map(|k| nth.wrapping_add(k.wrapping_mul(AGAIN)));
        let mut replies = turns.filter_map(|n| answer?.pick(n));
        match replies.find(|r| self.client.cause(r).is_none()) {
            Some(reply) => *counts.answered.entry(reply.endpoint).or_default() += 1,
            None => counts.lose(self.loss(nth, cause, Some(reply)), 1),
        }
    }
}

/// What is added to a request's number for each time that it is sent again, so that no two requests have one number.
const AGAIN: u64 = 1 << 40;

#[cfg(test)]
#[path = "traffic_tests.rs"]
mod tests;
