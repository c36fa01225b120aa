//! The strategy `RollingUpdate` (`rolling.go`): the new ReplicaSet grows as far as `maxSurge` allows, the
//! old ones shrink as far as `maxUnavailable` allows.

use std::rc::Rc;

use super::Cx;
use super::progress::sync_rollout_status;
use super::scale::scale_replica_set;
use super::sync::{all_replica_sets, cleanup};
use super::util::{
    self, active, available, by_creation, is_complete, new_rs_new_replicas, replicas, sum, wanted,
};
use crate::api::order;
use crate::api::types::{Deployment, ReplicaSet};
use crate::client::Result;

/// One step of the rollout.
pub(super) async fn rollout(cx: &Cx, d: Rc<Deployment>, list: &[Rc<ReplicaSet>]) -> Result {
    let (d, (new, old)) = all_replica_sets(cx, d, list, true).await?;
    if let Some(rs) = &new
        && scale_new(cx, &d, rs, &old).await?
    {
        return sync_rollout_status(cx, d, new.as_ref(), &old).await;
    }
    if let Some(rs) = &new
        && scale_old(cx, &d, rs, &old).await?
    {
        return sync_rollout_status(cx, d, new.as_ref(), &old).await;
    }
    if is_complete(&d, &d.status.clone().unwrap_or_default()) {
        cleanup(cx, &d, &old).await?;
    }
    sync_rollout_status(cx, d, new.as_ref(), &old).await
}

/// Scales the new ReplicaSet (`reconcileNewReplicaSet`). Returns whether it was scaled.
async fn scale_new(
    cx: &Cx,
    d: &Rc<Deployment>,
    new: &Rc<ReplicaSet>,
    old: &[Rc<ReplicaSet>],
) -> Result<bool> {
    if replicas(new) == wanted(d) {
        return Ok(false);
    }
    if replicas(new) > wanted(d) {
        return Ok(scale_replica_set(cx, d, new, wanted(d), "reconcile_new_replica_set.down").await?.1);
    }
    let mut all = old.to_vec();
    all.push(new.clone());
    let size = new_rs_new_replicas(d, &all, replicas(new));
    Ok(scale_replica_set(cx, d, new, size, "reconcile_new_replica_set.up").await?.1)
}

/// Scales the old ReplicaSets down (`reconcileOldReplicaSets`). Returns whether one was scaled.
async fn scale_old(
    cx: &Cx,
    d: &Rc<Deployment>,
    new: &Rc<ReplicaSet>,
    old: &[Rc<ReplicaSet>],
) -> Result<bool> {
    let mut old = active(old);
    if sum(&old, replicas) == 0 {
        return Ok(false);
    }
    let total = sum(&old, replicas) + replicas(new);
    let min_available = wanted(d) - util::max_unavailable(d);
    // The new ReplicaSet's pods that are not available may fail, so they cannot replace old pods.
    let unavailable = replicas(new) - available(new);
    let most = total - min_available - unavailable;
    if most <= 0 {
        return Ok(false);
    }
    // As in Kubernetes, a refused update does not end the sync: the Deployment's status is written as if nothing had been
    // scaled, and the next change of a ReplicaSet leads to the next sync.
    let Ok(Some(cleaned)) = cleanup_unhealthy(cx, d, &mut old, most).await else { return Ok(false) };
    let Ok(scaled) = scale_down_old(cx, d, new, &mut old).await else { return Ok(false) };
    Ok(cleaned + scaled > 0)
}

/// Scales down old ReplicaSets by their unavailable pods, which would block the rollout and serve nobody
/// (`cleanupUnhealthyReplicas`). `None` if the status of one of them is older than its size: it says that more pods are
/// available than are wanted. Then no old ReplicaSet is scaled down before its status is up to date.
async fn cleanup_unhealthy(
    cx: &Cx,
    d: &Rc<Deployment>,
    old: &mut [Rc<ReplicaSet>],
    most: i32,
) -> Result<Option<i32>> {
    order::sort_by(old, by_creation);
    let mut total = 0;
    for rs in old.iter_mut() {
        if total >= most {
            break;
        }
        let unhealthy = replicas(rs) - available(rs);
        if replicas(rs) == 0 || unhealthy == 0 {
            continue;
        }
        let n = unhealthy.min(most - total);
        if n < 0 {
            return Ok(None);
        }
        let size = replicas(rs) - n;
        *rs = scale_replica_set(cx, d, rs, size, "cleanup_unhealthy_replicas").await?.0;
        total += n;
    }
    Ok(Some(total))
}

/// Scales old ReplicaSets down by their available pods (`scaleDownOldReplicaSetsForRollingUpdate`).
async fn scale_down_old(
    cx: &Cx,
    d: &Rc<Deployment>,
    new: &Rc<ReplicaSet>,
    old: &mut [Rc<ReplicaSet>],
) -> Result<i32> {
    let min_available = wanted(d) - util::max_unavailable(d);
    let now_available = sum(old, available) + available(new);
    if now_available <= min_available {
        return Ok(0);
    }
    order::sort_by(old, by_creation);
    let most = now_available - min_available;
    let mut total = 0;
    for rs in old.iter() {
        if total >= most {
            break;
        }
        if replicas(rs) == 0 {
            continue;
        }
        let n = replicas(rs).min(most - total);
        scale_replica_set(cx, d, rs, replicas(rs) - n, "scale_down_old_replica_sets").await?;
        total += n;
    }
    Ok(total)
}
