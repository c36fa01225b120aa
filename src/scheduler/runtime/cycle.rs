//! The scheduling cycle of one pod: what PreFilter computes once, and the filters for one node.

use std::collections::BTreeSet;

use crate::api::node_selector::NodeNames;
use crate::scheduler::framework::{Handle, NodeInfo, PerNodeVerdict, PodInfo, Status};
use crate::scheduler::plugins::{
    dynamic_resources, inter_pod_affinity, node_affinity, node_declared_features, node_name, node_ports,
    node_resources, node_unschedulable, pod_topology_spread, taint_toleration, volume,
};

/// What PreFilter computed for a pod (`framework.CycleState`). `None` in a field means that the plugin is
/// skipped for this pod (`Skip`).
#[derive(Clone, Debug)]
pub struct CycleState<'a> {
    /// The pod.
    pub pod: &'a PodInfo,
    /// `VolumeRestrictions`.
    pub volume_restrictions: Option<volume::restrictions::State>,
    /// `VolumeBinding`.
    pub volume_binding: Option<volume::binding::State>,
    /// `VolumeZone`.
    pub volume_zone: Option<volume::zone::State>,
    /// `PodTopologySpread`.
    pub spread: Option<pod_topology_spread::State<'a>>,
    /// `InterPodAffinity`.
    pub affinity: Option<inter_pod_affinity::State<'a>>,
    /// The features that `NodeDeclaredFeatures` found the pod to need.
    pub features: Vec<&'static str>,
    /// `DynamicResources`.
    pub devices: Option<dynamic_resources::State>,
    /// Whether PreFilter reached the plugin `DynamicResources`.
    pub dynamic_resources: bool,
}

impl<'a> CycleState<'a> {
    /// The state before any plugin has run.
    pub fn new(pod: &'a PodInfo) -> CycleState<'a> {
        CycleState {
            pod,
            volume_restrictions: None,
            volume_binding: None,
            volume_zone: None,
            spread: None,
            affinity: None,
            features: Vec::new(),
            devices: None,
            dynamic_resources: false,
        }
    }

    /// Adds (`delta` 1) or removes (`delta` -1) another pod on a node in what PreFilter computed
    /// (`PreFilterExtensions`). A plugin that was skipped stays skipped even if `other` would concern it, as
    /// in Kubernetes.
    pub fn update_with_pod(&mut self, h: &Handle<'a>, other: &'a PodInfo, node: &'a NodeInfo, delta: i64) {
        if let Some(s) = &mut self.volume_restrictions {
            s.update_with_pod(other, delta);
        }
        if let Some(s) = &mut self.spread {
            s.update_with_pod(self.pod, other, node, delta);
        }
        if let Some(s) = &mut self.affinity {
            s.update_with_pod(h, self.pod, other, node, delta);
        }
    }
}

/// The result of PreFilter.
#[derive(Clone, Debug)]
pub struct PreFiltered<'a> {
    /// What the plugins computed. If one of them refused the pod, what those before it computed.
    pub state: CycleState<'a>,
    /// If only some nodes are candidates, their names; `None` if all are.
    pub node_names: Option<BTreeSet<String>>,
    /// The plugin that refused every node, and its status; `None` if none did.
    pub refused: Option<(&'static str, Status)>,
}

/// Runs PreFilter of all plugins, in the profile's order, up to the first that refuses.
pub fn pre_filter<'a>(h: &Handle<'a>, pod: &'a PodInfo) -> PreFiltered<'a> {
    let mut out = PreFiltered { state: CycleState::new(pod), node_names: None, refused: None };
    out.refused = run_pre_filter(h, pod, &mut out).err();
    out
}

type Refusal = (&'static str, Status);

fn run_pre_filter<'a>(h: &Handle<'a>, pod: &'a PodInfo, out: &mut PreFiltered<'a>) -> Result<(), Refusal> {
    match node_affinity::pre_filter(pod).map_err(|s| (node_affinity::NAME, s))? {
        NodeNames::These(names) => out.node_names = Some(names),
        NodeNames::All | NodeNames::Conflict => {}
    }
    let s = &mut out.state;
    if pod.has_volumes {
        s.volume_restrictions =
            volume::restrictions::pre_filter(h, pod).map_err(|e| (volume::restrictions::NAME, e))?;
        s.volume_binding = volume::binding::pre_filter(h, pod).map_err(|e| (volume::binding::NAME, e))?;
        s.volume_zone = volume::zone::pre_filter(h, pod).map_err(|e| (volume::zone::NAME, e))?;
    }
    s.spread = pod_topology_spread::pre_filter(h, pod);
    s.affinity = inter_pod_affinity::pre_filter(h, pod);
    s.dynamic_resources = true;
    s.devices = dynamic_resources::pre_filter(h, pod).map_err(|e| (dynamic_resources::NAME, e))?;
    s.features = node_declared_features::pre_filter(pod);
    Ok(())
}

/// Runs the filters for one node, in the profile's order, up to the first that refuses
/// (`RunFilterPlugins`).
pub fn filter_node(h: &Handle<'_>, state: &CycleState<'_>, node: &NodeInfo) -> PerNodeVerdict {
    let mut verdict = PerNodeVerdict::default();
    filter_each(h, state, node, |plugin, status| {
        let fits = status.is_success();
        if !fits {
            verdict = PerNodeVerdict { plugin, status };
        }
        fits
    });
    verdict
}

/// Runs the filters for one node, in the profile's order, and tells `each` what each of them says. It ends when `each`
/// returns `false`. Filters that are skipped for the pod are left out.
pub fn filter_each(
    h: &Handle<'_>,
    state: &CycleState<'_>,
    node: &NodeInfo,
    mut each: impl FnMut(&'static str, Status) -> bool,
) {
    let pod = state.pod;
    macro_rules! ask {
        ($plugin:expr, $status:expr) => {
            if !each($plugin, $status) {
                return;
            }
        };
    }
    ask!(node_unschedulable::NAME, node_unschedulable::filter(pod, node));
    ask!(node_name::NAME, node_name::filter(pod, node));
    ask!(taint_toleration::NAME, taint_toleration::filter(pod, node));
    ask!(node_affinity::NAME, node_affinity::filter(pod, node));
    ask!(node_ports::NAME, node_ports::filter(pod, node));
    ask!(node_resources::FIT, node_resources::filter(pod, node));
    if let Some(s) = &state.volume_restrictions {
        ask!(volume::restrictions::NAME, volume::restrictions::filter(s, pod, node));
    }
    if pod.has_volumes {
        ask!(volume::limits::NAME, volume::limits::filter(h, pod, node));
    }
    if let Some(s) = &state.volume_binding {
        ask!(volume::binding::NAME, volume::binding::filter(h, s, node));
    }
    if let Some(s) = &state.volume_zone {
        ask!(volume::zone::NAME, volume::zone::filter(s, node));
    }
    if let Some(s) = &state.spread {
        ask!(pod_topology_spread::NAME, pod_topology_spread::filter(s, node));
    }
    if let Some(s) = &state.affinity {
        ask!(inter_pod_affinity::NAME, inter_pod_affinity::filter(h, s, pod, node));
    }
    if let Some(s) = &state.devices {
        ask!(dynamic_resources::NAME, dynamic_resources::filter(h, s, node));
    }
    ask!(node_declared_features::NAME, node_declared_features::filter(&state.features, node));
}
