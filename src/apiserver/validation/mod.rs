//! What the API server refuses, field by field, with Kubernetes' own words and in its order
//! (`pkg/apis/*/validation`, `pkg/registry/*/strategy.go`).
//!
//! The object must have been decoded and defaulted, and must have its name and namespace. All
//! violations are found at once.
//!
//! ```
//! use steady::api::{Kind, Object};
//! use steady::apiserver::validation::validate_create;
//! let pod = Object::from_value(Kind::CONFIG_MAP, serde_json::json!({
//!     "metadata": {"name": "Bad", "namespace": "default"}
//! })).unwrap();
//! assert_eq!(validate_create(&pod)[0].field, "metadata.name");
//! ```

pub(super) mod claim_spec;
pub(super) mod container;
pub(super) mod diff;
mod env;
pub(super) mod field;
pub(super) mod immutable_data;
pub(super) mod int_or_percent;
pub(in crate::apiserver) mod internal;
pub(super) mod ip;
pub(super) mod local_path;
pub(super) mod meta;
mod mounts;
pub(super) mod names;
pub(super) mod pod_spec;
pub(super) mod probe;
pub(super) mod replica_counts;
pub(super) mod resources;
pub(super) mod scheduling;
pub(super) mod security;
pub(super) mod selected_template;
mod status;
pub(super) mod volume;
pub(super) mod volume_modes;
pub(super) mod volume_rare;

use serde_json::Value;

use super::kinds;
use crate::api::types as t;
use crate::api::{Kind, Object};

pub(super) use field::json_map;
pub use field::{BadValue, ErrorType, Errors, FieldError, Path, go_json_string, go_quote, json_strings};
pub(crate) use meta::{object_meta_at, object_meta_update_generic};
pub use names::{
    config_map_key, dns1035_label, dns1123_label, dns1123_subdomain, env_var_name, label_value,
    name_is_dns_subdomain, name_is_path_segment, path_segment_name, port_name, qualified_name,
};
pub use status::{aggregate, invalid_status};

/// What is wrong with an object that is to be made; nothing if it may be.
pub fn validate_create(object: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    kinds::validate(object, &mut errs);
    if errs.is_empty() && object.kind() != Kind::POD {
        // What holds for every kind but pods, which have been asked it, should the kind's own rules have been laxer (`rest.BeforeCreate`).
        meta::object_meta_generic(
            &mut errs,
            object.meta(),
            object.kind().namespaced(),
            names::name_is_path_segment,
        );
    }
    errs
}

/// The same for a pod whose spec is known to be good.
pub(super) fn validate_pod_of_valid_spec(pod: &t::Pod) -> Vec<FieldError> {
    let mut errs = Errors::new();
    kinds::pod::validation::metadata(&mut errs, pod);
    errs
}

/// What is wrong with an update of `old` to `new`, status aside.
pub fn validate_update(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    // First what holds for every kind (`rest.BeforeUpdate`); the kinds' own rules repeat it, so
    // that such an error is among the causes twice, and in the message once.
    meta::object_meta_update_generic(&mut errs, new.meta(), old.meta());
    kinds::validate_update(new, old, &mut errs);
    errs
}

/// What is wrong with an update of `old`'s status to that of `new`.
pub fn validate_status_update(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    meta::object_meta_update_generic(&mut errs, new.meta(), old.meta());
    kinds::validate_status_update(new, old, &mut errs);
    errs
}

/// What is wrong with an update of a namespace's finalizers.
pub fn validate_finalize(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    meta::object_meta_update_generic(&mut errs, new.meta(), old.meta());
    if let (Some(new), Some(old)) = (new.get::<t::Namespace>(), old.get::<t::Namespace>()) {
        kinds::namespace::validate_finalize_update(&mut errs, new, old);
    }
    errs
}

/// What is wrong with an update of a Pod's ephemeral containers.
pub fn validate_ephemeral_containers(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    meta::object_meta_update_generic(&mut errs, new.meta(), old.meta());
    if let (Some(new), Some(old)) = (new.get::<t::Pod>(), old.get::<t::Pod>()) {
        kinds::pod::subresources::ephemeral_containers(&mut errs, new, old);
    }
    errs
}

/// What is wrong with an update of what a Pod's containers request and may use.
pub fn validate_resize(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    meta::object_meta_update_generic(&mut errs, new.meta(), old.meta());
    if let (Some(new), Some(old)) = (new.get::<t::Pod>(), old.get::<t::Pod>()) {
        kinds::pod::subresources::resize(&mut errs, new, old);
    }
    errs
}

/// What is wrong with an update of a CertificateSigningRequest's approval.
pub fn validate_approval(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    meta::object_meta_update_generic(&mut errs, new.meta(), old.meta());
    if let (Some(new), Some(old)) =
        (new.get::<t::CertificateSigningRequest>(), old.get::<t::CertificateSigningRequest>())
    {
        kinds::certificate_signing_request::validation::approval_update(&mut errs, new, old);
    }
    errs
}

/// What is wrong with a new status of a pod that stays what it is otherwise.
pub(super) fn validate_pod_status(pod: &t::Pod, status: &t::PodStatus) -> Vec<FieldError> {
    let mut errs = Errors::new();
    kinds::pod::status::status(&mut errs, status, pod);
    errs
}

/// A string that may be absent; Go does not tell absent from empty.
pub(crate) fn text(field: &Option<String>) -> &str {
    field.as_deref().unwrap_or_default()
}

/// A list that may be absent.
pub(super) fn list<T>(field: &Option<Vec<T>>) -> &[T] {
    field.as_deref().unwrap_or_default()
}

/// A struct that may be absent, or `none`; nothing is copied to read it.
pub(super) fn or_default<'a, T>(field: &'a Option<T>, none: &'a T) -> &'a T {
    field.as_ref().unwrap_or(none)
}

/// Equality as `apiequality.Semantic` has it: an absent and an empty list are equal.
pub(super) fn semantic_eq<T: serde::Serialize + PartialEq>(a: &T, b: &T) -> bool {
    if a == b {
        return true;
    }
    let value = |v: &T| {
        let mut value = crate::api::to_value(v);
        drop_empty_lists(&mut value);
        value
    };
    value(a) == value(b)
}

fn drop_empty_lists(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, v| !matches!(v, Value::Null) && !matches!(v, Value::Array(a) if a.is_empty()));
            map.values_mut().for_each(drop_empty_lists);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_empty_lists),
        _ => {}
    }
}
