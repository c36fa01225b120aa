//! A way that the explorer found, as a run.

use super::normal::Choice;
use crate::cluster::{ACTIONS_LIMIT, Action, Stopped};
use crate::session::{Depth, Policy, Session, What};

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

/// Goes a way in a session, from where it stands: each choice becomes moments like any other step,
/// so the way is in the timeline, and in the link.
///
/// # Errors
/// If a choice is not there. What was gone before stays in the run.
pub fn follow(session: &mut Session, depth: Depth, way: &[Choice]) -> Result<(), Diverged> {
    // Whatever chooses in this run, the way is gone as it was found.
    let policy = session.policy().clone();
    session.set_policy(Policy::Fair);
    let gone = go(session, depth, way);
    session.set_policy(policy);
    gone
}

fn go(session: &mut Session, depth: Depth, way: &[Choice]) -> Result<(), Diverged> {
    for (at, choice) in way.iter().enumerate() {
        let done = match choice {
            Choice::Actor(actor) => command(session, depth, *actor),
            Choice::Act(action) => session.act(*action),
            Choice::Time => let_time_pass(session),
        };
        if !done {
            return Err(Diverged { at });
        }
    }
    Ok(())
}

fn command(session: &mut Session, depth: Depth, actor: crate::cluster::Actor) -> bool {
    for _ in 0..ACTIONS_LIMIT {
        match session.try_step(depth, Some(actor)) {
            Ok(()) => {}
            Err(Stopped::Idle | Stopped::Limit) => return false,
        }
        // An event that stands alone is a command for a person, and no state for the explorer.
        if session.current().commands().iter().any(|c| c.key.is_some()) {
            return true;
        }
    }
    false
}

/// Does what leads to no write, and then lets time pass.
fn let_time_pass(session: &mut Session) -> bool {
    for _ in 0..ACTIONS_LIMIT {
        let Some(action) = session.cluster().fair() else { return false };
        if !session.step(Depth::Machinery, None) {
            return false;
        }
        if action == Action::Advance {
            return true;
        }
        let wrote = match &session.current().what {
            What::Machinery(t) => matches!(action, Action::Send { .. }) && !t.writes.is_empty(),
            _ => false,
        };
        if wrote && !session.current().writes().iter().all(|w| w.object.kind == crate::api::Kind::Lease) {
            return false;
        }
    }
    false
}
