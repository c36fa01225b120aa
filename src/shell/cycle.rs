//! Loops that repeat themselves: what a program does for ever, without running it for ever.
//!
//! `while sleep 0.01; do wget -q -O- http://web; done` ends when its container does. Its rounds are alike: each begins with the same
//! variables and files, takes the same time and sends the same requests. A run to the end of a program ([`Until::End`](super::Until))
//! that has seen one round after another like it leaps over the next ones, to the moment at which something changes that the program
//! can notice, and stops where nothing changes any more. What such rounds do is a [`Cycle`].
//!
//! A loop is not leaped over if its rounds differ in any of that, if it has looked at the clock, or if somebody reads what it prints.
//! Such a loop is run until the budget of commands is used up.

use std::rc::Rc;

use jiff::SignedDuration;

use super::COMMANDS_LIMIT;
use super::machine::{Frame, Shell, Stop};
use crate::api::{Timestamp, later};
use crate::network::question::HeaderFields;
use crate::network::url::Url;

/// How many rounds have to be alike if their requests can meet different replies: by then each of a few replies has been met.
const ROUNDS_OF_VARIED: usize = 50;

/// A request of HTTP as a program sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sending {
    /// What is asked for.
    pub url: Url,
    /// The method.
    pub method: Rc<str>,
    /// The header `Host`.
    pub host: Rc<str>,
    /// What the program calls itself (`User-Agent`).
    pub agent: Rc<str>,
    /// The other header fields.
    pub headers: HeaderFields,
    /// How long the program waits for the answer; `None` if it does not say.
    pub timeout: Option<SignedDuration>,
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
}

impl Cycle {
    /// One period before a request of the loop would first have been sent, had all of its rounds been like these. Two cycles of a loop
    /// that differ in nothing that shifts its rounds have the same.
    pub fn first(&self, after: SignedDuration) -> Timestamp {
        let since = self.from.duration_since(self.begun).as_nanos() + after.as_nanos();
        let rest = since.rem_euclid(self.period.as_nanos().max(1)) - self.period.as_nanos();
        later(self.begun, SignedDuration::from_nanos(i64::try_from(rest).unwrap_or(0)))
    }
}

/// What a shell has at the begin of a round, as far as commands can notice it.
#[derive(Clone, Debug, PartialEq)]
struct Begin {
    frame: Frame,
    status: i32,
    jobs: usize,
    listens: usize,
    writes: usize,
    /// The places in its standard inputs.
    inputs: Vec<usize>,
}

/// What a round did: how long it took, and what it sent.
type Did = (SignedDuration, Vec<(SignedDuration, Sending)>);

/// A round of a loop that is under way.
#[derive(Debug)]
struct Round {
    at: Timestamp,
    begin: Begin,
    /// How many requests had been sent before it.
    sent: usize,
    /// How often commands had looked at the clock before it.
    clock: usize,
    /// What the round before it did.
    before: Option<Did>,
}

/// The rounds of a loop that runs.
#[derive(Debug)]
pub(super) struct Rounds {
    number: usize,
    begun: Timestamp,
    under_way: Option<Round>,
    /// How many rounds before the last one were like it.
    alike: usize,
}

impl Rounds {
    /// Of a loop that begins.
    pub(super) fn new(shell: &mut Shell<'_>) -> Rounds {
        shell.loops += 1;
        Rounds { number: shell.loops, begun: shell.now, under_way: None, alike: 0 }
    }
}

impl Shell<'_> {
    /// Notes that a command sends a request, whether or not anybody is found who gets it.
    pub(super) fn note_sending(&mut self, sending: impl FnOnce() -> Sending) {
        if self.until.is_none() {
            self.sendings.push((self.now, sending()));
        }
    }

    /// Notes that what a command finds out depends on the moment.
    pub(super) fn note_clock(&self) {
        self.clock_reads.set(self.clock_reads.get() + 1);
    }

    fn begin_of_round(&self) -> Begin {
        Begin {
            frame: self.frame.clone(),
            status: self.status,
            jobs: self.jobs.len(),
            listens: self.listens.len(),
            writes: self.writes.len(),
            inputs: self.inputs.iter().map(|i| i.at).collect(),
        }
    }

    /// Begins a round of a loop. Rounds that would be like those before are leaped over.
    ///
    /// # Errors
    /// All rounds from now on are alike, so the loop does not end.
    pub(super) fn begin_round(&mut self, rounds: &mut Rounds) -> Result<(), Stop> {
        // Whoever reads the output wants all rounds.
        if self.until.is_some() || self.commands.is_some() || !self.buffers.is_empty() {
            return Ok(());
        }
        let last = rounds.under_way.take();
        if last.as_ref().is_some_and(|last| last.at == self.now) {
            // A round that takes no time is one of many at this moment.
            rounds.alike = 0;
            return Ok(());
        }
        let begin = self.begin_of_round();
        // What a round did that something changed under says nothing of the next ones.
        let quiet = last.as_ref().filter(|last| self.next_change(last.at).is_none_or(|at| at > self.now));
        let did = quiet.map(|last| {
            let sent = self.sendings.iter().skip(last.sent);
            let offset = |(at, sending): &(Timestamp, Sending)| (at.duration_since(last.at), sending.clone());
            (self.now.duration_since(last.at), sent.map(offset).collect::<Vec<_>>())
        });
        let alike = quiet.is_some_and(|last| {
            last.begin == begin && last.clock == self.clock_reads.get() && last.before == did
        });
        rounds.alike = if alike { rounds.alike + 1 } else { 0 };
        let (mut at, mut before) = (self.now, did.clone());
        if let Some((period, requests)) = did.as_ref().filter(|_| alike)
            && (!self.varied || rounds.alike >= ROUNDS_OF_VARIED)
        {
            let change = self.next_change(self.now);
            let rounds_until = |change: Timestamp| {
                let left = change.duration_since(self.now).as_nanos() - 1;
                i64::try_from(left / period.as_nanos().max(1)).unwrap_or(i64::MAX)
            };
            let end = change.map(|change| {
                let many = i32::try_from(rounds_until(change)).unwrap_or(i32::MAX);
                later(self.now, period.saturating_mul(many))
            });
            if end.is_none_or(|end| end > self.now) {
                self.cycles.push(Cycle {
                    number: rounds.number,
                    begun: rounds.begun,
                    from: self.now,
                    until: end,
                    period: *period,
                    requests: requests.clone(),
                });
            }
            match end {
                None => return Err(self.block()),
                Some(end) => {
                    self.varied = false;
                    // There are only so many changes, so the program comes to an end of them.
                    self.steps = COMMANDS_LIMIT;
                    (at, before) = (end, None);
                }
            }
        }
        self.now = at;
        let (sent, clock) = (self.sendings.len(), self.clock_reads.get());
        rounds.under_way = Some(Round { at, begin, sent, clock, before });
        Ok(())
    }

    /// The next moment after another one at which something changes by itself that the program can notice.
    fn next_change(&self, after: Timestamp) -> Option<Timestamp> {
        let answers = self.answers_of_asked().map(|(at, _)| *at);
        let jobs = self.jobs.iter().filter_map(|job| Some(job.ends?.0));
        let signal = self.program.signal.into_iter();
        let all = answers.chain(jobs).chain(signal).filter(|at| *at > after);
        all.chain(self.files.next_of_all(after)).min()
    }
}
