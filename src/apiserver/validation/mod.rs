//! What the API server refuses, field by field, with Kubernetes' own words and in its order
//! (`pkg/apis/*/validation`, `pkg/registry/*/strategy.go`).
//!
//! The object must have been decoded and defaulted, and must have its name and namespace. All
//! violations are found at once.
//!
//! ```
//! use steady::api::{Kind, Object};
//! use steady::apiserver::validation::validate_create;
//! let pod = Object::from_value(Kind::CONFIG_MAP, serde_json::json!({
//!     "metadata": {"name": "Bad", "namespace": "default"}
//! })).unwrap();
//! assert_eq!(validate_create(&pod)[0].field, "metadata.name");
//! ```

mod apps;
mod autoscaling;
mod claim;
mod config;
mod container;
mod cron;
mod cron_job;
mod daemon_set;
mod diff;
mod endpoints;
mod env;
mod event;
mod field;
pub(in crate::apiserver) mod internal;
mod ip;
mod job;
mod job_policy;
mod job_status;
mod limits;
mod meta;
mod mounts;
mod names;
mod networking;
#[cfg(test)]
mod networking_tests;
mod node;
mod pod;
mod pod_parts;
mod pod_status;
mod pod_update;
mod policy;
mod probe;
mod rbac;
mod resources;
mod scheduling;
mod security;
mod service;
mod service_update;
mod stateful_set;
mod status;
mod storage;
mod volume;
mod volume_rare;

use serde_json::Value;

use crate::api::types as t;
use crate::api::{Kind, Object};

pub use cron::parse as parse_schedule;
pub use field::{BadValue, ErrorType, Errors, FieldError, Path, go_json_string, go_quote, json_strings};
pub(super) use job::{CONTROLLER_UID, JOB_NAME, LEGACY_CONTROLLER_UID, LEGACY_JOB_NAME};
pub(crate) use meta::{object_meta_at, object_meta_update_generic};
pub use names::{
    config_map_key, dns1035_label, dns1123_label, dns1123_subdomain, env_var_name, label_value,
    name_is_dns_subdomain, name_is_path_segment, path_segment_name, port_name, qualified_name,
};
pub(super) use networking::CLASS_ANNOTATION;
pub(crate) use resources::is_extended;
pub use status::{aggregate, invalid_status};

/// What is wrong with a Service's addresses and families, which is looked at before any are
/// allocated (`ValidateServiceClusterIPsRelatedFields`).
pub fn service_cluster_ips(errs: &mut Errors, spec: &t::ServiceSpec) {
    service::cluster_ips(errs, spec, &Path::new("spec"));
}

/// What is wrong with an object that is to be made; nothing if it may be.
pub fn validate_create(object: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    create(object, &mut errs);
    if errs.is_empty() && object.kind() != Kind::POD {
        // What holds for every kind but pods, which have been asked it, should the kind's own rules have been laxer (`rest.BeforeCreate`).
        meta::object_meta_generic(
            &mut errs,
            object.meta(),
            object.kind().namespaced(),
            names::name_is_path_segment,
        );
    }
    errs
}

/// The same for a pod whose spec is known to be good.
pub(super) fn validate_pod_of_valid_spec(pod: &t::Pod) -> Vec<FieldError> {
    let mut errs = Errors::new();
    pod::metadata(&mut errs, pod);
    errs
}

/// What is wrong with an update of `old` to `new`, status aside.
pub fn validate_update(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    // First what holds for every kind (`rest.BeforeUpdate`); the kinds' own rules repeat it, so
    // that such an error is among the causes twice, and in the message once.
    meta::object_meta_update_generic(&mut errs, new.meta(), old.meta());
    update(new, old, &mut errs);
    errs
}

/// What is wrong with an update of `old`'s status to that of `new`.
pub fn validate_status_update(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    meta::object_meta_update_generic(&mut errs, new.meta(), old.meta());
    status_update(new, old, &mut errs);
    errs
}

/// What is wrong with an update of a namespace's finalizers.
pub fn validate_finalize(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    meta::object_meta_update_generic(&mut errs, new.meta(), old.meta());
    if let (Some(new), Some(old)) = (new.get::<t::Namespace>(), old.get::<t::Namespace>()) {
        config::namespace_finalize_update(&mut errs, new, old);
    }
    errs
}

/// What is wrong with an update of a Pod's ephemeral containers.
pub fn validate_ephemeral_containers(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    meta::object_meta_update_generic(&mut errs, new.meta(), old.meta());
    if let (Some(new), Some(old)) = (new.get::<t::Pod>(), old.get::<t::Pod>()) {
        pod_parts::ephemeral_containers(&mut errs, new, old);
    }
    errs
}

/// What is wrong with an update of what a Pod's containers request and may use.
pub fn validate_resize(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    meta::object_meta_update_generic(&mut errs, new.meta(), old.meta());
    if let (Some(new), Some(old)) = (new.get::<t::Pod>(), old.get::<t::Pod>()) {
        pod_parts::resize(&mut errs, new, old);
    }
    errs
}

/// What is wrong with a new status of a pod that stays what it is otherwise.
pub(super) fn validate_pod_status(pod: &t::Pod, status: &t::PodStatus) -> Vec<FieldError> {
    let mut errs = Errors::new();
    pod_status::status(&mut errs, status, pod);
    errs
}

/// The rule of the object's kind, called with the struct inside.
macro_rules! rules {
    ($errs:expr, $new:expr, { $($kind:ident: $rule:path,)* }) => {
        $(if let Some(new) = $new.get::<t::$kind>() {
            return $rule($errs, new);
        })*
    };
    ($errs:expr, $new:expr, $old:expr, { $($kind:ident: $rule:path,)* }) => {
        $(if let (Some(new), Some(old)) = ($new.get::<t::$kind>(), $old.get::<t::$kind>()) {
            return $rule($errs, new, old);
        })*
    };
}

fn create(object: &Object, errs: &mut Errors) {
    rules!(errs, object, {
        Deployment: apps::deployment,
        ReplicaSet: apps::replica_set,
        StatefulSet: stateful_set::create,
        DaemonSet: daemon_set::create,
        Job: job::create,
        CronJob: cron_job::create,
        Pod: pod::create,
        Service: service::service,
        Endpoints: endpoints::create,
        EndpointSlice: endpoints::create_slice,
        ConfigMap: config::config_map,
        Secret: config::secret,
        ServiceAccount: config::service_account,
        Namespace: config::namespace,
        Node: node::node,
        PersistentVolume: storage::volume,
        PersistentVolumeClaim: claim::claim,
        StorageClass: storage::class,
        PodDisruptionBudget: policy::budget,
        Lease: policy::lease,
        PriorityClass: policy::priority_class,
        HorizontalPodAutoscaler: autoscaling::create,
        LimitRange: limits::limit_range,
        ResourceQuota: limits::quota,
        ReplicationController: apps::replication_controller,
        Ingress: networking::ingress,
        IngressClass: networking::class,
        NetworkPolicy: networking::policy,
        Role: rbac::role,
        ClusterRole: rbac::cluster_role,
        RoleBinding: rbac::role_binding,
        ClusterRoleBinding: rbac::cluster_role_binding,
        Event: event::event,
    });
}

fn update(new: &Object, old: &Object, errs: &mut Errors) {
    rules!(errs, new, old, {
        Deployment: apps::deployment_update,
        ReplicaSet: apps::replica_set_update,
        StatefulSet: stateful_set::update,
        DaemonSet: daemon_set::update,
        Job: job::update,
        CronJob: cron_job::update,
        Pod: pod_update::update,
        Service: service_update::update,
        Endpoints: endpoints::update,
        EndpointSlice: endpoints::update_slice,
        ConfigMap: config::config_map_update,
        Secret: config::secret_update,
        ServiceAccount: config::service_account_update,
        Namespace: config::namespace_update,
        Node: node::update,
        PersistentVolume: storage::volume_update,
        PersistentVolumeClaim: claim::claim_update,
        StorageClass: storage::class_update,
        PodDisruptionBudget: policy::budget_update,
        Lease: policy::lease_update,
        PriorityClass: policy::priority_class_update,
        HorizontalPodAutoscaler: autoscaling::update,
        LimitRange: limits::limit_range_update,
        ResourceQuota: limits::quota_update,
        ReplicationController: apps::replication_controller_update,
        Ingress: networking::ingress_update,
        IngressClass: networking::class_update,
        NetworkPolicy: networking::policy_update,
        Role: rbac::role_update,
        ClusterRole: rbac::cluster_role_update,
        RoleBinding: rbac::role_binding_update,
        ClusterRoleBinding: rbac::cluster_role_binding_update,
        Event: event::update,
    });
}

/// A CronJob's status is taken as it comes.
fn status_update(new: &Object, old: &Object, errs: &mut Errors) {
    rules!(errs, new, old, {
        Deployment: apps::deployment_status_update,
        ReplicaSet: apps::replica_set_status_update,
        StatefulSet: stateful_set::status_update,
        DaemonSet: daemon_set::status_update,
        Job: job_status::update,
        Pod: pod_status::update,
        Service: service_update::status_update,
        Namespace: config::namespace_status_update,
        Node: node::update,
        PersistentVolume: storage::volume_status_update,
        PersistentVolumeClaim: claim::claim_status_update,
        PodDisruptionBudget: policy::budget_status_update,
        HorizontalPodAutoscaler: autoscaling::status_update,
        ResourceQuota: limits::quota_status_update,
        ReplicationController: apps::replication_controller_status_update,
        Ingress: networking::ingress_status_update,
    });
}

/// A string that may be absent; Go does not tell absent from empty.
pub(crate) fn text(field: &Option<String>) -> &str {
    field.as_deref().unwrap_or_default()
}

/// A list that may be absent.
fn list<T>(field: &Option<Vec<T>>) -> &[T] {
    field.as_deref().unwrap_or_default()
}

/// A struct that may be absent, or `none`; nothing is copied to read it.
fn or_default<'a, T>(field: &'a Option<T>, none: &'a T) -> &'a T {
    field.as_ref().unwrap_or(none)
}

/// Equality as `apiequality.Semantic` has it: an absent and an empty list are equal.
fn semantic_eq<T: serde::Serialize + PartialEq>(a: &T, b: &T) -> bool {
    if a == b {
        return true;
    }
    let value = |v: &T| {
        let mut value = crate::api::to_value(v);
        drop_empty_lists(&mut value);
        value
    };
    value(a) == value(b)
}

fn drop_empty_lists(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, v| !matches!(v, Value::Null) && !matches!(v, Value::Array(a) if a.is_empty()));
            map.values_mut().for_each(drop_empty_lists);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_empty_lists),
        _ => {}
    }
}
