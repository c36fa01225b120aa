//! What a kubelet removes from its node's disk: images that no container uses (`pkg/kubelet/images/image_gc_manager.go`),
//! and what is left of the containers of pods that have ended (`pkg/kubelet/container/container_gc.go`,
//! `pkg/kubelet/kuberuntime/kuberuntime_gc.go`).

use std::collections::BTreeSet;
use std::rc::Rc;

use super::container_state::ContainerState;
use super::images;
use super::state::{NodeRuntime, State, WorkerPhase};
use crate::api::{Key, Timestamp};

/// The size of an image in bytes.
pub(super) fn size(image: &str) -> i64 {
    i64::try_from(images::size(image)).unwrap_or(i64::MAX)
}

impl NodeRuntime {
    /// Notes that an image is on the node and is used at a moment.
    pub(super) fn has_image(&mut self, image: &str, now: Timestamp) {
        if self.images.insert(image.into(), now).is_none() {
            self.image_bytes = self.image_bytes.saturating_add(size(image));
        }
    }

    /// Removes an image.
    pub(super) fn remove_image(&mut self, image: &str) {
        if self.images.remove(image).is_some() {
            self.image_bytes = self.image_bytes.saturating_sub(size(image));
        }
    }
}

/// The images of the containers that are there.
pub(super) fn in_use(state: &State) -> BTreeSet<Rc<str>> {
    let pods = state.pods.values().filter(|rt| rt.phase != WorkerPhase::Terminated);
    let containers = pods.flat_map(|rt| &rt.containers);
    let images = containers.filter_map(|c| match &c.state {
        ContainerState::None => None,
        ContainerState::Created(i) => Some(i.image.clone()),
        ContainerState::Running(r) => Some(r.instance.image.clone()),
        ContainerState::Exited(e) => Some(e.instance.image.clone()),
    });
    images.collect()
}

/// The node without the images that no container uses, and without what is left of pods that have ended
/// (`DeleteAllUnusedContainers`, `DeleteUnusedImages`). Also these pods.
pub(super) fn without_unused(state: &State) -> (NodeRuntime, Vec<Key>) {
    let mut node = state.node.clone();
    let used = in_use(state);
    let unused: Vec<Rc<str>> = node.images.keys().filter(|i| !used.contains(*i)).cloned().collect();
    unused.iter().for_each(|image| node.remove_image(image));
    let ended = state.pods.iter().filter(|(_, rt)| rt.phase == WorkerPhase::Terminated && !rt.removed);
    let ended: Vec<_> = ended.map(|(key, rt)| (key.clone(), rt.stats)).collect();
    for (_, stats) in &ended {
        node.stats = node.stats.minus(*stats);
    }
    (node, ended.into_iter().map(|(key, _)| key).collect())
}
