//! PodTopologyLabels: a pod gets the zone and the region of its node as labels, so that its containers can read them through
//! the downward API (`k8s.io/kubernetes/plugin/pkg/admission/podtopologylabels`, KEP 4742; on by default since 1.35).

use std::collections::BTreeMap;

use super::{Plugin, hook};
use crate::api::types::{Node, Pod};
use crate::api::{ApiKind, Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Binding, Status};
use crate::apiserver::ApiServer;

pub(super) const PLUGIN: Plugin =
    Plugin { admit_create: hook(&[Kind::POD], admit_create), ..Plugin::new(NAME) };

/// The name of the plug-in.
pub(in crate::apiserver) const NAME: &str = "PodTopologyLabels";

/// The labels that a pod gets from its node.
const LABELS: [&str; 2] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

fn admit_create(api: &mut ApiServer, object: &mut Object) -> Result<(), Status> {
    let node = Pod::from_object(object).and_then(|p| p.spec.as_ref()?.node_name.clone());
    let labels = topology_labels(api, &node.unwrap_or_default());
    if !labels.is_empty()
        && let Some(pod) = Pod::from_object_mut(object)
    {
        pod.metadata.labels.get_or_insert_default().extend(labels);
    }
    Ok(())
}

/// Gives a binding the labels of its node, with which the pod gets them; nothing to one that does not say that it is to a
/// node.
pub(in crate::apiserver) fn admit_binding(api: &ApiServer, binding: &mut Binding) {
    if binding.says_node {
        binding.labels.extend(topology_labels(api, &binding.node));
    }
}

/// The labels that a pod gets from a node, in place of its own of the same names; a node that does not exist gives none.
fn topology_labels(api: &ApiServer, node: &str) -> BTreeMap<String, String> {
    let at = ObjectRef { kind: Kind::NODE, key: Key::new("", node) };
    let node = api.etcd.get(&at).and_then(|r| Node::from_object(&r.object));
    let labels = node.iter().flat_map(|n| n.metadata.labels.iter().flatten());
    labels.filter(|(key, _)| LABELS.contains(&key.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect()
}
