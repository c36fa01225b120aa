//! What the scheduler believes about nodes and the pods on them
//! (`k8s.io/kubernetes/pkg/scheduler/backend/cache`). A pod is counted on a node from the moment the
//! scheduler chooses that node, before its informer delivers the bound pod.

use std::rc::Rc;

use super::framework::{Classes, NodeInfo, PodInfo};
use crate::api::persistent::Map;
use crate::api::types::{Node, Pod};
use crate::api::{Key, MetaExt};

/// Nodes, and the pods that are bound or assumed to be bound to them. Clones share their content.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    nodes: Map<Rc<str>, Rc<NodeInfo>>,
    // By pod: the node it is counted on, and whether that is only assumed.
    pods: Map<Key, (Rc<str>, bool)>,
    // The classes of the pods on all nodes: plugins try a selector once for each class instead of once for
    // each pod.
    classes: Classes,
}

pub(super) fn node_of(pod: &Pod) -> Option<&str> {
    pod.spec.as_ref()?.node_name.as_deref().filter(|n| !n.is_empty())
}

/// The pod as it would be if it were bound to the node.
pub(super) fn assigned(pod: &Rc<Pod>, node: &str) -> Rc<Pod> {
    let mut pod = pod.clone();
    Rc::make_mut(&mut pod).spec.get_or_insert_default().node_name = Some(node.to_owned());
    pod
}

impl Cache {
    /// The known nodes, sorted by name. Nodes of which only pods were seen are left out.
    pub fn snapshot(&self) -> Vec<Rc<NodeInfo>> {
        self.nodes.values().filter(|n| n.node().is_some()).cloned().collect()
    }

    /// Whether no node is known.
    pub fn is_empty(&self) -> bool {
        self.nodes.values().all(|n| n.node().is_none())
    }

    /// The classes of the pods on all nodes.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The assumed pods, each with the name of its node.
    pub fn assumed(&self) -> impl Iterator<Item = (&Key, &str)> {
        self.pods.iter().filter(|(_, (_, assumed))| *assumed).map(|(pod, (node, _))| (pod, &**node))
    }

    /// The node that the pod is assumed to be bound to; `None` if it is bound, or not counted.
    pub fn assumed_node(&self, pod: &Key) -> Option<&Rc<str>> {
        self.pods.get(pod).filter(|(_, assumed)| *assumed).map(|(node, _)| node)
    }

    /// Adds a node, or takes its new version.
    pub fn set_node(&mut self, node: &Rc<Node>) {
        self.edit(node.metadata.name(), |n| n.set_node(node.clone()));
    }

    /// Removes a node. The pods on it stay until each of them is removed.
    pub fn remove_node(&mut self, name: &str) {
        self.edit(name, NodeInfo::remove_node);
        if self.nodes.get(name).is_some_and(|n| n.pod_count() == 0) {
            self.nodes.remove(name);
        }
    }

    /// Counts a pod on a node before it is bound.
    pub fn assume(&mut self, key: &Key, pod: &Rc<Pod>, node: &str) {
        self.put(key, pod, node, true);
    }

    /// Takes an assumed pod off its node, because it was not bound. A bound pod stays.
    pub fn forget(&mut self, pod: &Key) {
        if self.pods.get(pod).is_some_and(|(_, assumed)| *assumed) {
            self.take(pod);
        }
    }

    /// Adds a bound pod, or takes its new version. A pod without `spec.nodeName` is ignored.
    pub fn set_pod(&mut self, key: &Key, pod: &Rc<Pod>) {
        if let Some(node) = node_of(pod) {
            self.put(key, pod, node, false);
        }
    }

    /// Removes a pod, whether it was bound or assumed.
    pub fn remove_pod(&mut self, pod: &Key) {
        self.take(pod);
    }

    fn put(&mut self, key: &Key, pod: &Rc<Pod>, node: &str, assumed: bool) {
        let known = self.pods.get(key).filter(|(name, _)| **name == *node).cloned();
        // Most updates change only the status: the node is the same, and the pod counts for the same.
        if let Some((name, was)) = known {
            let mut renewed = false;
            self.edit(node, |n| renewed = n.renew_pod(key, pod));
            if renewed {
                if was != assumed {
                    self.pods.insert(key.clone(), (name, assumed));
                }
                return;
            }
        }
        self.take(key);
        let name: Rc<str> = Rc::from(node);
        let info = Rc::new(PodInfo::new(pod.clone()));
        self.classes.add(&info.class);
        self.edit(node, |n| n.add_pod(info));
        self.pods.insert(key.clone(), (name, assumed));
    }

    fn take(&mut self, pod: &Key) {
        if let Some((node, _)) = self.pods.remove(pod) {
            let mut gone = None;
            self.edit(&node, |n| gone = n.remove_pod(pod));
            if let Some(info) = gone {
                self.classes.remove(&info.class);
            }
        }
    }

    fn edit(&mut self, name: &str, change: impl FnOnce(&mut NodeInfo)) {
        match self.nodes.get_mut(name) {
            Some(n) => change(Rc::make_mut(n)),
            None => {
                let mut n = NodeInfo::new(name);
                change(&mut n);
                self.nodes.insert(Rc::from(name), Rc::new(n));
            }
        }
    }
}
