//! Defaults of Service, Secret, Namespace, Node, PersistentVolume and PersistentVolumeClaim
//! (`pkg/apis/core/v1/defaults.go`).

use crate::api::MetaExt;
use crate::api::types as t;

use super::{default, quantities, volume};

pub(in crate::apiserver) fn secret(secret: &mut t::Secret) {
    default(&mut secret.type_, "Opaque");
}

pub(in crate::apiserver) fn namespace(namespace: &mut t::Namespace) {
    let name = MetaExt::name(&namespace.metadata).to_owned();
    if !name.is_empty() {
        let labels = namespace.metadata.labels.get_or_insert_default();
        labels.insert("kubernetes.io/metadata.name".to_owned(), name);
    }
    namespace.spec.get_or_insert_default();
    default(&mut namespace.status.get_or_insert_default().phase, "Active");
}

pub(in crate::apiserver) fn node(node: &mut t::Node) {
    node.spec.get_or_insert_default();
    let status = node.status.get_or_insert_default();
    quantities::list(&mut status.capacity);
    quantities::list(&mut status.allocatable);
    if status.allocatable.is_none() {
        status.allocatable.clone_from(&status.capacity);
    }
}

pub(in crate::apiserver) fn persistent_volume(volume: &mut t::PersistentVolume) {
    default(&mut volume.status.get_or_insert_default().phase, "Pending");
    let spec = volume.spec.get_or_insert_default();
    default(&mut spec.persistent_volume_reclaim_policy, "Retain");
    spec.volume_mode.get_or_insert_with(|| "Filesystem".to_owned());
    quantities::list(&mut spec.capacity);
    if let Some(path) = &mut spec.host_path {
        volume::host_path(path);
    }
    if let Some(iscsi) = &mut spec.iscsi {
        default(&mut iscsi.iscsi_interface, "default");
    }
    if let Some(rbd) = &mut spec.rbd {
        default(&mut rbd.pool, "rbd");
        default(&mut rbd.user, "admin");
        default(&mut rbd.keyring, "/etc/ceph/keyring");
    }
    if let Some(disk) = &mut spec.azure_disk {
        volume::azure_disk(disk);
    }
    if let Some(io) = &mut spec.scale_io {
        default(&mut io.storage_mode, "ThinProvisioned");
        default(&mut io.fs_type, "xfs");
    }
}

pub(in crate::apiserver) fn persistent_volume_claim(claim: &mut t::PersistentVolumeClaim) {
    let status = claim.status.get_or_insert_default();
    default(&mut status.phase, "Pending");
    quantities::list(&mut status.capacity);
    quantities::list(&mut status.allocated_resources);
    claim_spec(claim.spec.get_or_insert_default());
}

/// Defaults of a claim's spec, which a pod's ephemeral volumes have as well.
pub(in crate::apiserver) fn claim_spec(spec: &mut t::PersistentVolumeClaimSpec) {
    spec.volume_mode.get_or_insert_with(|| "Filesystem".to_owned());
    let resources = spec.resources.get_or_insert_default();
    quantities::list(&mut resources.limits);
    quantities::list(&mut resources.requests);
}
