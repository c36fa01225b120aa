//! `VolumeRestrictions`: disks that only one pod on a node may mount for writing, and `ReadWriteOncePod`
//! claims.

use std::collections::BTreeSet;

use crate::api::types::{PersistentVolumeClaim, Pod, Volume};
use crate::api::volume::is_restricted_disk;
use crate::api::{Key, Kind, MetaExt};
use crate::scheduler::framework::{
    Actions, Asked, Change, EventResource, Handle, Hint, NodeInfo, PodInfo, Registered, Status,
};

/// The plugin's name.
pub const NAME: &str = "VolumeRestrictions";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[
    Registered { resource: EventResource::Pod, actions: Actions::DELETE, hint: Hint::Pod(after_pod_deleted) },
    Registered { resource: EventResource::Of(Kind::NODE), actions: Actions::ADD, hint: Hint::Queue },
    Registered {
        resource: EventResource::Of(Kind::PERSISTENT_VOLUME_CLAIM),
        actions: Actions::ADD,
        hint: Hint::Claim(after_claim),
    },
];

/// What PreFilter computes.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The names of the pod's claims with the access mode `ReadWriteOncePod`.
    exclusive: BTreeSet<String>,
    /// How many of these claims pods on any node use (`conflictingPVCRefCount`).
    conflicts: i64,
    /// Whether the pod mounts disks that the plugin restricts.
    disks: bool,
}

/// Looks at the pod's volumes; `None` if the plugin restricts none of them.
///
/// # Errors
/// The refusal of every node, if a claim does not exist.
pub fn pre_filter(h: &Handle<'_>, pod: &PodInfo) -> Result<Option<State>, Status> {
    if !pod.has_volumes {
        return Ok(None);
    }
    let mut state = State::default();
    // A pod's own claims are left to `VolumeBinding`, which knows that they may not have been created yet.
    for (name, _) in pod.claims().filter(|(_, ephemeral)| !ephemeral) {
        let claim = super::get_claim(h, pod, &name).map_err(Status::unresolvable)?;
        let modes = claim.spec.as_ref().and_then(|s| s.access_modes.as_deref()).unwrap_or_default();
        if modes.iter().any(|m| m == "ReadWriteOncePod") {
            let key = Key::new(pod.namespace(), &name);
            let used = h.snapshot.nodes.iter().any(|node| node.claim_users(&key) > 0);
            state.conflicts += i64::from(state.exclusive.insert(name) && used);
        }
    }
    state.disks = volumes(pod).iter().any(is_restricted_disk);
    Ok((state.disks || state.conflicts > 0).then_some(state))
}

impl State {
    /// Adds (1) or removes (-1) another pod. As in Kubernetes, claims are compared by name alone, whatever the namespace
    /// of the pod.
    pub fn update_with_pod(&mut self, other: &PodInfo, delta: i64) {
        let claims = volumes(other).iter().filter_map(|v| v.persistent_volume_claim.as_ref());
        let shared = claims.filter(|c| self.exclusive.contains(&c.claim_name)).count();
        self.conflicts += delta * i64::try_from(shared).unwrap_or(0);
    }
}

fn volumes(pod: &PodInfo) -> &[Volume] {
    pod.pod.spec.as_ref().and_then(|s| s.volumes.as_deref()).unwrap_or_default()
}

/// Whether two pods on the same node may not mount these volumes at the same time.
fn conflict(a: &Volume, b: &Volume) -> bool {
    let both_read = |a: Option<bool>, b: Option<bool>| a == Some(true) && b == Some(true);
    if let (Some(a), Some(b)) = (&a.gce_persistent_disk, &b.gce_persistent_disk)
        && a.pd_name == b.pd_name
        && !both_read(a.read_only, b.read_only)
    {
        return true;
    }
    if let (Some(a), Some(b)) = (&a.aws_elastic_block_store, &b.aws_elastic_block_store)
        && a.volume_id == b.volume_id
    {
        return true;
    }
    if let (Some(a), Some(b)) = (&a.iscsi, &b.iscsi)
        && a.iqn == b.iqn
        && !both_read(a.read_only, b.read_only)
    {
        return true;
    }
    if let (Some(a), Some(b)) = (&a.rbd, &b.rbd)
        && a.monitors.iter().any(|m| b.monitors.contains(m))
        && a.pool == b.pool
        && a.image == b.image
        && !both_read(a.read_only, b.read_only)
    {
        return true;
    }
    false
}

/// Refuses nodes on which another pod uses the disk, and every node if a pod anywhere uses a `ReadWriteOncePod` claim of
/// the pod.
pub fn filter(state: &State, pod: &PodInfo, node: &NodeInfo) -> Status {
    if state.disks {
        let mine = || volumes(pod).iter().filter(|v| is_restricted_disk(v));
        let theirs = |p: &PodInfo| mine().any(|v| volumes(p).iter().any(|o| conflict(v, o)));
        if node.pods().filter(|p| p.has_volumes).any(|p| theirs(p)) {
            return Status::unschedulable("node(s) had no available disk");
        }
    }
    if state.conflicts > 0 {
        return Status::unschedulable(
            "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
        );
    }
    Status::SUCCESS
}

fn after_pod_deleted(asked: Asked<'_>, pod: Change<'_, Pod>) -> bool {
    let Some(gone) = pod.old else { return true };
    if gone.metadata.namespace() != asked.pod.namespace() {
        return false;
    }
    let theirs = gone.spec.as_ref().and_then(|s| s.volumes.as_deref()).unwrap_or_default();
    let claim = |v: &Volume| v.persistent_volume_claim.as_ref().map(|c| c.claim_name.clone());
    let shared = |a: &Volume, b: &Volume| conflict(a, b) || (claim(a).is_some() && claim(a) == claim(b));
    volumes(asked.pod).iter().any(|mine| theirs.iter().any(|other| shared(mine, other)))
}

fn after_claim(asked: Asked<'_>, claim: Change<'_, PersistentVolumeClaim>) -> bool {
    claim.new.is_some_and(|c| super::names_claim(asked.pod, c))
}
