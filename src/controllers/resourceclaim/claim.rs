//! For whom a claim is still reserved, and what becomes of it when that is nobody (`syncClaim`).

use std::rc::Rc;

use super::{Cx, is_done};
use crate::api::resource_claim::{is_allocated, reserved_for};
use crate::api::types::resource::{FINALIZER, ResourceClaimConsumerReference};
use crate::api::types::{Pod, ResourceClaim};
use crate::api::{ApiKind, Key, MetaExt, ObjectRef};
use crate::apimachinery::DeleteOptions;
use crate::client::{Error, Result, Why};

pub(super) async fn sync(cx: &Cx, key: &Key) -> Result {
    let Some(claim) = cx.lister::<ResourceClaim>().get(key).cloned() else { return Ok(()) };
    let mut valid = Vec::new();
    for consumer in reserved_for(&claim) {
        if still_uses(cx, key, consumer).await? {
            valid.push(consumer.clone());
        }
    }
    let nobody = valid.is_empty();
    if valid.len() < reserved_for(&claim).len() {
        let claim = release(cx, claim.clone(), valid).await?;
        if claim.metadata.has_finalizer(FINALIZER) && !is_allocated(&claim) {
            remove_finalizer(cx, claim).await?;
        }
    } else if claim.metadata.has_finalizer(FINALIZER) && claim.metadata.is_deleting() && nobody {
        let mut claim = claim.clone();
        if is_allocated(&claim) {
            claim = deallocate(cx, claim).await?;
        }
        remove_finalizer(cx, claim).await?;
    }
    if nobody {
        delete_of_done_pod(cx, key, &claim).await?;
    }
    Ok(())
}

/// Whether a consumer exists and may still use the claim. A pod that is not in the cache may be too new for it, so the API server
/// is asked before anything is taken away from it.
async fn still_uses(cx: &Cx, claim: &Key, consumer: &ResourceClaimConsumerReference) -> Result<bool> {
    let group = consumer.api_group.as_deref().unwrap_or_default();
    if !group.is_empty() || consumer.resource != "pods" {
        let (resource, name, uid) = (&consumer.resource, &consumer.name, &consumer.uid);
        let entry = format!("{{{group} {resource} {name} {uid}}}");
        return Err(Error::Other(format!("unsupported ReservedFor entry: {entry}")));
    }
    let at = Key::new(&claim.namespace, &consumer.name);
    if let Some(pod) = cx.lister::<Pod>().get(&at) {
        return Ok(pod.metadata.uid() == consumer.uid && !is_done(pod));
    }
    match cx.get::<Pod>(at).await {
        Ok(pod) => Ok(pod.metadata.uid() == consumer.uid),
        Err(e) if e.is_not_found() => Ok(false),
        Err(e) => Err(e.into()),
    }
}

/// Takes the reservations of consumers that are gone away from a claim, and with the last one its devices, so that the next
/// consumer may run on any node.
async fn release(
    cx: &Cx,
    claim: Rc<ResourceClaim>,
    valid: Vec<ResourceClaimConsumerReference>,
) -> Result<Rc<ResourceClaim>> {
    let gone = reserved_for(&claim).len() - valid.len();
    let why = Why::new("resourceclaim.release")
        .read("claim", ObjectRef::of(&*claim), "status.reservedFor", claim.metadata.name())
        .with("gone", gone)
        .with("left", valid.len());
    let mut to = claim;
    let deallocates = valid.is_empty() && to.metadata.has_finalizer(FINALIZER);
    let status = Rc::make_mut(&mut to).status.get_or_insert_default();
    if deallocates {
        status.allocation = None;
    }
    status.reserved_for = Some(valid).filter(|valid| !valid.is_empty());
    Ok(cx.update_status(to).because(why).await?)
}

/// Takes the devices away from a claim that is being deleted and that nobody uses.
async fn deallocate(cx: &Cx, claim: Rc<ResourceClaim>) -> Result<Rc<ResourceClaim>> {
    let why = Why::new("resourceclaim.deallocate").read(
        "claim",
        ObjectRef::of(&*claim),
        "metadata.deletionTimestamp",
        claim.metadata.name(),
    );
    let mut to = claim;
    if let Some(status) = &mut Rc::make_mut(&mut to).status {
        status.allocation = None;
    }
    Ok(cx.update_status(to).because(why).await?)
}

/// A claim without devices needs no protection.
async fn remove_finalizer(cx: &Cx, claim: Rc<ResourceClaim>) -> Result {
    let why = Why::new("resourceclaim.remove_finalizer").read(
        "claim",
        ObjectRef::of(&*claim),
        "metadata.finalizers",
        claim.metadata.name(),
    );
    let mut to = claim;
    let finalizers = &mut Rc::make_mut(&mut to).metadata.finalizers;
    finalizers.iter_mut().for_each(|all| all.retain(|f| f != FINALIZER));
    cx.update(to).because(why).await?;
    Ok(())
}

/// Deletes a claim that was made for a pod which will not run any more. If the pod is gone, the garbage collector does.
async fn delete_of_done_pod(cx: &Cx, key: &Key, claim: &ResourceClaim) -> Result {
    let owner = claim.metadata.controller().filter(|o| o.api_version == "v1" && o.kind == "Pod");
    let Some(owner) = owner else { return Ok(()) };
    let at = Key::new(&key.namespace, &owner.name);
    let Some(pod) = cx.lister::<Pod>().get(&at) else { return Ok(()) };
    if pod.metadata.uid() == owner.uid && !is_done(pod) {
        return Ok(());
    }
    let why = Why::new("resourceclaim.delete").read(
        "pod",
        ObjectRef::of(&**pod),
        "status.phase",
        pod.metadata.name(),
    );
    match cx.delete(ResourceClaim::KIND, key.clone(), DeleteOptions::default()).because(why).await {
        Ok(_) => Ok(()),
        Err(e) => Err(Error::Other(format!("delete claim: {}", e.message))),
    }
}
