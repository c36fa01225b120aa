//! The plugins about volumes: `VolumeRestrictions`, `VolumeBinding`, `VolumeZone`.

pub mod binding;
pub mod restrictions;
pub mod zone;

use std::rc::Rc;

use crate::api::Key;
use crate::api::types::PersistentVolumeClaim;
use crate::api::volume::claim_of;
use crate::scheduler::framework::{Handle, PodInfo};

/// The names of the claims that a pod uses, in the order of its volumes; `true` if the volume is an
/// ephemeral one.
pub fn claims_of(pod: &PodInfo) -> impl Iterator<Item = (String, bool)> {
    let volumes =
        if pod.has_volumes { pod.pod.spec.as_ref().and_then(|s| s.volumes.as_deref()) } else { None };
    volumes.unwrap_or_default().iter().filter_map(|v| claim_of(&pod.pod, v))
}

/// The keys of the claims that a pod uses.
pub fn claim_keys(pod: &PodInfo) -> Vec<Key> {
    let key =
        |(name, _): (String, bool)| Key { namespace: pod.key.namespace.clone(), name: name.as_str().into() };
    claims_of(pod).map(key).collect()
}

/// The message about a claim that does not exist.
fn not_found(name: &str) -> String {
    format!("persistentvolumeclaim \"{name}\" not found")
}

fn get_claim(h: &Handle<'_>, pod: &PodInfo, name: &str) -> Result<Rc<PersistentVolumeClaim>, String> {
    h.volumes.claim(pod.namespace(), name).ok_or_else(|| not_found(name))
}
