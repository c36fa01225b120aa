//! Many requests of one stream in one go, where none of them can be in the way of another one.

use std::ops::Range;
use std::rc::Rc;

use jiff::SignedDuration;

use super::counts::Loss;
use super::ledger::Ledger;
use super::path::Fate;
use super::scene::{Class, Stream, choice};
use crate::api::{Timestamp, later};
use crate::network::question::{Outcome, Reply};
use crate::network::serving::Life;

/// Fewer requests than this are followed one by one.
const FEW: u64 = 3;

impl Ledger {
    /// Counts requests of a stream from the nth one on, as many as can be counted in one go before a moment. Returns the number of the
    /// first one after them; `None` if the nth one has to be followed.
    pub(super) fn in_one_go(&mut self, stream: &Rc<Stream>, nth: u64, until: Timestamp) -> Option<u64> {
        if self.one_by_one {
            return None;
        }
        let before = |moment: Timestamp| {
            let after_end = |end: Timestamp| later(end, SignedDuration::from_nanos(1));
            let moment = stream.end.map_or(moment, |end| moment.min(after_end(end)));
            stream.client.before(stream.id.start, moment)
        };
        match &stream.fate {
            Fate::Unknown => Some(before(until).max(nth + 1)),
            _ if stream.client.keep.is_some() => {
                let end = before(until);
                self.over_one_connection(stream, nth..end)
            }
            Fate::Nowhere(cause) => {
                let end = before(until);
                let range = self.in_window(stream, nth..end);
                self.lose_all(stream, range, Class::Lost(*cause, None));
                Some(end.max(nth + 1))
            }
            Fate::Replies(_) => {
                let summary = stream.summary()?;
                let at = stream.client.sent(stream.id.start, nth);
                let fresh = |process| self.servers.get(process).is_none_or(|s| s.is_fresh(at));
                let calm = |process| self.scene.is_calm(process) && fresh(process);
                if !summary.limited.iter().all(calm) {
                    return None;
                }
                let alone = stream.client.one_at_a_time;
                if alone && (self.is_under_way(stream) || !stream.never_waits(&summary.classes)) {
                    return None;
                }
                let end = before(later(until, -summary.horizon));
                if end < nth.saturating_add(FEW) {
                    return None;
                }
                let range = self.in_window(stream, nth..end);
                self.count_all(stream, range);
                Some(end)
            }
        }
    }

    /// The requests of a range that are counted.
    fn in_window(&self, stream: &Stream, range: Range<u64>) -> Range<u64> {
        let Some((from, to)) = self.window else { return range };
        let until = |moment| stream.client.until(stream.id.start, moment);
        let begin = range.start.max(until(from));
        begin..range.end.min(until(to)).max(begin)
    }

    /// The parts of a range that were sent in whole seconds: the first of these seconds, how many there are that have equally many
    /// requests, and the requests of the first of them.
    fn seconds(stream: &Stream, range: &Range<u64>) -> Vec<(i64, u64, Range<u64>)> {
        let (client, start) = (&stream.client, stream.id.start);
        let mut all = Vec::new();
        let mut first = range.start;
        // After a second has passed from the start, every second has as many requests as any other, if the rate is one of seconds.
        let even = client.per == SignedDuration::from_secs(1);
        let rate = u64::from(client.requests);
        while first < range.end {
            let second = client.sent(start, first).as_second();
            let Ok(next) = Timestamp::from_second(second.saturating_add(1)) else { break };
            let end = client.before(start, next).clamp(first + 1, range.end);
            let same = if even && end - first == rate { (range.end - first) / rate } else { 1 };
            all.push((second, same.max(1), first..end));
            first += (end - first) * same.max(1);
        }
        all
    }

    fn loss(stream: &Stream, nth: u64, class: Class, place: usize) -> Option<Loss> {
        let Class::Lost(cause, behind) = class else { return None };
        let reply = choice(stream).and_then(|c| c.replies().get(place));
        Some(Loss {
            at: stream.client.sent(stream.id.start, nth),
            nth,
            cause,
            endpoint: reply.and_then(|r| r.endpoint),
            behind,
            through: reply.and_then(Reply::through),
        })
    }

    /// Counts requests of which all are lost in the same way, before any endpoint.
    fn lose_all(&mut self, stream: &Stream, range: Range<u64>, class: Class) {
        let many = range.end.saturating_sub(range.start);
        let Some(loss) = Ledger::loss(stream, range.start, class, usize::MAX).filter(|_| many > 0) else {
            return;
        };
        let (cause, behind) = (loss.cause, loss.behind);
        let total = self.total(&stream.id);
        total.sent += many;
        total.lose(loss, many);
        let rows = self.rows_of(&stream.target);
        for (second, seconds, part) in Ledger::seconds(stream, &range) {
            rows.add(second, seconds, |row| row.lose(cause, behind, part.end - part.start));
        }
    }

    /// Counts requests by the replies that they meet.
    fn count_all(&mut self, stream: &Stream, range: Range<u64>) {
        let many = range.end.saturating_sub(range.start);
        let (Some(choice), Some(summary)) = (choice(stream), stream.summary()) else { return };
        let (Some(spread), true) = (choice.spread(), many > 0) else { return };
        self.visit_all(stream, range.clone(), &summary.classes, None);
        let total = self.total(&stream.id);
        total.sent += many;
        for (place, taken) in spread.counts(&range) {
            let (Some(class), Some(reply)) = (summary.classes.get(place), choice.replies().get(place)) else {
                continue;
            };
            match class {
                Class::Answered(takes) => total.answer(reply.endpoint, *takes, taken),
                Class::Lost(..) => {
                    let first = range.clone().find(|n| spread.place(*n) == Some(place));
                    let loss = first.and_then(|nth| Ledger::loss(stream, nth, *class, place));
                    if let Some(loss) = loss {
                        total.lose(loss, taken);
                    }
                }
            }
        }
        let rows = self.rows_of(&stream.target);
        let mut add = |second, seconds, class: Class, many: u64| {
            rows.add(second, seconds, |row| match class {
                Class::Answered(takes) => row.answer(takes, many),
                Class::Lost(cause, behind) => row.lose(cause, behind, many),
            });
        };
        for (second, seconds, part) in Ledger::seconds(stream, &range) {
            let long = part.end - part.start;
            if let Some(only) = summary.only {
                add(second, seconds, only, long);
                continue;
            }
            // Of replies that differ each second has its own mixture.
            for (n, second) in (0..seconds).zip(second..) {
                let part = part.start + n * long..part.end + n * long;
                let mut classes: Vec<(Class, u64)> = Vec::new();
                for (place, taken) in spread.counts(&part) {
                    let Some(class) = summary.classes.get(place) else { continue };
                    match classes.iter_mut().find(|(known, _)| known == class) {
                        Some((_, many)) => *many += taken,
                        None => classes.push((*class, taken)),
                    }
                }
                classes.into_iter().for_each(|(class, many)| add(second, 1, class, many));
            }
        }
    }

    /// Counts requests that all take the same kept connection, one after the other.
    fn over_one_connection(&mut self, stream: &Rc<Stream>, range: Range<u64>) -> Option<u64> {
        let keep = stream.client.keep?;
        let at = stream.client.sent(stream.id.start, range.start);
        let pool = self.pools.get(&stream.id).filter(|p| p.busy.is_empty() && p.waiting.is_empty())?;
        let connection = pool.idle.last()?;
        let Outcome::Answered(response) = &connection.reply.outcome else { return None };
        let by = response.by.as_ref()?;
        let lives = matches!(self.scene.life(&by.process), Some(Life::Serves | Life::Stops));
        // The least time between two requests.
        let gap = SignedDuration::from_nanos(
            i64::try_from(stream.client.per.as_nanos() / i128::from(stream.client.requests.max(1))).ok()?,
        );
        let (takes, lasts) = (response.takes, connection.lasts(keep));
        let plain = lives && response.status < 500 && by.errors.is_none() && takes <= stream.client.timeout;
        let unlimited = !by.is_limited() || takes.is_zero();
        let apart = takes <= gap && gap + SignedDuration::from_nanos(1) - takes < lasts;
        if !plain || !unlimited || !apart || later(connection.since, lasts) <= at {
            return None;
        }
        // The last request that the server answers over the connection is followed, because it closes it. So is the last one before
        // the time is over, whose answer may come after that.
        let room = connection.more().map_or(u64::MAX, |more| u64::from(more.saturating_sub(1)));
        let many = (range.end - range.start).saturating_sub(1).min(room);
        if many < FEW {
            return None;
        }
        let end = range.start + many;
        let reply = connection.reply.clone();
        let (endpoint, since) = (reply.endpoint, stream.client.sent(stream.id.start, end - 1));
        let pool = self.pools.get_mut(&stream.id)?;
        if let Some(connection) = pool.idle.last_mut() {
            connection.used = connection.used.saturating_add(u32::try_from(many).unwrap_or(u32::MAX));
            connection.since = later(since, takes);
        }
        let range = self.in_window(stream, range.start..end);
        self.visit_all(stream, range.clone(), &[], Some(&reply));
        let many = range.end.saturating_sub(range.start);
        if many > 0 {
            let total = self.total(&stream.id);
            total.sent += many;
            total.answer(endpoint, takes, many);
            let rows = self.rows_of(&stream.target);
            for (second, seconds, part) in Ledger::seconds(stream, &range) {
                rows.add(second, seconds, |row| row.answer(takes, part.end - part.start));
            }
        }
        Some(end)
    }
}
