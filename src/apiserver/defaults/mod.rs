//! What the API server fills in: the defaults of every kind
//! (`pkg/apis/{core,apps,batch,policy,storage,scheduling,autoscaling}/v*/defaults.go`).
//!
//! A body goes through [`prepare`] as JSON, is decoded, and goes through [`apply`] as an object.
//! What is allocated (cluster IPs, node ports) or admitted (service account, tolerations,
//! priority, token volume) is not here.
//!
//! ```
//! use steady::api::{Kind, Object, types::Service};
//! let mut service = Object::from_value(Kind::Service, serde_json::json!({
//!     "metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}
//! })).unwrap();
//! steady::apiserver::defaults::apply(&mut service);
//! let spec = service.get::<Service>().unwrap().spec.clone().unwrap();
//! assert_eq!(spec.type_.as_deref(), Some("ClusterIP"));
//! ```

mod apps;
mod batch;
mod core;
mod limits;
mod networking;
mod omit;
mod pod;
mod prepare;
mod quantities;
mod volume;

use std::rc::Rc;

use crate::api::types as t;
use crate::api::{ApiKind, Kind, Object};

pub(crate) use networking::RBAC_GROUP;
pub(crate) use pod::{container_requests, pod_resources};
pub use prepare::prepare;

/// Fills in the defaults of the object's kind and rewrites its quantities to their canonical form.
///
/// Applying it twice changes nothing the second time. A quantity that cannot be parsed is left as
/// it is: decoding refuses it.
pub fn apply(object: &mut Object) {
    match object.kind() {
        Kind::Deployment => change(object, apps::deployment),
        Kind::ReplicaSet => change(object, apps::replica_set),
        Kind::StatefulSet => change(object, apps::stateful_set),
        Kind::DaemonSet => change(object, apps::daemon_set),
        Kind::Job => change(object, batch::job),
        Kind::CronJob => change(object, batch::cron_job),
        Kind::Pod => change(object, pod::pod),
        Kind::Service => change(object, core::service),
        Kind::ConfigMap | Kind::ServiceAccount | Kind::Event | Kind::Lease => {}
        Kind::Endpoints => change::<t::Endpoints>(object, |e| {
            let ports = e.subsets.iter_mut().flatten().flat_map(|s| s.ports.iter_mut().flatten());
            ports.for_each(|p| default(&mut p.protocol, "TCP"));
        }),
        Kind::EndpointSlice => change::<t::EndpointSlice>(object, |s| {
            for port in s.ports.iter_mut().flatten() {
                port.name.get_or_insert_default();
                default(&mut port.protocol, "TCP");
            }
        }),
        Kind::Secret => change(object, core::secret),
        Kind::Namespace => change(object, core::namespace),
        Kind::Node => change(object, core::node),
        Kind::PersistentVolume => change(object, core::persistent_volume),
        Kind::PersistentVolumeClaim => change(object, core::persistent_volume_claim),
        Kind::StorageClass => change::<t::StorageClass>(object, |class| {
            default(&mut class.reclaim_policy, "Delete");
            default(&mut class.volume_binding_mode, "Immediate");
        }),
        Kind::PriorityClass => change::<t::PriorityClass>(object, |class| {
            default(&mut class.preemption_policy, "PreemptLowerPriority");
        }),
        Kind::HorizontalPodAutoscaler => change(object, limits::autoscaler),
        Kind::LimitRange => change(object, limits::limit_range),
        Kind::ResourceQuota => change(object, limits::quota),
        Kind::ReplicationController => change(object, core::replication_controller),
        Kind::Ingress => change(object, networking::ingress),
        Kind::IngressClass => change(object, networking::class),
        Kind::NetworkPolicy => change(object, networking::policy),
        Kind::Role | Kind::ClusterRole => {}
        Kind::RoleBinding => change::<t::RoleBinding>(object, |b| {
            networking::binding(&mut b.role_ref, &mut b.subjects);
        }),
        Kind::ClusterRoleBinding => change::<t::ClusterRoleBinding>(object, |b| {
            networking::binding(&mut b.role_ref, &mut b.subjects);
        }),
        Kind::PodDisruptionBudget => change::<t::PodDisruptionBudget>(object, |budget| {
            // Go writes the status' counts even when they are 0.
            budget.status.get_or_insert_default();
        }),
    }
}

/// As [`apply`], for an object whose status is written. The spec of these kinds is set back to the
/// stored one before anybody looks, so defaults of it would only copy the object: a sixth of what a
/// pod's status cost.
pub(super) fn apply_to_status(object: &mut Object) {
    let has_status = match object.kind() {
        Kind::Deployment => object.get::<t::Deployment>().is_some_and(|d| d.status.is_some()),
        Kind::ReplicaSet => object.get::<t::ReplicaSet>().is_some_and(|rs| rs.status.is_some()),
        Kind::Pod => object.get::<t::Pod>().is_some_and(|p| p.status.is_some()),
        _ => false,
    };
    if !has_status {
        apply(object);
    }
}

/// Changes a copy of the struct inside, if it is of that kind.
fn change<T: ApiKind>(object: &mut Object, f: impl FnOnce(&mut T)) {
    let Some(shared) = object.get::<T>() else { return };
    let mut copy = T::clone(shared);
    f(&mut copy);
    *object = Object::from(Rc::new(copy));
}

/// Sets a string that is absent or empty, which Go does not tell apart.
fn default(field: &mut Option<String>, value: &str) {
    if field.as_deref().unwrap_or_default().is_empty() {
        *field = Some(value.to_owned());
    }
}
