//! DefaultStorageClass: a claim that names no class gets the one that is marked as the default
//! (`k8s.io/kubernetes/plugin/pkg/admission/storage/storageclass/setdefault`).

use super::{Plugin, hook};
use crate::api::types::{PersistentVolumeClaim, StorageClass};
use crate::api::volume::{BETA_CLASS, is_default_class};
use crate::api::{ApiKind, Kind, MetaExt, Object};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;

pub(super) const PLUGIN: Plugin = Plugin {
    admit_create: hook(&[Kind::PERSISTENT_VOLUME_CLAIM], admit_create),
    ..Plugin::new("DefaultStorageClass")
};

fn admit_create(api: &mut ApiServer, object: &mut Object) -> Result<(), Status> {
    if let Some(c) = PersistentVolumeClaim::from_object(object)
        && c.spec.as_ref().is_none_or(|s| s.storage_class_name.is_none())
        && c.metadata.annotation(BETA_CLASS).is_none()
        && let Some(class) = default_storage_class(api)
        && let Some(c) = PersistentVolumeClaim::from_object_mut(object)
    {
        c.spec.get_or_insert_default().storage_class_name = Some(class);
    }
    Ok(())
}

/// The name of the default class: of several the newest, and of those of the same second the first by name.
fn default_storage_class(api: &ApiServer) -> Option<String> {
    api.etcd
        .range(Kind::STORAGE_CLASS, None)
        .filter_map(|(_, r)| StorageClass::from_object(&r.object))
        .filter(|c| is_default_class(c))
        .max_by_key(|c| {
            (
                c.metadata.creation_timestamp.clone().map(|t| t.0),
                std::cmp::Reverse(c.metadata.name().to_owned()),
            )
        })
        .map(|c| c.metadata.name().to_owned())
}
