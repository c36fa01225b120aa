//! Defaults of a pod's volumes.

use crate::api::types as t;

use super::field_ref::{field_ref, resource_field_ref};
use super::image::pull_policy;
use super::{claim_spec, default, quantities};

/// The mode of files made from ConfigMaps, Secrets and the pod's own fields: 0644.
const DEFAULT_MODE: i32 = 0o644;
/// How long a projected token is valid, in seconds.
const TOKEN_EXPIRATION_SECONDS: i64 = 3600;

pub(super) fn volume(volume: &mut t::Volume) {
    // A volume without a source is an empty directory.
    let bare = t::Volume { name: volume.name.clone(), ..t::Volume::default() };
    if *volume == bare {
        volume.empty_dir = Some(t::EmptyDirVolumeSource::default());
    }
    if let Some(empty) = &mut volume.empty_dir {
        quantities::optional(&mut empty.size_limit);
    }
    if let Some(path) = &mut volume.host_path {
        host_path(path);
    }
    if let Some(secret) = &mut volume.secret {
        secret.default_mode.get_or_insert(DEFAULT_MODE);
    }
    if let Some(map) = &mut volume.config_map {
        map.default_mode.get_or_insert(DEFAULT_MODE);
    }
    if let Some(downward) = &mut volume.downward_api {
        downward.default_mode.get_or_insert(DEFAULT_MODE);
        downward.items.iter_mut().flatten().for_each(downward_file);
    }
    if let Some(projected) = &mut volume.projected {
        projected.default_mode.get_or_insert(DEFAULT_MODE);
        for source in projected.sources.iter_mut().flatten() {
            if let Some(downward) = &mut source.downward_api {
                downward.items.iter_mut().flatten().for_each(downward_file);
            }
            if let Some(token) = &mut source.service_account_token {
                token.expiration_seconds.get_or_insert(TOKEN_EXPIRATION_SECONDS);
            }
        }
    }
    if let Some(iscsi) = &mut volume.iscsi {
        default(&mut iscsi.iscsi_interface, "default");
    }
    if let Some(rbd) = &mut volume.rbd {
        default(&mut rbd.pool, "rbd");
        default(&mut rbd.user, "admin");
        default(&mut rbd.keyring, "/etc/ceph/keyring");
    }
    if let Some(disk) = &mut volume.azure_disk {
        azure_disk(disk);
    }
    if let Some(io) = &mut volume.scale_io {
        default(&mut io.storage_mode, "ThinProvisioned");
        default(&mut io.fs_type, "xfs");
    }
    if let Some(image) = &mut volume.image {
        let policy = pull_policy(image.reference.as_deref().unwrap_or_default());
        default(&mut image.pull_policy, policy);
    }
    if let Some(claim) = volume.ephemeral.as_mut().and_then(|e| e.volume_claim_template.as_mut()) {
        claim_spec::claim_spec(&mut claim.spec);
    }
}

pub(in crate::apiserver) fn host_path(path: &mut t::HostPathVolumeSource) {
    // Present and empty: "do not check".
    path.type_.get_or_insert_default();
}

pub(in crate::apiserver) fn azure_disk(disk: &mut t::AzureDiskVolumeSource) {
    disk.caching_mode.get_or_insert_with(|| "ReadWrite".to_owned());
    disk.kind.get_or_insert_with(|| "Shared".to_owned());
    disk.fs_type.get_or_insert_with(|| "ext4".to_owned());
    disk.read_only.get_or_insert(false);
}

fn downward_file(file: &mut t::DownwardAPIVolumeFile) {
    if let Some(field) = &mut file.field_ref {
        field_ref(field);
    }
    if let Some(resource) = &mut file.resource_field_ref {
        resource_field_ref(resource);
    }
}
