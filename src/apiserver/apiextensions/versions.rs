//! The order of versions (`k8s.io/apimachinery/pkg/version`): `v2`, `v1`, `v1beta2`, `v1alpha1`, and
//! then names of any other form.

use std::cmp::Ordering;

use super::types::CustomResourceDefinition;
use crate::api::order;

/// A version of Kubernetes' form: how stable it is, and its numbers.
fn parse(name: &str) -> Option<(u8, u64, u64)> {
    let rest = name.strip_prefix('v')?;
    let digits = |t: &str| if t.bytes().all(|b| b.is_ascii_digit()) { t.parse().ok() } else { None };
    for (word, stability) in [("alpha", 0), ("beta", 1)] {
        if let Some((major, minor)) = rest.split_once(word) {
            return Some((stability, digits(major)?, digits(minor)?));
        }
    }
    Some((2, digits(rest)?, 0))
}

/// Which of two versions comes before the other in preference: the greater one.
pub fn compare(a: &str, b: &str) -> Ordering {
    match (parse(a), parse(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        // Names that are none: the first in the alphabet is preferred.
        (None, None) => b.cmp(a),
    }
}

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

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn stable_versions_come_first() {
        let mut names = ["v1alpha1", "foo1", "v1", "v10", "v2", "v1beta2", "v11alpha2", "bar", "v3beta1"];
        names.sort_by(|a, b| compare(b, a));
        assert_eq!(names, ["v10", "v2", "v1", "v3beta1", "v1beta2", "v11alpha2", "v1alpha1", "bar", "foo1"]);
    }
}
