//! What the loops of a program repeat ([`super::rounds`] finds that out).

use std::collections::BTreeSet;
use std::rc::Rc;

use jiff::SignedDuration;

use super::Printed;
use crate::api::{Timestamp, later};
use crate::network::question::{Extras, HeaderFields};
use crate::network::url::Url;
use crate::network::{Outcome, Reply, Response};

/// A request of HTTP as a program sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sending {
    /// What is asked for.
    pub url: Url,
    /// The method.
    pub method: Rc<str>,
    /// The header `Host`.
    pub host: Rc<str>,
    /// The other header fields.
    pub headers: HeaderFields,
    /// What else belongs to it.
    pub extras: Rc<Extras>,
    /// How long the program waits for the connection; `None` if it does not say.
    pub connect: Option<SignedDuration>,
    /// How long the program waits for all of it; `None` if it does not say.
    pub timeout: Option<SignedDuration>,
}

/// The answers that a question can get, and those that the loop under way has met.
#[derive(Clone, Debug)]
pub(super) struct Varied {
    pub(super) replies: Rc<[Reply]>,
    /// Whether the program reads the words of an answer: somebody takes what its command prints.
    pub(super) reads: bool,
    pub(super) met: BTreeSet<usize>,
}

impl Varied {
    /// Whether a program can tell two answers apart.
    fn differ(&self, a: &Reply, b: &Reply) -> bool {
        match (&a.outcome, &b.outcome) {
            (Outcome::Answered(a), Outcome::Answered(b)) => {
                let words = |r: &Response| (r.body.clone(), r.location.clone(), r.headers.clone());
                (a.status, a.takes) != (b.status, b.takes) || (self.reads && words(a) != words(b))
            }
            (a, b) => a != b,
        }
    }

    /// Whether each answer is one that was met, or cannot be told from one.
    pub(super) fn is_known(&self) -> bool {
        let met = || self.met.iter().filter_map(|place| self.replies.get(*place));
        self.replies.iter().all(|reply| met().any(|other| !self.differ(reply, other)))
    }
}

/// What a loop does in each of the rounds that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Which of the program's loops it is of, in the order in which they begin.
    pub number: usize,
    /// When the loop began.
    pub begun: Timestamp,
    /// A moment at which a round begins, from which on they are known to be alike.
    pub from: Timestamp,
    /// Until when they are alike; `None` if that is for ever.
    pub until: Option<Timestamp>,
    /// How long a round takes.
    pub period: SignedDuration,
    /// The requests of a round, each with the time since the round's begin.
    pub requests: Vec<(SignedDuration, Sending)>,
    /// How much a round prints. Rounds that are alike only in what they send have printed all of it themselves.
    pub printed: Printed,
}

impl Cycle {
    /// The start of the request's client, which sends for the first time a period later ([`Client::regular`]). It is counted from the begin
    /// of the loop and not from `from`: so it is the same when the program is run again with more answers, unless rounds have shifted.
    ///
    /// [`Client::regular`]: crate::network::traffic::Client::regular
    pub fn first(&self, after: SignedDuration) -> Timestamp {
        let since = self.from.duration_since(self.begun).as_nanos() + after.as_nanos();
        let rest = since.rem_euclid(self.period.as_nanos().max(1)) - self.period.as_nanos();
        later(self.begun, SignedDuration::from_nanos(i64::try_from(rest).unwrap_or(0)))
    }
}
