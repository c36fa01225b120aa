//! Rules for `metadata`, labels, selectors and conditions
//! (`k8s.io/apimachinery/pkg/api/validation` and `pkg/apis/meta/v1/validation`).

use std::collections::{BTreeMap, BTreeSet};

use crate::api::MetaExt;
use crate::api::order;
use crate::api::quote::is_print;
use crate::api::types::{Condition, LabelSelector, LabelSelectorRequirement, ObjectMeta, OwnerReference};

use super::field::{BadValue, Errors, FieldError, Path, go_json_string, json_strings};
use super::names::{self, NameRule};

/// What may not be negative is refused with these words.
pub(in crate::apiserver) const NEGATIVE: &str = "must be greater than or equal to 0";
/// What may not change is refused with these words.
pub(in crate::apiserver) const IMMUTABLE: &str = "field is immutable";
/// The size of all annotations together, in bytes.
const MAX_ANNOTATIONS_SIZE: usize = 256 * 1024;
/// The length of a field manager's name, in bytes.
const MAX_MANAGER: usize = 128;
/// The length of a subresource's name in managed fields, in bytes.
const MAX_SUBRESOURCE: usize = 256;

/// One `Invalid` per message.
pub(in crate::apiserver) fn invalid_each(errs: &mut Errors, path: &Path, value: &str, messages: Vec<String>) {
    errs.extend(messages.into_iter().map(|m| FieldError::invalid(path, value, m)));
}

/// A number that may not be negative.
pub(in crate::apiserver) fn non_negative(errs: &mut Errors, value: impl Into<i64>, path: &Path) {
    let value = value.into();
    if value < 0 {
        errs.push(FieldError::invalid(path, value, NEGATIVE));
    }
}

/// A label's key.
pub(in crate::apiserver) fn label_name(errs: &mut Errors, name: &str, path: &Path) {
    invalid_each(errs, path, name, names::qualified_name(name));
}

/// A map of labels.
pub(in crate::apiserver) fn labels(
    errs: &mut Errors,
    labels: Option<&BTreeMap<String, String>>,
    path: &Path,
) {
    for (key, value) in labels.into_iter().flatten() {
        label_name(errs, key, path);
        invalid_each(errs, path, value, names::label_value(value));
    }
}

/// A map of annotations: their keys, and their size altogether.
pub(in crate::apiserver) fn annotations(
    errs: &mut Errors,
    map: Option<&BTreeMap<String, String>>,
    path: &Path,
) {
    let mut size = 0;
    for (key, value) in map.into_iter().flatten() {
        invalid_each(errs, path, key, names::qualified_name(&key.to_lowercase()));
        size += key.len() + value.len();
    }
    if size > MAX_ANNOTATIONS_SIZE {
        errs.push(FieldError::too_long(path, MAX_ANNOTATIONS_SIZE));
    }
}

fn owner_json(owner: &OwnerReference) -> String {
    let mut fields = vec![
        format!("\"apiVersion\":{}", go_json_string(&owner.api_version)),
        format!("\"kind\":{}", go_json_string(&owner.kind)),
        format!("\"name\":{}", go_json_string(&owner.name)),
        format!("\"uid\":{}", go_json_string(&owner.uid)),
    ];
    fields.extend(owner.controller.map(|c| format!("\"controller\":{c}")));
    fields.extend(owner.block_owner_deletion.map(|b| format!("\"blockOwnerDeletion\":{b}")));
    format!("{{{}}}", fields.join(","))
}

fn owner_references(errs: &mut Errors, owners: &[OwnerReference], path: &Path) {
    let mut first: Option<String> = None;
    for owner in owners {
        // More than one slash is no version at all.
        let version = match owner.api_version.matches('/').count() {
            0 | 1 => owner.api_version.rsplit('/').next().unwrap_or_default(),
            _ => "",
        };
        if version.is_empty() {
            let at = path.child("apiVersion");
            errs.push(FieldError::invalid(&at, &owner.api_version, "version must not be empty"));
        }
        for (name, value) in [("kind", &owner.kind), ("name", &owner.name), ("uid", &owner.uid)] {
            if value.is_empty() {
                errs.push(FieldError::invalid(&path.child(name), value, "must not be empty"));
            }
        }
        if owner.api_version == "v1" && owner.kind == "Event" {
            let value = BadValue::Json(owner_json(owner));
            errs.push(FieldError::invalid(path, value, "/v1, Kind=Event is disallowed from being an owner"));
        }
        if owner.controller == Some(true) {
            let name = format!("{}/{}", owner.kind, owner.name);
            match &first {
                Some(first) => {
                    let all: Vec<String> = owners.iter().map(owner_json).collect();
                    errs.push(FieldError::invalid(
                        path,
                        BadValue::Json(format!("[{}]", all.join(","))),
                        format!(
                            "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {name}"
                        ),
                    ));
                }
                None => first = Some(name),
            }
        }
    }
}

fn finalizers(errs: &mut Errors, list: &[String], path: &Path) {
    for finalizer in list {
        invalid_each(errs, path, finalizer, names::qualified_name(finalizer));
    }
    let has = |name: &str| list.iter().any(|f| f == name);
    if has("orphan") && has("foregroundDeletion") {
        errs.push(FieldError::invalid(
            path,
            json_strings(list),
            "finalizer orphan and foregroundDeletion cannot be both set",
        ));
    }
}

/// What is wrong with the characters of a field manager's name (`ValidateFieldManager`).
pub(in crate::apiserver) fn not_printable(manager: &str) -> impl Iterator<Item = String> {
    let not_printable = manager.char_indices().filter(|(_, c)| !is_print(*c));
    not_printable.map(|(at, c)| format!("invalid character U+{:04X} (at position {at})", u32::from(c)))
}

fn managed_fields(errs: &mut Errors, meta: &ObjectMeta, path: &Path) {
    for (i, entry) in meta.managed_fields.iter().flatten().enumerate() {
        let path = path.index(i);
        let operation = entry.operation.as_deref().unwrap_or_default();
        if !matches!(operation, "Apply" | "Update") {
            errs.push(FieldError::invalid(
                &path.child("operation"),
                operation,
                "must be `Apply` or `Update`",
            ));
        }
        let fields_type = entry.fields_type.as_deref().unwrap_or_default();
        if !matches!(fields_type, "" | "FieldsV1") {
            errs.push(FieldError::invalid(&path.child("fieldsType"), fields_type, "must be `FieldsV1`"));
        }
        let manager = entry.manager.as_deref().unwrap_or_default();
        if manager.len() > MAX_MANAGER {
            errs.push(FieldError::too_long(&path.child("manager"), MAX_MANAGER));
        }
        invalid_each(errs, &path.child("manager"), manager, not_printable(manager).collect());
        if entry.subresource.as_deref().unwrap_or_default().len() > MAX_SUBRESOURCE {
            errs.push(FieldError::too_long(&path.child("subresource"), MAX_SUBRESOURCE));
        }
    }
}

/// What every object's metadata must be when it is made (`ValidateObjectMetaAccessor`).
pub(in crate::apiserver) fn object_meta_generic(
    errs: &mut Errors,
    meta: &ObjectMeta,
    namespaced: bool,
    rule: NameRule,
) {
    object_meta_at(errs, meta, namespaced, &rule, &Path::new("metadata"));
}

/// [`object_meta_generic`] for metadata at `path`, and for names with a rule of their own.
pub(crate) fn object_meta_at(
    errs: &mut Errors,
    meta: &ObjectMeta,
    namespaced: bool,
    rule: &dyn Fn(&str, bool) -> Vec<String>,
    path: &Path,
) {
    let generate = meta.generate_name.as_deref().unwrap_or_default();
    if !generate.is_empty() {
        invalid_each(errs, &path.child("generateName"), generate, rule(generate, true));
    }
    let name = MetaExt::name(meta);
    if name.is_empty() {
        errs.push(FieldError::required(&path.child("name"), "name or generateName is required"));
    } else {
        invalid_each(errs, &path.child("name"), name, rule(name, false));
    }
    let namespace = MetaExt::namespace(meta);
    let at = path.child("namespace");
    if !namespaced {
        if !namespace.is_empty() {
            errs.push(FieldError::forbidden(&at, "not allowed on this type"));
        }
    } else if namespace.is_empty() {
        errs.push(FieldError::required(&at, ""));
    } else {
        invalid_each(errs, &at, namespace, names::dns1123_label(namespace));
    }
    non_negative(errs, MetaExt::generation(meta), &path.child("generation"));
    labels(errs, meta.labels.as_ref(), &path.child("labels"));
    annotations(errs, meta.annotations.as_ref(), &path.child("annotations"));
    owner_references(errs, meta.owners(), &path.child("ownerReferences"));
    finalizers(errs, meta.finalizers.as_deref().unwrap_or_default(), &path.child("finalizers"));
    managed_fields(errs, meta, &path.child("managedFields"));
}

/// [`object_meta_generic`] with the rule of the built-in kinds that a finalizer without a domain must be one of
/// Kubernetes' own (`core/validation.ValidateObjectMeta`).
pub(in crate::apiserver) fn object_meta(
    errs: &mut Errors,
    meta: &ObjectMeta,
    namespaced: bool,
    rule: NameRule,
) {
    object_meta_generic(errs, meta, namespaced, rule);
    standard_finalizers(errs, meta);
}

pub(in crate::apiserver) fn standard_finalizers(errs: &mut Errors, meta: &ObjectMeta) {
    let path = Path::new("metadata").child("finalizers");
    for (i, finalizer) in meta.finalizers.iter().flatten().enumerate() {
        kube_finalizer(errs, finalizer, &path.index(i));
    }
}

/// A finalizer without a domain must be one of Kubernetes' own.
pub(in crate::apiserver) fn kube_finalizer(errs: &mut Errors, finalizer: &str, path: &Path) {
    if !finalizer.contains('/') && !matches!(finalizer, "kubernetes" | "orphan" | "foregroundDeletion") {
        errs.push(FieldError::invalid(
            path,
            finalizer,
            "name is neither a standard finalizer name nor is it fully qualified",
        ));
    }
}

/// A finalizer of a namespace: well-formed and, if it has no domain, one of Kubernetes' own.
pub(in crate::apiserver) fn finalizer_name(errs: &mut Errors, finalizer: &str, path: &Path) {
    invalid_each(errs, path, finalizer, names::qualified_name(finalizer));
    kube_finalizer(errs, finalizer, path);
}

/// A time as JSON, `null` for none.
fn json_or_null<T: serde::Serialize>(value: Option<&T>) -> BadValue {
    BadValue::Json(value.map_or_else(|| "null".to_owned(), |v| crate::api::to_value(v).to_string()))
}

/// What may happen to metadata in an update (`ValidateObjectMetaAccessorUpdate`); `version` is the `resourceVersion` of the new
/// object.
pub(crate) fn object_meta_update_generic(
    errs: &mut Errors,
    version: Option<&str>,
    new: &ObjectMeta,
    old: &ObjectMeta,
) {
    let path = Path::new("metadata");
    if old.is_deleting() {
        let before: BTreeSet<&String> = order::gather(old.finalizers.iter().flatten());
        let extra: BTreeSet<&String> =
            new.finalizers.iter().flatten().filter(|f| !before.contains(f)).collect();
        if !extra.is_empty() {
            let extra: Vec<String> = extra.into_iter().map(super::field::go_quote).collect();
            errs.push(FieldError::forbidden(
                &path.child("finalizers"),
                format!(
                    "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                    extra.join(", ")
                ),
            ));
        }
    }
    if version.unwrap_or_default().is_empty() {
        errs.push(FieldError::invalid(&path.child("resourceVersion"), "", "must be specified for an update"));
    }
    let generation = MetaExt::generation(new);
    if generation < MetaExt::generation(old) {
        errs.push(FieldError::invalid(&path.child("generation"), generation, "must not be decremented"));
    }
    for (field, new, old) in [
        ("name", MetaExt::name(new), MetaExt::name(old)),
        ("namespace", MetaExt::namespace(new), MetaExt::namespace(old)),
        ("uid", MetaExt::uid(new), MetaExt::uid(old)),
    ] {
        if new != old {
            errs.push(FieldError::invalid(&path.child(field), new, IMMUTABLE));
        }
    }
    if new.creation_timestamp != old.creation_timestamp {
        let value = json_or_null(new.creation_timestamp.as_ref());
        errs.push(FieldError::invalid(&path.child("creationTimestamp"), value, IMMUTABLE));
    }
    if new.deletion_timestamp != old.deletion_timestamp {
        let value = json_or_null(new.deletion_timestamp.as_ref());
        errs.push(FieldError::invalid(&path.child("deletionTimestamp"), value, IMMUTABLE));
    }
    if new.deletion_grace_period_seconds != old.deletion_grace_period_seconds {
        let value = json_or_null(new.deletion_grace_period_seconds.as_ref());
        errs.push(FieldError::invalid(&path.child("deletionGracePeriodSeconds"), value, IMMUTABLE));
    }
    labels(errs, new.labels.as_ref(), &path.child("labels"));
    annotations(errs, new.annotations.as_ref(), &path.child("annotations"));
    owner_references(errs, new.owners(), &path.child("ownerReferences"));
    managed_fields(errs, new, &path.child("managedFields"));
}

/// [`object_meta_update_generic`] with the rule of the built-in kinds about finalizers.
pub(in crate::apiserver) fn object_meta_update(errs: &mut Errors, new: &ObjectMeta, old: &ObjectMeta) {
    object_meta_update_generic(errs, new.resource_version.as_deref(), new, old);
    standard_finalizers(errs, new);
}

/// A label selector.
pub(in crate::apiserver) fn label_selector(errs: &mut Errors, selector: Option<&LabelSelector>, path: &Path) {
    let Some(selector) = selector else { return };
    labels(errs, selector.match_labels.as_ref(), &path.child("matchLabels"));
    for (i, requirement) in selector.match_expressions.iter().flatten().enumerate() {
        label_selector_requirement(errs, requirement, &path.child("matchExpressions").index(i));
    }
}

fn label_selector_requirement(errs: &mut Errors, requirement: &LabelSelectorRequirement, path: &Path) {
    let values = requirement.values.as_deref().unwrap_or_default();
    selector_values(errs, &requirement.operator, values, path);
    label_name(errs, &requirement.key, &path.child("key"));
    for (i, value) in values.iter().enumerate() {
        invalid_each(errs, &path.child("values").index(i), value, names::label_value(value));
    }
}

/// Whether a requirement's values fit its operator.
pub(in crate::apiserver) fn selector_values(
    errs: &mut Errors,
    operator: &str,
    values: &[String],
    path: &Path,
) {
    match operator {
        "In" | "NotIn" if values.is_empty() => errs.push(FieldError::required(
            &path.child("values"),
            "must be specified when `operator` is 'In' or 'NotIn'",
        )),
        "Exists" | "DoesNotExist" if !values.is_empty() => errs.push(FieldError::forbidden(
            &path.child("values"),
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        )),
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        other => {
            errs.push(FieldError::invalid(&path.child("operator"), other, "not a valid selector operator"))
        }
    }
}

/// Conditions of the common form, as a PodDisruptionBudget has them.
pub(in crate::apiserver) fn conditions(errs: &mut Errors, conditions: &[Condition], path: &Path) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (i, condition) in conditions.iter().enumerate() {
        let at = path.index(i);
        if !seen.insert(&condition.type_) {
            errs.push(FieldError::duplicate(&at.child("type"), &condition.type_));
        }
        label_name(errs, &condition.type_, &at.child("type"));
        if !matches!(condition.status.as_str(), "True" | "False" | "Unknown") {
            errs.push(FieldError::not_supported(
                &at.child("status"),
                &condition.status,
                &["False", "True", "Unknown"],
            ));
        }
        if let Some(generation) = condition.observed_generation.filter(|g| *g < 0) {
            let at = at.child("observedGeneration");
            errs.push(FieldError::invalid(&at, generation, "must be greater than or equal to zero"));
        }
        if condition.reason.is_empty() {
            errs.push(FieldError::required(&at.child("reason"), ""));
        } else {
            let reason = names::condition_reason(&condition.reason);
            invalid_each(errs, &at.child("reason"), &condition.reason, reason);
            if condition.reason.len() > 1024 {
                errs.push(FieldError::too_long(&at.child("reason"), 1024));
            }
        }
        if condition.message.len() > 32 * 1024 {
            errs.push(FieldError::too_long(&at.child("message"), 32 * 1024));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::types::ManagedFieldsEntry;

    /// `ValidateManagedFields` in `staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go`.
    #[test]
    fn a_manager_of_fields_has_a_name_that_can_be_printed() {
        let entry = ManagedFieldsEntry {
            manager: Some("a\tb".to_owned()),
            operation: Some("Update".to_owned()),
            ..ManagedFieldsEntry::default()
        };
        let meta = ObjectMeta { managed_fields: Some(vec![entry]), ..ObjectMeta::default() };
        let mut errs = Errors::new();
        managed_fields(&mut errs, &meta, &Path::new("metadata").child("managedFields"));
        let messages: Vec<String> = errs.iter().map(ToString::to_string).collect();
        let want = r#"metadata.managedFields[0].manager: Invalid value: "a\tb": invalid character U+0009 (at position 1)"#;
        assert_eq!(messages, [want]);
    }

    #[test]
    fn an_object_being_deleted_gets_no_new_finalizer() {
        let old = ObjectMeta {
            deletion_timestamp: Some(crate::api::types::Time(crate::api::Timestamp::UNIX_EPOCH)),
            finalizers: Some(vec!["example.com/a".to_owned()]),
            resource_version: Some("1".to_owned()),
            ..ObjectMeta::default()
        };
        let mut new = old.clone();
        new.finalizers = Some(vec!["example.com/a".to_owned(), "example.com/more".to_owned()]);
        let mut errs = Errors::new();
        object_meta_update_generic(&mut errs, new.resource_version.as_deref(), &new, &old);
        let messages: Vec<String> = errs.iter().map(ToString::to_string).collect();
        assert_eq!(
            messages,
            [
                "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{\"example.com/more\"}"
            ]
        );
    }
}
