//! Which ResourceClaims a pod uses, and whether it may (`k8s.io/dynamic-resource-allocation/resourceclaim`). The controller that
//! makes claims, the scheduler and the kubelet ask the same questions.

use super::MetaExt;
use super::quote::go_quote;
use super::types::resource::ResourceClaimConsumerReference;
use super::types::{Pod, PodResourceClaim, PodResourceClaimStatus, ResourceClaim};

/// Which claim a pod means by an entry of `spec.resourceClaims`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named<'p> {
    /// The claim with this name, which somebody has made.
    Claim(&'p str),
    /// The claim with this name, which was made for the pod from a template: whoever uses it asks [`is_for_pod`] first.
    Made(&'p str),
    /// The pod needs no claim after all.
    NotNeeded,
}

impl<'p> Named<'p> {
    /// The name of the claim, if there is one.
    pub fn name(self) -> Option<&'p str> {
        match self {
            Named::Claim(name) | Named::Made(name) => Some(name),
            Named::NotNeeded => None,
        }
    }
}

/// Why it is not known which claim is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// It is to be made from a template, and was not made yet (`ErrClaimNotFound`).
    NotCreated(String),
    /// The entry names neither a claim nor a template (`ErrAPIUnsupported`).
    Unsupported(String),
}

impl std::fmt::Display for NameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NameError::NotCreated(why) | NameError::Unsupported(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for NameError {}

/// The entries of `spec.resourceClaims` of a pod.
pub fn pod_claims(pod: &Pod) -> &[PodResourceClaim] {
    pod.spec.as_ref().and_then(|s| s.resource_claims.as_deref()).unwrap_or_default()
}

/// The claims that were made for a pod from templates, as its status has them.
pub fn made_claims(pod: &Pod) -> &[PodResourceClaimStatus] {
    pod.status.as_ref().and_then(|s| s.resource_claim_statuses.as_deref()).unwrap_or_default()
}

/// Which claim a pod means by an entry of its `spec.resourceClaims` (`Name`).
///
/// # Errors
/// The claim was not made yet, or the entry says nothing.
pub fn name<'p>(pod: &'p Pod, claim: &'p PodResourceClaim) -> Result<Named<'p>, NameError> {
    if let Some(name) = &claim.resource_claim_name {
        return Ok(Named::Claim(name));
    }
    let (namespace, of) = (pod.metadata.namespace(), pod.metadata.name());
    if claim.resource_claim_template_name.is_none() {
        let entry = go_quote(&claim.name);
        let why = format!(
            "pod \"{namespace}/{of}\", spec.resourceClaim {entry}: none of the supported fields are set"
        );
        return Err(NameError::Unsupported(why));
    }
    match made_claims(pod).iter().find(|s| s.name == claim.name) {
        Some(status) => Ok(status.resource_claim_name.as_deref().map_or(Named::NotNeeded, Named::Made)),
        None => {
            let why = format!("pod \"{namespace}/{of}\": ResourceClaim not created yet");
            Err(NameError::NotCreated(why))
        }
    }
}

/// Checks that a claim was made for a pod (`IsForPod`).
///
/// # Errors
/// It was not: the words for it.
pub fn is_for_pod(pod: &Pod, claim: &ResourceClaim) -> Result<(), String> {
    let (of, made) = (pod.metadata.key(), claim.metadata.key());
    if made.namespace != of.namespace {
        return Err(format!("ResourceClaim {made} is not in the same namespace as Pod {of}"));
    }
    let controlled = claim.metadata.controller().is_some_and(|owner| owner.uid == pod.metadata.uid());
    if controlled {
        Ok(())
    } else {
        Err(format!("ResourceClaim {made} was not created for Pod {of} (Pod is not owner)"))
    }
}

/// For whom a claim is reserved.
pub fn reserved_for(claim: &ResourceClaim) -> &[ResourceClaimConsumerReference] {
    claim.status.as_ref().and_then(|s| s.reserved_for.as_deref()).unwrap_or_default()
}

/// Whether a claim has devices.
pub fn is_allocated(claim: &ResourceClaim) -> bool {
    claim.status.as_ref().is_some_and(|s| s.allocation.is_some())
}

/// Whether a claim is reserved for a pod (`IsReservedForPod`).
pub fn is_reserved_for_pod(pod: &Pod, claim: &ResourceClaim) -> bool {
    reserved_for(claim).iter().any(|consumer| consumer.uid == pod.metadata.uid())
}

/// A pod as the consumer of a claim (`BindTo`).
pub fn consumer(pod: &Pod) -> ResourceClaimConsumerReference {
    ResourceClaimConsumerReference {
        api_group: None,
        resource: "pods".to_owned(),
        name: pod.metadata.name().to_owned(),
        uid: pod.metadata.uid().to_owned(),
    }
}
