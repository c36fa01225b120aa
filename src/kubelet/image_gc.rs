//! What a kubelet removes from its node's disk: images that no container uses (`pkg/kubelet/images/image_gc_manager.go`),
//! and what is left of the containers of pods that have ended (`pkg/kubelet/container/container_gc.go`,
//! `pkg/kubelet/kuberuntime/kuberuntime_gc.go`).

use std::collections::BTreeSet;
use std::rc::Rc;

use jiff::SignedDuration;

use super::amounts::Stats;
use super::calls::of_clearing;
use super::container_state::ContainerState;
use super::images;
use super::pulls::NodeImage;
use super::settings::{ImageCollection, Settings};
use super::state::{NodeRuntime, PodRuntime, State, WorkerPhase};
use super::task::{Cx, Kubelet, Task};
use super::thresholds::Signal;
use super::timings::later;
use crate::api::{Key, Timestamp, order};
use crate::client::Wait;

/// How often the image manager looks at the disk (`ImageGCPeriod`).
const PERIOD: SignedDuration = SignedDuration::from_mins(5);

/// What pods and images use on a node.
pub(super) fn used(node: &NodeRuntime) -> Stats {
    node.stats.plus(Stats { disk: node.image_bytes, ..Stats::default() })
}

/// The size of an image in bytes.
pub(super) fn size(image: &str) -> i64 {
    i64::try_from(images::size(image)).unwrap_or(i64::MAX)
}

impl NodeRuntime {
    /// Notes that an image is on the node and is used at a moment.
    pub(super) fn has_image(&mut self, image: &str, now: Timestamp) {
        let since = self.images.get(image).map_or(now, |known| known.since);
        if self.images.insert(image.into(), NodeImage { since, used: now }).is_none() {
            self.image_bytes = self.image_bytes.saturating_add(size(image));
        }
    }

    /// Removes an image.
    pub(super) fn remove_image(&mut self, image: &str) {
        if self.images.remove(image).is_some() {
            self.image_bytes = self.image_bytes.saturating_sub(size(image));
        }
    }

    /// Removes images that are not in use and have been there for long enough, until so many bytes are free: the one first that
    /// was used longest ago (`freeSpace`). Returns how many bytes that has freed.
    fn free_space(
        &mut self,
        in_use: &BTreeSet<Rc<str>>,
        bytes: i64,
        min_age: SignedDuration,
        now: Timestamp,
    ) -> i64 {
        let is_unused = |(image, known): &(&Rc<str>, &NodeImage)| {
            !in_use.contains(*image) && later(known.since, min_age) <= now
        };
        let unused = self.images.iter().filter(is_unused);
        let mut unused: Vec<_> =
            unused.map(|(image, known)| (known.used, known.since, image.clone())).collect();
        order::sort(&mut unused);
        let before = self.image_bytes;
        for (.., image) in unused {
            if before.saturating_sub(self.image_bytes) >= bytes {
                break;
            }
            self.remove_image(&image);
        }
        before.saturating_sub(self.image_bytes)
    }
}

impl PodRuntime {
    /// The images of the pod's containers, of those that have ended as well, as long as the runtime has them
    /// (`detectImages`, which lists all containers), and those that are volumes of these containers (`handleImageVolumes`).
    fn images(&self) -> Vec<Rc<str>> {
        if self.removed {
            return Vec::new();
        }
        let instances = self.containers.iter().flat_map(|c| {
            let current = match &c.state {
                ContainerState::None => None,
                ContainerState::Created(instance) => Some(instance),
                ContainerState::Running(r) => Some(&r.instance),
                ContainerState::Exited(e) => Some(&e.instance),
            };
            current.into_iter().chain(c.kept_last().map(|e| &e.instance))
        });
        let mut images: Vec<_> = instances.map(|instance| instance.image.clone()).collect();
        if !images.is_empty() {
            let mounted = self.image_volumes.iter().filter(|v| v.refused.is_none());
            images.extend(mounted.map(|v| v.image.clone()));
        }
        images
    }
}

/// The images of the containers that are there.
pub(super) fn in_use(state: &State) -> BTreeSet<Rc<str>> {
    state.pods.values().flat_map(|rt| rt.images()).collect()
}

/// The node without what is left of pods that have ended, and without the images that no container uses then
/// (`DeleteAllUnusedContainers`, `DeleteUnusedImages`). Also these pods.
pub(super) fn without_unused(state: &State, now: Timestamp) -> (NodeRuntime, Vec<Key>) {
    let mut node = state.node.clone();
    let is_over = |rt: &PodRuntime| rt.phase == WorkerPhase::Terminated;
    let used = state.pods.values().filter(|rt| !is_over(rt)).flat_map(|rt| rt.images()).collect();
    node.free_space(&used, i64::MAX, state.settings.images.min_age, now);
    let ended = state.pods.iter().filter(|(_, rt)| is_over(rt) && !rt.removed);
    let ended: Vec<_> = ended.map(|(key, rt)| (key.clone(), rt.stats)).collect();
    for (_, stats) in &ended {
        node.stats = node.stats.minus(*stats);
    }
    (node, ended.into_iter().map(|(key, _)| key).collect())
}

/// How many bytes the image manager wants to free, how many percent of the disk are used, and its size; `None` if the disk is not as
/// full as that (`GarbageCollect`).
fn to_free(settings: &Settings, used: Stats) -> Option<(i64, i128, i64)> {
    let (available, capacity) = settings.observe(Signal::ImageFs, used)?;
    let ImageCollection { high, low, .. } = settings.images;
    let share =
        |percent: i64| i64::try_from(i128::from(capacity) * i128::from(percent) / 100).unwrap_or(i64::MAX);
    let free = i128::from(available) * 100 / i128::from(capacity.max(1));
    let percent = 100 - free;
    let bytes = || share(100 - low).saturating_sub(available);
    (capacity > 0 && percent >= i128::from(high)).then(|| (bytes(), percent, capacity))
}

/// A size as the messages of the image manager have it (`formatSize`).
fn format_size(bytes: i64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut size = bytes as f64 / 1024.0;
    let mut unit = UNITS[0];
    for larger in UNITS.into_iter().skip(1) {
        if size < 1024.0 {
            break;
        }
        (size, unit) = (size / 1024.0, larger);
    }
    format!("{size:.1} {unit}")
}

/// Whether the disk is so full that the image manager has to free some of it.
pub(super) fn is_full(settings: &Settings, used: Stats) -> bool {
    to_free(settings, used).is_some()
}

/// The node after the image manager has freed so many bytes, if it could. Also how many it has freed.
fn freed(state: &State, bytes: i64, now: Timestamp) -> (NodeRuntime, i64) {
    let mut node = state.node.clone();
    let freed = node.free_space(&in_use(state), bytes, state.settings.images.min_age, now);
    (node, freed)
}

/// How long it is until the image manager looks next.
fn next_look(now: Timestamp) -> SignedDuration {
    let since = now.duration_since(Timestamp::UNIX_EPOCH).as_millis().rem_euclid(PERIOD.as_millis());
    PERIOD - SignedDuration::from_millis(i64::try_from(since).unwrap_or(0))
}

impl Kubelet {
    /// Plans the image manager's next look, because the disk has become full.
    pub(super) fn watch_images(&self, cx: &Cx) {
        cx.enqueue_after(Task::Images(self.node.clone()), next_look(cx.now()));
    }

    /// Frees space on a disk that is too full, and tells if there was too little that could be freed.
    pub(super) fn collect_images(&self, cx: &Cx) {
        let now = cx.now();
        let Some((bytes, percent, capacity)) = cx.state(|s| to_free(&s.settings, used(&s.node))) else {
            cx.update_state(|s| s.images_failed = false);
            return;
        };
        let (node, freed) = cx.state(|s| freed(s, bytes, now));
        if cx.is_looked_at() {
            cx.note(cx.state(|s| of_clearing(s, &node, &[], now)));
        }
        let (failed, again) = (freed < bytes, cx.state(|s| s.images_failed));
        if failed {
            let message = format!(
                "Insufficient free disk space on the node's image filesystem ({percent}% of {} used). Failed to free sufficient space by \
                 deleting unused images (freed {freed} bytes). Investigate disk usage, as it could be used by active images, logs, \
                 volumes, or other data.",
                format_size(capacity)
            );
            self.node_event(cx, "Warning", "FreeDiskSpaceFailed", message.clone());
            if again {
                // The first failure in a row is only logged.
                self.node_event(cx, "Warning", "ImageGCFailed", message);
            }
        }
        cx.update_state(move |s| {
            s.node = node.clone();
            s.images_failed = failed;
        });
        if failed {
            // It can only fail again until somebody changes something, or an image has been there for long enough.
            cx.enqueue_waiting(Task::Images(self.node.clone()), PERIOD, Wait::Background);
        }
    }
}
