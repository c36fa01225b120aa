//! Allocation of cluster IPs and node ports (`pkg/registry/core/service/storage/{alloc,storage}.go`).
//!
//! The generic store calls these functions when a create or an update begins (`BeginCreate`, `BeginUpdate`), so what
//! cannot be allocated is refused before the Service is validated.

use std::collections::BTreeSet;

use super::families::{init_families, refuse, same_prefer_dual_stack};
use super::fields::{
    HEADLESS, chooses_node_ports, health_check_port, needs_health_check, needs_node_port, node_port,
    node_ports, normalize_cluster_ips, patch_allocated,
};
use super::ip_allocator::{FULL, Transaction, Unavailable};
use crate::api::service_cidr::cluster_ips;
use crate::api::types::{Service, ServiceSpec};
use crate::api::{ApiKind, Kind, Object};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;
use crate::apiserver::validation::{FieldError, Path, json_strings, list, text};

/// The ports on nodes that Services may have.
const NODE_PORTS: std::ops::RangeInclusive<i32> = 30_000..=32_767;
/// How many of these, the first ones, are left to Services that ask for a port, as long as there are others
/// (`calculateRangeOffset` in `pkg/registry/core/service/portallocator`, KEP-3668): a 32nd of all, at least 16 and at most
/// 128.
const STATIC_PORTS: i32 = 86;

/// The ports in the order in which they are chosen for a Service that asks for none.
fn by_choice() -> impl Iterator<Item = i32> {
    let first = *NODE_PORTS.start();
    (first + STATIC_PORTS..=*NODE_PORTS.end()).chain(first..first + STATIC_PORTS)
}

fn internal_error(why: &str) -> Status {
    Status::new(500, "InternalError", format!("Internal error occurred: {why}"))
}

/// The node ports that other Services have, and those that this request has taken. Kubernetes keeps them in an object of
/// its own (`RangeAllocation`), which a loop repairs; ports that are read off the Services cannot leak or be missing.
struct Ports {
    /// One set for all protocols, as the allocator has it.
    taken: BTreeSet<i32>,
}

impl Ports {
    /// Those of all Services but `not`, the one that is updated.
    fn of_others(api: &ApiServer, not: Option<&Object>) -> Ports {
        let mut taken = BTreeSet::new();
        for (_, record) in api.etcd.range(Kind::SERVICE, None) {
            if not.is_some_and(|o| o.key() == record.object.key()) {
                continue;
            }
            let Some(spec) = Service::from_object(&record.object).and_then(|s| s.spec.as_ref()) else {
                continue;
            };
            taken.extend(node_ports(spec));
            taken.insert(health_check_port(spec));
        }
        Ports { taken }
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
        if !self.taken.insert(n) {
            return Err("provided port is already allocated".to_owned());
        }
        Ok(())
    }

    /// Takes the first free port. Real allocators pick at random within the two parts of the range; which one it is means
    /// nothing.
    fn next_port(&mut self) -> Result<i32, Status> {
        let Some(n) = by_choice().find(|n| !self.taken.contains(n)) else {
            return Err(internal_error("failed to allocate a nodePort: range is full"));
        };
        self.taken.insert(n);
        Ok(n)
    }
}

/// Gives a new Service its families, addresses and ports; those that it asks for are taken.
///
/// # Errors
/// 422 for what cannot be had.
pub(in crate::apiserver) fn begin_create(
    api: &mut ApiServer,
    object: &mut Object,
    dry_run: bool,
    transaction: &mut Transaction,
) -> Result<(), Status> {
    let Some(service) = Service::from_object(object) else { return Ok(()) };
    let mut spec = service.spec.clone().unwrap_or_default();
    if !text(&spec.cluster_ip).is_empty() && list(&spec.cluster_ips).is_empty() {
        spec.cluster_ips = spec.cluster_ip.clone().map(|ip| vec![ip]);
    }
    init_families(api.ip_family(), object, &mut spec, None)?;
    allocate_addresses(api, object, &mut spec, dry_run, transaction)?;
    let mut ports = Ports::of_others(api, None);
    if needs_node_port(&spec) {
        new_node_ports(object, &mut spec, &mut ports)?;
    }
    if needs_health_check(&spec) {
        allocate_health_check(&mut spec, &mut ports)?;
    }
    store(object, spec);
    Ok(())
}

/// Begins an update: what was allocated before is kept where the client left it out, and what the new spec needs besides
/// is allocated.
///
/// # Errors
/// 422 for what cannot be had.
pub(in crate::apiserver) fn begin_update(
    api: &mut ApiServer,
    object: &mut Object,
    old: &Object,
    dry_run: bool,
    transaction: &mut Transaction,
) -> Result<(), Status> {
    let (Some(n), Some(o)) = (Service::from_object(object), Service::from_object(old)) else { return Ok(()) };
    let (mut spec, before) = (n.spec.clone().unwrap_or_default(), o.spec.clone().unwrap_or_default());
    patch_allocated(&mut spec, &before);
    normalize_cluster_ips(&mut spec, &before);
    if !same_prefer_dual_stack(&spec, &before) {
        init_families(api.ip_family(), object, &mut spec, Some(&before))?;
        update_addresses(api, object, &mut spec, o, dry_run, transaction)?;
    }
    let mut ports = Ports::of_others(api, Some(old));
    if needs_node_port(&spec) {
        changed_node_ports(object, &mut spec, &before, &mut ports)?;
    }
    if !needs_health_check(&before) && needs_health_check(&spec) {
        allocate_health_check(&mut spec, &mut ports)?;
    }
    store(object, spec);
    Ok(())
}

fn store(object: &mut Object, spec: ServiceSpec) {
    if let Some(s) = Service::from_object_mut(object)
        && s.spec.as_ref() != Some(&spec)
    {
        s.spec = Some(spec);
    }
}

/// Gives a Service an address of each of its families; those that it asks for are taken (`allocClusterIPs`).
fn allocate_addresses(
    api: &mut ApiServer,
    object: &Object,
    spec: &mut ServiceSpec,
    dry_run: bool,
    transaction: &mut Transaction,
) -> Result<(), Status> {
    let headless = list(&spec.cluster_ips).first().is_some_and(|ip| ip == HEADLESS);
    if text(&spec.type_) == "ExternalName" || headless {
        return Ok(());
    }
    (0..list(&spec.ip_families).len())
        .try_for_each(|i| allocate_address(api, object, spec, i, dry_run, transaction))
}

fn refused_addresses(spec: &ServiceSpec, why: String) -> FieldError {
    FieldError::invalid(&Path::new("spec").child("clusterIPs"), json_strings(list(&spec.cluster_ips)), why)
}

/// Gives a Service an address of the family with this index, or takes the one that it asks for.
fn allocate_address(
    api: &mut ApiServer,
    object: &Object,
    spec: &mut ServiceSpec,
    i: usize,
    dry_run: bool,
    transaction: &mut Transaction,
) -> Result<(), Status> {
    let Some(family) = list(&spec.ip_families).get(i).cloned() else { return Ok(()) };
    let asked = list(&spec.cluster_ips).get(i).filter(|ip| !ip.is_empty()).cloned();
    let ip = match asked {
        None => match transaction.allocate_next(api, &family, object.meta(), dry_run) {
            Ok(ip) => ip,
            Err(Unavailable::Full) => {
                return Err(internal_error(&format!("failed to allocate a serviceIP: {FULL}")));
            }
            Err(Unavailable::Other(why)) => {
                let why = format!("failed to allocate IP: {why}");
                return refuse(object, &[refused_addresses(spec, why)]);
            }
        },
        Some(given) => {
            if let Err(why) = transaction.allocate(api, &given, object.meta(), dry_run) {
                refuse(object, &[refused_addresses(spec, format!("failed to allocate IP {given}: {why}"))])?;
            }
            given
        }
    };
    let ips = spec.cluster_ips.get_or_insert_default();
    match ips.get_mut(i) {
        Some(one) => one.clone_from(&ip),
        None => ips.push(ip.clone()),
    }
    if i == 0 {
        spec.cluster_ip = Some(ip);
    }
    Ok(())
}

/// Gives a changed Service the addresses that it has come to need, and notes those that it needs no more
/// (`updateClusterIPs`).
fn update_addresses(
    api: &mut ApiServer,
    object: &Object,
    spec: &mut ServiceSpec,
    old: &Service,
    dry_run: bool,
    transaction: &mut Transaction,
) -> Result<(), Status> {
    let before = old.spec.clone().unwrap_or_default();
    let external = |spec: &ServiceSpec| text(&spec.type_) == "ExternalName";
    let release = |ips: &[String], transaction: &mut Transaction| {
        if !dry_run {
            ips.iter().for_each(|ip| transaction.release(ip));
        }
    };
    if external(&before) && !external(spec) {
        return allocate_addresses(api, object, spec, dry_run, transaction);
    }
    if list(&before.cluster_ips).first().is_some_and(|ip| ip == HEADLESS) {
        return Ok(());
    }
    if !external(&before) && external(spec) {
        release(cluster_ips(old), transaction);
        return Ok(());
    }
    match (list(&before.ip_families).len(), list(&spec.ip_families).len()) {
        (1, 2) => allocate_address(api, object, spec, 1, dry_run, transaction),
        (2, 1) => {
            release(cluster_ips(old).get(1..).unwrap_or_default(), transaction);
            Ok(())
        }
        _ => Ok(()),
    }
}

fn cannot_have(object: &Object, i: usize, n: i32, why: String) -> Result<(), Status> {
    let at = Path::new("spec").child("ports").index(i).child("nodePort");
    refuse(object, &[FieldError::invalid(&at, n, why)])
}

/// Allocates the node ports of a new Service. A port number of a Service has one node port for all protocols
/// (`initNodePorts`).
fn new_node_ports(object: &Object, spec: &mut ServiceSpec, ports: &mut Ports) -> Result<(), Status> {
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
                    // A node port that a later port asks for is not chosen here.
                    let later: Vec<i32> = asked.iter().map(node_port).collect();
                    let mut n = ports.next_port()?;
                    while later.contains(&n) {
                        ports.taken.remove(&n);
                        let mut rest = by_choice().filter(|m| !ports.taken.contains(m) && !later.contains(m));
                        n = rest
                            .next()
                            .ok_or_else(|| internal_error("failed to allocate a nodePort: range is full"))?;
                        ports.taken.insert(n);
                    }
                    n
                } else {
                    if let Err(why) = ports.port(wanted) {
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
                if let Err(why) = ports.port(node_port(p)) {
                    cannot_have(object, i, node_port(p), why)?;
                }
            }
        }
    }
    Ok(())
}

/// Allocates the node ports of a changed Service, which keeps those that it had (`updateNodePorts`).
fn changed_node_ports(
    object: &Object,
    spec: &mut ServiceSpec,
    before: &ServiceSpec,
    ports: &mut Ports,
) -> Result<(), Status> {
    let choose = chooses_node_ports(spec);
    let mine = node_ports(before);
    let mut seen: BTreeSet<(String, i32)> = BTreeSet::new();
    let mut allocated = BTreeSet::new();
    for (i, p) in spec.ports.iter_mut().flatten().enumerate() {
        match node_port(p) {
            0 if !choose => continue,
            0 => {
                while let Some(n) = mine.iter().find(|n| **n != 0 && !ports.taken.contains(n)) {
                    // A node port that the update releases is not given out again by the same update.
                    ports.taken.insert(*n);
                }
                p.node_port = Some(ports.next_port()?);
            }
            n if !mine.contains(&n) && allocated.insert(n) => {
                if let Err(why) = ports.port(n) {
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

fn allocate_health_check(spec: &mut ServiceSpec, ports: &mut Ports) -> Result<(), Status> {
    match health_check_port(spec) {
        0 => spec.health_check_node_port = Some(ports.next_port()?),
        n => ports.port(n).map_err(|why| {
            internal_error(&format!("failed to allocate requested HealthCheck NodePort {n}: {why}"))
        })?,
    }
    Ok(())
}
