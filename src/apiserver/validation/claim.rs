//! PersistentVolumeClaims.

use crate::api::MetaExt;
use crate::api::quantity::amount_of;
use crate::api::types as t;
use t::Quantity;

use super::field::{BadValue, Errors, FieldError, Path};
use super::meta::{IMMUTABLE, invalid_each, label_selector, object_meta, object_meta_update};
use super::names::{self, name_is_dns_subdomain};
use super::storage::{access_modes, pointer, positive, volume_mode};
use super::{diff, internal, list, or_default, resources, semantic_eq, text};

/// How far growing a claim has come.
const RESIZE_STATES: &[&str] = &[
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizePending",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
];
const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

pub(in crate::apiserver) fn claim(errs: &mut Errors, claim: &t::PersistentVolumeClaim) {
    object_meta(errs, &claim.metadata, true, name_is_dns_subdomain);
    claim_spec(errs, or_default(&claim.spec, &Default::default()), &Path::new("spec"));
}

/// A claim's spec, or that of a claim a pod brings along.
pub(in crate::apiserver) fn claim_spec(errs: &mut Errors, spec: &t::PersistentVolumeClaimSpec, path: &Path) {
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

fn storage_of(map: Option<&std::collections::BTreeMap<String, Quantity>>) -> Option<&Quantity> {
    map.and_then(|m| m.get("storage"))
}

pub(in crate::apiserver) fn claim_update(
    errs: &mut Errors,
    new: &t::PersistentVolumeClaim,
    old: &t::PersistentVolumeClaim,
) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    claim(errs, new);
    let mut spec = new.spec.clone().unwrap_or_default();
    let mut before = old.spec.clone().unwrap_or_default();
    let bound = new.status.as_ref().is_some_and(|s| text(&s.phase) == "Bound");
    if text(&before.volume_name).is_empty() {
        before.volume_name.clone_from(&spec.volume_name);
    }
    let beta = |claim: &t::PersistentVolumeClaim| {
        claim.metadata.annotation(BETA_CLASS).unwrap_or_default().to_owned()
    };
    let (beta_new, beta_old) = (beta(new), beta(old));
    // A class may be named once; one named the old way is so only again, without the annotation or with it.
    let named = before.storage_class_name.is_none() && spec.storage_class_name.is_some();
    let again = named && !beta_old.is_empty() && spec.storage_class_name.as_ref() == Some(&beta_old);
    if beta_new != beta_old && !(again && beta_new.is_empty()) {
        let at = Path::new("metadata").child("annotations").child(BETA_CLASS);
        errs.push(FieldError::invalid(&at, &beta_new, IMMUTABLE));
    }
    if again || (named && beta_old.is_empty()) {
        before.storage_class_name.clone_from(&spec.storage_class_name);
    }
    let requests = |s: &t::PersistentVolumeClaimSpec| s.resources.as_ref().and_then(|r| r.requests.clone());
    let (size, size_before) = (requests(&spec), requests(&before));
    if bound {
        let stored = storage_of(size_before.as_ref()).cloned();
        if let Some(map) = spec.resources.as_mut().and_then(|r| r.requests.as_mut())
            && let Some(stored) = stored
        {
            map.insert("storage".to_owned(), stored);
        }
        if spec.volume_attributes_class_name.is_some() {
            spec.volume_attributes_class_name.clone_from(&before.volume_attributes_class_name);
        }
    }
    if !semantic_eq(&spec, &before) {
        let pretty = |s: &t::PersistentVolumeClaimSpec| {
            let value = crate::api::to_value(s);
            internal::convert("PersistentVolumeClaimSpec", &value).indented()
        };
        let diff = diff::unified(&pretty(&before), &pretty(&spec));
        errs.push(FieldError::forbidden(
            &Path::new("spec"),
            format!(
                "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n{diff}"
            ),
        ));
    }
    let (size, size_before) =
        (amount_of(storage_of(size.as_ref())), amount_of(storage_of(size_before.as_ref())));
    let capacity = old.status.as_ref().and_then(|s| s.capacity.as_ref());
    if size < size_before && size <= amount_of(storage_of(capacity)) {
        let at = Path::new("spec").child("resources").child("requests").child("storage");
        errs.push(FieldError::forbidden(&at, "field can not be less than status.capacity"));
    }
    let none_before = Default::default();
    let before = or_default(&old.spec, &none_before);
    if spec.volume_mode != before.volume_mode {
        errs.push(FieldError::invalid(&Path::new("volumeMode"), pointer(&spec.volume_mode), IMMUTABLE));
    }
    let after = new.spec.as_ref().and_then(|s| s.volume_attributes_class_name.as_ref());
    if before.volume_attributes_class_name.is_some() {
        let at = Path::new("spec").child("volumeAttributesClassName");
        match after {
            None => {
                errs.push(FieldError::forbidden(&at, "update from non-nil value to nil is forbidden"));
            }
            Some(class) if class.is_empty() && before.volume_attributes_class_name.as_ref() != after => {
                let message = "update from non-nil value to an empty string is forbidden";
                errs.push(FieldError::forbidden(&at, message));
            }
            Some(_) => {}
        }
    }
}

pub(in crate::apiserver) fn claim_status_update(
    errs: &mut Errors,
    new: &t::PersistentVolumeClaim,
    old: &t::PersistentVolumeClaim,
) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    if text(&new.metadata.resource_version).is_empty() {
        errs.push(FieldError::required(&Path::new("resourceVersion"), ""));
    }
    if new.spec.as_ref().is_none_or(|s| list(&s.access_modes).is_empty()) {
        errs.push(FieldError::required(&Path::new("Spec").child("accessModes"), ""));
    }
    let capacity = new.status.as_ref().and_then(|s| s.capacity.as_ref());
    for (name, quantity) in capacity.into_iter().flatten() {
        let value = amount_of(Some(quantity)).value();
        if value < 0 {
            let at = Path::new("status").child("capacity").key(name);
            errs.push(FieldError::invalid(&at, value, "must be a valid resource quantity"));
        }
    }
    let none = Default::default();
    let status = or_default(&new.status, &none);
    let at = Path::new("status").child("allocatedResourceStatus");
    for (name, state) in status.allocated_resource_statuses.iter().flatten() {
        resource_key(errs, name, &at);
        if !RESIZE_STATES.contains(&state.as_str()) {
            // Kubernetes quotes the resource where it means its state.
            errs.push(FieldError::not_supported(&at, name, RESIZE_STATES));
        }
    }
    let at = Path::new("status").child("allocatedResources");
    for (name, quantity) in status.allocated_resources.iter().flatten() {
        if !resource_key(errs, name, &at) {
            continue;
        }
        let value = amount_of(Some(quantity)).value();
        if value < 0 {
            errs.push(FieldError::invalid(&at.key(name), value, "must be a valid resource quantity"));
        } else {
            resources::resource_amount(errs, "storage", quantity, &at.key(name));
        }
    }
}

/// Of the resources Kubernetes itself knows, only storage is a claim's.
fn resource_key(errs: &mut Errors, name: &str, path: &Path) -> bool {
    let messages = names::qualified_name(name);
    let ok = messages.is_empty();
    invalid_each(errs, path, name, messages);
    if ok && resources::is_native(name) && name != "storage" {
        errs.push(FieldError::not_supported(path, name, &["storage"]));
        return false;
    }
    ok
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::api::{Kind, Object};
    use crate::apiserver::validation::{aggregate, validate_status_update, validate_update};
    use serde_json::{Value, json};

    fn claim(class: Option<&str>, annotation: Option<&str>, status: Value) -> Object {
        let mut body = json!({
            "metadata": {"name": "c", "namespace": "default", "uid": "u", "resourceVersion": "1"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
            "status": status
        });
        if let Some(class) = class {
            body["spec"]["storageClassName"] = class.into();
        }
        if let Some(class) = annotation {
            body["metadata"]["annotations"] = json!({ super::BETA_CLASS: class });
        }
        let mut object = Object::from_value(Kind::PERSISTENT_VOLUME_CLAIM, body).unwrap();
        crate::apiserver::defaults::apply(&mut object);
        object
    }

    /// After `TestValidatePersistentVolumeClaimUpdate`.
    #[test]
    fn a_class_is_named_once() {
        let with = |class, annotation| claim(class, annotation, json!({}));
        for (old, new, ok) in [
            ((None, None), (Some("fast"), None), true),
            ((None, Some("fast")), (Some("fast"), None), true),
            ((None, Some("fast")), (Some("fast"), Some("fast")), true),
            ((None, Some("fast")), (Some("slow"), Some("fast")), false),
            ((None, Some("fast")), (Some("fast"), Some("slow")), false),
            ((None, Some("fast")), (None, Some("slow")), false),
            ((Some("fast"), None), (None, None), false),
            ((Some("fast"), None), (Some("slow"), None), false),
        ] {
            let errors = validate_update(&with(new.0, new.1), &with(old.0, old.1));
            assert_eq!(errors.is_empty(), ok, "{old:?} to {new:?}: {}", aggregate(&errors));
        }
    }

    /// After `TestValidatePersistentVolumeClaimStatusUpdate`.
    #[test]
    fn how_far_a_claim_has_grown() {
        let old = claim(None, None, json!({}));
        let said = |status| {
            let errors = validate_status_update(&claim(None, None, status), &old);
            if errors.is_empty() { String::new() } else { aggregate(&errors) }
        };
        assert_eq!(
            said(json!({"allocatedResources": {"storage": "2Gi", "foo.bar.com/x": "1"},
                "allocatedResourceStatuses": {"storage": "NodeResizePending"}})),
            ""
        );
        assert_eq!(
            said(json!({"allocatedResources": {"cpu": "1"}})),
            "status.allocatedResources: Unsupported value: \"cpu\": supported values: \"storage\""
        );
        assert_eq!(
            said(json!({"allocatedResources": {"storage": "-10Gi"}})),
            "status.allocatedResources[storage]: Invalid value: -10737418240: must be a valid resource quantity"
        );
        assert!(said(json!({"allocatedResourceStatuses": {"storage": "foo"}})).starts_with(
            "status.allocatedResourceStatus: Unsupported value: \"storage\": supported values: \"ControllerResize"
        ));
    }
}
