//! Taking a path that the explorer found in a session.

use super::normal::Choice;
use crate::cluster::Action;
use crate::session::{Depth, Session};

/// The error about a path that cannot be taken: the run went another way than the explorer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diverged {
    /// The index of the choice that was not possible.
    pub at: usize,
}

impl std::fmt::Display for Diverged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "step {} of the way could not be repeated", self.at + 1)
    }
}

impl std::error::Error for Diverged {}

/// Takes a path in a session, from its current moment. Each choice becomes a moment like any other step, so
/// the path is in the timeline and in the link. Before each choice the cluster is brought into normal form,
/// as the explorer did ([`Op::Heard`](crate::session::Op::Heard)): the order of two keys may depend on that.
///
/// # Errors
/// If a choice is not possible. The moments of the earlier choices stay in the run.
pub fn follow(session: &mut Session, depth: Depth, way: &[Choice]) -> Result<(), Diverged> {
    for (at, choice) in way.iter().enumerate() {
        let done = match (choice, depth) {
            (Choice::Act(action), _) => session.act(*action),
            (Choice::Time, Depth::Machinery) => session.act(Action::Advance),
            (Choice::Time, _) => session.heard(depth, None),
            (Choice::Actor(actor), _) => session.heard(depth, Some(*actor)),
        };
        if !done {
            return Err(Diverged { at });
        }
    }
    Ok(())
}
