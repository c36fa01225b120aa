//! The plugins about volumes: `VolumeRestrictions`, `NodeVolumeLimits`, `VolumeBinding`, `VolumeZone`.

pub mod binding;
pub mod capacity;
pub mod limits;
pub mod restrictions;
pub mod zone;

use std::rc::Rc;

use crate::api::MetaExt;
use crate::api::types::PersistentVolumeClaim;
use crate::scheduler::framework::{Handle, PodInfo};

/// The message about a claim that does not exist.
fn not_found(name: &str) -> String {
    format!("persistentvolumeclaim \"{name}\" not found")
}

fn get_claim(h: &Handle<'_>, pod: &PodInfo, name: &str) -> Result<Rc<PersistentVolumeClaim>, String> {
    h.volumes.claim(pod.namespace(), name).ok_or_else(|| not_found(name))
}

/// Whether one of the pod's volumes names the claim. The claims of ephemeral volumes are not named.
fn names_claim(pod: &PodInfo, claim: &PersistentVolumeClaim) -> bool {
    claim.metadata.namespace() == pod.namespace()
        && pod.claims().any(|(name, ephemeral)| !ephemeral && name == claim.metadata.name())
}
