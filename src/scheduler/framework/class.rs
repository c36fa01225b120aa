//! Classes of pods, to which selectors are applied.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::MetaExt;
use crate::api::persistent::Map;
use crate::api::types::Pod;

/// The labels of an object.
pub type Labels = BTreeMap<String, String>;

/// Pods that no selector can tell apart, because their namespace and labels are equal. Counting classes
/// instead of pods keeps spreading and affinity cheap on full nodes.
#[derive(Clone, Debug)]
pub struct PodClass {
    /// A digest of namespace and labels. Its 128 bits are taken as proof of equality.
    pub id: u128,
    /// One pod of the class, for its namespace and labels.
    pub(super) example: Rc<Pod>,
}

/// FNV-1a with 128 bits over some texts. A byte that UTF-8 does not use ends each text.
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

/// All classes of pods in the cluster, each with the number of its pods. The scheduler's cache keeps them
/// beside the nodes, so that a selector is tried once per class instead of once per class and node. Clones
/// share their content.
#[derive(Clone, Debug, Default)]
pub struct Classes(Map<u128, (PodClass, usize)>);

impl Classes {
    /// Counts a pod that was added to a node.
    pub fn add(&mut self, class: &PodClass) {
        let count = self.0.get(&class.id).map_or(0, |c| c.1);
        self.0.insert(class.id, (class.clone(), count + 1));
    }

    /// Counts off a pod that was removed from a node. A class without pods is dropped.
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
