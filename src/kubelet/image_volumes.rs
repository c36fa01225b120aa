//! Volumes of an image, and the Secrets that images are pulled with.
//!
//! Volumes of an image (`volumes[].image`): the kubelet makes sure that the image is on the node, as for a container, and the runtime
//! mounts its files for reading only (`kuberuntime_manager.go`, `getImageVolumes` and `toKubeContainerImageVolumes`).

use std::rc::Rc;

use super::cause::PodCause;
use super::images::{self, default_policy};
use super::pulls::{ImageVolume, Pull, backs_off_message, pulled_message};
use super::state::{Todo, Work};
use super::timings::{self, later};
use super::turn::Turn;
use super::wake::WakeSort;
use crate::api::types::{Container, Secret};
use crate::api::{Key, MetaExt};

impl Turn<'_> {
    /// The images that are to be there before containers start: a step for each volume of one, before the first start.
    pub(super) fn pull_volumes_first(&self, todo: &mut Vec<Todo>) {
        let Some(first) = todo.iter().position(|t| matches!(t, Todo::Start { .. })) else { return };
        let volumes = self.spec.volumes.iter().flatten().enumerate().filter(|(_, v)| v.image.is_some());
        let steps: Vec<Todo> = volumes.map(|(volume, _)| Todo::PullVolume { volume }).collect();
        todo.splice(first..first, steps);
    }

    fn image_volume(&mut self, volume: usize) -> Option<&mut ImageVolume> {
        let all = Rc::make_mut(&mut self.rt.image_volumes);
        if all.len() <= volume {
            all.resize(volume + 1, ImageVolume::default());
        }
        all.get_mut(volume)
    }

    fn refuse_volume(&mut self, volume: usize, reason: &'static str, message: &str) {
        if let Some(v) = self.image_volume(volume) {
            v.refused = Some((reason, message.into()));
        }
    }

    /// Makes sure that the image of a volume is on the node (`EnsureImageExists`).
    pub(super) fn ensure_volume_exists(&mut self, volume: usize) {
        let spec = self.spec.volumes.iter().flatten().nth(volume);
        let Some(source) = spec.and_then(|v| v.image.as_ref()) else { return };
        let image = source.reference.as_deref().unwrap_or_default();
        let Some(known) = self.image_volume(volume) else { return };
        if *known.image != *image {
            *known = ImageVolume { image: image.into(), ..ImageVolume::default() };
        }
        known.refused = None;
        if let Some(why) = images::invalid_name(image) {
            let message = format!("Failed to apply default image tag {image:?}: {why}");
            self.event(None, "Warning", "InspectFailed", message.clone());
            return self.refuse_volume(volume, "InvalidImageName", &message);
        }
        let present = self.node.images.contains_key(image);
        let policy = source.pull_policy.as_deref().unwrap_or_else(|| default_policy(image));
        if policy != "Always" {
            self.note_image_status(None, image, present);
        }
        if present && policy != "Always" {
            let message = format!(
                "Container image {image:?} already present on machine and can be accessed by the pod"
            );
            return self.event(None, "Normal", "Pulled", message);
        }
        if policy == "Never" {
            let message = format!("Container image {image:?} is not present with pull policy of Never");
            self.event(None, "Warning", "ErrImageNeverPull", message.clone());
            return self.refuse_volume(volume, "ErrImageNeverPull", &message);
        }
        if let Some((error, _)) = self.begin_or_back_off(None, image) {
            return self.refuse_volume(volume, "ImagePullBackOff", &backs_off_message(image, &error));
        }
        let pull = self.begin_pull("", image, present);
        self.note_pull(None, image, pull.until);
        self.rt.work = Some(Work::PullVolume { volume, pull });
    }

    /// The pull of a volume's image has ended.
    pub(super) fn volume_is_pulled(&mut self, volume: usize, pull: &Pull) {
        let now = self.now;
        let Some(known) = self.image_volume(volume) else { return };
        let image = known.image.clone();
        if let Some(error) = &pull.refusal {
            known.refused = Some(("ErrImagePull", error.clone()));
            self.rt.pull_failed(&image, error, now);
            self.event(None, "Warning", "Failed", format!("Failed to pull image {image:?}: {error}"));
            self.event(None, "Warning", "Failed", "Error: ErrImagePull".into());
        }
        if self.node.pulling.get(&image).is_some_and(|t| *t <= now) {
            self.node.pulling.remove(&image);
        }
        self.note_pulled(None, &image, pull.refusal.as_deref());
        if pull.refusal.is_none() {
            let message = pulled_message(&image, pull);
            self.event(None, "Normal", "Pulled", message);
            self.node.has_image(&image, now);
        }
    }

    /// Whether a container cannot be started because the image of one of its volumes is not there. If so, its waiting reason and the
    /// retry are noted.
    pub(super) fn volume_is_missing(&mut self, i: usize, spec: &Container) -> bool {
        if self.rt.image_volumes.is_empty() {
            return false;
        }
        let at = |name: &str| self.spec.volumes.iter().flatten().position(|v| v.name == *name);
        let mounts = spec.volume_mounts.iter().flatten();
        let refused: Vec<ImageVolume> = mounts
            .filter_map(|m| self.rt.image_volumes.get(at(&m.name)?))
            .filter(|v| v.refused.is_some())
            .cloned()
            .collect();
        for (reason, _) in refused.iter().filter_map(|v| v.refused.as_ref()) {
            self.event(Some(i), "Warning", "Failed", format!("Error: {reason}"));
        }
        let Some((last, (reason, message))) =
            refused.last().and_then(|v| Some((v, v.refused.as_ref().map(|(r, m)| (*r, m.to_string()))?)))
        else {
            return false;
        };
        let known = self.waits_with(i, reason);
        let backoff = self.rt.failed_pulls(&last.image).map(|p| p.backoff).unwrap_or_default();
        let until = backoff.until_since_update(self.now).filter(|_| known && reason == "ImagePullBackOff");
        let cause = if reason == "ImagePullBackOff" { PodCause::PullBackOff } else { PodCause::NotStarted };
        self.waits_to_start(i, reason, message, cause);
        let recurs = backoff.is_at_max() && until.is_some();
        let stays = known && until.is_none() && reason != "ErrImagePull";
        let sort = match (recurs, stays) {
            (true, _) => WakeSort::Recurring,
            (false, true) => WakeSort::Background,
            (false, false) => WakeSort::Foreground,
        };
        self.retry(until.unwrap_or_else(|| later(self.now, timings::SYNC_RETRY)), sort);
        true
    }
}

impl Turn<'_> {
    /// Tells of Secrets for pulls that are not there (`kubelet_pods.go`, `getPullSecretsForPod`). The pulls are tried nevertheless.
    pub(super) fn look_for_pull_secrets(&mut self) {
        let names = self.spec.image_pull_secrets.iter().flatten().map(|s| s.name.as_str());
        let namespace = MetaExt::namespace(&self.pod.metadata);
        let missing: Vec<&str> = names
            .filter(|name| !name.is_empty())
            .filter(|name| self.caches.get::<Secret>(&Key::new(namespace, name)).is_none())
            .collect();
        if !missing.is_empty() {
            let message = format!(
                "Unable to retrieve some image pull secrets ({}); attempting to pull the image may not succeed.",
                missing.join(", ")
            );
            self.event(None, "Warning", "FailedToRetrieveImagePullSecret", message);
        }
    }
}
