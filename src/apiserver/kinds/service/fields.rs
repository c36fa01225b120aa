//! Which fields of a Service belong to which type, and what becomes of them when the type changes
//! (`pkg/registry/core/service/strategy.go`, `pkg/apis/core/v1/helper`).

use std::collections::BTreeSet;

use crate::api::order;
use crate::api::types::{ServicePort, ServiceSpec};
use crate::apiserver::validation::{list, text};

/// What stands in `clusterIP` of a Service that wants no address.
pub(super) const HEADLESS: &str = "None";

/// Whether the Service has cluster IPs (`needsClusterIP`).
pub(super) fn needs_cluster_ip(spec: &ServiceSpec) -> bool {
    matches!(spec.type_.as_deref().unwrap_or("ClusterIP"), "ClusterIP" | "NodePort" | "LoadBalancer")
}

/// Whether its ports have node ports (`NeedsNodePort`).
pub(super) fn needs_node_port(spec: &ServiceSpec) -> bool {
    matches!(text(&spec.type_), "NodePort" | "LoadBalancer")
}

/// Whether node ports are chosen for it; otherwise it gets only those that it asks for.
pub(super) fn chooses_node_ports(spec: &ServiceSpec) -> bool {
    text(&spec.type_) == "NodePort" || spec.allocate_load_balancer_node_ports != Some(false)
}

/// Whether it has a node port for health checks (`NeedsHealthCheck`).
pub(super) fn needs_health_check(spec: &ServiceSpec) -> bool {
    text(&spec.type_) == "LoadBalancer" && text(&spec.external_traffic_policy) == "Local"
}

/// Whether traffic from outside reaches it, so that its external traffic policy matters (`ExternallyAccessible` in
/// `pkg/api/service/util.go`).
pub(super) fn is_external(spec: &ServiceSpec) -> bool {
    needs_node_port(spec) || (text(&spec.type_) == "ClusterIP" && !list(&spec.external_ips).is_empty())
}

/// The port on every node; 0 if there is none.
pub(super) fn node_port(p: &ServicePort) -> i32 {
    p.node_port.unwrap_or(0)
}

/// The node port for health checks; 0 if there is none.
pub(super) fn health_check_port(spec: &ServiceSpec) -> i32 {
    spec.health_check_node_port.unwrap_or(0)
}

/// The node ports of all its ports.
pub(super) fn node_ports(spec: &ServiceSpec) -> BTreeSet<i32> {
    order::gather(spec.ports.iter().flatten().map(node_port))
}

/// Whether it asked for no cluster IP.
pub(super) fn is_headless(spec: &ServiceSpec) -> bool {
    matches!(list(&spec.cluster_ips), [one] if one == HEADLESS)
}

/// Fills in what the server allocated before and the client left out (`patchAllocatedValues`).
pub(super) fn patch_allocated(n: &mut ServiceSpec, o: &ServiceSpec) {
    if needs_cluster_ip(n) && needs_cluster_ip(o) {
        if text(&n.cluster_ip).is_empty() {
            n.cluster_ip.clone_from(&o.cluster_ip);
        }
        if list(&n.cluster_ips).is_empty() && n.cluster_ip == o.cluster_ip {
            n.cluster_ips.clone_from(&o.cluster_ips);
        }
    }
    if needs_node_port(n) && needs_node_port(o) {
        let used: BTreeSet<i32> = node_ports(o).intersection(&node_ports(n)).copied().collect();
        for p in n.ports.iter_mut().flatten().filter(|p| node_port(p) == 0) {
            let before =
                o.ports.iter().flatten().rfind(|q| text(&q.name) == text(&p.name)).map_or(0, node_port);
            if before != 0 && !used.contains(&before) {
                p.node_port = Some(before);
            }
        }
    }
    if needs_health_check(n) && needs_health_check(o) && health_check_port(n) == 0 {
        n.health_check_node_port = o.health_check_node_port;
    }
}

/// Keeps `clusterIP` and `clusterIPs` the same where a client changed only one of them (`NormalizeClusterIPs`).
pub(super) fn normalize_cluster_ips(n: &mut ServiceSpec, o: &ServiceSpec) {
    let (one, one_before) = (text(&n.cluster_ip), text(&o.cluster_ip));
    if one != one_before && n.cluster_ips == o.cluster_ips {
        if one.is_empty() {
            n.cluster_ips = None;
        } else {
            let mut ips = o.cluster_ips.clone().unwrap_or_default();
            match ips.first_mut() {
                Some(first) => *first = one.to_owned(),
                None => ips.push(one.to_owned()),
            }
            n.cluster_ips = Some(ips);
        }
    } else if one != one_before && list(&n.cluster_ips).is_empty() && !one.is_empty() {
        n.cluster_ips = Some(vec![one.to_owned()]);
    }
    if needs_cluster_ip(n) && needs_cluster_ip(o) {
        if n.ip_families.is_none() {
            n.ip_families.clone_from(&o.ip_families);
        }
        if n.ip_family_policy.is_none() {
            n.ip_family_policy.clone_from(&o.ip_family_policy);
        }
    }
}

/// Drops what the new type has no use for, where the client left it as it was (`dropTypeDependentFields`).
pub(super) fn drop_dependent(n: &mut ServiceSpec, o: &ServiceSpec) {
    if needs_cluster_ip(o) && !needs_cluster_ip(n) {
        if list(&n.cluster_ips) == list(&o.cluster_ips) {
            n.cluster_ip = None;
            n.cluster_ips = None;
        }
        if list(&n.ip_families) == list(&o.ip_families) {
            n.ip_families = None;
        }
        if n.ip_family_policy == o.ip_family_policy {
            n.ip_family_policy = None;
        }
    }
    if needs_node_port(o) && !needs_node_port(n) && node_ports(n) == node_ports(o) {
        for p in n.ports.iter_mut().flatten() {
            p.node_port = None;
        }
    }
    if needs_health_check(o) && !needs_health_check(n) && n.health_check_node_port == o.health_check_node_port
    {
        n.health_check_node_port = None;
    }
    if is_external(o) && !is_external(n) && n.external_traffic_policy == o.external_traffic_policy {
        n.external_traffic_policy = None;
    }
    let balancer = |s: &ServiceSpec| s.type_.as_deref() == Some("LoadBalancer");
    if balancer(o) && !balancer(n) {
        if n.allocate_load_balancer_node_ports == o.allocate_load_balancer_node_ports {
            n.allocate_load_balancer_node_ports = None;
        }
        if n.load_balancer_class == o.load_balancer_class {
            n.load_balancer_class = None;
        }
    }
}
