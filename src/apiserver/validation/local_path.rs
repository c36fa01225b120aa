//! Paths inside of a volume or on a node (`validatePathNoBacksteps`, `validateLocalDescendingPath`,
//! `validateLocalNonReservedPath` in `pkg/apis/core/validation`).

use super::field::{Errors, FieldError, Path};

/// A path without `..`.
pub(in crate::apiserver) fn no_backsteps(errs: &mut Errors, target: &str, path: &Path) {
    if target.split('/').any(|part| part == "..") {
        errs.push(FieldError::invalid(path, target, "must not contain '..'"));
    }
}

/// A relative path without `..`.
pub(in crate::apiserver) fn local_descending_path(errs: &mut Errors, target: &str, path: &Path) {
    if target.starts_with('/') {
        errs.push(FieldError::invalid(path, target, "must be a relative path"));
    }
    no_backsteps(errs, target, path);
}

/// A relative path that neither contains `..` nor begins with two dots.
pub(in crate::apiserver) fn local_path(errs: &mut Errors, target: &str, path: &Path) {
    local_descending_path(errs, target, path);
    if target.starts_with("..") && !target.starts_with("../") {
        errs.push(FieldError::invalid(path, target, "must not start with '..'"));
    }
}
