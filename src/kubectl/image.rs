//! Names of images.

use crate::api::regexp;

/// What the name of an image looks like: a host with a port, the parts of a path, a tag and a digest (`ReferenceRegexp` of
/// github.com/distribution/reference).
const REFERENCE: &str = concat!(
    r"^(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])",
    r"(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*(?::[0-9]+)?/",
    r"|\[[a-fA-F0-9:]+\](?::[0-9]+)?/)?",
    r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*",
    r"(?::[0-9A-Za-z_][0-9A-Za-z_.-]{0,127})?",
    r"(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$",
);

/// Whether a text may be the name of an image.
pub(super) fn is_reference(text: &str) -> bool {
    regexp::compile(REFERENCE).is_ok_and(|reference| reference.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::is_reference;

    /// `regexp_test.go` of github.com/distribution/reference, `TestReferenceRegexp`.
    #[test]
    fn names_of_images() {
        let digest = format!("sha256:{}", "0".repeat(32));
        for good in [
            "nginx",
            "registry.com:8080/myapp:tag",
            "Team/app",
            "xn--n3h.com/myimage:xn--n3h.com",
            "aa/a_a/a__b:A.B-c",
            "[2001:db8::1]:5000/repo",
            &format!("xyz.com/app:1@{digest}"),
        ] {
            assert!(is_reference(good), "{good}");
        }
        for bad in ["", "Nginx", "nginx:", "a b", "a//b", "-x", "a___b", "x:y:z", "x@sha256:12", "[::1/x"] {
            assert!(!is_reference(bad), "{bad}");
        }
    }
}
