//! The TTL controller (`k8s.io/kubernetes/pkg/controller/ttl`): it tells kubelets, in an annotation of their nodes, how long
//! they may keep Secrets and ConfigMaps before they read them again. The larger the cluster, the longer.
//!
//! Here no kubelet reads the annotation, as kubelets that watch objects do not there.

use std::rc::Rc;

use crate::api::types::Node;
use crate::api::{Key, MetaExt, ObjectRef, Timestamp};
use crate::client::{Context, Handler, Memory, Reconciler, Result, Seen, Watches, Why};

/// The annotation of a node: how long objects may be kept, in seconds (`ObjectTTLAnnotationKey`).
const TTL: &str = "node.alpha.kubernetes.io/ttl";

/// The sizes of a cluster for which a time holds.
struct Boundary {
    /// With fewer nodes, the time before this one holds.
    size_min: u32,
    /// With more nodes, the time after this one holds.
    size_max: u32,
    ttl_seconds: u32,
}

const fn boundary(size_min: u32, size_max: u32, ttl_seconds: u32) -> Boundary {
    Boundary { size_min, size_max, ttl_seconds }
}

/// The times by the size of the cluster; their sizes overlap, so that one node more or less does not change all nodes.
const BOUNDARIES: [Boundary; 5] = [
    boundary(0, 100, 0),
    boundary(90, 500, 15),
    boundary(450, 1000, 30),
    boundary(900, 2000, 60),
    boundary(1800, u32::MAX, 300),
];

/// The TTL controller.
#[derive(Clone, Copy, Debug)]
pub struct TtlController;

/// What the controller remembers: how many nodes it has heard of, and which of `BOUNDARIES` holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    nodes: u32,
    step: usize,
}

impl State {
    fn ttl_seconds(self) -> u32 {
        BOUNDARIES.get(self.step).map_or(0, |b| b.ttl_seconds)
    }

    /// Counts a node that came or went.
    fn count(&mut self, came: bool) {
        self.nodes = if came { self.nodes.saturating_add(1) } else { self.nodes.saturating_sub(1) };
        let Some(now) = BOUNDARIES.get(self.step) else { return };
        if came && self.nodes > now.size_max {
            self.step += 1;
        } else if !came && self.nodes < now.size_min {
            self.step = self.step.saturating_sub(1);
        }
    }
}

impl Memory for State {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        vec![format!("{} nodes, {} s", self.nodes, self.ttl_seconds())]
    }
}

impl Reconciler for TtlController {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        "ttl-controller".into()
    }

    fn watches(&self) -> Watches<State> {
        Watches::new().watches(|cx: &mut Handler<'_, State>, seen: Seen<'_, Node>| {
            if seen.old.is_none() || seen.is_gone() {
                cx.state.count(!seen.is_gone());
            }
            if !seen.is_gone() {
                cx.enqueue(seen.key.clone());
            }
        })
    }

    async fn sync(self, cx: Context<State>, key: Key) -> Result {
        let Some(node) = cx.lister::<Node>().get(&key).cloned() else { return Ok(()) };
        let (nodes, ttl) = cx.state(|s| (s.nodes, s.ttl_seconds()));
        if node.metadata.annotation(TTL).and_then(|text| text.parse::<u32>().ok()) == Some(ttl) {
            return Ok(());
        }
        let mut to = node.clone();
        let annotations = Rc::make_mut(&mut to).metadata.annotations.get_or_insert_default();
        annotations.insert(TTL.to_owned(), ttl.to_string());
        let why = Why::new("ttl.update_node")
            .read("node", ObjectRef::of(&*node), "metadata.annotations", node.metadata.name())
            .with("nodes", nodes)
            .with("seconds", ttl);
        cx.patch(node, to).because(why).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::State;

    #[test]
    fn the_time_grows_with_the_cluster_and_does_not_flap() {
        let mut state = State::default();
        let mut to = |nodes: u32| {
            while state.nodes != nodes {
                state.count(state.nodes < nodes);
            }
            state.ttl_seconds()
        };
        for (nodes, seconds) in [
            (100, 0),
            (101, 15),
            (90, 15),
            (89, 0),
            (500, 15),
            (501, 30),
            (450, 30),
            (449, 15),
            (1001, 60),
            (2001, 300),
            (1800, 300),
            (1799, 60),
            (0, 0),
        ] {
            assert_eq!(to(nodes), seconds, "{nodes} nodes");
        }
    }
}
