//! Validation of PersistentVolumes (`ValidatePersistentVolume` in `pkg/apis/core/validation/validation.go`).

use crate::api::MetaExt;
use crate::api::quantity::amount_of;
use crate::api::types::{CSIPersistentVolumeSource, PersistentVolume, PersistentVolumeSpec};
use crate::apiserver::validation::field::pointer;
use crate::apiserver::validation::local_path::no_backsteps;
use crate::apiserver::validation::meta::{IMMUTABLE, invalid_each, object_meta, object_meta_update};
use crate::apiserver::validation::resources::positive;
use crate::apiserver::validation::volume_modes::{access_modes, volume_mode};
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, diff, internal, list, name_is_dns_subdomain, names, or_default,
    scheduling, semantic_eq, text, volume as volumes, volume_rare,
};

/// The annotation that had a volume's mount options before there was a field for them.
pub(super) const MOUNT_OPTIONS: &str = "volume.beta.kubernetes.io/mount-options";

/// Validates a new volume (`Validate` in `pkg/registry/core/persistentvolume/strategy.go`).
pub(super) fn create(errs: &mut Errors, new: &PersistentVolume) {
    volume(errs, new);
    mount_options(errs, new);
}

/// Refuses the annotation of mount options at a volume whose type has none (`checkMountOption` in
/// `pkg/volume/validation/pv_validation.go`).
fn mount_options(errs: &mut Errors, volume: &PersistentVolume) {
    let none = PersistentVolumeSpec::default();
    let spec = or_default(&volume.spec, &none);
    let mounts = spec.gce_persistent_disk.is_some()
        || spec.aws_elastic_block_store.is_some()
        || spec.glusterfs.is_some()
        || spec.nfs.is_some()
        || spec.rbd.is_some()
        || spec.quobyte.is_some()
        || spec.iscsi.is_some()
        || spec.cinder.is_some()
        || spec.cephfs.is_some()
        || spec.azure_file.is_some()
        || spec.vsphere_volume.is_some()
        || spec.azure_disk.is_some()
        || spec.photon_persistent_disk.is_some();
    if !mounts && volume.metadata.annotation(MOUNT_OPTIONS).is_some() {
        let at = Path::new("metadata").child("annotations").named(MOUNT_OPTIONS);
        errs.push(FieldError::forbidden(&at, "may not specify mount options for this volume type"));
    }
}

/// Validates a volume as it is (`ValidatePersistentVolume`).
fn volume(errs: &mut Errors, volume: &PersistentVolume) {
    object_meta(errs, &volume.metadata, false, name_is_dns_subdomain);
    let none = PersistentVolumeSpec::default();
    let name = volume.metadata.name.as_deref().unwrap_or_default();
    volume_spec(errs, volume.spec.as_ref().unwrap_or(&none), name);
}

fn volume_spec(errs: &mut Errors, spec: &PersistentVolumeSpec, name: &str) {
    let path = Path::new("spec");
    let modes = list(&spec.access_modes);
    if modes.is_empty() {
        errs.push(FieldError::required(&path.child("accessModes"), ""));
    }
    access_modes(errs, modes, &path.child("accessModes"));
    let at = path.child("capacity");
    let capacity = spec.capacity.clone().unwrap_or_default();
    if capacity.is_empty() {
        errs.push(FieldError::required(&at, ""));
    }
    if !capacity.contains_key("storage") || capacity.len() > 1 {
        let value = spec.capacity.as_ref().map_or_else(|| "null".to_owned(), json);
        errs.push(FieldError::not_supported(&at, BadValue::Json(value), &["storage"]));
    }
    for (name, quantity) in &capacity {
        let at = at.key(name);
        let value = amount_of(Some(quantity)).value();
        if value < 0 {
            errs.push(FieldError::invalid(&at, value, "must be a valid resource quantity"));
        }
        positive(errs, quantity, &at);
    }
    let reclaim = text(&spec.persistent_volume_reclaim_policy);
    let at = path.child("persistentVolumeReclaimPolicy");
    if !matches!(reclaim, "" | "Delete" | "Recycle" | "Retain") {
        errs.push(FieldError::not_supported(&at, reclaim, &["Delete", "Recycle", "Retain"]));
    }
    if let Some(affinity) = &spec.node_affinity {
        let at = path.child("nodeAffinity").child("required");
        match &affinity.required {
            Some(required) => scheduling::node_selector(errs, required, &at),
            None => errs.push(FieldError::required(&at, "must specify required node constraints")),
        }
    }
    volume_source(errs, spec, name, &path);
    let root = spec
        .host_path
        .as_ref()
        .is_some_and(|h| h.path.starts_with('/') && h.path.split('/').all(|part| matches!(part, "" | ".")));
    if root && reclaim == "Recycle" {
        errs.push(FieldError::forbidden(&at, "may not be 'recycle' for a hostPath mount of '/'"));
    }
    let class = text(&spec.storage_class_name);
    if !class.is_empty() {
        invalid_each(errs, &path.child("storageClassName"), class, names::dns1123_subdomain(class));
    }
    volume_mode(errs, &spec.volume_mode, &path);
    attributes_class(errs, spec, &path);
}

/// Validates the name of the class of a volume's attributes.
fn attributes_class(errs: &mut Errors, spec: &PersistentVolumeSpec, path: &Path) {
    if let Some(class) = &spec.volume_attributes_class_name {
        let at = path.child("volumeAttributesClassName");
        if class.is_empty() {
            errs.push(FieldError::required(&at, "an empty string is disallowed"));
        } else {
            invalid_each(errs, &at, class, names::dns1123_subdomain(class));
        }
        if spec.csi.is_none() {
            let message = "has to be specified when using volumeAttributesClassName";
            errs.push(FieldError::required(&path.child("csi"), message));
        }
    }
}

/// Validates the spec of a volume that a VolumeAttachment has inline, in place of a volume's name
/// (`ValidatePersistentVolumeSpec` of an inline spec).
pub(in crate::apiserver::kinds) fn inline_spec(errs: &mut Errors, spec: &PersistentVolumeSpec, path: &Path) {
    let inline = "may not be specified in the context of inline volumes";
    forbid_if(errs, path, "claimRef", spec.claim_ref.is_some(), inline);
    forbid_if(errs, path, "capacity", spec.capacity.as_ref().is_some_and(|c| !c.is_empty()), inline);
    if spec.csi.is_none() {
        let message = "has to be specified in the context of inline volumes";
        errs.push(FieldError::required(&path.child("csi"), message));
    }
    let modes = list(&spec.access_modes);
    if modes.is_empty() {
        errs.push(FieldError::required(&path.child("accessModes"), ""));
    }
    access_modes(errs, modes, &path.child("accessModes"));
    let reclaim = text(&spec.persistent_volume_reclaim_policy);
    let only = "may only be Retain in the context of inline volumes";
    forbid_if(errs, path, "persistentVolumeReclaimPolicy", !matches!(reclaim, "" | "Retain"), only);
    forbid_if(errs, path, "nodeAffinity", spec.node_affinity.is_some(), inline);
    volume_source(errs, spec, "", path);
    forbid_if(errs, path, "storageClassName", !text(&spec.storage_class_name).is_empty(), inline);
    let other = spec.volume_mode.as_ref().is_some_and(|mode| mode != "Filesystem");
    let only = "may not specify volumeMode other than Filesystem in the context of inline volumes";
    forbid_if(errs, path, "volumeMode", other, only);
    attributes_class(errs, spec, path);
}

/// Refuses a field that is set where it may not be.
fn forbid_if(errs: &mut Errors, path: &Path, field: &'static str, is_set: bool, message: &str) {
    if is_set {
        errs.push(FieldError::forbidden(&path.child(field), message));
    }
}

/// The sources of a volume in the order in which they are looked at.
const SOURCES: &[&str] = &[
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];

/// Exactly one source: the first is looked at, the others are refused.
fn volume_source(errs: &mut Errors, spec: &PersistentVolumeSpec, volume: &str, path: &Path) {
    let value = crate::api::to_value(spec);
    let mut count = 0;
    for name in SOURCES {
        let Some(source) = value.get(name) else { continue };
        count += 1;
        // Two are not called what they are called elsewhere.
        let (refused, at) = match *name {
            "cephfs" => ("cephFS", "cephfs"),
            "gcePersistentDisk" => (*name, "persistentDisk"),
            _ => (*name, *name),
        };
        if count > 1 && *name != "flexVolume" {
            let why = "may not specify more than 1 volume type";
            errs.push(FieldError::forbidden(&path.child(refused), why));
            continue;
        }
        let at = path.child(at);
        match *name {
            "hostPath" => spec.host_path.iter().for_each(|s| volumes::host_path(errs, s, &at)),
            "nfs" => spec.nfs.iter().for_each(|s| volumes::nfs(errs, s, &at)),
            "local" => {
                let local = spec.local.as_ref().map_or("", |l| l.path.as_str());
                if local.is_empty() {
                    errs.push(FieldError::required(&at.child("path"), ""));
                } else {
                    no_backsteps(errs, local, &at.child("path"));
                }
                if spec.node_affinity.is_none() {
                    let why = "Local volume requires node affinity";
                    errs.push(FieldError::required(&path.child("nodeAffinity"), why));
                }
            }
            "csi" => spec.csi.iter().for_each(|s| csi(errs, s, &at)),
            _ => volume_rare::source(errs, name, source, Some(volume), &at),
        }
    }
    if count == 0 {
        errs.push(FieldError::required(path, "must specify a volume type"));
    }
}

fn csi(errs: &mut Errors, source: &CSIPersistentVolumeSource, path: &Path) {
    volumes::csi_driver(errs, &source.driver, &path.child("driver"));
    if source.volume_handle.is_empty() {
        errs.push(FieldError::required(&path.child("volumeHandle"), ""));
    }
    for (name, secret) in [
        ("controllerPublishSecretRef", &source.controller_publish_secret_ref),
        ("controllerExpandSecretRef", &source.controller_expand_secret_ref),
        ("nodePublishSecretRef", &source.node_publish_secret_ref),
        ("nodeExpandSecretRef", &source.node_expand_secret_ref),
    ] {
        let Some(secret) = secret else { continue };
        let mut check = |field: &'static str, value: &str, messages: Vec<String>| {
            let at = path.child(name).child(field);
            match value {
                "" => errs.push(FieldError::required(&at, "")),
                value => invalid_each(errs, &at, value, messages),
            }
        };
        let (name, namespace) = (text(&secret.name), text(&secret.namespace));
        check("name", name, names::dns1123_subdomain(name));
        check("namespace", namespace, names::dns1123_label(namespace));
    }
}

fn json<T: serde::Serialize>(value: &T) -> String {
    crate::api::to_value(value).to_string()
}

/// A volume's source alone: its spec without the fields that may change.
fn source_only(spec: &PersistentVolumeSpec) -> PersistentVolumeSpec {
    PersistentVolumeSpec {
        access_modes: None,
        capacity: None,
        claim_ref: None,
        mount_options: None,
        node_affinity: None,
        persistent_volume_reclaim_policy: None,
        storage_class_name: None,
        volume_attributes_class_name: None,
        volume_mode: None,
        ..spec.clone()
    }
}

/// Former labels of nodes, and those that took their place (`betaToGALabel`).
const BETA_TO_GA: [(&str, &str); 5] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
];

/// A spec in whose node affinity each former label has the key that took its place, where `new` has this key in the same
/// requirement: such a change is no difference (`getMaskNodeSelectorLabelChangeEqualities`).
fn with_present_keys(before: &PersistentVolumeSpec, new: &PersistentVolumeSpec) -> PersistentVolumeSpec {
    let mut spec = before.clone();
    let terms = spec.node_affinity.iter_mut().flat_map(|a| a.required.iter_mut());
    let terms_new = new.node_affinity.iter().flat_map(|a| a.required.iter());
    let pairs = terms
        .flat_map(|r| r.node_selector_terms.iter_mut())
        .zip(terms_new.flat_map(|r| r.node_selector_terms.iter()));
    for (term, new) in pairs {
        let lists = [
            (&mut term.match_expressions, &new.match_expressions),
            (&mut term.match_fields, &new.match_fields),
        ];
        for (list, new) in lists {
            for (r, new) in list.iter_mut().flatten().zip(new.iter().flatten()) {
                if BETA_TO_GA.contains(&(&*r.key, &*new.key)) {
                    r.key.clone_from(&new.key);
                }
            }
        }
    }
    spec
}

/// Validates an update (`ValidateUpdate` in `pkg/registry/core/persistentvolume/strategy.go`).
pub(super) fn update(errs: &mut Errors, new: &PersistentVolume, old: &PersistentVolume) {
    create(errs, new);
    // The rules of an update include those of a volume, which the strategy has asked for already.
    volume(errs, new);
    let none = Default::default();
    let spec = or_default(&new.spec, &none);
    let none_before = Default::default();
    let before = or_default(&old.spec, &none_before);
    let (mut source, source_before) = (source_only(spec), source_only(before));
    // A secret for growing the volume may be added.
    if let (Some(csi), Some(old)) = (&mut source.csi, &source_before.csi)
        && old.controller_expand_secret_ref.is_none()
    {
        csi.controller_expand_secret_ref = None;
    }
    if !semantic_eq(&source, &source_before) {
        let pretty = |s: &PersistentVolumeSpec| internal::convert("", &crate::api::to_value(s)).indented();
        let diff = diff::unified(&pretty(&source_before), &pretty(&source));
        errs.push(FieldError::forbidden(
            &Path::new("spec").child("persistentvolumesource"),
            format!("spec.persistentvolumesource is immutable after creation\n{diff}"),
        ));
    }
    if spec.volume_mode != before.volume_mode {
        errs.push(FieldError::invalid(&Path::new("volumeMode"), pointer(&spec.volume_mode), IMMUTABLE));
    }
    if before.node_affinity.is_some()
        && !semantic_eq(&spec.node_affinity, &with_present_keys(before, spec).node_affinity)
    {
        let value = match spec.node_affinity.as_ref().and_then(|a| a.required.as_ref()) {
            Some(required) => {
                format!("{{\"Required\":{}}}", internal::quote("NodeSelector", required))
            }
            None => "null".to_owned(),
        };
        errs.push(FieldError::invalid(
            &Path::new("nodeAffinity"),
            BadValue::Json(value),
            "field is immutable, except for updating from beta label to GA",
        ));
    }
    if before.volume_attributes_class_name.is_some() && spec.volume_attributes_class_name.is_none() {
        let at = Path::new("spec").child("volumeAttributesClassName");
        errs.push(FieldError::forbidden(&at, "update from non-nil value to nil is forbidden"));
    }
}

/// Validates an update of the status (`ValidatePersistentVolumeStatusUpdate`).
pub(super) fn status_update(errs: &mut Errors, new: &PersistentVolume, old: &PersistentVolume) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    if text(&new.metadata.resource_version).is_empty() {
        errs.push(FieldError::required(&Path::new("resourceVersion"), ""));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use crate::api::{Kind, Object};
    use crate::apiserver::rest::validate_update;
    use crate::apiserver::validation::aggregate;

    fn volume(expressions: Value) -> Object {
        let terms = json!([{"matchExpressions": expressions}]);
        let mut body = json!({
            "metadata": {"name": "v", "resourceVersion": "1"},
            "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                "hostPath": {"path": "/x"}, "nodeAffinity": {"required": {"nodeSelectorTerms": terms}}},
        });
        crate::apiserver::rest::prepare(Kind::PERSISTENT_VOLUME, &mut body).unwrap();
        let mut object = Object::from_value(Kind::PERSISTENT_VOLUME, body).unwrap();
        crate::apiserver::rest::default(&mut object);
        object
    }

    /// `validatePvNodeAffinity`
    #[test]
    fn former_labels_in_a_node_affinity_can_be_replaced() {
        let one = |key: &str, value: &str| json!({"key": key, "operator": "In", "values": [value]});
        let refused = |new: Value, old: Value| {
            let errors = validate_update(&volume(new), &volume(old));
            if errors.is_empty() { String::new() } else { aggregate(&errors) }
        };
        for (beta, ga) in super::BETA_TO_GA {
            assert_eq!(refused(json!([one(ga, "a")]), json!([one(beta, "a")])), "");
            let immutable = "field is immutable, except for updating from beta label to GA";
            for new in [one(ga, "b"), one(beta, "b"), one("other", "a")] {
                let said = refused(json!([new]), json!([one(beta, "a")]));
                assert!(
                    said.starts_with("nodeAffinity: Invalid value") && said.ends_with(immutable),
                    "{said}"
                );
            }
            assert_ne!(refused(json!([one(beta, "a")]), json!([one(ga, "a")])), "");
            assert_ne!(refused(json!([one(ga, "a"), one("k", "v")]), json!([one(beta, "a")])), "");
        }
        let [zone, arch, ..] = super::BETA_TO_GA.map(|(beta, ga)| (one(beta, "a"), one(ga, "a")));
        assert_eq!(refused(json!([zone.1, arch.0]), json!([zone.0, arch.0])), "");
    }
}
