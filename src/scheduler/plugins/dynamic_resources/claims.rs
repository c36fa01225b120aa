//! The claims of a pod (`k8s.io/dynamic-resource-allocation/resourceclaim`), and what stands in them.

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::quote::go_quote;
use crate::api::resource_claim::{Named, is_for_pod, name, pod_claims};
use crate::api::types::resource::{
    AllocatedDeviceStatus, AllocationResult, DeviceRequestAllocationResult, ResourceClaim,
};
use crate::api::types::{Pod, Time};
use crate::api::{MetaExt, Timestamp, later};
use crate::scheduler::framework::ClaimLister;

/// How long the conditions of devices may take that a pod waits for before it is bound, in seconds
/// (`DynamicResourcesBindingTimeoutDefault`).
const BINDING_TIMEOUT: i64 = 600;

/// The pod's claims, in its order (`foreachPodResourceClaim`). What a template makes no claim for is left out.
///
/// # Errors
/// Which of them cannot be used.
pub(super) fn of_pod(lister: &dyn ClaimLister, pod: &Pod) -> Result<Vec<Rc<ResourceClaim>>, String> {
    let mut claims = Vec::new();
    for entry in pod_claims(pod) {
        let named = name(pod, entry).map_err(|why| why.to_string())?;
        let Some(name) = named.name() else { continue };
        let namespace = pod.metadata.namespace();
        let claim = lister.resource_claim(namespace, name).ok_or_else(|| not_found(namespace, name))?;
        if claim.metadata.is_deleting() {
            return Err(format!("resourceclaim {} is being deleted", go_quote(claim.metadata.name())));
        }
        if matches!(named, Named::Made(_)) {
            is_for_pod(pod, &claim)?;
        }
        claims.push(claim);
    }
    Ok(claims)
}

/// The message about a claim that does not exist (`NotFoundError` of `pkg/scheduler/util/assumecache`).
pub(crate) fn not_found(namespace: &str, name: &str) -> String {
    format!("could not find ResourceClaim {}", go_quote(format!("{namespace}/{name}")))
}

/// What a claim has got.
pub fn allocation(claim: &ResourceClaim) -> Option<&AllocationResult> {
    claim.status.as_ref()?.allocation.as_ref()
}

fn devices(claim: &ResourceClaim) -> &[DeviceRequestAllocationResult] {
    let devices = allocation(claim).and_then(|a| a.devices.as_ref());
    devices.and_then(|d| d.results.as_deref()).unwrap_or_default()
}

fn conditions(device: &DeviceRequestAllocationResult) -> &[String] {
    device.binding_conditions.as_deref().unwrap_or_default()
}

/// Whether a pod has to wait for something that a driver says of a device of the claim (`hasBindingConditions`).
pub(crate) fn has_binding_conditions(claim: &ResourceClaim) -> bool {
    devices(claim).iter().any(|d| !conditions(d).is_empty())
}

/// What the drivers say of the devices of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BindingState {
    /// A pod can be bound that uses them.
    Ready,
    /// A condition is missing.
    Waits,
    /// It has been missing for too long.
    TimedOut,
    /// A driver says that a device cannot be used, and why.
    Failed(String),
}

/// When the conditions of a claim with devices since this moment have taken too long.
fn times_out(since: &Time) -> Timestamp {
    later(since.0, SignedDuration::from_secs(BINDING_TIMEOUT))
}

/// Whether a pod can be bound that uses a claim (`isClaimReadyForBinding`, `isClaimTimeout`).
pub(crate) fn binding_state(claim: &ResourceClaim, now: Timestamp) -> BindingState {
    let said = claim.status.as_ref().and_then(|s| s.devices.as_deref()).unwrap_or_default();
    let waits = || {
        let since = allocation(claim).and_then(|a| a.allocation_timestamp.as_ref());
        match since {
            Some(since) if now > times_out(since) => BindingState::TimedOut,
            _ => BindingState::Waits,
        }
    };
    for device in devices(claim).iter().filter(|d| !conditions(d).is_empty()) {
        let about = |s: &&AllocatedDeviceStatus| {
            s.device == device.device && s.driver == device.driver && s.pool == device.pool
        };
        let Some(status) = said.iter().find(about) else { return waits() };
        let of = |name: &String| {
            status.conditions.iter().flatten().find(|c| c.type_ == *name && c.status == "True")
        };
        if let Some(failed) = device.binding_failure_conditions.iter().flatten().find_map(of) {
            let (name, reason) = (claim.metadata.name(), &failed.reason);
            let message = go_quote(&failed.message);
            return BindingState::Failed(format!(
                "device binding failed: claim={name}, reason={reason}, message={message}"
            ));
        }
        if !conditions(device).iter().all(|name| of(name).is_some()) {
            return waits();
        }
    }
    BindingState::Ready
}
