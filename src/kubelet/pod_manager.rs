//! Which pod a worker runs, and which object of the API server shows it (`pkg/kubelet/pod/pod_manager.go`): for a pod that
//! the kubelet has from the API server that is the pod itself, for a static pod its mirror pod.

use std::rc::Rc;

use super::state::{PodRuntime, State};
use super::status;
use crate::api::types::Pod;
use crate::api::well_known::CONFIG_MIRROR_ANNOTATION;
use crate::api::{Key, MetaExt};
use crate::client::{Caches, Seen};

/// Whether an object of the API server shows a static pod (`IsMirrorPod`).
pub(super) fn is_mirror_pod(pod: &Pod) -> bool {
    pod.metadata.annotation(CONFIG_MIRROR_ANNOTATION).is_some()
}

impl PodRuntime {
    /// The pod that the worker runs; `None` if it has it from the API server and the object is gone, or is another one of
    /// the same name.
    pub(super) fn pod<'a>(&'a self, key: &Key, caches: &'a Caches) -> Option<&'a Rc<Pod>> {
        let of_api = || caches.get::<Pod>(key).filter(|p| *self.uid == *p.metadata.uid());
        self.static_pod.as_ref().or_else(of_api)
    }
}

/// A pod that a worker is to run.
pub(super) struct Known {
    /// The pod.
    pub(super) pod: Rc<Pod>,
    /// Whether the kubelet has it from a file.
    pub(super) is_static: bool,
}

/// The pod of a name that is to have a turn, whoever the kubelet has it from; `None` if there is none. A worker goes on with
/// the static pod that it runs until that has ended. Of a pod in the API server and a static pod of the same name, the first
/// one comes first.
pub(super) fn pod(state: &State, caches: &Caches, key: &Key) -> Option<Known> {
    let file = |pod: &Rc<Pod>| Known { pod: pod.clone(), is_static: true };
    if let Some(runs) = state.pods.get(key).and_then(|rt| rt.static_pod.as_ref()) {
        return Some(file(runs));
    }
    match caches.get::<Pod>(key).filter(|p| !is_mirror_pod(p)) {
        Some(pod) => Some(Known { pod: pod.clone(), is_static: false }),
        None => state.static_pods.get(key).map(file),
    }
}

/// The mirror pod of a name, as the kubelet knows it: the informer's, or the API server's last answer, if that is newer.
pub(super) fn mirror_pod(state: &State, caches: &Caches, key: &Key) -> Option<Rc<Pod>> {
    let cached = caches.get::<Pod>(key).filter(|p| is_mirror_pod(p));
    let latest = state.pods.get(key).filter(|rt| rt.static_pod.is_some()).and_then(|rt| rt.latest.as_ref());
    match (cached, latest) {
        (Some(cached), Some(latest)) if status::version(latest) > status::version(cached) => {
            Some(latest.clone())
        }
        (Some(cached), _) => Some(cached.clone()),
        (None, latest) => latest.cloned(),
    }
}

/// Notes that a mirror pod is gone.
pub(super) fn note_deleted(state: &mut State, seen: Seen<'_, Pod>) {
    let Some(rt) = state.pods.get_mut(seen.key).filter(|rt| seen.is_gone() && rt.static_pod.is_some()) else {
        return;
    };
    if rt.latest.as_ref().is_some_and(|latest| latest.metadata.uid == seen.object().metadata.uid) {
        Rc::make_mut(rt).latest = None;
    }
}
