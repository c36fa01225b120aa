//! The objects a person cares about, and how they hang together.
//!
//! What the cluster booted with (default ServiceAccounts, system namespaces) is left out, apart
//! from the nodes; so are heartbeats and events, which the inspector shows at their objects.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::labels::Selector;
use crate::api::types::{Deployment, Node, Pod, PodSpec, ReplicaSet, Service};
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef};
use crate::cluster::Cluster;

use super::pods::{PodView, pod_view};

/// Where a kind stands in the reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Makes workloads: Deployment, CronJob.
    Root,
    /// Makes pods: ReplicaSet, StatefulSet, Job.
    Middle,
    /// Pods.
    Pod,
    /// Nodes.
    Node,
    /// All else: Service, ConfigMap.
    Aside,
}

/// What a card says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Card {
    /// Something that wants so many pods.
    Workload {
        /// How many it wants.
        want: i32,
        /// How many of them are ready.
        ready: i32,
        /// How many exist.
        have: i32,
        /// `deployment.kubernetes.io/revision`, of a ReplicaSet.
        revision: Option<i64>,
        /// Whether its rollout is paused.
        paused: bool,
    },
    /// A pod.
    Pod(PodView),
    /// A node: whether it is ready and takes pods.
    Node {
        /// The Ready condition.
        ready: bool,
        /// Not cordoned.
        schedulable: bool,
    },
    /// Anything else.
    Other,
}

/// An object in the graph.
#[derive(Clone, Debug)]
pub struct GraphNode {
    /// It.
    pub object: Object,
    /// Its name.
    pub reference: ObjectRef,
    /// Where it stands.
    pub place: Place,
    /// What its card says.
    pub card: Card,
    /// Whether it is being deleted.
    pub deleting: bool,
}

impl GraphNode {
    fn new(reference: &ObjectRef, object: &Object) -> GraphNode {
        GraphNode {
            reference: reference.clone(),
            place: place_of(reference.kind),
            card: card_of(object),
            deleting: object.meta().is_deleting(),
            object: object.clone(),
        }
    }

    /// `metadata.uid`: what tells it from a later one of the same name.
    pub fn uid(&self) -> &str {
        self.object.uid()
    }

    /// How many pods it wants; 0 for what wants none.
    pub fn want(&self) -> usize {
        match self.card {
            Card::Workload { want, .. } => usize::try_from(want).unwrap_or(0),
            _ => 0,
        }
    }
}

/// How two objects hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    /// `metadata.ownerReferences`
    Owner,
    /// A label selector matches.
    Selector,
    /// `spec.nodeName`
    Binding,
    /// One names the other in its spec.
    Reference,
}

/// A line of the graph, by places in [`Graph::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// From: the owner, the selecting, the pod, the naming one.
    pub from: usize,
    /// To.
    pub to: usize,
    /// What it means.
    pub kind: EdgeKind,
}

/// The objects and their lines.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// In the order of their references.
    pub nodes: Vec<Rc<GraphNode>>,
    /// In the order of their ends.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// The graph of a cluster. `boot` is the cluster before anybody did anything; of `last`, the
    /// nodes that did not change are used again (the same `Rc`s).
    pub fn new(cluster: &Cluster, boot: &Cluster, last: &Graph) -> Graph {
        let mut nodes: Vec<Rc<GraphNode>> = Vec::new();
        let mut old = last.nodes.iter().peekable();
        for (reference, record) in cluster.api().etcd().iter() {
            if hidden(reference, boot) {
                continue;
            }
            while old.next_if(|o| o.reference < *reference).is_some() {}
            nodes.push(match old.next_if(|o| o.reference == *reference) {
                Some(same) if same.object.ptr_eq(&record.object) => same.clone(),
                _ => Rc::new(GraphNode::new(reference, &record.object)),
            });
        }
        let mut graph = Graph { nodes, edges: Vec::new() };
        graph.edges = graph.find_edges();
        graph
    }

    /// The place of an object.
    pub fn find(&self, reference: &ObjectRef) -> Option<usize> {
        self.nodes.binary_search_by(|n| n.reference.cmp(reference)).ok()
    }

    /// An object.
    pub fn node(&self, index: usize) -> Option<&Rc<GraphNode>> {
        self.nodes.get(index)
    }

    fn find_edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        let mut orphans: Vec<usize> = Vec::new();
        let mut references: BTreeMap<(usize, usize), ()> = BTreeMap::new();
        for (i, n) in self.nodes.iter().enumerate() {
            let mut controller = None;
            for owner in n.object.meta().owners() {
                let Some(kind) = Kind::of(&owner.api_version, &owner.kind) else { continue };
                let namespace = if kind.namespaced() { n.object.namespace() } else { "" };
                let Some(o) = self.find(&ObjectRef { kind, key: Key::new(namespace, &owner.name) }) else {
                    continue;
                };
                if self.nodes.get(o).is_some_and(|o| o.uid() == owner.uid) {
                    edges.push(Edge { from: o, to: i, kind: EdgeKind::Owner });
                    controller = controller.or((owner.controller == Some(true)).then_some(o));
                }
            }
            if controller.is_none() {
                orphans.push(i);
            }
            if let Card::Pod(PodView { node: Some(name), .. }) = &n.card
                && let Some(node) = self.find(&ObjectRef::new(Kind::Node, "", name))
            {
                edges.push(Edge { from: i, to: node, kind: EdgeKind::Binding });
            }
            if let Some(spec) = n.object.get::<Pod>().and_then(|p| p.spec.as_ref()) {
                for (kind, name) in named_by(spec) {
                    if let Some(o) = self.find(&ObjectRef::new(kind, n.object.namespace(), name)) {
                        // All pods of one owner name the same: one line says it.
                        references.insert((controller.unwrap_or(i), o), ());
                    }
                }
            }
        }
        edges.extend(references.into_keys().map(|(from, to)| Edge { from, to, kind: EdgeKind::Reference }));
        self.find_selected(&orphans, &mut edges);
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// A Service's pods; and, for what makes pods, those it selects and does not own yet.
    fn find_selected(&self, orphans: &[usize], edges: &mut Vec<Edge>) {
        for (i, n) in self.nodes.iter().enumerate() {
            let Some((selector, wanted, only_orphans)) = selector_of(&n.object) else { continue };
            let mut add = |to: usize| {
                let Some(o) = self.nodes.get(to).filter(|o| o.reference.kind == wanted) else { return };
                if o.object.namespace() == n.object.namespace()
                    && selector.matches(o.object.meta().labels_or_empty())
                {
                    edges.push(Edge { from: i, to, kind: EdgeKind::Selector });
                }
            };
            if only_orphans {
                orphans.iter().copied().for_each(&mut add);
            } else {
                (0..self.nodes.len()).for_each(&mut add);
            }
        }
    }
}

fn hidden(reference: &ObjectRef, boot: &Cluster) -> bool {
    match reference.kind {
        Kind::Event | Kind::Lease => true,
        Kind::Node => false,
        _ => boot.api().etcd().get(reference).is_some(),
    }
}

fn place_of(kind: Kind) -> Place {
    match kind.as_str() {
        "Deployment" | "CronJob" => Place::Root,
        "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" | "ReplicationController" => Place::Middle,
        "Pod" => Place::Pod,
        "Node" => Place::Node,
        _ => Place::Aside,
    }
}

fn card_of(object: &Object) -> Card {
    if let Some(pod) = object.get::<Pod>() {
        return Card::Pod(pod_view(pod));
    }
    if let Some(d) = object.get::<Deployment>() {
        let status = d.status.clone().unwrap_or_default();
        let spec = d.spec.as_ref();
        return Card::Workload {
            want: spec.and_then(|s| s.replicas).unwrap_or(1),
            ready: status.ready_replicas.unwrap_or(0),
            have: status.replicas.unwrap_or(0),
            revision: None,
            paused: spec.and_then(|s| s.paused).unwrap_or(false),
        };
    }
    if let Some(rs) = object.get::<ReplicaSet>() {
        let status = rs.status.clone().unwrap_or_default();
        return Card::Workload {
            want: rs.spec.as_ref().and_then(|s| s.replicas).unwrap_or(1),
            ready: status.ready_replicas.unwrap_or(0),
            have: status.replicas,
            revision: rs
                .metadata
                .annotation("deployment.kubernetes.io/revision")
                .and_then(|r| r.parse().ok()),
            paused: false,
        };
    }
    if let Some(n) = object.get::<Node>() {
        let conditions = n.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
        return Card::Node {
            ready: conditions.iter().any(|c| c.type_ == "Ready" && c.status == "True"),
            schedulable: n.spec.as_ref().and_then(|s| s.unschedulable) != Some(true),
        };
    }
    if matches!(place_of(object.kind()), Place::Root | Place::Middle) {
        return generic_workload(object);
    }
    Card::Other
}

/// The kinds that are rarer: read from the fields they all have.
fn generic_workload(object: &Object) -> Card {
    let value = object.to_value();
    let number = |paths: &[&str]| {
        paths.iter().find_map(|p| value.pointer(p)?.as_i64()).and_then(|n| i32::try_from(n).ok())
    };
    Card::Workload {
        want: number(&[
            "/status/desiredNumberScheduled",
            "/spec/replicas",
            "/spec/completions",
            "/spec/parallelism",
        ])
        .unwrap_or(0),
        ready: number(&["/status/readyReplicas", "/status/numberReady", "/status/succeeded"]).unwrap_or(0),
        have: number(&["/status/replicas", "/status/currentNumberScheduled", "/status/active"]).unwrap_or(0),
        revision: None,
        paused: value.pointer("/spec/suspend").and_then(serde_json::Value::as_bool).unwrap_or(false),
    }
}

/// A selector, the kind it selects, and whether only those without an owner matter.
fn selector_of(object: &Object) -> Option<(Selector, Kind, bool)> {
    if let Some(s) = object.get::<Service>() {
        let labels = s.spec.as_ref()?.selector.as_ref().filter(|l| !l.is_empty())?;
        return Some((Selector::from_set(labels), Kind::Pod, false));
    }
    let (selector, kind) = if let Some(d) = object.get::<Deployment>() {
        (&d.spec.as_ref()?.selector, Kind::ReplicaSet)
    } else {
        (&object.get::<ReplicaSet>()?.spec.as_ref()?.selector, Kind::Pod)
    };
    Some((Selector::from_label_selector(Some(selector)).ok()?, kind, true))
}

/// What a pod names: ConfigMaps, Secrets, claims.
fn named_by(spec: &PodSpec) -> Vec<(Kind, &str)> {
    let mut named: Vec<(Kind, &str)> = Vec::new();
    for v in spec.volumes.iter().flatten() {
        if let Some(c) = &v.config_map {
            named.push((Kind::ConfigMap, &c.name));
        }
        if let Some(n) = v.secret.as_ref().and_then(|s| s.secret_name.as_deref()) {
            named.push((Kind::Secret, n));
        }
        if let Some(p) = &v.persistent_volume_claim {
            named.push((Kind::PersistentVolumeClaim, &p.claim_name));
        }
    }
    for c in spec.containers.iter().chain(spec.init_containers.iter().flatten()) {
        for e in c.env_from.iter().flatten() {
            named.extend(e.config_map_ref.as_ref().map(|r| (Kind::ConfigMap, r.name.as_str())));
            named.extend(e.secret_ref.as_ref().map(|r| (Kind::Secret, r.name.as_str())));
        }
        for from in c.env.iter().flatten().filter_map(|e| e.value_from.as_ref()) {
            named.extend(from.config_map_key_ref.as_ref().map(|r| (Kind::ConfigMap, r.name.as_str())));
            named.extend(from.secret_key_ref.as_ref().map(|r| (Kind::Secret, r.name.as_str())));
        }
    }
    named
}
