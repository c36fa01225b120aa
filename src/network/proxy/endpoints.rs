//! What a proxier takes from EndpointSlices (`pkg/proxy/endpointslicecache.go`, `pkg/proxy/endpoint.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::rc::Rc;

use crate::api::MetaExt;
use crate::api::types::EndpointSlice;
use crate::api::types::discovery::{Endpoint as ApiEndpoint, LABEL_SERVICE_NAME};

use super::names::{Family, ServiceName, ServicePortName, parse_ip};
use super::services::LABEL_SERVICE_PROXY_NAME;
use crate::network::protocol::Protocol;

/// Label: the EndpointSlice belongs to a headless Service (`IsHeadlessService`). kube-proxy does not watch such slices.
const LABEL_HEADLESS: &str = "service.kubernetes.io/headless";

/// One endpoint of one port of a Service (`proxy.Endpoint`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Where packets go.
    pub address: SocketAddr,
    /// The address as text, which names chains and by which endpoints are sorted.
    pub text: Rc<str>,
    /// Whether the endpoint is on the proxier's own node.
    pub is_local: bool,
    /// Whether the endpoint may get traffic: the pod is ready and not terminating, or its Service publishes pods that
    /// are not ready.
    pub ready: bool,
    /// Whether the pod answers, whether or not it is terminating (KEP-1672).
    pub serving: bool,
    /// Whether the pod is terminating.
    pub terminating: bool,
    /// The zones for which the endpoint is meant (KEP-2433, KEP-4444); empty without a hint.
    pub zone_hints: BTreeSet<Rc<str>>,
    /// The nodes for which the endpoint is meant (KEP-3015); empty without a hint.
    pub node_hints: BTreeSet<Rc<str>>,
}

/// The endpoints of all ports of Services, sorted by their text (`proxy.EndpointsMap`).
pub type EndpointsMap = BTreeMap<ServicePortName, Vec<Endpoint>>;

fn set(names: impl Iterator<Item = impl AsRef<str>>) -> BTreeSet<Rc<str>> {
    names.map(|name| Rc::from(name.as_ref())).collect()
}

fn endpoint(node: &str, family: Family, port: u16, endpoint: &ApiEndpoint) -> Option<Endpoint> {
    // Only the first address counts: all addresses of an endpoint lead to the same pod.
    let ip = parse_ip(endpoint.addresses.first()?).filter(|ip| Family::of(*ip) == family)?;
    let address = SocketAddr::new(ip, port);
    let conditions = endpoint.conditions.as_ref();
    let hints = endpoint.hints.as_ref();
    let zones = hints.and_then(|h| h.for_zones.as_deref()).unwrap_or_default();
    let nodes = hints.and_then(|h| h.for_nodes.as_deref()).unwrap_or_default();
    Some(Endpoint {
        address,
        text: Rc::from(address.to_string()),
        is_local: !node.is_empty() && endpoint.node_name.as_deref() == Some(node),
        ready: conditions.and_then(|c| c.ready).unwrap_or(true),
        serving: conditions.and_then(|c| c.serving).unwrap_or(true),
        terminating: conditions.and_then(|c| c.terminating).unwrap_or(false),
        zone_hints: set(zones.iter().map(|z| &z.name)),
        node_hints: set(nodes.iter().map(|n| &n.name)),
    })
}

/// The endpoints in the slices of one family, as a proxier on a node sees them. If an address is in two slices, an
/// endpoint that is not terminating wins: the address may already belong to the next pod.
pub fn endpoints<'a>(
    node: &str,
    family: Family,
    slices: impl Iterator<Item = &'a EndpointSlice>,
) -> EndpointsMap {
    let watched = |slice: &&EndpointSlice| {
        let meta = &slice.metadata;
        slice.address_type == family.name()
            && meta.label(LABEL_HEADLESS).is_none()
            && meta.label(LABEL_SERVICE_PROXY_NAME).is_none()
            && meta.label(LABEL_SERVICE_NAME).is_some_and(|name| !name.is_empty())
    };
    let mut slices: Vec<&EndpointSlice> = slices.filter(watched).collect();
    slices.sort_by_key(|s| (s.metadata.namespace(), s.metadata.name()));

    let mut found: BTreeMap<ServicePortName, BTreeMap<Rc<str>, Endpoint>> = BTreeMap::new();
    for slice in slices {
        let service = ServiceName {
            namespace: Rc::from(slice.metadata.namespace()),
            name: Rc::from(slice.metadata.label(LABEL_SERVICE_NAME).unwrap_or_default()),
        };
        for port in slice.ports.iter().flatten() {
            // A port without a name or a number is ignored.
            let Some(port_name) = port.name.as_deref() else { continue };
            let number = port.port.and_then(|n| u16::try_from(n).ok()).filter(|n| *n != 0);
            let (Some(number), Some(protocol)) = (number, Protocol::parse(port.protocol.as_deref())) else {
                continue;
            };
            let key = ServicePortName { service: service.clone(), port: Rc::from(port_name), protocol };
            let of_port = found.entry(key).or_default();
            let all = slice.endpoints.iter().flatten();
            for endpoint in all.filter_map(|e| endpoint(node, family, number, e)) {
                if !endpoint.terminating || !of_port.contains_key(&endpoint.text) {
                    of_port.insert(endpoint.text.clone(), endpoint);
                }
            }
        }
    }
    let sorted = found.into_iter().map(|(key, by_text)| (key, by_text.into_values().collect::<Vec<_>>()));
    sorted.filter(|(_, endpoints)| !endpoints.is_empty()).collect()
}

/// How many addresses of ready endpoints each Service has on the proxier's own node (`LocalReadyEndpoints`). This is
/// what a load balancer's health check is told.
pub fn local_ready_endpoints(endpoints: &EndpointsMap) -> BTreeMap<ServiceName, usize> {
    let mut addresses: BTreeMap<ServiceName, BTreeSet<std::net::IpAddr>> = BTreeMap::new();
    for (port, endpoints) in endpoints {
        for endpoint in endpoints.iter().filter(|e| e.ready && e.is_local) {
            addresses.entry(port.service.clone()).or_default().insert(endpoint.address.ip());
        }
    }
    addresses.into_iter().map(|(service, ips)| (service, ips.len())).collect()
}
