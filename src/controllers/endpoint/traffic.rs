//! Which zones and nodes an endpoint is for, by the Service's `spec.trafficDistribution`
//! (`k8s.io/endpointslice/trafficdist`, KEP-4444, KEP-3015).

use crate::api::MetaExt;
use crate::api::types::Service;
use crate::api::types::discovery::{Endpoint, EndpointHints, ForNode, ForZone};

/// The annotations by which a Service asks for topology aware routing, the older one last. It goes before
/// `trafficDistribution`.
const TOPOLOGY_MODE: [&str; 2] =
    ["service.kubernetes.io/topology-mode", "service.kubernetes.io/topology-aware-hints"];

/// The hints of an endpoint of a Service: its zone for `PreferSameZone` (before that `PreferClose`), and its node, too, for
/// `PreferSameNode`. `None` for an endpoint that is not ready or whose zone and node are not known, and for a Service that
/// does not prefer any.
pub(super) fn hints(service: &Service, endpoint: &Endpoint) -> Option<EndpointHints> {
    let by_topology = TOPOLOGY_MODE.iter().find_map(|name| service.metadata.annotation(name));
    if by_topology.is_some_and(|mode| mode.eq_ignore_ascii_case("auto")) {
        return None;
    }
    let zones = || endpoint.zone.as_ref().map(|name| vec![ForZone { name: name.clone() }]);
    let nodes = || endpoint.node_name.as_ref().map(|name| vec![ForNode { name: name.clone() }]);
    let (for_zones, for_nodes) = match service.spec.as_ref()?.traffic_distribution.as_deref()? {
        "PreferClose" | "PreferSameZone" => (zones(), None),
        "PreferSameNode" => (zones(), nodes()),
        _ => (None, None),
    };
    let ready = endpoint.conditions.as_ref().and_then(|c| c.ready) != Some(false);
    let some = for_zones.is_some() || for_nodes.is_some();
    (ready && some).then_some(EndpointHints { for_nodes, for_zones })
}
