//! What a Service is given before its strategy sees it: families, addresses, ports on the nodes
//! (`k8s.io/kubernetes/pkg/registry/core/service/storage`). The cluster has one family, IPv4.
//!
//! The generic store begins a create and an update with this (`BeginCreate`, `BeginUpdate`), so what
//! cannot be allocated is refused before anything else is looked at.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use super::validation::{self, BadValue, Errors, FieldError, Path};
use super::{ApiServer, registry};
use crate::api::order;
use crate::api::types::{Service, ServicePort, ServiceSpec};
use crate::api::{ApiKind, Kind, Object};
use crate::apimachinery::Status;

/// The ports on nodes that Services may have.
const NODE_PORTS: std::ops::RangeInclusive<i32> = 30_000..=32_767;
/// The first address of the Services' range, 10.96.0.0/16.
const FIRST_ADDRESS: Ipv4Addr = Ipv4Addr::new(10, 96, 0, 0);
/// What stands in `clusterIP` of a Service that wants no address.
const HEADLESS: &str = "None";

fn text(field: &Option<String>) -> &str {
    field.as_deref().unwrap_or_default()
}

fn strings(field: &Option<Vec<String>>) -> &[String] {
    field.as_deref().unwrap_or_default()
}

fn needs_cluster_ip(spec: &ServiceSpec) -> bool {
    matches!(spec.type_.as_deref().unwrap_or("ClusterIP"), "ClusterIP" | "NodePort" | "LoadBalancer")
}

fn needs_node_port(spec: &ServiceSpec) -> bool {
    matches!(text(&spec.type_), "NodePort" | "LoadBalancer")
}

/// Whether ports are chosen for it, or only those it asks for are taken.
fn chooses_node_ports(spec: &ServiceSpec) -> bool {
    text(&spec.type_) == "NodePort" || spec.allocate_load_balancer_node_ports != Some(false)
}

fn needs_health_check(spec: &ServiceSpec) -> bool {
    text(&spec.type_) == "LoadBalancer" && text(&spec.external_traffic_policy) == "Local"
}

/// Whether traffic from outside reaches it, so that it matters which way.
fn is_external(spec: &ServiceSpec) -> bool {
    needs_node_port(spec) || spec.external_ips.as_ref().is_some_and(|i| !i.is_empty())
}

fn node_port(p: &ServicePort) -> i32 {
    p.node_port.unwrap_or(0)
}

fn health_check_port(spec: &ServiceSpec) -> i32 {
    spec.health_check_node_port.unwrap_or(0)
}

fn node_ports(spec: &ServiceSpec) -> BTreeSet<i32> {
    order::gather(spec.ports.iter().flatten().map(node_port))
}

fn refuse(object: &Object, errors: &[FieldError]) -> Result<(), Status> {
    if errors.is_empty() { Ok(()) } else { Err(registry::invalid(Kind::Service, object.name(), errors)) }
}

fn internal_error(why: &str) -> Status {
    Status::new(500, "InternalError", format!("Internal error occurred: {why}"))
}

/// The list of strings as a message quotes it.
fn quoted(list: &[String]) -> BadValue {
    validation::json_strings(list)
}

/// The policy as a message quotes it: it stands behind a pointer.
fn policy_value(spec: &ServiceSpec) -> BadValue {
    let text = spec.ip_family_policy.as_deref().map_or("null".to_owned(), validation::go_json_string);
    BadValue::Json(text)
}

/// What is taken by others, and in the course of this request.
struct Taken {
    addresses: BTreeSet<String>,
    /// One set for all protocols, as the allocator has it.
    ports: BTreeSet<i32>,
}

impl Taken {
    /// By all Services but the one that is updated.
    fn by_others(api: &ApiServer, not: Option<&Object>) -> Taken {
        let mut taken = Taken { addresses: BTreeSet::new(), ports: BTreeSet::new() };
        for (_, record) in api.etcd.range(Kind::Service, None) {
            if not.is_some_and(|o| o.key() == record.object.key()) {
                continue;
            }
            let Some(spec) = Service::from_object(&record.object).and_then(|s| s.spec.as_ref()) else {
                continue;
            };
            taken.addresses.extend(spec.cluster_ip.clone());
            taken.ports.extend(node_ports(spec));
            taken.ports.insert(health_check_port(spec));
        }
        taken
    }

    /// Takes a port by its number.
    fn port(&mut self, n: i32) -> Result<(), String> {
        if !NODE_PORTS.contains(&n) {
            return Err(format!(
                "provided port is not in the valid range. The range of valid ports is {}-{}",
                NODE_PORTS.start(),
                NODE_PORTS.end()
            ));
        }
        if !self.ports.insert(n) {
            return Err("provided port is already allocated".to_owned());
        }
        Ok(())
    }

    /// Takes the first free port. Real allocators pick at random; which one it is means nothing.
    fn next_port(&mut self) -> Result<i32, Status> {
        let Some(n) = NODE_PORTS.clone().find(|n| !self.ports.contains(n)) else {
            return Err(internal_error("failed to allocate a nodePort: range is full"));
        };
        self.ports.insert(n);
        Ok(n)
    }

    /// Takes an address.
    fn address(&mut self, ip: &str) -> Result<(), String> {
        let parsed: Option<Ipv4Addr> = ip.parse().ok();
        let Some(parsed) = parsed.filter(|a| a.octets().get(..2) == FIRST_ADDRESS.octets().get(..2)) else {
            return Err("the provided network does not match the current range".to_owned());
        };
        let last = u32::from(FIRST_ADDRESS) + 0xffff;
        if parsed == FIRST_ADDRESS || u32::from(parsed) == last {
            return Err(format!(
                "the provided IP ({ip}) is not in the valid range. The range of valid IPs is {FIRST_ADDRESS}/16"
            ));
        }
        if !self.addresses.insert(ip.to_owned()) {
            return Err("provided IP is already allocated".to_owned());
        }
        Ok(())
    }

    fn next_address(&mut self) -> Result<String, Status> {
        let base = u32::from(FIRST_ADDRESS);
        let mut all = (10..65_000u32).map(|i| Ipv4Addr::from(base + i).to_string());
        let Some(ip) = all.find(|ip| !self.addresses.contains(ip)) else {
            return Err(internal_error("failed to allocate a serviceIP: range is full"));
        };
        self.addresses.insert(ip.clone());
        Ok(ip)
    }
}

/// Gives a new Service its families, address and ports, or takes those it asks for.
///
/// # Errors
/// 422 for what cannot be had.
pub(super) fn begin_create(api: &ApiServer, object: &mut Object) -> Result<(), Status> {
    let Some(service) = Service::from_object(object) else { return Ok(()) };
    let mut spec = service.spec.clone().unwrap_or_default();
    if !text(&spec.cluster_ip).is_empty() && strings(&spec.cluster_ips).is_empty() {
        spec.cluster_ips = spec.cluster_ip.clone().map(|ip| vec![ip]);
    }
    let mut taken = Taken::by_others(api, None);
    init_families(object, &mut spec, None)?;
    allocate_address(object, &mut spec, &mut taken)?;
    if needs_node_port(&spec) {
        new_node_ports(object, &mut spec, &mut taken)?;
    }
    if needs_health_check(&spec) {
        allocate_health_check(&mut spec, &mut taken)?;
    }
    store(object, spec);
    Ok(())
}

/// Before an update: what was allocated stays where it is left out, and what is new is allocated.
///
/// # Errors
/// 422 for what cannot be had.
pub(super) fn begin_update(api: &ApiServer, object: &mut Object, old: &Object) -> Result<(), Status> {
    let (Some(n), Some(o)) = (Service::from_object(object), Service::from_object(old)) else { return Ok(()) };
    let (mut spec, before) = (n.spec.clone().unwrap_or_default(), o.spec.clone().unwrap_or_default());
    patch_allocated(&mut spec, &before);
    normalize_cluster_ips(&mut spec, &before);
    if !same_prefer_dual_stack(&spec, &before) {
        init_families(object, &mut spec, Some(&before))?;
    }
    let mut taken = Taken::by_others(api, Some(old));
    if text(&before.type_) == "ExternalName" && text(&spec.type_) != "ExternalName" {
        allocate_address(object, &mut spec, &mut taken)?;
    }
    if needs_node_port(&spec) {
        changed_node_ports(object, &mut spec, &before, &mut taken)?;
    }
    match (needs_health_check(&before), needs_health_check(&spec)) {
        (false, true) => allocate_health_check(&mut spec, &mut taken)?,
        (true, true) if health_check_port(&spec) != health_check_port(&before) => {
            let at = Path::new("spec").child("healthCheckNodePort");
            let why = "cannot change healthCheckNodePort on loadBalancer service with externalTraffic=Local during update";
            refuse(object, &[FieldError::invalid(&at, health_check_port(&spec), why)])?;
        }
        _ => {}
    }
    store(object, spec);
    Ok(())
}

/// What the new type has no use for goes where it was left in.
pub(super) fn prepare_for_update(s: &mut Service, old: &Service) {
    if let (Some(n), Some(o)) = (s.spec.as_mut(), old.spec.as_ref()) {
        drop_dependent(n, o);
    }
}

fn store(object: &mut Object, spec: ServiceSpec) {
    if let Some(s) = Service::from_object_mut(object)
        && s.spec.as_ref() != Some(&spec)
    {
        s.spec = Some(spec);
    }
}

/// A Service that prefers two families is not moved to another number of them by the way.
fn same_prefer_dual_stack(n: &ServiceSpec, o: &ServiceSpec) -> bool {
    let prefers = |s: &ServiceSpec| text(&s.ip_family_policy) == "PreferDualStack";
    text(&n.type_) != "ExternalName"
        && prefers(n)
        && prefers(o)
        && n.cluster_ips == o.cluster_ips
        && n.ip_families == o.ip_families
}

/// Families and their policy, from what is given (`initIPFamilyFields`).
fn init_families(object: &Object, spec: &mut ServiceSpec, old: Option<&ServiceSpec>) -> Result<(), Status> {
    if text(&spec.type_) == "ExternalName" {
        return Ok(());
    }
    let nowhere = text(&spec.cluster_ip) == HEADLESS && spec.selector.as_ref().is_none_or(|s| s.is_empty());
    if spec.ip_family_policy.is_none() {
        spec.ip_family_policy = match old.and_then(|o| o.ip_family_policy.clone()) {
            Some(policy) => Some(policy),
            None if nowhere => Some("RequireDualStack".to_owned()),
            None => Some("SingleStack".to_owned()),
        };
    }
    let mut errors = Errors::new();
    validation::service_cluster_ips(&mut errors, spec);
    refuse(object, &errors)?;
    let path = Path::new("spec");
    let policy = path.child("ipFamilyPolicy");
    let single = text(&spec.ip_family_policy) == "SingleStack";
    if let Some(old) = old {
        reduced(&mut errors, spec, old, single, &policy);
    }
    if single {
        for (many, what) in [
            (strings(&spec.cluster_ips).len(), "cluster IPs"),
            (strings(&spec.ip_families).len(), "IP families"),
        ] {
            if many == 2 {
                let why = format!(
                    "must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
                );
                errors.push(FieldError::invalid(&policy, policy_value(spec), why));
            }
        }
    }
    let ips = strings(&spec.cluster_ips).to_vec();
    for (i, ip) in ips.iter().enumerate().take_while(|(_, ip)| *ip != HEADLESS) {
        if i < strings(&spec.ip_families).len() {
            continue;
        }
        if ip.contains(':') {
            let at = path.child("clusterIPs").index(i);
            errors.push(FieldError::invalid(&at, quoted(&ips), "IPv6 is not configured on this cluster"));
        } else {
            spec.ip_families.get_or_insert_default().push("IPv4".to_owned());
        }
    }
    refuse(object, &errors)?;
    let families = spec.ip_families.get_or_insert_default();
    if nowhere {
        if families.is_empty() {
            families.push("IPv4".to_owned());
        }
        if let ([one], false) = (families.as_slice(), single) {
            families.push(if one == "IPv4" { "IPv6" } else { "IPv4" }.to_owned());
        }
        return Ok(());
    }
    if text(&spec.ip_family_policy) == "RequireDualStack" {
        let why = "this cluster is not configured for dual-stack services";
        errors.push(FieldError::invalid(&policy, policy_value(spec), why));
    }
    for (i, family) in strings(&spec.ip_families).iter().enumerate().filter(|(_, f)| *f != "IPv4") {
        let at = path.child("ipFamilies").index(i);
        errors.push(FieldError::invalid(&at, family, "not configured on this cluster"));
    }
    refuse(object, &errors)?;
    let families = spec.ip_families.get_or_insert_default();
    if families.is_empty() {
        families.push("IPv4".to_owned());
    }
    Ok(())
}

/// An update that has fewer addresses or families must say that it wants one.
fn reduced(errors: &mut Errors, spec: &mut ServiceSpec, old: &ServiceSpec, single: bool, policy: &Path) {
    if single {
        // As long as nothing else changed, the policy alone says what is wanted.
        if spec.cluster_ips == old.cluster_ips {
            spec.cluster_ips.iter_mut().for_each(|ips| ips.truncate(1));
        }
        if spec.ip_families == old.ip_families {
            spec.ip_families.iter_mut().for_each(|families| families.truncate(1));
        }
        return;
    }
    for (new, old, what) in [
        (strings(&spec.cluster_ips), strings(&old.cluster_ips), "cluster IP"),
        (strings(&spec.ip_families), strings(&old.ip_families), "IP family"),
    ] {
        if !new.is_empty() && new.len() < old.len() {
            let why = format!("must be 'SingleStack' to release the secondary {what}");
            errors.push(FieldError::invalid(policy, policy_value(spec), why));
        }
    }
}

fn allocate_address(object: &Object, spec: &mut ServiceSpec, taken: &mut Taken) -> Result<(), Status> {
    let headless = strings(&spec.cluster_ips).first().is_some_and(|ip| ip == HEADLESS);
    if text(&spec.type_) == "ExternalName" || headless {
        return Ok(());
    }
    let given = strings(&spec.cluster_ips).first().cloned().unwrap_or_default();
    let ip = if given.is_empty() {
        taken.next_address()?
    } else {
        if let Err(why) = taken.address(&given) {
            let at = Path::new("spec").child("clusterIPs");
            let value = quoted(strings(&spec.cluster_ips));
            let why = format!("failed to allocate IP {given}: {why}");
            refuse(object, &[FieldError::invalid(&at, value, why)])?;
        }
        given
    };
    let ips = spec.cluster_ips.get_or_insert_default();
    match ips.first_mut() {
        Some(first) => first.clone_from(&ip),
        None => ips.push(ip.clone()),
    }
    spec.cluster_ip = Some(ip);
    Ok(())
}

fn cannot_have(object: &Object, i: usize, n: i32, why: String) -> Result<(), Status> {
    let at = Path::new("spec").child("ports").index(i).child("nodePort");
    refuse(object, &[FieldError::invalid(&at, n, why)])
}

/// The ports of a new Service. One port of a Service has one port on the nodes, whatever its
/// protocols (`initNodePorts`).
fn new_node_ports(object: &Object, spec: &mut ServiceSpec, taken: &mut Taken) -> Result<(), Status> {
    let choose = chooses_node_ports(spec);
    let asked = spec.ports.clone().unwrap_or_default();
    let mut given: Vec<(i32, i32)> = Vec::new();
    for (i, p) in spec.ports.iter_mut().flatten().enumerate() {
        if node_port(p) == 0 && !choose {
            continue;
        }
        match given.iter().find(|(port, _)| *port == p.port).map(|(_, n)| *n) {
            None => {
                let wanted =
                    asked.iter().find(|q| q.port == p.port && node_port(q) != 0).map_or(0, node_port);
                let n = if wanted == 0 {
                    // What a later port asks for by number is left to it.
                    let later: Vec<i32> = asked.iter().map(node_port).collect();
                    let mut n = taken.next_port()?;
                    while later.contains(&n) {
                        taken.ports.remove(&n);
                        let mut rest =
                            NODE_PORTS.clone().filter(|m| !taken.ports.contains(m) && !later.contains(m));
                        n = rest
                            .next()
                            .ok_or_else(|| internal_error("failed to allocate a nodePort: range is full"))?;
                        taken.ports.insert(n);
                    }
                    n
                } else {
                    if let Err(why) = taken.port(wanted) {
                        cannot_have(object, i, wanted, why)?;
                    }
                    wanted
                };
                p.node_port = Some(n);
                given.push((p.port, n));
            }
            Some(n) if node_port(p) == 0 => p.node_port = Some(n),
            Some(n) if node_port(p) == n => {}
            Some(_) => {
                if let Err(why) = taken.port(node_port(p)) {
                    cannot_have(object, i, node_port(p), why)?;
                }
            }
        }
    }
    Ok(())
}

/// The ports of a Service that is changed: those it had stay its own (`updateNodePorts`).
fn changed_node_ports(
    object: &Object,
    spec: &mut ServiceSpec,
    before: &ServiceSpec,
    taken: &mut Taken,
) -> Result<(), Status> {
    let choose = chooses_node_ports(spec);
    let mine = node_ports(before);
    let mut seen: BTreeSet<(String, i32)> = BTreeSet::new();
    let mut allocated = BTreeSet::new();
    for (i, p) in spec.ports.iter_mut().flatten().enumerate() {
        match node_port(p) {
            0 if !choose => continue,
            0 => {
                while let Some(n) = mine.iter().find(|n| **n != 0 && !taken.ports.contains(n)) {
                    // Not given out again before the update is done.
                    taken.ports.insert(*n);
                }
                p.node_port = Some(taken.next_port()?);
            }
            n if !mine.contains(&n) && allocated.insert(n) => {
                if let Err(why) = taken.port(n) {
                    cannot_have(object, i, n, why)?;
                }
            }
            _ => {}
        }
        let protocol = p.protocol.clone().unwrap_or_else(|| "TCP".into());
        if !seen.insert((protocol.clone(), node_port(p))) {
            let why = format!("duplicate nodePort: {{{protocol} {}}}", node_port(p));
            return Err(Status::new(500, "", why));
        }
    }
    Ok(())
}

fn allocate_health_check(spec: &mut ServiceSpec, taken: &mut Taken) -> Result<(), Status> {
    match health_check_port(spec) {
        0 => spec.health_check_node_port = Some(taken.next_port()?),
        n => taken.port(n).map_err(|why| {
            internal_error(&format!("failed to allocate requested HealthCheck NodePort {n}: {why}"))
        })?,
    }
    Ok(())
}

/// What a client left out that had it from the server (`patchAllocatedValues`).
fn patch_allocated(n: &mut ServiceSpec, o: &ServiceSpec) {
    if needs_cluster_ip(n) && needs_cluster_ip(o) {
        if text(&n.cluster_ip).is_empty() {
            n.cluster_ip.clone_from(&o.cluster_ip);
        }
        if strings(&n.cluster_ips).is_empty() && n.cluster_ip == o.cluster_ip {
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

/// A client that knows only the one address, or only the list, means both.
fn normalize_cluster_ips(n: &mut ServiceSpec, o: &ServiceSpec) {
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
    } else if one != one_before && strings(&n.cluster_ips).is_empty() && !one.is_empty() {
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
