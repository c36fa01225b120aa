//! Which zones and nodes an endpoint is for, by the Service's `spec.trafficDistribution`
//! (`k8s.io/endpointslice/trafficdist`, KEP-4444, KEP-3015).

use super::topology;
use crate::api::types::Service;
use crate::api::types::discovery::{Endpoint, EndpointHints, ForNode, ForZone};

/// The hints of an endpoint of a Service: its zone for `PreferSameZone` (before that `PreferClose`), and its node, too, for
/// `PreferSameNode`. `None` for an endpoint that is not ready or whose zone and node are not known, for a Service that does
/// not prefer any, and for one that gets its hints from [`topology`].
pub(super) fn hints(service: &Service, endpoint: &Endpoint) -> Option<EndpointHints> {
    if topology::is_wanted(service) {
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
