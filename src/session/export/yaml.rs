//! The objects of a cluster as a `List`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::well_known::LAST_APPLIED_CONFIG_ANNOTATION;
use crate::api::{Kind, Object, yaml as text};
use crate::cluster::Cluster;

/// Which objects, and what of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Which {
    /// Every object that did not exist at the start, and every Node, as it is: with uid, owners and status.
    /// [`import`](crate::session::import) makes the same cluster of them.
    All,
    /// What a person declared, to be applied to another cluster: without objects that have an owner or that a controller
    /// keeps, and without what a server adds.
    Declared,
}

/// The kinds whose objects components keep, and people do not declare.
const KEPT: [Kind; 7] = [
    Kind::EVENT,
    Kind::LEASE,
    Kind::ENDPOINTS,
    Kind::ENDPOINT_SLICE,
    Kind::CONTROLLER_REVISION,
    Kind::IP_ADDRESS,
    Kind::NODE,
];

/// The objects as YAML. `boot` is the cluster before anybody did anything.
pub fn yaml(cluster: &Cluster, boot: &Cluster, which: Which) -> String {
    let items = cluster.api().cached_all().filter(|(at, object)| match which {
        Which::All => at.kind == Kind::NODE || (at.kind != Kind::EVENT && boot.api().cached(at).is_none()),
        Which::Declared => boot.api().cached(at).is_none() && is_declared(object),
    });
    let items: Vec<Value> = items.map(|(_, object)| value(object, which)).collect();
    text::to_yaml(&json!({"apiVersion": "v1", "kind": "List", "metadata": {}, "items": items}))
}

/// What was declared, as documents for the editor; empty if that is more than so many bytes.
pub fn documents(cluster: &Cluster, boot: &Cluster, limit: usize) -> String {
    let items =
        cluster.api().cached_all().filter(|(at, o)| boot.api().cached(at).is_none() && is_declared(o));
    let shown = items.filter(|(at, _)| ![Kind::NAMESPACE, Kind::CONFIG_MAP, Kind::SECRET].contains(&at.kind));
    let texts: Vec<String> = shown.map(|(_, o)| text::to_yaml(&value(o, Which::Declared))).collect();
    if texts.iter().map(String::len).sum::<usize>() > limit { String::new() } else { texts.join("---\n") }
}

/// Whether a person, and no component, wants an object.
fn is_declared(object: &Object) -> bool {
    let owned = object.meta().owner_references.as_ref().is_some_and(|o| !o.is_empty());
    let root_ca = object.kind() == Kind::CONFIG_MAP && object.name() == "kube-root-ca.crt";
    let account = object.kind() == Kind::SERVICE_ACCOUNT && object.name() == "default";
    !owned && !root_ca && !account && !KEPT.contains(&object.kind())
}

fn value(object: &Object, which: Which) -> Value {
    let mut value = object.to_value();
    let declared = which == Which::Declared;
    if declared && let Some(object) = value.as_object_mut() {
        object.remove("status");
    }
    if let Some(meta) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        meta.remove("resourceVersion");
        meta.remove("managedFields");
        for field in
            ["uid", "creationTimestamp", "generation", "deletionTimestamp", "deletionGracePeriodSeconds"]
        {
            if declared {
                meta.remove(field);
            }
        }
        if let Some(annotations) = meta.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.retain(|k, _| !declared || (k != LAST_APPLIED_CONFIG_ANNOTATION && k != REVISION));
            if annotations.is_empty() {
                meta.remove("annotations");
            }
        }
    }
    if declared && let Some(spec) = value.get_mut("spec").and_then(Value::as_object_mut) {
        // The cluster that it is applied to has addresses and nodes of its own.
        if object.kind() == Kind::SERVICE && spec.get("clusterIP").and_then(Value::as_str) != Some("None") {
            spec.remove("clusterIP");
            spec.remove("clusterIPs");
        }
        if object.kind() == Kind::POD {
            spec.remove("nodeName");
        }
    }
    value
}

/// The Deployment controller's number of the newest ReplicaSet.
const REVISION: &str = "deployment.kubernetes.io/revision";
