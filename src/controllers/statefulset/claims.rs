//! The claims of a set's pods, and who owns them: with `persistentVolumeClaimRetentionPolicy`, the garbage collector
//! deletes claims with the set, or with a pod that is scaled away (`stateful_set_utils.go`; KEP-1847).

use super::identity::{claim_name, claim_templates, is_in_range, ordinal};
use crate::api::types::{ObjectMeta, OwnerReference, PersistentVolumeClaim, Pod, StatefulSet};
use crate::api::{Kind, MetaExt, owner_reference};

/// What becomes of claims (`spec.persistentVolumeClaimRetentionPolicy`): whether they are deleted with the set, and
/// with a pod that is scaled away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Retention {
    pub(super) delete_with_set: bool,
    pub(super) delete_when_scaled: bool,
}

/// The retention policy of a set.
pub(super) fn retention(set: &StatefulSet) -> Retention {
    let policy = set.spec.as_ref().and_then(|s| s.persistent_volume_claim_retention_policy.as_ref());
    let deletes = |when: Option<&String>| when.is_some_and(|w| w == "Delete");
    Retention {
        delete_with_set: deletes(policy.and_then(|p| p.when_deleted.as_ref())),
        delete_when_scaled: deletes(policy.and_then(|p| p.when_scaled.as_ref())),
    }
}

/// The claims that a pod shall have, in the order of the templates' names (`getPersistentVolumeClaims`).
pub(super) fn claims_of(set: &StatefulSet, pod: &Pod) -> Vec<PersistentVolumeClaim> {
    let selected = set.spec.as_ref().and_then(|s| s.selector.match_labels.as_ref());
    let ordinal = ordinal(pod);
    let mut templates: Vec<&PersistentVolumeClaim> = claim_templates(set).collect();
    crate::api::order::sort_by(&mut templates, |a, b| a.metadata.name().cmp(b.metadata.name()));
    let claim = |template: &PersistentVolumeClaim| {
        let mut claim = template.clone();
        claim.metadata.name = Some(claim_name(set, template.metadata.name(), ordinal));
        claim.metadata.namespace.clone_from(&set.metadata.namespace);
        if let Some(selected) = selected {
            let labels = claim.metadata.labels.get_or_insert_default();
            labels.extend(selected.iter().map(|(k, v)| (k.clone(), v.clone())));
        }
        claim
    };
    templates.into_iter().map(claim).collect()
}

/// An object that may own a claim.
#[derive(Clone, Copy)]
struct Owner<'a> {
    kind: Kind,
    meta: &'a ObjectMeta,
}

impl Owner<'_> {
    /// Whether a reference names it, whatever its uid is.
    fn is_named_by(self, r: &OwnerReference) -> bool {
        r.api_version == self.kind.api_version() && r.kind == self.kind.as_str() && r.name == self.meta.name()
    }

    fn owns(self, claim: &PersistentVolumeClaim) -> bool {
        claim.metadata.owners().iter().any(|r| r.uid == self.meta.uid())
    }

    /// Whether the claim belonged to another object of the same name (`hasStaleOwnerRef`).
    fn is_stale_in(self, claim: &PersistentVolumeClaim) -> bool {
        let found = claim.metadata.owners().iter().find(|r| self.is_named_by(r));
        found.is_some_and(|r| r.uid != self.meta.uid())
    }
}

fn owners<'a>(set: &'a StatefulSet, pod: &'a Pod) -> [Owner<'a>; 2] {
    [Owner { kind: Kind::STATEFUL_SET, meta: &set.metadata }, Owner { kind: Kind::POD, meta: &pod.metadata }]
}

/// Whether the claim belongs to another pod of this name, which is gone (`PodClaimIsStale`).
pub(super) fn is_of_an_earlier_pod(claim: &PersistentVolumeClaim, pod: &Pod) -> bool {
    Owner { kind: Kind::POD, meta: &pod.metadata }.is_stale_in(claim)
}

/// Whether claims may be deleted, and something else than the set or the pod controls this one
/// (`hasUnexpectedController`).
pub(super) fn has_unexpected_controller(claim: &PersistentVolumeClaim, set: &StatefulSet, pod: &Pod) -> bool {
    let policy = retention(set);
    if !policy.delete_with_set && !policy.delete_when_scaled {
        return false;
    }
    let unexpected = |r: &OwnerReference| match owners(set, pod).iter().find(|o| o.is_named_by(r)) {
        Some(owner) => r.uid != owner.meta.uid(),
        None => r.controller == Some(true),
    };
    claim.metadata.owners().iter().any(unexpected)
}

/// Which of the set and the pod shall own the pod's claims.
fn wanted_owner<'a>(set: &'a StatefulSet, pod: &'a Pod) -> Option<Owner<'a>> {
    let policy = retention(set);
    let [of_set, of_pod] = owners(set, pod);
    if policy.delete_when_scaled && !is_in_range(set, pod) {
        return Some(of_pod);
    }
    policy.delete_with_set.then_some(of_set)
}

/// Whether the claim's owners are what the retention policy asks for (`isClaimOwnerUpToDate`). Claims of earlier
/// objects with these names are left alone.
pub(super) fn is_owner_up_to_date(claim: &PersistentVolumeClaim, set: &StatefulSet, pod: &Pod) -> bool {
    let both = owners(set, pod);
    if both.iter().any(|o| o.is_stale_in(claim)) {
        return true;
    }
    if has_unexpected_controller(claim, set, pod) {
        return !both.iter().any(|o| o.owns(claim));
    }
    let without_control =
        |r: &OwnerReference| r.controller != Some(true) && both.iter().any(|o| o.meta.uid() == r.uid);
    if claim.metadata.owners().iter().any(without_control) {
        return false;
    }
    let wanted = wanted_owner(set, pod);
    both.iter().all(|o| o.owns(claim) == wanted.is_some_and(|w| w.kind == o.kind))
}

/// Gives the claim the owners that the retention policy asks for (`updateClaimOwnerRefForSetAndPod`).
pub(super) fn update_owner(claim: &mut PersistentVolumeClaim, set: &StatefulSet, pod: &Pod) {
    let unexpected = has_unexpected_controller(claim, set, pod);
    let mut references = claim.metadata.owner_references.take().unwrap_or_default();
    references.retain(|r| !owners(set, pod).iter().any(|o| o.is_named_by(r)));
    if !unexpected
        && let Some(owner) = wanted_owner(set, pod)
        && !references.iter().any(|r| r.uid == owner.meta.uid())
    {
        references.push(owner_reference(owner.kind, owner.meta));
    }
    claim.metadata.owner_references = Some(references).filter(|r| !r.is_empty());
}
