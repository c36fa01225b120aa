//! Pulls of images, and what is remembered of those that are volumes.

use std::rc::Rc;

use super::backoff::BackOff;
use super::images;
use super::state::PodRuntime;
use super::turn::Turn;
use crate::api::Timestamp;
use crate::api::duration::go_duration;

/// What is remembered of the pulls of one image for a pod, of which one has failed: containers and volumes that want the same image wait
/// together (`image_manager.go`: `backOff` and `prevPullErrMsg`, by pod and image). A pull that succeeds does not end the back-off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedPulls {
    /// The image's reference.
    pub image: Rc<str>,
    /// The back-off after the pulls that have failed.
    pub backoff: BackOff,
    /// The error of the last pull; `None` once another one has begun.
    pub error: Option<Rc<str>>,
}

/// What is remembered of an image that a pod has as a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageVolume {
    /// The image's reference.
    pub image: Rc<str>,
    /// Why containers with the volume cannot be started: the reason and the message. `None` if they can.
    pub refused: Option<(&'static str, Rc<str>)>,
}

/// A pull of an image: when it was asked for, when it begins after those before it, when it ends, and the error if it will fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// When it was asked for.
    pub since: Timestamp,
    /// When it begins.
    pub began: Timestamp,
    /// When it ends.
    pub until: Timestamp,
    /// The error.
    pub refusal: Option<Rc<str>>,
}

impl PodRuntime {
    /// What is remembered of the pulls of an image.
    pub(super) fn failed_pulls(&self, image: &str) -> Option<&FailedPulls> {
        self.failed_pulls.iter().find(|p| *p.image == *image)
    }

    /// Whether the last pull of an image has failed: that of a certain one, or of any.
    pub(super) fn lacks_image(&self, image: Option<&str>) -> bool {
        let is_it = |p: &FailedPulls| image.is_none_or(|image| *p.image == *image);
        self.failed_pulls.iter().any(|p| p.error.is_some() && is_it(p))
    }

    /// A pull of an image begins.
    fn pull_begins(&mut self, image: &str) {
        if self.lacks_image(Some(image)) {
            let all = Rc::make_mut(&mut self.failed_pulls).iter_mut();
            all.filter(|p| *p.image == *image).for_each(|p| p.error = None);
        }
    }

    /// A pull of an image has failed.
    pub(super) fn pull_failed(&mut self, image: &str, error: &Rc<str>, now: Timestamp) {
        let all = Rc::make_mut(&mut self.failed_pulls);
        let at = all.iter().position(|p| *p.image == *image).unwrap_or_else(|| {
            all.push(FailedPulls { image: image.into(), backoff: BackOff::default(), error: None });
            all.len() - 1
        });
        if let Some(known) = all.get_mut(at) {
            known.backoff.next(now, now);
            known.error = Some(error.clone());
        }
    }
}

impl Turn<'_> {
    /// The error of the last pull of an image and the end of the wait after it, if that is not over (`IsInBackOffSinceUpdate`); otherwise a
    /// pull begins, with its event. `i` is the container that wants the image; `None` if a volume does.
    pub(super) fn begin_or_back_off(
        &mut self,
        i: Option<usize>,
        image: &str,
    ) -> Option<(Rc<str>, Timestamp)> {
        let known = self.rt.failed_pulls(image);
        if let Some(waits) =
            known.and_then(|p| Some((p.error.clone()?, p.backoff.until_since_update(self.now)?)))
        {
            self.event(i, "Normal", "BackOff", format!("Back-off pulling image {image:?}"));
            self.event(i, "Warning", "Failed", "Error: ImagePullBackOff".into());
            return Some(waits);
        }
        self.rt.pull_begins(image);
        self.event(i, "Normal", "Pulling", format!("Pulling image {image:?}"));
        None
    }
}

/// The message of a container or a volume whose image is waited for.
pub(super) fn backs_off_message(image: &str, error: &str) -> String {
    format!("Back-off pulling image {image:?}: ErrImagePull: {error}")
}

/// The message of the event about a pull that has succeeded.
pub(super) fn pulled_message(image: &str, pull: &Pull) -> String {
    let took = go_duration(pull.until.duration_since(pull.began));
    let waited = go_duration(pull.until.duration_since(pull.since));
    let size = images::size(image);
    format!(
        "Successfully pulled image {image:?} in {took} ({waited} including waiting). Image size: {size} bytes."
    )
}
