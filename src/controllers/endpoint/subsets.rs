//! The addresses of pods, and the subsets of an Endpoints object that they are packed into.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{belongs, find_port, hostname, is_headless, ports::sort_subset_ports, target_ref};
use crate::api::ip_family::{IPV4, family_of};
use crate::api::pod::is_ready;
use crate::api::types::{
    EndpointAddress, EndpointPort, EndpointSubset, Pod, Service, ServicePort, ServiceSpec,
};

/// The most addresses in one object (`maxCapacity`).
pub(super) const CAPACITY: usize = 1000;

/// An address, whether it is ready, and one of its ports.
pub(super) type Entry = (EndpointAddress, bool, Option<EndpointPort>);

/// The one family that an Endpoints object has addresses of: the first one of its Service
/// (`podToEndpointAddressForService`).
pub(super) fn family(spec: &ServiceSpec) -> &str {
    if let Some(first) = spec.ip_families.iter().flatten().next() {
        return first;
    }
    spec.cluster_ip.as_deref().map_or(IPV4, family_of)
}

/// Whether a Service publishes addresses that are not ready as if they were.
fn publishes_not_ready(spec: &ServiceSpec) -> bool {
    spec.publish_not_ready_addresses == Some(true)
}

/// The address of a pod, and whether it is ready; `None` if the pod is not published. Pods of nodes without the family of
/// the Service are left out.
pub(super) fn address(service: &Service, spec: &ServiceSpec, pod: &Pod) -> Option<(EndpointAddress, bool)> {
    let not_ready_too = publishes_not_ready(spec);
    if !belongs(pod, not_ready_too) {
        return None;
    }
    let address = EndpointAddress {
        ip: super::addresses(pod, family(spec)).next()?.to_owned(),
        hostname: hostname(pod, service),
        node_name: pod.spec.as_ref().and_then(|s| s.node_name.clone()),
        target_ref: Some(target_ref(pod)),
    };
    Some((address, not_ready_too || is_ready(pod)))
}

/// A port of a Service with its number on a pod.
pub(super) fn port(of: &ServicePort, number: i32) -> EndpointPort {
    EndpointPort {
        name: of.name.clone().filter(|n| !n.is_empty()),
        port: number,
        protocol: of.protocol.clone(),
        app_protocol: of.app_protocol.clone(),
    }
}

/// The addresses of these pods, with their ports.
pub(super) fn addresses<'a>(service: &Service, pods: impl Iterator<Item = &'a Rc<Pod>>) -> Vec<Entry> {
    let spec = service.spec.clone().unwrap_or_default();
    let ports = spec.ports.as_deref().unwrap_or_default();
    let mut out = Vec::new();
    for pod in pods {
        let Some((address, ready)) = address(service, &spec, pod) else { continue };
        if ports.is_empty() && is_headless(&spec) {
            out.push((address, ready, None));
            continue;
        }
        for p in ports {
            let Some(number) = find_port(pod, p) else { continue };
            out.push((address.clone(), ready, Some(port(p, number))));
        }
    }
    out
}

/// A port as a value that has an order.
type PortKey = (Option<String>, i32, Option<String>, Option<String>);

fn port_key(p: &EndpointPort) -> PortKey {
    (p.name.clone(), p.port, p.protocol.clone(), p.app_protocol.clone())
}

/// Groups addresses into subsets (`RepackSubsets`): ports that the same addresses offer, equally ready, are one subset.
/// An address that is not ready for one entry of a port is not ready for this port. Kubernetes orders subsets by a hash of
/// all they contain, which is chance; here they are ordered by their addresses.
pub(super) fn repack(entries: Vec<Entry>) -> Vec<EndpointSubset> {
    type At = (String, String);
    let mut all: BTreeMap<At, EndpointAddress> = BTreeMap::new();
    let mut by_port: BTreeMap<Option<PortKey>, BTreeMap<At, bool>> = BTreeMap::new();
    for (address, ready, port) in entries {
        let uid = address.target_ref.as_ref().and_then(|r| r.uid.clone()).unwrap_or_default();
        let at = (address.ip.clone(), uid);
        let addresses = by_port.entry(port.as_ref().map(port_key)).or_default();
        *addresses.entry(at.clone()).or_insert(true) &= ready;
        all.entry(at).or_insert(address);
    }
    let mut by_addresses: BTreeMap<BTreeMap<At, bool>, Vec<EndpointPort>> = BTreeMap::new();
    for (port, addresses) in by_port {
        let ports = by_addresses.entry(addresses).or_default();
        ports.extend(port.map(|(name, port, protocol, app_protocol)| EndpointPort {
            name,
            port,
            protocol,
            app_protocol,
        }));
    }
    let subset = |(addresses, mut ports): (BTreeMap<At, bool>, Vec<EndpointPort>)| {
        sort_subset_ports(&mut ports);
        let mut subset =
            EndpointSubset { ports: Some(ports).filter(|p| !p.is_empty()), ..Default::default() };
        for (at, ready) in addresses {
            let list = if ready { &mut subset.addresses } else { &mut subset.not_ready_addresses };
            list.get_or_insert_default().extend(all.get(&at).cloned());
        }
        subset
    };
    by_addresses.into_iter().map(subset).collect()
}

/// Limits the addresses to `CAPACITY`, ready ones first (`truncateEndpoints`). Returns also whether some
/// were left out.
pub(super) fn truncate(mut subsets: Vec<EndpointSubset>) -> (Vec<EndpointSubset>, bool) {
    let count = |s: &EndpointSubset| {
        s.addresses.as_ref().map_or(0, Vec::len) + s.not_ready_addresses.as_ref().map_or(0, Vec::len)
    };
    let over = subsets.iter().map(count).sum::<usize>() > CAPACITY;
    let mut room = CAPACITY;
    let mut cut = |list: &mut Option<Vec<EndpointAddress>>| {
        if let Some(l) = list.as_mut() {
            l.truncate(room);
            room -= l.len();
        }
        *list = list.take().filter(|l| !l.is_empty());
    };
    subsets.iter_mut().for_each(|s| cut(&mut s.addresses));
    subsets.iter_mut().for_each(|s| cut(&mut s.not_ready_addresses));
    subsets.retain(|s| count(s) > 0);
    (subsets, over)
}
