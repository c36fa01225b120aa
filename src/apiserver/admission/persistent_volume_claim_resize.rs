//! PersistentVolumeClaimResize: a claim may grow only if it is bound and its class allows it
//! (`k8s.io/kubernetes/plugin/pkg/admission/storage/persistentvolume/resize`).

use super::{Plugin, hook};
use crate::api::quantity::amount_of;
use crate::api::types::{PersistentVolumeClaim, StorageClass};
use crate::api::volume::claim_class;
use crate::api::{ApiKind, Key, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;

pub(super) const PLUGIN: Plugin = Plugin {
    validate_update: hook(&[Kind::PERSISTENT_VOLUME_CLAIM], |api, new, old, _| {
        validate_update(api, new, old)
    }),
    ..Plugin::new("PersistentVolumeClaimResize")
};

fn validate_update(api: &ApiServer, new: &Object, old: &Object) -> Result<(), Status> {
    match (PersistentVolumeClaim::from_object(new), PersistentVolumeClaim::from_object(old)) {
        (Some(new), Some(old)) => resize(api, new, old),
        _ => Ok(()),
    }
}

fn resize(api: &ApiServer, new: &PersistentVolumeClaim, old: &PersistentVolumeClaim) -> Result<(), Status> {
    let size = |claim: &PersistentVolumeClaim| {
        let requests = claim.spec.as_ref().and_then(|s| s.resources.as_ref()?.requests.as_ref());
        amount_of(requests.and_then(|r| r.get("storage")))
    };
    if size(new) <= size(old) {
        return Ok(());
    }
    let bound = old.status.as_ref().is_some_and(|s| s.phase.as_deref() == Some("Bound"));
    let class = claim_class(new);
    let at = ObjectRef { kind: Kind::STORAGE_CLASS, key: Key::new("", class) };
    let found = api.etcd.get(&at).filter(|_| class == claim_class(old));
    let expands = found
        .and_then(|r| StorageClass::from_object(&r.object))
        .is_some_and(|c| c.allow_volume_expansion == Some(true));
    let why = match (bound, expands) {
        (true, true) => return Ok(()),
        (false, _) => "Only bound persistent volume claims can be expanded",
        (true, false) => {
            "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
        }
    };
    Err(Status::forbidden(Kind::PERSISTENT_VOLUME_CLAIM, new.metadata.name(), why))
}
