//! What the binder writes about in-tree plug-ins (`pv_controller_base.go`): the CSI driver that does the work of one now, and
//! a finalizer that keeps a volume until its plug-in has deleted what is behind it.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Claim, Cx, Volume};
use crate::api::types::PersistentVolume;
use crate::api::volume::{
    BETA_STORAGE_PROVISIONER, MIGRATED_TO, PROVISIONED_BY, STORAGE_PROVISIONER, migrated_driver,
};
use crate::api::{MetaExt, ObjectRef};
use crate::client::{Error, Result, Why};

/// The finalizer of a volume that an in-tree plug-in has created.
const IN_TREE_PROTECTION: &str = "kubernetes.io/pv-controller";
/// The finalizer that the external provisioner puts on its volumes.
const EXTERNAL_PROTECTION: &str = "external-provisioner.volume.kubernetes.io/finalizer";

/// `metadata.annotations`
type Annotations = Option<BTreeMap<String, String>>;

/// Names the CSI driver that does the work of a provisioner now, or takes the name away (`updateMigrationAnnotations`).
/// Returns whether that changed anything.
pub(super) fn update_annotation(annotations: &mut Annotations, provisioner: &str) -> bool {
    let Some(annotations) = annotations else { return false };
    let named = annotations.get(MIGRATED_TO).map(String::as_str).unwrap_or_default();
    match migrated_driver(provisioner) {
        Some(driver) if named != driver => {
            annotations.insert(MIGRATED_TO.into(), driver.into());
            true
        }
        None if !named.is_empty() => {
            annotations.remove(MIGRATED_TO);
            true
        }
        _ => false,
    }
}

/// Brings the finalizers of a volume up to date: one that an in-tree plug-in has created and is to delete has the finalizer of
/// this controller and no other (`modifyDeletionFinalizers`). Returns whether that changed anything.
fn update_finalizers(finalizers: &mut Option<Vec<String>>, provisioner: &str, policy: &str) -> bool {
    let mut wanted = finalizers.clone().unwrap_or_default();
    if migrated_driver(provisioner).is_some() {
        wanted.retain(|f| f != IN_TREE_PROTECTION);
    } else if provisioner.starts_with("kubernetes.io/") {
        match policy {
            "Delete" if !wanted.iter().any(|f| f == IN_TREE_PROTECTION) => {
                wanted.push(IN_TREE_PROTECTION.into());
            }
            "Retain" | "Recycle" => wanted.retain(|f| f != IN_TREE_PROTECTION),
            _ => {}
        }
        wanted.retain(|f| f != EXTERNAL_PROTECTION);
    }
    if wanted == finalizers.as_deref().unwrap_or_default() {
        return false;
    }
    *finalizers = Some(wanted).filter(|f| !f.is_empty());
    true
}

/// Brings the annotation and the finalizers of a volume up to date that was provisioned
/// (`updateVolumeMigrationAnnotationsAndFinalizers`).
pub(super) async fn update_volume(cx: &Cx, volume: Volume) -> Result<Volume> {
    let Some(by) = volume.metadata.annotation(PROVISIONED_BY) else { return Ok(volume) };
    let policy = volume.spec.as_ref().and_then(|s| s.persistent_volume_reclaim_policy.as_deref());
    let mut to = volume.clone();
    let metadata = &mut Rc::make_mut(&mut to).metadata;
    let named = update_annotation(&mut metadata.annotations, by);
    let held = update_finalizers(&mut metadata.finalizers, by, policy.unwrap_or_default());
    if !named && !held {
        return Ok(volume);
    }
    let why = Why::new("update_volume_migration").with("provisioner", by).read(
        "volume",
        ObjectRef::of(&*volume),
        "metadata.annotations",
        volume.metadata.name(),
    );
    let told =
        |e| format!("persistent Volume Controller can't anneal migration annotations or finalizer: {e}");
    cx.update(to).because(why).await.map_err(|e| Error::Other(told(e)))
}

/// Brings the annotation of a claim up to date that is to be provisioned (`updateClaimMigrationAnnotations`).
pub(super) async fn update_claim(cx: &Cx, claim: Claim) -> Result<Claim> {
    let named = [STORAGE_PROVISIONER, BETA_STORAGE_PROVISIONER];
    let Some(by) = named.into_iter().find_map(|key| claim.metadata.annotation(key)) else { return Ok(claim) };
    let mut to = claim.clone();
    if !update_annotation(&mut Rc::make_mut(&mut to).metadata.annotations, by) {
        return Ok(claim);
    }
    let why = Why::new("update_claim_migration").with("provisioner", by).read(
        "claim",
        ObjectRef::of(&*claim),
        "metadata.annotations",
        claim.metadata.name(),
    );
    let told = |e| format!("persistent Volume Controller can't anneal migration annotations: {e}");
    cx.update(to).because(why).await.map_err(|e| Error::Other(told(e)))
}

/// Takes the finalizer of this controller off a volume whose storage is deleted (`removeDeletionProtectionFinalizer`).
///
/// # Errors
/// What the volume cannot be deleted for.
pub(super) async fn let_go(cx: &Cx, volume: &PersistentVolume) -> std::result::Result<(), String> {
    let latest = cx.get::<PersistentVolume>(volume.metadata.key()).await.map_err(|e| e.message)?;
    if !latest.metadata.finalizers.iter().flatten().any(|f| f == IN_TREE_PROTECTION) {
        return Ok(());
    }
    let mut to = latest.clone();
    let finalizers = &mut Rc::make_mut(&mut to).metadata.finalizers;
    let mut left = finalizers.take().unwrap_or_default();
    left.retain(|f| f != IN_TREE_PROTECTION);
    *finalizers = Some(left).filter(|f| !f.is_empty());
    let why = Why::new("delete_volume.finalizer").read(
        "volume",
        ObjectRef::of(&*latest),
        "metadata.finalizers",
        latest.metadata.name(),
    );
    let told = |e| format!("persistent volume controller can't update finalizer: {e}");
    cx.update(to).because(why).await.map(|_| ()).map_err(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `updateMigrationAnnotations`
    #[test]
    fn the_driver_of_a_plug_in_is_named() {
        let named = |provisioner: &str, before: Option<&str>| {
            let before = before.map(|driver| (MIGRATED_TO.to_owned(), driver.to_owned()));
            let mut annotations = Some(before.into_iter().collect());
            let changed = update_annotation(&mut annotations, provisioner);
            (changed, annotations.unwrap_or_default().remove(MIGRATED_TO))
        };
        let ebs = Some("ebs.csi.aws.com".to_owned());
        assert_eq!(named("kubernetes.io/aws-ebs", None), (true, ebs.clone()));
        assert_eq!(named("kubernetes.io/aws-ebs", Some("other")), (true, ebs.clone()));
        assert_eq!(named("kubernetes.io/aws-ebs", Some("ebs.csi.aws.com")), (false, ebs));
        assert_eq!(named("kubernetes.io/host-path", Some("other")), (true, None));
        assert_eq!(named("example.com/disks", None), (false, None));
    }

    /// `modifyDeletionFinalizers`
    #[test]
    fn a_volume_of_a_plug_in_has_the_finalizer_while_the_plug_in_is_to_delete_it() {
        let after = |provisioner: &str, policy: &str, before: &[&str]| {
            let list: Vec<String> = before.iter().map(|f| (*f).to_owned()).collect();
            let mut finalizers = Some(list.clone()).filter(|f| !f.is_empty());
            let changed = update_finalizers(&mut finalizers, provisioner, policy);
            let after = finalizers.unwrap_or_default();
            assert_eq!(changed, after != list);
            after
        };
        let (mine, theirs, other) = (IN_TREE_PROTECTION, EXTERNAL_PROTECTION, "kubernetes.io/pv-protection");
        assert_eq!(after("kubernetes.io/host-path", "Delete", &[other]), [other, mine]);
        assert_eq!(after("kubernetes.io/host-path", "Delete", &[theirs, mine]), [mine]);
        assert_eq!(after("kubernetes.io/host-path", "Retain", &[mine, other]), [other]);
        assert_eq!(after("kubernetes.io/aws-ebs", "Delete", &[mine, theirs]), [theirs]);
        assert_eq!(after("example.com/disks", "Delete", &[mine, theirs]), [mine, theirs]);
    }
}
