//! How much of each resource an object uses, and which quotas count it
//! (`k8s.io/apiserver/pkg/quota/v1`, `k8s.io/kubernetes/pkg/quota/v1/evaluator/core`).
//!
//! Admission in the API server counts objects that are created or changed, and the ResourceQuota controller counts all
//! objects of a namespace. Both ask the [`Evaluator`] of a kind. Pods, Services and PersistentVolumeClaims have rules of
//! their own; of every other kind the objects are counted.
//!
//! ```
//! use steady::api::Kind;
//! use steady::quota::Evaluator;
//! let claims = Evaluator::of(Kind::PERSISTENT_VOLUME_CLAIM).unwrap();
//! assert!(claims.matches_resource("fast.storageclass.storage.k8s.io/requests.storage"));
//! assert!(claims.matches_resource("count/persistentvolumeclaims") && !claims.matches_resource("pods"));
//! assert!(Evaluator::of(Kind::NODE).is_none(), "a Node is in no namespace");
//! ```

mod generic;
mod persistent_volume_claims;
mod pods;
mod services;
#[cfg(test)]
mod tests;

use crate::api::quantity::{Amount, Format};
use crate::api::resource::Amounts;
use crate::api::types::{ResourceQuota, ScopedResourceSelectorRequirement};
use crate::api::{BuiltIn, Kind, Object, Timestamp};
use generic::Objects;
use persistent_volume_claims::PersistentVolumeClaims;
use pods::Pods;
use services::Services;

/// What a request does to an object, as admission tells it apart.
#[derive(Clone, Copy, Debug)]
pub enum Operation<'o> {
    /// The object is new.
    Create,
    /// The object, or a subresource of it, is replaced or patched.
    Update {
        /// The object before.
        old: &'o Object,
        /// The object after.
        new: &'o Object,
    },
}

/// What a quota counts of the objects of one kind (`quota.Evaluator`).
#[derive(Clone, Copy)]
pub struct Evaluator {
    kind: Kind,
    rules: &'static dyn Rules,
}

/// The rules of an [`Evaluator`]. `count/KIND.GROUP`, which every kind has, is not among the resources here.
trait Rules: Sync {
    /// Whether the objects use a resource (`MatchingResources`).
    fn matches_resource(&self, resource: &str) -> bool;
    /// How much an object uses of each resource (`Usage`).
    fn usage(&self, object: &Object, now: Timestamp) -> Amounts;
    /// Whether admission counts a request to the objects or to a subresource of them; the object itself is `""`
    /// (`Handles`).
    fn handles(&self, operation: Operation<'_>, subresource: &str) -> bool;
    /// Whether an object is in a scope (`MatchingScopes`).
    fn matches_scope(&self, scope: &ScopedResourceSelectorRequirement, object: &Object) -> bool;
    /// What an object must say and does not if a quota limits these resources; `None` if it says all (`Constraints`).
    fn constraints(&self, resources: &[&str], object: &Object) -> Option<String>;
    /// Whether quotas have to be counted again after an update, because the object may use less than admission knows
    /// (`DefaultUpdateFilter` of `pkg/quota/v1/install`).
    fn replenishes(&self, old: &Object, new: &Object, now: Timestamp) -> bool;
}

/// The rules of a built-in kind; `None` for a kind that no quota counts: one that is in no namespace, and events
/// (`DefaultIgnoredResources`).
fn rules(kind: BuiltIn) -> Option<&'static dyn Rules> {
    match kind {
        BuiltIn::Pod => Some(&Pods),
        BuiltIn::Service => Some(&Services),
        BuiltIn::PersistentVolumeClaim => Some(&PersistentVolumeClaims),
        BuiltIn::ConfigMap => Some(&Objects { alias: "configmaps" }),
        BuiltIn::ReplicationController => Some(&Objects { alias: "replicationcontrollers" }),
        BuiltIn::ResourceQuota => Some(&Objects { alias: "resourcequotas" }),
        BuiltIn::Secret => Some(&Objects { alias: "secrets" }),
        BuiltIn::ControllerRevision
        | BuiltIn::CronJob
        | BuiltIn::CSIStorageCapacity
        | BuiltIn::DaemonSet
        | BuiltIn::Deployment
        | BuiltIn::Endpoints
        | BuiltIn::EndpointSlice
        | BuiltIn::HorizontalPodAutoscaler
        | BuiltIn::Ingress
        | BuiltIn::Job
        | BuiltIn::Lease
        | BuiltIn::LimitRange
        | BuiltIn::NetworkPolicy
        | BuiltIn::PodDisruptionBudget
        | BuiltIn::PodTemplate
        | BuiltIn::ReplicaSet
        | BuiltIn::ResourceClaim
        | BuiltIn::ResourceClaimTemplate
        | BuiltIn::Role
        | BuiltIn::RoleBinding
        | BuiltIn::ServiceAccount
        | BuiltIn::StatefulSet => Some(&generic::UNNAMED),
        BuiltIn::CertificateSigningRequest
        | BuiltIn::ClusterRole
        | BuiltIn::ClusterRoleBinding
        | BuiltIn::CSIDriver
        | BuiltIn::CSINode
        | BuiltIn::CustomResourceDefinition
        | BuiltIn::DeviceClass
        | BuiltIn::Event
        | BuiltIn::IngressClass
        | BuiltIn::IPAddress
        | BuiltIn::MutatingAdmissionPolicy
        | BuiltIn::MutatingAdmissionPolicyBinding
        | BuiltIn::Namespace
        | BuiltIn::Node
        | BuiltIn::PersistentVolume
        | BuiltIn::PriorityClass
        | BuiltIn::ResourceSlice
        | BuiltIn::RuntimeClass
        | BuiltIn::ServiceCIDR
        | BuiltIn::StorageClass
        | BuiltIn::ValidatingAdmissionPolicy
        | BuiltIn::ValidatingAdmissionPolicyBinding
        | BuiltIn::VolumeAttachment
        | BuiltIn::VolumeAttributesClass => None,
    }
}

impl Evaluator {
    /// The evaluator of a kind; `None` for a kind that no quota counts.
    pub fn of(kind: Kind) -> Option<Evaluator> {
        let rules = match kind.built_in() {
            Some(built_in) => rules(built_in)?,
            None if kind.namespaced() => &generic::UNNAMED,
            None => return None,
        };
        Some(Evaluator { kind, rules })
    }

    /// `count/deployments.apps`: the resource that is the number of objects.
    fn object_count(&self) -> String {
        format!("count/{}", self.kind.group_resource())
    }

    /// Whether the objects use a resource (`MatchingResources`).
    pub fn matches_resource(&self, resource: &str) -> bool {
        self.rules.matches_resource(resource) || resource == self.object_count()
    }

    /// How much an object uses of each resource (`Usage`).
    pub fn usage(&self, object: &Object, now: Timestamp) -> Amounts {
        let mut used = self.rules.usage(object, now);
        used.insert(self.object_count(), one());
        used
    }

    /// Whether admission counts a request to the objects or to a subresource of them; the object itself is `""`
    /// (`Handles`).
    pub fn handles(&self, operation: Operation<'_>, subresource: &str) -> bool {
        self.rules.handles(operation, subresource)
    }

    /// What an object must say and does not if a quota limits these resources; `None` if it says all (`Constraints`).
    pub fn constraints(&self, resources: &[&str], object: &Object) -> Option<String> {
        self.rules.constraints(resources, object)
    }

    /// Whether quotas have to be counted again after an update, because the object may use less than admission knows
    /// (`DefaultUpdateFilter` of `pkg/quota/v1/install`).
    pub fn replenishes(&self, old: &Object, new: &Object, now: Timestamp) -> bool {
        self.rules.replenishes(old, new, now)
    }

    /// Whether an object is in every scope of a quota; a quota without scopes has all objects.
    pub fn in_scopes(&self, quota: &ResourceQuota, object: &Object) -> bool {
        let Some(spec) = &quota.spec else { return true };
        let exists = |scope: &String| ScopedResourceSelectorRequirement {
            operator: "Exists".into(),
            scope_name: scope.clone(),
            values: None,
        };
        let plain = spec.scopes.iter().flatten().map(exists);
        let selected = spec.scope_selector.iter().flat_map(|s| s.match_expressions.iter().flatten().cloned());
        plain.chain(selected).all(|scope| self.rules.matches_scope(&scope, object))
    }

    /// Whether a quota counts an object: its status limits a resource that the object uses, and the object is in all of
    /// its scopes (`Matches`).
    pub fn matches(&self, quota: &ResourceQuota, object: &Object) -> bool {
        let hard = quota.status.as_ref().and_then(|s| s.hard.as_ref());
        hard.is_some_and(|h| h.keys().any(|r| self.matches_resource(r))) && self.in_scopes(quota, object)
    }
}

/// Whether a scope with an operator has an object that names a class, or with `None` no class
/// (`ScopedResourceSelectorRequirementsAsSelector`).
fn selects(scope: &ScopedResourceSelectorRequirement, class: Option<&str>) -> bool {
    let listed = class.is_some_and(|c| scope.values.iter().flatten().any(|v| v == c));
    match scope.operator.as_str() {
        "In" => listed,
        "NotIn" => !listed,
        "Exists" => class.is_some(),
        "DoesNotExist" => class.is_none(),
        _ => false,
    }
}

fn one() -> Amount {
    Amount::from_value(1, Format::DecimalSI)
}

fn count(n: usize) -> Amount {
    Amount::from_value(i64::try_from(n).unwrap_or(i64::MAX), Format::DecimalSI)
}
