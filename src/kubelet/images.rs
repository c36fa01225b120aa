//! The simulated registry, and the identities of images and containers.
//!
//! The registry has every well-formed reference, with two exceptions that depend on the reference itself: a
//! registry host that ends in `.invalid` does not resolve (RFC 2606), and a tag or a last path component
//! that begins with `missing` does not exist (`nginx:missing`, `team/missing-app:1`). In addition, the
//! annotation `sim.steady/image-pull: fail` fails a pod's pulls, and a person can make an image unavailable
//! on a node ([`KubeletFault::Image`](super::KubeletFault::Image)).

use std::fmt::Write as _;

/// The parts of an image reference that the registry looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reference<'a> {
    /// The registry, for example `registry.example:5000`; empty for the default one.
    host: &'a str,
    /// The path, for example `team/app`.
    path: &'a str,
    /// The tag, for example `1.2`.
    tag: &'a str,
}

fn parse(image: &str) -> Option<Reference<'_>> {
    let (rest, digest) = match image.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (image, None),
    };
    if let Some(d) = digest {
        let hex = d.strip_prefix("sha256:")?;
        if hex.len() != 64 || !hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
            return None;
        }
    }
    let (host, rest) = match rest.split_once('/') {
        Some((h, r)) if h == "localhost" || h.contains(['.', ':']) => (h, r),
        _ => ("", rest),
    };
    let (path, tag) = match rest.rsplit_once(':') {
        Some((path, tag)) => (path, tag),
        None => (rest, ""),
    };
    let word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let component = |c: &str| {
        let ends = |b: Option<&u8>| b.is_some_and(|b| word(*b));
        ends(c.as_bytes().first())
            && ends(c.as_bytes().last())
            && c.bytes().all(|b| word(b) || b"._-".contains(&b))
    };
    let tag_ok = !rest.ends_with(':')
        && tag.len() <= 128
        && !tag.starts_with(['.', '-'])
        && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    (path.split('/').all(component) && tag_ok).then_some(Reference { host, path, tag })
}

/// The error for a name that is not a valid image reference; `None` if it is valid (`applyDefaultImageTag`).
pub fn invalid_name(image: &str) -> Option<String> {
    parse(image).is_none().then(|| format!("couldn't parse image name {image:?}: invalid reference format"))
}

/// The error with which the registry refuses an image; `None` if it has the image.
pub fn refusal(image: &str) -> Option<String> {
    let r = parse(image)?;
    let host = r.host.split(':').next().unwrap_or_default();
    if host.ends_with(".invalid") {
        return Some(resolve_error(image, "Unavailable", &format!("dial tcp: lookup {host}: no such host")));
    }
    let last = r.path.rsplit('/').next().unwrap_or_default();
    (r.tag.starts_with("missing") || last.starts_with("missing")).then(|| not_found(image))
}

/// The registry's error about an image that it does not have.
pub fn not_found(image: &str) -> String {
    resolve_error(image, "NotFound", &format!("{image}: not found"))
}

fn resolve_error(image: &str, code: &str, why: &str) -> String {
    format!(
        "rpc error: code = {code} desc = failed to pull and unpack image {image:?}: failed to resolve reference {image:?}: {why}"
    )
}

/// The size of an image in bytes. It depends on the reference only, so it is the same on every node.
pub fn size(image: &str) -> u64 {
    10_000_000 + fnv(0, &[image]) % 190_000_000
}

/// The id of an image. It depends on the reference only, so it is the same on every node.
pub fn id(image: &str) -> String {
    let name = image.split('@').next().unwrap_or_default();
    let name = match name.rsplit_once(':') {
        Some((before, tag)) if !tag.contains('/') => before,
        _ => name,
    };
    let mut out = format!("{name}@sha256:");
    hex64(&mut out, &[image]);
    out
}

/// The id of a container instance, from the pod's uid, the container's name and the number of its restarts.
pub fn container_id(uid: &str, name: &str, attempt: i32) -> String {
    let mut out = String::with_capacity(77);
    out.push_str("containerd://");
    hex64(&mut out, &[uid, name, &attempt.to_string()]);
    out
}

/// The id of the sandbox that a pod would get at an attempt.
pub fn sandbox_id(uid: &str, attempt: u32) -> String {
    let mut out = String::with_capacity(64);
    hex64(&mut out, &[uid, "", &attempt.to_string()]);
    out
}

fn hex64(out: &mut String, parts: &[&str]) {
    for seed in 0..4 {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{:016x}", fnv(seed, parts));
    }
}

/// FNV-1a with a final mixing step, so that short inputs differ in all digits.
fn fnv(seed: u64, parts: &[&str]) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for p in parts {
        for b in p.bytes().chain([0]) {
            h = (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    h ^= h >> 32;
    h = h.wrapping_mul(0xd6e8_feb8_6659_fd93);
    h ^ (h >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        for good in ["nginx", "nginx:1.27", "team/app", "registry.test:5000/team/app:v1.2_3", "localhost/x"] {
            assert_eq!(invalid_name(good), None, "{good}");
            assert_eq!(refusal(good), None, "{good}");
        }
        for bad in ["", "Nginx", "nginx:", "nginx:a b", "a//b", "-x", "x@sha256:12", "x:y:z"] {
            assert!(invalid_name(bad).is_some(), "{bad}");
        }
        for absent in ["nginx:missing", "team/missing-app", "registry.invalid/app:1", "r.invalid:5000/app"] {
            assert!(refusal(absent).is_some(), "{absent}");
        }
    }

    #[test]
    fn identities() {
        let id = id("registry.test:5000/app:1");
        assert!(id.starts_with("registry.test:5000/app@sha256:"));
        assert_eq!(id.len(), "registry.test:5000/app@sha256:".len() + 64);
        assert_ne!(container_id("u", "c", 0), container_id("u", "c", 1));
    }
}
