//! What the API server fills in: the defaults of every kind
//! (`pkg/apis/{core,apps,batch,policy,storage,scheduling,autoscaling}/v*/defaults.go`).
//!
//! A body is prepared as JSON, is decoded, and gets its defaults as an object; `apiserver::rest` calls both for a kind.
//! What is allocated (cluster IPs, node ports) or admitted (service account, tolerations,
//! priority, token volume) is not here.

pub(super) mod claim_spec;
pub(super) mod devices;
mod field_ref;
mod image;
mod omit;
pub(super) mod pod_spec;
pub(super) mod prepare;
pub(super) mod quantities;
pub(super) mod volume;

pub(super) use omit::{omit_empty, omit_empty_of};

/// Sets a string that is absent or empty, which Go does not tell apart.
pub(super) fn default(field: &mut Option<String>, value: &str) {
    if field.as_deref().unwrap_or_default().is_empty() {
        *field = Some(value.to_owned());
    }
}
