//! Names of objects in other objects: when an object is renamed, the references to it are renamed, too
//! (`api/internal/konfig/builtinpluginconsts/namereference.go`).

use serde_json::Value;

use super::super::kinds::known;
use super::{Resource, each};

/// Where a pod spec names objects of a kind.
const POD: &[(&str, &[&str])] = &[
    ("ConfigMap", &["volumes", "configMap", "name"]),
    ("ConfigMap", &["volumes", "projected", "sources", "configMap", "name"]),
    ("Secret", &["volumes", "secret", "secretName"]),
    ("Secret", &["volumes", "projected", "sources", "secret", "name"]),
    ("Secret", &["imagePullSecrets", "name"]),
    ("PersistentVolumeClaim", &["volumes", "persistentVolumeClaim", "claimName"]),
    ("ServiceAccount", &["serviceAccountName"]),
    ("ServiceAccount", &["serviceAccount"]),
    ("PriorityClass", &["priorityClassName"]),
];

/// Where a container names objects of a kind.
const CONTAINER: &[(&str, &[&str])] = &[
    ("ConfigMap", &["env", "valueFrom", "configMapKeyRef", "name"]),
    ("ConfigMap", &["envFrom", "configMapRef", "name"]),
    ("Secret", &["env", "valueFrom", "secretKeyRef", "name"]),
    ("Secret", &["envFrom", "secretRef", "name"]),
];

/// Where objects of a kind name objects of another.
const OTHER: &[(&str, &str, &[&str])] = &[
    ("StatefulSet", "Service", &["spec", "serviceName"]),
    ("StatefulSet", "StorageClass", &["spec", "volumeClaimTemplates", "spec", "storageClassName"]),
    ("PersistentVolumeClaim", "StorageClass", &["spec", "storageClassName"]),
    ("PersistentVolumeClaim", "PersistentVolume", &["spec", "volumeName"]),
    ("PersistentVolume", "StorageClass", &["spec", "storageClassName"]),
    ("PersistentVolume", "PersistentVolumeClaim", &["spec", "claimRef", "name"]),
    ("ServiceAccount", "Secret", &["secrets", "name"]),
    ("ServiceAccount", "Secret", &["imagePullSecrets", "name"]),
    ("Ingress", "Service", &["spec", "defaultBackend", "service", "name"]),
    ("Ingress", "Service", &["spec", "rules", "http", "paths", "backend", "service", "name"]),
    ("Ingress", "Secret", &["spec", "tls", "secretName"]),
    ("Ingress", "IngressClass", &["spec", "ingressClassName"]),
    ("Role", "ConfigMap", &["rules", "resourceNames"]),
    ("ClusterRole", "ConfigMap", &["rules", "resourceNames"]),
    ("Role", "Secret", &["rules", "resourceNames"]),
    ("ClusterRole", "Secret", &["rules", "resourceNames"]),
];

/// Where objects of a kind name objects whose kind stands beside the name.
const WITH_KIND: &[(&str, &[&str])] = &[
    ("HorizontalPodAutoscaler", &["spec", "scaleTargetRef"]),
    ("RoleBinding", &["roleRef"]),
    ("ClusterRoleBinding", &["roleRef"]),
    ("RoleBinding", &["subjects"]),
    ("ClusterRoleBinding", &["subjects"]),
];

/// An object that was renamed.
struct Renamed {
    kind: String,
    namespace: String,
    before: Vec<String>,
    now: String,
}

pub(super) fn update(all: &mut [Resource]) {
    let renamed: Vec<Renamed> = all
        .iter()
        .filter(|r| !r.names.is_empty())
        .map(|r| Renamed {
            kind: r.kind().to_owned(),
            namespace: r.namespace().to_owned(),
            before: r.names.clone(),
            now: r.name().to_owned(),
        })
        .collect();
    if renamed.is_empty() {
        return;
    }
    for resource in all {
        let namespace = resource.namespace().to_owned();
        let own = resource.kind().to_owned();
        let pod_spec = resource.built_in().and_then(|kind| known(kind).set.pod_spec());
        if let Some(spec) = pod_spec.and_then(|path| resource.value.pointer_mut(path)) {
            for (kind, path) in POD {
                each(spec, path, &mut |name| rename(name, kind, &namespace, &renamed));
            }
            for (kind, path) in CONTAINER {
                for containers in ["containers", "initContainers", "ephemeralContainers"] {
                    let mut whole = vec![containers];
                    whole.extend(*path);
                    each(spec, &whole, &mut |name| rename(name, kind, &namespace, &renamed));
                }
            }
        }
        for (_, kind, path) in OTHER.iter().filter(|(from, _, _)| *from == own) {
            each(&mut resource.value, path, &mut |name| rename(name, kind, &namespace, &renamed));
        }
        for (_, path) in WITH_KIND.iter().filter(|(from, _)| *from == own) {
            each(&mut resource.value, path, &mut |reference| {
                let text = |key: &str| reference.get(key).and_then(Value::as_str).map(str::to_owned);
                let kind = text("kind").unwrap_or_default();
                let namespace = text("namespace").unwrap_or_else(|| namespace.clone());
                if let Some(name) = reference.get_mut("name") {
                    rename(name, &kind, &namespace, &renamed);
                }
            });
        }
    }
}

/// Gives a name that an object had the one that it has now. An object of the same namespace is preferred.
fn rename(name: &mut Value, kind: &str, namespace: &str, renamed: &[Renamed]) {
    let Some(text) = name.as_str() else { return };
    let of_kind = |r: &&Renamed| r.kind == kind && r.before.iter().any(|b| b == text);
    let near = renamed.iter().filter(of_kind).find(|r| r.namespace == namespace);
    if let Some(found) = near.or_else(|| renamed.iter().find(of_kind)) {
        *name = found.now.as_str().into();
    }
}
