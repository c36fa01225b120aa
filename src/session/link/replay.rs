//! Repeating the run of a link: [`Replay`].

use std::collections::VecDeque;

use super::names::from_link;
use super::{Link, LinkOp};
use crate::cluster::{Digesting, Policy};
use crate::session::Session;

/// When a replay computes the digest, this many objects count as one step.
const OBJECTS_AT_ONCE: usize = 32;

/// A run that is being repeated, in slices.
#[derive(Clone, Debug)]
pub struct Replay {
    session: Session,
    /// The policy to set at the end.
    policy: Policy,
    left: VecDeque<LinkOp>,
    at: Option<usize>,
    digest: Option<String>,
    /// The digest at the end, while it is computed and afterwards.
    digesting: Option<Digesting>,
    came_to: Option<String>,
    done: u64,
    total: u64,
    skipped: u64,
}

/// The result of a replay.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The session, at the moment that was shared.
    pub session: Session,
    /// Whether the digest is that of the link; true if the link has none.
    pub same: bool,
}

impl Replay {
    /// Begins to repeat the run of a link in a new session.
    pub fn new(link: &Link) -> Replay {
        Replay::on(Session::new(link.start.clone()), link)
    }

    /// Begins to repeat the ops of a link at the current moment of a session.
    pub fn on(session: Session, link: &Link) -> Replay {
        Replay {
            session,
            left: link.ops.iter().cloned().collect(),
            at: link.at,
            digest: link.digest.clone(),
            digesting: None,
            came_to: None,
            done: 0,
            total: link.steps(),
            skipped: 0,
            policy: link.policy.as_ref().and_then(|p| p.parse().ok()).unwrap_or_default(),
        }
    }

    /// The session as it is now.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The number of steps done, and the number of all steps.
    pub fn progress(&self) -> (u64, u64) {
        (self.done, self.total)
    }

    /// Repeats at most `steps` steps. Returns whether all are done.
    pub fn advance(&mut self, steps: usize) -> bool {
        for _ in 0..steps {
            let Some(one) = self.next() else { return self.compare() };
            self.done += 1;
            let did = from_link(&one, self.session.cluster()).is_some_and(|op| self.session.perform(&op));
            if !did {
                self.skipped += 1;
            }
        }
        false
    }

    /// The next step, as an op of one step.
    fn next(&mut self) -> Option<LinkOp> {
        loop {
            let Some((one, rest)) = self.left.pop_front()?.split_first() else { continue };
            if let Some(rest) = rest {
                self.left.push_front(rest);
            }
            return Some(one);
        }
    }

    /// Continues the computation of the digest. Returns whether it is done.
    fn compare(&mut self) -> bool {
        if self.digest.is_none() || self.came_to.is_some() {
            return true;
        }
        let session = &self.session;
        let digesting = self.digesting.get_or_insert_with(|| Digesting::new(session.cluster().clone()));
        self.came_to = digesting.advance(OBJECTS_AT_ONCE);
        self.came_to.is_some()
    }

    /// Ends the replay.
    pub fn finish(mut self) -> Replayed {
        while !self.advance(usize::MAX) {}
        let same = self.skipped == 0 && self.digest.as_ref().is_none_or(|d| Some(d) == self.came_to.as_ref());
        self.session.set_policy(self.policy);
        if let Some(id) = self.at.and_then(|at| self.session.timeline().get(at).copied()) {
            self.session.goto(id);
        }
        Replayed { session: self.session, same }
    }
}
