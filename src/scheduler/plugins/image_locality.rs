//! `ImageLocality`: prefers nodes that have the pod's images already, unless every node has them.

use crate::scheduler::framework::{NodeInfo, PodInfo, normalized_image_name};
use std::rc::Rc;

/// The plugin's name.
pub const NAME: &str = "ImageLocality";

const MB: i64 = 1024 * 1024;
/// Images below this sum, in bytes, give the score 0.
const MIN_THRESHOLD: i64 = 23 * MB;
/// Images above this sum per container, in bytes, give the full score.
const MAX_CONTAINER_THRESHOLD: i64 = 1000 * MB;
const MAX_NODE_SCORE: i64 = 100;

/// The pod's images by normalised name, each with the share of all nodes that have it.
#[derive(Clone, Debug)]
pub struct State {
    images: Vec<(String, f64)>,
    /// How many containers and init containers the pod has. The images of its volumes do not raise the bound.
    containers: usize,
}

/// Counts on how many of all nodes each of the pod's images is.
pub fn pre_score(pod: &PodInfo, all: &[Rc<NodeInfo>]) -> State {
    let Some(spec) = &pod.pod.spec else { return State { images: Vec::new(), containers: 0 } };
    let containers: Vec<_> = spec.init_containers.iter().flatten().chain(&spec.containers).collect();
    let names = containers.iter().map(|c| c.image.as_deref().unwrap_or_default());
    let volumes = spec.volumes.iter().flatten().filter_map(|v| v.image.as_ref());
    let names = names.chain(volumes.map(|i| i.reference.as_deref().unwrap_or_default()));
    let images = names.map(|name| {
        let name = normalized_image_name(name);
        let nodes = all.iter().filter(|n| !n.images().is_empty() && n.images().contains_key(&name)).count();
        // The numbers of nodes are far below 2^52, so the quotient is the same on every platform.
        (name, nodes as f64 / all.len().max(1) as f64)
    });
    State { images: images.collect(), containers: containers.len() }
}

/// A score from 0 to 100 by the size of those images of the pod that are on the node.
pub fn score(state: &State, node: &NodeInfo) -> i64 {
    let size = |(name, spread): &(String, f64)| {
        node.images().get(name).map_or(0, |bytes| (*bytes as f64 * spread) as i64)
    };
    let sum: i64 = if node.images().is_empty() { 0 } else { state.images.iter().map(size).sum() };
    let max = MAX_CONTAINER_THRESHOLD.saturating_mul(i64::try_from(state.containers).unwrap_or(1).max(1));
    MAX_NODE_SCORE * (sum.clamp(MIN_THRESHOLD, max) - MIN_THRESHOLD) / (max - MIN_THRESHOLD)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    /// `image_locality.go`: `Score` hands the number of containers and init containers to `calculatePriority`, though
    /// `sumImageScores` adds the images of volumes, too.
    #[test]
    fn images_of_volumes_do_not_raise_the_bound() {
        let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "a:1"}],
            "volumes": [{"name": "v", "image": {"reference": "b:1"}}]}});
        let pod = PodInfo::new(serde_json::from_value(pod).unwrap());
        let image = |name: &str, megabytes: i64| json!({"names": [name], "sizeBytes": megabytes * MB});
        let status = json!({"images": [image("a:1", 500), image("b:1", 500)]});
        let node = json!({"metadata": {"name": "n"}, "status": status});
        let node = NodeInfo::of_node(serde_json::from_value(node).unwrap());
        let state = pre_score(&pod, &[Rc::new(node.clone())]);
        assert_eq!(score(&state, &node), 100);
    }
}
