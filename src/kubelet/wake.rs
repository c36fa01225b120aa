//! When a pod's worker takes its next turn by itself, and whether the cluster waits for it.

use crate::api::Timestamp;

/// The retry of a sync that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// When it is due.
    pub at: Timestamp,
    /// Whether the cluster waits for it.
    pub sort: WakeSort,
}

/// Whether a cluster waits for a pod's next turn. Of two deadlines the one of the smaller sort counts more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WakeSort {
    /// It does: [`Wait::Foreground`](crate::client::Wait::Foreground).
    Foreground,
    /// It does not, but meets the turn on time: [`Wait::Recurring`](crate::client::Wait::Recurring).
    Recurring,
    /// It does not, because the turn can only fail again: [`Wait::Background`](crate::client::Wait::Background).
    Background,
}

/// The deadlines of a pod's next turn, of each sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wakes {
    /// The one that the cluster waits for.
    pub foreground: Option<Timestamp>,
    /// The one that recurs.
    pub recurring: Option<Timestamp>,
    /// The one in the background.
    pub background: Option<Timestamp>,
}

impl Wakes {
    /// Adds a deadline.
    pub fn add(&mut self, sort: WakeSort, at: Timestamp) {
        let one = match sort {
            WakeSort::Foreground => &mut self.foreground,
            WakeSort::Recurring => &mut self.recurring,
            WakeSort::Background => &mut self.background,
        };
        *one = Some(one.map_or(at, |before| before.min(at)));
    }
}
