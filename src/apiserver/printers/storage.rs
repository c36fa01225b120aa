//! Volumes, claims and classes of storage.

use super::{created, name};
use crate::api::types::{PersistentVolume, PersistentVolumeClaim, StorageClass};
use crate::api::{MetaExt, Timestamp, quantity};

/// `RWO,ROX`
pub(crate) fn access_modes(modes: Option<&Vec<String>>) -> String {
    const ORDER: [(&str, &str); 4] = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let has = |m: &str| modes.is_some_and(|all| all.iter().any(|a| a == m));
    ORDER.iter().filter(|(m, _)| has(m)).map(|(_, s)| *s).collect::<Vec<_>>().join(",")
}

fn or_unset(text: Option<&String>) -> String {
    text.filter(|t| !t.is_empty()).cloned().unwrap_or_else(|| "<unset>".into())
}

pub(in crate::apiserver) fn volume(v: &PersistentVolume, now: Timestamp) -> Vec<String> {
    let spec = v.spec.clone().unwrap_or_default();
    let status = v.status.clone().unwrap_or_default();
    let claim = spec.claim_ref.as_ref().map(|c| {
        format!("{}/{}", c.namespace.as_deref().unwrap_or_default(), c.name.as_deref().unwrap_or_default())
    });
    let phase = if v.metadata.is_deleting() { Some("Terminating".to_owned()) } else { status.phase };
    vec![
        name(&v.metadata),
        quantity::amount_of(spec.capacity.as_ref().and_then(|c| c.get("storage"))).canonical(),
        access_modes(spec.access_modes.as_ref()),
        spec.persistent_volume_reclaim_policy.unwrap_or_default(),
        phase.unwrap_or_default(),
        claim.unwrap_or_default(),
        spec.storage_class_name.unwrap_or_default(),
        or_unset(spec.volume_attributes_class_name.as_ref()),
        status.reason.unwrap_or_default(),
        created(&v.metadata, now),
        spec.volume_mode.unwrap_or_else(|| "<unset>".into()),
    ]
}

pub(in crate::apiserver) fn claim(c: &PersistentVolumeClaim, now: Timestamp) -> Vec<String> {
    let spec = c.spec.clone().unwrap_or_default();
    let status = c.status.clone().unwrap_or_default();
    let volume = spec.volume_name.clone().unwrap_or_default();
    let phase = if c.metadata.is_deleting() { Some("Terminating".to_owned()) } else { status.phase };
    let (capacity, modes) = if volume.is_empty() {
        (String::new(), String::new())
    } else {
        let capacity =
            quantity::amount_of(status.capacity.as_ref().and_then(|c| c.get("storage"))).canonical();
        (capacity, access_modes(status.access_modes.as_ref()))
    };
    vec![
        name(&c.metadata),
        phase.unwrap_or_default(),
        volume,
        capacity,
        modes,
        spec.storage_class_name.unwrap_or_default(),
        or_unset(spec.volume_attributes_class_name.as_ref()),
        created(&c.metadata, now),
        spec.volume_mode.unwrap_or_else(|| "<unset>".into()),
    ]
}

pub(in crate::apiserver) fn class(s: &StorageClass, now: Timestamp) -> Vec<String> {
    let mut title = name(&s.metadata);
    let is_default =
        ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"]
            .iter()
            .any(|a| s.metadata.annotation(a) == Some("true"));
    if is_default {
        title.push_str(" (default)");
    }
    vec![
        title,
        s.provisioner.clone(),
        s.reclaim_policy.clone().unwrap_or_else(|| "Delete".into()),
        s.volume_binding_mode.clone().unwrap_or_else(|| "<unset>".into()),
        s.allow_volume_expansion.unwrap_or(false).to_string(),
        created(&s.metadata, now),
    ]
}
