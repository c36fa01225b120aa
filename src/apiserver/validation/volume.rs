//! A pod's volumes, and where containers mount them.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::MetaExt;
use crate::api::quantity::amount_of;
use crate::api::types as t;

use super::field::{BadValue, Errors, FieldError, Path, go_json_string};
use super::local_path::{local_descending_path, local_path, no_backsteps};
use super::meta::{annotations, invalid_each, label_selector, labels};
use super::names::{self, name_is_dns_subdomain};
use super::{claim_spec, container, env, list, text, volume_rare};

const BAD_MODE: &str = "must be a number between 0 and 0777 (octal), both inclusive";
/// The shortest and longest life of a projected token, in seconds.
const TOKEN_SECONDS: std::ops::RangeInclusive<i64> = 600..=(1 << 32);

/// Checks a pod's volumes and gives the valid ones, by name: only those can be mounted.
pub(in crate::apiserver) fn volumes<'a>(
    errs: &mut Errors,
    volumes: &'a [t::Volume],
    pod: Option<&t::ObjectMeta>,
    path: &Path,
) -> BTreeMap<&'a str, &'a t::Volume> {
    let pod_name = pod.map_or("", |m| MetaExt::name(m));
    let made: BTreeSet<String> = volumes
        .iter()
        .filter(|v| v.ephemeral.is_some() && !pod_name.is_empty())
        .map(|v| format!("{pod_name}-{}", v.name))
        .collect();
    let mut valid = BTreeMap::new();
    for (i, volume) in volumes.iter().enumerate() {
        let at = path.index(i);
        let before = errs.len();
        source(errs, volume, pod, &at);
        let name = volume.name.as_str();
        if name.is_empty() {
            errs.push(FieldError::required(&at.child("name"), ""));
        } else {
            invalid_each(errs, &at.child("name"), name, names::dns1123_label(name));
        }
        if valid.contains_key(name) {
            errs.push(FieldError::duplicate(&at.child("name"), name));
        }
        if errs.len() == before {
            valid.insert(name, volume);
        }
        if let Some(claim) = &volume.persistent_volume_claim
            && made.contains(&claim.claim_name)
        {
            errs.push(FieldError::invalid(
                &at.child("persistentVolumeClaim").child("claimName"),
                &claim.claim_name,
                "must not reference a PVC that gets created for an ephemeral volume",
            ));
        }
    }
    valid
}

/// Looks into the first source there is, and refuses the others.
fn source(errs: &mut Errors, volume: &t::Volume, pod: Option<&t::ObjectMeta>, path: &Path) {
    let pod_name = pod.map_or("", |m| MetaExt::name(m));
    let mut count = 0;
    macro_rules! source {
        ($field:expr, $name:literal, |$s:ident| $check:expr) => {
            if let Some($s) = &$field {
                count += 1;
                if count > 1 {
                    let message = "may not specify more than 1 volume type";
                    errs.push(FieldError::forbidden(&path.child($name), message));
                } else {
                    $check
                }
            }
        };
    }
    let required = |errs: &mut Errors, at: &Path, fields: &[(&'static str, bool)]| {
        for (name, empty) in fields {
            if *empty {
                errs.push(FieldError::required(&at.child(name), ""));
            }
        }
    };
    source!(volume.empty_dir, "emptyDir", |s| {
        if s.size_limit.is_some() && amount_of(s.size_limit.as_ref()) < amount_of(None) {
            let message = "SizeLimit field must be a valid resource quantity";
            errs.push(FieldError::forbidden(&path.child("emptyDir").child("sizeLimit"), message));
        }
    });
    source!(volume.host_path, "hostPath", |s| host_path(errs, s, &path.child("hostPath")));
    source!(volume.git_repo, "gitRepo", |s| {
        let at = path.child("gitRepo");
        required(errs, &at, &[("repository", s.repository.is_empty())]);
        local_descending_path(errs, text(&s.directory), &at.child("directory"));
    });
    source!(volume.gce_persistent_disk, "gcePersistentDisk", |s| rare(
        errs,
        "gcePersistentDisk",
        s,
        &path.child("persistentDisk")
    ));
    source!(volume.aws_elastic_block_store, "awsElasticBlockStore", |s| rare(
        errs,
        "awsElasticBlockStore",
        s,
        &path.child("awsElasticBlockStore")
    ));
    source!(volume.secret, "secret", |s| {
        let at = path.child("secret");
        required(errs, &at, &[("secretName", text(&s.secret_name).is_empty())]);
        mode(errs, s.default_mode, &at.child("defaultMode"));
        items(errs, list(&s.items), &at.child("items"));
    });
    source!(volume.nfs, "nfs", |s| nfs(errs, s, &path.child("nfs")));
    source!(volume.iscsi, "iscsi", |s| rare(errs, "iscsi", s, &path.child("iscsi")));
    if let Some(iscsi) = &volume.iscsi
        && iscsi.initiator_name.is_some()
        && volume_rare::too_long_for_iscsi(&volume.name, &iscsi.target_portal)
    {
        errs.push(FieldError::invalid(&path.child("name"), &volume.name, volume_rare::TOO_LONG_FOR_ISCSI));
    }
    source!(volume.glusterfs, "glusterfs", |s| rare(errs, "glusterfs", s, &path.child("glusterfs")));
    source!(volume.flocker, "flocker", |s| rare(errs, "flocker", s, &path.child("flocker")));
    source!(volume.persistent_volume_claim, "persistentVolumeClaim", |s| {
        let at = path.child("persistentVolumeClaim");
        required(errs, &at, &[("claimName", s.claim_name.is_empty())]);
    });
    source!(volume.rbd, "rbd", |s| rare(errs, "rbd", s, &path.child("rbd")));
    source!(volume.cinder, "cinder", |s| rare(errs, "cinder", s, &path.child("cinder")));
    source!(volume.cephfs, "cephFS", |s| rare(errs, "cephfs", s, &path.child("cephfs")));
    source!(volume.quobyte, "quobyte", |s| rare(errs, "quobyte", s, &path.child("quobyte")));
    // The misspelling is Kubernetes'.
    source!(volume.downward_api, "downwarAPI", |s| {
        let at = path.child("downwardAPI");
        mode(errs, s.default_mode, &at.child("defaultMode"));
        list(&s.items).iter().for_each(|file| downward_file(errs, file, &at));
    });
    source!(volume.fc, "fc", |s| rare(errs, "fc", s, &path.child("fc")));
    source!(volume.flex_volume, "flexVolume", |s| rare(errs, "flexVolume", s, &path.child("flexVolume")));
    source!(volume.config_map, "configMap", |s| {
        let at = path.child("configMap");
        required(errs, &at, &[("name", s.name.is_empty())]);
        mode(errs, s.default_mode, &at.child("defaultMode"));
        items(errs, list(&s.items), &at.child("items"));
    });
    source!(volume.azure_file, "azureFile", |s| rare(errs, "azureFile", s, &path.child("azureFile")));
    source!(volume.vsphere_volume, "vsphereVolume", |s| rare(
        errs,
        "vsphereVolume",
        s,
        &path.child("vsphereVolume")
    ));
    source!(volume.photon_persistent_disk, "photonPersistentDisk", |s| rare(
        errs,
        "photonPersistentDisk",
        s,
        &path.child("photonPersistentDisk")
    ));
    source!(volume.portworx_volume, "portworxVolume", |s| rare(
        errs,
        "portworxVolume",
        s,
        &path.child("portworxVolume")
    ));
    source!(volume.azure_disk, "azureDisk", |s| rare(errs, "azureDisk", s, &path.child("azureDisk")));
    source!(volume.storageos, "storageos", |s| rare(errs, "storageos", s, &path.child("storageos")));
    source!(volume.projected, "projected", |s| projected(errs, s, &path.child("projected")));
    source!(volume.scale_io, "scaleIO", |s| rare(errs, "scaleIO", s, &path.child("scaleIO")));
    source!(volume.csi, "csi", |s| {
        let at = path.child("csi");
        csi_driver(errs, &s.driver, &at.child("driver"));
        if let Some(secret) = &s.node_publish_secret_ref {
            if secret.name.is_empty() {
                errs.push(FieldError::required(&at.child("nodePublishSecretRef").child("name"), ""));
            } else {
                let messages = name_is_dns_subdomain(&secret.name, false);
                invalid_each(errs, &at.child("name"), &secret.name, messages);
            }
        }
    });
    source!(volume.ephemeral, "ephemeral", |s| {
        let at = path.child("ephemeral").child("volumeClaimTemplate");
        match &s.volume_claim_template {
            None => errs.push(FieldError::required(&at, "")),
            Some(template) => claim_template(errs, template, &at),
        }
        if !pod_name.is_empty() && !volume.name.is_empty() {
            let claim = format!("{pod_name}-{}", volume.name);
            for message in names::dns1123_subdomain(&claim) {
                let message = format!("PVC name {}: {message}", super::field::go_quote(&claim));
                errs.push(FieldError::invalid(&path.child("name"), &volume.name, message));
            }
        }
    });
    source!(volume.image, "image", |s| {
        let at = path.child("image");
        // A template may leave it to whoever makes pods of it.
        required(errs, &at, &[("reference", pod.is_some() && text(&s.reference).is_empty())]);
        container::pull_policy(errs, text(&s.pull_policy), &at.child("pullPolicy"));
    });
    if count == 0 {
        errs.push(FieldError::required(path, "must specify a volume type"));
    }
}

fn rare<T: serde::Serialize>(errs: &mut Errors, name: &str, source: &T, path: &Path) {
    volume_rare::source(errs, name, &crate::api::to_value(source), None, path);
}

fn claim_template(errs: &mut Errors, template: &t::PersistentVolumeClaimTemplate, path: &Path) {
    if let Some(meta) = &template.metadata {
        let at = path.child("metadata");
        annotations(errs, meta.annotations.as_ref(), &at.child("annotations"));
        labels(errs, meta.labels.as_ref(), &at.child("labels"));
        let given = |field: &Option<String>| !text(field).is_empty();
        // The fields of Go's struct but labels and annotations, with the first letter of their names there made small
        // (`validateFieldAllowList`).
        for (name, set) in [
            ("name", given(&meta.name)),
            ("generateName", given(&meta.generate_name)),
            ("namespace", given(&meta.namespace)),
            ("selfLink", given(&meta.self_link)),
            ("uID", given(&meta.uid)),
            ("resourceVersion", given(&meta.resource_version)),
            ("generation", MetaExt::generation(meta) != 0),
            ("creationTimestamp", meta.creation_timestamp.is_some()),
            ("deletionTimestamp", meta.deletion_timestamp.is_some()),
            ("deletionGracePeriodSeconds", meta.deletion_grace_period_seconds.is_some()),
            ("ownerReferences", meta.owner_references.is_some()),
            ("finalizers", meta.finalizers.is_some()),
            ("managedFields", meta.managed_fields.is_some()),
        ] {
            if set {
                errs.push(FieldError::forbidden(&at.child(name), "cannot be set"));
            }
        }
    }
    claim_spec::claim_spec(errs, &template.spec, &path.child("spec"));
}

fn mode(errs: &mut Errors, mode: Option<i32>, path: &Path) {
    if let Some(mode) = mode.filter(|m| !(0..=0o777).contains(m)) {
        errs.push(FieldError::invalid(path, mode, BAD_MODE));
    }
}

fn items(errs: &mut Errors, items: &[t::KeyToPath], path: &Path) {
    items.iter().enumerate().for_each(|(i, item)| key_to_path(errs, item, &path.index(i)));
}

fn key_to_path(errs: &mut Errors, item: &t::KeyToPath, path: &Path) {
    if item.key.is_empty() {
        errs.push(FieldError::required(&path.child("key"), ""));
    }
    if item.path.is_empty() {
        errs.push(FieldError::required(&path.child("path"), ""));
    }
    local_path(errs, &item.path, &path.child("path"));
    mode(errs, item.mode, &path.child("mode"));
}

fn downward_file(errs: &mut Errors, file: &t::DownwardAPIVolumeFile, path: &Path) {
    if file.path.is_empty() {
        errs.push(FieldError::required(&path.child("path"), ""));
    }
    local_path(errs, &file.path, &path.child("path"));
    match (&file.field_ref, &file.resource_field_ref) {
        (Some(field), resource) => {
            env::field_ref(errs, field, env::FILE_FIELDS, &path.child("fieldRef"));
            if resource.is_some() {
                let message = "fieldRef and resourceFieldRef can not be specified simultaneously";
                errs.push(FieldError::invalid(path, "resource", message));
            }
        }
        (None, Some(resource)) => {
            env::resource_field_ref(errs, resource, true, &path.child("resourceFieldRef"));
        }
        (None, None) => {
            errs.push(FieldError::required(path, "one of fieldRef and resourceFieldRef is required"));
        }
    }
    mode(errs, file.mode, &path.child("mode"));
}

fn projected(errs: &mut Errors, volume: &t::ProjectedVolumeSource, path: &Path) {
    mode(errs, volume.default_mode, &path.child("defaultMode"));
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let clash = "conflicting duplicate paths";
    for (i, source) in list(&volume.sources).iter().enumerate() {
        let at = path.child("sources").index(i);
        let mut count = 0;
        for (kind, part) in [
            ("secret", source.secret.as_ref().map(|s| (s.name.as_str(), list(&s.items)))),
            ("configMap", source.config_map.as_ref().map(|s| (s.name.as_str(), list(&s.items)))),
        ] {
            let Some((name, items)) = part else { continue };
            count += 1;
            let at = at.child(kind);
            if name.is_empty() {
                errs.push(FieldError::required(&at.child("name"), ""));
            }
            for (j, item) in items.iter().enumerate() {
                key_to_path(errs, item, &at.child("items").index(j));
                if !item.path.is_empty() && !seen.insert(&item.path) {
                    errs.push(FieldError::invalid(path, name, clash));
                }
            }
        }
        if let Some(downward) = &source.downward_api {
            count += 1;
            for file in list(&downward.items) {
                downward_file(errs, file, &at.child("downwardAPI"));
                if !file.path.is_empty() && !seen.insert(&file.path) {
                    errs.push(FieldError::invalid(path, &file.path, clash));
                }
            }
        }
        if let Some(token) = &source.service_account_token {
            count += 1;
            let seconds = token.expiration_seconds.unwrap_or_default();
            let at = at.child("serviceAccountToken").child("expirationSeconds");
            if seconds < *TOKEN_SECONDS.start() {
                let message = "may not specify a duration less than 10 minutes";
                errs.push(FieldError::invalid(&at, seconds, message));
            } else if seconds > *TOKEN_SECONDS.end() {
                let message = "may not specify a duration larger than 2^32 seconds";
                errs.push(FieldError::invalid(&at, seconds, message));
            }
            if token.path.is_empty() {
                errs.push(FieldError::required(&path.child("path"), ""));
            } else {
                local_path(errs, &token.path, &path.child("path"));
            }
        }
        if let Some(bundle) = &source.cluster_trust_bundle {
            count += 1;
            let at = at.child("clusterTrustBundle");
            if bundle.name.is_none() && bundle.signer_name.is_none() {
                errs.push(FieldError::required(&at, "either name or signerName must be specified"));
            }
            label_selector(errs, bundle.label_selector.as_ref(), &at.child("labelSelector"));
            if bundle.path.is_empty() {
                errs.push(FieldError::required(&at.child("path"), ""));
            }
            local_path(errs, &bundle.path, &at.child("path"));
            if !seen.insert(&bundle.path) {
                errs.push(FieldError::invalid(path, &bundle.path, clash));
            }
        }
        count += usize::from(source.pod_certificate.is_some());
        if count > 1 {
            let message = "may not specify more than 1 volume type per source";
            errs.push(FieldError::forbidden(&at, message));
        }
    }
}

/// A file or directory of the node.
pub(in crate::apiserver) fn host_path(errs: &mut Errors, source: &t::HostPathVolumeSource, path: &Path) {
    if source.path.is_empty() {
        errs.push(FieldError::required(&path.child("path"), ""));
        return;
    }
    no_backsteps(errs, &source.path, &path.child("path"));
    const TYPES: &[&str] = &[
        "",
        "BlockDevice",
        "CharDevice",
        "Directory",
        "DirectoryOrCreate",
        "File",
        "FileOrCreate",
        "Socket",
    ];
    if let Some(kind) = &source.type_
        && !TYPES.contains(&kind.as_str())
    {
        let value = BadValue::Json(go_json_string(kind));
        errs.push(FieldError::not_supported(&path.child("type"), value, TYPES));
    }
}

/// A directory of a file server.
pub(in crate::apiserver) fn nfs(errs: &mut Errors, source: &t::NFSVolumeSource, path: &Path) {
    if source.server.is_empty() {
        errs.push(FieldError::required(&path.child("server"), ""));
    }
    if source.path.is_empty() {
        errs.push(FieldError::required(&path.child("path"), ""));
    }
    if !source.path.starts_with('/') {
        errs.push(FieldError::invalid(&path.child("path"), &source.path, "must be an absolute path"));
    }
}

/// Validates the name of a CSI driver (`ValidateCSIDriverName`).
pub(in crate::apiserver) fn csi_driver(errs: &mut Errors, driver: &str, path: &Path) {
    if driver.is_empty() {
        errs.push(FieldError::required(path, ""));
        return;
    }
    if driver.len() > 63 {
        errs.push(FieldError::too_long(path, 63));
    }
    invalid_each(errs, path, driver, names::dns1123_subdomain(&driver.to_lowercase()));
}
