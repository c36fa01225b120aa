//! What a view reads of a kubelet's managers that they keep for themselves. Nothing here changes anything.

use std::rc::Rc;

use jiff::SignedDuration;

use super::cri::{ContainerConfig, PodSandboxConfig};
use super::image_gc::in_use;
use super::image_gc::used;
use super::images;
use super::pod_manager;
use super::state::{PodRuntime, State};
use super::thresholds::{Pressure, Resource, Threshold};
use super::turn::Turn;
use crate::api::types::Pod;
use crate::api::{Key, Timestamp};
use crate::client::Caches;

/// A threshold of the eviction manager, and what is observed of its signal.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The name of the signal, for example `memory.available`.
    pub signal: &'static str,
    /// How much there is, rounded.
    pub available: String,
    /// Of how much.
    pub capacity: String,
    /// The threshold is met if less is available than this.
    pub threshold: String,
    /// Whether it is met now.
    pub is_met: bool,
    /// How long it has to be met before pods are evicted; zero for a hard threshold.
    pub grace: SignedDuration,
    /// Since when it has been met, as of the last look.
    pub since: Option<Timestamp>,
}

/// An amount, rounded: `7.6Gi`.
fn short(resource: Resource, amount: i64) -> String {
    let unit = match resource {
        Resource::Memory | Resource::Storage => [("Gi", 1 << 30), ("Mi", 1 << 20)],
        Resource::Inodes | Resource::Pids => [("M", 1_000_000), ("k", 1000)],
    };
    let Some((name, size)) = unit.into_iter().find(|(_, size)| amount >= *size) else {
        return amount.to_string();
    };
    let tenths = amount / (size / 10);
    if tenths % 10 == 0 {
        format!("{}{name}", tenths / 10)
    } else {
        format!("{}.{}{name}", tenths / 10, tenths % 10)
    }
}

/// What is observed of each threshold, in the order in which the manager looks at them.
pub fn observed(state: &State) -> Vec<Observed> {
    let used = used(&state.node);
    let of = |t: &Threshold| {
        let (available, capacity) = state.settings.observe(t.signal, used)?;
        let since = state.eviction.first_observed.iter().find(|(old, _)| old.is_same(t)).map(|(_, at)| *at);
        let (threshold, resource) = (t.value.of(capacity), t.signal.resource());
        Some(Observed {
            signal: t.signal.as_str(),
            available: short(resource, available),
            capacity: short(resource, capacity),
            threshold: short(resource, threshold),
            is_met: available < threshold,
            grace: t.grace,
            since,
        })
    };
    state.settings.thresholds.iter().filter_map(of).collect()
}

/// The pressures that the node has, or had a short while ago, each with the moment at which it was observed last.
pub fn pressures(state: &State) -> Vec<(&'static str, Option<Timestamp>)> {
    let all = Pressure::ALL.into_iter().zip(state.eviction.last_observed);
    all.filter(|(p, _)| state.eviction.has(*p)).map(|(p, at)| (p.condition(), at)).collect()
}

/// The images that no container uses: how many, and their size in bytes.
pub fn unused_images(state: &State) -> (usize, i64) {
    let used = in_use(state);
    let unused = state.node.images.keys().filter(|image| !used.contains(*image));
    let size = |image: &Rc<str>| i64::try_from(images::size(image)).unwrap_or(i64::MAX);
    unused.fold((0, 0), |(n, bytes), image| (n + 1, bytes + size(image)))
}

/// The capacity of the node's disk in bytes; `None` if it is not known.
pub fn disk(state: &State) -> Option<i64> {
    state.settings.disk
}

/// A pod as the kubelet has it, and whether it is a static one.
pub fn pod(state: &State, caches: &Caches, key: &Key) -> Option<(Rc<Pod>, bool)> {
    pod_manager::pod(state, caches, key).map(|known| (known.pod, known.is_static))
}

/// The id of the sandbox of a pod that the kubelet runs.
pub fn sandbox_id(rt: &PodRuntime) -> String {
    super::calls::sandbox_of(rt)
}

/// A kubelet whose configurations are worked out again, as they are now.
#[derive(Clone, Copy)]
pub struct OfNode<'a> {
    /// What the kubelet remembers.
    pub state: &'a State,
    /// What its informers have seen.
    pub caches: &'a Caches,
    /// The key of its Node.
    pub node: &'a Key,
    /// The time.
    pub now: Timestamp,
}

impl OfNode<'_> {
    fn with<R>(&self, pod: &Key, read: impl FnOnce(&Turn<'_>) -> Option<R>) -> Option<R> {
        let (object, _) = self::pod(self.state, self.caches, pod)?;
        let rt = (**self.state.pods.get(pod)?).clone();
        let spec = object.spec.as_ref()?;
        read(&Turn::new(&object, spec, rt, self.state, self.node, self.caches, self.now))
    }

    /// The configuration of a pod's sandbox.
    pub fn sandbox_config(&self, pod: &Key) -> Option<PodSandboxConfig> {
        self.with(pod, |turn| Some(turn.sandbox_config()))
    }

    /// The configuration of a container of a pod, by its place in the memory of the kubelet.
    pub fn container_config(&self, pod: &Key, container: usize) -> Option<ContainerConfig> {
        self.with(pod, |turn| Some(turn.container_config(container, turn.container_spec(container)?)))
    }
}
