//! Loops that repeat themselves: what a program does for ever, without running it for ever.
//!
//! `while sleep 0.01; do wget -q -O- http://web; done` ends when its container does. Its rounds are alike: each begins with the same
//! variables and files, takes the same time and sends the same requests. A run to the end of a program ([`Until::End`](super::Until))
//! that has seen one round after another like it leaps over the next ones, to the moment at which something changes that the program
//! can notice, and stops where nothing changes any more. What such rounds do is a [`Cycle`].
//!
//! A loop is not leaped over if its rounds differ in any of that, if it has looked at the clock, if somebody reads what it prints, or
//! before it has met each of the answers that its requests can get and that it can tell apart. Such a
//! loop is run until the budget of commands is used up. Rounds of it that differ in what they count, and send the same requests at the
//! same distances, are a [`Cycle`], too: it ends with the loop, and goes on if the budget has ended it.

use std::collections::BTreeSet;

use jiff::SignedDuration;

use super::cycle::{Cycle, Sending, Varied};
use super::machine::{Frame, Out, Ran, Shell, Stop};
use super::{COMMANDS_LIMIT, Printed};
use crate::api::{Timestamp, later};
use crate::network::{Answer, Question};

/// How long each request takes in a round that takes no time by itself (it does not pause, and answers come at once): a process that
/// starts, asks and ends needs some milliseconds.
const PACE: SignedDuration = SignedDuration::from_millis(5);

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
    /// How much had been printed before it.
    printed: Printed,
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
    /// Whether the loop goes through a list of words (`for`): it ends with the list, however alike its rounds are.
    through_list: bool,
    /// How many cycles were known when it began.
    cycles: usize,
    under_way: Option<Round>,
    /// What each of its rounds does since a moment, although they differ otherwise.
    alike: Option<(Timestamp, Did)>,
}

impl Shell<'_> {
    /// Runs a loop. `through_list` says that it ends with a list of words, however alike its rounds are.
    pub(super) fn in_rounds(
        &mut self,
        through_list: bool,
        run: impl FnOnce(&mut Self, &mut Rounds) -> Ran,
    ) -> Ran {
        self.loops += 1;
        let (number, begun, cycles) = (self.loops, self.now, self.cycles.len());
        let mut rounds = Rounds { number, begun, through_list, cycles, under_way: None, alike: None };
        self.nested_loops += 1;
        let result = run(self, &mut rounds);
        // What the budget has ended goes on.
        let goes_on = result == Err(Stop::Never) && self.steps == 0;
        self.note_alike(&mut rounds, if goes_on { None } else { Some(self.now) });
        self.nested_loops -= 1;
        result
    }

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
        // What a round did that something changed under says nothing of the next ones. What it has written itself may be the same each time.
        let quiet =
            last.as_ref().filter(|last| self.next_from_outside(last.at).is_none_or(|at| at > self.now));
        let did = quiet.map(|last| {
            let sent = self.sendings.iter().skip(last.sent);
            let offset = |(at, sending): &(Timestamp, Sending)| (at.duration_since(last.at), sending.clone());
            (self.now.duration_since(last.at), sent.map(offset).collect::<Vec<_>>())
        });
        let printed = self.said_so_far;
        let told = last.as_ref().map_or(Printed::default(), |last| printed.minus(last.printed));
        let alike = quiet.is_some_and(|last| {
            let writes = self.files.next_of_all(last.at).is_some_and(|at| at <= self.now);
            !writes && last.begin == begin && last.clock == self.clock_reads.get() && last.before == did
        });
        let (mut at, mut before) = (self.now, did.clone());
        if !alike || rounds.through_list {
            self.varied.clear();
            if let (Some(last), Some(did)) = (&last, &did) {
                self.compare_rounds(rounds, last, did);
            }
        } else if let Some((period, requests)) = did
            && self.varied.values().all(Varied::is_known)
        {
            if rounds.alike.as_ref().is_none_or(|(_, before)| *before == (period, requests.clone())) {
                rounds.alike = None;
            } else {
                self.note_alike(rounds, Some(self.now));
            }
            let Some(change) = self.next_change(self.now) else {
                self.repeat_until(rounds, None, (period, requests), told);
                return Err(self.block());
            };
            // Rounds that take no time go on until the change; of others those are left out that end before it.
            let left = change.duration_since(self.now).as_nanos();
            let many =
                (left - 1).checked_div(period.as_nanos()).map(|many| i32::try_from(many).unwrap_or(i32::MAX));
            at = many.map_or(change, |many| later(self.now, period.saturating_mul(many)));
            if at > self.now {
                self.repeat_until(rounds, Some(at), (period, requests), told);
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
        rounds.under_way = Some(Round { at, begin, sent, printed, clock, before });
        Ok(())
    }

    /// Compares what a round did with what those before it did, of a loop whose rounds differ otherwise.
    fn compare_rounds(&mut self, rounds: &mut Rounds, last: &Round, did: &Did) {
        if rounds.alike.as_ref().is_some_and(|(_, before)| before != did) {
            self.note_alike(rounds, Some(last.at));
        }
        if rounds.alike.is_none() && last.before.as_ref() == Some(did) && !did.1.is_empty() {
            rounds.alike = Some((self.now, did.clone()));
        }
    }

    /// Notes until when the rounds of a loop sent the same. A loop inside another one notes nothing, because its requests are among
    /// those of the outer loop; neither does a loop around one that has noted a cycle, so that no request counts twice.
    fn note_alike(&mut self, rounds: &mut Rounds, until: Option<Timestamp>) {
        let known = self.cycles.iter().skip(rounds.cycles).any(|cycle| cycle.number != rounds.number);
        let Some((from, (period, requests))) = rounds.alike.take().filter(|_| !known) else { return };
        if self.nested_loops <= 1 {
            self.push_cycle(rounds, (from, until), (period, requests), Printed::default());
        }
    }

    /// Notes that rounds are alike from now on.
    fn repeat_until(&mut self, rounds: &Rounds, until: Option<Timestamp>, did: Did, printed: Printed) {
        self.push_cycle(rounds, (self.now, until), did, printed);
    }

    /// Notes a cycle. Rounds that neither take time nor send anything are none.
    fn push_cycle(
        &mut self,
        rounds: &Rounds,
        (from, until): (Timestamp, Option<Timestamp>),
        (mut period, mut requests): Did,
        printed: Printed,
    ) {
        if !period.is_positive() {
            for (after, _) in &mut requests {
                *after = period;
                period += PACE;
            }
        }
        if period.is_positive() && until.is_none_or(|until| until > rounds.begun) {
            let (number, begun) = (rounds.number, rounds.begun);
            self.cycles.push(Cycle { number, begun, from, until, period, requests, printed });
        }
    }

    /// The next moment after another one at which something changes by itself that the program can notice.
    fn next_change(&self, after: Timestamp) -> Option<Timestamp> {
        self.next_from_outside(after).into_iter().chain(self.files.next_of_all(after)).min()
    }

    /// The same without what is written to files.
    fn next_from_outside(&self, after: Timestamp) -> Option<Timestamp> {
        let jobs = self.jobs.iter().filter_map(|job| Some(job.ends?.0)).filter(|at| *at > after);
        let deadline = self.deadline.filter(|at| *at > after);
        self.changes_outside(after).chain(jobs).chain(deadline).min()
    }

    /// The loops of a job in the background end now, whatever they repeat.
    pub(super) fn cut_cycles(&mut self, of: std::ops::Range<usize>) {
        for cycle in self.cycles.get_mut(of).into_iter().flatten() {
            cycle.until = Some(cycle.until.map_or(self.now, |until| until.min(self.now)));
        }
    }
}
