//! What a controller remembers between syncs: [`Memory`].

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
}

impl Memory for () {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        Vec::new()
    }
}
