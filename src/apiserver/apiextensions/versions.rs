//! What is said of versions that are deprecated.

use super::types::CustomResourceDefinition;
use crate::api::order;
pub use crate::api::versions::compare;

/// The deprecation warning of a version: its own, or one that names the newest version that is not
/// deprecated.
pub fn deprecation_warning(crd: &CustomResourceDefinition, version: &str) -> Option<String> {
    let found = crd.spec.versions.iter().find(|v| v.name == version)?;
    if found.deprecated != Some(true) {
        return None;
    }
    if let Some(warning) = &found.deprecation_warning {
        return Some(warning.clone());
    }
    let (group, kind) = (&crd.spec.group, &crd.spec.names.kind);
    let said = format!("{group}/{version} {kind} is deprecated");
    let mut newer: Vec<&str> = (crd.spec.versions.iter())
        .filter(|v| v.served && v.deprecated != Some(true))
        .map(|v| v.name.as_str())
        .filter(|name| compare(name, version).is_gt())
        .collect();
    order::sort_by(&mut newer, |a, b| compare(b, a));
    Some(match newer.first() {
        Some(newest) => format!("{said}; use {group}/{newest} {kind}"),
        None => said,
    })
}
