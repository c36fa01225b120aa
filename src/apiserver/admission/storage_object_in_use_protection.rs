//! StorageObjectInUseProtection: a finalizer keeps claims, volumes and VolumeAttributesClasses while they are used
//! (`k8s.io/kubernetes/plugin/pkg/admission/storage/storageobjectinuseprotection`).

use super::{Plugin, hook};
use crate::api::volume::{ATTRIBUTES_CLASS_PROTECTION, CLAIM_PROTECTION, VOLUME_PROTECTION};
use crate::api::{Kind, Object};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;

pub(super) const PLUGIN: Plugin = Plugin {
    admit_create: hook(
        &[Kind::PERSISTENT_VOLUME_CLAIM, Kind::PERSISTENT_VOLUME, Kind::VOLUME_ATTRIBUTES_CLASS],
        admit_create,
    ),
    ..Plugin::new("StorageObjectInUseProtection")
};

/// The finalizer of objects of a kind that is protected.
fn finalizer(kind: Kind) -> Option<&'static str> {
    let of_kinds = [
        (Kind::PERSISTENT_VOLUME_CLAIM, CLAIM_PROTECTION),
        (Kind::PERSISTENT_VOLUME, VOLUME_PROTECTION),
        (Kind::VOLUME_ATTRIBUTES_CLASS, ATTRIBUTES_CLASS_PROTECTION),
    ];
    of_kinds.into_iter().find(|(protected, _)| *protected == kind).map(|(_, finalizer)| finalizer)
}

fn admit_create(_: &mut ApiServer, object: &mut Object) -> Result<(), Status> {
    let Some(finalizer) = finalizer(object.kind()) else { return Ok(()) };
    let finalizers = object.meta_mut().finalizers.get_or_insert_default();
    if !finalizers.iter().any(|f| f == finalizer) {
        finalizers.push(finalizer.into());
    }
    Ok(())
}
