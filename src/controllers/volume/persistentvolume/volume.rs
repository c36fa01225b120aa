//! The phases of a volume (`syncVolume`): available, bound, released.

use super::phase::{unbind, update_phase};
use super::{Claim, Cx, Task, Volume, migration, reclaim};
use crate::api::types::PersistentVolumeClaim;
use crate::api::volume::{PROVISIONED_BY, claim_ref, modes_mismatch, volume_name, volume_phase};
use crate::api::{Key, MetaExt};
use crate::client::Result;

/// Syncs a volume.
pub(super) async fn sync(cx: &Cx, volume: Volume) -> Result {
    let volume = migration::update_volume(cx, volume).await?;
    let Some(to) = claim_ref(&volume).cloned() else {
        return update_phase(cx, volume, "Available", "").await.map(|_| ());
    };
    let uid = to.uid.clone().unwrap_or_default();
    if uid.is_empty() {
        // The volume is reserved for a claim; the claim's sync binds it.
        return update_phase(cx, volume, "Available", "").await.map(|_| ());
    }
    let key = Key::new(&to.namespace.unwrap_or_default(), &to.name.unwrap_or_default());
    let Some(claim) = find_claim(cx, &volume, key, &uid).await? else {
        return release(cx, volume).await;
    };
    let bound_to = volume_name(&claim);
    if bound_to.is_empty() {
        if modes_mismatch(&claim, &volume) {
            let (c, v) = (claim.metadata.name(), volume.metadata.name());
            let message = format!(
                "Cannot bind PersistentVolume to requested PersistentVolumeClaim {c:?} due to incompatible volumeMode."
            );
            cx.event(&*volume, "Warning", "VolumeMismatch", message);
            let message = format!(
                "Cannot bind PersistentVolume {v:?} to requested PersistentVolumeClaim due to incompatible volumeMode."
            );
            cx.event(&*claim, "Warning", "VolumeMismatch", message);
            return Ok(());
        }
        // The claim's sync completes the binding, as for a volume that was just provisioned.
        cx.enqueue(Task::Claim(claim.metadata.key()));
        return Ok(());
    }
    if bound_to == volume.metadata.name() {
        return update_phase(cx, volume, "Bound", "").await.map(|_| ());
    }
    let policy = volume.spec.as_ref().and_then(|s| s.persistent_volume_reclaim_policy.as_deref());
    if volume.metadata.annotation(PROVISIONED_BY).is_some() && policy == Some("Delete") {
        // The volume was provisioned for this claim, but the claim is bound to another one.
        return release(cx, volume).await;
    }
    unbind(cx, volume).await
}

/// The claim to which a volume is bound; `None` if it was deleted, or is another claim of the same name. The
/// cache may be behind, so the API server is asked before a volume is released.
async fn find_claim(cx: &Cx, volume: &Volume, key: Key, uid: &str) -> Result<Option<Claim>> {
    let cached = cx.lister::<PersistentVolumeClaim>().get(&key).cloned();
    let released = matches!(volume_phase(volume), "Released" | "Failed");
    match cached {
        Some(claim) if claim.metadata.uid() == uid => return Ok(Some(claim)),
        None if released => return Ok(None),
        _ => {}
    }
    match cx.get::<PersistentVolumeClaim>(key).await {
        Ok(claim) => Ok(Some(claim).filter(|c| c.metadata.uid() == uid)),
        Err(e) if e.is_not_found() => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// Releases a volume whose claim was deleted, and carries out its reclaim policy.
async fn release(cx: &Cx, volume: Volume) -> Result {
    let volume = match volume_phase(&volume) {
        "Released" | "Failed" => volume,
        _ => update_phase(cx, volume, "Released", "").await?,
    };
    reclaim::reclaim(cx, volume).await
}
