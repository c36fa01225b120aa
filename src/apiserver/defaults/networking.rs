//! Defaults of Ingresses, NetworkPolicies, roles and bindings (`pkg/apis/networking/v1/defaults.go`,
//! `pkg/apis/rbac/v1/defaults.go`).

use super::default;
use crate::api::types as t;
use crate::api::types::{networking as net, rbac};

/// The group of roles, and of users and groups.
pub(crate) const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

pub(in crate::apiserver) fn ingress(ingress: &mut t::Ingress) {
    ingress.spec.get_or_insert_default();
    // Go writes the structs even when they are empty.
    ingress.status.get_or_insert_default().load_balancer.get_or_insert_default();
}

pub(in crate::apiserver) fn class(class: &mut t::IngressClass) {
    if let Some(parameters) = &mut class.spec.get_or_insert_default().parameters {
        parameters.scope.get_or_insert_with(|| "Cluster".into());
    }
}

pub(in crate::apiserver) fn policy(policy: &mut t::NetworkPolicy) {
    let spec = policy.spec.get_or_insert_default();
    spec.pod_selector.get_or_insert_default();
    let into = spec.ingress.iter_mut().flatten().flat_map(|r| r.ports.iter_mut().flatten());
    let out = spec.egress.iter_mut().flatten().flat_map(|r| r.ports.iter_mut().flatten());
    into.chain(out).for_each(protocol);
    if spec.policy_types.as_ref().is_none_or(Vec::is_empty) {
        let types = spec.policy_types.insert(vec!["Ingress".into()]);
        if spec.egress.as_ref().is_some_and(|e| !e.is_empty()) {
            types.push("Egress".into());
        }
    }
}

fn protocol(port: &mut net::NetworkPolicyPort) {
    port.protocol.get_or_insert_with(|| "TCP".into());
}

/// The group of the role and of each subject.
pub(in crate::apiserver) fn binding(role: &mut rbac::RoleRef, subjects: &mut Option<Vec<rbac::Subject>>) {
    default(&mut role.api_group, RBAC_GROUP);
    for subject in subjects.iter_mut().flatten() {
        if matches!(subject.kind.as_str(), "User" | "Group") {
            default(&mut subject.api_group, RBAC_GROUP);
        }
    }
}
