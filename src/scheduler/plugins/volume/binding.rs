//! `VolumeBinding`: a pod's claims must be usable on its node
//! (`pkg/scheduler/framework/plugins/volumebinding`).
//!
//! A claim whose class has `WaitForFirstConsumer` is bound only when a pod uses it: for each node the filter
//! finds an existing volume, or decides that one is to be provisioned there. The decision is a value,
//! [`PodVolumes`]; the [binding cycle](crate::scheduler::binding_cycle) carries it out.

use std::rc::Rc;

use super::capacity::{self, volume_limit};
use crate::api::node_selector::Terms;
use crate::api::order;
use crate::api::quantity::amount_of;
use crate::api::types::{
    CSIDriver, CSINode, CSIStorageCapacity, Node, PersistentVolume, PersistentVolumeClaim, StorageClass,
};
use crate::api::volume::{
    self, NO_PROVISIONER, SELECTED_NODE, Search, claim_class, claim_phase, find_matching, is_fully_bound,
    requested, volume_name,
};
use crate::api::{Kind, MetaExt};
use crate::scheduler::framework::{
    Actions, Asked, Change, Code, EventResource, Handle, Hint, NodeInfo, PodInfo, Reason, Registered, Status,
};

/// The plugin's name.
pub const NAME: &str = "VolumeBinding";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[
    Registered {
        resource: EventResource::Of(Kind::STORAGE_CLASS),
        actions: Actions::ADD.or(Actions::UPDATE),
        hint: Hint::Class(after_class),
    },
    Registered {
        resource: EventResource::Of(Kind::PERSISTENT_VOLUME_CLAIM),
        actions: Actions::ADD.or(Actions::UPDATE),
        hint: Hint::Claim(after_claim),
    },
    Registered {
        resource: EventResource::Of(Kind::PERSISTENT_VOLUME),
        actions: Actions::ADD.or(Actions::UPDATE),
        hint: Hint::Queue,
    },
    Registered {
        resource: EventResource::Of(Kind::NODE),
        actions: Actions::ADD.or(Actions::UPDATE_NODE_LABEL),
        hint: Hint::Queue,
    },
    Registered {
        resource: EventResource::Of(Kind::CSI_NODE),
        actions: Actions::ADD.or(Actions::UPDATE),
        hint: Hint::CsiNode(after_csi_node),
    },
    Registered {
        resource: EventResource::Of(Kind::CSI_DRIVER),
        actions: Actions::UPDATE,
        hint: Hint::CsiDriver(after_csi_driver),
    },
    Registered {
        resource: EventResource::Of(Kind::CSI_STORAGE_CAPACITY),
        actions: Actions::ADD.or(Actions::UPDATE),
        hint: Hint::Capacity(after_capacity),
    },
];

const NODE_CONFLICT: Reason = Reason::Borrowed("node(s) didn't match PersistentVolume's node affinity");
const BIND_CONFLICT: Reason = Reason::Borrowed("node(s) didn't find available persistent volumes to bind");
const NOT_ENOUGH_SPACE: Reason = Reason::Borrowed("node(s) did not have enough free storage");
const VOLUME_MISSING: Reason =
    Reason::Borrowed("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");

type Claim = Rc<PersistentVolumeClaim>;

/// The pod's claims by what they wait for.
#[derive(Clone, Debug, Default)]
pub struct State {
    bound: Vec<Claim>,
    /// The claims that wait for their first consumer, each with its class.
    delayed: Vec<(Claim, Rc<StorageClass>)>,
}

/// What has to be written to claims and volumes if the pod goes to a certain node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodVolumes {
    /// Existing volumes to bind, each with its claim.
    pub static_bindings: Vec<(Claim, Rc<PersistentVolume>)>,
    /// Claims for which a volume is to be provisioned on the node.
    pub dynamic_provisions: Vec<Claim>,
}

/// Checks that the pod's claims exist and can be used; `None` if the pod uses none.
///
/// # Errors
/// The refusal of every node, or a failure.
pub fn pre_filter(h: &Handle<'_>, pod: &PodInfo) -> Result<Option<State>, Status> {
    let mut claims = Vec::new();
    for (name, ephemeral) in pod.claims() {
        let claim = super::get_claim(h, pod, &name).map_err(|e| {
            let waiting = "waiting for ephemeral volume controller to create the persistentvolumeclaim";
            Status::unresolvable(if ephemeral { format!("{waiting} {name:?}") } else { e })
        })?;
        if claim_phase(&claim) == "Lost" {
            return Err(Status::unresolvable(format!(
                "persistentvolumeclaim {name:?} bound to non-existent persistentvolume {:?}",
                volume_name(&claim)
            )));
        }
        if claim.metadata.is_deleting() {
            return Err(Status::unresolvable(format!("persistentvolumeclaim {name:?} is being deleted")));
        }
        let own = claim.metadata.controller().is_some_and(|o| Some(&o.uid) == pod.pod.metadata.uid.as_ref());
        if ephemeral && !own {
            return Err(Status::unresolvable(format!(
                "PVC {}/{name} was not created for pod {} (pod is not owner)",
                pod.namespace(),
                pod.key
            )));
        }
        claims.push(claim);
    }
    if claims.is_empty() {
        return Ok(None);
    }
    let mut state = State::default();
    for claim in claims {
        if is_fully_bound(&claim) {
            state.bound.push(claim);
            continue;
        }
        match delayed_class(h, &claim)? {
            // The controller binds a claim that names its volume, whatever the claim's class says.
            Some(class) if volume_name(&claim).is_empty() => state.delayed.push((claim, class)),
            _ => return Err(Status::unresolvable("pod has unbound immediate PersistentVolumeClaims")),
        }
    }
    // The smallest claims first, so that a small claim does not take the only volume that is large enough
    // for another.
    order::sort_by_key(&mut state.delayed, |(claim, _)| requested(claim));
    Ok(Some(state))
}

/// The claim's class if that has `WaitForFirstConsumer`; `None` if not, or if the claim has no class.
fn delayed_class(h: &Handle<'_>, claim: &PersistentVolumeClaim) -> Result<Option<Rc<StorageClass>>, Status> {
    let name = claim_class(claim);
    if name.is_empty() {
        return Ok(None);
    }
    let Some(class) = h.volumes.class(name) else { return Ok(None) };
    let waits = volume::waits_for_consumer(&class).map_err(Status::error)?;
    Ok(waits.then_some(class))
}

/// Refuses nodes on which the claims cannot be used.
pub fn filter(h: &Handle<'_>, state: &State, node: &NodeInfo) -> Status {
    match find_pod_volumes(h, state, node) {
        Ok(_) => Status::SUCCESS,
        Err(reasons) => Status { code: Code::UnschedulableAndUnresolvable, reasons },
    }
}

/// What has to be written to claims and volumes if the pod goes to this node (`FindPodVolumes`).
///
/// # Errors
/// Why the claims cannot be used on the node.
pub fn find_pod_volumes(h: &Handle<'_>, state: &State, info: &NodeInfo) -> Result<PodVolumes, Vec<Reason>> {
    let Some(node) = info.node() else { return Err(vec![BIND_CONFLICT]) };
    let mut reasons = Vec::new();
    let bound: Vec<_> = state.bound.iter().map(|c| h.volumes.volume(volume_name(c))).collect();
    if bound.iter().flatten().any(|v| !reachable(v, node)) {
        reasons.push(NODE_CONFLICT);
    }
    let mut volumes = PodVolumes::default();
    let (mut bindable, mut enough_space) = (true, true);
    for (claim, class) in &state.delayed {
        let here = match claim.metadata.annotation(SELECTED_NODE) {
            Some(selected) if selected != &**info.name() => None,
            Some(_) => Some(None),
            None => Some(find_matching_volume(h, claim, node, &volumes.static_bindings)),
        };
        match here {
            Some(Some(volume)) => volumes.static_bindings.push((claim.clone(), volume)),
            Some(None) if provisionable(class, node) => {
                enough_space &= capacity::is_enough(h, claim, class, node);
                volumes.dynamic_provisions.push(claim.clone());
            }
            _ => bindable = false,
        }
    }
    if !bindable {
        reasons.push(BIND_CONFLICT);
    }
    if !enough_space {
        reasons.push(NOT_ENOUGH_SPACE);
    }
    if bound.iter().any(Option::is_none) {
        reasons.push(VOLUME_MISSING);
    }
    if reasons.is_empty() { Ok(volumes) } else { Err(reasons) }
}

/// Whether a volume can be used on a node (`CheckNodeAffinity`).
pub fn reachable(volume: &PersistentVolume, node: &Node) -> bool {
    let affinity = volume.spec.as_ref().and_then(|s| s.node_affinity.as_ref());
    affinity.and_then(|a| a.required.as_ref()).is_none_or(|r| Terms::parse(r).matches(node))
}

/// Whether the class can provision a volume on the node (`allowedTopologies`).
fn provisionable(class: &StorageClass, node: &Node) -> bool {
    if class.provisioner.is_empty() || class.provisioner == NO_PROVISIONER {
        return false;
    }
    let terms = class.allowed_topologies.as_deref().unwrap_or_default();
    let labels = node.metadata.labels_or_empty();
    terms.is_empty()
        || terms.iter().any(|t| {
            let requirements = t.match_label_expressions.as_deref().unwrap_or_default();
            !requirements.is_empty()
                && requirements.iter().all(|r| labels.get(&r.key).is_some_and(|v| r.values.contains(v)))
        })
}

/// The volume reserved for the claim, or else the smallest free one that satisfies the claim on this node.
fn find_matching_volume(
    h: &Handle<'_>,
    claim: &PersistentVolumeClaim,
    node: &Node,
    taken: &[(Claim, Rc<PersistentVolume>)],
) -> Option<Rc<PersistentVolume>> {
    let volumes = h.volumes.volumes_of_class(claim_class(claim));
    let free = volumes.iter().filter(|v| !taken.iter().any(|(_, t)| t.metadata.name == v.metadata.name));
    let here = |v: &PersistentVolume| reachable(v, node);
    find_matching(Search { claim, reachable: Some(&here), waits: true }, free).cloned()
}

fn after_class(_: Asked<'_>, class: Change<'_, StorageClass>) -> bool {
    let (Some(old), Some(new)) = (class.old, class.new) else { return true };
    old.allowed_topologies != new.allowed_topologies
}

/// The annotation of a CSINode with the in-tree plug-ins that a CSI driver does now on its node.
const MIGRATED_PLUGINS: &str = "storage.alpha.kubernetes.io/migrated-plugins";

/// Whether a CSINode is new, or other plug-ins are migrated (`isSchedulableAfterCSINodeChange`).
fn after_csi_node(_: Asked<'_>, node: Change<'_, CSINode>) -> bool {
    let (Some(old), Some(new)) = (node.old, node.new) else { return true };
    old.metadata.annotation(MIGRATED_PLUGINS) != new.metadata.annotation(MIGRATED_PLUGINS)
}

/// Whether the driver of an inline volume of the pod no longer says how much storage it has
/// (`isSchedulableAfterCSIDriverChange`).
fn after_csi_driver(asked: Asked<'_>, driver: Change<'_, CSIDriver>) -> bool {
    let (Some(old), Some(new)) = (driver.old, driver.new) else { return true };
    let counts = |d: &CSIDriver| d.spec.storage_capacity == Some(true);
    let volumes = asked.pod.pod.spec.as_ref().and_then(|s| s.volumes.as_deref()).unwrap_or_default();
    let uses = volumes.iter().any(|v| v.csi.as_ref().is_some_and(|c| c.driver == new.metadata.name()));
    uses && counts(old) && !counts(new)
}

/// Whether there is more storage than before (`isSchedulableAfterCSIStorageCapacityChange`).
fn after_capacity(_: Asked<'_>, capacity: Change<'_, CSIStorageCapacity>) -> bool {
    let (Some(old), Some(new)) = (capacity.old, capacity.new) else { return true };
    match (volume_limit(old), volume_limit(new)) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(old), Some(new)) => amount_of(Some(new)) > amount_of(Some(old)),
    }
}

pub(super) fn after_claim(asked: Asked<'_>, claim: Change<'_, PersistentVolumeClaim>) -> bool {
    let Some(new) = claim.new else { return true };
    new.metadata.namespace() == asked.pod.namespace()
        && asked.pod.claims().any(|(name, _)| name == new.metadata.name())
}
