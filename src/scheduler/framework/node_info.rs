//! A node with the pods on it, and the sums the plugins need (`framework.NodeInfo`).

use std::collections::BTreeMap;
use std::rc::Rc;

use imbl::GenericOrdMap;
use imbl::shared_ptr::RcK;

use super::pod_info::{HostPort, PodClass, PodInfo};
use super::resource::{NonZero, Resource};
use super::terms::Labels;
use crate::api::types::{Node, Taint};
use crate::api::{Key, MetaExt};

/// How many pods of a class are on a node.
#[derive(Clone, Debug)]
pub struct ClassCount {
    /// Namespace and labels.
    pub class: PodClass,
    /// All of them.
    pub total: i64,
    /// Those whose deletion has begun.
    pub terminating: i64,
}

/// A node with the pods on it. Cloning it copies a dozen pointers and a few numbers; changing a
/// clone copies what it changes.
#[derive(Clone, Debug)]
pub struct NodeInfo {
    name: Rc<str>,
    node: Option<Rc<Node>>,
    pods: GenericOrdMap<Key, Rc<PodInfo>, RcK>,
    with_affinity: Rc<Vec<Rc<PodInfo>>>,
    with_required_anti_affinity: Rc<Vec<Rc<PodInfo>>>,
    classes: Rc<Vec<ClassCount>>,
    used_ports: Rc<Vec<HostPort>>,
    requested: Resource,
    non_zero_requested: NonZero,
    allocatable: Rc<Resource>,
    images: Rc<BTreeMap<String, i64>>,
    claims: Rc<BTreeMap<Key, u32>>,
}

static NO_LABELS: Labels = Labels::new();

impl NodeInfo {
    /// A node that is not there yet and has no pods. Pods may be seen before their node is.
    pub fn new(name: &str) -> NodeInfo {
        NodeInfo {
            name: name.into(),
            node: None,
            pods: GenericOrdMap::new(),
            with_affinity: Rc::default(),
            with_required_anti_affinity: Rc::default(),
            classes: Rc::default(),
            used_ports: Rc::default(),
            requested: Resource::default(),
            non_zero_requested: NonZero::default(),
            allocatable: Rc::default(),
            images: Rc::default(),
            claims: Rc::default(),
        }
    }

    /// A node without pods.
    pub fn of_node(node: Rc<Node>) -> NodeInfo {
        let mut info = NodeInfo::new(node.metadata.name());
        info.set_node(node);
        info
    }

    /// The node's name.
    pub fn name(&self) -> &Rc<str> {
        &self.name
    }

    /// The node, if it has been seen.
    pub fn node(&self) -> Option<&Rc<Node>> {
        self.node.as_ref()
    }

    /// The node's labels.
    pub fn labels(&self) -> &Labels {
        self.node.as_ref().map_or(&NO_LABELS, |n| n.metadata.labels_or_empty())
    }

    /// The node's taints.
    pub fn taints(&self) -> &[Taint] {
        let spec = self.node.as_ref().and_then(|n| n.spec.as_ref());
        spec.and_then(|s| s.taints.as_deref()).unwrap_or_default()
    }

    /// Whether the node is cordoned.
    pub fn unschedulable(&self) -> bool {
        self.node.as_ref().and_then(|n| n.spec.as_ref()).is_some_and(|s| s.unschedulable == Some(true))
    }

    /// The pods, in the order of namespace and name.
    pub fn pods(&self) -> impl Iterator<Item = &Rc<PodInfo>> {
        self.pods.values()
    }

    /// How many pods there are.
    pub fn pod_count(&self) -> usize {
        self.pods.len()
    }

    /// A pod by namespace and name.
    pub fn pod(&self, key: &Key) -> Option<&Rc<PodInfo>> {
        self.pods.get(key)
    }

    /// The pods with any pod affinity or anti-affinity.
    pub fn pods_with_affinity(&self) -> &[Rc<PodInfo>] {
        &self.with_affinity
    }

    /// The pods with required anti-affinity.
    pub fn pods_with_required_anti_affinity(&self) -> &[Rc<PodInfo>] {
        &self.with_required_anti_affinity
    }

    /// The pods by namespace and labels.
    pub fn classes(&self) -> &[ClassCount] {
        &self.classes
    }

    /// The node's ports that are taken.
    pub fn used_ports(&self) -> &[HostPort] {
        &self.used_ports
    }

    /// What the pods ask for.
    pub fn requested(&self) -> &Resource {
        &self.requested
    }

    /// What the pods count for when nodes are scored.
    pub fn non_zero_requested(&self) -> NonZero {
        self.non_zero_requested
    }

    /// What the node has to give.
    pub fn allocatable(&self) -> &Resource {
        &self.allocatable
    }

    /// The images on the node with their sizes in bytes, by normalised name.
    pub fn images(&self) -> &BTreeMap<String, i64> {
        &self.images
    }

    /// How many pods on the node use a claim.
    pub fn claim_users(&self, claim: &Key) -> u32 {
        self.claims.get(claim).copied().unwrap_or(0)
    }

    /// Takes a new version of the node.
    pub fn set_node(&mut self, node: Rc<Node>) {
        if let Some(old) = &self.node
            && Rc::ptr_eq(old, &node)
        {
            return;
        }
        let status = node.status.as_ref();
        let allocatable =
            status.and_then(|s| s.allocatable.as_ref()).map(Resource::from_list).unwrap_or_default();
        // Heartbeats come often and change neither; the old copies stay shared then.
        if *self.allocatable != allocatable {
            self.allocatable = Rc::new(allocatable);
        }
        let mut images = BTreeMap::new();
        for image in status.and_then(|s| s.images.as_ref()).into_iter().flatten() {
            for name in image.names.iter().flatten() {
                images.insert(normalized_image_name(name), image.size_bytes.unwrap_or(0));
            }
        }
        if *self.images != images {
            self.images = Rc::new(images);
        }
        self.node = Some(node);
    }

    /// The node is gone; its pods may not be yet.
    pub fn remove_node(&mut self) {
        self.node = None;
    }

    /// Adds a pod, or takes a new version of one.
    pub fn add_pod(&mut self, pod: Rc<PodInfo>) {
        if self.pods.contains_key(&pod.key) {
            self.remove_pod(&pod.key);
        }
        self.count(&pod, 1);
        if pod.has_affinity() {
            Rc::make_mut(&mut self.with_affinity).push(pod.clone());
        }
        if !pod.required_anti_affinity.is_empty() {
            Rc::make_mut(&mut self.with_required_anti_affinity).push(pod.clone());
        }
        self.pods.insert(pod.key.clone(), pod);
    }

    /// Takes a pod away; gives it back, or nothing if it was not there.
    pub fn remove_pod(&mut self, key: &Key) -> Option<Rc<PodInfo>> {
        let pod = self.pods.remove(key)?;
        self.count(&pod, -1);
        if pod.has_affinity() {
            Rc::make_mut(&mut self.with_affinity).retain(|p| p.key != *key);
        }
        if !pod.required_anti_affinity.is_empty() {
            Rc::make_mut(&mut self.with_required_anti_affinity).retain(|p| p.key != *key);
        }
        Some(pod)
    }

    fn count(&mut self, pod: &PodInfo, times: i64) {
        self.requested.add(&pod.requests, times);
        self.non_zero_requested.milli_cpu += pod.non_zero.milli_cpu * times;
        self.non_zero_requested.memory += pod.non_zero.memory * times;
        self.count_class(pod, times);
        if !pod.host_ports.is_empty() {
            let ports = Rc::make_mut(&mut self.used_ports);
            for p in &pod.host_ports {
                if times > 0 {
                    ports.push(p.clone());
                } else if let Some(i) = ports.iter().position(|x| x == p) {
                    ports.swap_remove(i);
                }
            }
        }
        if pod.has_volumes {
            for claim in crate::scheduler::plugins::volume::claim_keys(pod) {
                let claims = Rc::make_mut(&mut self.claims);
                let users = claims.entry(claim.clone()).or_insert(0);
                *users = if times > 0 { users.saturating_add(1) } else { users.saturating_sub(1) };
                if *users == 0 {
                    claims.remove(&claim);
                }
            }
        }
    }

    fn count_class(&mut self, pod: &PodInfo, times: i64) {
        let classes = Rc::make_mut(&mut self.classes);
        let terminating = if pod.is_terminating() { times } else { 0 };
        match classes.binary_search_by(|c| c.class.id.cmp(&pod.class.id)) {
            Ok(i) => {
                if let Some(c) = classes.get_mut(i) {
                    c.total += times;
                    c.terminating += terminating;
                    if c.total <= 0 {
                        classes.remove(i);
                    }
                }
            }
            Err(i) if times > 0 => {
                classes.insert(i, ClassCount { class: pod.class.clone(), total: times, terminating });
            }
            Err(_) => {}
        }
    }
}

/// An image name with its tag: `:latest` if it has none.
pub fn normalized_image_name(name: &str) -> String {
    match (name.rfind(':'), name.rfind('/')) {
        (None, _) => format!("{name}:latest"),
        (Some(colon), Some(slash)) if colon <= slash => format!("{name}:latest"),
        _ => name.to_owned(),
    }
}
