//! Validation of PersistentVolumeClaims (`pkg/apis/core/validation/validation.go`).

use super::match_data_sources;
use crate::api::MetaExt;
use crate::api::quantity::amount_of;
use crate::api::resource::is_native;
use crate::api::types::{PersistentVolumeClaim, PersistentVolumeClaimSpec, Quantity};
use crate::api::volume::BETA_CLASS;
use crate::apiserver::validation::claim_spec::claim_spec;
use crate::apiserver::validation::field::pointer;
use crate::apiserver::validation::meta::{IMMUTABLE, invalid_each, object_meta, object_meta_update};
use crate::apiserver::validation::{
    Errors, FieldError, Path, diff, internal, list, name_is_dns_subdomain, names, or_default, resources,
    semantic_eq, text,
};

/// The states of growing a claim.
const RESIZE_STATES: &[&str] = &[
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizePending",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
];

/// Validates a new claim (`ValidatePersistentVolumeClaim`).
pub(super) fn claim(errs: &mut Errors, claim: &PersistentVolumeClaim) {
    object_meta(errs, &claim.metadata, true, name_is_dns_subdomain);
    claim_spec(errs, or_default(&claim.spec, &Default::default()), &Path::new("spec"));
}

fn storage_of(map: Option<&std::collections::BTreeMap<String, Quantity>>) -> Option<&Quantity> {
    map.and_then(|m| m.get("storage"))
}

/// Validates an update (`ValidatePersistentVolumeClaimUpdate`).
pub(super) fn update(errs: &mut Errors, new: &PersistentVolumeClaim, old: &PersistentVolumeClaim) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    claim(errs, new);
    let mut spec = new.spec.clone().unwrap_or_default();
    let mut before = old.spec.clone().unwrap_or_default();
    match_data_sources(&mut before);
    let bound = new.status.as_ref().is_some_and(|s| text(&s.phase) == "Bound");
    if text(&before.volume_name).is_empty() {
        before.volume_name.clone_from(&spec.volume_name);
    }
    let beta =
        |claim: &PersistentVolumeClaim| claim.metadata.annotation(BETA_CLASS).unwrap_or_default().to_owned();
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
    let requests = |s: &PersistentVolumeClaimSpec| s.resources.as_ref().and_then(|r| r.requests.clone());
    let (size, size_before) = (requests(&spec), requests(&before));
    if bound {
        let stored = storage_of(size_before.as_ref()).cloned();
        if let Some(map) = spec.resources.as_mut().and_then(|r| r.requests.as_mut())
            && let Some(stored) = stored
        {
            map.insert("storage".to_owned(), stored);
        }
        spec.volume_attributes_class_name.clone_from(&before.volume_attributes_class_name);
    }
    if !semantic_eq(&spec, &before) {
        let pretty = |s: &PersistentVolumeClaimSpec| {
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
    let applied = old.status.as_ref().is_some_and(|s| s.current_volume_attributes_class_name.is_some());
    // A class that a volume has got cannot be taken away from it.
    if applied && after != before.volume_attributes_class_name.as_ref() {
        let to = match after {
            None => Some("nil"),
            Some(name) if name.is_empty() => Some("empty string"),
            Some(_) => None,
        };
        if let Some(to) = to {
            errs.push(FieldError::forbidden(
                &Path::new("spec").child("volumeAttributesClassName"),
                format!(
                    "update to {to} is forbidden when status.currentVolumeAttributesClassName is not nil"
                ),
            ));
        }
    }
}

/// Validates an update of the status (`ValidatePersistentVolumeClaimStatusUpdate`).
pub(super) fn status_update(errs: &mut Errors, new: &PersistentVolumeClaim, old: &PersistentVolumeClaim) {
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
    let at = Path::new("status").child("allocatedResourceStatuses");
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
    if ok && is_native(name) && name != "storage" {
        errs.push(FieldError::not_supported(path, name, &["storage"]));
        return false;
    }
    ok
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::api::{Kind, Object, Timestamp};
    use crate::apiserver::rest::{validate_status_update, validate_update};
    use crate::apiserver::validation::aggregate;
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
        crate::apiserver::rest::default(&mut object);
        object
    }

    #[test]
    fn the_column_of_the_class_has_the_annotation_first() {
        let column = |class, annotation| {
            let object = claim(class, annotation, json!({"phase": "Pending"}));
            crate::apiserver::kinds::row(&object, Timestamp::UNIX_EPOCH).get(5).cloned()
        };
        assert_eq!(column(Some("slow"), Some("fast")).as_deref(), Some("fast"));
        assert_eq!(column(None, Some("fast")).as_deref(), Some("fast"));
        assert_eq!(column(Some("slow"), None).as_deref(), Some("slow"));
    }

    /// `NormalizeDataSources` of the old claim: one may have been stored before there were two fields.
    #[test]
    fn a_claim_that_was_stored_with_one_data_source_can_be_updated() {
        let source = json!({"kind": "PersistentVolumeClaim", "name": "other"});
        let with = |fields: &[&str]| {
            let mut body = claim(None, None, json!({})).to_value();
            for field in fields {
                body["spec"][*field] = source.clone();
            }
            Object::from_value(Kind::PERSISTENT_VOLUME_CLAIM, body).unwrap()
        };
        let both = with(&["dataSource", "dataSourceRef"]);
        assert_eq!(validate_update(&both, &with(&["dataSource"])), []);
        assert_eq!(validate_update(&both, &with(&["dataSourceRef"])), []);
        assert_ne!(validate_update(&both, &with(&[])), []);
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

    /// `pkg/apis/core/validation/validation.go`, `ValidatePersistentVolumeClaimUpdate`: a class of attributes can be taken back as
    /// long as no volume has it.
    #[test]
    fn a_class_of_attributes_that_is_in_use_cannot_be_taken_away() {
        let with = |class: Value, current: Value| {
            let status = json!({"phase": "Bound", "currentVolumeAttributesClassName": current});
            let mut body = claim(Some("fast"), None, status).to_value();
            body["spec"]["volumeName"] = "v".into();
            body["spec"]["volumeAttributesClassName"] = class;
            Object::from_value(Kind::PERSISTENT_VOLUME_CLAIM, body).unwrap()
        };
        let said = |new, old, current: Value| {
            let errors = validate_update(&with(new, current.clone()), &with(old, current));
            if errors.is_empty() { String::new() } else { aggregate(&errors) }
        };
        let (silver, gold) = (json!("silver"), json!("gold"));
        assert_eq!(said(json!(null), gold.clone(), json!(null)), "");
        assert_eq!(
            said(json!(null), gold.clone(), silver.clone()),
            "spec.volumeAttributesClassName: Forbidden: update to nil is forbidden when status.currentVolumeAttributesClassName is not nil"
        );
        assert_eq!(
            said(json!(""), gold.clone(), silver.clone()),
            "spec.volumeAttributesClassName: Forbidden: update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil"
        );
        assert_eq!(said(silver.clone(), gold, silver.clone()), "");
        assert_eq!(said(json!(null), json!(null), silver), "", "nothing changes");
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
            "status.allocatedResourceStatuses: Unsupported value: \"storage\": supported values: \"ControllerResize"
        ));
    }
}
