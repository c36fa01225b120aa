//! The components that listen to an informer (`sharedProcessor`), and what their handlers have not been told yet.
//!
//! Each listener of client-go has a queue of its own (`pendingNotifications`). Here they share one: a change is in it once, until the last
//! listener has been told of it, and a listener knows how far it is. Twenty components listen to the pods of kube-controller-manager, so
//! this is a twentieth of the memory, and so much less to copy when a cluster is.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::api::{Key, Object, queue};

/// A change of an object, as handlers are told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// Namespace and name.
    pub key: Key,
    /// The object before; `None` if it is new.
    pub old: Option<Object>,
    /// The object after; `None` if it is gone.
    pub new: Option<Object>,
}

impl Notification {
    /// The object, in its last known state.
    pub fn object(&self) -> Option<&Object> {
        self.new.as_ref().or(self.old.as_ref())
    }
}

/// A component that listens to an informer.
#[derive(Clone, Debug)]
pub struct Listener {
    /// The component, by its place in the process.
    pub component: usize,
    /// The component's watch that it listens for, by its place in
    /// [`Component::watches`](super::Component::watches).
    pub watch: usize,
    /// The objects that were there when it began to listen and that it has not been told of, as if they were new.
    known: VecDeque<Rc<Notification>>,
    /// The number of the change that it is told of next.
    next: u64,
}

/// A change, and how many listeners have not been told of it.
#[derive(Clone, Debug)]
struct Untold {
    seen: Rc<Notification>,
    listeners: usize,
}

/// The listeners of an informer, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct Listeners {
    all: Vec<Listener>,
    /// The changes that somebody has not been told of, oldest first. As everybody is told of all changes in order, the first is the
    /// one that the slowest listener is told of next.
    untold: VecDeque<Untold>,
    /// The number of the first of them.
    first: u64,
}

impl Listeners {
    /// Whether nobody listens.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The listeners, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = &Listener> {
        self.all.iter()
    }

    /// The place of a component among the listeners.
    pub fn place_of(&self, component: usize) -> Option<usize> {
        self.all.iter().position(|l| l.component == component)
    }

    /// Adds a listener, which is told of these objects first and then of the changes from now on.
    pub(crate) fn add(&mut self, component: usize, watch: usize, known: impl Iterator<Item = Notification>) {
        let next = self.end();
        self.all.push(Listener { component, watch, known: known.map(Rc::new).collect(), next });
    }

    /// Removes the listener of a component.
    pub(crate) fn remove(&mut self, component: usize) {
        let Some(place) = self.place_of(component) else { return };
        let gone = self.all.remove(place);
        let told = self.told(&gone);
        self.untold.iter_mut().skip(told).for_each(|u| u.listeners -= 1);
        while self.untold.front().is_some_and(|u| u.listeners == 0) {
            self.untold.pop_front();
            self.first += 1;
        }
    }

    /// Forgets what nobody has been told yet.
    pub(crate) fn forget(&mut self) {
        self.first = self.end();
        self.untold = VecDeque::new();
        for l in &mut self.all {
            l.known = VecDeque::new();
            l.next = self.first;
        }
    }

    /// A change that all are to be told of.
    pub(crate) fn push(&mut self, seen: Rc<Notification>) {
        match self.all.len() {
            0 => self.first += 1,
            listeners => self.untold.push_back(Untold { seen, listeners }),
        }
    }

    /// The number of the next change.
    fn end(&self) -> u64 {
        self.first + self.untold.len() as u64
    }

    /// How many of the changes that are kept a listener has been told of.
    fn told(&self, listener: &Listener) -> usize {
        usize::try_from(listener.next - self.first).unwrap_or(usize::MAX)
    }

    /// Whether all listeners have been told of everything.
    pub fn is_quiet(&self) -> bool {
        self.untold.is_empty() && self.all.iter().all(|l| l.known.is_empty())
    }

    /// Whether the listener at a place has not been told of everything.
    pub fn waits(&self, place: usize) -> bool {
        self.all.get(place).is_some_and(|l| !l.known.is_empty() || l.next < self.end())
    }

    /// The components that have not been told of everything.
    pub fn waiting(&self) -> impl Iterator<Item = usize> {
        let end = self.end();
        self.all.iter().filter(move |l| !l.known.is_empty() || l.next < end).map(|l| l.component)
    }

    /// How many changes the listener at a place has not been told of.
    pub fn count(&self, place: usize) -> usize {
        self.all.get(place).map_or(0, |l| l.known.len() + self.untold.len() - self.told(l))
    }

    /// The changes that the listener at a place has not been told of, oldest first.
    pub fn untold(&self, place: usize) -> impl Iterator<Item = &Notification> {
        let (known, rest) = match self.all.get(place) {
            Some(l) => (Some(&l.known), self.told(l)),
            None => (None, self.untold.len()),
        };
        let known = known.into_iter().flatten();
        known.chain(self.untold.iter().skip(rest).map(|u| &u.seen)).map(|seen| &**seen)
    }

    /// Takes the oldest change that the listener at a place has not been told of.
    pub fn take(&mut self, place: usize) -> Option<Rc<Notification>> {
        let l = self.all.get_mut(place)?;
        if let Some(known) = queue::take(&mut l.known) {
            return Some(known);
        }
        let at = usize::try_from(l.next - self.first).ok()?;
        let untold = self.untold.get_mut(at)?;
        l.next += 1;
        untold.listeners -= 1;
        if untold.listeners > 0 {
            return Some(untold.seen.clone());
        }
        // The last one that had to be told of it is the slowest of all, so it is the first.
        self.first += 1;
        queue::take(&mut self.untold).map(|u| u.seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(n: usize) -> Rc<Notification> {
        Rc::new(Notification { key: Key::new("default", &format!("web-{n}")), old: None, new: None })
    }

    fn names<'a>(changes: impl Iterator<Item = &'a Notification>) -> Vec<&'a str> {
        changes.map(|n| &*n.key.name).collect()
    }

    /// `client-go/tools/cache/shared_informer.go`: `sharedProcessor.distribute` hands each change to each listener, whose `run`
    /// takes them in this order; `addListener` after the start gives the new one what the indexer holds before anything else.
    #[test]
    fn each_listener_is_told_of_each_change_once_and_in_order() {
        let mut all = Listeners::default();
        all.push(change(0));
        all.add(3, 0, std::iter::empty());
        all.add(7, 1, std::iter::empty());
        (1..4).for_each(|n| all.push(change(n)));
        assert_eq!((all.count(0), all.count(1), all.is_quiet()), (3, 3, false));
        assert_eq!(all.take(0).map(|n| n.key.name.clone()).as_deref(), Some("web-1"));
        let before = all.clone();
        assert_eq!(all.take(0).map(|n| n.key.name.clone()).as_deref(), Some("web-2"));
        assert_eq!(names(all.untold(0)), ["web-3"]);
        assert_eq!(names(all.untold(1)), ["web-1", "web-2", "web-3"]);
        // A third hears of what is there first.
        let known = [Notification { key: Key::new("default", "known"), old: None, new: None }];
        all.add(9, 0, known.into_iter());
        all.push(change(4));
        assert_eq!(names(all.untold(2)), ["known", "web-4"]);
        assert_eq!(all.waiting().collect::<Vec<_>>(), [3, 7, 9]);
        let mut told = Vec::new();
        while let Some(seen) = all.take(1) {
            told.push(seen.key.name.to_string());
        }
        assert_eq!(told, ["web-1", "web-2", "web-3", "web-4"]);
        assert_eq!((all.waits(1), all.untold.len()), (false, 2), "what all know is kept no longer");
        all.remove(3);
        assert_eq!((all.place_of(9), all.untold.len()), (Some(1), 1));
        assert_eq!(all.take(1).map(|n| n.key.name.clone()).as_deref(), Some("known"));
        assert_eq!(all.take(1).map(|n| n.key.name.clone()).as_deref(), Some("web-4"));
        assert!(all.take(1).is_none() && all.is_quiet() && all.untold.is_empty());
        // The copy is as it was.
        assert_eq!((names(before.untold(0)).len(), names(before.untold(1)).len()), (2, 3));
        all.push(change(5));
        all.forget();
        assert!(all.is_quiet() && all.take(0).is_none());
        all.push(change(6));
        assert_eq!((names(all.untold(0)), all.count(1)), (vec!["web-6"], 1));
    }
}
