//! The provisioner of the recordings: a stand-in, like the [kubelet](crate::kubelet).
//!
//! It creates the volume of a claim with the StorageClass `standard` as soon as the scheduler has chosen a
//! node, and deletes the volume when it is released. Its writes have the user `provisioner`.

use steady::api::types::{
    HostPathVolumeSource, ObjectMeta, ObjectReference, PersistentVolume, PersistentVolumeClaim,
    PersistentVolumeSpec, Quantity, StorageClass,
};
use steady::api::volume::reference_to;

/// The provisioner's name.
pub const NAME: &str = "example.com/fake";

/// The default StorageClass of the recordings.
pub fn storage_class() -> StorageClass {
    let default = ("storageclass.kubernetes.io/is-default-class".to_owned(), "true".to_owned());
    StorageClass {
        metadata: ObjectMeta {
            name: Some("standard".into()),
            annotations: Some([default].into()),
            ..ObjectMeta::default()
        },
        provisioner: NAME.into(),
        volume_binding_mode: Some("WaitForFirstConsumer".into()),
        reclaim_policy: Some("Delete".into()),
        ..StorageClass::default()
    }
}

/// The volume to create for a claim, once the binder has asked for it and a node is chosen. `None` for other
/// claims, and for those that have a volume.
pub fn volume(claim: &PersistentVolumeClaim) -> Option<PersistentVolume> {
    let annotations = claim.metadata.annotations.as_ref()?;
    annotations.get("volume.kubernetes.io/selected-node")?;
    let asked = annotations.get("volume.kubernetes.io/storage-provisioner").is_some_and(|p| p == NAME);
    let spec = claim.spec.as_ref()?;
    if !asked || spec.volume_name.is_some() || claim.metadata.deletion_timestamp.is_some() {
        return None;
    }
    let name = format!("pvc-{}", claim.metadata.uid.as_deref()?);
    let size = spec.resources.as_ref().and_then(|r| r.requests.as_ref()?.get("storage").cloned());
    let by = ("pv.kubernetes.io/provisioned-by".to_owned(), NAME.to_owned());
    Some(PersistentVolume {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            annotations: Some([by].into()),
            ..ObjectMeta::default()
        },
        spec: Some(PersistentVolumeSpec {
            access_modes: spec.access_modes.clone(),
            capacity: Some([("storage".to_owned(), size.unwrap_or_else(|| Quantity("1Gi".into())))].into()),
            claim_ref: Some(ObjectReference { resource_version: None, ..reference_to(claim) }),
            host_path: Some(HostPathVolumeSource {
                path: format!("/var/lib/volumes/{name}"),
                ..HostPathVolumeSource::default()
            }),
            persistent_volume_reclaim_policy: Some("Delete".into()),
            storage_class_name: spec.storage_class_name.clone(),
            ..PersistentVolumeSpec::default()
        }),
        status: None,
    })
}

/// Whether this volume has to be deleted now.
pub fn is_to_go(volume: &PersistentVolume) -> bool {
    let mine = volume.metadata.annotations.as_ref().and_then(|a| a.get("pv.kubernetes.io/provisioned-by"));
    let released = volume.status.as_ref().and_then(|s| s.phase.as_deref()) == Some("Released");
    let policy = volume.spec.as_ref().and_then(|s| s.persistent_volume_reclaim_policy.as_deref());
    mine.is_some_and(|p| p == NAME)
        && released
        && policy == Some("Delete")
        && volume.metadata.deletion_timestamp.is_none()
}
