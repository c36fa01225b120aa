//! What other objects of the API a pod refers to (`k8s.io/kubernetes/pkg/api/pod/util.go`).

use std::collections::BTreeSet;

use super::MetaExt;
use super::types::{Container, Pod, PodSpec, Volume};

fn containers(spec: &PodSpec) -> impl Iterator<Item = &Container> {
    spec.init_containers.iter().flatten().chain(&spec.containers)
}

/// Whether a pod needs a Secret: for its images, its environment or its volumes (`VisitPodSecretNames`).
pub fn references_secrets(spec: &PodSpec) -> bool {
    let of_container = |c: &Container| {
        let mut sources = c.env.iter().flatten().filter_map(|e| e.value_from.as_ref());
        c.env_from.iter().flatten().any(|e| e.secret_ref.is_some())
            || sources.any(|s| s.secret_key_ref.is_some())
    };
    spec.image_pull_secrets.as_ref().is_some_and(|all| !all.is_empty())
        || containers(spec).any(of_container)
        || spec.volumes.iter().flatten().any(volume_references_secrets)
}

fn volume_references_secrets(v: &Volume) -> bool {
    let mut projected = v.projected.iter().flat_map(|p| p.sources.iter().flatten());
    v.secret.is_some()
        || v.azure_file.is_some()
        || v.cephfs.as_ref().is_some_and(|s| s.secret_ref.is_some())
        || v.cinder.as_ref().is_some_and(|s| s.secret_ref.is_some())
        || v.flex_volume.as_ref().is_some_and(|s| s.secret_ref.is_some())
        || v.rbd.as_ref().is_some_and(|s| s.secret_ref.is_some())
        || v.scale_io.is_some()
        || v.iscsi.as_ref().is_some_and(|s| s.secret_ref.is_some())
        || v.storageos.as_ref().is_some_and(|s| s.secret_ref.is_some())
        || v.csi.as_ref().is_some_and(|s| s.node_publish_secret_ref.is_some())
        || projected.any(|s| s.secret.is_some())
}

/// Whether a pod needs a ConfigMap: for its environment or its volumes (`VisitPodConfigmapNames`).
fn references_config_maps(spec: &PodSpec) -> bool {
    let of_container = |c: &Container| {
        let mut sources = c.env.iter().flatten().filter_map(|e| e.value_from.as_ref());
        c.env_from.iter().flatten().any(|e| e.config_map_ref.is_some())
            || sources.any(|s| s.config_map_key_ref.is_some())
    };
    let of_volume = |v: &Volume| {
        let mut projected = v.projected.iter().flat_map(|p| p.sources.iter().flatten());
        v.config_map.is_some() || projected.any(|s| s.config_map.is_some())
    };
    containers(spec).any(of_container) || spec.volumes.iter().flatten().any(of_volume)
}

/// The names of the Secrets that a pod needs (`VisitPodSecretNames`).
pub fn secrets(spec: &PodSpec) -> BTreeSet<String> {
    let mut names: BTreeSet<String> =
        spec.image_pull_secrets.iter().flatten().map(|s| s.name.clone()).collect();
    for c in containers(spec) {
        names.extend(c.env_from.iter().flatten().filter_map(|e| Some(e.secret_ref.as_ref()?.name.clone())));
        let sources = c.env.iter().flatten().filter_map(|e| e.value_from.as_ref());
        names.extend(sources.filter_map(|s| Some(s.secret_key_ref.as_ref()?.name.clone())));
    }
    for v in spec.volumes.iter().flatten() {
        names.extend(v.secret.as_ref().and_then(|s| s.secret_name.clone()));
        names.extend(v.azure_file.as_ref().map(|s| s.secret_name.clone()));
        let local = [
            v.cephfs.as_ref().and_then(|s| s.secret_ref.as_ref()),
            v.cinder.as_ref().and_then(|s| s.secret_ref.as_ref()),
            v.flex_volume.as_ref().and_then(|s| s.secret_ref.as_ref()),
            v.rbd.as_ref().and_then(|s| s.secret_ref.as_ref()),
            v.scale_io.as_ref().map(|s| &s.secret_ref),
            v.iscsi.as_ref().and_then(|s| s.secret_ref.as_ref()),
            v.storageos.as_ref().and_then(|s| s.secret_ref.as_ref()),
            v.csi.as_ref().and_then(|s| s.node_publish_secret_ref.as_ref()),
        ];
        names.extend(local.into_iter().flatten().map(|s| s.name.clone()));
        let projected = v.projected.iter().flat_map(|p| p.sources.iter().flatten());
        names.extend(projected.filter_map(|s| Some(s.secret.as_ref()?.name.clone())));
    }
    names
}

/// The names of the ConfigMaps that a pod needs (`VisitPodConfigmapNames`).
pub fn config_maps(spec: &PodSpec) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for c in containers(spec) {
        names.extend(
            c.env_from.iter().flatten().filter_map(|e| Some(e.config_map_ref.as_ref()?.name.clone())),
        );
        let sources = c.env.iter().flatten().filter_map(|e| e.value_from.as_ref());
        names.extend(sources.filter_map(|s| Some(s.config_map_key_ref.as_ref()?.name.clone())));
    }
    for v in spec.volumes.iter().flatten() {
        names.extend(v.config_map.as_ref().map(|s| s.name.clone()));
        let projected = v.projected.iter().flat_map(|p| p.sources.iter().flatten());
        names.extend(projected.filter_map(|s| Some(s.config_map.as_ref()?.name.clone())));
    }
    names
}

/// The names of the claims that a pod needs. That of an ephemeral volume is named after the pod and the volume.
pub fn claims(pod: &Pod) -> BTreeSet<String> {
    let volumes = pod.spec.iter().flat_map(|s| s.volumes.iter().flatten());
    let name = |v: &Volume| match &v.persistent_volume_claim {
        Some(claim) => Some(claim.claim_name.clone()),
        None => v.ephemeral.as_ref().map(|_| format!("{}-{}", pod.metadata.name(), v.name)),
    };
    volumes.filter_map(name).collect()
}

/// The resource of the first sort of objects of the API that a pod refers to, as a kubelet names it when it refuses a static
/// pod; `None` if it refers to none (`HasAPIObjectReference`).
pub fn api_object_reference(spec: &PodSpec) -> Option<&'static str> {
    if spec.service_account_name.as_deref().is_some_and(|name| !name.is_empty()) {
        return Some("serviceaccounts");
    }
    if references_secrets(spec) {
        return Some("secrets");
    }
    if references_config_maps(spec) {
        return Some("configmaps");
    }
    if spec.resource_claims.as_ref().is_some_and(|claims| !claims.is_empty()) {
        return Some("resourceclaims");
    }
    spec.volumes.iter().flatten().find_map(of_volume)
}

fn of_volume(v: &Volume) -> Option<&'static str> {
    if v.csi.is_some() {
        return Some("csidrivers (via CSI volumes)");
    }
    if v.glusterfs.is_some() {
        return Some("endpoints (via glusterFS volumes)");
    }
    if v.persistent_volume_claim.is_some() {
        return Some("persistentvolumeclaims");
    }
    if v.ephemeral.is_some() {
        return Some("persistentvolumeclaims (via ephemeral volumes)");
    }
    let mut sources = v.projected.iter().flat_map(|p| p.sources.iter().flatten());
    sources.find_map(|s| {
        if s.service_account_token.is_some() {
            Some("serviceaccounts (via projected volumes)")
        } else if s.cluster_trust_bundle.is_some() {
            Some("clustertrustbundles")
        } else if s.pod_certificate.is_some() {
            Some("podcertificates")
        } else {
            None
        }
    })
}
