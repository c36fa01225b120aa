//! The revisions of a set (`update.go`, `constructHistory`). What is written here does not count as written for the set, whose
//! next sync does not wait for it.

use std::rc::Rc;

use super::super::controller_ref_manager::claim_objects;
use super::super::history::{self, Creation, Identity, Revisioned, data, template_patch};
use super::Cx;
use crate::api::labels::Selector;
use crate::api::pod_template_hash::compute_hash;
use crate::api::quote::go_quote;
use crate::api::types::{ControllerRevision, DaemonSet, Pod};
use crate::api::well_known::CONTROLLER_REVISION_HASH_LABEL;
use crate::api::{Kind, MetaExt, ObjectRef, order};
use crate::apimachinery::DeleteOptions;
use crate::client::{Error, Result, Why};

type Revision = Rc<ControllerRevision>;

/// The revision of the present template, and those of earlier ones. The present one is created if it is not there.
///
/// # Errors
/// A request that failed.
pub(super) async fn construct(
    cx: &Cx,
    set: &Rc<DaemonSet>,
    selector: &Selector,
) -> Result<(Revision, Vec<Revision>)> {
    let lister = cx.lister::<ControllerRevision>();
    let owned = lister.controlled_by(set.metadata.uid());
    let candidates = owned.chain(lister.orphans(set.metadata.namespace())).cloned().collect();
    let claimed = claim_objects(cx, set, selector, candidates, |_| true).await?;
    let patch = template_patch(set);
    let (mut current, mut old) = (Vec::new(), Vec::new());
    for mut revision in claimed {
        if revision.metadata.label(CONTROLLER_REVISION_HASH_LABEL).is_none() {
            revision = label(cx, revision).await?;
        }
        if data(&revision) == Some(&patch) { current.push(revision) } else { old.push(revision) }
    }
    let number = old.iter().map(|r| r.revision).max().unwrap_or(0).max(0) + 1;
    let Some(kept) = current.iter().rev().max_by_key(|r| r.revision).cloned() else {
        return Ok((snapshot(cx, set, patch, number).await?, old));
    };
    if current.len() > 1 {
        deduplicate(cx, set, selector, &kept, &current).await?;
    }
    if kept.revision < number {
        cx.update(history::renumbered(&kept, number)).because(history::renumbering(&kept, number)).await?;
    }
    Ok((kept, old))
}

/// Gives a revision without a hash its name instead, which is different for each.
async fn label(cx: &Cx, mut revision: Revision) -> Result<Revision> {
    let name = revision.metadata.name().to_owned();
    let why = Why::new("controller_revision.label").with("revision", &name);
    let labels = Rc::make_mut(&mut revision).metadata.labels.get_or_insert_default();
    labels.insert(CONTROLLER_REVISION_HASH_LABEL.into(), name);
    Ok(cx.update(revision).because(why).await?)
}

/// Keeps one of several revisions with the same template, and gives the pods its hash (`dedupCurHistories`).
async fn deduplicate(
    cx: &Cx,
    set: &Rc<DaemonSet>,
    selector: &Selector,
    kept: &Revision,
    same: &[Revision],
) -> Result {
    let hash = kept.metadata.label(CONTROLLER_REVISION_HASH_LABEL).unwrap_or_default().to_owned();
    let pods = cx.lister::<Pod>();
    let mine: Vec<Rc<Pod>> = pods.controlled_by(set.metadata.uid()).cloned().collect();
    let matches = |p: &Rc<Pod>| selector.matches(p.metadata.labels_or_empty());
    for pod in mine.into_iter().filter(matches) {
        if pod.metadata.label(CONTROLLER_REVISION_HASH_LABEL) == Some(hash.as_str()) {
            continue;
        }
        let mut to = pod.clone();
        Rc::make_mut(&mut to)
            .metadata
            .labels
            .get_or_insert_default()
            .insert(CONTROLLER_REVISION_HASH_LABEL.into(), hash.clone());
        let why = Why::new("controller_revision.relabel_pod").with("revision", kept.metadata.name());
        cx.patch(pod, to).because(why).await?;
    }
    for revision in same.iter().filter(|r| r.metadata.name() != kept.metadata.name()) {
        let why = Why::new("controller_revision.duplicate").with("kept", kept.metadata.name());
        let key = revision.metadata.key();
        cx.delete(Kind::CONTROLLER_REVISION, key, DeleteOptions::default()).because(why).await?;
    }
    Ok(())
}

/// Creates the revision of the present template (`snapshot`). If its name is in use by a revision with another
/// template, `status.collisionCount` is raised, so that the next sync tries another name.
async fn snapshot(cx: &Cx, set: &Rc<DaemonSet>, patch: serde_json::Value, number: i64) -> Result<Revision> {
    let collisions = set.status.as_ref().and_then(|s| s.collision_count);
    let hash = compute_hash(&set.template(), collisions);
    let name = format!("{}-{hash}", set.metadata.name());
    let identity = Identity { name, label: CONTROLLER_REVISION_HASH_LABEL, hash };
    let revision = history::new_revision(&**set, identity, patch, number);
    let (existing, refused) = match history::try_create(cx, &**set, revision).await? {
        Creation::Exists(revision) => return Ok(revision),
        Creation::NameInUse(existing, refused) => (existing, refused),
    };
    let mut latest = cx.get::<DaemonSet>(set.metadata.key()).await?;
    let counted = latest.status.as_ref().and_then(|s| s.collision_count);
    if counted != collisions {
        return Err(Error::Other(format!(
            "found a stale collision count ({}, expected {}) of DaemonSet {} while processing; will retry until it is updated",
            collisions.unwrap_or(0),
            counted.unwrap_or(0),
            go_quote(set.metadata.name())
        )));
    }
    let why = Why::new("controller_revision.collision")
        .read("name", ObjectRef::of(&*existing), "metadata.name", existing.metadata.name())
        .read("collisions", ObjectRef::of(&*latest), "status.collisionCount", counted.unwrap_or(0));
    Rc::make_mut(&mut latest).status.get_or_insert_default().collision_count =
        Some(counted.unwrap_or(0).saturating_add(1));
    cx.update_status(latest).because(why).await?;
    Err(refused.into())
}

/// Deletes the oldest revisions that no pod has, so that `spec.revisionHistoryLimit` are left (`cleanupHistory`).
///
/// # Errors
/// The API server's refusal.
pub(super) async fn cleanup(cx: &Cx, set: &DaemonSet, pods: &[Rc<Pod>], old: &[Revision]) -> Result {
    let limit = usize::try_from(set.revision_history_limit()).unwrap_or(0);
    let mut surplus = old.len().saturating_sub(limit);
    let mut sorted = old.to_vec();
    order::sort_by(&mut sorted, |a, b| a.revision.cmp(&b.revision));
    let is_live = |r: &Revision| {
        let hash = r.metadata.label(CONTROLLER_REVISION_HASH_LABEL).filter(|h| !h.is_empty());
        hash.is_some_and(|h| pods.iter().any(|p| p.metadata.label(CONTROLLER_REVISION_HASH_LABEL) == Some(h)))
    };
    for revision in sorted.iter().filter(|r| !is_live(r)) {
        if surplus == 0 {
            break;
        }
        history::delete(cx, revision, old.len(), limit).await?;
        surplus -= 1;
    }
    Ok(())
}
