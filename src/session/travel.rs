//! Going to a moment in slices. If the moment has not kept its cluster, the moments since the last kept one
//! are repeated, which can take a while at reconcile depth.

use std::rc::Rc;

use super::steps::redo;
use super::{MomentId, NEAR, Op, Session};
use crate::cluster::Cluster;

/// The repetition of moments on the way to one.
#[derive(Clone, Debug)]
pub struct Travel {
    to: MomentId,
    cluster: Cluster,
    /// The moments that are left to repeat, the last first.
    left: Vec<(MomentId, Rc<Op>)>,
    of: usize,
    /// Clusters on the way that the session keeps, as `look_at` does, because after one step back another is
    /// likely.
    near: Vec<(MomentId, Cluster)>,
}

impl Travel {
    /// The number of repeated steps, and the number of all steps to repeat.
    pub fn progress(&self) -> (u64, u64) {
        ((self.of - self.left.len()) as u64, self.of as u64)
    }

    /// Repeats at most `steps` steps. Returns whether all are done.
    pub fn advance(&mut self, steps: usize) -> bool {
        for _ in 0..steps {
            let Some((id, op)) = self.left.pop() else { break };
            redo(&mut self.cluster, &op);
            if self.left.len().is_power_of_two() {
                self.near.push((id, self.cluster.clone()));
            }
        }
        self.left.is_empty()
    }
}

impl Session {
    /// Begins to go to a moment, from the nearest one before it whose cluster is at hand. `None` if there is
    /// no such moment.
    pub fn travel(&self, to: MomentId) -> Option<Travel> {
        let mut left = Vec::new();
        let mut id = to;
        let cluster = loop {
            let moment = self.moments.get(id)?;
            if let Some(cluster) = self.at_hand(id) {
                break cluster.clone();
            }
            left.push((id, moment.op.clone()));
            id = moment.parent?;
        };
        let of = left.len();
        Some(Travel { to, cluster, left, of, near: Vec::new() })
    }

    /// Ends the way to a moment, as [`Session::goto`]. `false` if it is not done yet.
    pub fn arrive(&mut self, travel: Travel) -> bool {
        if !travel.left.is_empty() || travel.to >= self.moments.len() {
            return false;
        }
        self.give_up();
        self.show_branch_of(travel.to);
        self.keep_end();
        self.near.extend(travel.near);
        let surplus = self.near.len().saturating_sub(NEAR);
        self.near.drain(..surplus);
        self.cluster = travel.cluster;
        self.at = travel.to;
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::session::{Depth, Session, Start, scenario};

    #[test]
    fn the_way_leads_where_a_leap_leads() {
        let mut s = Session::new(Start::default());
        s.apply(&scenario::all().remove(0).manifest.replace("replicas: 3", "replicas: 200"));
        while s.step(Depth::Command, None) {}
        let last = s.at();
        let mut behind = 0;
        for to in [last - 1, last - 70, last - 30, 3, last] {
            let mut way = s.travel(to).unwrap();
            while !way.advance(5) {
                assert!(!s.arrive(way.clone()));
                behind += 1;
            }
            assert!(s.arrive(way));
            let mut leap = s.clone();
            leap.goto(0);
            leap.goto(to);
            assert_eq!((s.at(), s.cluster().digest()), (to, leap.cluster().digest()));
        }
        assert!(behind > 0);
        assert!(s.travel(last + 1).is_none());
    }

    #[test]
    fn the_end_of_the_branch_is_at_hand_from_any_moment_before_it() {
        let mut s = Session::new(Start::default());
        s.apply(&scenario::all().remove(0).manifest);
        while s.step(Depth::Command, None) {}
        let (last, end) = (s.at(), s.cluster().digest());
        let is_end = |s: &Session| s.end().map(|c| c.digest()) == Some(end.clone());
        assert!(is_end(&s));
        for to in [last - 1, 3, last, last - 2] {
            s.goto(to);
            assert!(is_end(&s), "{to}");
        }
        // A new branch has another end, and that of the first one is forgotten.
        s.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: other}}");
        assert_eq!(s.end().map(|c| c.digest()), Some(s.cluster().digest()));
        s.goto(last);
        assert!(s.end().is_none_or(|c| c.digest() == end));
    }

    #[test]
    fn steps_done_again_one_by_one_lead_to_the_same_end() {
        let mut s = Session::new(Start::default());
        s.apply(&scenario::all().remove(0).manifest.replace("replicas: 3", "replicas: 200"));
        while s.step(Depth::Command, None) {}
        let (last, end) = (s.at(), s.cluster().digest());
        s.restart();
        let first = s.timeline().get(1).copied().unwrap();
        s.goto(first);
        while s.step(Depth::Command, None) {}
        assert_eq!((s.at(), s.cluster().digest()), (last, end));
    }
}
