//! Creates, changes and deletes the pods of a set and their claims, and records events about it
//! (`stateful_pod_control.go`).

use std::rc::Rc;

use super::super::controller_utils::aggregate;
use super::Cx;
use super::claims::{
    Retention, claims_of, has_unexpected_controller, is_of_an_earlier_pod, is_owner_up_to_date, retention,
    update_owner,
};
use super::identity::{
    claim_name, claim_templates, identity_matches, ordinal, storage_matches, update_identity, update_storage,
};
use crate::api::types::{PersistentVolumeClaim, Pod, StatefulSet};
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::apimachinery::DeleteOptions;
use crate::client::{DEFAULT_BACKOFF, Error, Result, Why, retry_on_conflict};

/// What is done to a pod, as events name it.
#[derive(Clone, Copy)]
enum Doing {
    Create,
    Update,
    Delete,
}

/// Records what came of something that was done to a pod of the set (`recordPodEvent`).
fn record(cx: &Cx, set: &StatefulSet, doing: Doing, pod: &Pod, failed: Option<&Error>) {
    let (verb, succeeded, failing) = match doing {
        Doing::Create => ("Create", "SuccessfulCreate", "FailedCreate"),
        Doing::Update => ("Update", "SuccessfulUpdate", "FailedUpdate"),
        Doing::Delete => ("Delete", "SuccessfulDelete", "FailedDelete"),
    };
    let (pod, name) = (pod.metadata.name(), set.metadata.name());
    match failed {
        None => {
            let message = format!("{verb} Pod {pod} in StatefulSet {name} successful");
            cx.event(set, "Normal", succeeded, message);
        }
        Some(e) => {
            let message = format!("{verb} Pod {pod} in StatefulSet {name} failed error: {e}");
            cx.event(set, "Warning", failing, message);
        }
    }
}

/// Creates a pod, and before it the claims that it lacks (`CreateStatefulPod`).
///
/// # Errors
/// A claim or the pod could not be created, or a claim's owner could not be changed.
pub(super) async fn create(cx: &Cx, set: &StatefulSet, pod: &Rc<Pod>, why: Why) -> Result {
    if let Err(e) = create_claims(cx, set, pod).await {
        record(cx, set, Doing::Create, pod, Some(&e));
        return Err(e);
    }
    let created = match cx.create(Pod::clone(pod)).because(why).await {
        Ok(created) => {
            cx.wrote(&set.metadata, &created);
            Ok(())
        }
        Err(e) if e.is_already_exists() => return Err(e.into()),
        Err(e) => Err(Error::from(e)),
    };
    if let Err(e) = keep_claim_owners(cx, set, pod).await {
        record(cx, set, Doing::Update, pod, Some(&e));
        return Err(e);
    }
    record(cx, set, Doing::Create, pod, created.as_ref().err());
    created
}

/// Gives a pod the name, the labels and the volumes of its place, and its claims their owner
/// (`UpdateStatefulPod`).
///
/// # Errors
/// A claim could not be created or changed, or the pod could not be changed.
pub(super) async fn update(cx: &Cx, set: &StatefulSet, pod: &Rc<Pod>) -> Result {
    let updated = retry_on_conflict(cx, pod, DEFAULT_BACKOFF, async |mut pod: Rc<Pod>| {
        let mut consistent = true;
        if !identity_matches(set, &pod) {
            update_identity(set, Rc::make_mut(&mut pod));
            consistent = false;
        }
        if !storage_matches(set, &pod) {
            update_storage(set, Rc::make_mut(&mut pod));
            consistent = false;
            create_claims(cx, set, &pod).await?;
        }
        if !claims_match_retention(cx, set, &pod) {
            consistent = false;
            keep_claim_owners(cx, set, &pod).await?;
        }
        if consistent {
            return Ok(None);
        }
        let why = Why::new("update_stateful_pod").read(
            "pod",
            ObjectRef::of(&*pod),
            "metadata.labels",
            pod.metadata.name(),
        );
        Ok(Some(cx.update(pod).because(why).await?))
    })
    .await;
    match updated {
        Ok(None) => Ok(()),
        Ok(Some(updated)) => {
            cx.wrote(&set.metadata, &updated);
            record(cx, set, Doing::Update, pod, None);
            Ok(())
        }
        Err(e) => {
            record(cx, set, Doing::Update, pod, Some(&e));
            Err(e)
        }
    }
}

/// Deletes a pod; its claims stay (`DeleteStatefulPod`). A pod that is gone counts as deleted.
///
/// # Errors
/// The API server's refusal.
pub(super) async fn delete(cx: &Cx, set: &StatefulSet, pod: &Pod, why: Why) -> Result {
    let deleted = cx.delete(Kind::POD, pod.metadata.key(), DeleteOptions::default()).because(why).await;
    let deleted = match deleted {
        Err(e) if !e.is_not_found() => Err(Error::from(e)),
        _ => Ok(()),
    };
    record(cx, set, Doing::Delete, pod, deleted.as_ref().err());
    deleted
}

/// Creates the claims that a pod lacks, and gives its claims their owner (`createMissingPersistentVolumeClaims`).
///
/// # Errors
/// A claim could not be created or changed.
pub(super) async fn create_missing_claims(cx: &Cx, set: &StatefulSet, pod: &Pod) -> Result {
    create_claims(cx, set, pod).await?;
    if let Err(e) = keep_claim_owners(cx, set, pod).await {
        record(cx, set, Doing::Update, pod, Some(&e));
        return Err(e);
    }
    Ok(())
}

/// Creates the claims that a pod lacks (`createPersistentVolumeClaims`).
async fn create_claims(cx: &Cx, set: &StatefulSet, pod: &Pod) -> Result {
    let mut errors = Vec::new();
    for claim in claims_of(set, pod) {
        let (key, name) = (claim.metadata.key(), claim.metadata.name().to_owned());
        if let Some(existing) = cx.lister::<PersistentVolumeClaim>().get(&key) {
            if existing.metadata.is_deleting() {
                errors.push(Error::Other(format!("pvc {name} is being deleted")));
            }
            continue;
        }
        let why = Why::new("create_claims").with("pod", pod.metadata.name()).read(
            "set",
            ObjectRef::of(set),
            "spec.volumeClaimTemplates",
            set.metadata.name(),
        );
        let (pod_name, set_name) = (pod.metadata.name(), set.metadata.name());
        match cx.create(claim).because(why).await {
            Ok(created) => {
                cx.wrote(&set.metadata, &created);
                let message = format!("Create Claim {name} Pod {pod_name} in StatefulSet {set_name} success");
                cx.event(set, "Normal", "SuccessfulCreate", message);
            }
            Err(e) => {
                if !e.is_already_exists() {
                    let message = format!(
                        "Create Claim {name} for Pod {pod_name} in StatefulSet {set_name} failed error: {e}"
                    );
                    cx.event(set, "Warning", "FailedCreate", message);
                }
                errors.push(Error::Other(format!("failed to create PVC {name}: {e}")));
            }
        }
    }
    aggregate(errors)
}

/// The claims of a pod that the cache has.
fn cached_claims<'c>(
    cx: &'c Cx,
    set: &StatefulSet,
    pod: &Pod,
) -> impl Iterator<Item = &'c Rc<PersistentVolumeClaim>> {
    let ordinal = ordinal(pod);
    let key = |t: &PersistentVolumeClaim| {
        Key::new(set.metadata.namespace(), &claim_name(set, t.metadata.name(), ordinal))
    };
    let keys: Vec<Key> = claim_templates(set).map(key).collect();
    keys.into_iter().filter_map(|key| cx.lister::<PersistentVolumeClaim>().get(&key))
}

/// Whether the owners of the pod's claims are those of the retention policy (`ClaimsMatchRetentionPolicy`). A claim
/// that is not there yet does not count.
pub(super) fn claims_match_retention(cx: &Cx, set: &StatefulSet, pod: &Pod) -> bool {
    cached_claims(cx, set, pod).all(|claim| is_owner_up_to_date(claim, set, pod))
}

/// Gives the pod's claims the owners that the retention policy asks for (`UpdatePodClaimForRetentionPolicy`).
///
/// # Errors
/// A claim could not be changed.
pub(super) async fn keep_claim_owners(cx: &Cx, set: &StatefulSet, pod: &Pod) -> Result {
    let latest = cx.latest();
    let claims: Vec<Rc<PersistentVolumeClaim>> = cached_claims(&latest, set, pod).cloned().collect();
    for mut claim in claims {
        let name = claim.metadata.name().to_owned();
        if has_unexpected_controller(&claim, set, pod) {
            let message = format!(
                "PersistentVolumeClaim {name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim"
            );
            cx.event(set, "Warning", "ConflictingController", message);
        }
        if is_owner_up_to_date(&claim, set, pod) {
            continue;
        }
        let Retention { delete_with_set, delete_when_scaled } = retention(set);
        let when = |deletes: bool| if deletes { "Delete" } else { "Retain" };
        let policy = "spec.persistentVolumeClaimRetentionPolicy";
        let why = Why::new("update_claim_owner")
            .read("deleted", ObjectRef::of(set), policy, when(delete_with_set))
            .read("scaled", ObjectRef::of(set), policy, when(delete_when_scaled));
        update_owner(Rc::make_mut(&mut claim), set, pod);
        match cx.update(claim).because(why).await {
            Ok(updated) => cx.wrote(&set.metadata, &updated),
            Err(e) => {
                let text = format!("could not update claim {name} for delete policy ownerRefs: {e}");
                return Err(Error::Other(text));
            }
        }
    }
    Ok(())
}

/// Whether a claim of the pod still belongs to an earlier pod of this name, and will be deleted with that
/// (`PodClaimIsStale`). The new pod is created after that.
pub(super) fn has_stale_claim(cx: &Cx, set: &StatefulSet, pod: &Pod) -> bool {
    retention(set).delete_when_scaled && cached_claims(cx, set, pod).any(|c| is_of_an_earlier_pod(c, pod))
}
