//! The revisions of a set (`stateful_set_control.go`): the current one, which its pods had before the last change of the
//! template, and the one to update to.

use std::rc::Rc;

use super::super::controller_ref_manager::claim_objects;
use super::super::history::{self, Revisioned};
use super::Cx;
use super::identity::pod_revision;
use crate::api::MetaExt;
use crate::api::labels::Selector;
use crate::api::types::{ControllerRevision, Pod, StatefulSet};
use crate::client::{Error, Result};

/// The revisions that pods of a set can have.
pub(super) struct Revisions {
    /// The revision from which the update began; the same as `update` if there is none under way.
    pub(super) current: Rc<ControllerRevision>,
    /// The revision of the present template.
    pub(super) update: Rc<ControllerRevision>,
    /// The set as it was in `current`.
    pub(super) current_set: Rc<StatefulSet>,
    /// `status.collisionCount` from now on.
    pub(super) collisions: i32,
}

/// Adopts the revisions that have no owner and that the set selects (`adoptOrphanRevisions`).
///
/// # Errors
/// A request that failed; or the set is being deleted and may not adopt any more, so that its status stays as it is.
pub(super) async fn adopt_orphans(cx: &Cx, set: &Rc<StatefulSet>, selector: &Selector) -> Result {
    let mut orphans = history::list(cx, &**set, selector);
    orphans.retain(|r| r.metadata.controller().is_none());
    if orphans.is_empty() {
        return Ok(());
    }
    if set.metadata.is_deleting() {
        let key = set.metadata.key();
        return Err(Error::Other(format!("can't adopt ControllerRevisions: {key} has just been deleted")));
    }
    claim_objects(cx, set, selector, orphans, |_| true).await?;
    Ok(())
}

/// Finds the current revision and the one to update to (`getStatefulSetRevisions`). A template that is new becomes a
/// revision; one that was there before becomes the newest revision again.
///
/// # Errors
/// A request that failed, or a revision whose data is no patch.
pub(super) async fn find(
    cx: &Cx,
    set: &Rc<StatefulSet>,
    revisions: &[Rc<ControllerRevision>],
) -> Result<Revisions> {
    let status = set.status.clone().unwrap_or_default();
    let mut collisions = status.collision_count.unwrap_or(0);
    let patch = history::template_patch(set);
    let last = revisions.last();
    let equal = revisions.iter().rev().find(|r| history::data(r) == Some(&patch));
    let next = last.map_or(1, |r| r.revision + 1);
    let update = match equal {
        Some(equal) if last.is_some_and(|l| l.metadata.name() == equal.metadata.name()) => equal.clone(),
        Some(equal) => history::renumber(cx, equal, next).await?,
        None => history::create(cx, &**set, &patch, next, &mut collisions).await?,
    };
    let named = status.current_revision.unwrap_or_default();
    let current = revisions.iter().find(|r| r.metadata.name() == named).unwrap_or(&update).clone();
    let current_set = history::apply(set, &patch, &current)?;
    Ok(Revisions { current, update, current_set, collisions })
}

/// Deletes the oldest revisions that no pod has, so that `spec.revisionHistoryLimit` are left (`truncateHistory`).
///
/// # Errors
/// The API server's refusal.
pub(super) async fn truncate(
    cx: &Cx,
    set: &StatefulSet,
    pods: &[Rc<Pod>],
    revisions: &[Rc<ControllerRevision>],
    found: Option<&Revisions>,
) -> Result {
    let is_live = |name: &str| {
        found.is_some_and(|f| f.current.metadata.name() == name || f.update.metadata.name() == name)
            || pods.iter().any(|p| pod_revision(p) == name)
    };
    let old: Vec<_> = revisions.iter().filter(|r| !is_live(r.metadata.name())).collect();
    let Ok(limit) = usize::try_from(set.revision_history_limit()) else { return Ok(()) };
    for revision in old.iter().take(old.len().saturating_sub(limit)) {
        history::delete(cx, revision, old.len(), limit).await?;
    }
    Ok(())
}
