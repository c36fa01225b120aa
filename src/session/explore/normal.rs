//! The normal form of a state, and the steps from it.
//!
//! At command and reconcile depth a component is notified of all changes before it acts. So it makes no
//! difference to its actions whether it has been notified yet, or whether it has worked off keys that lead
//! to no write. In the normal form both are done, and states that differ only in this are merged.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::address::ByAddress;
use crate::api::{ObjectRef, Shared, Timestamp};
use crate::client::{Caches, Component};
use crate::cluster::{ACTIONS_LIMIT, Action, Actor, Cluster, Command, Outcome, Stopped};
use crate::session::{Depth, What};

/// The most components that [`Able`] knows at a time.
const KNOWN: usize = 5_000;

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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

/// A cluster in normal form, and which steps can be taken from it.
///
/// Many ways lead to the same state, so what its steps do is worked out only where they are taken ([`Normal::take`]).
#[derive(Clone, Debug)]
pub(super) struct Normal {
    pub cluster: Cluster,
    pub choices: Vec<Choice>,
    depth: Depth,
}

impl Normal {
    /// Whether no component can act any more.
    pub fn is_steady(&self) -> bool {
        self.choices.is_empty()
    }

    /// A step; `None` if it cannot be taken.
    ///
    /// # Errors
    /// [`Stopped::Limit`] if the step never ends.
    pub fn take(&self, choice: Choice) -> Result<Option<Next>, Stopped> {
        let mut after = self.cluster.clone();
        let did = match choice {
            Choice::Act(action) => act_once(&self.cluster, &mut after, action),
            Choice::Time => after
                .act(&Action::Advance)
                .ok()
                .map(|t| Did { by: None, writes: t.writes.into_iter().map(|w| w.object).collect() }),
            Choice::Actor(actor) => match act(&mut after, actor, self.depth) {
                Ok(commands) => {
                    let by = commands.first().map(|c| c.by.clone());
                    let writes = commands.iter().flat_map(|c| &c.writes).map(|w| w.object.clone());
                    Some(Did { by, writes: writes.collect() })
                }
                Err(Stopped::Idle) => None,
                Err(Stopped::Limit) => return Err(Stopped::Limit),
            },
        };
        Ok(did.map(|did| Next { choice, did, after }))
    }

    /// All steps.
    ///
    /// # Errors
    /// As [`Normal::take`].
    pub fn steps(&self) -> impl Iterator<Item = Result<Next, Stopped>> {
        self.choices.iter().filter_map(|choice| self.take(*choice).transpose())
    }
}

/// Which components would act, of those that were asked before.
///
/// What a sync does up to its first request follows from its component, the caches of the process and the time alone, so a
/// component that stands with the same caches as in another state need not be tried again.
#[derive(Debug, Default)]
pub(super) struct Able {
    /// By the component's address.
    known: ByAddress<Stand>,
}

/// What a sync follows from. Component and caches are kept, so that their addresses are not used again.
#[derive(Debug)]
struct Stand {
    component: Shared<Box<dyn Component>>,
    caches: Rc<Caches>,
    now: Timestamp,
}

impl Stand {
    fn of(cluster: &Cluster, actor: Actor) -> Option<Stand> {
        let process = cluster.processes().nth(actor.process as usize)?;
        let component = process.components.get(usize::from(actor.component))?.clone();
        Some(Stand { component, caches: process.caches.clone(), now: cluster.now() })
    }

    /// Whether nothing is different.
    fn is_same(&self, other: &Stand) -> bool {
        self.component.ptr_eq(&other.component)
            && Rc::ptr_eq(&self.caches, &other.caches)
            && self.now == other.now
    }
}

impl Able {
    /// Whether the component is known to act, if it starts a sync next. While etcd elects a leader nobody sends, so nothing
    /// is known then.
    fn knows(&self, cluster: &Cluster, actor: Actor) -> bool {
        let known = || {
            let stand = Stand::of(cluster, actor)?;
            Some(self.known.get(&stand.component.address())?.is_same(&stand))
        };
        let starts = cluster.next_for(actor) == Some(Action::Start { actor });
        starts && !cluster.api().is_electing() && known() == Some(true)
    }

    /// Notes a component that would act, with the actions that led it there.
    fn note(&mut self, cluster: &Cluster, actor: Actor, actions: &[Action]) {
        if actions != [Action::Start { actor }] {
            return;
        }
        let Some(stand) = Stand::of(cluster, actor) else { return };
        if self.known.len() >= KNOWN {
            self.known.clear();
        }
        self.known.insert(stand.component.address(), stand);
    }
}

/// Brings a cluster into normal form.
///
/// # Errors
/// [`Stopped::Limit`] if work that leads to no write never ends.
pub(super) fn normal(cluster: Cluster, depth: Depth, able: &mut Able) -> Result<Normal, Stopped> {
    match depth {
        Depth::Machinery => {
            let choice = |a| if a == Action::Advance { Choice::Time } else { Choice::Act(a) };
            let choices = cluster.enabled().into_iter().map(choice).collect();
            Ok(Normal { cluster, choices, depth })
        }
        Depth::Command | Depth::Reconcile => quiet(cluster, depth, able),
    }
}

/// Takes an action, for the machinery depth.
fn act_once(before: &Cluster, after: &mut Cluster, action: Action) -> Option<Did> {
    let t = after.act(&action).ok()?;
    let by = match &t.outcome {
        Outcome::Sent { request, .. } => Some(request.user.clone()),
        _ => {
            let process = action.process().and_then(|p| before.processes().nth(p as usize));
            process.map(|p| p.name.clone())
        }
    };
    Some(Did { by, writes: t.writes.into_iter().map(|w| w.object).collect() })
}

fn quiet(mut cluster: Cluster, depth: Depth, able: &mut Able) -> Result<Normal, Stopped> {
    for _ in 0..ACTIONS_LIMIT {
        cluster.tell_everybody()?;
        let mut choices = Vec::new();
        let mut idle = false;
        let actors: Vec<Actor> = cluster.actors().collect();
        for actor in actors {
            if cluster.next_for(actor).is_none() {
                continue;
            }
            if cluster.is_at_command(actor) || able.knows(&cluster, actor) {
                choices.push(Choice::Actor(actor));
                continue;
            }
            let mut ahead = cluster.clone();
            match ahead.approach_command(actor) {
                Ok(actions) => {
                    choices.push(Choice::Actor(actor));
                    able.note(&cluster, actor, &actions);
                }
                // The component has worked off keys without a write.
                Err(Stopped::Idle) => {
                    cluster = ahead;
                    idle = true;
                }
                Err(Stopped::Limit) => return Err(Stopped::Limit),
            }
        }
        if idle {
            continue;
        }
        if choices.is_empty() && cluster.clock().next().is_some() {
            choices.push(Choice::Time);
        }
        return Ok(Normal { cluster, choices, depth });
    }
    Err(Stopped::Limit)
}

/// A cluster in normal form: all components are notified of all changes, and keys that lead to no write are
/// worked off.
pub(in crate::session) fn settled(cluster: Cluster, depth: Depth) -> Result<Cluster, Stopped> {
    normal(cluster, depth, &mut Able::default()).map(|n| n.cluster)
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
    let mut here = quiet(cluster, depth, &mut Able::default())?.cluster;
    let what = match choice {
        Some(actor) => What::Commands(act(&mut here, actor, depth)?),
        None => What::Machinery(Box::new(here.act(&Action::Advance).map_err(|_| Stopped::Idle)?)),
    };
    Ok((here, what))
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
