//! What a Service is given: its address and its ports on the nodes
//! (`k8s.io/kubernetes/pkg/registry/core/service`).

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use super::validation::{FieldError, Path};
use super::{ApiServer, Status, registry};
use crate::api::order;
use crate::api::types::{Service, ServicePort, ServiceSpec};
use crate::api::{ApiKind, Kind, Object};

/// The ports on nodes that Services may have.
const NODE_PORTS: std::ops::RangeInclusive<i32> = 30_000..=32_767;
/// The first address of the Services' range, 10.96.0.0/16.
const FIRST_ADDRESS: Ipv4Addr = Ipv4Addr::new(10, 96, 0, 0);
/// What stands in `clusterIP` of a Service that wants no address.
const HEADLESS: &str = "None";

fn needs_cluster_ip(spec: &ServiceSpec) -> bool {
    matches!(spec.type_.as_deref().unwrap_or("ClusterIP"), "ClusterIP" | "NodePort" | "LoadBalancer")
}

fn needs_node_port(spec: &ServiceSpec) -> bool {
    match spec.type_.as_deref() {
        Some("NodePort") => true,
        Some("LoadBalancer") => spec.allocate_load_balancer_node_ports != Some(false),
        _ => false,
    }
}

/// Whether traffic from outside reaches it, so that it matters which way.
fn is_external(spec: &ServiceSpec) -> bool {
    matches!(spec.type_.as_deref(), Some("NodePort" | "LoadBalancer"))
        || spec.external_ips.as_ref().is_some_and(|i| !i.is_empty())
}

fn node_port(p: &ServicePort) -> i32 {
    p.node_port.unwrap_or(0)
}

fn protocol(p: &ServicePort) -> &str {
    p.protocol.as_deref().unwrap_or("TCP")
}

fn node_ports(spec: &ServiceSpec) -> BTreeSet<i32> {
    order::gather(spec.ports.iter().flatten().map(node_port))
}

/// The specs of all Services but one.
fn others<'a>(api: &'a ApiServer, not: &'a Object) -> impl Iterator<Item = &'a ServiceSpec> {
    api.etcd()
        .range(Kind::Service, None)
        .filter(move |(_, r)| r.object.key() != not.key())
        .filter_map(|(_, r)| Service::from_object(&r.object)?.spec.as_ref())
}

fn used_ports(api: &ApiServer, not: &Object) -> BTreeSet<(i32, String)> {
    let ports = others(api, not).flat_map(|s| s.ports.iter().flatten()).filter(|p| node_port(p) != 0);
    order::gather(ports.map(|p| (node_port(p), protocol(p).to_owned())))
}

fn used_addresses(api: &ApiServer, not: &Object) -> BTreeSet<String> {
    order::gather(others(api, not).filter_map(|s| s.cluster_ip.clone()))
}

/// Gives a Service its address and its ports, unless it wants none or has them. Real allocators
/// pick at random; which ones they are means nothing, so here it is the first that is free.
pub(super) fn allocate(api: &ApiServer, object: &mut Object) {
    let Some(s) = Service::from_object(object) else { return };
    let spec = s.spec.clone().unwrap_or_default();
    if !needs_cluster_ip(&spec) {
        return;
    }
    let ip = match spec.cluster_ip.clone().filter(|ip| !ip.is_empty()) {
        Some(ip) => ip,
        None => {
            let used = used_addresses(api, object);
            let base = u32::from(FIRST_ADDRESS);
            let mut all = (10..65_000u32).map(|i| Ipv4Addr::from(base + i).to_string());
            all.find(|ip| !used.contains(ip)).unwrap_or_default()
        }
    };
    let mut picks = Vec::new();
    if needs_node_port(&spec) {
        let used = used_ports(api, object);
        for p in spec.ports.iter().flatten() {
            let free = |n: &i32| {
                let mine = spec.ports.iter().flatten().any(|p| node_port(p) == *n);
                !mine && !picks.contains(n) && !used.iter().any(|(u, _)| u == n)
            };
            let pick = if node_port(p) == 0 { NODE_PORTS.clone().find(free) } else { p.node_port };
            picks.push(pick.unwrap_or(0));
        }
    }
    let Some(s) = Service::from_object_mut(object) else { return };
    let spec = s.spec.get_or_insert_default();
    if spec.cluster_ips.as_ref().is_none_or(Vec::is_empty) {
        spec.cluster_ips = Some(vec![ip.clone()]);
    }
    spec.cluster_ip = Some(ip);
    spec.ip_families.get_or_insert_with(|| vec!["IPv4".into()]);
    spec.ip_family_policy.get_or_insert_with(|| "SingleStack".into());
    for (p, pick) in spec.ports.iter_mut().flatten().zip(picks) {
        p.node_port = Some(pick);
    }
}

/// Whether what a Service asks for by number may be had; the rest is valid already.
///
/// # Errors
/// 422.
pub(super) fn begin(api: &ApiServer, object: &Object, old: Option<&Object>) -> Result<(), Status> {
    let Some(spec) = Service::from_object(object).and_then(|s| s.spec.as_ref()) else { return Ok(()) };
    let before = old.and_then(Service::from_object).and_then(|s| s.spec.as_ref());
    let refuse = |e: FieldError| Err(registry::invalid(Kind::Service, object.name(), &[e]));
    let asked = spec.cluster_ip.as_deref().filter(|ip| !ip.is_empty() && *ip != HEADLESS);
    if let Some(ip) = asked.filter(|ip| before.is_none_or(|b| b.cluster_ip.as_deref() != Some(ip))) {
        let inside =
            ip.parse::<Ipv4Addr>().is_ok_and(|a| a.octets().get(..2) == FIRST_ADDRESS.octets().get(..2));
        let why = if !inside {
            Some("the provided network does not match the current range")
        } else if used_addresses(api, object).contains(ip) {
            Some("provided IP is already allocated")
        } else {
            None
        };
        if let Some(why) = why {
            let at = Path::new("spec").child("clusterIPs");
            let value = super::validation::BadValue::Json(format!("[\"{ip}\"]"));
            return refuse(FieldError::invalid(&at, value, format!("failed to allocate IP {ip}: {why}")));
        }
    }
    let mine = before.map(node_ports).unwrap_or_default();
    let used = used_ports(api, object);
    for (i, p) in spec.ports.iter().flatten().enumerate() {
        let n = node_port(p);
        if n == 0 || mine.contains(&n) {
            continue;
        }
        let why = if !NODE_PORTS.contains(&n) {
            format!(
                "provided port is not in the valid range. The range of valid ports is {}-{}",
                NODE_PORTS.start(),
                NODE_PORTS.end()
            )
        } else if used.contains(&(n, protocol(p).to_owned())) {
            "provided port is already allocated".to_owned()
        } else {
            continue;
        };
        let at = Path::new("spec").child("ports").index(i).child("nodePort");
        let value = super::validation::BadValue::Json(n.to_string());
        return refuse(FieldError::invalid(&at, value, why));
    }
    Ok(())
}

/// Before an update: what was allocated stays where it is left out, and what the new type has no use
/// for goes where it was left in.
pub(super) fn prepare_for_update(s: &mut Service, old: &Service) {
    let (Some(n), Some(o)) = (s.spec.as_mut(), old.spec.as_ref()) else { return };
    if needs_cluster_ip(n) && needs_cluster_ip(o) {
        patch_allocated(n, o);
    }
    drop_dependent(n, o);
}

fn patch_allocated(n: &mut ServiceSpec, o: &ServiceSpec) {
    let given = n.cluster_ip.clone().filter(|ip| !ip.is_empty());
    let same_list = n.cluster_ips == o.cluster_ips || n.cluster_ips.as_ref().is_none_or(Vec::is_empty);
    match given {
        None => n.cluster_ip.clone_from(&o.cluster_ip),
        // Only the old field was changed: the list follows.
        Some(ip) if same_list && o.cluster_ip.as_ref() != Some(&ip) => {
            let mut ips = o.cluster_ips.clone().unwrap_or_default();
            match ips.first_mut() {
                Some(first) => *first = ip,
                None => ips.push(ip),
            }
            n.cluster_ips = Some(ips);
        }
        Some(_) => {}
    }
    if n.cluster_ips.as_ref().is_none_or(Vec::is_empty) && n.cluster_ip == o.cluster_ip {
        n.cluster_ips.clone_from(&o.cluster_ips);
    }
    if n.ip_families.is_none() {
        n.ip_families.clone_from(&o.ip_families);
    }
    if n.ip_family_policy.is_none() {
        n.ip_family_policy.clone_from(&o.ip_family_policy);
    }
    if needs_node_port(n) && needs_node_port(o) {
        let used = node_ports(n);
        for p in n.ports.iter_mut().flatten().filter(|p| node_port(p) == 0) {
            let before = o.ports.iter().flatten().find(|q| q.port == p.port && protocol(q) == protocol(p));
            if let Some(b) = before.filter(|b| !used.contains(&node_port(b))) {
                p.node_port = b.node_port;
            }
        }
    }
}

fn drop_dependent(n: &mut ServiceSpec, o: &ServiceSpec) {
    if needs_cluster_ip(o) && !needs_cluster_ip(n) && n.cluster_ip == o.cluster_ip {
        n.cluster_ip = None;
        n.cluster_ips = None;
        n.ip_families = None;
        n.ip_family_policy = None;
    }
    if needs_node_port(o) && !needs_node_port(n) && node_ports(n) == node_ports(o) {
        for p in n.ports.iter_mut().flatten() {
            p.node_port = None;
        }
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
        if n.health_check_node_port == o.health_check_node_port {
            n.health_check_node_port = None;
        }
    }
}
