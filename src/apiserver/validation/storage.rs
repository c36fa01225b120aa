//! PersistentVolumes and StorageClasses.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::quantity::amount_of;
use crate::api::types as t;
use t::Quantity;

use super::field::{BadValue, Errors, FieldError, Path, go_json_string};
use super::meta::{IMMUTABLE, invalid_each, label_name, object_meta, object_meta_update};
use super::names::{self, name_is_dns_subdomain};
use super::{diff, internal, list, or_default, scheduling, semantic_eq, text, volume, volume_rare};

const ACCESS_MODES: &[&str] = &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES: &[&str] = &["Block", "Filesystem"];
/// The size of a StorageClass' parameters together, in bytes, and their number.
const MAX_PARAMETERS_SIZE: usize = 256 * 1024;
const MAX_PARAMETERS: usize = 512;

/// The name of a CSI driver.
pub(in crate::apiserver) fn csi_driver(errs: &mut Errors, driver: &str, path: &Path) {
    if driver.is_empty() {
        errs.push(FieldError::required(path, ""));
    }
    if driver.len() > 63 {
        errs.push(FieldError::too_long(path, 63));
    }
    invalid_each(errs, path, driver, names::dns1123_subdomain(&driver.to_lowercase()));
}

pub(in crate::apiserver) fn access_modes(errs: &mut Errors, modes: &[String], path: &Path) {
    for mode in modes.iter().filter(|m| !ACCESS_MODES.contains(&m.as_str())) {
        errs.push(FieldError::not_supported(path, mode, ACCESS_MODES));
    }
    let single = modes.iter().any(|m| m == "ReadWriteOncePod");
    let other = modes.iter().any(|m| m != "ReadWriteOncePod" && ACCESS_MODES.contains(&m.as_str()));
    if single && other {
        let message = "may not use ReadWriteOncePod with other access modes";
        errs.push(FieldError::forbidden(path, message));
    }
}

pub(in crate::apiserver) fn positive(errs: &mut Errors, quantity: &Quantity, path: &Path) -> bool {
    let amount = amount_of(Some(quantity));
    let ok = amount > amount_of(None);
    if !ok {
        errs.push(FieldError::invalid(path, &amount.canonical(), "must be greater than zero"));
    }
    ok
}

pub(in crate::apiserver) fn volume(errs: &mut Errors, volume: &t::PersistentVolume) {
    object_meta(errs, &volume.metadata, false, name_is_dns_subdomain);
    let none = t::PersistentVolumeSpec::default();
    let name = volume.metadata.name.as_deref().unwrap_or_default();
    volume_spec(errs, volume.spec.as_ref().unwrap_or(&none), name);
}

fn volume_spec(errs: &mut Errors, spec: &t::PersistentVolumeSpec, name: &str) {
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

pub(in crate::apiserver) fn volume_mode(errs: &mut Errors, mode: &Option<String>, path: &Path) {
    if let Some(mode) = mode
        && !VOLUME_MODES.contains(&mode.as_str())
    {
        errs.push(FieldError::not_supported(&path.child("volumeMode"), mode, VOLUME_MODES));
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
fn volume_source(errs: &mut Errors, spec: &t::PersistentVolumeSpec, volume: &str, path: &Path) {
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
            "hostPath" => spec.host_path.iter().for_each(|s| volume::host_path(errs, s, &at)),
            "nfs" => spec.nfs.iter().for_each(|s| volume::nfs(errs, s, &at)),
            "local" => {
                let local = spec.local.as_ref().map_or("", |l| l.path.as_str());
                if local.is_empty() {
                    errs.push(FieldError::required(&at.child("path"), ""));
                } else {
                    volume::no_backsteps(errs, local, &at.child("path"));
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

fn csi(errs: &mut Errors, source: &t::CSIPersistentVolumeSource, path: &Path) {
    csi_driver(errs, &source.driver, &path.child("driver"));
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

pub(in crate::apiserver) fn pointer(value: &Option<String>) -> BadValue {
    BadValue::Json(value.as_ref().map_or_else(|| "null".to_owned(), |v| go_json_string(v)))
}

/// A volume's source alone: its spec without what may change.
fn source_only(spec: &t::PersistentVolumeSpec) -> t::PersistentVolumeSpec {
    t::PersistentVolumeSpec {
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

pub(in crate::apiserver) fn volume_update(
    errs: &mut Errors,
    new: &t::PersistentVolume,
    old: &t::PersistentVolume,
) {
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
        let pretty = |s: &t::PersistentVolumeSpec| internal::convert("", &crate::api::to_value(s)).indented();
        let diff = diff::unified(&pretty(&source_before), &pretty(&source));
        errs.push(FieldError::forbidden(
            &Path::new("spec").child("persistentvolumesource"),
            format!("spec.persistentvolumesource is immutable after creation\n{diff}"),
        ));
    }
    if spec.volume_mode != before.volume_mode {
        errs.push(FieldError::invalid(&Path::new("volumeMode"), pointer(&spec.volume_mode), IMMUTABLE));
    }
    if before.node_affinity.is_some() && spec.node_affinity != before.node_affinity {
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

pub(in crate::apiserver) fn volume_status_update(
    errs: &mut Errors,
    new: &t::PersistentVolume,
    old: &t::PersistentVolume,
) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    if text(&new.metadata.resource_version).is_empty() {
        errs.push(FieldError::required(&Path::new("resourceVersion"), ""));
    }
}

pub(in crate::apiserver) fn class(errs: &mut Errors, class: &t::StorageClass) {
    object_meta(errs, &class.metadata, false, name_is_dns_subdomain);
    let at = Path::new("provisioner");
    if class.provisioner.is_empty() {
        errs.push(FieldError::required(&at, ""));
    } else {
        let messages = names::qualified_name(&class.provisioner.to_lowercase());
        invalid_each(errs, &at, &class.provisioner, messages);
    }
    let at = Path::new("parameters");
    let parameters = class.parameters.clone().unwrap_or_default();
    if parameters.len() > MAX_PARAMETERS {
        errs.push(FieldError::too_long(&at, MAX_PARAMETERS));
    } else {
        if parameters.contains_key("") {
            errs.push(FieldError::invalid(&at, "", "field can not be empty."));
        }
        if parameters.iter().map(|(k, v)| k.len() + v.len()).sum::<usize>() > MAX_PARAMETERS_SIZE {
            errs.push(FieldError::too_long(&at, MAX_PARAMETERS_SIZE));
        }
    }
    if let Some(policy) = &class.reclaim_policy
        && !matches!(policy.as_str(), "" | "Delete" | "Retain")
    {
        errs.push(FieldError::not_supported(&Path::new("reclaimPolicy"), policy, &["Delete", "Retain"]));
    }
    let at = Path::new("volumeBindingMode");
    match &class.volume_binding_mode {
        None => errs.push(FieldError::required(&at, "")),
        Some(mode) if !matches!(mode.as_str(), "Immediate" | "WaitForFirstConsumer") => {
            let modes = ["Immediate", "WaitForFirstConsumer"];
            errs.push(FieldError::not_supported(&at, mode, &modes));
        }
        Some(_) => {}
    }
    topologies(errs, list(&class.allowed_topologies), &Path::new("allowedTopologies"));
}

/// Where volumes may lie: no term twice, in it no key, in it no value.
fn topologies(errs: &mut Errors, terms: &[t::TopologySelectorTerm], path: &Path) {
    // Kubernetes compares with as many empty terms as there are terms, too.
    let mut seen = vec![BTreeMap::new(); terms.len()];
    for (i, term) in terms.iter().enumerate() {
        let at = path.index(i).child("matchLabelExpressions");
        let mut keys = BTreeMap::new();
        for (j, expression) in list(&term.match_label_expressions).iter().enumerate() {
            let at = at.index(j);
            if expression.values.is_empty() {
                errs.push(FieldError::required(&at.child("values"), ""));
            }
            let mut values = BTreeSet::new();
            for (k, value) in expression.values.iter().enumerate() {
                if !values.insert(value) {
                    errs.push(FieldError::duplicate(&at.child("values").index(k), value));
                }
            }
            label_name(errs, &expression.key, &at.child("key"));
            if keys.insert(&expression.key, values).is_some() {
                errs.push(FieldError::duplicate(&at.child("key"), &expression.key));
            }
        }
        let times = seen.iter().filter(|before| **before == keys).count();
        errs.extend((0..times).map(|_| FieldError::duplicate(&at, "")));
        seen.push(keys);
    }
}

pub(in crate::apiserver) fn class_update(errs: &mut Errors, new: &t::StorageClass, old: &t::StorageClass) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    for (name, changed) in [
        (
            "parameters",
            new.parameters.clone().unwrap_or_default() != old.parameters.clone().unwrap_or_default(),
        ),
        ("provisioner", new.provisioner != old.provisioner),
        ("reclaimPolicy", new.reclaim_policy != old.reclaim_policy),
    ] {
        if changed {
            let message = format!("updates to {name} are forbidden.");
            errs.push(FieldError::forbidden(&Path::new(name), message));
        }
    }
    if new.volume_binding_mode != old.volume_binding_mode {
        let at = Path::new("volumeBindingMode");
        errs.push(FieldError::invalid(&at, pointer(&new.volume_binding_mode), IMMUTABLE));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::api::{Kind, Object};
    use crate::apiserver::validation::{aggregate, validate_create};
    use serde_json::{Value, json};

    /// After `TestValidateAllowedTopologies`.
    #[test]
    fn no_topology_twice() {
        let said = |topologies: Value| {
            let body =
                json!({"metadata": {"name": "c"}, "provisioner": "p", "allowedTopologies": topologies});
            let mut class = Object::from_value(Kind::STORAGE_CLASS, body).unwrap();
            crate::apiserver::defaults::apply(&mut class);
            let errors = validate_create(&class);
            if errors.is_empty() { String::new() } else { aggregate(&errors) }
        };
        let zone = |values: Value| json!({"key": "failure-domain.beta.kubernetes.io/zone", "values": values});
        let term = |expressions: Value| json!({ "matchLabelExpressions": expressions });
        let (one, two) = (zone(json!(["zone1"])), zone(json!(["zone2"])));
        assert_eq!(said(json!([term(json!([one])), term(json!([two]))])), "");
        let at = "allowedTopologies[0].matchLabelExpressions[0]";
        assert_eq!(said(json!([term(json!([zone(json!([]))]))])), format!("{at}.values: Required value"));
        assert_eq!(
            said(json!([term(json!([zone(json!(["zone1", "zone1"]))]))])),
            format!("{at}.values[1]: Duplicate value: \"zone1\"")
        );
        assert_eq!(
            said(json!([term(json!([one, two]))])),
            "allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: \
             \"failure-domain.beta.kubernetes.io/zone\""
        );
        let twice = "allowedTopologies[1].matchLabelExpressions: Duplicate value: \"\"";
        assert_eq!(said(json!([term(json!([one])), term(json!([one]))])), twice);
    }
}
