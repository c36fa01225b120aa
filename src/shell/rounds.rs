//! Loops that repeat themselves: what a program does for ever, without running it for ever.
//!
//! `while sleep 0.01; do wget -q -O- http://web; done` ends when its container does. Its rounds are alike: each begins with the same
//! variables and files, takes the same time and sends the same requests. A run to the end of a program ([`Until::End`](super::Until))
//! that has seen one round after another like it leaps over the next ones, to the moment at which something changes that the program
//! can notice, and stops where nothing changes any more. What such rounds do is a [`Cycle`].
//!
//! A loop is not leaped over if its rounds differ in any of that, if it has looked at the clock, if somebody reads what it prints, or
//! before it has met each of the answers that its requests can get and that it can tell apart. Such a
//! loop is run until the budget of commands is used up.

use std::collections::BTreeSet;

use jiff::SignedDuration;

use super::COMMANDS_LIMIT;
use super::cycle::{Cycle, Sending, Varied};
use super::machine::{Frame, Out, Shell, Stop};
use crate::api::{Timestamp, later};
use crate::network::{Answer, Question};

/// The most leaps of a run. After so many changes a loop is not followed further.
const LEAPS_LIMIT: usize = 1000;

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
}

impl Rounds {
    /// Of a loop that begins.
    pub(super) fn new(shell: &mut Shell<'_>) -> Rounds {
        shell.loops += 1;
        Rounds { number: shell.loops, begun: shell.now, under_way: None }
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

    /// Notes which of several replies a request meets.
    pub(super) fn note_reply(&mut self, question: Question, answer: &Answer, nth: u64) {
        let Answer::Replies { replies, .. } = answer else { return };
        if self.until.is_some() || replies.len() < 2 {
            return;
        }
        let Some(place) = answer.spread().and_then(|spread| spread.place(nth)) else { return };
        let prints = matches!(self.outs.get(&1), Some(Out::Console { .. } | Out::Nowhere) | None);
        let new = || Varied { replies: replies.clone(), reads: false, met: BTreeSet::new() };
        let varied = self.varied.entry(question).or_insert_with(new);
        varied.reads |= !prints;
        varied.met.insert(place);
    }

    /// Begins a round of a loop. Rounds that would be like those before are leaped over.
    ///
    /// # Errors
    /// All rounds from now on are alike, so the loop does not end.
    pub(super) fn begin_round(&mut self, rounds: &mut Rounds) -> Result<(), Stop> {
        // Whoever reads the output wants all rounds.
        let read = self.commands.is_some() || !self.buffers.is_empty();
        if self.until.is_some() || read || self.leaps >= LEAPS_LIMIT {
            return Ok(());
        }
        // Whoever has set the limit ends the loop.
        if self.deadline.is_some_and(|deadline| self.now >= deadline) {
            return Err(Stop::Never);
        }
        let last = rounds.under_way.take();
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
        let (mut at, mut before) = (self.now, did.clone());
        if !alike {
            self.varied.clear();
        } else if let Some((period, requests)) = did
            && self.varied.values().all(Varied::is_known)
        {
            let Some(change) = self.next_change(self.now) else {
                self.repeat_until(rounds, None, period, requests);
                return Err(self.block());
            };
            // Rounds that take no time go on until the change; of others those are left out that end before it.
            let left = change.duration_since(self.now).as_nanos();
            let many =
                (left - 1).checked_div(period.as_nanos()).map(|many| i32::try_from(many).unwrap_or(i32::MAX));
            at = many.map_or(change, |many| later(self.now, period.saturating_mul(many)));
            if at > self.now {
                self.repeat_until(rounds, Some(at), period, requests);
                // Each change outside comes once, so the program has the whole budget again. What it does itself it can do for ever.
                if self.changes_outside(self.now).any(|outside| outside == change) {
                    self.steps = COMMANDS_LIMIT;
                }
                self.leaps += 1;
            }
            before = None;
            self.varied.clear();
        }
        self.now = at;
        let (sent, clock) = (self.sendings.len(), self.clock_reads.get());
        rounds.under_way = Some(Round { at, begin, sent, clock, before });
        Ok(())
    }

    /// Notes that rounds are alike from now on. Nothing is said of rounds that take no time.
    fn repeat_until(
        &mut self,
        rounds: &Rounds,
        until: Option<Timestamp>,
        period: SignedDuration,
        requests: Vec<(SignedDuration, Sending)>,
    ) {
        if period.is_positive() {
            let (number, begun, from) = (rounds.number, rounds.begun, self.now);
            self.cycles.push(Cycle { number, begun, from, until, period, requests });
        }
    }

    /// The next moment after another one at which something changes by itself that the program can notice.
    fn next_change(&self, after: Timestamp) -> Option<Timestamp> {
        let jobs = self.jobs.iter().filter_map(|job| Some(job.ends?.0)).filter(|at| *at > after);
        let deadline = self.deadline.filter(|at| *at > after);
        self.changes_outside(after).chain(jobs).chain(deadline).chain(self.files.next_of_all(after)).min()
    }

    /// The loops of a job in the background end now, whatever they repeat.
    pub(super) fn cut_cycles(&mut self, of: std::ops::Range<usize>) {
        for cycle in self.cycles.get_mut(of).into_iter().flatten() {
            cycle.until = Some(cycle.until.map_or(self.now, |until| until.min(self.now)));
        }
    }
}
