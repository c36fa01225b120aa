//! Images that no registry has: [`MissingImage`]. What there is, the kubelet's room knows (`kubelet::images`).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::types::{ConfigMap, Pod};
use crate::api::yaml::{self, Limits};
use crate::api::{Kind, Object};
use crate::cluster::Cluster;
use crate::kubelet::behaviour::NAMESPACE;
use crate::kubelet::images::{self, Absent};

/// An image that no registry has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingImage {
    /// The reference as it was written, for example `ngnix:1.27`.
    pub image: String,
    /// The name of the image, for example `ngnix`.
    pub name: String,
    /// The tag, if the image exists, but not with this tag.
    pub tag: Option<String>,
    /// The reference that may be meant, for example `nginx:1.27`; `None` if none is like it.
    pub meant: Option<String>,
}

/// A place in a manifest that names an image that no registry has. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageWarning {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// The image.
    pub missing: MissingImage,
}

/// What is missing, if no registry has this image.
fn missing(image: &str) -> Option<MissingImage> {
    let (name, tag, meant) = match images::absent(image)? {
        Absent::Host => return None,
        Absent::Repository { name, nearest } => {
            let meant = nearest.map(|nearest| image.replacen(&name, nearest, 1));
            // The other image may not have the tag.
            let meant = match meant.as_deref().and_then(images::absent) {
                None => meant,
                Some(_) => nearest.map(str::to_owned),
            };
            (name, None, meant)
        }
        Absent::Tag { name, tag, newest } => {
            let meant = newest.map(|newest| image.replacen(&format!(":{tag}"), &format!(":{newest}"), 1));
            (name, Some(tag), meant.filter(|meant| meant != image))
        }
    };
    Some(MissingImage { image: image.to_owned(), name, tag, meant })
}

/// The first image that a pod waits for and that no registry has, if nobody has declared it.
pub(super) fn missing_of(cluster: &Cluster, object: &Object) -> Option<MissingImage> {
    let pod = object.get::<Pod>()?;
    let status = pod.status.as_ref()?;
    let all = status.init_container_statuses.iter().chain(&status.container_statuses).flatten();
    let waits = |reason: &str| matches!(reason, "ErrImagePull" | "ImagePullBackOff");
    let mut waiting = all.filter(|c| {
        let waiting = c.state.as_ref().and_then(|s| s.waiting.as_ref());
        waiting.is_some_and(|w| w.reason.as_deref().is_some_and(waits))
    });
    let found = waiting.find_map(|c| missing(&c.image))?;
    let configs = cluster.api().cached_list(Kind::CONFIG_MAP, None);
    let declared =
        configs.filter_map(|(_, o)| o.get::<ConfigMap>()).any(|c| images::is_declared(c, &found.image));
    (!declared && !is_told(object.meta().annotations.iter().flatten().map(|(key, _)| key.as_str())))
        .then_some(found)
}

/// Whether annotations decide about pulls.
fn is_told<'k>(mut annotations: impl Iterator<Item = &'k str>) -> bool {
    annotations.any(|key| key.strip_prefix(NAMESPACE).is_some_and(|rest| rest.starts_with("image-pull")))
}

/// The places in a manifest that name an image which no registry has, if neither the cluster nor the manifest declares it.
/// Empty if the text cannot be parsed.
pub fn image_warnings(cluster: &Cluster, text: &str) -> Vec<ImageWarning> {
    let Ok(documents) = yaml::documents(text, &Limits::default()) else { return Vec::new() };
    let mut found = Vec::new();
    for (i, document) in documents.iter().enumerate() {
        let mut paths = Vec::new();
        containers(&document.value, "", false, &mut paths);
        for (path, missing) in paths {
            let (line, column) = yaml::position_of(text, i, &path).unwrap_or((1, 1));
            found.push(ImageWarning { line, column, missing });
        }
    }
    if found.is_empty() {
        return found;
    }
    let own = documents.iter().filter(|d| d.value.get("kind").and_then(Value::as_str) == Some("ConfigMap"));
    let own: Vec<ConfigMap> = own.filter_map(|d| serde_json::from_value(d.value.clone()).ok()).collect();
    let stored = cluster.api().cached_list(Kind::CONFIG_MAP, None);
    let stored = stored.filter_map(|(_, o)| o.get::<ConfigMap>().map(AsRef::as_ref));
    let configs: Vec<&ConfigMap> =
        own.iter().chain(stored).filter(|config| images::declares(config)).collect();
    found.retain(|warning| !configs.iter().any(|config| images::is_declared(config, &warning.missing.image)));
    found
}

/// Collects the paths of the images of containers below a value, and what is missing of them. `told` is whether the pod's
/// annotations decide about pulls.
fn containers(value: &Value, path: &str, told: bool, found: &mut Vec<(String, MissingImage)>) {
    match value {
        Value::Object(fields) => {
            let annotations = value.pointer("/metadata/annotations").and_then(Value::as_object);
            let told = annotations.is_some_and(|all| is_told(all.keys().map(String::as_str)))
                || (told && path.ends_with("spec"));
            for (key, value) in fields {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                let list =
                    value.as_array().filter(|_| matches!(key.as_str(), "containers" | "initContainers"));
                let Some(list) = list else {
                    containers(value, &path, told, found);
                    continue;
                };
                for (i, container) in list.iter().enumerate().filter(|_| !told) {
                    let image = container.get("image").and_then(Value::as_str).unwrap_or_default();
                    found.extend(missing(image).map(|missing| (format!("{path}[{i}].image"), missing)));
                }
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                containers(item, &format!("{path}[{i}]"), told, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{Session, Start};

    const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - name: c\n    image: ngnix:1.27\n";

    fn warnings(session: &Session, text: &str) -> Vec<(usize, Option<String>)> {
        let all = image_warnings(session.cluster(), text);
        all.into_iter().map(|w| (w.line, w.missing.meant)).collect()
    }

    #[test]
    fn an_image_is_marked_at_its_line() {
        let s = Session::new(Start::default());
        assert_eq!(warnings(&s, POD), [(8, Some("nginx:1.27".to_owned()))]);
        assert_eq!(warnings(&s, &format!("{POD}---\n{}", POD.replace("ngnix", "acme/ngnix"))).len(), 1);
        assert_eq!(warnings(&s, &POD.replace("ngnix:1.27", "nginx:1.999"))[0].0, 8);
        assert_eq!(warnings(&s, &POD.replace("ngnix:1.27", "shop")), [(8, None)]);
        assert_eq!(warnings(&s, &POD.replace("ngnix:1.27", "ngnix:99")), [(8, Some("nginx".to_owned()))]);
        assert_eq!(warnings(&s, &POD.replace("ngnix", "nginx")), []);
        assert_eq!(warnings(&s, "a: [\n"), []);
        let told =
            POD.replace("  name: a\n", "  name: a\n  annotations:\n    sim.steady/image-pull: exists\n");
        assert_eq!(warnings(&s, &told), []);
    }

    #[test]
    fn a_declared_image_is_not() {
        let config = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: i\n  labels:\n    sim.steady/images: \"\"\ndata:\n  all: ngnix\n";
        let mut s = Session::new(Start::default());
        assert_eq!(warnings(&s, &format!("{POD}---\n{config}")), []);
        assert_eq!(warnings(&s, POD).len(), 1);
        s.apply(config);
        assert_eq!(warnings(&s, POD), []);
    }
}
