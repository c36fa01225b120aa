//! Scaling ReplicaSets (`sync.go`): one of them to a size, or all of them in proportion.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::Cx;
use super::util::{
    active, by_creation, is_rolling, is_saturated, max_surge, proportion, replicas, set_size_annotations,
    size_annotations_need_update, sum, wanted,
};
use crate::api::types::{Deployment, ReplicaSet};
use crate::api::{MetaExt, ObjectRef, order};
use crate::client::{Result, Why};

/// Scales a Deployment's ReplicaSets to its new size, without a rollout (`scale`). The newest of the old ones comes first.
pub(super) async fn scale(
    cx: &Cx,
    d: &Rc<Deployment>,
    new: Option<&Rc<ReplicaSet>>,
    old: &[Rc<ReplicaSet>],
) -> Result {
    let mut old = old.to_vec();
    order::sort_by(&mut old, |a, b| by_creation(b, a));
    // At most one ReplicaSet has pods: it gets the whole size.
    if let Some(rs) = active_or_latest(new, &old) {
        if replicas(&rs) != wanted(d) {
            scale_replica_set(cx, d, &rs, wanted(d), "scale.only").await?;
        }
        return Ok(());
    }
    // The new ReplicaSet is complete: the old ones are scaled to 0.
    if is_saturated(d, new) {
        for rs in active(&old) {
            scale_replica_set(cx, d, &rs, 0, "scale.saturated").await?;
        }
        return Ok(());
    }
    if is_rolling(d) {
        scale_in_proportion(cx, d, new, &old).await?;
    }
    Ok(())
}

/// In the middle of a rollout every ReplicaSet grows or shrinks in proportion, so that the shares of the
/// templates stay the same.
async fn scale_in_proportion(
    cx: &Cx,
    d: &Rc<Deployment>,
    new: Option<&Rc<ReplicaSet>>,
    old: &[Rc<ReplicaSet>],
) -> Result {
    let mut all = old.to_vec();
    all.extend(new.cloned());
    let mut all = active(&all);
    let allowed = if wanted(d) > 0 { wanted(d) + max_surge(d) } else { 0 };
    let to_add = allowed - sum(&all, replicas);
    let by_size = |a: &Rc<ReplicaSet>, b: &Rc<ReplicaSet>| replicas(b).cmp(&replicas(a));
    match to_add.cmp(&0) {
        Ordering::Greater => order::sort_by(&mut all, |a, b| by_size(a, b).then_with(|| by_creation(b, a))),
        Ordering::Less => order::sort_by(&mut all, |a, b| by_size(a, b).then_with(|| by_creation(a, b))),
        Ordering::Equal => {}
    }
    let mut added = 0;
    let mut sizes: BTreeMap<String, i32> = BTreeMap::new();
    for rs in &all {
        let share = proportion(rs, d, to_add, added);
        added += share;
        sizes.insert(rs.metadata.name().to_owned(), replicas(rs) + share);
    }
    for (i, rs) in all.iter().enumerate() {
        let mut size = sizes.get(rs.metadata.name()).copied().unwrap_or_else(|| replicas(rs));
        // The largest ReplicaSet gets what rounding has left.
        if i == 0 && to_add != 0 {
            size = (size + to_add - added).max(0);
        }
        resize(cx, d, rs, size, "scale.proportion").await?;
    }
    Ok(())
}

/// The only ReplicaSet with pods; if none has any, the newest; `None` if several have
/// (`FindActiveOrLatest`). `old` has the newest first.
fn active_or_latest(new: Option<&Rc<ReplicaSet>>, old: &[Rc<ReplicaSet>]) -> Option<Rc<ReplicaSet>> {
    let newest = old.first().cloned();
    let mut all = old.to_vec();
    all.extend(new.cloned());
    let active = active(&all);
    match active.as_slice() {
        [] => new.cloned().or(newest),
        [one] => Some(one.clone()),
        _ => None,
    }
}

/// Scales a ReplicaSet unless it has that size (`scaleReplicaSetAndRecordEvent`). Returns the ReplicaSet
/// afterwards, and whether it was scaled.
pub(super) async fn scale_replica_set(
    cx: &Cx,
    d: &Rc<Deployment>,
    rs: &Rc<ReplicaSet>,
    size: i32,
    rule: &'static str,
) -> Result<(Rc<ReplicaSet>, bool)> {
    if replicas(rs) == size {
        return Ok((rs.clone(), false));
    }
    resize(cx, d, rs, size, rule).await
}

/// Writes a ReplicaSet's size and the annotations about the Deployment's size (`scaleReplicaSet`).
async fn resize(
    cx: &Cx,
    d: &Rc<Deployment>,
    rs: &Rc<ReplicaSet>,
    size: i32,
    rule: &'static str,
) -> Result<(Rc<ReplicaSet>, bool)> {
    let (desired, max) = (wanted(d), wanted(d) + max_surge(d));
    let (before, scaled) = (replicas(rs), replicas(rs) != size);
    if !scaled && !size_annotations_need_update(rs, desired, max) {
        return Ok((rs.clone(), false));
    }
    let mut new = rs.clone();
    let n = Rc::make_mut(&mut new);
    if let Some(s) = n.spec.as_mut() {
        s.replicas = Some(size);
    }
    set_size_annotations(&mut n.metadata.annotations, desired, max);
    let why = Why::new(rule)
        .read("want", ObjectRef::of(&**d), "spec.replicas", desired)
        .with("max", max)
        .with("min", wanted(d) - super::util::max_unavailable(d))
        .read("from", ObjectRef::of(&**rs), "spec.replicas", before)
        .with("to", size);
    let updated = cx.update(new).because(why).await?;
    if scaled {
        let name = rs.metadata.name();
        let op = if before < size { "up" } else { "down" };
        let message = format!("Scaled {op} replica set {name} from {before} to {size}");
        cx.event(&**d, "Normal", "ScalingReplicaSet", message);
    }
    Ok((updated, scaled))
}
