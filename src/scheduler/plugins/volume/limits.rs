//! `NodeVolumeLimits`: a node takes only as many volumes of a CSI driver as its CSINode says
//! (`pkg/scheduler/framework/plugins/nodevolumelimits/csi.go`).

use std::collections::BTreeMap;

use crate::api::types::{CSINode, PersistentVolume, Pod};
use crate::api::volume::{claim_class, volume_name};
use crate::api::{Kind, MetaExt, csi};
use crate::scheduler::framework::{
    Actions, Asked, Change, EventResource, Handle, Hint, NodeInfo, PodInfo, Registered, Status, frees_node,
};

/// The plugin's name.
pub const NAME: &str = "NodeVolumeLimits";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[
    Registered {
        resource: EventResource::Of(Kind::CSI_NODE),
        actions: Actions::ADD.or(Actions::UPDATE),
        hint: Hint::CsiNode(after_csi_node),
    },
    Registered { resource: EventResource::Pod, actions: Actions::DELETE, hint: Hint::Pod(after_pod) },
    Registered {
        resource: EventResource::Of(Kind::PERSISTENT_VOLUME_CLAIM),
        actions: Actions::ADD,
        hint: Hint::Claim(super::binding::after_claim),
    },
    Registered {
        resource: EventResource::Of(Kind::VOLUME_ATTACHMENT),
        actions: Actions::DELETE,
        hint: Hint::Any(uses_claim),
    },
];

/// Whether a pod that was deleted used volumes on a node (`isSchedulableAfterPodDeleted`).
fn after_pod(_: Asked<'_>, change: Change<'_, Pod>) -> bool {
    let volumes = change.old.filter(|p| frees_node(p)).and_then(|p| p.spec.as_ref()?.volumes.as_deref());
    volumes.unwrap_or_default().iter().any(|v| v.persistent_volume_claim.is_some() || v.ephemeral.is_some())
}

/// Whether a node is new, or takes more volumes of a driver than before (`isSchedulableAfterCSINodeUpdated`).
fn after_csi_node(_: Asked<'_>, node: Change<'_, CSINode>) -> bool {
    let (Some(old), Some(new)) = (node.old, node.new) else { return true };
    let limit = |of: &CSINode, driver: &str| {
        let found = of.spec.drivers.iter().find(|d| d.name == driver);
        found.and_then(|d| d.allocatable.as_ref()?.count).unwrap_or(0)
    };
    new.spec.drivers.iter().any(|d| limit(new, &d.name) > limit(old, &d.name))
}

/// Whether the pod uses a claim: a volume that was detached may have been in its way
/// (`isSchedulableAfterVolumeAttachmentDeleted`).
fn uses_claim(asked: Asked<'_>) -> bool {
    let volumes = asked.pod.pod.spec.as_ref().and_then(|s| s.volumes.as_deref());
    volumes.unwrap_or_default().iter().any(|v| v.persistent_volume_claim.is_some())
}

/// CSI volumes by unique name, each with its driver.
type Volumes = BTreeMap<String, String>;

/// Refuses nodes that would have more volumes of a driver than they can take.
pub fn filter(h: &Handle<'_>, pod: &PodInfo, node: &NodeInfo) -> Status {
    let Some(csi_node) = h.volumes.csi_node(node.name()) else { return Status::SUCCESS };
    let limits: BTreeMap<&str, i32> = csi_node
        .spec
        .drivers
        .iter()
        .filter_map(|d| Some((d.name.as_str(), d.allocatable.as_ref()?.count?)))
        .collect();
    if limits.is_empty() {
        return Status::SUCCESS;
    }
    let mut new = Volumes::new();
    add_volumes(h, pod, &mut new);
    if new.is_empty() {
        return Status::SUCCESS;
    }
    let mut attached = Volumes::new();
    node.pods().filter(|p| p.has_volumes).for_each(|p| add_volumes(h, p, &mut attached));
    // A volume that several pods of the node use counts once. One that is only still attached counts twice, for its
    // VolumeAttachment and for the new pod.
    new.retain(|name, _| !attached.contains_key(name));
    for attachment in h.volumes.attachments_on(node.name()) {
        let name = attachment.spec.source.persistent_volume_name.as_deref().unwrap_or_default();
        attached.extend(h.volumes.volume(name).and_then(|v| named(&v)));
    }
    let count = |volumes: &Volumes, driver: &str| {
        i32::try_from(volumes.values().filter(|d| *d == driver).count()).unwrap_or(i32::MAX)
    };
    let exceeded = limits.iter().any(|(driver, limit)| {
        let added = count(&new, driver);
        added > 0 && count(&attached, driver).saturating_add(added) > *limit
    });
    if exceeded { Status::unschedulable("node(s) exceed max volume count") } else { Status::SUCCESS }
}

fn named(volume: &PersistentVolume) -> Option<(String, String)> {
    let (driver, handle) = csi::source(volume)?;
    Some((csi::unique_name(driver, handle), driver.to_owned()))
}

/// Adds the CSI volumes of a pod (`filterAttachableVolumes`). A claim without a volume counts for the driver that its class
/// names, under the claim's own name.
fn add_volumes(h: &Handle<'_>, pod: &PodInfo, out: &mut Volumes) {
    for (name, _) in pod.claims() {
        let Some(claim) = h.volumes.claim(pod.namespace(), &name) else { continue };
        let bound = h.volumes.volume(volume_name(&claim)).filter(|_| !volume_name(&claim).is_empty());
        match bound {
            Some(volume) => out.extend(named(&volume)),
            None => {
                let Some(class) = h.volumes.class(claim_class(&claim)) else { continue };
                let key = format!("{}-{}/{name}", class.metadata.name(), pod.namespace());
                out.insert(key, class.provisioner.clone());
            }
        }
    }
}
