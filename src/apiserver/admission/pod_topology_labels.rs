//! PodTopologyLabels: a pod gets the zone and the region of its node as labels, so that its containers can read them through
//! the downward API (`k8s.io/kubernetes/plugin/pkg/admission/podtopologylabels`, KEP 4742; on by default since 1.35).

use super::{Plugin, hook};
use crate::api::types::{Node, Pod};
use crate::api::{ApiKind, Key, Kind, Object, ObjectRef};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;

pub(super) const PLUGIN: Plugin =
    Plugin { admit_create: hook(&[Kind::POD], admit_create), ..Plugin::new(NAME) };

/// The name of the plug-in.
pub(in crate::apiserver) const NAME: &str = "PodTopologyLabels";

/// The labels that a pod gets from its node.
const LABELS: [&str; 2] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

fn admit_create(api: &mut ApiServer, object: &mut Object) -> Result<(), Status> {
    let node = Pod::from_object(object).and_then(|p| p.spec.as_ref()?.node_name.clone());
    if let Some(node) = node.filter(|n| !n.is_empty())
        && let Some(pod) = Pod::from_object_mut(object)
    {
        copy_labels(api, &node, pod);
    }
    Ok(())
}

/// Copies the labels of the node that a pod is assigned to. A label that the pod has already stays as it is; a node that
/// does not exist gives none.
pub(in crate::apiserver) fn copy_labels(api: &ApiServer, node: &str, pod: &mut Pod) {
    let at = ObjectRef { kind: Kind::NODE, key: Key::new("", node) };
    let Some(node) = api.etcd.get(&at).and_then(|r| Node::from_object(&r.object)) else { return };
    let of_node = node.metadata.labels.iter().flatten();
    for (key, value) in of_node.filter(|(key, _)| LABELS.contains(&key.as_str())) {
        let labels = pod.metadata.labels.get_or_insert_default();
        labels.entry(key.clone()).or_insert_with(|| value.clone());
    }
}
