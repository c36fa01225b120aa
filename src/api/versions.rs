//! The order of versions (`k8s.io/apimachinery/pkg/version`): `v2`, `v1`, `v1beta2`, `v1alpha1`, and
//! then names of any other form.

use std::cmp::Ordering;

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
