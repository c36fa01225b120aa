//! Taking a step in slices. On a large cluster a step can take a hundred thousand actions, and a caller that
//! draws in between must not wait for its end.

use super::{Depth, MOMENTS_LIMIT, Op, Policy, Session, What};
use crate::cluster::{COMMANDS_LIMIT, Command, Search, Stopped};

/// The number of actions between two calls of `go_on`. Most actions take microseconds; scheduling a pod that
/// fits on no node of a large cluster takes a millisecond.
const AT_ONCE: usize = 4;

/// A step that is under way.
#[derive(Clone, Debug)]
pub(super) struct UnderWay {
    depth: Depth,
    op: Op,
    search: Search,
    /// At reconcile depth, the commands so far.
    commands: Vec<Command>,
}

impl Session {
    /// Takes a step as [`Session::try_step`] does, without a choice, as long as `go_on` returns true.
    /// Returns `false` if the step is not done: a further call continues it, and any other change of the
    /// session gives it up.
    ///
    /// # Errors
    /// As [`Session::try_step`].
    pub fn step_within(&mut self, depth: Depth, go_on: impl FnMut() -> bool) -> Result<bool, Stopped> {
        if depth == Depth::Machinery {
            return self.try_step(depth, None).map(|()| true);
        }
        self.op_within(self.next_op(depth, None), depth, go_on)
    }

    /// Takes a step to the next run of a schedule, as [`Session::to_schedule`] does, as long as `go_on` returns true.
    ///
    /// # Errors
    /// As [`Session::try_step`].
    pub fn schedule_within(&mut self, depth: Depth, go_on: impl FnMut() -> bool) -> Result<bool, Stopped> {
        if depth == Depth::Machinery {
            return self.to_schedule(depth).map(|()| true);
        }
        self.op_within(Op::Schedule { depth }, depth, go_on)
    }

    fn op_within(&mut self, op: Op, depth: Depth, mut go_on: impl FnMut() -> bool) -> Result<bool, Stopped> {
        let mut step = match self.under_way.take().filter(|u| u.op == op) {
            Some(step) => step,
            None => {
                self.give_up();
                if self.replay(&op) {
                    return Ok(true);
                }
                if self.moments.len() >= MOMENTS_LIMIT {
                    return Err(Stopped::Limit);
                }
                let search = match &op {
                    Op::Policy { policy, nth, .. } => Search::under(policy, *nth),
                    Op::Schedule { .. } => Search::new(None).to_schedule(),
                    _ => Search::under(&Policy::Fair, 0),
                };
                UnderWay { depth, op, search, commands: Vec::new() }
            }
        };
        self.astray = true;
        loop {
            let found = step.search.advance(&mut self.cluster, AT_ONCE);
            if let Some(ended) = found.and_then(|found| step.take(found, self)) {
                return match ended {
                    Ok(()) => {
                        self.astray = false;
                        self.record(What::Commands(step.commands), step.op);
                        Ok(true)
                    }
                    Err(stopped) => {
                        self.give_up();
                        Err(stopped)
                    }
                };
            }
            if !go_on() {
                self.under_way = Some(step);
                return Ok(false);
            }
        }
    }

    /// Whether a step is under way.
    pub fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// Gives up a step that is not done: the cluster is that of the current moment again.
    pub fn give_up(&mut self) {
        self.under_way = None;
        if self.astray
            && let Some(cluster) = self.made_again(self.at, |_, _, _| ())
        {
            self.cluster = cluster;
        }
        self.astray = false;
    }
}

impl UnderWay {
    /// How the step ends after the search's result; `None` if it continues.
    fn take(&mut self, found: Result<Command, Stopped>, session: &Session) -> Option<Result<(), Stopped>> {
        match found {
            Ok(command) => {
                let actor = command.actor;
                self.commands.push(command);
                if self.depth != Depth::Reconcile || !session.cluster.is_in_sync(actor) {
                    return Some(Ok(()));
                }
                if self.commands.len() >= COMMANDS_LIMIT {
                    return Some(Err(Stopped::Limit));
                }
                self.search = Search::new(Some(actor));
                None
            }
            // The rest of the sync has no further command.
            Err(Stopped::Idle) if !self.commands.is_empty() => Some(Ok(())),
            Err(stopped) => Some(Err(stopped)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::session::{Depth, Session, Start, scenario};

    fn fresh() -> Session {
        let mut s = Session::new(Start::default());
        s.apply(&scenario::all().remove(0).manifest.replace("replicas: 3", "replicas: 12"));
        s
    }

    #[test]
    fn a_step_in_slices_is_the_same_step() {
        for depth in [Depth::Command, Depth::Reconcile] {
            let (mut whole, mut sliced) = (fresh(), fresh());
            let mut slices = 0;
            loop {
                let went = whole.step(depth, None);
                let ended = loop {
                    slices += 1;
                    match sliced.step_within(depth, || false) {
                        Ok(false) => {}
                        other => break other,
                    }
                };
                assert_eq!((went, whole.at()), (ended.is_ok(), sliced.at()));
                if !went {
                    break;
                }
            }
            assert_eq!(whole.cluster().digest(), sliced.cluster().digest());
            assert!(slices > whole.at());
        }
    }

    #[test]
    fn a_step_that_is_given_up_leaves_no_trace() {
        let mut s = fresh();
        let mut given_up = 0;
        for _ in 0..60 {
            let twin = s.clone();
            if s.step_within(Depth::Reconcile, || false) == Ok(false) {
                given_up += 1;
                let mut other = s.clone();
                s.give_up();
                assert_eq!(s.at(), twin.at());
                assert_eq!(s.cluster().digest(), twin.cluster().digest());
                // Any other change gives the step up, too.
                let mut twin = twin;
                other.kubectl("scale deployment web --replicas=1", &[]);
                twin.kubectl("scale deployment web --replicas=1", &[]);
                assert_eq!(other.cluster().digest(), twin.cluster().digest());
            }
            s.step(Depth::Command, None);
        }
        assert!(given_up > 0);
    }
}
