//! A way that the explorer found, as a run.

use super::normal::Choice;
use crate::cluster::Action;
use crate::session::{Depth, Session};

/// A way could not be gone: the run did something else than the explorer saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diverged {
    /// At which choice.
    pub at: usize,
}

impl std::fmt::Display for Diverged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "step {} of the way could not be repeated", self.at + 1)
    }
}

impl std::error::Error for Diverged {}

/// Goes a way in a session, from where it stands: each choice becomes a moment like any other step, so the
/// way is in the timeline, and in the link. Before each, everybody hears of what happened, as it was when the
/// way was found ([`Op::Heard`](crate::session::Op::Heard)): which of two keys is older may depend on that.
///
/// # Errors
/// If a choice is not there. What was gone before stays in the run.
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
