//! Texts about objects that are the same in the cells of the API server's tables and in `kubectl describe`.
//!
//! Kubernetes has each of these functions twice: in `k8s.io/kubernetes/pkg/printers/internalversion` and in
//! `k8s.io/kubectl/pkg/describe`.

use std::collections::BTreeSet;

use super::certificate_signing_request::{certificate, condition};
use super::quantity::amount_of;
use super::types::{CertificateSigningRequest, Ingress, Node, Quantity, ResourceClaim, autoscaling as hpa};
use super::{MetaExt, order};

/// The text in the place of a value that is not known.
pub const UNKNOWN: &str = "<unknown>";

/// The roles in the labels of a node, sorted: `control-plane,worker`; `<none>` without roles (`findNodeRoles`).
pub fn node_roles(n: &Node) -> String {
    let mut roles: Vec<&str> = Vec::new();
    for (k, v) in n.metadata.labels_or_empty() {
        if let Some(role) = k.strip_prefix("node-role.kubernetes.io/") {
            roles.extend((!role.is_empty()).then_some(role));
        } else if k == "kubernetes.io/role" && !v.is_empty() {
            roles.push(v);
        }
    }
    order::sort(&mut roles);
    roles.dedup();
    if roles.is_empty() { "<none>".into() } else { roles.join(",") }
}

/// The addresses of the load balancer of an Ingress, sorted: `10.0.0.1,lb.example.com`
/// (`ingressLoadBalancerStatusStringer`).
pub fn ingress_addresses(i: &Ingress) -> String {
    let balancer = i.status.as_ref().and_then(|s| s.load_balancer.as_ref());
    let points = balancer.and_then(|b| b.ingress.as_deref()).unwrap_or_default();
    let named = points.iter().filter_map(|p| {
        let some = |t: &'_ Option<String>| t.clone().filter(|t| !t.is_empty());
        some(&p.ip).or_else(|| some(&p.hostname))
    });
    let all: BTreeSet<String> = named.collect();
    all.into_iter().collect::<Vec<_>>().join(",")
}

/// The state of a CertificateSigningRequest, `Approved,Issued` (`extractCSRStatus`).
pub fn certificate_condition(request: &CertificateSigningRequest) -> String {
    let has = |type_: &str| condition(request, type_).is_some();
    let decision = match (has("Denied"), has("Approved")) {
        (true, _) => "Denied",
        (false, true) => "Approved",
        (false, false) => "Pending",
    };
    let failed = if has("Failed") { ",Failed" } else { "" };
    let issued = if certificate(request).is_empty() { "" } else { ",Issued" };
    format!("{decision}{failed}{issued}")
}

/// The state of a ResourceClaim, `allocated,reserved` (`resourceClaimState`).
pub fn resource_claim_state(claim: &ResourceClaim) -> String {
    let deleted = claim.metadata.is_deleting();
    let status = claim.status.as_ref();
    let mut states = Vec::new();
    if deleted {
        states.push("deleted");
    }
    if status.is_some_and(|s| s.allocation.is_some()) {
        states.push("allocated");
        if status.is_some_and(|s| s.reserved_for.as_ref().is_some_and(|r| !r.is_empty())) {
            states.push("reserved");
        }
    } else if !deleted {
        states.push("pending");
    }
    states.join(",")
}

/// The value that a HorizontalPodAutoscaler last read of a metric.
#[derive(Clone, Debug, Default)]
pub struct CurrentMetric {
    /// The value of the metric.
    pub value: Option<Quantity>,
    /// The value divided by the number of pods.
    pub average: Option<Quantity>,
    /// The average in percent of what the pods request of the resource.
    pub utilization: Option<i32>,
}

/// The current value of a metric. `status` is the entry of `status.currentMetrics` at the index of the metric in
/// `spec.metrics`; without one, and if it is of another type, there are no values.
pub fn current_metric(metric: &hpa::MetricSpec, status: Option<&hpa::MetricStatus>) -> CurrentMetric {
    let Some(s) = status else { return CurrentMetric::default() };
    let found = match metric.type_.as_str() {
        "External" => s.external.as_ref().map(|m| &m.current),
        "Pods" => s.pods.as_ref().map(|m| &m.current),
        "Object" => s.object.as_ref().map(|m| &m.current),
        "Resource" => s.resource.as_ref().map(|m| &m.current),
        "ContainerResource" => s.container_resource.as_ref().map(|m| &m.current),
        _ => None,
    };
    let Some(m) = found else { return CurrentMetric::default() };
    CurrentMetric {
        value: m.value.clone(),
        average: m.average_value.clone(),
        utilization: m.average_utilization,
    }
}

/// A quantity in canonical form; [`UNKNOWN`] if there is none.
pub fn quantity(q: Option<&Quantity>) -> String {
    q.map_or_else(|| UNKNOWN.into(), |q| amount_of(Some(q)).canonical())
}
