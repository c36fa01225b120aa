//! ConfigMaps, Secrets, ServiceAccounts and Namespaces.

use std::collections::BTreeMap;

use crate::api::MetaExt;
use crate::api::types as t;
use serde_json::Value;

use super::field::{Errors, FieldError, Path};
use super::meta::{IMMUTABLE, finalizer_name, invalid_each, object_meta, object_meta_update};
use super::names::{self, name_is_dns_label, name_is_dns_subdomain};
use super::text;

/// The size of a Secret's or ConfigMap's data, in bytes.
const MAX_SIZE: usize = 1024 * 1024;
const WHEN_IMMUTABLE: &str = "field is immutable when `immutable` is set";

pub(in crate::apiserver) fn config_map(errs: &mut Errors, map: &t::ConfigMap) {
    object_meta(errs, &map.metadata, true, name_is_dns_subdomain);
    let mut size = 0;
    let binary = map.binary_data.as_ref();
    for (key, value) in map.data.iter().flatten() {
        let at = Path::new("data").key(key);
        invalid_each(errs, &at, key, names::config_map_key(key));
        if binary.is_some_and(|b| b.contains_key(key)) {
            errs.push(FieldError::invalid(&at, key, "duplicate of key present in binaryData"));
        }
        size += value.len();
    }
    for (key, value) in binary.into_iter().flatten() {
        invalid_each(errs, &Path::new("binaryData").key(key), key, names::config_map_key(key));
        size += value.0.len();
    }
    if size > MAX_SIZE {
        errs.push(FieldError::too_long(&Path::new(""), MAX_SIZE));
    }
}

pub(in crate::apiserver) fn config_map_update(errs: &mut Errors, new: &t::ConfigMap, old: &t::ConfigMap) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    if old.immutable == Some(true) {
        immutable_flag(errs, new.immutable);
        if !same(&new.data, &old.data) {
            errs.push(FieldError::forbidden(&Path::new("data"), WHEN_IMMUTABLE));
        }
        if !same(&new.binary_data, &old.binary_data) {
            errs.push(FieldError::forbidden(&Path::new("binaryData"), WHEN_IMMUTABLE));
        }
    }
    config_map(errs, new);
}

fn immutable_flag(errs: &mut Errors, new: Option<bool>) {
    if new != Some(true) {
        errs.push(FieldError::forbidden(&Path::new("immutable"), WHEN_IMMUTABLE));
    }
}

/// Equal maps; absent is the same as empty, since stored objects do not keep the difference.
fn same<V: PartialEq>(a: &Option<BTreeMap<String, V>>, b: &Option<BTreeMap<String, V>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a == b,
        (Some(m), None) | (None, Some(m)) => m.is_empty(),
        (None, None) => true,
    }
}

pub(in crate::apiserver) fn secret(errs: &mut Errors, secret: &t::Secret) {
    object_meta(errs, &secret.metadata, true, name_is_dns_subdomain);
    let path = Path::new("data");
    let none = BTreeMap::new();
    let data = secret.data.as_ref().unwrap_or(&none);
    let mut size = 0;
    for (key, value) in data {
        invalid_each(errs, &path.key(key), key, names::config_map_key(key));
        size += value.0.len();
    }
    if size > MAX_SIZE {
        errs.push(FieldError::too_long(&path, MAX_SIZE));
    }
    let mut require = |key: &str| errs.push(FieldError::required(&path.key(key), ""));
    match text(&secret.type_) {
        "kubernetes.io/service-account-token" => {
            let name = secret.metadata.annotation("kubernetes.io/service-account.name");
            if name.unwrap_or_default().is_empty() {
                let at = Path::new("metadata").child("annotations").key("kubernetes.io/service-account.name");
                errs.push(FieldError::required(&at, ""));
            }
        }
        "kubernetes.io/dockercfg" => docker_config(errs, data, ".dockercfg", &path),
        "kubernetes.io/dockerconfigjson" => docker_config(errs, data, ".dockerconfigjson", &path),
        "kubernetes.io/basic-auth" if !data.contains_key("username") && !data.contains_key("password") => {
            require("username");
            require("password");
        }
        "kubernetes.io/ssh-auth" if data.get("ssh-privatekey").is_none_or(|key| key.0.is_empty()) => {
            require("ssh-privatekey");
        }
        "kubernetes.io/tls" => {
            for key in ["tls.crt", "tls.key"] {
                if !data.contains_key(key) {
                    require(key);
                }
            }
        }
        _ => {}
    }
}

fn docker_config(
    errs: &mut Errors,
    data: &BTreeMap<String, k8s_openapi::ByteString>,
    key: &str,
    path: &Path,
) {
    let at = path.key(key);
    let Some(bytes) = data.get(key) else {
        errs.push(FieldError::required(&at, ""));
        return;
    };
    // The words after the value are those of Go's JSON decoder; ours name the common cases alike.
    let message = if bytes.0.is_empty() {
        "unexpected end of JSON input".to_owned()
    } else {
        match serde_json::from_str::<Value>(&String::from_utf8_lossy(&bytes.0)) {
            Ok(Value::Object(_) | Value::Null) => return,
            Ok(other) => {
                let kind = match other {
                    Value::Array(_) => "array",
                    Value::String(_) => "string",
                    Value::Bool(_) => "bool",
                    _ => "number",
                };
                format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}")
            }
            Err(e) if e.is_eof() => "unexpected end of JSON input".to_owned(),
            Err(_) => {
                let first = String::from_utf8_lossy(&bytes.0).trim_start().chars().next().unwrap_or(' ');
                format!("invalid character '{first}' looking for beginning of value")
            }
        }
    };
    errs.push(FieldError::invalid(&at, "<secret contents redacted>", message));
}

pub(in crate::apiserver) fn secret_update(errs: &mut Errors, new: &t::Secret, old: &t::Secret) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    if new.type_ != old.type_ {
        errs.push(FieldError::invalid(&Path::new("type"), text(&new.type_), IMMUTABLE));
    }
    if old.immutable == Some(true) {
        immutable_flag(errs, new.immutable);
        if !same(&new.data, &old.data) {
            errs.push(FieldError::forbidden(&Path::new("data"), WHEN_IMMUTABLE));
        }
    }
    secret(errs, new);
}

pub(in crate::apiserver) fn service_account(errs: &mut Errors, account: &t::ServiceAccount) {
    object_meta(errs, &account.metadata, true, name_is_dns_subdomain);
}

pub(in crate::apiserver) fn service_account_update(
    errs: &mut Errors,
    new: &t::ServiceAccount,
    old: &t::ServiceAccount,
) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    service_account(errs, new);
}

pub(in crate::apiserver) fn namespace(errs: &mut Errors, namespace: &t::Namespace) {
    object_meta(errs, &namespace.metadata, false, name_is_dns_label);
    let path = Path::new("spec").child("finalizers");
    for finalizer in namespace.spec.iter().flat_map(|s| s.finalizers.iter().flatten()) {
        finalizer_name(errs, finalizer, &path);
    }
}

pub(in crate::apiserver) fn namespace_update(errs: &mut Errors, new: &t::Namespace, old: &t::Namespace) {
    object_meta_update(errs, &new.metadata, &old.metadata);
}

/// An update through `finalize`.
pub(in crate::apiserver) fn namespace_finalize_update(
    errs: &mut Errors,
    new: &t::Namespace,
    old: &t::Namespace,
) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let path = Path::new("spec").child("finalizers");
    let finalizers = new.spec.iter().flat_map(|s| s.finalizers.iter().flatten());
    finalizers.enumerate().for_each(|(i, f)| finalizer_name(errs, f, &path.index(i)));
}

pub(in crate::apiserver) fn namespace_status_update(
    errs: &mut Errors,
    new: &t::Namespace,
    old: &t::Namespace,
) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let phase = new.status.as_ref().map_or("", |s| text(&s.phase));
    let at = Path::new("status").child("Phase");
    if new.metadata.is_deleting() {
        if phase != "Terminating" {
            let message = "may only be 'Terminating' if `deletionTimestamp` is not empty";
            errs.push(FieldError::invalid(&at, phase, message));
        }
    } else if phase != "Active" {
        errs.push(FieldError::invalid(&at, phase, "may only be 'Active' if `deletionTimestamp` is empty"));
    }
}
