//! A run as a person sees it: history, time travel, branches, scenarios, the share link.
//!
//! A [`Session`] is a tree of moments. A moment has what led to it and the [`Op`] that repeats it. Some
//! moments keep their whole [`Cluster`] (a value that shares almost everything with its neighbours); the
//! cluster of any other moment is computed from the last kept one. The ops from the root to a moment are
//! what a link contains.
//!
//! ```
//! use steady::session::{Depth, Session, Start};
//! let scenario = steady::session::scenario::all().remove(0);
//! let mut session = Session::new(Start::default());
//! let out = session.apply(&scenario.manifest);
//! assert_eq!(out.stdout, "deployment.apps/web created\n");
//! assert!(session.step(Depth::Command, None));
//! assert_eq!(session.current().commands()[0].by.as_ref(), "deployment-controller");
//! session.back();
//! ```

#[cfg(test)]
mod budget_tests;
pub mod chart;
#[cfg(test)]
mod coredns_tests;
pub mod data;
#[cfg(test)]
mod digest_tests;
#[cfg(test)]
mod exec_tests;
pub mod explore;
pub mod export;
#[cfg(test)]
mod gateway_tests;
pub mod handle;
#[cfg(test)]
mod health_tests;
pub mod import;
#[cfg(test)]
mod ingress_tests;
mod into;
mod keep;
mod kubectl;
#[cfg(test)]
mod lasting_tests;
pub mod link;
#[cfg(test)]
mod log_tests;
mod moment;
#[cfg(test)]
mod nginx_tests;
mod op;
#[cfg(test)]
mod outside_tests;
mod passing;
#[cfg(test)]
mod policy_tests;
pub mod rehearsal;
mod runtime;
pub mod scenario;
mod slice;
#[cfg(test)]
mod snippet_tests;
mod steps;
#[cfg(test)]
mod switch_tests;
mod travel;
pub mod view;
#[cfg(test)]
mod wrong_tests;

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

pub use into::{Exchange, FINEST_LIMIT};
pub use kubectl::{CommandLine, Looked, Ran, edited_files};
pub use link::{
    Drafts, LessonLink, Link, LinkError, LinkOp, MEMBERS, NODES_LIMIT, Prediction, Replay, Replayed,
    STEPS_LIMIT, VisitLink,
};
pub use moment::{Moment, MomentId, What};
pub use op::{Depth, Op, Start};
pub use passing::Passing;
pub use runtime::RuntimeCalls;
pub use travel::Travel;

pub use crate::cluster::Policy;

use crate::api::Timestamp;
use crate::cluster::{Cluster, Command, Config};
use crate::kubectl::DiscoveryCache;

use steps::{redo, take_step};

/// The most moments of a session. Further steps fail with
/// [`Stopped::Limit`](crate::cluster::Stopped::Limit).
pub const MOMENTS_LIMIT: usize = 300_000;

/// How many clusters are kept on the path to a moment that had to be repeated, for further steps back.
const NEAR: usize = 16;

/// A run with all of its branches.
#[derive(Clone, Debug)]
pub struct Session {
    start: Start,
    moments: Vec<Moment>,
    at: MomentId,
    // The branch that is shown, from the root to its end; `at` is on it. A moment has a higher number than the one
    // before it, so the numbers rise.
    line: Vec<MomentId>,
    // The moments at which branches part, in the order of their numbers.
    forks: BTreeSet<MomentId>,
    // The policy of steps for which no component was chosen.
    policy: Policy,
    // The cluster at `at`; while a step is under way, a later one.
    cluster: Cluster,
    // The clusters of some moments shortly before one that was gone to.
    near: VecDeque<(MomentId, Cluster)>,
    // The cluster at the end of the branch, if the present moment was gone to from there.
    end: Option<Box<(MomentId, Cluster)>>,
    under_way: Option<slice::UnderWay>,
    astray: bool,
    // The cluster before objects of another one were restored; `None` if none were.
    empty: Option<Box<Cluster>>,
    // The resources that kubectl knows, and the moment at which it asked for them.
    discovered: (MomentId, DiscoveryCache),
    // What `kubectl explain` says of the types, if somebody has given it.
    schema: Option<Rc<serde_json::Value>>,
}

impl Session {
    /// A session with a new cluster.
    pub fn new(start: Start) -> Session {
        let config = Config::nodes(start.nodes).with_ip_family(start.ip_family);
        let mut config = Config { seed: start.seed, etcd: start.etcd, ..config };
        let objects = import::objects_of(&start);
        if let Some(begins) = import::begins(&objects) {
            config.start = begins;
        }
        let empty = Cluster::new(&config);
        if objects.is_empty() {
            return Session::with_cluster(start, empty);
        }
        let mut cluster = empty.clone();
        // What is refused was left out by `import::read`, or a link was written by hand.
        cluster.restore(&config, &objects);
        Session { empty: Some(Box::new(empty)), ..Session::with_cluster(start, cluster) }
    }

    /// A session with a given cluster. `start` has to describe it, or links of the session will not repeat
    /// it.
    pub fn with_cluster(start: Start, cluster: Cluster) -> Session {
        let root = Moment {
            parent: None,
            children: Vec::new(),
            what: if start.objects.is_some() { What::Import } else { What::Start },
            op: Rc::new(Op::Start),
            steps: 0,
            at: cluster.now(),
            kept: Some(Box::new(cluster.clone())),
            trail: keep::Trail::default(),
        };
        Session {
            start,
            moments: vec![root],
            at: 0,
            line: vec![0],
            forks: BTreeSet::new(),
            policy: Policy::Fair,
            cluster,
            near: VecDeque::new(),
            end: None,
            under_way: None,
            astray: false,
            empty: None,
            discovered: (0, DiscoveryCache::default()),
            schema: None,
        }
    }

    /// Whether the session has [`MOMENTS_LIMIT`] moments. Then a step does nothing, whether the cluster is
    /// steady or not.
    pub fn is_full(&self) -> bool {
        self.moments.len() >= MOMENTS_LIMIT
    }

    /// The policy of steps for which no component was chosen.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Sets the policy of further steps. Earlier moments stay as they are.
    pub fn set_policy(&mut self, policy: Policy) {
        self.give_up();
        self.policy = policy;
    }

    /// The cluster that the run began with, before anybody put an object into it.
    pub fn boot(&self) -> Option<Cluster> {
        match &self.empty {
            Some(empty) => Some((**empty).clone()),
            None => self.cluster_at(0),
        }
    }

    /// The start of the run.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// The current moment.
    pub fn current(&self) -> &Moment {
        // `at` is always the index of a moment that was pushed.
        &self.moments[self.at]
    }

    /// The index of the current moment.
    pub fn at(&self) -> MomentId {
        self.at
    }

    /// The cluster at the current moment.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The cluster at a moment, kept or computed from the last kept one; `None` if there is no such moment.
    pub fn cluster_at(&self, id: MomentId) -> Option<Cluster> {
        self.made_again(id, |_, _, _| ())
    }

    /// A moment's cluster, if it need not be computed.
    fn at_hand(&self, id: MomentId) -> Option<&Cluster> {
        if id == self.at && !self.astray {
            return Some(&self.cluster);
        }
        let near = || self.near.iter().find(|(at, _)| *at == id).map(|(_, c)| c);
        let end = || self.end.as_deref().filter(|(at, _)| *at == id).map(|(_, c)| c);
        self.moments.get(id)?.kept.as_deref().or_else(near).or_else(end)
    }

    /// The cluster at the end of the branch that is shown; `None` if it would have to be computed, as where a branch was gone to
    /// in its middle.
    pub fn end(&self) -> Option<&Cluster> {
        self.at_hand(self.tip())
    }

    /// Keeps the cluster of the present moment if that is the end of the branch, because it is about to be left.
    fn keep_end(&mut self) {
        if self.at == self.tip() && !self.astray {
            self.end = Some(Box::new((self.at, self.cluster.clone())));
        }
    }

    /// Computes the cluster of a moment from the last one at hand. Calls `passing` for each moment in
    /// between, with its index, the number of moments left, and its cluster.
    fn made_again(
        &self,
        id: MomentId,
        mut passing: impl FnMut(MomentId, usize, &Cluster),
    ) -> Option<Cluster> {
        let mut missing = Vec::new();
        let mut at = id;
        let mut cluster = loop {
            let m = self.moments.get(at)?;
            if let Some(cluster) = self.at_hand(at) {
                break cluster.clone();
            }
            missing.push((at, &m.op));
            at = m.parent?;
        };
        while let Some((id, op)) = missing.pop() {
            redo(&mut cluster, op);
            if !missing.is_empty() {
                passing(id, missing.len(), &cluster);
            }
        }
        Some(cluster)
    }

    /// Brings the cluster of a moment's parent to that moment.
    pub(crate) fn redo_on(&self, id: MomentId, cluster: &mut Cluster) {
        if let Some(moment) = self.moment(id) {
            redo(cluster, &moment.op);
        }
    }

    /// A moment, by its index.
    pub fn moment(&self, id: MomentId) -> Option<&Moment> {
        self.moments.get(id)
    }

    /// The moments of the branch that is shown, from the root to its end.
    pub fn timeline(&self) -> &[MomentId] {
        &self.line
    }

    /// The place of a moment in the [timeline](Session::timeline); `None` if it is on another branch.
    pub fn place(&self, id: MomentId) -> Option<usize> {
        self.line.binary_search(&id).ok()
    }

    /// The last moment of the branch that is shown.
    pub fn tip(&self) -> MomentId {
        // The root is always there.
        self.line.last().copied().unwrap_or_default()
    }

    /// The moments at which branches part, in the order in which they were made.
    pub fn forks(&self) -> impl Iterator<Item = MomentId> {
        self.forks.iter().copied()
    }

    /// Whether a moment is the current one, or lies on the way to it.
    pub fn comes_from(&self, id: MomentId) -> bool {
        id <= self.at && self.place(id).is_some()
    }

    /// Whether the current moment lies on the way to a moment, or is that moment.
    pub fn is_on_way_to(&self, id: MomentId) -> bool {
        let mut at = id;
        while at > self.at {
            if self.place(at).is_some() {
                return true;
            }
            let Some(parent) = self.moments.get(at).and_then(|m| m.parent) else { break };
            at = parent;
        }
        at == self.at
    }

    /// The ends of all branches.
    #[cfg(test)]
    fn tips(&self) -> Vec<MomentId> {
        (0..self.moments.len()).filter(|i| self.moments[*i].children.is_empty()).collect()
    }

    /// Makes a moment the current one. If it is on another branch, that branch is shown. `false` if there is
    /// no such moment.
    pub fn goto(&mut self, id: MomentId) -> bool {
        if id >= self.moments.len() {
            return false;
        }
        self.show_branch_of(id);
        self.look_at(id)
    }

    fn show_branch_of(&mut self, id: MomentId) {
        if self.place(id).is_some() {
            return;
        }
        // What comes before it, up to where its branch leaves the one that is shown.
        let (mut before, mut at) = (vec![id], id);
        let shared = loop {
            let Some(parent) = self.moments[at].parent else { break 0 };
            if let Some(place) = self.place(parent) {
                break place + 1;
            }
            before.push(parent);
            at = parent;
        };
        self.line.truncate(shared);
        self.line.extend(before.into_iter().rev());
        let mut tip = id;
        while let Some(next) = self.moments[tip].children.last() {
            tip = *next;
            self.line.push(tip);
        }
    }

    fn look_at(&mut self, id: MomentId) -> bool {
        self.give_up();
        self.keep_end();
        // After one step back another is likely, so some clusters shortly before this one are kept, more of
        // them the nearer they are.
        let mut near = Vec::new();
        let cluster = self.made_again(id, |id, still, cluster| {
            if still.is_power_of_two() {
                near.push((id, cluster.clone()));
            }
        });
        self.near.extend(near);
        let surplus = self.near.len().saturating_sub(NEAR);
        self.near.drain(..surplus);
        match cluster {
            Some(cluster) => {
                self.cluster = cluster;
                self.at = id;
                true
            }
            None => false,
        }
    }

    /// Goes to the moment before. `false` at the root.
    pub fn back(&mut self) -> bool {
        match self.current().parent {
            Some(parent) => self.look_at(parent),
            None => false,
        }
    }

    /// Goes to the next moment of the branch that is shown. `false` at its end.
    pub fn forward(&mut self) -> bool {
        self.ahead().is_some_and(|next| self.look_at(next))
    }

    /// The next moment of the branch that is shown; `None` at its end.
    pub fn ahead(&self) -> Option<MomentId> {
        self.line.get(self.place(self.at)? + 1).copied()
    }

    /// The next moment of the branch that is shown, if a person's act led to it: a command line, an apply, or a fault. A
    /// step of the cluster does not come there.
    pub fn act_ahead(&self) -> Option<MomentId> {
        let next = self.ahead()?;
        matches!(self.moment(next)?.what, What::Person { .. } | What::Fault(..)).then_some(next)
    }

    /// Goes to the root. All moments stay in the tree.
    pub fn restart(&mut self) {
        self.look_at(0);
    }

    /// What each component would do next; see [`Cluster::next_commands`].
    pub fn next_commands(&self, limit: usize) -> Vec<Command> {
        self.cluster().next_commands(limit)
    }

    /// The ops from the root to a moment.
    pub fn ops(&self, to: MomentId) -> Vec<Op> {
        self.ops_between(0, to).unwrap_or_default()
    }

    /// The ops after a moment up to another one; `None` if the first does not lie on the way to the second.
    pub fn ops_between(&self, from: MomentId, to: MomentId) -> Option<Vec<Op>> {
        let mut ops = Vec::new();
        let mut id = to;
        // Each moment of a branch has a higher number than its parent.
        while id > from {
            let m = self.moments.get(id)?;
            ops.push(Op::clone(&m.op));
            id = m.parent?;
        }
        ops.reverse();
        (id == from).then_some(ops)
    }

    /// The virtual time at the current moment.
    pub fn now(&self) -> Timestamp {
        self.cluster().now()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a person did is ahead of the moment before it, and what a component did is not.
    #[test]
    fn the_act_ahead_is_a_persons() {
        let mut s = Session::new(Start::default());
        s.apply(&scenario::all().remove(0).manifest);
        assert_eq!(s.act_ahead(), None);
        s.step(Depth::Command, None);
        s.back();
        assert_eq!((s.ahead(), s.act_ahead()), (Some(2), None));
        s.back();
        assert_eq!(s.act_ahead(), Some(1));
        assert!(s.forward());
        assert_eq!(s.at(), 1);
    }

    #[test]
    fn a_moment_is_the_same_whether_it_was_kept_or_is_made_again() {
        let mut s = Session::new(Start::default());
        let manifest = scenario::all().remove(0).manifest.replace("replicas: 3", "replicas: 200");
        s.apply(&manifest);
        let mut digests = vec![(s.at(), s.cluster().digest())];
        while s.step(Depth::Command, None) {
            if s.at().is_multiple_of(37) {
                digests.push((s.at(), s.cluster().digest()));
            }
        }
        assert!(digests.len() > 2);
        // A step that is not possible leaves the last moment as it is.
        let (last, end) = (s.at(), s.cluster().digest());
        assert!(!s.step(Depth::Command, None));
        assert_eq!((s.at(), s.cluster().digest()), (last, end.clone()));
        for (moment, digest) in digests {
            assert!(s.goto(moment));
            assert_eq!(s.cluster().digest(), digest, "moment {moment}");
        }
        while s.forward() {}
        assert_eq!(s.cluster().digest(), end);
        // Backwards, where the clusters of some moments are at hand.
        assert!(s.goto(last - 1));
        for moment in (last - 60..last - 1).rev() {
            assert!(s.back());
            assert_eq!(s.at(), moment);
            assert!(s.near.len() <= NEAR);
        }
        let by_steps = s.cluster().digest();
        s.near.clear();
        s.astray = true;
        assert_eq!(s.made_again(last - 60, |_, _, _| ()).map(|c| c.digest()), Some(by_steps));
    }
}
