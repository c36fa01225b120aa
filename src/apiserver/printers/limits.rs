//! ResourceQuotas, and kinds without a printer of their own.

use super::{created, name};
use crate::api::Timestamp;
use crate::api::quantity::amount_of;
use crate::api::types::{ObjectMeta, ResourceQuota};

/// The cells of a kind without a printer of its own.
pub(in crate::apiserver) fn created_at(meta: &ObjectMeta) -> Vec<String> {
    vec![name(meta), meta.creation_timestamp.as_ref().map_or_else(|| "<unknown>".into(), |t| t.0.to_string())]
}

pub(in crate::apiserver) fn quota(q: &ResourceQuota, now: Timestamp) -> Vec<String> {
    let status = q.status.clone().unwrap_or_default();
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    for (resource, hard) in status.hard.iter().flatten() {
        let used = status.used.as_ref().and_then(|u| u.get(resource));
        let text =
            format!("{resource}: {}/{}", amount_of(used).canonical(), amount_of(Some(hard)).canonical());
        if resource.starts_with("limits") { limits.push(text) } else { requests.push(text) }
    }
    vec![name(&q.metadata), requests.join(", "), limits.join(", "), created(&q.metadata, now)]
}
