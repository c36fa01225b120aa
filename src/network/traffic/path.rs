//! What a client asks before its request has an address, and what the request meets there.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use super::client::Client;
use super::counts::Cause;
use crate::api::Timestamp;
use crate::network::question::{Answer, Outcome, Question, Reply, Spread};
use crate::network::resolver::{BOTH, ResolvConf, in_hosts};

/// The answers of the network to a question, each with the moment from which it is valid.
pub type Answers = Vec<(Timestamp, Answer)>;

/// What a client knows of names by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// `/etc/resolv.conf`
    pub conf: ResolvConf,
    /// The text of `/etc/hosts`.
    pub hosts: Rc<str>,
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
            method: self.method.clone(),
            path: self.url.path.as_str().into(),
            headers: self.headers.clone(),
            extras: self.extras.clone(),
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
                let name: Rc<str> = name.to_ascii_lowercase().into();
                // Both are sent before one of them is answered.
                let asked = BOTH.map(|type_| ask(Question::Lookup { server, name: name.clone(), type_ }));
                let mut failed = false;
                for answer in asked {
                    let records = match answer {
                        Ok(Answer::Records(Some(records))) => records,
                        Ok(_) => return Path::Nowhere(Cause::NoDns),
                        Err(open) => return Path::Open(open),
                    };
                    failed |= records.failure.is_some();
                    // IPv4 comes first.
                    address = address.or(records.addresses.first().copied());
                }
                if address.is_some() {
                    break;
                }
                if failed {
                    return Path::Nowhere(Cause::NoDns);
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
            Outcome::Closed | Outcome::Connected | Outcome::Untrusted(_) => Some(Cause::NoHttp),
            Outcome::Answered(r) if r.takes > self.timeout => Some(Cause::TooSlow),
            Outcome::Answered(r) if r.status >= 500 => Some(Cause::Status(r.status)),
            Outcome::Answered(_) => None,
        }
    }

    /// The request itself with its answer, as soon as both are known.
    pub fn fetched<'a>(
        &self,
        names: &Names,
        answers: &'a BTreeMap<Question, Answers>,
        now: Timestamp,
    ) -> Option<(Question, &'a Answer)> {
        let mut asked = Vec::new();
        match self.path(names, answers, now, &mut asked) {
            Path::Answered(answer) => Some((asked.pop()?, answer)),
            Path::Open(_) | Path::Nowhere(_) => None,
        }
    }

    /// What every request meets as long as the answers are these.
    pub fn fate(&self, names: &Names, answers: &BTreeMap<Question, Answers>, now: Timestamp) -> Fate {
        match self.path(names, answers, now, &mut Vec::new()) {
            Path::Open(_) => Fate::Unknown,
            Path::Nowhere(cause) => Fate::Nowhere(cause),
            Path::Answered(Answer::Replies { replies, seed }) => {
                Fate::Replies(Choice::new(replies.clone(), *seed))
            }
            Path::Answered(Answer::Records(_)) => Fate::Unknown,
        }
    }
}

/// What the requests of a client meet as long as the network stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nobody has answered yet, so nobody knows.
    Unknown,
    /// Its name leads nowhere.
    Nowhere(Cause),
    /// One of these replies.
    Replies(Choice),
}

/// The replies of which each connection meets one.
#[derive(Clone, Debug)]
pub struct Choice {
    replies: Rc<[Reply]>,
    seed: u64,
    /// Worked out when it is asked for first.
    spread: OnceCell<Option<Spread>>,
}

impl PartialEq for Choice {
    fn eq(&self, other: &Choice) -> bool {
        self.seed == other.seed
            && (Rc::ptr_eq(&self.replies, &other.replies) || self.replies == other.replies)
    }
}

impl Eq for Choice {}

impl Choice {
    /// A choice that begins where the seed says.
    pub fn new(replies: Rc<[Reply]>, seed: u64) -> Choice {
        Choice { replies, seed, spread: OnceCell::new() }
    }

    /// Where the choice begins.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// All replies.
    pub fn replies(&self) -> &[Reply] {
        &self.replies
    }

    /// How connections are spread over them.
    pub fn spread(&self) -> Option<&Spread> {
        let answer = || Answer::Replies { replies: self.replies.clone(), seed: self.seed };
        self.spread.get_or_init(|| answer().spread()).as_ref()
    }

    /// The reply that the nth connection meets.
    pub fn pick(&self, nth: u64) -> Option<&Reply> {
        self.replies.get(self.spread()?.place(nth)?)
    }
}
