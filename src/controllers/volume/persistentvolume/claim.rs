//! Binding a claim to a volume, and keeping it bound (`syncClaim`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::phase::update_phase;
use super::{Claim, Cx, Volume, bond, migration, provision};
use crate::api::quantity::{Amount, amount_of};
use crate::api::quote::go_quote;
use crate::api::types::{PersistentVolume, PersistentVolumeClaim, Quantity, StorageClass};
use crate::api::volume::{
    self as storage, BIND_COMPLETED, BOUND_BY_CONTROLLER, PRE_RESIZE_CAPACITY, SELECTED_NODE, Search,
    access_modes_as_string, claim_class, claim_phase, claim_ref, find_matching, is_bound_to, volume_name,
};
use crate::api::{Key, MetaExt, ObjectRef};
use crate::client::{Error, Result, Why};

/// `status.capacity` of a claim.
type Capacity = Option<BTreeMap<String, Quantity>>;

/// Syncs a claim.
pub(super) async fn sync(cx: &Cx, claim: Claim) -> Result {
    let claim = migration::update_claim(cx, claim).await?;
    if claim.metadata.annotation(BIND_COMPLETED).is_none() {
        sync_unbound(cx, claim).await
    } else {
        sync_bound(cx, claim).await
    }
}

/// Syncs a claim that was never bound (`syncUnboundClaim`).
async fn sync_unbound(cx: &Cx, claim: Claim) -> Result {
    if !volume_name(&claim).is_empty() {
        return sync_named(cx, claim).await;
    }
    let class = cx.lister::<StorageClass>().get(&Key::new("", claim_class(&claim))).cloned();
    let waits = match &class {
        Some(class) => storage::waits_for_consumer(class).map_err(Error::Other)?,
        None => false,
    };
    if let Some(volume) = find_by_claim(cx, &claim, waits) {
        return bind(cx, volume, claim).await;
    }
    if !storage::claim_has_class(&claim)
        && let Some(class) = default_class(cx)
    {
        let mut to = claim.clone();
        Rc::make_mut(&mut to).spec.get_or_insert_default().storage_class_name = Some(class.clone());
        let why = Why::new("sync_unbound_claim.default_class").with("class", class);
        cx.update(to).because(why).await?;
        return Ok(());
    }
    if waits && claim.metadata.annotation(SELECTED_NODE).is_none() {
        say_it_waits(cx, &claim);
    } else if !claim_class(&claim).is_empty() {
        return provision::provision_claim(cx, claim, class).await;
    } else {
        let message = "no persistent volumes available for this claim and no storage class is set";
        cx.event(&*claim, "Normal", "FailedBinding", message);
    }
    update_status(cx, claim, "Pending", None).await.map(|_| ())
}

/// The volume for a claim (`findByClaim`). Volumes with the same access modes are one group. Only groups with all modes of
/// the claim are searched, also for a volume that is reserved for it, and those with fewer modes first, so that the claim
/// takes no more modes than it needs.
fn find_by_claim(cx: &Cx, claim: &PersistentVolumeClaim, waits: bool) -> Option<Volume> {
    let mut groups: BTreeMap<(usize, String), Vec<Volume>> = BTreeMap::new();
    for volume in cx.lister::<PersistentVolume>().list(None).filter(|v| storage::access_modes_fit(claim, v)) {
        let modes = access_modes_as_string(volume.spec.as_ref().and_then(|s| s.access_modes.as_ref()));
        groups.entry((modes.split(',').count(), modes)).or_default().push(volume.clone());
    }
    let search = Search { claim, reachable: None, waits };
    groups.values().find_map(|group| find_matching(search, group)).cloned()
}

/// Syncs a claim that names the volume it wants.
async fn sync_named(cx: &Cx, claim: Claim) -> Result {
    let name = volume_name(&claim).to_owned();
    let Some(volume) = cx.lister::<PersistentVolume>().get(&Key::new("", &name)).cloned() else {
        return update_status(cx, claim, "Pending", None).await.map(|_| ());
    };
    if claim_ref(&volume).is_none() {
        let Err(why) = check_volume_satisfies(&claim, &volume) else {
            return bind(cx, volume, claim).await;
        };
        let message = format!("Cannot bind to requested volume {name:?}: {why}");
        cx.event(&*claim, "Warning", "VolumeMismatch", message);
        return update_status(cx, claim, "Pending", None).await.map(|_| ());
    }
    if is_bound_to(&volume, &claim) {
        return bind(cx, volume, claim).await;
    }
    if claim.metadata.annotation(BOUND_BY_CONTROLLER).is_none() {
        let message = format!("volume {name:?} already bound to a different claim.");
        cx.event(&*claim, "Warning", "FailedBinding", message);
        return update_status(cx, claim, "Pending", None).await.map(|_| ());
    }
    // The claim's annotation `bind-completed` was removed.
    let other = claim_ref(&volume)
        .map(|r| {
            format!("{}/{}", r.namespace.clone().unwrap_or_default(), r.name.clone().unwrap_or_default())
        })
        .unwrap_or_default();
    let message = format!("volume {name:?} already bound to a different claim.");
    cx.event(&*claim, "Warning", "FailedBinding", message);
    Err(Error::Other(format!(
        "invalid binding of claim {:?} to volume {name:?}: volume already claimed by {other:?}",
        claim.metadata.key().to_string()
    )))
}

/// Checks that a volume fits a claim (`checkVolumeSatisfyClaim`). The error is the reason in the event.
fn check_volume_satisfies(
    claim: &PersistentVolumeClaim,
    volume: &PersistentVolume,
) -> std::result::Result<(), String> {
    if volume.metadata.is_deleting() {
        return Err(format!("the volume is marked for deletion {}", go_quote(volume.metadata.name())));
    }
    does_satisfy(claim, volume).map_err(str::to_owned)
}

fn does_satisfy(
    claim: &PersistentVolumeClaim,
    volume: &PersistentVolume,
) -> std::result::Result<(), &'static str> {
    if storage::capacity(volume) < storage::requested(claim) {
        return Err("requested PV is too small");
    }
    if storage::volume_class(volume) != claim_class(claim) {
        return Err("storageClassName does not match");
    }
    if !storage::same_attributes(claim, volume) {
        return Err("volumeAttributesClassName does not match");
    }
    if storage::modes_mismatch(claim, volume) {
        return Err("incompatible volumeMode");
    }
    if !storage::access_modes_fit(claim, volume) {
        return Err("incompatible accessMode");
    }
    Ok(())
}

/// The newest of the default StorageClasses, of equally old ones the first by name (`GetDefaultClass`).
fn default_class(cx: &Cx) -> Option<String> {
    let age = |c: &&Rc<StorageClass>| {
        let name = c.metadata.name().to_owned();
        (c.metadata.creation_timestamp.as_ref().map(|t| t.0), std::cmp::Reverse(name))
    };
    cx.lister::<StorageClass>()
        .list(None)
        .filter(|c| storage::is_default_class(c))
        .max_by_key(age)
        .and_then(|c| c.metadata.name.clone())
}

/// Records an event: the claim waits for its first consumer (`emitEventForUnboundDelayBindingClaim`).
fn say_it_waits(cx: &Cx, claim: &PersistentVolumeClaim) {
    let uses = |p: &crate::api::types::Pod| {
        let volumes = p.spec.as_ref().and_then(|s| s.volumes.as_deref()).unwrap_or_default();
        let unscheduled = p.spec.as_ref().and_then(|s| s.node_name.as_deref()).unwrap_or_default().is_empty();
        unscheduled
            && !crate::api::pod::is_terminal(p)
            && volumes
                .iter()
                .any(|v| storage::claim_of(p, v).is_some_and(|(n, _)| n == claim.metadata.name()))
    };
    let pods: Vec<&str> = cx
        .lister::<crate::api::types::Pod>()
        .list(Some(claim.metadata.namespace()))
        .filter(|p| uses(p))
        .map(|p| p.metadata.name())
        .collect();
    let (reason, message) = match pods.as_slice() {
        [] => ("WaitForFirstConsumer", "waiting for first consumer to be created before binding".to_owned()),
        [one] => ("WaitForPodScheduled", format!("waiting for pod {one} to be scheduled")),
        more => ("WaitForPodScheduled", format!("waiting for pods {} to be scheduled", more.join(","))),
    };
    cx.event(claim, "Normal", reason, message);
}

/// Syncs a claim that was bound before (`syncBoundClaim`).
async fn sync_bound(cx: &Cx, claim: Claim) -> Result {
    let lost = |reason, message: &'static str| (reason, message);
    let volume = cx.lister::<PersistentVolume>().get(&Key::new("", volume_name(&claim))).cloned();
    let (reason, message) = match volume {
        _ if volume_name(&claim).is_empty() => lost(
            "ClaimLost",
            "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
        ),
        None => lost("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!"),
        Some(volume) => {
            let same = |r: &crate::api::types::ObjectReference| r.uid == claim.metadata.uid;
            // A volume without a claim is bound again, as is one that is bound to this claim.
            if claim_ref(&volume).is_none_or(same) {
                return bind(cx, volume, claim).await;
            }
            lost("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly")
        }
    };
    if claim_phase(&claim) != "Lost" {
        let claim = update_status(cx, claim, "Lost", None).await?;
        cx.event(&*claim, "Warning", reason, message);
    }
    Ok(())
}

/// Binds a volume and a claim: the volume and its phase are written first, then the claim and its phase
/// (`bind`).
pub(super) async fn bind(cx: &Cx, volume: Volume, claim: Claim) -> Result {
    let mut volume = volume;
    if let Some(to) = storage::bind_volume_to_claim(&volume, &claim) {
        let why = bond("bind.volume", &volume, &claim);
        volume = cx.update(Rc::new(to)).because(why).await?;
    }
    let volume = update_phase(cx, volume, "Bound", "").await?;
    let claim = bind_claim_to_volume(cx, claim, &volume).await?;
    update_status(cx, claim, "Bound", Some(&volume)).await.map(|_| ())
}

async fn bind_claim_to_volume(cx: &Cx, claim: Claim, volume: &PersistentVolume) -> Result<Claim> {
    let name = volume.metadata.name();
    let chosen_here = volume_name(&claim) != name;
    let mut to = claim.clone();
    let new = Rc::make_mut(&mut to);
    if chosen_here {
        new.spec.get_or_insert_default().volume_name = Some(name.to_owned());
        new.metadata.annotations.get_or_insert_default().insert(BOUND_BY_CONTROLLER.into(), "yes".into());
    }
    new.metadata
        .annotations
        .get_or_insert_default()
        .entry(BIND_COMPLETED.into())
        .or_insert_with(|| "yes".into());
    if to == claim {
        return Ok(claim);
    }
    Ok(cx.update(to).because(bond("bind.claim", volume, &claim)).await?)
}

/// The capacity of a claim that comes to another phase, where it had `capacity` before: the volume's, or what the volume had
/// before its resize as long as the file system has not grown.
///
/// # Errors
/// The volume has no capacity.
fn bound_capacity(volume: &PersistentVolume, mut capacity: Capacity) -> Result<Capacity> {
    let of_volume = volume.spec.as_ref().and_then(|s| s.capacity.as_ref());
    let Some(storage) = of_volume.and_then(|c| c.get("storage")) else {
        let name = volume.metadata.name();
        return Err(Error::Other(format!("PersistentVolume {name:?} is without a storage capacity")));
    };
    if let Some(before) = volume.metadata.annotation(PRE_RESIZE_CAPACITY) {
        let before = Amount::parse(before).map_or_else(|_| storage.clone(), |a| a.to_quantity());
        capacity.get_or_insert_default().insert("storage".into(), before);
        return Ok(capacity);
    }
    let has = capacity.as_ref().and_then(|c| c.get("storage")).map(|q| amount_of(Some(q)));
    let same = has.is_some_and(|has| has.cmp(&amount_of(Some(storage))).is_eq());
    Ok(if same { capacity } else { of_volume.cloned() })
}

/// Writes a claim's phase, access modes, capacity and class of attributes if they have changed (`updateClaimStatus`).
pub(super) async fn update_status(
    cx: &Cx,
    claim: Claim,
    phase: &'static str,
    volume: Option<&PersistentVolume>,
) -> Result<Claim> {
    let mut to = claim.clone();
    let status = Rc::make_mut(&mut to).status.get_or_insert_default();
    let before = status.phase.replace(phase.into()).unwrap_or_default();
    match volume {
        None => {
            status.access_modes = None;
            status.capacity = None;
            status.current_volume_attributes_class_name = None;
        }
        Some(volume) => {
            let spec = volume.spec.as_ref();
            status.access_modes = spec.and_then(|s| s.access_modes.clone());
            // What a claim has while it stays bound is written by those that resize it and change its attributes.
            if before != phase {
                status.capacity = bound_capacity(volume, status.capacity.take())?;
            }
            if before == "Pending" && phase == "Bound" {
                let class = spec.and_then(|s| s.volume_attributes_class_name.clone());
                status.current_volume_attributes_class_name = class;
            }
        }
    }
    if to == claim {
        return Ok(claim);
    }
    let why = Why::new("update_claim_status").read(
        "claim",
        ObjectRef::of(&*claim),
        "status.phase",
        claim_phase(&claim),
    );
    Ok(cx.update_status(to).because(why.with("phase", phase)).await?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::*;
    use crate::api::{Kind, Object};

    /// `updateClaimStatus` in `pkg/controller/volume/persistentvolume/pv_controller.go`
    #[test]
    fn a_claim_that_is_bound_has_the_capacity_of_its_volume_or_that_before_the_resize() {
        let bound = |annotations: Value, capacity: Value, has: Option<&str>| {
            let metadata = json!({"name": "v", "annotations": annotations});
            let volume = json!({"metadata": metadata, "spec": {"capacity": capacity}});
            let volume = Object::from_value(Kind::PERSISTENT_VOLUME, volume).unwrap();
            let has = has.map(|q| BTreeMap::from([("storage".to_owned(), Quantity(q.to_owned()))]));
            bound_capacity(volume.get::<PersistentVolume>().unwrap(), has)
                .map(|c| c.unwrap().get("storage").unwrap().0.clone())
                .map_err(|e| e.to_string())
        };
        let size = json!({"storage": "2Gi"});
        assert_eq!(bound(json!({}), size.clone(), None), Ok("2Gi".into()));
        assert_eq!(bound(json!({}), size.clone(), Some("1Gi")), Ok("2Gi".into()));
        // An equal one is left as it was written.
        assert_eq!(bound(json!({}), size.clone(), Some("2048Mi")), Ok("2048Mi".into()));
        let before = |text: &str| json!({PRE_RESIZE_CAPACITY: text});
        assert_eq!(bound(before("1Gi"), size.clone(), Some("2Gi")), Ok("1Gi".into()));
        assert_eq!(bound(before("no size"), size, None), Ok("2Gi".into()));
        assert_eq!(
            bound(json!({}), json!({}), None),
            Err("PersistentVolume \"v\" is without a storage capacity".into())
        );
    }
}
