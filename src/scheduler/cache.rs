//! What the scheduler believes about nodes and the pods on them
//! (`k8s.io/kubernetes/pkg/scheduler/backend/cache`): pods count on a node from the moment a node
//! was chosen for them, before anybody has heard of it.

use std::rc::Rc;

use super::framework::{Classes, NodeInfo, PodInfo};
use crate::api::persistent::Map;
use crate::api::types::{Node, Pod};
use crate::api::{Key, MetaExt};

/// Nodes, and the pods that are or will be on them.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    nodes: Map<Rc<str>, Rc<NodeInfo>>,
    // Where each pod counts, and whether that is only assumed.
    pods: Map<Key, (Rc<str>, bool)>,
    // The kinds of pods there are, which plugins ask about instead of about every pod.
    classes: Classes,
}

fn node_of(pod: &Pod) -> Option<&str> {
    pod.spec.as_ref()?.node_name.as_deref().filter(|n| !n.is_empty())
}

impl Cache {
    /// The nodes there are, by name.
    pub fn snapshot(&self) -> Vec<Rc<NodeInfo>> {
        self.nodes.values().filter(|n| n.node().is_some()).cloned().collect()
    }

    /// The classes of the pods on all nodes.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The pods that are on their way to a node, with its name.
    pub fn assumed(&self) -> impl Iterator<Item = (&Key, &str)> {
        self.pods.iter().filter(|(_, (_, assumed))| *assumed).map(|(pod, (node, _))| (pod, &**node))
    }

    /// Whether the pod counts somewhere.
    pub fn has(&self, pod: &Key) -> bool {
        self.pods.contains_key(pod)
    }

    /// A node came or changed.
    pub fn set_node(&mut self, node: &Rc<Node>) {
        self.edit(node.metadata.name(), |n| n.set_node(node.clone()));
    }

    /// A node is gone; the pods on it are still thought to be there.
    pub fn remove_node(&mut self, name: &str) {
        self.edit(name, NodeInfo::remove_node);
        if self.nodes.get(name).is_some_and(|n| n.pod_count() == 0) {
            self.nodes.remove(name);
        }
    }

    /// A pod shall count on a node although it is not bound yet.
    pub fn assume(&mut self, key: &Key, pod: &Rc<Pod>, node: &str) {
        self.put(key, pod, node, true);
    }

    /// It was not bound after all.
    pub fn forget(&mut self, pod: &Key) {
        if self.pods.get(pod).is_some_and(|(_, assumed)| *assumed) {
            self.take(pod);
        }
    }

    /// A bound pod came or changed.
    pub fn set_pod(&mut self, key: &Key, pod: &Rc<Pod>) {
        if let Some(node) = node_of(pod) {
            self.put(key, pod, node, false);
        }
    }

    /// A pod is gone.
    pub fn remove_pod(&mut self, pod: &Key) {
        self.take(pod);
    }

    fn put(&mut self, key: &Key, pod: &Rc<Pod>, node: &str, assumed: bool) {
        let known = self.pods.get(key).filter(|(name, _)| **name == *node).cloned();
        // Mostly it is where it was and only its status is new: then it counts for the same.
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
