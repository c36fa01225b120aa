//! `VolumeZone`: a volume in a zone can be used only there.

use crate::api::quote::go_quote;
use crate::api::types::{PersistentVolume, PersistentVolumeClaim, StorageClass};
use crate::api::volume::{volume_name, waits_for_consumer};
use crate::api::{Kind, MetaExt};
use crate::scheduler::framework::{
    Actions, Asked, Change, EventResource, Handle, Hint, NodeInfo, PodInfo, Registered, Status,
};

/// The plugin's name.
pub const NAME: &str = "VolumeZone";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[
    Registered {
        resource: EventResource::Of(Kind::STORAGE_CLASS),
        actions: Actions::ADD,
        hint: Hint::Class(after_class),
    },
    Registered {
        resource: EventResource::Of(Kind::NODE),
        actions: Actions::ADD.or(Actions::UPDATE_NODE_LABEL),
        hint: Hint::Queue,
    },
    Registered {
        resource: EventResource::Of(Kind::PERSISTENT_VOLUME_CLAIM),
        actions: Actions::ADD.or(Actions::UPDATE),
        hint: Hint::Claim(after_claim),
    },
    Registered {
        resource: EventResource::Of(Kind::PERSISTENT_VOLUME),
        actions: Actions::ADD.or(Actions::UPDATE),
        hint: Hint::Volume(after_volume),
    },
];

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
///
/// # Errors
/// The refusal of every node, as a claim is bound to a volume that does not exist.
pub fn pre_filter(h: &Handle<'_>, pod: &PodInfo) -> Result<Option<State>, Status> {
    let mut zones = Vec::new();
    for (name, _) in pod.claims() {
        let claim = h.volumes.claim(pod.namespace(), &name);
        let bound = claim.as_deref().map(volume_name).filter(|v| !v.is_empty());
        let Some(bound) = bound else { continue };
        let Some(volume) = h.volumes.volume(bound) else {
            let bound = go_quote(bound);
            return Err(Status::unresolvable(format!("persistentvolume {bound} not found")));
        };
        for (key, modern) in KEYS {
            if let Some(value) = volume.metadata.label(key) {
                zones.push((key, modern, value.split("__").map(|v| v.trim().to_owned()).collect()));
            }
        }
    }
    Ok((!zones.is_empty()).then_some(State(zones)))
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

fn after_class(_: Asked<'_>, class: Change<'_, StorageClass>) -> bool {
    // A mode that is not known is an error, and after an error the pod is tried.
    class.new.is_some_and(|c| waits_for_consumer(c).unwrap_or(true))
}

fn after_claim(asked: Asked<'_>, claim: Change<'_, PersistentVolumeClaim>) -> bool {
    claim.new.is_some_and(|c| super::names_claim(asked.pod, c))
}

fn after_volume(_: Asked<'_>, volume: Change<'_, PersistentVolume>) -> bool {
    let (Some(old), Some(new)) = (volume.old, volume.new) else { return true };
    KEYS.iter().any(|(key, _)| old.metadata.label(key) != new.metadata.label(key))
}
