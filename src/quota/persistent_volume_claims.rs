//! What PersistentVolumeClaims use (`pkg/quota/v1/evaluator/core/persistent_volume_claims.go`).

use super::{Operation, Rules, one, selects};
use crate::api::quantity::{Amount, amount_of};
use crate::api::resource::Amounts;
use crate::api::types::{PersistentVolumeClaim, ScopedResourceSelectorRequirement};
use crate::api::volume::BETA_CLASS;
use crate::api::{ApiKind, MetaExt, Object, Timestamp};

/// Claims and the storage that they request are counted, for each class as well.
pub(super) struct PersistentVolumeClaims;

/// Stands between the name of a StorageClass and the resource that is counted for it.
const STORAGE_CLASS: &str = ".storageclass.storage.k8s.io/";
const CLAIMS: &str = "persistentvolumeclaims";
const REQUESTED: &str = "requests.storage";

impl Rules for PersistentVolumeClaims {
    fn matches_resource(&self, resource: &str) -> bool {
        let of_class = |own| resource.strip_suffix(own).is_some_and(|class| class.ends_with(STORAGE_CLASS));
        [CLAIMS, REQUESTED].into_iter().any(|own| resource == own || of_class(own))
    }

    fn usage(&self, object: &Object, _: Timestamp) -> Amounts {
        let Some(claim) = PersistentVolumeClaim::from_object(object) else { return Amounts::new() };
        let mut used = Amounts::from([(CLAIMS.to_owned(), one())]);
        if let Some(storage) = storage(claim) {
            used.insert(REQUESTED.into(), storage);
        }
        let class = claim.metadata.annotation(BETA_CLASS);
        let class = class.or_else(|| claim.spec.as_ref()?.storage_class_name.as_deref()).unwrap_or_default();
        if !class.is_empty() {
            let of_class: Amounts = used
                .iter()
                .map(|(name, amount)| (format!("{class}{STORAGE_CLASS}{name}"), *amount))
                .collect();
            used.extend(of_class);
        }
        used
    }

    fn handles(&self, _: Operation<'_>, subresource: &str) -> bool {
        matches!(subresource, "" | "status")
    }

    fn matches_scope(&self, scope: &ScopedResourceSelectorRequirement, object: &Object) -> bool {
        let Some(claim) = PersistentVolumeClaim::from_object(object) else { return false };
        if scope.scope_name != "VolumeAttributesClass" {
            return false;
        }
        match attributes_classes(claim)[..] {
            [] => selects(scope, None),
            ref classes => classes.iter().any(|class| selects(scope, Some(class))),
        }
    }

    fn constraints(&self, _: &[&str], _: &Object) -> Option<String> {
        None
    }

    /// After every update: Kubernetes compares the allocated storage of the two claims by pointers, which always differ.
    fn replenishes(&self, _: &Object, _: &Object, _: Timestamp) -> bool {
        true
    }
}

/// The storage that a claim uses in whole bytes: what it requests, or what a resize has allocated if that is more; `None`
/// for a claim without a request.
fn storage(claim: &PersistentVolumeClaim) -> Option<Amount> {
    let whole_bytes = |a: Amount| a.max(Amount::from_value(a.value(), a.format()));
    let requests = claim.spec.as_ref().and_then(|s| s.resources.as_ref()?.requests.as_ref());
    let requested = whole_bytes(amount_of(Some(requests?.get("storage")?)));
    let allocated = claim.status.as_ref().and_then(|s| s.allocated_resources.as_ref()?.get("storage"));
    let allocated = allocated.map(|q| amount_of(Some(q))).filter(|a| *a > requested);
    Some(allocated.map_or(requested, whole_bytes))
}

/// The VolumeAttributesClasses of a claim: the one that it wants, the one that it has, and the one that its volume is being
/// changed to.
fn attributes_classes(claim: &PersistentVolumeClaim) -> Vec<&str> {
    let status = claim.status.as_ref();
    let wanted = claim.spec.as_ref().and_then(|s| s.volume_attributes_class_name.as_deref());
    let current = status.and_then(|s| s.current_volume_attributes_class_name.as_deref());
    let target =
        status.and_then(|s| s.modify_volume_status.as_ref()?.target_volume_attributes_class_name.as_deref());
    [wanted, current, target].into_iter().flatten().filter(|name| !name.is_empty()).collect()
}
