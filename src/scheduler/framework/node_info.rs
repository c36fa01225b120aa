//! A node with the pods on it and their sums (`framework.NodeInfo`).

use std::collections::BTreeMap;
use std::rc::Rc;

use imbl::GenericOrdMap;
use imbl::shared_ptr::RcK;

use super::class::{Labels, PodClass};
use super::pod_info::{HostPort, PodInfo};
use super::resource::{NonZero, Resource};
use crate::api::types::{Node, Pod, Taint};
use crate::api::{Key, MetaExt};

/// How many pods of one class are on a node.
#[derive(Clone, Debug)]
pub struct ClassCount {
    /// The class: a namespace and a set of labels.
    pub class: PodClass,
    /// All pods of the class.
    pub total: i64,
    /// Those of them whose `deletionTimestamp` is set.
    pub terminating: i64,
}

/// A node with the pods on it. A clone shares its parts with the original until either changes them.
#[derive(Clone, Debug)]
pub struct NodeInfo {
    name: Rc<str>,
    node: Option<Rc<Node>>,
    pods: GenericOrdMap<Key, Rc<PodInfo>, RcK>,
    // The priorities of the pods in order, each with the number of its pods.
    priorities: Rc<Vec<(i32, usize)>>,
    // Lists that are empty on most nodes are options, so that an empty one needs no pointer to follow.
    with_affinity: Option<Rc<Vec<Rc<PodInfo>>>>,
    with_required_anti_affinity: Option<Rc<Vec<Rc<PodInfo>>>>,
    classes: Rc<Vec<ClassCount>>,
    used_ports: Option<Rc<Vec<HostPort>>>,
    requested: Resource,
    non_zero_requested: NonZero,
    allocatable: Resource,
    images: Option<Rc<BTreeMap<String, i64>>>,
    claims: Option<Rc<BTreeMap<Key, u32>>>,
    unschedulable: bool,
    has_taints: bool,
    hostname: Option<Rc<str>>,
    zone: Option<Rc<str>>,
}

static NO_LABELS: Labels = Labels::new();
static NO_IMAGES: BTreeMap<String, i64> = BTreeMap::new();

pub use crate::api::well_known::LABEL_HOSTNAME;
/// The label that names a node's zone.
pub const LABEL_ZONE: &str = "topology.kubernetes.io/zone";

fn push<T: Clone>(list: &mut Option<Rc<Vec<T>>>, item: T) {
    Rc::make_mut(list.get_or_insert_default()).push(item);
}

fn take<T: Clone>(list: &mut Option<Rc<Vec<T>>>, is_it: impl Fn(&T) -> bool) {
    if let Some(items) = list {
        if let Some(i) = items.iter().position(is_it) {
            Rc::make_mut(items).remove(i);
        }
        if items.is_empty() {
            *list = None;
        }
    }
}

impl NodeInfo {
    /// An entry without a node and without pods. Pods may be seen before their node is.
    pub fn new(name: &str) -> NodeInfo {
        NodeInfo {
            name: name.into(),
            node: None,
            pods: GenericOrdMap::new(),
            priorities: Rc::default(),
            with_affinity: None,
            with_required_anti_affinity: None,
            classes: Rc::default(),
            used_ports: None,
            requested: Resource::default(),
            non_zero_requested: NonZero::default(),
            allocatable: Resource::default(),
            images: None,
            claims: None,
            unschedulable: false,
            has_taints: false,
            hostname: None,
            zone: None,
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

    /// The node; `None` if only pods on it have been seen.
    pub fn node(&self) -> Option<&Rc<Node>> {
        self.node.as_ref()
    }

    /// The node's labels; none if the node has not been seen.
    pub fn labels(&self) -> &Labels {
        self.node.as_ref().map_or(&NO_LABELS, |n| n.metadata.labels_or_empty())
    }

    /// The value of a topology label. The values of [`LABEL_HOSTNAME`] and [`LABEL_ZONE`] are kept, so they
    /// are cheap.
    pub fn place(&self, topology_key: &str) -> Option<&str> {
        match topology_key {
            LABEL_HOSTNAME => self.hostname.as_deref(),
            LABEL_ZONE => self.zone.as_deref(),
            key => self.labels().get(key).map(String::as_str),
        }
    }

    /// The node's taints (`spec.taints`).
    pub fn taints(&self) -> &[Taint] {
        if !self.has_taints {
            return &[];
        }
        let spec = self.node.as_ref().and_then(|n| n.spec.as_ref());
        spec.and_then(|s| s.taints.as_deref()).unwrap_or_default()
    }

    /// Whether the node is cordoned (`spec.unschedulable`).
    pub fn unschedulable(&self) -> bool {
        self.unschedulable
    }

    /// The pods, sorted by namespace and name.
    pub fn pods(&self) -> impl Iterator<Item = &Rc<PodInfo>> {
        self.pods.values()
    }

    /// How many pods there are.
    pub fn pod_count(&self) -> usize {
        self.pods.len()
    }

    /// Whether a pod has a lower priority than this one.
    pub fn has_less_important_pods(&self, priority: i32) -> bool {
        self.priorities.first().is_some_and(|(lowest, _)| *lowest < priority)
    }

    /// A pod by namespace and name.
    pub fn pod(&self, key: &Key) -> Option<&Rc<PodInfo>> {
        self.pods.get(key)
    }

    /// The pods that have required or preferred pod affinity or anti-affinity.
    pub fn pods_with_affinity(&self) -> &[Rc<PodInfo>] {
        self.with_affinity.as_ref().map_or(&[], |v| v)
    }

    /// The pods that have required pod anti-affinity.
    pub fn pods_with_required_anti_affinity(&self) -> &[Rc<PodInfo>] {
        self.with_required_anti_affinity.as_ref().map_or(&[], |v| v)
    }

    /// The pods' classes, each with the number of its pods.
    pub fn classes(&self) -> &[ClassCount] {
        &self.classes
    }

    /// The host ports that the pods use.
    pub fn used_ports(&self) -> &[HostPort] {
        self.used_ports.as_ref().map_or(&[], |v| v)
    }

    /// The sum of the pods' requests.
    pub fn requested(&self) -> &Resource {
        &self.requested
    }

    /// The sum of the pods' requests with defaults for containers that have none; used for scores.
    pub fn non_zero_requested(&self) -> NonZero {
        self.non_zero_requested
    }

    /// What the node offers to pods (`status.allocatable`).
    pub fn allocatable(&self) -> &Resource {
        &self.allocatable
    }

    /// The sizes of the node's images in bytes, by normalised name.
    pub fn images(&self) -> &BTreeMap<String, i64> {
        self.images.as_deref().unwrap_or(&NO_IMAGES)
    }

    /// How many pods on the node use the claim.
    pub fn claim_users(&self, claim: &Key) -> u32 {
        self.claims.as_ref().and_then(|c| c.get(claim)).copied().unwrap_or(0)
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
        self.allocatable = allocatable;
        let mut images = BTreeMap::new();
        for image in status.and_then(|s| s.images.as_ref()).into_iter().flatten() {
            for name in image.names.iter().flatten() {
                images.insert(normalized_image_name(name), image.size_bytes.unwrap_or(0));
            }
        }
        // Heartbeats are frequent and do not change images: then the copy that clones share is kept.
        if *self.images() != images {
            self.images = (!images.is_empty()).then(|| Rc::new(images));
        }
        let spec = node.spec.as_ref();
        self.unschedulable = spec.is_some_and(|s| s.unschedulable == Some(true));
        self.has_taints = spec.and_then(|s| s.taints.as_ref()).is_some_and(|t| !t.is_empty());
        self.hostname = node.metadata.label(LABEL_HOSTNAME).map(Rc::from);
        self.zone = node.metadata.label(LABEL_ZONE).map(Rc::from);
        self.node = Some(node);
    }

    /// The node was deleted. The pods on it are kept until each of them is removed.
    pub fn remove_node(&mut self) {
        self.node = None;
        self.unschedulable = false;
        self.has_taints = false;
        self.hostname = None;
        self.zone = None;
    }

    /// Adds a pod, or takes its new version.
    pub fn add_pod(&mut self, pod: Rc<PodInfo>) {
        if self.pods.contains_key(&pod.key) {
            self.remove_pod(&pod.key);
        }
        self.count(&pod, 1);
        if pod.has_affinity() {
            push(&mut self.with_affinity, pod.clone());
        }
        if !pod.required_anti_affinity.is_empty() {
            push(&mut self.with_required_anti_affinity, pod.clone());
        }
        self.pods.insert(pod.key.clone(), pod);
    }

    /// Takes a new version of a pod that counts for the same as the old one. Returns `false`, and changes
    /// nothing, if the pod is not on the node or the new version counts for something else.
    pub fn renew_pod(&mut self, key: &Key, pod: &Rc<Pod>) -> bool {
        match self.pods.get_mut(key) {
            // A pod with affinity is also in the lists of pods with affinity, which would keep the old
            // version.
            Some(known) if !known.has_affinity() && known.counts_as(pod) => {
                Rc::make_mut(known).renew(pod);
                true
            }
            _ => false,
        }
    }

    /// Removes a pod and returns it; `None` if it was not on the node.
    pub fn remove_pod(&mut self, key: &Key) -> Option<Rc<PodInfo>> {
        let pod = self.pods.remove(key)?;
        self.count(&pod, -1);
        if pod.has_affinity() {
            take(&mut self.with_affinity, |p| p.key == *key);
        }
        if !pod.required_anti_affinity.is_empty() {
            take(&mut self.with_required_anti_affinity, |p| p.key == *key);
        }
        Some(pod)
    }

    fn count(&mut self, pod: &PodInfo, times: i64) {
        self.requested.add(&pod.requests, times);
        self.non_zero_requested.milli_cpu += pod.non_zero.milli_cpu * times;
        self.non_zero_requested.memory += pod.non_zero.memory * times;
        self.count_class(pod, times);
        self.count_priority(pod.priority, times > 0);
        for p in &pod.host_ports {
            if times > 0 {
                push(&mut self.used_ports, p.clone());
            } else {
                take(&mut self.used_ports, |x| x == p);
            }
        }
        if pod.has_volumes {
            self.count_claims(pod, times > 0);
        }
    }

    fn count_priority(&mut self, priority: i32, more: bool) {
        let all = Rc::make_mut(&mut self.priorities);
        match all.binary_search_by_key(&priority, |(p, _)| *p) {
            Ok(at) => {
                if let Some((_, pods)) = all.get_mut(at) {
                    *pods = if more { *pods + 1 } else { pods.saturating_sub(1) };
                    if *pods == 0 {
                        all.remove(at);
                    }
                }
            }
            Err(at) if more => all.insert(at, (priority, 1)),
            Err(_) => {}
        }
    }

    fn count_claims(&mut self, pod: &PodInfo, more: bool) {
        for claim in pod.claim_keys() {
            let claims = Rc::make_mut(self.claims.get_or_insert_default());
            let users = claims.entry(claim.clone()).or_insert(0);
            *users = if more { users.saturating_add(1) } else { users.saturating_sub(1) };
            if *users == 0 {
                claims.remove(&claim);
            }
        }
        if self.claims.as_ref().is_some_and(|c| c.is_empty()) {
            self.claims = None;
        }
    }

    /// The number of pods of a class, by [`PodClass::id`]; `None` if there are none.
    pub fn class(&self, id: u128) -> Option<&ClassCount> {
        self.classes.get(self.classes.binary_search_by(|c| c.class.id.cmp(&id)).ok()?)
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

/// An image's name with its tag or digest; `:latest` is added if it has neither.
pub fn normalized_image_name(name: &str) -> String {
    match (name.rfind(':'), name.rfind('/')) {
        (None, _) => format!("{name}:latest"),
        (Some(colon), Some(slash)) if colon <= slash => format!("{name}:latest"),
        _ => name.to_owned(),
    }
}
