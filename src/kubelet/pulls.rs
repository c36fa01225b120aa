//! Pulls of images, and what is remembered of those that are on the node and of those that are volumes.

use std::rc::Rc;

use super::backoff::BackOff;
use super::images;
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

/// An image on a node (`imageRecord`, `pkg/kubelet/images/image_gc_manager.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeImage {
    /// Since when it is there.
    pub since: Timestamp,
    /// When it was last used.
    pub used: Timestamp,
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
