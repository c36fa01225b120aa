//! The claims for devices of a binding cycle (`bindClaim` and `isPodReadyForBinding` of
//! `pkg/scheduler/framework/plugins/dynamicresources`).

use std::rc::Rc;

use super::{at, look_again};
use crate::api::types::resource::{
    AllocationResult, FINALIZER, ResourceClaim, ResourceClaimConsumerReference,
};
use crate::api::types::{Pod, Time};
use crate::api::{Key, Kind, MetaExt, ObjectRef, seconds};
use crate::apimachinery::Status;
use crate::client::{DEFAULT_RETRY, Error, Handler, Result, Why, retry_on_conflict};
use crate::scheduler::plugins::dynamic_resources::{self, BindingState, allocation, binding_state};
use crate::scheduler::state::{Cx, State, Task, Waiting, version};

/// An informer delivered a change of a claim for devices: an older version that was assumed is dropped, and waiting pods are
/// polled.
pub(in crate::scheduler) fn resource_claim_changed(
    cx: &mut Handler<'_, State, Task>,
    key: &Key,
    new: Option<&Rc<ResourceClaim>>,
) {
    let newer = |assumed: &Rc<ResourceClaim>| new.is_some_and(|new| version(assumed) > version(new));
    if !cx.state.assumed.resource_claims.get(key).is_some_and(newer) {
        cx.state.assumed.resource_claims.remove(key);
    }
    look_again(cx);
}

/// Writes to a claim what it gets, and that it is reserved for the pod (`bindClaim`).
pub(super) async fn bind_claim(
    cx: &Cx,
    pod: &Rc<Pod>,
    claim: &Rc<ResourceClaim>,
    new: Option<&AllocationResult>,
) -> Result<Rc<ResourceClaim>> {
    let key = claim.metadata.key();
    let meanwhile = |what: &str| Err(Error::Other(format!("claim {key} got {what} in the meantime")));
    let why = |rule: &'static str| {
        Why::new(rule)
            .read("claim", at(Kind::RESOURCE_CLAIM, key.clone()), "status.allocation", &key.name)
            .with("pod", pod.metadata.name())
    };
    let told = |what: &str, e: Status| {
        let message = format!("{what} claim {key}: {}", e.message);
        Error::Api(Box::new(Status { message, ..e }))
    };
    retry_on_conflict(cx, claim, DEFAULT_RETRY, async |mut claim: Rc<ResourceClaim>| {
        if claim.metadata.is_deleting() {
            return meanwhile("deleted");
        }
        match (new, allocation(&claim)) {
            (Some(_), Some(_)) => return meanwhile("allocated elsewhere"),
            (None, None) => return meanwhile("deallocated elsewhere"),
            _ => {}
        }
        if new.is_some() && !claim.metadata.has_finalizer(FINALIZER) {
            let finalizers = &mut Rc::make_mut(&mut claim).metadata.finalizers;
            finalizers.get_or_insert_default().push(FINALIZER.to_owned());
            let update = cx.update(claim).because(why("binding_cycle.protect_claim"));
            claim = update.await.map_err(|e| told("add finalizer to", e))?;
        }
        let status = Rc::make_mut(&mut claim).status.get_or_insert_default();
        if let Some(new) = new {
            status.allocation = Some(new.clone());
        }
        if let Some(allocation) = &mut status.allocation {
            allocation.allocation_timestamp.get_or_insert_with(|| Time(seconds(cx.now())));
        }
        status.reserved_for.get_or_insert_default().push(ResourceClaimConsumerReference {
            api_group: None,
            name: pod.metadata.name().to_owned(),
            resource: "pods".to_owned(),
            uid: pod.metadata.uid().to_owned(),
        });
        let (rule, what) = match new {
            Some(_) => ("binding_cycle.allocate", "add allocation and reservation to"),
            None => ("binding_cycle.reserve", "add reservation to"),
        };
        cx.update_status(claim).because(why(rule)).await.map_err(|e| told(what, e))
    })
    .await
}

/// Takes the devices of a claim that nobody uses, because they keep the pod from its nodes (`PostFilter`).
///
/// # Errors
/// The refusal.
pub(in crate::scheduler) async fn deallocate(
    cx: &Cx,
    pod: &Rc<Pod>,
    mut claim: Rc<ResourceClaim>,
) -> std::result::Result<(), Status> {
    let why = Why::new("schedule_one.deallocate")
        .read("claim", ObjectRef::of(&*claim), "status.allocation", claim.metadata.name())
        .with("pod", pod.metadata.name());
    let status = Rc::make_mut(&mut claim).status.get_or_insert_default();
    (status.allocation, status.devices, status.reserved_for) = (None, None, None);
    cx.update_status(claim).because(why).await.map(|_| ())
}

/// Whether the drivers say of all devices that the pod can be bound (`isPodReadyForBinding`).
///
/// # Errors
/// Why it cannot be bound.
pub(super) fn check_devices(cx: &Cx, w: &Waiting) -> std::result::Result<bool, String> {
    let claims = cx.lister::<ResourceClaim>();
    for claim in &w.reserved {
        let key = claim.metadata.key();
        let Some(claim) = cx.state(|s| s.assumed.resource_claim(&key, claims.get(&key))) else {
            return Err(dynamic_resources::not_found(&key.namespace, &key.name));
        };
        match binding_state(&claim, cx.now()) {
            BindingState::Ready => {}
            BindingState::Waits => return Ok(false),
            BindingState::TimedOut => return Err(format!("device binding timeout: claim={}", key.name)),
            BindingState::Failed(why) => return Err(why),
        }
    }
    Ok(true)
}
