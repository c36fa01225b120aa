//! Which events help a pod that the plugin refused.

use super::claims::{allocation, of_pod};
use crate::api::types::Pod;
use crate::api::types::resource::ResourceClaim;
use crate::scheduler::framework::{Asked, Change};

/// Whether a claim of the pod has changed, or another one has given its devices back (`isSchedulableAfterClaimChange`).
pub(super) fn after_claim(asked: Asked<'_>, claim: Change<'_, ResourceClaim>) -> bool {
    let Some(new) = claim.new else { return true };
    let Ok(claims) = of_pod(asked.claims, &asked.pod.pod) else { return false };
    if claim.old.is_some_and(|old| allocation(old).is_some()) && allocation(new).is_none() {
        return true;
    }
    let uses = claims.iter().any(|c| c.metadata.uid == new.metadata.uid);
    uses && claim.old.is_none_or(|old| old.status != new.status)
}

/// Whether all claims of the pod have been created (`isSchedulableAfterPodChange`).
pub(super) fn after_pod(asked: Asked<'_>, pod: Change<'_, Pod>) -> bool {
    let Some(new) = pod.new else { return true };
    new.metadata.uid == asked.pod.pod.metadata.uid && of_pod(asked.claims, new).is_ok()
}
