//! What the API server refuses, field by field, with Kubernetes' own words and in its order
//! (`pkg/apis/*/validation`, `pkg/registry/*/strategy.go`).
//!
//! The object must have been decoded and defaulted, and must have its name and namespace. All
//! violations are found at once.

pub(super) mod claim_spec;
pub(super) mod container;
pub(super) mod devices;
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

pub(super) use field::json_map;
pub use field::{BadValue, ErrorType, Errors, FieldError, Path, go_json_string, go_quote, json_strings};
pub(crate) use meta::{object_meta_at, object_meta_update_generic};
pub use names::{
    config_map_key, dns1035_label, dns1123_label, dns1123_subdomain, env_var_name, label_value,
    name_is_dns_subdomain, name_is_path_segment, path_segment_name, qualified_name,
};
pub(super) use status::invalid_as;
pub use status::{aggregate, invalid};

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
