//! The scenes of a run, one after the other, and what became of the requests until any moment.
//!
//! Nothing is worked out before somebody asks. What was worked out once is remembered with the scene, so that whoever asks at every step
//! of a run only waits for what has happened since the last step; clones of a run share what they know of the time before they parted.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use super::ledger::{Ledger, Window};
use super::path::Fate;
use super::request::RequestTrace;
use super::scene::{Scene, Stream, StreamId};
use crate::api::persistent::Vector;
use crate::api::{Timestamp, later};

/// The most scenes that are remembered. Before more are noted, the older half is forgotten, but not what was counted in it.
const SCENES_LIMIT: usize = 8192;
/// The most moments of one scene of which it is remembered what became of the requests until then.
const MOMENTS_LIMIT: usize = 16;

/// A scene from the moment on from which it is valid.
#[derive(Debug)]
struct Epoch {
    at: Timestamp,
    scene: Rc<Scene>,
    /// What became of the requests until some moments. It follows from the scenes before, which stay the same.
    known: RefCell<BTreeMap<Timestamp, Ledger>>,
}

impl Epoch {
    /// The last ledger that is known until a moment.
    fn known_until(&self, moment: Timestamp) -> Option<Ledger> {
        self.known.borrow().range(..=moment).next_back().map(|(_, ledger)| ledger.clone())
    }

    fn remember(&self, ledger: &Ledger) {
        let mut known = self.known.borrow_mut();
        known.insert(ledger.now, ledger.clone());
        if known.len() > MOMENTS_LIMIT {
            // The first one is where the scene begins, and the last one is where the next question will be.
            let second = known.keys().nth(1).copied();
            second.and_then(|second| known.remove(&second));
        }
    }
}

/// The scenes of a run. A run without clients has none.
#[derive(Clone, Debug, Default)]
pub struct History {
    epochs: Vector<Rc<Epoch>>,
}

impl History {
    /// Whether nobody has ever sent anything.
    pub fn is_empty(&self) -> bool {
        self.epochs.is_empty()
    }

    /// The scene that is valid now.
    pub fn scene(&self) -> Option<&Rc<Scene>> {
        self.epochs.last().map(|e| &e.scene)
    }

    /// A stream as it is at a moment: with another rate it has other numbers.
    pub fn stream_at(&self, stream: &StreamId, moment: Timestamp) -> Option<&Rc<Stream>> {
        self.epochs.get(self.place(moment)?)?.scene.stream(stream)
    }

    /// The first request that is sent in a window: when, its stream and its number.
    pub fn first_request(&self, (from, to): Window) -> Option<(Timestamp, StreamId, u64)> {
        let nanosecond = SignedDuration::from_nanos(1);
        let mut place = self.place(from).unwrap_or(0);
        while let Some(epoch) = self.epochs.get(place).filter(|e| e.at <= to) {
            let from = from.max(later(epoch.at, -nanosecond));
            let to = self.epochs.get(place + 1).map_or(to, |next| to.min(later(next.at, -nanosecond)));
            let first = |s: &Rc<Stream>| {
                let nth = s.client.until(s.id.start, from);
                let at = s.client.sent(s.id.start, nth);
                let sends = s.fate != Fate::Unknown && at <= to && s.end.is_none_or(|end| at <= end);
                sends.then(|| (at, (*s.id).clone(), nth))
            };
            if let Some(first) = epoch.scene.streams.iter().filter_map(first).min() {
                return Some(first);
            }
            place += 1;
        }
        None
    }

    /// Since when there are clients.
    pub fn begin(&self) -> Option<Timestamp> {
        self.epochs.front().map(|e| e.at)
    }

    /// Notes that a scene is valid from a moment on.
    pub fn note(&mut self, at: Timestamp, scene: Scene) {
        match self.epochs.last() {
            None if scene.streams.is_empty() => return,
            Some(last) if *last.scene == scene => return,
            // Of several scenes of one moment the last one is meant.
            Some(last) if last.at == at => {
                self.epochs.pop_back();
            }
            _ => {}
        }
        if self.epochs.len() >= SCENES_LIMIT {
            let middle = SCENES_LIMIT / 2;
            if let Some(epoch) = self.epochs.get(middle) {
                self.ledger_at(middle, epoch.at);
            }
            self.epochs = self.epochs.skip(middle);
        }
        self.epochs.push_back(Rc::new(Epoch { at, scene: Rc::new(scene), known: RefCell::default() }));
    }

    /// The number of the scene that is valid at a moment.
    fn place(&self, moment: Timestamp) -> Option<usize> {
        let mut range = (0, self.epochs.len());
        while range.0 < range.1 {
            let middle = usize::midpoint(range.0, range.1);
            match self.epochs.get(middle) {
                Some(epoch) if epoch.at <= moment => range.0 = middle + 1,
                _ => range.1 = middle,
            }
        }
        range.0.checked_sub(1)
    }

    /// What has happened before a moment, which is in the epoch in a place.
    fn ledger_at(&self, place: usize, moment: Timestamp) -> Ledger {
        let known = |n: &usize| {
            // A clone of the run in which the scene stayed for longer may know what was so later than the next scene began here.
            let next = self.epochs.get(n + 1).filter(|_| *n < place);
            let until = next.map_or(moment, |next| next.at.min(moment));
            self.epochs.get(*n).and_then(|e| Some((*n, e.known_until(until)?)))
        };
        let (from, mut ledger) = match (0..=place).rev().find_map(|n| known(&n)) {
            Some((from, ledger)) => (from + 1, ledger),
            None => (0, Ledger::default()),
        };
        for epoch in (from..=place).filter_map(|n| self.epochs.get(n)) {
            ledger.change(epoch.at, epoch.scene.clone());
            epoch.remember(&ledger);
        }
        if ledger.now < moment {
            ledger.advance(moment);
            if let Some(epoch) = self.epochs.get(place) {
                epoch.remember(&ledger);
            }
        }
        ledger
    }

    /// What has become of all requests that were sent until a moment, which is included. Those under way are not counted yet.
    pub fn so_far(&self, moment: Timestamp) -> Ledger {
        let Some(place) = self.place(moment) else { return Ledger::default() };
        let mut ledger = self.ledger_at(place, moment);
        ledger.include(moment);
        ledger
    }

    /// What has happened before a moment, which may be later than the last scene: nothing changes then until that moment. What the scene
    /// of the moment itself does to requests under way has not happened yet.
    pub fn before(&self, moment: Timestamp) -> Ledger {
        let last = later(moment, SignedDuration::from_nanos(-1));
        self.place(last).map(|place| self.ledger_at(place, moment)).unwrap_or_default()
    }

    /// As [`History::so_far`]; what is under way is counted as if nothing changed any more.
    pub fn until(&self, moment: Timestamp) -> Ledger {
        let mut ledger = self.so_far(moment);
        ledger.settle();
        ledger
    }

    /// What became of the requests of a window, as is known at a moment.
    pub fn within(&self, window: Window, now: Timestamp) -> Ledger {
        self.go_through(window, now, None)
    }

    /// What has happened to a request that is sent at a moment, as is known at another one.
    pub fn follow(&self, request: RequestTrace, at: Timestamp, now: Timestamp) -> Option<RequestTrace> {
        self.go_through((at, at), now, Some(request)).followed
    }

    /// What became of all requests until a moment, if each of them is followed.
    #[cfg(test)]
    pub(super) fn one_by_one(&self, followed: RequestTrace, now: Timestamp) -> Ledger {
        let before = Timestamp::MIN;
        self.go_through((before, now), now, Some(followed))
    }

    /// What has happened until a moment.
    pub(super) fn ledger_until(&self, moment: Timestamp) -> Option<Ledger> {
        Some(self.ledger_at(self.place(moment)?, moment))
    }

    /// Goes on with what has happened until a moment, up to another one, which is included.
    pub(super) fn on_from(&self, mut ledger: Ledger, from: Timestamp, until: Timestamp) -> Ledger {
        let mut place = self.place(from).unwrap_or(0);
        while let Some(epoch) = self.epochs.get(place + 1).filter(|e| e.at <= until) {
            ledger.change(epoch.at, epoch.scene.clone());
            place += 1;
        }
        ledger.include(until);
        ledger
    }

    /// The scenes between two moments, the last one first, each with the part of that time in which it is valid.
    pub fn scenes_back(
        &self,
        from: Timestamp,
        until: Timestamp,
    ) -> impl Iterator<Item = (Timestamp, Timestamp, &Rc<Scene>)> {
        let last = self.place(until).map_or(0, |place| place + 1);
        let first = self.place(from).unwrap_or(0);
        (first..last).rev().filter_map(move |n| {
            let epoch = self.epochs.get(n)?;
            let end = self.epochs.get(n + 1).map_or(until, |next| next.at.min(until));
            Some((epoch.at.max(from), end, &epoch.scene))
        })
    }

    fn go_through(&self, window: Window, now: Timestamp, followed: Option<RequestTrace>) -> Ledger {
        let begin = self.begin().unwrap_or(now);
        let from = window.0.max(begin);
        let Some(mut ledger) = self.ledger_until(from) else { return Ledger::default() };
        ledger.begin(window);
        ledger.one_by_one = followed.is_some();
        ledger.followed = followed;
        let mut ledger = self.on_from(ledger, from, now);
        ledger.settle();
        ledger
    }
}
