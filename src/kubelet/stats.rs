//! What pods use of the memory, the disk and the processes of their node, as the kubelet's summary has it
//! (`pkg/kubelet/stats`, `pkg/kubelet/server/stats/summary.go`).
//!
//! The amounts follow from annotations of the pod, from which containers run, and, where an annotation does not say what is on the
//! disk, from what the programs of containers write ([`super::written`]). They are
//! worked out in each turn of a pod, and the node's sum is kept beside them, so that nobody ever goes through all pods.

use super::amounts::{Stats, Written};
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
pub(super) fn layer(pod: &Pod, written: Option<&Written>, container: &str) -> i64 {
    let measured = || written.map_or(0, |w| Written::of(&w.layers, container));
    annotation(&pod.metadata, container, "disk").map_or_else(measured, |_| said(pod, container, "disk"))
}

/// The bytes that a container has on the disk: its writable layer and its log.
pub(super) fn layer_and_log(pod: &Pod, written: Option<&Written>, container: &str) -> i64 {
    let log = written.map_or(0, |w| Written::of(&w.logs, container));
    layer(pod, written, container).saturating_add(log)
}

/// An emptyDir volume in memory is no disk space.
pub(super) fn is_in_memory(volume: &EmptyDirVolumeSource) -> bool {
    volume.medium.as_deref() == Some("Memory")
}

/// The emptyDir volumes of a pod, each with its name and what is in it (`sim.steady/empty-dir`, or what was written).
pub(super) fn empty_dirs<'a>(
    pod: &'a Pod,
    written: Option<&'a Written>,
) -> impl Iterator<Item = (&'a str, &'a EmptyDirVolumeSource, i64)> {
    let volumes = pod.spec.iter().flat_map(|s| s.volumes.iter().flatten());
    volumes.filter_map(move |v| {
        let measured = || written.map_or(0, |w| Written::of(&w.volumes, &v.name));
        let told = annotation(&pod.metadata, &v.name, "empty-dir").map(|_| said(pod, &v.name, "empty-dir"));
        Some((v.name.as_str(), v.empty_dir.as_ref()?, told.unwrap_or_else(measured)))
    })
}

impl Turn<'_> {
    /// Works out what the pod uses now, and corrects the node's sum by the difference.
    pub(super) fn measure(&mut self) {
        self.measure_written();
        let now = self.stats();
        self.node.stats = self.node.stats.minus(self.rt.stats).plus(now);
        self.rt.stats = now;
    }

    fn stats(&self) -> Stats {
        let mut sum = Stats::default();
        let (pod, told, written) = (self.pod, self.rt.annotated, self.rt.written.as_deref());
        let on_disk = told || written.is_some();
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
            if on_disk && !matches!(c.state, ContainerState::None) && !self.rt.removed {
                sum.disk = sum.disk.saturating_add(layer_and_log(pod, written, &c.name));
                sum.inodes = sum.inodes.saturating_add(said(pod, &c.name, "inodes"));
            }
        }
        if self.rt.sandbox && !ended {
            // The sandbox has a process of its own, and the volumes are there.
            sum.pids = sum.pids.saturating_add(1);
            for (_, volume, bytes) in empty_dirs(pod, written).filter(|_| on_disk) {
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

/// Whether a pod has annotations of what it writes to the disk.
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
