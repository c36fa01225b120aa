//! Which moments keep their clusters: one for every so many commands, and fewer of those that are long ago.
//!
//! A kept cluster costs memory twice: what it was stays in memory, and later writes have to copy what it
//! shares with the present one. On a cluster of ten thousand pods, two hundred commands touch other parts of
//! every tree, so each kept cluster has megabytes of its own.

use super::{Moment, MomentId, Session};

/// A moment keeps its cluster when repeating the moments since the last kept one would be this much work, in
/// commands: a few milliseconds.
const KEEP_EVERY: usize = 256;
/// This many of the last kept clusters stay. Twice as far back every second one stays, and so on. Going back
/// over `n` commands then repeats at most a quarter of them, or [`KEEP_EVERY`]. (With twice as many it would be an eighth, and
/// more of the nodes of trees would be copies: see "What a pod's memory is" in docs/benchmarks.md.)
const RECENT: usize = 8;

/// What a moment knows of the kept clusters on the path to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trail {
    /// The number of commands since the last kept cluster.
    since: usize,
    /// The number of clusters that were kept because repeating would be too much work.
    nth: usize,
    /// The last moment with such a cluster; the root if there is none.
    last: MomentId,
}

impl Session {
    /// The trail of a new moment `id` after the current one, which took this much work, and whether the
    /// moment keeps its cluster. After what a person did it always does.
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

    /// Drops old clusters when the `nth` is kept, from the moment `last` backwards.
    fn thin_out(&mut self, nth: usize, last: MomentId) {
        let mut id = last;
        while let Some(m) = self.moments.get_mut(id).filter(|m| m.trail.nth > 0) {
            let Moment { trail, kept, .. } = m;
            // Those with odd numbers are dropped first; the more often a number can be halved, the longer
            // its cluster stays.
            if nth - trail.nth >= RECENT << trail.nth.trailing_zeros() {
                *kept = None;
            }
            id = self.kept_before(id);
        }
    }

    /// The last moment before this one that was kept because of the work.
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
        let line = s.timeline().to_vec();
        // In this test each moment counts as 256 commands.
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
