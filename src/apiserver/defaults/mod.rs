//! What the API server fills in: the defaults of every kind
//! (`pkg/apis/{core,apps,batch,policy,storage,scheduling,autoscaling}/v*/defaults.go`).
//!
//! A body goes through [`prepare`] as JSON, is decoded, and goes through [`apply`] as an object.
//! What is allocated (cluster IPs, node ports) or admitted (service account, tolerations,
//! priority, token volume) is not here.
//!
//! ```
//! use steady::api::{Kind, Object, types::Service};
//! let mut service = Object::from_value(Kind::SERVICE, serde_json::json!({
//!     "metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}
//! })).unwrap();
//! steady::apiserver::defaults::apply(&mut service);
//! let spec = service.get::<Service>().unwrap().spec.clone().unwrap();
//! assert_eq!(spec.type_.as_deref(), Some("ClusterIP"));
//! ```

pub(super) mod claim_spec;
mod field_ref;
mod image;
mod omit;
pub(super) mod pod_spec;
pub(super) mod prepare;
pub(super) mod quantities;
pub(super) mod volume;

use super::kinds;
use crate::api::Object;
use crate::api::types as t;

pub(super) use omit::{omit_empty, omit_empty_of};
pub use prepare::prepare;

/// Fills in the defaults of the object's kind and rewrites its quantities to their canonical form.
///
/// Applying it twice changes nothing the second time. A quantity that cannot be parsed is left as
/// it is: decoding refuses it.
pub fn apply(object: &mut Object) {
    kinds::default(object);
}

/// As [`apply`], for an object whose status is written. The spec of these kinds is set back to the
/// stored one before anybody looks, so defaults of it would only copy the object: a sixth of what a
/// pod's status cost.
pub(super) fn apply_to_status(object: &mut Object) {
    let has_status = object.get::<t::Deployment>().is_some_and(|d| d.status.is_some())
        || object.get::<t::ReplicaSet>().is_some_and(|rs| rs.status.is_some())
        || object.get::<t::Pod>().is_some_and(|p| p.status.is_some());
    if !has_status {
        apply(object);
    }
}

/// Sets a string that is absent or empty, which Go does not tell apart.
pub(super) fn default(field: &mut Option<String>, value: &str) {
    if field.as_deref().unwrap_or_default().is_empty() {
        *field = Some(value.to_owned());
    }
}
