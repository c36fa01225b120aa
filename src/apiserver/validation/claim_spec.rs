//! The spec of a PersistentVolumeClaim (`ValidatePersistentVolumeClaimSpec` in
//! `pkg/apis/core/validation/validation.go`).

use super::field::{BadValue, Errors, FieldError, Path};
use super::meta::{invalid_each, label_selector};
use super::resources::positive;
use super::volume_modes::{access_modes, volume_mode};
use super::{list, names, text};
use crate::api::types::PersistentVolumeClaimSpec;

/// Validates the spec of a claim, or of a claim that a pod's ephemeral volume makes.
pub(in crate::apiserver) fn claim_spec(errs: &mut Errors, spec: &PersistentVolumeClaimSpec, path: &Path) {
    let modes = list(&spec.access_modes);
    if modes.is_empty() {
        let message = "at least 1 access mode is required";
        errs.push(FieldError::required(&path.child("accessModes"), message));
    }
    label_selector(errs, spec.selector.as_ref(), &path.child("selector"));
    access_modes(errs, modes, &path.child("accessModes"));
    let at = path.child("resources").key("storage");
    match spec.resources.as_ref().and_then(|r| r.requests.as_ref()).and_then(|r| r.get("storage")) {
        None => errs.push(FieldError::required(&at, "")),
        Some(quantity) => {
            positive(errs, quantity, &at);
        }
    }
    let class = text(&spec.storage_class_name);
    if !class.is_empty() {
        invalid_each(errs, &path.child("storageClassName"), class, names::dns1123_subdomain(class));
    }
    volume_mode(errs, &spec.volume_mode, path);
    if let Some(source) = &spec.data_source {
        let at = path.child("dataSource");
        data_source(errs, &source.name, &source.kind, text(&source.api_group), &at);
    }
    if let Some(source) = &spec.data_source_ref {
        let at = path.child("dataSourceRef");
        data_source(errs, &source.name, &source.kind, text(&source.api_group), &at);
        let namespace = text(&source.namespace);
        if !namespace.is_empty() {
            invalid_each(errs, &at.child("namespace"), namespace, names::dns1123_label(namespace));
        }
    }
    if let (Some(source), Some(reference)) = (&spec.data_source, &spec.data_source_ref) {
        let same = source.api_group == reference.api_group
            && source.kind == reference.kind
            && source.name == reference.name;
        let message = if !text(&reference.namespace).is_empty() {
            Some("may not be specified when dataSourceRef.namespace is specified")
        } else {
            (!same).then_some("must match dataSourceRef")
        };
        if let Some(message) = message {
            // Kubernetes quotes a path object, which has no exported field.
            errs.push(FieldError::invalid(path, BadValue::Json("{}".to_owned()), message));
        }
    }
    let class = text(&spec.volume_attributes_class_name);
    if !class.is_empty() {
        let at = path.child("volumeAttributesClassName");
        invalid_each(errs, &at, class, names::dns1123_subdomain(class));
    }
}

fn data_source(errs: &mut Errors, name: &str, kind: &str, group: &str, path: &Path) {
    if name.is_empty() {
        errs.push(FieldError::required(&path.child("name"), ""));
    }
    if kind.is_empty() {
        errs.push(FieldError::required(&path.child("kind"), ""));
    }
    if group.is_empty() && kind != "PersistentVolumeClaim" {
        let message = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
        errs.push(FieldError::invalid(path, kind, message));
    }
    if !group.is_empty() {
        invalid_each(errs, &path.child("apiGroup"), group, names::dns1123_subdomain(group));
    }
}
