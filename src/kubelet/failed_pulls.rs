//! Waiting after a pull that has failed (`images/image_manager.go`, `pullImage`).

use std::rc::Rc;

use super::backoff::BackOff;
use super::pulls::FailedPulls;
use super::state::PodRuntime;
use super::turn::Turn;
use crate::api::Timestamp;

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
