//! The strategy `Recreate` (`recreate.go`): the old pods are deleted before new ones are created.

use std::rc::Rc;

use super::Cx;
use super::progress::sync_rollout_status;
use super::scale::scale_replica_set;
use super::sync::{all_replica_sets, cleanup};
use super::util::{active, actual, is_complete, replicas, sum, wanted};
use crate::api::MetaExt;
use crate::api::types::{Deployment, Pod, ReplicaSet};
use crate::client::Result;
use crate::controllers::controller_utils::is_terminal;

/// One step of the rollout.
pub(super) async fn rollout(cx: &Cx, d: Rc<Deployment>, list: &[Rc<ReplicaSet>]) -> Result {
    let (d, (new, old)) = all_replica_sets(cx, d, list, false).await?;
    let mut scaled = false;
    for rs in active(&old).iter().filter(|rs| replicas(rs) != 0) {
        scaled |= scale_replica_set(cx, &d, rs, 0, "scale_down_old_replica_sets_for_recreate").await?.1;
    }
    if scaled || old_pods_running(cx, new.as_ref(), &old, list) {
        return sync_rollout_status(cx, d, new.as_ref(), &old).await;
    }
    let (d, (new, old)) = match new {
        Some(rs) => (d, (Some(rs), old)),
        None => all_replica_sets(cx, d, list, true).await?,
    };
    if let Some(rs) = &new {
        scale_replica_set(cx, &d, rs, wanted(&d), "scale_up_new_replica_set_for_recreate").await?;
    }
    if is_complete(&d, &d.status.clone().unwrap_or_default()) {
        cleanup(cx, &d, &old).await?;
    }
    sync_rollout_status(cx, d, new.as_ref(), &old).await
}

/// Whether a pod of an old template still runs. A pod that has ended does not count, even if it is not
/// deleted yet.
fn old_pods_running(
    cx: &Cx,
    new: Option<&Rc<ReplicaSet>>,
    old: &[Rc<ReplicaSet>],
    list: &[Rc<ReplicaSet>],
) -> bool {
    if sum(old, actual) > 0 {
        return true;
    }
    let not_new = |rs: &&Rc<ReplicaSet>| new.is_none_or(|n| n.metadata.uid() != rs.metadata.uid());
    let pods = cx.lister::<Pod>();
    list.iter().filter(not_new).any(|rs| pods.controlled_by(rs.metadata.uid()).any(|p| !is_terminal(p)))
}
