//! What the objects of a text need and `kubectl get all` does not print. Without it, controllers and kubelets would act
//! here where they have nothing to do in the cluster that the text comes from.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Report, text_at};

/// The namespaces that every cluster has.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// Kind, namespace and name.
type Name = (&'static str, String, String);

/// What is made, and with what in it.
#[derive(Default)]
struct Needed {
    objects: BTreeMap<Name, Value>,
    /// The keys of ConfigMaps and Secrets.
    keys: BTreeMap<Name, BTreeSet<String>>,
}

/// Adds what is missing.
pub(super) fn make(objects: &mut Vec<Value>, report: &mut Report) {
    let mut needed = Needed::default();
    for object in objects.iter() {
        let namespace = text_at(object, "/metadata/namespace");
        if !namespace.is_empty() && !NAMESPACES.contains(&namespace.as_str()) {
            let value = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
            needed.objects.insert(("Namespace", String::new(), namespace.clone()), value);
        }
        if let Some(spec) = pod_spec(object) {
            needed.of_pod(object, spec, &namespace);
        }
        if text_at(object, "/kind") == "PersistentVolumeClaim" {
            needed.volume_of(object);
        }
    }
    let there: BTreeSet<(String, String, String)> = objects
        .iter()
        .map(|o| (text_at(o, "/kind"), text_at(o, "/metadata/namespace"), text_at(o, "/metadata/name")))
        .collect();
    let is_there = |name: &Name| there.contains(&(name.0.to_owned(), name.1.clone(), name.2.clone()));
    let mut claims = Vec::new();
    for (name, mut value) in needed.objects {
        if is_there(&name) {
            continue;
        }
        if let Some(keys) = needed.keys.get(&name) {
            value["data"] = keys.iter().map(|key| (key.clone(), Value::from(""))).collect();
        }
        report.made.entry(name.0.to_owned()).or_default().push(name.2.clone());
        if name.0 == "PersistentVolumeClaim" {
            claims.push(value.clone());
        }
        objects.push(value);
    }
    // A claim that is made is bound, so its volume is made, too.
    let mut volumes = Needed::default();
    claims.iter().for_each(|claim| volumes.volume_of(claim));
    for (name, value) in volumes.objects {
        if !is_there(&name) {
            report.made.entry(name.0.to_owned()).or_default().push(name.2.clone());
            objects.push(value);
        }
    }
}

/// The spec of a pod, or of the pods that an object makes.
pub(super) fn pod_spec(object: &Value) -> Option<&Value> {
    let path = match text_at(object, "/kind").as_str() {
        "Pod" => "/spec",
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" | "ReplicationController" => {
            "/spec/template/spec"
        }
        "CronJob" => "/spec/jobTemplate/spec/template/spec",
        _ => return None,
    };
    object.pointer(path)
}

impl Needed {
    fn of_pod(&mut self, object: &Value, spec: &Value, namespace: &str) {
        let account = text_at(spec, "/serviceAccountName");
        if !account.is_empty() && account != "default" {
            self.named("ServiceAccount", "v1", namespace, &account);
        }
        let class = text_at(spec, "/priorityClassName");
        if !class.is_empty() && !class.starts_with("system-") {
            // A template does not say the value, its pods do.
            let value = spec.get("priority").and_then(Value::as_i64);
            let priority = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                "metadata": {"name": class}, "value": value.unwrap_or(0)});
            let name = ("PriorityClass", String::new(), class);
            if value.is_some() {
                self.objects.insert(name, priority);
            } else {
                self.objects.entry(name).or_insert(priority);
            }
        }
        for volume in array(spec, "/volumes") {
            self.of_volume(object, volume, namespace);
            for source in array(volume, "/projected/sources") {
                self.of_volume(object, source, namespace);
            }
        }
        for container in array(spec, "/initContainers").chain(array(spec, "/containers")) {
            for env in array(container, "/env") {
                for (at, kind) in [("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")] {
                    if let Some(of) = env.pointer(&format!("/valueFrom/{at}")).filter(|of| !is_optional(of)) {
                        self.key(kind, namespace, &text_at(of, "/name"), &text_at(of, "/key"));
                    }
                }
            }
            for from in array(container, "/envFrom") {
                for (at, kind) in [("configMapRef", "ConfigMap"), ("secretRef", "Secret")] {
                    if let Some(of) = from.get(at).filter(|of| !is_optional(of)) {
                        self.named(kind, "v1", namespace, &text_at(of, "/name"));
                    }
                }
            }
        }
    }

    fn of_volume(&mut self, object: &Value, volume: &Value, namespace: &str) {
        for (at, kind, name) in [
            ("configMap", "ConfigMap", "/name"),
            ("secret", "Secret", "/secretName"),
            ("secret", "Secret", "/name"),
        ] {
            let Some(of) = volume.get(at).filter(|of| !is_optional(of)) else { continue };
            let name = text_at(of, name);
            // Every namespace gets this one from a controller.
            if name.is_empty() || name == "kube-root-ca.crt" {
                continue;
            }
            self.named(kind, "v1", namespace, &name);
            for item in array(of, "/items") {
                self.key(kind, namespace, &name, &text_at(item, "/key"));
            }
        }
        let claim = text_at(volume, "/persistentVolumeClaim/claimName");
        // The claims of a template do not exist before its pods.
        if claim.is_empty() || text_at(object, "/kind") != "Pod" {
            return;
        }
        let volume = format!("imported-{namespace}-{claim}");
        let value = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": claim, "namespace": namespace, "uid": format!("made-claim-{namespace}-{claim}"),
                "annotations": {"pv.kubernetes.io/bind-completed": "yes"}, "finalizers": ["kubernetes.io/pvc-protection"]},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
                "storageClassName": "", "volumeMode": "Filesystem", "volumeName": volume},
            "status": {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}});
        self.objects.insert(("PersistentVolumeClaim", namespace.to_owned(), claim), value);
    }

    /// The volume that a bound claim has.
    fn volume_of(&mut self, claim: &Value) {
        let volume = text_at(claim, "/spec/volumeName");
        if volume.is_empty() {
            return;
        }
        let storage =
            claim.pointer("/status/capacity/storage").or(claim.pointer("/spec/resources/requests/storage"));
        let of = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": text_at(claim, "/metadata/name"),
            "namespace": text_at(claim, "/metadata/namespace"), "uid": text_at(claim, "/metadata/uid")});
        let value = json!({"apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": volume, "uid": format!("made-volume-{volume}"), "finalizers": ["kubernetes.io/pv-protection"]},
            "spec": {"accessModes": claim.pointer("/spec/accessModes"), "capacity": {"storage": storage}, "claimRef": of,
                "hostPath": {"path": "/imported", "type": ""}, "persistentVolumeReclaimPolicy": "Retain",
                "storageClassName": text_at(claim, "/spec/storageClassName"), "volumeMode": "Filesystem"},
            "status": {"phase": "Bound"}});
        self.objects.insert(("PersistentVolume", String::new(), volume), value);
    }

    fn key(&mut self, kind: &'static str, namespace: &str, name: &str, key: &str) {
        self.named(kind, "v1", namespace, name);
        self.keys.entry((kind, namespace.to_owned(), name.to_owned())).or_default().insert(key.to_owned());
    }

    fn named(&mut self, kind: &'static str, version: &str, namespace: &str, name: &str) {
        if name.is_empty() {
            return;
        }
        let value =
            json!({"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace}});
        self.objects.entry((kind, namespace.to_owned(), name.to_owned())).or_insert(value);
    }
}

fn is_optional(of: &Value) -> bool {
    of.get("optional").and_then(Value::as_bool) == Some(true)
}

/// The items of a list at a path.
pub(super) fn array<'a>(value: &'a Value, path: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.pointer(path).and_then(Value::as_array).into_iter().flatten()
}
