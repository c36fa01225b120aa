//! What the simulated registries have, and the identities of images and containers.
//!
//! Of Docker Hub's official images (`nginx`, `docker.io/library/nginx`) it is known which there are and which tags they
//! have (`registry`). What an organisation or another registry has (`team/app`, `registry.example/app`) nobody can know,
//! so every well-formed reference exists there, with two exceptions that depend on the reference itself: a registry host
//! that ends in `.invalid` does not resolve (RFC 2606), and a tag or a last path component that begins with `missing`
//! does not exist (`team/missing-app:1`). A ConfigMap can declare images ([`declares`]), the annotation
//! `sim.steady/image-pull` decides for the pulls of a pod, and a person can make an image unavailable on a node
//! ([`KubeletFault::Image`](super::KubeletFault::Image)).

use std::fmt::Write as _;

use super::registry::{self, Official};
use crate::api::MetaExt;
use crate::api::quote::go_quote;
use crate::api::types::ConfigMap;

/// The registry of a reference that names none.
const DEFAULT_HOST: &str = "docker.io";
/// The organisation of official images.
const OFFICIAL: &str = "library/";
/// The label of a ConfigMap that declares images.
const DECLARES: &str = "sim.steady/images";

/// The parts of an image reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reference<'a> {
    /// The registry, for example `registry.example:5000`; empty for the default one.
    host: &'a str,
    /// The path, for example `team/app`.
    path: &'a str,
    /// The tag, for example `1.2`; empty if there is none.
    tag: &'a str,
    /// The digest, for example `sha256:…`; empty if there is none.
    digest: &'a str,
}

impl<'a> Reference<'a> {
    /// The name of the image, if it is an official one, whether it exists or not.
    fn official(&self) -> Option<&'a str> {
        let name = self.path.strip_prefix(OFFICIAL).unwrap_or(self.path);
        let hub = matches!(self.host, "" | DEFAULT_HOST | "index.docker.io");
        (hub && !name.contains('/')).then_some(name)
    }

    /// The tag that is pulled.
    fn tag(&self) -> &'a str {
        if self.tag.is_empty() { "latest" } else { self.tag }
    }

    /// The reference as containerd writes it (`reference.ParseDockerRef`): with registry and organisation, and with a
    /// digest or a tag.
    fn normalized(&self) -> String {
        let host = if matches!(self.host, "" | "index.docker.io") { DEFAULT_HOST } else { self.host };
        let path = self.official().map_or_else(|| self.path.to_owned(), |name| format!("{OFFICIAL}{name}"));
        match self.digest {
            "" => format!("{host}/{path}:{}", self.tag()),
            digest => format!("{host}/{path}@{digest}"),
        }
    }
}

/// The registry's host, empty if there is none, and the rest of a reference (`splitDockerDomain` of distribution/reference). A
/// first part with capitals is a host, because no organisation has capitals.
fn split_host(reference: &str) -> (&str, &str) {
    let is_host = |h: &str| h == "localhost" || h.contains(['.', ':']) || has_capitals(h);
    reference.split_once('/').filter(|(h, _)| is_host(h)).unwrap_or(("", reference))
}

fn has_capitals(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_uppercase())
}

fn parse(image: &str) -> Option<Reference<'_>> {
    let (rest, digest) = image.split_once('@').unwrap_or((image, ""));
    if image.contains('@') {
        let hex = digest.strip_prefix("sha256:")?;
        if hex.len() != 64 || !hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
            return None;
        }
    }
    let (host, rest) = split_host(rest);
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
    (path.split('/').all(component) && tag_ok).then_some(Reference { host, path, tag, digest })
}

/// The error for a name that is not a valid image reference; `None` if it is valid (`applyDefaultImageTag`; the words are those
/// of `ParseNormalizedNamed` of distribution/reference).
pub fn invalid_name(image: &str) -> Option<String> {
    if parse(image).is_some() {
        return None;
    }
    let (host, rest) = split_host(image);
    let name = rest.split(':').next().unwrap_or_default();
    let hub = matches!(host, "" | DEFAULT_HOST | "index.docker.io") && !rest.contains('/');
    let why = match has_capitals(name) {
        true => format!(": repository name ({}{name}) must be lowercase", if hub { OFFICIAL } else { "" }),
        false => String::new(),
    };
    Some(format!("couldn't parse image name {}: invalid reference format{why}", go_quote(image)))
}

/// What an image reference asks for that no registry has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absent {
    /// The registry's host does not resolve.
    Host,
    /// There is no official image of this name.
    Repository {
        /// The image's name as it was written.
        name: String,
        /// The official image whose name is most like it; `None` if none is.
        nearest: Option<&'static str>,
    },
    /// The image exists, but not with this tag.
    Tag {
        /// The image's name as it was written.
        name: String,
        /// The tag.
        tag: String,
        /// Its newest version, of at most two numbers; `None` if that is not known.
        newest: Option<String>,
    },
}

/// The tag of a reference; empty if it is none.
pub fn tag(image: &str) -> &str {
    parse(image).map_or("", |r| r.tag())
}

/// What a well-formed reference asks for that no registry has; `None` if it can be pulled.
pub fn absent(image: &str) -> Option<Absent> {
    let r = parse(image)?;
    // A host of one word is in no DNS; with a port it may be one of the network of the nodes.
    let is_word = !r.host.is_empty() && r.host != "localhost" && !r.host.contains(['.', ':']);
    if is_word || r.host.split(':').next().unwrap_or_default().ends_with(".invalid") {
        return Some(Absent::Host);
    }
    let tag = |newest| Absent::Tag { name: r.path.to_owned(), tag: r.tag().to_owned(), newest };
    let Some(name) = r.official() else {
        let last = r.path.rsplit('/').next().unwrap_or_default();
        return (r.tag.starts_with("missing") || last.starts_with("missing")).then(|| tag(None));
    };
    match registry::find(name) {
        None => Some(Absent::Repository { name: name.to_owned(), nearest: registry::nearest(name) }),
        // Which digests an image has nobody can know.
        Some(official) if !r.digest.is_empty() || official.has(r.tag()) => None,
        Some(official) => Some(tag(Official::newest(official))),
    }
}

/// The error with which a registry refuses an image; `None` if it has the image.
pub fn refusal(image: &str) -> Option<String> {
    let (absent, r) = (absent(image)?, parse(image)?);
    Some(match absent {
        Absent::Host => {
            let host = r.host.split(':').next().unwrap_or_default();
            let url = format!("https://{}/v2/{}/manifests/{}", r.host, r.path, r.tag());
            let why = format!("failed to do request: Head {url:?}: dial tcp: lookup {host}: no such host");
            resolve_error(&r.normalized(), &why)
        }
        Absent::Repository { .. } => resolve_error(
            &r.normalized(),
            "pull access denied, repository does not exist or may require authorization: server message: \
             insufficient_scope: authorization failed",
        ),
        Absent::Tag { .. } => not_found(image),
    })
}

/// The registry's error about an image that it does not have.
pub fn not_found(image: &str) -> String {
    let reference = full_name(image);
    format!(
        "rpc error: code = NotFound desc = {}",
        resolve_error(&reference, &format!("{reference}: not found"))
    )
}

/// containerd's error about a reference that it cannot resolve (`client/pull.go`: `fetch`). Nodes of kind have
/// `discard_unpacked_layers` in `images/base/files/etc/containerd/config.toml`, with which containerd 2 pulls by its client and
/// not by the transfer service, whose words are others. The kubelet shows no code before an error whose code is `Unknown`.
fn resolve_error(reference: &str, why: &str) -> String {
    let reference = go_quote(reference);
    format!("failed to pull and unpack image {reference}: failed to resolve reference {reference}: {why}")
}

/// Whether a ConfigMap declares images: it has the label `sim.steady/images`, and names in its values one image on each
/// line. `shop:1.2` is this tag, `shop` every tag of the image, and `*` every image.
pub fn declares(config: &ConfigMap) -> bool {
    config.metadata.label(DECLARES).is_some()
}

/// Whether a ConfigMap that declares images has this one among them.
pub fn is_declared(config: &ConfigMap, image: &str) -> bool {
    let Some(wanted) = parse(image).map(|r| r.normalized()) else { return false };
    let lines = config.data.iter().flat_map(|data| data.values()).flat_map(|text| text.lines());
    declares(config)
        && lines.map(|line| line.trim().trim_start_matches("- ")).any(|line| {
            line == "*"
                || parse(line).is_some_and(|r| {
                    let declared = r.normalized();
                    let repository = declared.strip_suffix(":latest").unwrap_or(&declared);
                    declared == wanted
                        || r.tag.is_empty()
                            && r.digest.is_empty()
                            && wanted
                                .strip_prefix(repository)
                                .is_some_and(|rest| rest.starts_with([':', '@']))
                })
        })
}

/// The size of an image in bytes. It depends on the reference only, so it is the same on every node.
pub fn size(image: &str) -> u64 {
    10_000_000 + fnv(0, &[image]) % 190_000_000
}

/// The id of an image in the status of a container: the name with registry and organisation and a digest, as containerd gives it for
/// `imageRef` (`toCRIContainerStatus` in `internal/cri/server/container_status.go`), which the kubelet passes on
/// (`convertToAPIContainerStatuses`). It depends on the reference only, so it is the same on every node.
pub fn id(image: &str) -> String {
    let full = full_name(image);
    let name = full.split('@').next().unwrap_or_default();
    let name = match name.rsplit_once(':') {
        Some((before, tag)) if !tag.contains('/') => before,
        _ => name,
    };
    if let Some((_, digest)) = full.split_once("@sha256:") {
        return format!("{name}@sha256:{digest}");
    }
    let mut out = format!("{name}@sha256:");
    hex64(&mut out, &[&full]);
    out
}

/// The reference of an image as containerd writes it: with registry and organisation, and with a digest or a tag.
pub fn full_name(image: &str) -> String {
    parse(image).map_or_else(|| image.to_owned(), |r| r.normalized())
}

/// The digits of the id by which the container runtime knows an image: the digest of its configuration, which is another one
/// than that of its manifest ([`id`]).
pub fn config_digest(image: &str) -> String {
    let mut out = String::with_capacity(64);
    hex64(&mut out, &["config", &full_name(image)]);
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

/// A number of 32 bits that follows from texts.
pub fn number(parts: &[&str]) -> u32 {
    let [a, b, c, d, ..] = fnv(0, parts).to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
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

/// The `imagePullPolicy` that the API server defaults to.
pub(super) fn default_policy(image: &str) -> &'static str {
    let last = image.rsplit('/').next().unwrap_or_default();
    if !image.contains('@') && (last.ends_with(":latest") || !last.contains(':')) {
        "Always"
    } else {
        "IfNotPresent"
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// As `kubectl get pod -o jsonpath={.status.containerStatuses[0].imageID}` prints it in clusters of kind.
    #[test]
    fn an_id_has_the_registry_whatever_the_spec_leaves_out() {
        let name = |image: &str| id(image).split('@').next().unwrap().to_owned();
        assert_eq!(name("nginx:1.27"), "docker.io/library/nginx");
        assert_eq!(name("team/app"), "docker.io/team/app");
        assert_eq!(name("registry.k8s.io/pause:3.10"), "registry.k8s.io/pause");
        assert_eq!(id("nginx"), id("docker.io/library/nginx:latest"));
        let digest = "9ae97d36d26566ff84e8893c64a6dc4fe8ca6d1144bf5b87b2b85a32def253c7";
        assert_eq!(
            id(&format!("busybox@sha256:{digest}")),
            format!("docker.io/library/busybox@sha256:{digest}")
        );
    }

    /// `github.com/distribution/reference`, `regexp.go`: which names are well-formed. RFC 2606: no host has a name that ends in
    /// `.invalid`.
    #[test]
    fn references() {
        for good in [
            "nginx",
            "nginx:1.27",
            "team/app",
            "registry.test:5000/team/app:v1.2_3",
            "localhost/x",
            "docker.io/nginx",
        ] {
            assert_eq!(invalid_name(good), None, "{good}");
            assert_eq!(refusal(good), None, "{good}");
        }
        for bad in ["", "Nginx", "nginx:", "nginx:a b", "a//b", "-x", "x@sha256:12", "x:y:z"] {
            assert!(invalid_name(bad).is_some(), "{bad}");
        }
        for absent in [
            "nginx:missing",
            "team/missing-app",
            "registry.invalid/app:1",
            "r.invalid:5000/app",
            "library/ngnix",
        ] {
            assert!(refusal(absent).is_some(), "{absent}");
        }
    }

    /// `normalize.go` of distribution/reference: `ParseNormalizedNamed`, `splitDockerDomain`.
    #[test]
    fn names_with_capitals() {
        let upper = |image: &str, name: &str| {
            let why = format!(
                "couldn't parse image name \"{image}\": invalid reference format: repository name ({name}) must be lowercase"
            );
            assert_eq!(invalid_name(image), Some(why));
        };
        upper("ACTOKEY", "library/ACTOKEY");
        upper("Nginx:1.27", "library/Nginx");
        upper("team/App:V1", "team/App");
        upper("docker.io/Nginx", "library/Nginx");
        upper("reg.test:5000/Team/app", "Team/app");
        assert_eq!(
            invalid_name("nginx:"),
            Some("couldn't parse image name \"nginx:\": invalid reference format".to_owned())
        );
        assert_eq!(invalid_name("nginx:V1"), None);
        // That is a registry, which no DNS has.
        assert_eq!(invalid_name("Team/app"), None);
        assert!(refusal("Team/app").unwrap().ends_with("dial tcp: lookup Team: no such host"));
    }

    /// The words as events of a kind cluster have them (kubectl describe of an image whose tag does not exist).
    #[test]
    fn the_registry_refuses_in_containerds_words() {
        let refusal = |image: &str| refusal(image).unwrap();
        assert_eq!(
            refusal("ngnix"),
            "failed to pull and unpack image \"docker.io/library/ngnix:latest\": failed to resolve reference \
             \"docker.io/library/ngnix:latest\": pull access denied, repository does not exist or may require authorization: \
             server message: insufficient_scope: authorization failed"
        );
        assert_eq!(
            refusal("nginx:1.999"),
            "rpc error: code = NotFound desc = failed to pull and unpack image \"docker.io/library/nginx:1.999\": failed \
             to resolve reference \"docker.io/library/nginx:1.999\": docker.io/library/nginx:1.999: not found"
        );
        assert_eq!(
            refusal("r.invalid:5000/app"),
            "failed to pull and unpack image \"r.invalid:5000/app:latest\": failed to resolve reference \
             \"r.invalid:5000/app:latest\": failed to do request: Head \"https://r.invalid:5000/v2/app/manifests/latest\": dial tcp: lookup r.invalid: no such host"
        );
    }

    #[test]
    fn what_is_absent_is_told_with_what_may_be_meant() {
        let repository = |name: &str, nearest| Some(Absent::Repository { name: name.into(), nearest });
        assert_eq!(absent("ngnix:1.27"), repository("ngnix", Some("nginx")));
        assert_eq!(absent("docker.io/library/shop"), repository("shop", None));
        let digest = "0".repeat(64);
        assert_eq!(absent(&format!("nginx:1.999@sha256:{digest}")), None);
        assert_eq!(absent("acme/ngnix:1.999"), None);
        let Some(Absent::Tag { name, tag, newest }) = absent("nginx:1.999") else { panic!() };
        assert_eq!((&*name, &*tag), ("nginx", "1.999"));
        assert!(newest.unwrap().starts_with("1."));
    }

    #[test]
    fn images_can_be_declared() {
        let mut config = ConfigMap {
            data: Some([("shop".into(), "shop\n- api:1.2\n registry.invalid/x:1 ".into())].into()),
            ..Default::default()
        };
        assert!(!is_declared(&config, "shop:1"), "without the label");
        config.metadata.labels = Some([("sim.steady/images".into(), String::new())].into());
        for declared in ["shop", "shop:7", "docker.io/library/shop:7", "api:1.2", "registry.invalid/x:1"] {
            assert!(is_declared(&config, declared), "{declared}");
        }
        for other in ["shops:1", "api:1.3", "api", "acme/shop", "Bad"] {
            assert!(!is_declared(&config, other), "{other}");
        }
        config.data = Some([("all".into(), "*".into())].into());
        assert!(is_declared(&config, "anything:1"));
    }

    #[test]
    fn identities() {
        let id = id("registry.test:5000/app:1");
        assert!(id.starts_with("registry.test:5000/app@sha256:"));
        assert_eq!(id.len(), "registry.test:5000/app@sha256:".len() + 64);
        assert_ne!(container_id("u", "c", 0), container_id("u", "c", 1));
    }
}
