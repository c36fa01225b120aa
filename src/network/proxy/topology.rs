//! Which endpoints of a Service a node uses (`pkg/proxy/topology.go`).

use std::collections::BTreeMap;

use super::endpoints::Endpoint;
use super::services::ServicePort;

/// Label of a node: its zone (`LabelTopologyZone`).
pub const LABEL_TOPOLOGY_ZONE: &str = "topology.kubernetes.io/zone";

/// Where a node is, which decides what hints mean to it.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The name of the node.
    pub node: &'a str,
    /// The zone of the node; empty if it has none.
    pub zone: &'a str,
}

/// The endpoints of a Service's port that a node uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Categorized<'a> {
    /// The endpoints for the traffic policy `Cluster`; empty if the port never uses that policy.
    pub cluster: Vec<&'a Endpoint>,
    /// The endpoints for the traffic policy `Local`; empty if the port never uses that policy.
    pub local: Vec<&'a Endpoint>,
    /// All endpoints that can be reached from the node: those of both lists.
    pub all: Vec<&'a Endpoint>,
    /// Whether there is any endpoint in the cluster, even if the node uses none.
    pub has_any: bool,
}

/// What hints make of a Service's port on a node. The names are those of `trafficDistribution` (KEP-4444, KEP-3015).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopologyMode {
    /// The hints are not used: every ready endpoint is.
    Everywhere,
    /// Only the endpoints with a hint for the node's zone are used.
    PreferSameZone,
    /// Only the endpoints with a hint for the node are used.
    PreferSameNode,
}

/// What the hints of endpoints mean on a node (`topologyModeFromHints`): hints are used only if every ready endpoint has
/// one and at least one of them is for this node, or for its zone.
pub fn topology_mode(endpoints: &[Endpoint], place: Place<'_>) -> TopologyMode {
    let ready = || endpoints.iter().filter(|e| e.ready);
    if ready().all(|e| !e.node_hints.is_empty()) && ready().any(|e| e.node_hints.contains(place.node)) {
        TopologyMode::PreferSameNode
    } else if ready().all(|e| !e.zone_hints.is_empty()) && ready().any(|e| e.zone_hints.contains(place.zone))
    {
        TopologyMode::PreferSameZone
    } else {
        TopologyMode::Everywhere
    }
}

/// The endpoints that a node uses for a Service's port (`CategorizeEndpoints`). Endpoints that are ready come first; if
/// there are none, terminating ones that still serve are used (KEP-1669), for each of the two policies by itself.
pub fn categorize<'a>(endpoints: &'a [Endpoint], port: &ServicePort, place: Place<'_>) -> Categorized<'a> {
    let last_resort = |e: &&Endpoint| e.serving && e.terminating;
    let mut found = Categorized::default();
    let mut mode = TopologyMode::Everywhere;
    if port.uses_cluster_endpoints() {
        mode = topology_mode(endpoints, place);
        let here = |e: &&Endpoint| match mode {
            TopologyMode::Everywhere => true,
            TopologyMode::PreferSameZone => e.zone_hints.contains(place.zone),
            TopologyMode::PreferSameNode => e.node_hints.contains(place.node),
        };
        found.cluster = endpoints.iter().filter(|e| e.ready).filter(here).collect();
        if found.cluster.is_empty() {
            found.cluster = endpoints.iter().filter(last_resort).collect();
        }
        found.has_any = !found.cluster.is_empty();
    }
    if !port.uses_local_endpoints() {
        found.all = found.cluster.clone();
        return found;
    }

    found.has_any |= endpoints.iter().any(|e| e.ready || last_resort(&e));
    found.local = endpoints.iter().filter(|e| e.is_local && e.ready).collect();
    let only_terminating = found.local.is_empty();
    if only_terminating {
        found.local = endpoints.iter().filter(|e| e.is_local).filter(last_resort).collect();
    }
    found.all = if !port.uses_cluster_endpoints() {
        found.local.clone()
    } else if mode == TopologyMode::Everywhere && (!only_terminating || found.local.is_empty()) {
        // Every ready endpoint is in the list for `Cluster`.
        found.cluster.clone()
    } else {
        let both = found.cluster.iter().chain(&found.local);
        both.map(|e| (&*e.text, *e)).collect::<BTreeMap<_, _>>().into_values().collect()
    };
    found
}
