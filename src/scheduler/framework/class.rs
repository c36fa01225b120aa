//! Classes of pods: what selectors are tried on.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::MetaExt;
use crate::api::persistent::Map;
use crate::api::types::Pod;

/// Labels of an object.
pub type Labels = BTreeMap<String, String>;

/// Pods that no selector can tell apart: same namespace, same labels. Counting classes instead of
/// pods is what makes spreading over full nodes cheap.
#[derive(Clone, Debug)]
pub struct PodClass {
    /// A digest of namespace and labels. It is 128 bits wide, so that equal means equal.
    pub id: u128,
    /// Any pod of the class.
    pub(super) example: Rc<Pod>,
}

/// FNV-1a over some texts; every text is closed by a byte that is not UTF-8.
pub(super) fn digest<'s>(texts: impl Iterator<Item = &'s str>) -> u128 {
    let mut id: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for b in texts.flat_map(|s| s.bytes().chain([0xff])) {
        id = (id ^ u128::from(b)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    id
}

impl PodClass {
    pub(super) fn new(pod: &Rc<Pod>) -> PodClass {
        let labels = pod.metadata.labels_or_empty().iter().flat_map(|(k, v)| [k.as_str(), v.as_str()]);
        let id = digest(std::iter::once(pod.metadata.namespace()).chain(labels));
        PodClass { id, example: pod.clone() }
    }

    /// The namespace of its pods.
    pub fn namespace(&self) -> &str {
        self.example.metadata.namespace()
    }

    /// The labels of its pods.
    pub fn labels(&self) -> &Labels {
        self.example.metadata.labels_or_empty()
    }
}

/// All classes of pods there are in the cluster, with how many pods each has. The scheduler's cache
/// keeps it beside the nodes; with it a selector is tried once per class instead of once per class
/// and node. Cloning it copies a pointer.
#[derive(Clone, Debug, Default)]
pub struct Classes(Map<u128, (PodClass, usize)>);

impl Classes {
    /// Counts a pod that came to a node.
    pub fn add(&mut self, class: &PodClass) {
        let count = self.0.get(&class.id).map_or(0, |c| c.1);
        self.0.insert(class.id, (class.clone(), count + 1));
    }

    /// Counts a pod that left its node.
    pub fn remove(&mut self, class: &PodClass) {
        match self.0.get(&class.id).map_or(0, |c| c.1) {
            0 | 1 => self.0.remove(&class.id).map(|_| ()).unwrap_or_default(),
            n => {
                self.0.insert(class.id, (class.clone(), n - 1));
            }
        }
    }

    /// The classes.
    pub fn iter(&self) -> impl Iterator<Item = &PodClass> {
        self.0.values().map(|(class, _)| class)
    }
}
