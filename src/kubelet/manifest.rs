//! A manifest of a static pod, and what a kubelet makes of the pod in it (`pkg/kubelet/config/common.go`).

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::pod_references::api_object_reference;
use crate::api::types::{ObjectMeta, Pod, PodStatus, Toleration};
use crate::api::well_known::{
    CONFIG_HASH_ANNOTATION, CONFIG_MIRROR_ANNOTATION, CONFIG_SEEN_ANNOTATION, CONFIG_SOURCE_ANNOTATION,
};
use crate::api::yaml::to_yaml;
use crate::api::{MetaExt, Shared};

/// The directory of manifests of every node (`staticPodPath`, as kubeadm sets it).
pub const STATIC_POD_PATH: &str = "/etc/kubernetes/manifests";

/// A file of a node's directory of manifests.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Its text.
    pub text: Rc<str>,
    /// The pod in it, or why the kubelet does not take it: a kubelet logs that, and nobody else hears of it.
    pub pod: Result<Rc<Pod>, Rc<str>>,
}

/// Somebody has put a file into a node's directory of manifests, has changed it, or has taken it away. It is the data that
/// [`Component::fault`](crate::client::Component::fault) takes.
#[derive(Clone, Debug, PartialEq)]
pub struct ManifestChange {
    /// The file's name.
    pub file: Rc<str>,
    /// What it is now; `None` if it is gone.
    pub manifest: Option<Manifest>,
}

/// 64 bits more than FNV-1a has: the function of Go's `fnv.New128a`.
fn fnv_128a(parts: &[&[u8]]) -> u128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    parts.iter().copied().flatten().fold(OFFSET, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

/// Where a kubelet has a static pod from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// The file of this name in its directory of manifests.
    File(&'a str),
    /// This URL.
    Url(&'a str),
}

/// Makes of a pod what a kubelet makes of it before it looks whether it is valid (`applyDefaults`): its name
/// ends with the node's, and its uid follows from the content and the source: the node and the file, or the URL alone. A pod
/// of a file tolerates all taints that evict.
pub fn apply_defaults(pod: &mut Pod, source: Source<'_>, node: &str) {
    if MetaExt::uid(&pod.metadata).is_empty() {
        // A value that was read from JSON can be written as JSON.
        let content = serde_json::to_vec(&*pod).unwrap_or_default();
        let source = match source {
            Source::File(file) => format!("host:{node}file:{STATIC_POD_PATH}/{file}"),
            Source::Url(url) => format!("url:{url}"),
        };
        pod.metadata.uid = Some(format!("{:032x}", fnv_128a(&[&content, source.as_bytes()])));
    }
    let uid = MetaExt::uid(&pod.metadata).to_owned();
    pod.metadata.name = Some(format!("{}-{}", MetaExt::name(&pod.metadata), node.to_lowercase()));
    if MetaExt::namespace(&pod.metadata).is_empty() {
        pod.metadata.namespace = Some("default".into());
    }
    let annotations = pod.metadata.annotations.get_or_insert_default();
    annotations.insert(CONFIG_HASH_ANNOTATION.into(), uid);
    let spec = pod.spec.get_or_insert_default();
    spec.node_name = Some(node.into());
    if matches!(source, Source::File(_)) {
        tolerate(spec.tolerations.get_or_insert_default());
    }
    pod.status = Some(Shared::new(pending()));
}

/// Adds the toleration of all taints that evict (`AddOrUpdateTolerationInPod`).
fn tolerate(tolerations: &mut Vec<Toleration>) {
    let all = Toleration {
        operator: Some("Exists".into()),
        effect: Some("NoExecute".into()),
        ..Toleration::default()
    };
    let same = |t: &&mut Toleration| {
        (&t.key, &t.operator, &t.value, &t.effect) == (&None, &all.operator, &None, &all.effect)
    };
    match tolerations.iter_mut().find(same) {
        Some(there) => *there = all,
        None => tolerations.push(all),
    }
}

/// The status of a static pod of which nothing has run yet.
pub(super) fn pending() -> PodStatus {
    PodStatus { phase: Some("Pending".into()), ..PodStatus::default() }
}

/// The file that the static pod of a mirror pod comes from, for a cluster that begins with the objects of another one: what
/// is known of the file is the pod in it. The pod has the mirror pod's status, so that the kubelet finds its containers.
/// `None` if the object is no mirror pod.
pub fn adopt(mirror: &Pod) -> Option<ManifestChange> {
    let meta = &mirror.metadata;
    let hash = meta.annotation(CONFIG_MIRROR_ANNOTATION)?;
    let ending = format!("-{}", mirror.spec.as_ref()?.node_name.as_deref()?.to_lowercase());
    let name = MetaExt::name(meta).strip_suffix(&ending)?;
    let local =
        [CONFIG_MIRROR_ANNOTATION, CONFIG_SOURCE_ANNOTATION, CONFIG_SEEN_ANNOTATION, CONFIG_HASH_ANNOTATION];
    let mut annotations = meta.annotations.clone().unwrap_or_default();
    annotations.retain(|key, _| !local.contains(&key.as_str()));
    let metadata = |name: &str, annotations| ObjectMeta {
        name: Some(name.to_owned()),
        namespace: meta.namespace.clone(),
        labels: meta.labels.clone(),
        annotations: Some(annotations).filter(|all: &BTreeMap<String, String>| !all.is_empty()),
        ..ObjectMeta::default()
    };
    let mut written =
        Pod { metadata: metadata(name, annotations.clone()).into(), spec: mirror.spec.clone(), status: None };
    if let Some(spec) = &mut written.spec {
        spec.node_name = None;
    }
    annotations.insert(CONFIG_HASH_ANNOTATION.into(), hash.to_owned());
    let mut metadata = metadata(MetaExt::name(meta), annotations);
    metadata.uid = Some(hash.to_owned());
    let pod = Pod { metadata: metadata.into(), spec: mirror.spec.clone(), status: mirror.status.clone() };
    // A pod that was read from JSON can be written as JSON.
    let text = to_yaml(&serde_json::to_value(&written).unwrap_or_default());
    let manifest = Manifest { text: text.into(), pod: Ok(Rc::new(pod)) };
    Some(ManifestChange { file: format!("{name}.yaml").into(), manifest: Some(manifest) })
}

/// Whether a kubelet takes a valid pod of a file: it may not need anything of the API server.
///
/// # Errors
/// The kubelet's words.
pub fn refers_to_nothing(pod: &Pod) -> Result<(), String> {
    let found = pod.spec.as_deref().and_then(api_object_reference);
    found.map_or(Ok(()), |resource| Err(format!("static pods may not reference {resource}")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    /// The examples of the authors of the function (draft-eastlake-fnv, 128 bits).
    #[test]
    fn the_hash_is_the_one_of_go() {
        assert_eq!(fnv_128a(&[]), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(fnv_128a(&[b"a"]), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(fnv_128a(&[b"foo", b"bar"]), 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }

    /// `pkg/kubelet/config/common_test.go`, `file_linux_test.go`
    #[test]
    fn a_pod_of_a_file_is_named_after_its_node() {
        let pod: Pod =
            serde_json::from_value(json!({"metadata": {"name": "web"}, "spec": {"containers": []}})).unwrap();
        let of = |file: &str, node: &str| {
            let mut pod = pod.clone();
            apply_defaults(&mut pod, Source::File(file), node);
            pod
        };
        let mut of_url = pod.clone();
        apply_defaults(&mut of_url, Source::Url("http://web/pods"), "node-2");
        assert_eq!(of_url.spec.as_ref().unwrap().tolerations, None);
        let a = of("web.yaml", "Node-1");
        assert_eq!(MetaExt::name(&a.metadata), "web-node-1");
        assert_eq!(MetaExt::namespace(&a.metadata), "default");
        let spec = a.spec.as_ref().unwrap();
        assert_eq!(spec.node_name.as_deref(), Some("Node-1"));
        let told = serde_json::to_value(&spec.tolerations).unwrap();
        assert_eq!(told, json!([{"operator": "Exists", "effect": "NoExecute"}]));
        assert_eq!(a.metadata.annotation(CONFIG_HASH_ANNOTATION), a.metadata.uid.as_deref());
        let uids = [&a, &of("b.yaml", "Node-1"), &of("web.yaml", "node-2")].map(|p| p.metadata.uid.clone());
        assert_ne!(uids[0], uids[1]);
        assert_ne!(uids[0], uids[2]);
        assert_eq!(of("web.yaml", "Node-1"), a);
    }
}
