//! What a controller remembers between syncs: [`Memory`].

use super::indexer::Caches;
use crate::api::Timestamp;

/// What a controller remembers between syncs. It is cloned with every step, so it is made of
/// persistent maps ([`Map`](crate::api::persistent::Map)), `Rc`s and small values.
pub trait Memory: Clone + Default + 'static {
    /// What is remembered, a line each, for the component map and for the explorer, which takes two
    /// states of a cluster for one if these lines are the same.
    ///
    /// Whatever can change what the controller writes later has to be in the lines. Names of objects
    /// are written whole and uids and moments (as RFC 3339) too: the explorer replaces a name by the
    /// object it stands for and leaves moments out. A moment that decides something later is written
    /// as milliseconds from `now`.
    fn lines(&self, now: Timestamp) -> Vec<String>;

    /// What the controller waits for until its process's caches have it, a line each. These lines belong to those of
    /// [`Memory::lines`], but depend on the caches too. A state that holds a [`Consistency`](super::Consistency) returns
    /// the lines of that.
    fn waits_for(&self, _caches: &Caches) -> Vec<String> {
        Vec::new()
    }
}

impl Memory for () {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        Vec::new()
    }
}
