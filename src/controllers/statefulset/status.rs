//! The status of a set (`stateful_set_control.go`, `updateStatefulSetStatus`).

use std::rc::Rc;

use super::super::controller_utils::{is_available, is_ready, phase};
use super::identity::pod_revision;
use super::revisions::Revisions;
use super::{Cx, replicas};
use crate::api::types::{Pod, StatefulSet, StatefulSetStatus};
use crate::api::{MetaExt, ObjectRef, Timestamp};
use crate::client::{DEFAULT_RETRY, Result, Why, retry_on_conflict};
use crate::controllers::history::Revisioned;

/// Whether the API server has the pod, and not only the controller.
pub(super) fn is_created(pod: &Pod) -> bool {
    !phase(pod).is_empty()
}

/// Whether the pod runs and is ready.
pub(super) fn is_running_and_ready(pod: &Pod) -> bool {
    phase(pod) == "Running" && is_ready(pod)
}

/// How many pods there are, by what they have become.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) replicas: i32,
    pub(super) ready: i32,
    pub(super) available: i32,
    pub(super) current: i32,
    pub(super) updated: i32,
}

impl Counts {
    /// Counts the pods (`computeReplicaStatus`).
    pub(super) fn of<'p>(
        pods: impl IntoIterator<Item = &'p Rc<Pod>>,
        set: &StatefulSet,
        revisions: &Revisions,
        now: Timestamp,
    ) -> Counts {
        let min = set.min_ready_seconds();
        let mut counts = Counts::default();
        for pod in pods {
            counts.replicas += i32::from(is_created(pod));
            if is_running_and_ready(pod) {
                counts.ready += 1;
                counts.available += i32::from(is_available(pod, min, now));
            }
            if is_created(pod) && !pod.metadata.is_deleting() {
                let revision = pod_revision(pod);
                counts.current += i32::from(revision == revisions.current.metadata.name());
                counts.updated += i32::from(revision == revisions.update.metadata.name());
            }
        }
        counts
    }
}

/// Writes the status if it has changed. Returns the status.
///
/// # Errors
/// The API server's refusal.
pub(super) async fn write(
    cx: &Cx,
    set: &Rc<StatefulSet>,
    revisions: &Revisions,
    counts: Counts,
) -> Result<StatefulSetStatus> {
    let update = revisions.update.metadata.name();
    let mut current = (revisions.current.metadata.name(), counts.current);
    // The update is over (`completeRollingUpdate`).
    let strategy = set.spec.as_ref().and_then(|s| s.update_strategy.as_ref());
    let rolls = strategy.and_then(|s| s.type_.as_deref()) == Some("RollingUpdate");
    let wanted = replicas(set);
    if rolls && counts.updated == wanted && counts.ready == wanted && counts.replicas == wanted {
        current = (update, counts.updated);
    }
    let count = |n: i32| Some(n).filter(|n| *n != 0);
    let status = StatefulSetStatus {
        observed_generation: Some(set.metadata.generation()),
        replicas: counts.replicas,
        ready_replicas: count(counts.ready),
        available_replicas: Some(counts.available),
        current_replicas: count(current.1),
        updated_replicas: count(counts.updated),
        current_revision: Some(current.0.to_owned()),
        update_revision: Some(update.to_owned()),
        collision_count: Some(revisions.collisions),
        conditions: None,
    };
    if is_consistent(set, &status) {
        return Ok(status);
    }
    let updated = retry_on_conflict(cx, set, DEFAULT_RETRY, async |mut latest: Rc<StatefulSet>| {
        let before = set.status.as_ref().map_or(0, |s| s.replicas);
        let why = Why::new("update_stateful_set_status")
            .read("before", ObjectRef::of(&**set), "status.replicas", before)
            .with("replicas", counts.replicas)
            .with("ready", counts.ready)
            .with("available", counts.available)
            .with("updated", counts.updated);
        Rc::make_mut(&mut latest).status = Some(status.clone());
        Ok(cx.update_status(latest).because(why).await?)
    })
    .await?;
    cx.wrote(&set.metadata, &updated);
    Ok(status)
}

/// Whether the set says already what this status says (`inconsistentStatus`).
fn is_consistent(set: &StatefulSet, status: &StatefulSetStatus) -> bool {
    let said = set.status.clone().unwrap_or_default();
    let n = |count: Option<i32>| count.unwrap_or(0);
    let numbers = |s: &StatefulSetStatus| {
        [
            s.replicas,
            n(s.ready_replicas),
            n(s.available_replicas),
            n(s.current_replicas),
            n(s.updated_replicas),
        ]
    };
    let text = |t: &Option<String>| t.clone().unwrap_or_default();
    status.observed_generation.unwrap_or(0) <= said.observed_generation.unwrap_or(0)
        && numbers(&said) == numbers(status)
        && text(&said.current_revision) == text(&status.current_revision)
        && text(&said.update_revision) == text(&status.update_revision)
}
