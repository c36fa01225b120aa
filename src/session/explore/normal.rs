//! The normal form of a state, and the steps from it.
//!
//! At command and reconcile depth a component is notified of all changes before it acts. So it makes no
//! difference to its actions whether it has been notified yet, or whether it has worked off keys that lead
//! to no write. In the normal form both are done, and states that differ only in this are merged.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::ObjectRef;
use crate::cluster::{ACTIONS_LIMIT, Action, Actor, Cluster, Command, Outcome, Stopped};
use crate::session::{Depth, What};

/// What happens next, by choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Choice {
    /// A component acts.
    Actor(Actor),
    /// An action is taken (machinery depth).
    Act(Action),
    /// No component can act: time passes until the next deadline.
    Time,
}

/// A summary of what a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Did {
    /// The component that acted, at machinery depth the process; `None` if time has passed.
    pub by: Option<Rc<str>>,
    /// The objects that were written, without events.
    pub writes: Vec<ObjectRef>,
}

/// A step from a normal form.
#[derive(Clone, Debug)]
pub(super) struct Next {
    pub choice: Choice,
    pub did: Did,
    pub after: Cluster,
}

/// A cluster in normal form, and all steps from it.
#[derive(Clone, Debug)]
pub(super) struct Normal {
    pub cluster: Cluster,
    pub next: Vec<Next>,
}

/// Brings a cluster into normal form.
///
/// # Errors
/// [`Stopped::Limit`] if work that leads to no write never ends.
pub(super) fn normal(cluster: Cluster, depth: Depth) -> Result<Normal, Stopped> {
    match depth {
        Depth::Machinery => Ok(machinery(cluster)),
        Depth::Command | Depth::Reconcile => quiet(cluster, depth),
    }
}

fn machinery(cluster: Cluster) -> Normal {
    let mut next = Vec::new();
    for action in cluster.enabled() {
        let mut after = cluster.clone();
        let Ok(t) = after.act(&action) else { continue };
        let by = match (&t.outcome, t.action) {
            (Outcome::Sent { request, .. }, _) => Some(request.user.clone()),
            (_, Action::Advance) => None,
            (_, action) => {
                let process = action.process().and_then(|p| cluster.processes().nth(p as usize));
                process.map(|p| p.name.clone())
            }
        };
        let writes = t.writes.into_iter().map(|w| w.object).collect();
        let choice = if action == Action::Advance { Choice::Time } else { Choice::Act(action) };
        next.push(Next { choice, did: Did { by, writes }, after });
    }
    Normal { cluster, next }
}

fn quiet(mut cluster: Cluster, depth: Depth) -> Result<Normal, Stopped> {
    for _ in 0..ACTIONS_LIMIT {
        deliver(&mut cluster)?;
        let mut next = Vec::new();
        let mut idle = false;
        let actors: Vec<Actor> = cluster.actors().collect();
        for actor in actors {
            if cluster.next_for(actor).is_none() {
                continue;
            }
            let mut after = cluster.clone();
            match act(&mut after, actor, depth) {
                Ok(commands) => {
                    let by = commands.first().map(|c| c.by.clone());
                    let writes = commands.iter().flat_map(|c| &c.writes).map(|w| w.object.clone());
                    let did = Did { by, writes: writes.collect() };
                    next.push(Next { choice: Choice::Actor(actor), did, after });
                }
                // The component has worked off keys without a write.
                Err(Stopped::Idle) => {
                    cluster = after;
                    idle = true;
                }
                Err(Stopped::Limit) => return Err(Stopped::Limit),
            }
        }
        if idle {
            continue;
        }
        if next.is_empty() && cluster.clock().next().is_some() {
            let mut after = cluster.clone();
            if after.act(&Action::Advance).is_ok() {
                let did = Did { by: None, writes: Vec::new() };
                next.push(Next { choice: Choice::Time, did, after });
            }
        }
        return Ok(Normal { cluster, next });
    }
    Err(Stopped::Limit)
}

/// A cluster in normal form: all components are notified of all changes, and keys that lead to no write are
/// worked off.
pub(in crate::session) fn settled(cluster: Cluster, depth: Depth) -> Result<Cluster, Stopped> {
    normal(cluster, depth).map(|n| n.cluster)
}

/// A step of the explorer as a step of a run: brings the cluster into normal form, then lets a component
/// act, or time pass if `choice` is `None`.
pub(in crate::session) fn heard(
    cluster: Cluster,
    depth: Depth,
    choice: Option<Actor>,
) -> Result<(Cluster, What), Stopped> {
    if depth == Depth::Machinery {
        return Err(Stopped::Idle);
    }
    let mut here = quiet(cluster, depth)?.cluster;
    let what = match choice {
        Some(actor) => What::Commands(act(&mut here, actor, depth)?),
        None => What::Machinery(Box::new(here.act(&Action::Advance).map_err(|_| Stopped::Idle)?)),
    };
    Ok((here, what))
}

/// Notifies all components of all changes, and writes the events that wait.
fn deliver(cluster: &mut Cluster) -> Result<(), Stopped> {
    for _ in 0..ACTIONS_LIMIT {
        let now = cluster.enabled();
        let mut news = now.into_iter().filter(|a| {
            matches!(
                a,
                Action::List { .. }
                    | Action::Watch { .. }
                    | Action::Pop { .. }
                    | Action::Notify { .. }
                    | Action::Record { .. }
                    | Action::Informers { .. }
            )
        });
        let Some(first) = news.next() else { return Ok(()) };
        for action in std::iter::once(first).chain(news) {
            // An earlier action may have made this one impossible.
            let _ = cluster.act(&action);
        }
    }
    Err(Stopped::Limit)
}

/// A component's next command, or all commands of its next sync. A command that only writes an event is
/// skipped, since events do not tell states apart.
fn act(cluster: &mut Cluster, actor: Actor, depth: Depth) -> Result<Vec<Command>, Stopped> {
    loop {
        let commands = match depth {
            Depth::Reconcile => cluster.next_reconcile(Some(actor))?,
            _ => vec![cluster.next_command(Some(actor))?],
        };
        if commands.iter().any(|c| c.key.is_some()) {
            return Ok(commands);
        }
    }
}
