//! `VolumeZone`: a volume in a zone can be used only there.

use crate::api::MetaExt;
use crate::scheduler::framework::{Handle, NodeInfo, PodInfo, Status};

/// The plugin's name.
pub const NAME: &str = "VolumeZone";

const KEYS: [(&str, &str); 4] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("topology.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("topology.kubernetes.io/region", "topology.kubernetes.io/region"),
];

/// For each topology label of the pod's volumes: its key, its newer key, and the allowed values.
#[derive(Clone, Debug)]
pub struct State(Vec<(&'static str, &'static str, Vec<String>)>);

/// Collects the zones of the volumes to which the pod's claims are bound; `None` if they have no zone.
pub fn pre_filter(h: &Handle<'_>, pod: &PodInfo) -> Option<State> {
    let mut zones = Vec::new();
    for (name, _) in pod.claims() {
        let volume = h
            .volumes
            .claim(pod.namespace(), &name)
            .and_then(|c| c.spec.as_ref()?.volume_name.clone())
            .filter(|v| !v.is_empty())
            .and_then(|v| h.volumes.volume(&v));
        let Some(volume) = volume else { continue };
        for (key, modern) in KEYS {
            if let Some(value) = volume.metadata.label(key) {
                zones.push((key, modern, value.split("__").map(|v| v.trim().to_owned()).collect()));
            }
        }
    }
    (!zones.is_empty()).then_some(State(zones))
}

/// Refuses nodes in other zones. Nodes without any topology label are accepted.
pub fn filter(state: &State, node: &NodeInfo) -> Status {
    let labels = node.labels();
    if !KEYS.iter().any(|(key, _)| labels.contains_key(*key)) {
        return Status::SUCCESS;
    }
    let fits = |(key, modern, values): &(&str, &str, Vec<String>)| {
        labels.get(*key).or_else(|| labels.get(*modern)).is_some_and(|v| values.contains(v))
    };
    if state.0.iter().all(fits) {
        return Status::SUCCESS;
    }
    Status::unresolvable("node(s) had no available volume zone")
}
