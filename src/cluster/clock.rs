//! Virtual time: it stands still while there is something to do and then jumps to the next
//! deadline.

use crate::api::{Key, Timestamp};
use crate::etcd::Map;

use super::action::Actor;

/// A deadline: when, whose, for which key.
type Deadline = (Timestamp, Actor, Key);

/// The time and all deadlines.
#[derive(Clone, Debug)]
pub struct Clock {
    now: Timestamp,
    foreground: Map<Deadline, ()>,
    // Heartbeats and resyncs: they never keep a cluster from being steady.
    background: Map<Deadline, ()>,
}

impl Clock {
    /// A clock that stands at a moment.
    pub fn new(now: Timestamp) -> Clock {
        Clock { now, foreground: Map::new(), background: Map::new() }
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    pub(super) fn set(
        &mut self,
        actor: Actor,
        key: Key,
        at: Timestamp,
        replaces: Option<Timestamp>,
        background: bool,
    ) {
        if let Some(old) = replaces {
            let old = (old, actor, key.clone());
            self.foreground.remove(&old);
            self.background.remove(&old);
        }
        let map = if background { &mut self.background } else { &mut self.foreground };
        map.insert((at, actor, key), ());
    }

    /// Forgets the deadlines of a component.
    pub(super) fn forget(&mut self, actor: Actor) {
        for map in [&mut self.foreground, &mut self.background] {
            let gone: Vec<Deadline> = map.keys().filter(|(_, a, _)| *a == actor).cloned().collect();
            for d in gone {
                map.remove(&d);
            }
        }
    }

    /// The deadlines a cluster waits for, soonest first.
    pub fn deadlines(&self) -> impl Iterator<Item = (Timestamp, Actor, &Key)> {
        self.foreground.keys().map(|(t, a, k)| (*t, *a, k))
    }

    /// The next moment that the cluster waits for.
    pub fn next(&self) -> Option<Timestamp> {
        self.foreground.get_min().map(|((t, _, _), ())| *t)
    }

    /// Jumps to a moment; the deadlines up to it, soonest first.
    pub(super) fn advance(&mut self, to: Timestamp) -> Vec<(Actor, Key)> {
        self.now = self.now.max(to);
        let mut due: Vec<Deadline> = Vec::new();
        for map in [&mut self.foreground, &mut self.background] {
            while let Some((first, ())) = map.get_min().filter(|((t, _, _), ())| *t <= to) {
                let first = first.clone();
                map.remove(&first);
                due.push(first);
            }
        }
        due.sort();
        due.into_iter().map(|(_, a, k)| (a, k)).collect()
    }
}
