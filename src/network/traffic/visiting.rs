//! Which requests of clients have come to a process: for its log.
//!
//! Nothing is kept of them while they come: they are worked out anew when somebody reads the log, from the scenes, and no further
//! back than a limit.

use std::rc::Rc;

use jiff::SignedDuration;

use super::counts::Cause;
use super::history::History;
use super::ledger::Ledger;
use super::path::Fate;
use super::request::Flight;
use super::scene::{Class, Stream, choice};
use super::visits::{Ended, Visits, is_at};
use crate::api::{Timestamp, later};
use crate::network::question::{Outcome, Reply};
use crate::network::serving::Process;
use crate::network::visit::Visit;

/// The most requests of clients that are gone through for a log. They are those of all clients of which a request can come to the
/// process.
const REQUESTS_LIMIT: u64 = 200_000;

/// Whether requests of a stream can come to a process.
fn comes_to(stream: &Stream, process: &Process) -> bool {
    // Which connections a client keeps is not looked up.
    stream.client.keep.is_some()
        || choice(stream).is_some_and(|c| c.replies().iter().any(|r| is_at(r, process)))
}

impl Ledger {
    /// Notes a request that ends at a moment, if it has come to the process whose requests are looked for.
    pub(super) fn visit(&mut self, f: &Flight, at: Timestamp, ended: Ended) {
        let Some(visits) = self.visits.as_mut() else { return };
        if let Some(reply) = f.reply.as_ref().filter(|r| is_at(r, &visits.process)) {
            visits.add((&f.addresses, &f.client), reply, (f.came, at), ended);
        }
    }

    /// As [`Ledger::visit`], of many requests of a stream at once: those of a range that meet a reply, by its place, or all of
    /// them if they have one reply.
    pub(super) fn visit_all(
        &mut self,
        stream: &Stream,
        range: std::ops::Range<u64>,
        classes: &[Class],
        only: Option<&Reply>,
    ) {
        let Some(visits) = self.visits.as_mut() else { return };
        let (client, id) = (&stream.client, &stream.id);
        let at_process = |reply: &Reply| is_at(reply, &visits.process);
        let wanted: Vec<bool> = match only {
            Some(reply) if at_process(reply) => Vec::new(),
            Some(_) => return,
            None => choice(stream).iter().flat_map(|c| c.replies()).map(at_process).collect(),
        };
        if only.is_none() && !wanted.contains(&true) {
            return;
        }
        let spread = choice(stream).and_then(|c| c.spread());
        for nth in range {
            let place = spread.and_then(|s| s.place(nth));
            let met = match only {
                Some(reply) => Some((reply, None)),
                None => place
                    .filter(|p| wanted.get(*p) == Some(&true))
                    .and_then(|p| Some((choice(stream)?.replies().get(p)?, classes.get(p)))),
            };
            let Some((reply, class)) = met else { continue };
            let sent = client.sent(id.start, nth);
            let (takes, ended) = match (&reply.outcome, class) {
                (_, Some(Class::Lost(Cause::TooSlow, _))) => (client.timeout, Ended::GivenUp),
                (Outcome::Answered(r), _) => (r.takes, Ended::Answered),
                _ => (SignedDuration::ZERO, Ended::Answered),
            };
            visits.add((&stream.addresses, client), reply, (sent, later(sent, takes)), ended);
        }
    }
}

impl History {
    /// The requests of clients that have come to a process and ended after one moment until another one, which is included, in the
    /// order in which they ended. Of more than can be gone through the last ones.
    pub fn visits(&self, process: &Process, after: Timestamp, until: Timestamp) -> Vec<Visit> {
        let Some(begin) = self.begin() else { return Vec::new() };
        let from = self.visits_from(process, process.since.max(after).max(begin), until);
        let Some(mut ledger) = self.ledger_until(from) else { return Vec::new() };
        ledger.visits = Some(Visits::new(process, after));
        let ledger = self.on_from(ledger, from, until);
        let mut all = ledger.visits.map(|v| v.all).unwrap_or_default();
        all.retain(|visit| visit.at <= until);
        crate::api::order::sort_by(&mut all, |a, b| a.at.cmp(&b.at));
        all
    }

    /// Where to begin, so that no more requests are gone through than the limit allows.
    fn visits_from(&self, process: &Process, from: Timestamp, until: Timestamp) -> Timestamp {
        let mut left = REQUESTS_LIMIT;
        for (begin, end, scene) in self.scenes_back(from, until) {
            let come: Vec<&Rc<Stream>> = scene
                .streams
                .iter()
                .filter(|s| !matches!(s.fate, Fate::Unknown) && comes_to(s, process))
                .collect();
            let sent: u64 = come
                .iter()
                .map(|s| {
                    let end = s.end.map_or(end, |e| e.min(end));
                    let count = |moment| s.client.until(s.id.start, moment);
                    count(end).saturating_sub(count(begin))
                })
                .fold(0, u64::saturating_add);
            if sent <= left {
                left -= sent;
                continue;
            }
            // So long before its end as many are sent as are left.
            let length = end.duration_since(begin).as_nanos();
            let part = length.saturating_mul(i128::from(left)) / i128::from(sent.max(1));
            return later(end, SignedDuration::from_nanos(-i64::try_from(part).unwrap_or(i64::MAX)));
        }
        from
    }
}
