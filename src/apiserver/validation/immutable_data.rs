//! The data of ConfigMaps and Secrets, which may be marked as immutable
//! (`pkg/apis/core/validation/validation.go`).

use std::collections::BTreeMap;

use super::field::{Errors, FieldError, Path};

/// The size of a Secret's or ConfigMap's data, in bytes.
pub(in crate::apiserver) const MAX_SIZE: usize = 1024 * 1024;
/// The message for a change of data that is immutable.
pub(in crate::apiserver) const WHEN_IMMUTABLE: &str = "field is immutable when `immutable` is set";

/// Refuses that data which is immutable is marked as mutable.
pub(in crate::apiserver) fn immutable_flag(errs: &mut Errors, new: Option<bool>) {
    if new != Some(true) {
        errs.push(FieldError::forbidden(&Path::new("immutable"), WHEN_IMMUTABLE));
    }
}

/// Equal maps; absent is the same as empty, since stored objects do not keep the difference.
pub(in crate::apiserver) fn same<V: PartialEq>(
    a: &Option<BTreeMap<String, V>>,
    b: &Option<BTreeMap<String, V>>,
) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a == b,
        (Some(m), None) | (None, Some(m)) => m.is_empty(),
        (None, None) => true,
    }
}
