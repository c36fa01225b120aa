//! Defaults that follow from the name of an image.

/// `Always` for an image whose tag is `latest` or that has neither tag nor digest.
pub(super) fn pull_policy(image: &str) -> &'static str {
    if image_tag(image) == Some("latest") { "Always" } else { "IfNotPresent" }
}

/// The tag of an image; `latest` if there is neither tag nor digest, `None` if it is malformed.
fn image_tag(image: &str) -> Option<&str> {
    let (name, digest) = match image.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (image, None),
    };
    // Everything before the first slash is a host if it looks like one.
    let path = match name.split_once('/') {
        Some((host, path)) if host.contains(['.', ':']) || host == "localhost" => path,
        _ => name,
    };
    let (path, tag) = match path.rsplit_once(':') {
        Some((path, tag)) => (path, Some(tag)),
        None => (path, None),
    };
    let path_ok =
        |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-' | b'/');
    let tag_ok = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    let tag_valid = tag.is_none_or(|t| !t.is_empty() && t.bytes().all(tag_ok));
    if path.is_empty() || !path.bytes().all(path_ok) || !tag_valid {
        return None;
    }
    match (tag, digest) {
        (Some(tag), _) => Some(tag),
        (None, Some(_)) => None,
        (None, None) => Some("latest"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pull_policy_by_tag() {
        for (image, policy) in [
            ("app", "Always"),
            ("app:latest", "Always"),
            ("app:1.2", "IfNotPresent"),
            ("host:5000/app", "Always"),
            ("app@sha256:0123", "IfNotPresent"),
            ("app:latest@sha256:0123", "Always"),
            ("", "IfNotPresent"),
        ] {
            assert_eq!(pull_policy(image), policy, "{image}");
        }
    }
}
