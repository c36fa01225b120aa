//! Hints by the share of CPU that each zone has, for Services with `service.kubernetes.io/topology-mode: Auto`
//! (`k8s.io/endpointslice/topologycache`, KEP-2433).
//!
//! Where Kubernetes walks a map of zones in random order, the order here is that of their names.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::plan::Plan;
use crate::api::persistent::Map;
use crate::api::quantity::amount_of;
use crate::api::types::discovery::{Endpoint, EndpointHints, EndpointSlice, ForZone};
use crate::api::types::{Node, Service};
use crate::api::{Key, Kind, MetaExt, Timestamp, quantity::Amount};
use crate::client::{Caches, Memory};

/// The annotations by which a Service asks for topology aware routing. The older one counts if both are there.
const TOPOLOGY_MODE: [&str; 2] =
    ["service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"];
/// The label of a node with its zone.
const ZONE: &str = "topology.kubernetes.io/zone";
/// Nodes with one of these labels have no share.
const EXCLUDED: [&str; 2] = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];
/// How much more than its share an endpoint may have to bear (`overloadThreshold`).
const OVERLOAD_THRESHOLD: f64 = 0.2;

/// Whether a Service asks for hints by the shares of zones (`hintsEnabled`). This goes before `trafficDistribution`.
pub(super) fn is_wanted(service: &Service) -> bool {
    let mode = TOPOLOGY_MODE.iter().find_map(|name| service.metadata.annotation(name));
    mode.is_some_and(|mode| matches!(mode, "Auto" | "auto"))
}

/// How many ready endpoints are for each zone (`EndpointZoneInfo`).
type Zones = BTreeMap<String, usize>;

/// What the EndpointSlice controller remembers of zones (`TopologyCache`).
#[derive(Clone, Debug, Default)]
pub(super) struct TopologyCache {
    /// Each zone's share of the CPU of all nodes; `None` if a node does not say what it has and where it is, or if all
    /// are in one zone.
    ratios: Option<Rc<BTreeMap<String, f64>>>,
    /// The endpoints for each zone, by the Services whose slices have hints, and the type of the slices' addresses.
    services: Map<(Key, &'static str), Rc<Zones>>,
    /// The Services of which it was told that they have hints.
    populated: Map<Key, ()>,
}

impl Memory for TopologyCache {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        let ratios = self.ratios.iter().flat_map(|r| r.iter());
        let ratios = ratios.map(|(zone, ratio)| format!("zone {zone} has {ratio} of the CPU"));
        let services = self.services.iter();
        let services = services.map(|((key, of), zones)| format!("{key} has hints {zones:?} for {of}"));
        let populated = self.populated.keys().map(|key| format!("{key} was told of hints"));
        ratios.chain(services).chain(populated).collect()
    }
}

fn is_ready(node: &Node) -> bool {
    let conditions = node.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    conditions.iter().any(|c| c.type_ == "Ready" && c.status == "True")
}

/// Whether a change of a node can change the shares.
pub(super) fn matters(old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) -> bool {
    let (Some(old), Some(new)) = (old, new) else { return true };
    is_ready(old) != is_ready(new) || old.metadata.label(ZONE) != new.metadata.label(ZONE)
}

impl TopologyCache {
    /// Works the shares out (`SetNodes`).
    pub(super) fn set_nodes(&mut self, caches: &Caches) {
        let mut by_zone: BTreeMap<String, Amount> = BTreeMap::new();
        let mut total = Amount::ZERO;
        self.ratios = None;
        for node in caches.of(Kind::NODE).list(None).filter_map(|o| o.get::<Node>()) {
            if EXCLUDED.iter().any(|label| node.metadata.label(label).is_some()) || !is_ready(node) {
                continue;
            }
            let allocatable = node.status.as_ref().and_then(|s| s.allocatable.as_ref());
            let cpu = amount_of(allocatable.and_then(|a| a.get("cpu")));
            let Some(zone) = node.metadata.label(ZONE).filter(|z| !z.is_empty() && cpu.milli_value() != 0)
            else {
                return;
            };
            total = total.plus(cpu);
            let share = by_zone.entry(zone.to_owned()).or_insert(Amount::ZERO);
            *share = share.plus(cpu);
        }
        if by_zone.len() >= 2 {
            let ratio = |cpu: Amount| cpu.milli_value() as f64 / total.milli_value() as f64;
            self.ratios = Some(Rc::new(by_zone.into_iter().map(|(zone, cpu)| (zone, ratio(cpu))).collect()));
        }
    }

    /// The Services in which a zone has too few endpoints for its share (`GetOverloadedServices`).
    pub(super) fn overloaded(&self) -> Vec<Key> {
        let ratios = self.ratios.as_deref();
        let services = self.services.iter().filter(|(_, zones)| overloaded(zones, ratios));
        services.map(|((key, _), _)| key.clone()).collect()
    }

    /// Whether the slices of a Service have hints (`HasPopulatedHints`).
    pub(super) fn has_hints(&self, service: &Service) -> bool {
        self.populated.contains_key(&service.metadata.key())
    }

    /// Forgets the slices of a Service that have addresses of one type (`RemoveHints`).
    pub(super) fn forget(&mut self, service: &Key, address_type: &'static str) {
        self.services.remove(&(service.clone(), address_type));
        self.populated.remove(service);
    }

    /// What becomes of a Service's slices with addresses of one type, and what the cache says of the Service afterwards:
    /// hints are set, changed, or taken away. Returns what is told about it.
    pub(super) fn reconcile(
        &mut self,
        service: &Service,
        address_type: &'static str,
        plan: &mut Plan,
    ) -> Vec<Told> {
        let key = service.metadata.key();
        let had = self.has_hints(service);
        if !is_wanted(service) {
            self.forget(&key, address_type);
            return if had {
                vec![Told::disabled("Topology Aware Hints has been disabled", address_type)]
            } else {
                Vec::new()
            };
        }
        match add_hints(self.ratios.as_deref(), plan) {
            Ok(zones) => {
                self.services.insert((key.clone(), address_type), Rc::new(zones));
                self.populated.insert(key, ());
                if had { Vec::new() } else { vec![Told::enabled(address_type)] }
            }
            Err(why) => {
                self.forget(&key, address_type);
                remove_hints(plan);
                vec![Told::disabled(&why, address_type)]
            }
        }
    }
}

/// An event about a Service (`EventBuilder`).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Told {
    pub(super) type_: &'static str,
    pub(super) reason: &'static str,
    pub(super) message: String,
}

impl Told {
    fn disabled(why: &str, address_type: &str) -> Told {
        let message = format!("{why}, addressType: {address_type}");
        Told { type_: "Warning", reason: "TopologyAwareHintsDisabled", message }
    }

    fn enabled(address_type: &str) -> Told {
        let message = format!("Topology Aware Hints has been enabled, addressType: {address_type}");
        Told { type_: "Normal", reason: "TopologyAwareHintsEnabled", message }
    }
}

/// Whether a zone has too few endpoints for its share (`serviceOverloaded`).
fn overloaded(zones: &Zones, ratios: Option<&BTreeMap<String, f64>>) -> bool {
    if zones.is_empty() {
        return false;
    }
    let Some(ratios) = ratios else { return true };
    let total = zones.values().sum::<usize>() as f64;
    ratios.iter().any(|(zone, ratio)| {
        let least = (total * ratio * (1.0 / (1.0 + OVERLOAD_THRESHOLD))).ceil();
        zones.get(zone).is_none_or(|have| (*have as f64) < least)
    })
}

/// How many endpoints are for a zone.
#[derive(Clone, Copy, Debug)]
struct Allocation {
    minimum: usize,
    maximum: usize,
    desired: f64,
}

/// How many of the endpoints are for each zone, or why that cannot be said (`getAllocations`).
fn allocations(
    ratios: Option<&BTreeMap<String, f64>>,
    endpoints: usize,
) -> Result<BTreeMap<&str, Allocation>, String> {
    let Some(ratios) = ratios else {
        return Err(
            "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes"
                .into(),
        );
    };
    let counts = format!("({endpoints} endpoints, {} zones)", ratios.len());
    if ratios.len() > endpoints {
        return Err(format!("Insufficient number of endpoints {counts}"));
    }
    let mut all: BTreeMap<&str, Allocation> = BTreeMap::new();
    for (zone, ratio) in ratios {
        let desired = ratio * endpoints as f64;
        let minimum = (desired * (1.0 / (1.0 + OVERLOAD_THRESHOLD))).ceil();
        let desired = desired.max(minimum);
        // A share is at most 1, so the number is at most that of the endpoints.
        all.insert(zone, Allocation { minimum: minimum as usize, maximum: 0, desired });
    }
    let least: usize = all.values().map(|a| a.minimum).sum();
    let Some(left) = endpoints.checked_sub(least) else {
        return Err(format!(
            "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold {counts}"
        ));
    };
    all.values_mut().for_each(|a| a.maximum = a.minimum + left);
    Ok(all)
}

fn endpoints(slice: &EndpointSlice) -> &[Endpoint] {
    slice.endpoints.as_deref().unwrap_or_default()
}

fn endpoint_ready(endpoint: &Endpoint) -> bool {
    endpoint.conditions.as_ref().and_then(|c| c.ready) == Some(true)
}

fn zone_of(endpoint: &Endpoint) -> Option<&str> {
    endpoint.zone.as_deref().filter(|z| !z.is_empty())
}

fn for_zone(zone: &str) -> Option<EndpointHints> {
    Some(EndpointHints { for_nodes: None, for_zones: Some(vec![ForZone { name: zone.to_owned() }]) })
}

/// The endpoints of the slices that are written.
fn written(plan: &mut Plan) -> impl Iterator<Item = &mut Endpoint> {
    let updated = plan.update.iter_mut().map(Rc::make_mut);
    plan.create.iter_mut().chain(updated).flat_map(|s| s.endpoints.iter_mut().flatten())
}

/// Takes all hints away (`RemoveHintsFromSlices`).
fn remove_hints(plan: &mut Plan) {
    written(plan).for_each(|e| e.hints = None);
    let (hinted, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut plan.unchanged)
        .into_iter()
        .partition(|s| endpoints(s).iter().any(|e| e.hints.is_some()));
    plan.unchanged = rest;
    for mut slice in hinted {
        Rc::make_mut(&mut slice).endpoints.iter_mut().flatten().for_each(|e| e.hints = None);
        plan.update.push(slice);
    }
}

/// Gives each ready endpoint a hint (`AddHints`). Returns how many endpoints are for each zone.
///
/// # Errors
/// Why there can be no hints.
fn add_hints(ratios: Option<&BTreeMap<String, f64>>, plan: &mut Plan) -> Result<Zones, String> {
    let slices = plan.create.iter().chain(plan.update.iter().chain(&plan.unchanged).map(|s| &**s));
    let total = slices.flat_map(endpoints).filter(|e| endpoint_ready(e)).count();
    let allocations = allocations(ratios, total)?;
    let mut zones = hints_of_unchanged(&allocations, plan);
    for endpoint in written(plan).filter(|e| endpoint_ready(e)) {
        let Some(zone) = zone_of(endpoint).map(str::to_owned) else {
            return Err("One or more endpoints do not have a zone specified".to_owned());
        };
        endpoint.hints = for_zone(&zone);
        *zones.entry(zone).or_default() += 1;
    }
    let (giving, receiving) = giving_and_receiving(&allocations, &zones);
    redistribute(plan, giving, receiving, &mut zones);
    if zones.is_empty() { Err("No hints allocated for zones".to_owned()) } else { Ok(zones) }
}

/// Counts the hints of the slices that are not written otherwise. A slice that lacks hints, or that has them for zones
/// that need none or no more, is written, too (`getAllocatedHintsByZone`).
fn hints_of_unchanged(allocations: &BTreeMap<&str, Allocation>, plan: &mut Plan) -> Zones {
    let mut zones = Zones::new();
    for slice in std::mem::take(&mut plan.unchanged) {
        match hints_by_zone(&slice, &zones, allocations) {
            Some(hints) => {
                hints.into_iter().for_each(|(zone, n)| *zones.entry(zone).or_default() += n);
                plan.unchanged.push(slice);
            }
            None => plan.update.push(slice),
        }
    }
    zones
}

fn hints_by_zone(
    slice: &EndpointSlice,
    before: &Zones,
    allocations: &BTreeMap<&str, Allocation>,
) -> Option<Zones> {
    let mut hints = Zones::new();
    for endpoint in endpoints(slice).iter().filter(|e| endpoint_ready(e)) {
        let zones = endpoint.hints.as_ref().and_then(|h| h.for_zones.as_ref()).filter(|z| !z.is_empty())?;
        for zone in zones {
            allocations.get(zone.name.as_str())?;
            *hints.entry(zone.name.clone()).or_default() += 1;
        }
    }
    let fits = |(zone, n): (&String, &usize)| {
        let allowed = allocations.get(zone.as_str()).map_or(0, |a| a.maximum);
        n + before.get(zone).copied().unwrap_or(0) <= allowed
    };
    hints.iter().all(fits).then_some(hints)
}

/// The zone with the largest number, the first one of several.
fn most(zones: &BTreeMap<String, f64>) -> Option<(String, f64)> {
    let larger = |best: Option<(String, f64)>, (zone, n): (&String, &f64)| match best {
        Some((_, most)) if *n <= most => best,
        _ => Some((zone.clone(), *n)),
    };
    zones.iter().filter(|(_, n)| **n > 0.0).fold(None, larger)
}

/// How many endpoints zones give to others, and how many zones get (`getGivingAndReceivingZones`).
fn giving_and_receiving(allocations: &BTreeMap<&str, Allocation>, zones: &Zones) -> (Zones, Zones) {
    let (mut to_give, mut to_get) = (BTreeMap::new(), BTreeMap::new());
    for (zone, allocation) in allocations {
        let have = zones.get(*zone).copied().unwrap_or(0) as f64;
        if have > allocation.desired {
            to_give.insert((*zone).to_owned(), have - allocation.desired);
        } else if have < allocation.desired {
            to_get.insert((*zone).to_owned(), allocation.desired - have);
        }
    }
    let (mut giving, mut receiving) = (Zones::new(), Zones::new());
    while let (Some((giver, give)), Some((receiver, get))) = (most(&to_give), most(&to_get)) {
        if (give < 1.0 && get < 1.0) || give < 0.5 || get < 0.5 {
            break;
        }
        for (zone, left, count) in
            [(giver, &mut to_give, &mut giving), (receiver, &mut to_get, &mut receiving)]
        {
            if let Some(left) = left.get_mut(&zone) {
                *left -= 1.0;
            }
            *count.entry(zone).or_default() += 1;
        }
    }
    (giving, receiving)
}

/// Gives endpoints of some zones to others (`redistributeHints`).
fn redistribute(plan: &mut Plan, mut giving: Zones, mut receiving: Zones, zones: &mut Zones) {
    for endpoint in written(plan).filter(|e| endpoint_ready(e)) {
        let Some(giver) = zone_of(endpoint).map(str::to_owned) else { continue };
        let Some(give) = giving.get_mut(&giver).filter(|n| **n > 0) else { continue };
        let Some((receiver, get)) = receiving.iter_mut().find(|(_, n)| **n > 0) else { return };
        endpoint.hints = for_zone(receiver);
        *give -= 1;
        *get -= 1;
        *zones.entry(receiver.clone()).or_default() += 1;
        if let Some(n) = zones.get_mut(&giver) {
            *n = n.saturating_sub(1);
        }
    }
}

#[cfg(test)]
#[path = "topology_tests.rs"]
mod tests;
