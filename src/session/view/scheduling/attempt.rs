//! The last attempt to schedule a pod, looked for in the run.

use super::{Tried, schedulers};
use crate::api::types::Pod;
use crate::api::{Kind, ObjectRef};
use crate::apiserver::Write;
use crate::cluster::{Action, Actor, Cluster};
use crate::session::view::events::is_about;
use crate::session::{FINEST_LIMIT, Moment, MomentId, Session, What};

/// How many steps may be repeated for an answer on a cluster with one node. With more nodes a step takes longer, and it is
/// fewer steps.
const REPEATED: u64 = 3000;
/// In how many moments the cycle is looked for.
const LOOKED_INTO: usize = 8;

/// The last attempt to schedule a pod on the way to the moment that is shown.
pub(super) fn last(session: &Session, pod: &ObjectRef) -> Tried {
    let mut id = Some(session.at());
    let mut found = Tried::NotInRun;
    while let Some((at, moment)) = id.and_then(|at| Some((at, session.moment(at)?))) {
        let created = created(moment, pod);
        if by_scheduler(session, moment, pod) {
            found = Tried::At(at, moment.steps);
        } else if let Some(write) = created {
            found = if has_node(write) { Tried::Named } else { Tried::NotYet };
        }
        if created.is_some() || found != Tried::NotInRun {
            break;
        }
        id = moment.parent;
    }
    found
}

/// The cluster as it was when the cycle began of which an attempt's moment is the result; `None` if the cycle is not found,
/// or if too many steps have to be repeated.
pub(super) fn before_cycle(session: &Session, pod: &ObjectRef, attempt: MomentId) -> Option<Cluster> {
    let actors: Vec<Actor> = schedulers(session.cluster()).map(|(actor, ..)| actor).collect();
    let starts = |a: &Action| matches!(a, Action::Start { actor } if actors.contains(actor));
    // A request of the scheduler belongs to the sync that the scheduler began last before it.
    let mut sought = true;
    let mut looked_into = 0;
    let mut id = Some(attempt);
    while let Some((at, moment)) = id.and_then(|at| Some((at, session.moment(at)?))) {
        sought |= by_scheduler(session, moment, pod);
        if sought && session.made_of(at).iter().any(starts) {
            if let Some(cluster) = taken_in(session, at, pod, &starts) {
                return Some(cluster);
            }
            sought = false;
            looked_into += 1;
        }
        if looked_into == LOOKED_INTO || created(moment, pod).is_some() {
            return None;
        }
        id = moment.parent;
    }
    None
}

/// The cluster before the action of a moment in which the scheduler took the pod from its queue.
fn taken_in(
    session: &Session,
    id: MomentId,
    pod: &ObjectRef,
    starts: &dyn Fn(&Action) -> bool,
) -> Option<Cluster> {
    let actions = session.made_of(id);
    let parent = session.moment(id)?.parent?;
    let nodes = session.cluster().api().cached_list(Kind::NODE, None).count().max(1) as u64;
    let repeated = session.travel(parent)?.progress().1;
    if actions.len() > FINEST_LIMIT || repeated.saturating_mul(nodes) > REPEATED {
        return None;
    }
    let mut cluster = session.before(id)?;
    let mut found = None;
    for action in actions {
        if !starts(&action) {
            cluster.act(&action).ok()?;
            continue;
        }
        let before = cluster.clone();
        cluster.act(&action).ok()?;
        let had = attempts(&before, pod);
        if had.is_some() && had != attempts(&cluster, pod) {
            found = Some(before);
        }
    }
    found
}

/// How many attempts to schedule a pod of the queue were begun; `None` if the queue does not have it.
pub(super) fn attempts(cluster: &Cluster, pod: &ObjectRef) -> Option<u32> {
    schedulers(cluster).find_map(|(_, state, _)| state.queue.get(&pod.key)).map(|q| q.attempts)
}

/// Whether a moment wrote the pod, or an event about it, by a request of the scheduler.
fn by_scheduler(session: &Session, moment: &Moment, pod: &ObjectRef) -> bool {
    if !matches!(moment.what, What::Commands(_) | What::Machinery(_)) {
        return false;
    }
    let cluster = session.cluster();
    let users: Vec<_> =
        schedulers(cluster).filter_map(|(a, ..)| Some(cluster.component(a)?.user())).collect();
    let concerns = |w: &Write| w.object == *pod || w.next.as_ref().is_some_and(|o| is_about(o, pod));
    moment.writes().into_iter().any(|w| users.contains(&w.user) && concerns(w))
}

fn created<'m>(moment: &'m Moment, pod: &ObjectRef) -> Option<&'m Write> {
    if !moment.wrote(pod) {
        return None;
    }
    moment.writes().into_iter().find(|w| w.object == *pod && w.prev.is_none())
}

fn has_node(write: &Write) -> bool {
    let pod = write.next.as_ref().and_then(|o| o.get::<Pod>());
    pod.and_then(|p| p.spec.as_ref()?.node_name.as_deref()).is_some_and(|n| !n.is_empty())
}
