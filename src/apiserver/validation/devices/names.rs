//! The names of drivers, pools, devices, requests and attributes.

use super::super::meta::invalid_each;
use super::super::volume::csi_driver;
use super::super::{Errors, FieldError, Path, names};
use crate::api::names::regex_error;
use crate::api::types::resource::MAX_ID;

/// The length of the name of a pool, in bytes (`PoolNameMaxLength`).
const MAX_POOL_NAME: usize = 253;

/// Validates the name of a driver, for which the rules of CSI drivers hold.
pub(in crate::apiserver) fn driver_name(errs: &mut Errors, name: &str, path: &Path) {
    csi_driver(errs, name, path);
}

/// Validates the name of a request or of an alternative.
pub(in crate::apiserver) fn request_name(errs: &mut Errors, name: &str, path: &Path) {
    invalid_each(errs, path, name, names::dns1123_label(name));
}

/// Validates the name of a device.
pub(in crate::apiserver) fn device_name(errs: &mut Errors, name: &str, path: &Path) {
    invalid_each(errs, path, name, names::dns1123_label(name));
}

/// Validates the name of a pool: subdomains with slashes between them.
pub(in crate::apiserver) fn pool_name(errs: &mut Errors, name: &str, path: &Path) {
    if name.is_empty() {
        errs.push(FieldError::required(path, ""));
        return;
    }
    if name.len() > MAX_POOL_NAME {
        errs.push(FieldError::too_long(path, MAX_POOL_NAME));
    }
    for part in name.split('/') {
        invalid_each(errs, path, part, names::dns1123_subdomain(part));
    }
}

/// Validates the value of a label.
pub(in crate::apiserver) fn label_value(errs: &mut Errors, value: &str, path: &Path) {
    invalid_each(errs, path, value, names::label_value(value));
}

/// Validates the name of an attribute or a capacity, with its domain or without (`validateQualifiedName`).
pub(in crate::apiserver) fn qualified_name(errs: &mut Errors, name: &str, path: &Path) {
    let parts: Vec<&str> = name.split('/').collect();
    match parts.as_slice() {
        [id] => c_identifier(errs, id, path),
        [domain, id] => {
            if domain.is_empty() {
                errs.push(FieldError::invalid(path, "", "the domain must not be empty"));
            } else {
                driver_name(errs, domain, path);
            }
            if id.is_empty() {
                errs.push(FieldError::invalid(path, "", "the name must not be empty"));
            } else {
                c_identifier(errs, id, path);
            }
        }
        // This release takes any name with more slashes than one.
        _ => {}
    }
}

/// Validates the name of an attribute with its domain (`validateFullyQualifiedName`).
pub(in crate::apiserver) fn fully_qualified_name(errs: &mut Errors, name: &str, path: &Path) {
    qualified_name(errs, name, path);
    if !name.contains('/') {
        let why = "a fully qualified name must be a domain and a name separated by a slash";
        errs.push(FieldError::invalid(path, name, why));
    }
}

fn c_identifier(errs: &mut Errors, id: &str, path: &Path) {
    if id.len() > MAX_ID {
        errs.push(FieldError::too_long(path, MAX_ID));
    }
    let begins = id.bytes().next().is_some_and(|c| c.is_ascii_alphabetic() || c == b'_');
    if !begins || !id.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_') {
        let message = "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
        let why = regex_error(message, "[A-Za-z_][A-Za-z0-9_]*", &["my_name", "MY_NAME", "MyName"]);
        errs.push(FieldError::invalid(path, id, why));
    }
}
