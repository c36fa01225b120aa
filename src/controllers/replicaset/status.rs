//! The status of a ReplicaSet or a ReplicationController (`replica_set_utils.go`).

use std::rc::Rc;

use super::replicated::Replicated;
use super::{Cx, Mine, wanted};
use crate::api::types::{ReplicaSetCondition, ReplicaSetStatus, Time};
use crate::api::{MetaExt, ObjectRef, Timestamp, seconds};
use crate::client::{Error, Result, Why, retry_on_refusal};

/// How often a status is written: once more on the object read again, if the first write fails (`statusUpdateRetries`).
const STATUS_UPDATE_TRIES: usize = 2;

/// The status that follows from the pods (`calculateStatus`).
pub(super) fn calculate_status<T: Replicated>(
    rs: &T,
    mine: &Mine,
    failure: Option<&Error>,
    now: Timestamp,
) -> ReplicaSetStatus {
    let mut status = rs.status();
    set_failure(&mut status, mine.active, wanted(rs), failure, now);
    let number = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    let count = |n: usize| (n != 0).then_some(number(n));
    status.replicas = number(mine.active);
    status.fully_labeled_replicas = count(mine.full);
    status.ready_replicas = count(mine.ready);
    status.available_replicas = count(mine.available);
    status.terminating_replicas = T::COUNTS_TERMINATING.then(|| number(mine.terminating));
    status
}

fn set_failure(
    status: &mut ReplicaSetStatus,
    have: usize,
    want: usize,
    failure: Option<&Error>,
    now: Timestamp,
) {
    const TYPE: &str = "ReplicaFailure";
    let there = status.conditions.iter().flatten().any(|c| c.type_ == TYPE);
    match failure {
        Some(e) if !there => {
            let reason = if have < want { "FailedCreate" } else { "FailedDelete" };
            status.conditions.get_or_insert_default().push(ReplicaSetCondition {
                type_: TYPE.into(),
                status: "True".into(),
                last_transition_time: Some(Time(seconds(now))),
                reason: Some(reason.into()),
                message: Some(e.to_string()),
            });
        }
        None if there => {
            if let Some(c) = status.conditions.as_mut() {
                c.retain(|c| c.type_ != TYPE);
            }
            if status.conditions.as_ref().is_some_and(Vec::is_empty) {
                status.conditions = None;
            }
        }
        _ => {}
    }
}

/// Writes the status if it has changed. Returns the object afterwards.
pub(super) async fn update_status<T: Replicated>(
    cx: &Cx,
    rs: &Rc<T>,
    mut status: ReplicaSetStatus,
    active: usize,
) -> Result<Rc<T>> {
    let old = rs.status();
    status.observed_generation = Some(rs.meta().generation());
    if old == status {
        return Ok(rs.clone());
    }
    retry_on_refusal(cx, rs, STATUS_UPDATE_TRIES, async |mut current| {
        let why = Why::new("update_replica_set_status")
            .read("before", ObjectRef::of(&**rs), "status.replicas", old.replicas)
            .with("replicas", active)
            .with("ready", status.ready_replicas.unwrap_or(0))
            .with("available", status.available_replicas.unwrap_or(0))
            .with("terminating", status.terminating_replicas.unwrap_or(0));
        Rc::make_mut(&mut current).set_status(status.clone());
        Ok(cx.update_status(current).because(why).await?)
    })
    .await
    .inspect(|updated| {
        if T::WAITS_FOR_WRITES {
            cx.wrote(updated.meta(), updated);
        }
    })
}
