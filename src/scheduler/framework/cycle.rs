//! The scheduling cycle of one pod: what PreFilter computes once, and the filters for one node.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::lister::{NamespaceLister, NominatedPods, Nothing, VolumeLister, WorkloadLister};
use super::node_info::{ClassCount, NodeInfo};
use super::node_selector::NodeNames;
use super::pod_info::{Classes, PodClass, PodInfo};
use super::status::{PerNodeVerdict, Status};
use crate::scheduler::plugins::{
    dynamic_resources, inter_pod_affinity, node_affinity, node_declared_features, node_name, node_ports,
    node_resources, node_unschedulable, pod_topology_spread, taint_toleration, volume,
};

/// The nodes as a cycle sees them, in the order in which they are visited. [`NodeInfo::node`] is `Some` for
/// each.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// The nodes.
    pub nodes: &'a [Rc<NodeInfo>],
    /// The classes of the pods on these nodes. Without them results are the same, but slower.
    pub classes: Option<&'a Classes>,
}

impl<'a> Snapshot<'a> {
    /// A node by name.
    pub fn get(&self, name: &str) -> Option<&'a Rc<NodeInfo>> {
        self.nodes.iter().find(|n| &**n.name() == name)
    }
}

/// What plugins may read (`framework.Handle`).
#[derive(Clone, Copy)]
pub struct Handle<'a> {
    /// The nodes and the pods on them.
    pub snapshot: Snapshot<'a>,
    /// Claims, volumes and storage classes.
    pub volumes: &'a dyn VolumeLister,
    /// Namespaces.
    pub namespaces: &'a dyn NamespaceLister,
    /// Services and controllers.
    pub workloads: &'a dyn WorkloadLister,
    /// The pods that have a nominated node.
    pub nominated: &'a dyn NominatedPods,
}

impl<'a> Handle<'a> {
    /// A handle for a cluster that has only nodes and the pods on them.
    pub fn of_nodes(nodes: &'a [Rc<NodeInfo>]) -> Handle<'a> {
        Handle {
            snapshot: Snapshot { nodes, classes: None },
            volumes: &Nothing,
            namespaces: &Nothing,
            workloads: &Nothing,
            nominated: &Nothing,
        }
    }
}

/// Remembers yes-or-no answers by a number, so that each question is answered only once.
#[derive(Clone, Debug, Default)]
pub struct Memo(Vec<(u128, bool)>);

impl Memo {
    /// The remembered answer for `id`, or that of `ask`, which is then remembered.
    pub fn get(&mut self, id: u128, ask: impl FnOnce() -> bool) -> bool {
        match self.0.binary_search_by(|(other, _)| other.cmp(&id)) {
            Ok(i) => self.0.get(i).is_some_and(|e| e.1),
            Err(i) => {
                let answer = ask();
                self.0.insert(i, (id, answer));
                answer
            }
        }
    }
}

/// Which classes of pods a selector matches, found out once for each cycle.
#[derive(Clone, Debug)]
pub enum ClassMemo {
    /// The ids of all matching classes, sorted.
    Complete(Vec<u128>),
    /// The snapshot has no classes: the answers so far.
    Seen(Memo),
}

impl ClassMemo {
    /// Applies `ask` to all classes of the snapshot, if it has them.
    pub fn new(h: &Handle<'_>, ask: impl Fn(&PodClass) -> bool) -> ClassMemo {
        match h.snapshot.classes {
            Some(all) => ClassMemo::Complete(all.iter().filter(|c| ask(c)).map(|c| c.id).collect()),
            None => ClassMemo::Seen(Memo::default()),
        }
    }

    /// Calls `each` with every matching class on a node. `ask` must be the function given to
    /// [`ClassMemo::new`].
    pub fn on_node(
        &mut self,
        node: &NodeInfo,
        ask: impl Fn(&PodClass) -> bool,
        mut each: impl FnMut(&ClassCount),
    ) {
        match self {
            ClassMemo::Complete(ids) => ids.iter().filter_map(|id| node.class(*id)).for_each(each),
            ClassMemo::Seen(memo) => {
                for c in node.classes() {
                    if memo.get(c.class.id, || ask(&c.class)) {
                        each(c);
                    }
                }
            }
        }
    }
}

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
            dynamic_resources: false,
        }
    }

    /// Adds (`delta` 1) or removes (`delta` -1) another pod on a node in what PreFilter computed
    /// (`PreFilterExtensions`). A plugin that was skipped stays skipped even if `other` would concern it, as
    /// in Kubernetes.
    pub fn update_with_pod(&mut self, h: &Handle<'a>, other: &'a PodInfo, node: &'a NodeInfo, delta: i64) {
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
        s.volume_zone = volume::zone::pre_filter(h, pod);
    }
    s.spread = pod_topology_spread::pre_filter(h, pod);
    s.affinity = inter_pod_affinity::pre_filter(h, pod);
    s.dynamic_resources = true;
    let claims = pod.pod.spec.as_ref().and_then(|s| s.resource_claims.as_ref());
    if claims.is_some_and(|c| !c.is_empty()) {
        let message = "resource claims are not simulated";
        return Err((dynamic_resources::NAME, Status::unresolvable(message)));
    }
    s.features = node_declared_features::pre_filter(pod);
    Ok(())
}

/// Runs the filters for one node, in the profile's order, up to the first that refuses
/// (`RunFilterPlugins`).
pub fn filter_node(h: &Handle<'_>, state: &CycleState<'_>, node: &NodeInfo) -> PerNodeVerdict {
    let pod = state.pod;
    macro_rules! ask {
        ($plugin:expr, $status:expr) => {
            let status = $status;
            if !status.is_success() {
                return PerNodeVerdict { plugin: $plugin, status };
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
    ask!(node_declared_features::NAME, node_declared_features::filter(&state.features, node));
    PerNodeVerdict::default()
}
