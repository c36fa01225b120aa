//! Images and replicas.

use serde_json::Value;

use super::super::kinds::known;
use super::file::{Image, Replicas};
use super::{Built, Resource};

/// Gives containers other images.
pub(super) fn images(images: &[Image], all: &mut [Resource]) {
    for resource in all {
        let Some(path) = resource.built_in().and_then(|kind| known(kind).set.pod_spec()) else { continue };
        let Some(spec) = resource.value.pointer_mut(path) else { continue };
        for field in ["containers", "initContainers", "ephemeralContainers"] {
            let containers = spec.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten();
            for container in containers {
                for image in images {
                    let old = container.get("image").and_then(Value::as_str);
                    if let Some(new) = old.and_then(|old| changed(old, image)) {
                        container["image"] = new.into();
                    }
                }
            }
        }
    }
}

/// An image's name, tag and digest.
fn split(image: &str) -> (&str, &str, &str) {
    let (rest, digest) = image.split_once('@').unwrap_or((image, ""));
    match rest.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, tag, digest),
        _ => (rest, "", digest),
    }
}

fn changed(old: &str, image: &Image) -> Option<String> {
    let (name, tag, digest) = split(old);
    if name != image.name {
        return None;
    }
    let name = if image.new_name.is_empty() { name } else { &image.new_name };
    let (mut tag, mut digest) = (tag.to_owned(), digest.to_owned());
    if !image.new_tag.is_empty() || !image.digest.is_empty() {
        tag.clone_from(&image.new_tag);
        digest.clone_from(&image.digest);
    }
    if !image.tag_suffix.is_empty() {
        tag.push_str(&image.tag_suffix);
    }
    let tag = if tag.is_empty() { tag } else { format!(":{tag}") };
    let digest = if digest.is_empty() { digest } else { format!("@{digest}") };
    Some(format!("{name}{tag}{digest}"))
}

/// Gives workloads other numbers of replicas.
pub(super) fn replicas(replicas: &[Replicas], all: &mut [Resource]) -> Built {
    let scaled = ["Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"];
    for wanted in replicas {
        let mut found = false;
        for resource in all.iter_mut() {
            if scaled.contains(&resource.kind()) && resource.was_named(&wanted.name) {
                resource.value["spec"]["replicas"] = wanted.count.into();
                found = true;
            }
        }
        if !found {
            return Err(format!(
                "resource with name {} does not match a config with the following GVK [Deployment.[noVer].[noGrp] ReplicationController.[noVer].[noGrp] ReplicaSet.[noVer].[noGrp] StatefulSet.[noVer].[noGrp]]",
                wanted.name
            ));
        }
    }
    Ok(())
}
