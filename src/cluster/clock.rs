//! Virtual time. It stands still while any action is enabled, and then jumps to the next deadline.
//!
//! Six sorts of deadlines differ in whether the cluster waits for them. It waits for those in the foreground. It does
//! not wait for those of schedules, for recurring ones and for resyncs, but meets them on time. Those in the background are met whenever
//! time passes, and watchdogs while a kubelet is silent.

use std::ops::Bound;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::order;
use crate::api::persistent::Map;
use crate::api::{Key, Timestamp, later};
use crate::client::{ANYWHERE, AnyKey, TimerOp, Wait};

use super::action::Actor;

type Set = imbl::GenericOrdSet<Rc<str>, imbl::shared_ptr::RcK>;

/// The moment of a deadline, the component that has set it, and the key to be enqueued.
type Deadline = (Timestamp, Actor, AnyKey);

/// The present moment and all deadlines.
#[derive(Clone, Debug)]
pub struct Clock {
    now: Timestamp,
    foreground: Map<Deadline, ()>,
    // The next runs of schedules that never end.
    scheduled: Map<Deadline, ()>,
    // What recurs for ever without showing anything new.
    recurring: Map<Deadline, ()>,
    // The next looks of components that look again at regular intervals. A cluster in which nothing else is left to
    // do is steady, and time does not pass to them.
    resyncs: Map<Deadline, ()>,
    // Heartbeats and polls. They do not keep a cluster from being steady.
    background: Map<Deadline, ()>,
    // The polls among the background deadlines by the namespace whose objects they read, and the resyncs.
    polls: Map<(Rc<str>, Deadline), ()>,
    // Watchdogs of nodes whose kubelet runs. They are not met while it does. Each has the shortest time
    // after the end of the heartbeats at which it can be met.
    watchdogs: Map<(Rc<str>, Deadline), SignedDuration>,
    // Watchdogs of nodes whose kubelet has stopped. Each is met after all other deadlines of its moment.
    barking: Map<Deadline, (Rc<str>, SignedDuration)>,
    // The nodes whose kubelet has stopped.
    silent: Set,
}

/// The entries of a map for one name, a namespace or a node.
fn about<V: Clone>(map: &Map<(Rc<str>, Deadline), V>, name: &Rc<str>) -> Vec<(Deadline, V)> {
    let first = (Timestamp::MIN, Actor::default(), AnyKey::from(Key::new("", "")));
    let all = map.range((Bound::Included((name.clone(), first)), Bound::Unbounded));
    all.take_while(|((n, _), _)| n == name).map(|((_, d), v)| (d.clone(), v.clone())).collect()
}

/// Removes the entries whose key `which` accepts.
fn remove_all<K: Clone + Ord, V: Clone>(map: &mut Map<K, V>, which: impl Fn(&K) -> bool) {
    let gone: Vec<K> = map.keys().filter(|k| which(k)).cloned().collect();
    for k in gone {
        map.remove(&k);
    }
}

impl Clock {
    /// A clock without deadlines.
    pub fn new(now: Timestamp) -> Clock {
        Clock {
            now,
            foreground: Map::new(),
            scheduled: Map::new(),
            recurring: Map::new(),
            resyncs: Map::new(),
            background: Map::new(),
            polls: Map::new(),
            watchdogs: Map::new(),
            barking: Map::new(),
            silent: Set::new(),
        }
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    pub(super) fn set(&mut self, actor: Actor, timer: TimerOp) {
        let (key, at, wait) = match timer {
            TimerOp::Set { key, at, replaces, wait } => {
                if let Some(old) = replaces {
                    self.remove(actor, &key, old);
                }
                (key, at, wait)
            }
            TimerOp::Cancel { key, at } => return self.remove(actor, &key, at),
        };
        // A deadline at the end of time is never met, so it is dropped.
        if at == Timestamp::MAX {
            return;
        }
        let deadline = (at, actor, key);
        match wait {
            Wait::Watchdog { node, after } if self.silent.contains(&node) => {
                self.barking.insert(deadline, (node, after));
            }
            Wait::Watchdog { node, after } => {
                self.watchdogs.insert((node, deadline), after);
            }
            Wait::Foreground => {
                self.foreground.insert(deadline, ());
            }
            Wait::Schedule => {
                self.scheduled.insert(deadline, ());
            }
            Wait::Recurring => {
                self.recurring.insert(deadline, ());
            }
            Wait::Resync => {
                self.resyncs.insert(deadline.clone(), ());
                self.polls.insert((ANYWHERE.into(), deadline), ());
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

    /// Removes the deadline of a key, which was set for the moment `at`.
    fn remove(&mut self, actor: Actor, key: &AnyKey, at: Timestamp) {
        // A key has one deadline, which is in one of the maps. The polls and the watchdogs are in the order of their
        // namespaces and nodes, so that all of them are looked at: this is left for when nothing else has it.
        let old = (at, actor, key.clone());
        let mut plain = [&mut self.foreground, &mut self.scheduled, &mut self.recurring].into_iter();
        if plain.any(|map| map.remove(&old).is_some()) {
            return;
        }
        if self.resyncs.remove(&old).or_else(|| self.background.remove(&old)).is_some() {
            return remove_all(&mut self.polls, |(_, d)| *d == old);
        }
        // A watchdog may have been moved to a later moment, so it is found by its key.
        let same = |(_, a, k): &Deadline| *a == actor && k == key;
        remove_all(&mut self.watchdogs, |(_, d)| same(d));
        remove_all(&mut self.barking, same);
    }

    /// Something in a namespace was written: polls of that namespace become foreground deadlines.
    pub(super) fn changed(&mut self, namespace: &Rc<str>) {
        if self.polls.is_empty() {
            return;
        }
        for (d, ()) in about(&self.polls, namespace) {
            self.polls.remove(&(namespace.clone(), d.clone()));
            self.wait_for(d);
        }
    }

    /// Makes a poll or a resync a foreground deadline.
    fn wait_for(&mut self, deadline: Deadline) {
        if self.background.remove(&deadline).or_else(|| self.resyncs.remove(&deadline)).is_some() {
            self.foreground.insert(deadline, ());
        }
    }

    /// Something was written: polls of all namespaces become foreground deadlines.
    pub(super) fn changed_anywhere(&mut self) {
        if !self.polls.is_empty() {
            self.changed(&ANYWHERE.into());
        }
    }

    /// The API server answers again: all polls become foreground deadlines.
    pub(super) fn changed_all(&mut self) {
        let polls: Vec<Deadline> = self.polls.keys().map(|(_, d)| d.clone()).collect();
        self.polls = Map::new();
        for d in polls {
            self.wait_for(d);
        }
    }

    /// A node's kubelet has stopped: the node's watchdogs become foreground deadlines.
    pub(super) fn silence(&mut self, node: &Rc<str>) {
        self.silent.insert(node.clone());
        for (d, after) in about(&self.watchdogs, node) {
            self.watchdogs.remove(&(node.clone(), d.clone()));
            let (at, actor, key) = d;
            let at = at.max(later(self.now, after));
            self.barking.insert((at, actor, key), (node.clone(), after));
        }
    }

    /// A node's kubelet runs again: the node's watchdogs are not met any more.
    pub(super) fn revive(&mut self, node: &Rc<str>) {
        self.silent.remove(node);
        let of_node: Vec<(Deadline, SignedDuration)> =
            self.barking.iter().filter(|(_, (n, _))| n == node).map(|(d, (_, a))| (d.clone(), *a)).collect();
        for (d, after) in of_node {
            self.barking.remove(&d);
            self.watchdogs.insert((node.clone(), d), after);
        }
    }

    /// All deadlines but watchdogs.
    fn maps(&mut self) -> [&mut Map<Deadline, ()>; 5] {
        let Clock { foreground, scheduled, recurring, resyncs, background, .. } = self;
        [foreground, scheduled, recurring, resyncs, background]
    }

    /// Drops all deadlines of a component.
    pub(super) fn forget(&mut self, actor: Actor) {
        for map in self.maps() {
            let gone: Vec<Deadline> = map.keys().filter(|(_, a, _)| *a == actor).cloned().collect();
            for d in gone {
                map.remove(&d);
            }
        }
        remove_all(&mut self.polls, |(_, (_, a, _))| *a == actor);
        remove_all(&mut self.watchdogs, |(_, (_, a, _))| *a == actor);
        remove_all(&mut self.barking, |(_, a, _)| *a == actor);
    }

    /// The foreground deadlines, soonest first: the moment, the component, the key.
    pub fn deadlines(&self) -> impl Iterator<Item = (Timestamp, Actor, &AnyKey)> {
        let mut all: Vec<_> = self.foreground.keys().chain(self.barking.keys()).collect();
        order::sort(&mut all);
        all.into_iter().map(|(t, a, k)| (*t, *a, k))
    }

    /// Whether a deadline is in the foreground: time passes until it is met before the cluster counts as
    /// steady.
    pub fn is_waited_for(&self, at: Timestamp, actor: Actor, key: &AnyKey) -> bool {
        let deadline = (at, actor, key.clone());
        self.foreground.contains_key(&deadline) || self.barking.contains_key(&deadline)
    }

    /// The moment of the next deadline that is met on time, at least the present one. `None` if the cluster waits for
    /// no deadline.
    pub fn next(&self) -> Option<Timestamp> {
        self.next_waited_for()?;
        self.next_or_scheduled()
    }

    /// The next deadline that the cluster waits for.
    pub fn next_waited_for(&self) -> Option<Timestamp> {
        let foreground = self.foreground.get_min().map(|((t, _, _), ())| *t);
        let barking = self.barking.get_min().map(|((t, _, _), _)| *t);
        foreground.into_iter().chain(barking).min()
    }

    /// The next deadline that the cluster waits for or, if there is none, the next that it meets by itself.
    pub fn next_or_scheduled(&self) -> Option<Timestamp> {
        let by_itself = self.next_by_itself().map(|(t, ..)| t);
        let first = self.next_waited_for().into_iter().chain(by_itself).min()?;
        Some(self.next_resync().map_or(first, |t| first.min(t)).max(self.now))
    }

    /// The moment of the next resync that the cluster does not wait for, at least the present one.
    pub fn next_resync(&self) -> Option<Timestamp> {
        self.resyncs.get_min().map(|((t, _, _), ())| (*t).max(self.now))
    }

    /// What happens next in a steady cluster if time passes, which is a run of a schedule or something that recurs: the moment,
    /// the component, the key.
    pub fn next_by_itself(&self) -> Option<(Timestamp, Actor, &AnyKey)> {
        let recurring = self.recurring.get_min().map(|((t, a, k), ())| (*t, *a, k));
        self.next_scheduled().into_iter().chain(recurring).min_by_key(|(t, a, _)| (*t, *a))
    }

    /// The next run of a schedule: the moment, the component, the key.
    pub fn next_scheduled(&self) -> Option<(Timestamp, Actor, &AnyKey)> {
        self.scheduled.get_min().map(|((t, a, k), ())| (*t, *a, k))
    }

    /// Sets the time to `to`, and removes and returns the deadlines up to it, soonest first. Watchdogs are
    /// only among them if there are no others.
    pub(super) fn advance(&mut self, to: Timestamp) -> Vec<(Actor, AnyKey)> {
        self.now = self.now.max(to);
        let mut due: Vec<Deadline> = Vec::new();
        for map in self.maps() {
            while let Some((first, ())) = map.get_min().filter(|((t, _, _), ())| *t <= to) {
                let first = first.clone();
                map.remove(&first);
                due.push(first);
            }
        }
        if !self.polls.is_empty() {
            remove_all(&mut self.polls, |(_, (t, _, _))| *t <= to);
        }
        if due.is_empty() {
            while let Some((first, _)) = self.barking.get_min().filter(|((t, _, _), _)| *t <= to) {
                let first = first.clone();
                self.barking.remove(&first);
                due.push(first);
            }
        }
        order::sort(&mut due);
        due.into_iter().map(|(_, a, k)| (a, k)).collect()
    }
}
