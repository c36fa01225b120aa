//! Virtual time: it stands still while there is something to do and then jumps to the next
//! deadline.

use std::ops::Bound;
use std::rc::Rc;

use crate::api::{Key, Timestamp};
use crate::client::{TimerOp, Wait};
use crate::etcd::Map;

use super::action::Actor;

type Set = imbl::GenericOrdSet<Rc<str>, imbl::shared_ptr::RcK>;

/// A deadline: when, whose, for which key.
type Deadline = (Timestamp, Actor, Key);

/// The time and all deadlines.
#[derive(Clone, Debug)]
pub struct Clock {
    now: Timestamp,
    foreground: Map<Deadline, ()>,
    // Heartbeats, resyncs and polls: they never keep a cluster from being steady.
    background: Map<Deadline, ()>,
    // Those in the background that are polls, by what they look at.
    polls: Map<(Rc<str>, Deadline), ()>,
    // Deadlines that only come for a node whose kubelet has stopped, by node.
    watchdogs: Map<(Rc<str>, Deadline), ()>,
    // The nodes whose kubelet has stopped.
    silent: Set,
}

/// Entries of a map that begin with a name.
fn about(map: &Map<(Rc<str>, Deadline), ()>, name: &Rc<str>) -> Vec<Deadline> {
    let first = (Timestamp::MIN, Actor::default(), Key::new("", ""));
    let all = map.range((Bound::Included((name.clone(), first)), Bound::Unbounded));
    all.take_while(|((n, _), ())| n == name).map(|((_, d), ())| d.clone()).collect()
}

/// Removes the entries that are about one of these deadlines.
fn remove_all(map: &mut Map<(Rc<str>, Deadline), ()>, which: impl Fn(&Deadline) -> bool) {
    let gone: Vec<(Rc<str>, Deadline)> = map.keys().filter(|(_, d)| which(d)).cloned().collect();
    for k in gone {
        map.remove(&k);
    }
}

impl Clock {
    /// A clock that stands at a moment.
    pub fn new(now: Timestamp) -> Clock {
        Clock {
            now,
            foreground: Map::new(),
            background: Map::new(),
            polls: Map::new(),
            watchdogs: Map::new(),
            silent: Set::new(),
        }
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    pub(super) fn set(&mut self, actor: Actor, timer: TimerOp) {
        let TimerOp { key, at, replaces, wait } = timer;
        if let Some(old) = replaces {
            let old = (old, actor, key.clone());
            self.foreground.remove(&old);
            self.background.remove(&old);
            remove_all(&mut self.polls, |d| *d == old);
            remove_all(&mut self.watchdogs, |d| *d == old);
        }
        let deadline = (at, actor, key);
        match wait {
            Wait::Watchdog { node } if !self.silent.contains(&node) => {
                self.watchdogs.insert((node, deadline), ());
            }
            Wait::Cancelled => {}
            Wait::Foreground | Wait::Watchdog { .. } => {
                self.foreground.insert(deadline, ());
            }
            Wait::Background => {
                self.background.insert(deadline, ());
            }
            Wait::Poll { namespace } => {
                self.background.insert(deadline.clone(), ());
                self.polls.insert((namespace, deadline), ());
            }
        }
    }

    /// Something in a namespace was written: polls of it are worth waiting for.
    pub(super) fn changed(&mut self, namespace: &Rc<str>) {
        if self.polls.is_empty() {
            return;
        }
        for d in about(&self.polls, namespace) {
            self.polls.remove(&(namespace.clone(), d.clone()));
            if self.background.remove(&d).is_some() {
                self.foreground.insert(d, ());
            }
        }
    }

    /// A node's heart stops: what would come without its beats comes.
    pub(super) fn silence(&mut self, node: &Rc<str>) {
        self.silent.insert(node.clone());
        for d in about(&self.watchdogs, node) {
            self.watchdogs.remove(&(node.clone(), d.clone()));
            let (at, actor, key) = d;
            self.foreground.insert((at.max(self.now), actor, key), ());
        }
    }

    /// A node's heart beats again.
    pub(super) fn revive(&mut self, node: &Rc<str>) {
        self.silent.remove(node);
    }

    /// Forgets the deadlines of a component.
    pub(super) fn forget(&mut self, actor: Actor) {
        for map in [&mut self.foreground, &mut self.background] {
            let gone: Vec<Deadline> = map.keys().filter(|(_, a, _)| *a == actor).cloned().collect();
            for d in gone {
                map.remove(&d);
            }
        }
        remove_all(&mut self.polls, |(_, a, _)| *a == actor);
        remove_all(&mut self.watchdogs, |(_, a, _)| *a == actor);
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
        if !self.polls.is_empty() {
            remove_all(&mut self.polls, |(t, _, _)| *t <= to);
        }
        due.sort();
        due.into_iter().map(|(_, a, k)| (a, k)).collect()
    }
}
