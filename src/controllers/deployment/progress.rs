//! The progress of a rollout (`progress.go`): conditions, and the progress deadline.

use std::rc::Rc;

use jiff::SignedDuration;

use super::Cx;
use super::sync::{calculate_status, write_status};
use super::util::{
    condition, has_progress_deadline, is_complete, is_progressing, is_timed_out, new_condition,
    progress_deadline, reason, remove_condition, set_condition,
};
use crate::api::quote::go_quote;
use crate::api::types::{Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet, ReplicaSetCondition};
use crate::api::{MetaExt, later};
use crate::client::Result;

/// Writes the status of a rollout (`syncRolloutStatus`). If it has not changed, the key is enqueued for the
/// end of the progress deadline.
pub(super) async fn sync_rollout_status(
    cx: &Cx,
    d: Rc<Deployment>,
    new: Option<&Rc<ReplicaSet>>,
    old: &[Rc<ReplicaSet>],
) -> Result {
    let mut status = calculate_status(cx, &d, new, old);
    if !has_progress_deadline(&d) {
        remove_condition(&mut status, reason::PROGRESSING);
    }
    let was = d.status.clone().unwrap_or_default();
    let current = condition(&was, reason::PROGRESSING).cloned();
    let complete_before = status.replicas == status.updated_replicas
        && current.as_ref().is_some_and(|c| c.reason.as_deref() == Some(reason::NEW_RS_AVAILABLE));
    if has_progress_deadline(&d) && !complete_before {
        note_progress(cx, &d, new, &mut status, current.as_ref());
    }
    match replica_failure(new, old) {
        Some(c) => set_condition(&mut status, c),
        None => remove_condition(&mut status, reason::REPLICA_FAILURE),
    }
    if was == status {
        come_back_for_deadline(cx, &d, &status);
        return Ok(());
    }
    write_status(cx, d, status).await
}

fn note_progress(
    cx: &Cx,
    d: &Deployment,
    new: Option<&Rc<ReplicaSet>>,
    status: &mut DeploymentStatus,
    current: Option<&DeploymentCondition>,
) {
    let subject = match new {
        Some(rs) => format!("ReplicaSet {}", go_quote(rs.metadata.name())),
        None => format!("Deployment {}", go_quote(d.metadata.name())),
    };
    let is = |status: &str, reason: &str, what: &str| {
        new_condition(reason::PROGRESSING, status, reason, format!("{subject} {what}."), cx.now())
    };
    if is_complete(d, status) {
        set_condition(status, is("True", reason::NEW_RS_AVAILABLE, "has successfully progressed"));
    } else if is_progressing(d, status) {
        let mut c = is("True", reason::RS_UPDATED, "is progressing");
        if let Some(current) = current {
            if current.status == "True" {
                c.last_transition_time.clone_from(&current.last_transition_time);
            }
            // The condition's update time starts the deadline again, so the condition is written even if its
            // status and reason stay the same.
            remove_condition(status, reason::PROGRESSING);
        }
        set_condition(status, c);
    } else if is_timed_out(d, status, cx.now()) {
        set_condition(status, is("False", reason::TIMED_OUT, "has timed out progressing"));
    }
}

/// The Deployment's condition `ReplicaFailure`: that of the new ReplicaSet, or else of an old one.
fn replica_failure(new: Option<&Rc<ReplicaSet>>, old: &[Rc<ReplicaSet>]) -> Option<DeploymentCondition> {
    let of = |rs: &Rc<ReplicaSet>| {
        let conditions = rs.status.as_ref()?.conditions.as_ref()?;
        conditions.iter().find(|c| c.type_ == reason::REPLICA_FAILURE).cloned()
    };
    new.and_then(of).or_else(|| old.iter().find_map(of)).map(|c: ReplicaSetCondition| DeploymentCondition {
        type_: c.type_,
        status: c.status,
        last_update_time: c.last_transition_time.clone(),
        last_transition_time: c.last_transition_time,
        reason: c.reason,
        message: c.message,
    })
}

/// Enqueues the key for the end of the progress deadline, since nothing else would
/// (`requeueStuckDeployment`), or takes that plan back if the Deployment cannot time out any more.
fn come_back_for_deadline(cx: &Cx, d: &Deployment, status: &DeploymentStatus) {
    let was = d.status.clone().unwrap_or_default();
    let Some(current) = condition(&was, reason::PROGRESSING).filter(|_| has_progress_deadline(d)) else {
        return;
    };
    // A Deployment that was rolled out does not time out any more. Kubernetes enqueues it all the same, at
    // growing intervals; here that would keep a cluster with crashing pods from being steady, and a plan that
    // was made before it was rolled out would let a run go on for ten minutes in which nothing can happen.
    let settled = matches!(current.reason.as_deref(), Some(reason::TIMED_OUT | reason::NEW_RS_AVAILABLE));
    if is_complete(d, status) || settled {
        cx.cancel(d.metadata.key());
        return;
    }
    let Some(since) = &current.last_update_time else { return };
    let after = later(since.0, progress_deadline(d)).duration_since(cx.now());
    let second = SignedDuration::from_secs(1);
    // Kubernetes retries at short intervals when the deadline is near; here one retry a second later
    // replaces these.
    cx.enqueue_after(d.metadata.key(), if after < second { second } else { after + second });
}
