//! How volumes and claims are accessed (`pkg/apis/core/validation/validation.go`).

use super::field::{Errors, FieldError, Path};

const ACCESS_MODES: &[&str] = &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES: &[&str] = &["Block", "Filesystem"];

/// Validates `accessModes`.
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

/// Validates `volumeMode`; `path` is that of the spec.
pub(in crate::apiserver) fn volume_mode(errs: &mut Errors, mode: &Option<String>, path: &Path) {
    if let Some(mode) = mode
        && !VOLUME_MODES.contains(&mode.as_str())
    {
        errs.push(FieldError::not_supported(&path.child("volumeMode"), mode, VOLUME_MODES));
    }
}
