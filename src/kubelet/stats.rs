//! What pods use of the memory, the disk and the processes of their node, as the kubelet's summary has it
//! (`pkg/kubelet/stats`, `pkg/kubelet/server/stats/summary.go`).
//!
//! There is nothing to measure: the amounts follow from annotations of the pod and from which containers run. They are
//! worked out in each turn of a pod, and the node's sum is kept beside them, so that nobody ever goes through all pods.

use super::amounts::Stats;
use super::behaviour::annotation;
use super::container_state::{ContainerRuntime, ContainerState};
use super::state::WorkerPhase;
use super::turn::Turn;
use super::usage;
use crate::api::MetaExt;
use crate::api::quantity::Amount;
use crate::api::types::{EmptyDirVolumeSource, Pod};
use crate::api::well_known::{CONFIG_MIRROR_ANNOTATION, CONFIG_SOURCE_ANNOTATION, SYSTEM_CRITICAL_PRIORITY};

/// An annotation of a pod that is an amount; 0 if it is absent, no amount, or negative.
fn said(pod: &Pod, name: &str, what: &str) -> i64 {
    let amount = annotation(&pod.metadata, name, what).and_then(|text| Amount::parse(text).ok());
    amount.map_or(0, |a| a.value().max(0))
}

/// The bytes that a container has written into its writable layer.
pub(super) fn layer(pod: &Pod, container: &str) -> i64 {
    said(pod, container, "disk")
}

/// An emptyDir volume in memory is no disk space.
pub(super) fn is_in_memory(volume: &EmptyDirVolumeSource) -> bool {
    volume.medium.as_deref() == Some("Memory")
}

/// The emptyDir volumes of a pod, each with its name and what is in it (`sim.steady/empty-dir`).
pub(super) fn empty_dirs(pod: &Pod) -> impl Iterator<Item = (&str, &EmptyDirVolumeSource, i64)> {
    let volumes = pod.spec.iter().flat_map(|s| s.volumes.iter().flatten());
    volumes.filter_map(|v| Some((v.name.as_str(), v.empty_dir.as_ref()?, said(pod, &v.name, "empty-dir"))))
}

impl Turn<'_> {
    /// Works out what the pod uses now, and corrects the node's sum by the difference.
    pub(super) fn measure(&mut self) {
        let now = self.stats();
        self.node.stats = self.node.stats.minus(self.rt.stats).plus(now);
        self.rt.stats = now;
    }

    fn stats(&self) -> Stats {
        let mut sum = Stats::default();
        let (pod, told) = (self.pod, self.rt.annotated);
        let ended = self.rt.phase == WorkerPhase::Terminated;
        for (i, c) in self.rt.containers.iter().enumerate() {
            let Some(spec) = self.container_spec(i) else { continue };
            if runs(c) && !ended {
                let has = c.running().map_or(spec.resources.as_ref(), |r| r.resources(&spec.name));
                sum.memory = sum.memory.saturating_add(usage::memory_of(
                    pod,
                    &spec.name,
                    has,
                    c.running().and_then(|r| r.own.uses),
                ));
                let processes = if told { said(pod, &c.name, "pids") } else { 0 };
                sum.pids = sum.pids.saturating_add(processes.max(1));
            }
            // What is left of a container keeps its writable layer until it is removed.
            if told && !matches!(c.state, ContainerState::None) && !self.rt.removed {
                sum.disk = sum.disk.saturating_add(layer(pod, &c.name));
                sum.inodes = sum.inodes.saturating_add(said(pod, &c.name, "inodes"));
            }
        }
        if self.rt.sandbox && !ended {
            // The sandbox has a process of its own, and the volumes are there.
            sum.pids = sum.pids.saturating_add(1);
            for (_, volume, bytes) in empty_dirs(pod).filter(|_| told) {
                let of = if is_in_memory(volume) { &mut sum.memory } else { &mut sum.disk };
                *of = of.saturating_add(bytes);
            }
        }
        sum
    }
}

fn runs(c: &ContainerRuntime) -> bool {
    c.running().is_some()
}

/// Whether a pod has annotations of what it writes to the disk. Only such a pod can exceed its limits.
pub(super) fn writes(pod: &Pod) -> bool {
    let ours = |k: &String| k.starts_with("sim.steady/disk") || k.starts_with("sim.steady/empty-dir");
    pod.metadata.annotations.iter().flatten().any(|(k, _)| ours(k))
}

/// The priority of a pod; 0 if it has none.
pub(super) fn priority(pod: &Pod) -> i32 {
    pod.spec.as_ref().and_then(|s| s.priority).unwrap_or(0)
}

/// Whether a pod is static, stands for a static one, or has the priority of one that the system needs (`IsCriticalPod`,
/// `pkg/kubelet/types/pod_update.go`).
pub(super) fn is_critical(pod: &Pod) -> bool {
    let meta = &pod.metadata;
    meta.annotation(CONFIG_SOURCE_ANNOTATION).is_some_and(|source| source != "api")
        || meta.annotation(CONFIG_MIRROR_ANNOTATION).is_some()
        || priority(pod) >= SYSTEM_CRITICAL_PRIORITY
}
