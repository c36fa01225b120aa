//! Which moments keep their clusters: one in so many commands, and the fewer the longer ago they were.
//!
//! A cluster that is kept costs twice: what it was stays in memory, and every later write has to copy what
//! it shares with it. In ten thousand pods two hundred commands touch other parts of every tree, so each
//! cluster that is kept holds megabytes of its own.

use super::{Moment, MomentId, Session};

/// A moment keeps its cluster when repeating what led to it would be this much work, counted in
/// commands: a few milliseconds.
const KEEP_EVERY: usize = 256;
/// So many clusters in a row stay kept; twice as far back every second of them, and so on. Going back
/// over `n` commands repeats at most an eighth of as many, or [`KEEP_EVERY`].
const RECENT: usize = 16;

/// What a moment knows of the clusters that were kept on the way to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trail {
    /// How many commands were issued since the last of them.
    since: usize,
    /// How many of them were kept for the work it would be to repeat what led there.
    nth: usize,
    /// The last of these; the root if there is none.
    last: MomentId,
}

impl Session {
    /// The trail of a moment `id` that is about to follow the current one after so much work, and whether
    /// its cluster is to be kept. What a person did keeps it always.
    pub(super) fn follow_trail(&mut self, id: MomentId, work: usize, person: bool) -> (Trail, bool) {
        let Trail { since, nth, last } = self.current().trail;
        let since = since + work;
        if person {
            return (Trail { since: 0, nth, last }, true);
        }
        if since < KEEP_EVERY {
            return (Trail { since, nth, last }, false);
        }
        self.thin_out(nth + 1, last);
        (Trail { since: 0, nth: nth + 1, last: id }, true)
    }

    /// Lets go of clusters that have become old when the `nth` is kept: from the `last` one back.
    fn thin_out(&mut self, nth: usize, last: MomentId) {
        let mut id = last;
        while let Some(m) = self.moments.get_mut(id).filter(|m| m.trail.nth > 0) {
            let Moment { trail, kept, .. } = m;
            // An odd one goes first, and what can be halved most often stays longest.
            if nth - trail.nth >= RECENT << trail.nth.trailing_zeros() {
                *kept = None;
            }
            id = self.kept_before(id);
        }
    }

    /// The last moment before one that was kept for the work.
    fn kept_before(&self, id: MomentId) -> MomentId {
        let parent = self.moments.get(id).and_then(|m| m.parent);
        parent.and_then(|p| self.moments.get(p)).map_or(0, |p| p.trail.last)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{Depth, Start, scenario};

    #[test]
    fn the_longer_ago_the_fewer_clusters_are_kept() {
        let mut s = Session::new(Start::default());
        s.apply(&scenario::all().remove(0).manifest.replace("replicas: 3", "replicas: 300"));
        while s.step(Depth::Command, None) {}
        let line = s.timeline();
        // As if each moment had been a command's 256.
        let (mut nth, mut last) = (0, 0);
        for id in line.iter().skip(2) {
            s.thin_out(nth + 1, last);
            (nth, last) = (nth + 1, *id);
            let cluster = s.cluster.clone();
            let m = &mut s.moments[*id];
            m.trail = Trail { since: 0, nth, last };
            m.kept = Some(cluster.into());
        }
        let kept: Vec<usize> = s.moments.iter().filter(|m| m.kept.is_some()).map(|m| m.trail.nth).collect();
        assert!(kept.len() < 100, "{}", kept.len());
        assert!((nth - RECENT + 1..=nth).all(|n| kept.contains(&n)));
        for pair in kept.windows(2) {
            let gap = pair[1] - pair[0];
            assert!(gap == 1 || gap * RECENT / 2 <= nth - pair[0], "{pair:?} of {nth}");
        }
    }
}
