//! Mirror pods: the objects that show static pods in the API server (`pkg/kubelet/pod/mirror_client.go`, and
//! `tryReconcileMirrorPods`, `HandlePodCleanups` in `kubelet.go`, `kubelet_pods.go`).
//!
//! A mirror pod is made by the kubelet and belongs to the Node. Nobody reads it to run the pod: whoever deletes it sees it
//! come back, while the containers run on.

use std::rc::Rc;

use jiff::SignedDuration;

use super::pod_manager;
use super::state::{PodRuntime, State};
use super::status::is_own;
use super::task::{Cx, Kubelet, Task};
use crate::api::types::{Node, OwnerReference, Pod, PodStatus};
use crate::api::well_known::{CONFIG_HASH_ANNOTATION, CONFIG_MIRROR_ANNOTATION};
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, Shared};
use crate::apimachinery::{DeleteOptions, Status};
use crate::client::{ANYWHERE, Result, Wait, Why};

/// How long after a failure the kubelet tries again to make a mirror pod: at the next regular sync of the pod
/// (`syncFrequency`).
const SYNC_FREQUENCY: SignedDuration = SignedDuration::from_mins(1);

/// Whether a mirror pod shows this static pod and no earlier one of its name (`IsMirrorPodOf`).
fn is_mirror_pod_of(mirror: &Pod, pod: &Pod) -> bool {
    mirror.metadata.annotation(CONFIG_MIRROR_ANNOTATION) == pod.metadata.annotation(CONFIG_HASH_ANNOTATION)
}

impl Kubelet {
    /// Sees to it that a static pod has its mirror pod. Failures are not the pod's: its containers run whether it is shown
    /// or not.
    pub(super) async fn try_reconcile_mirror_pods(&self, cx: &Cx, key: &Key, pod: &Rc<Pod>) {
        let known = cx.state(|s| pod_manager::mirror_pod(s, cx.caches(), key));
        if let Some(mirror) = known {
            let why = if mirror.metadata.is_deleting() {
                Why::new("kubelet.mirror_pod_deleting")
            } else if is_mirror_pod_of(&mirror, pod) {
                return;
            } else {
                Why::new("kubelet.mirror_pod_outdated")
            };
            let why = why
                .read("pod", ObjectRef::of(&*mirror), "metadata.annotations", hash_of(&mirror))
                .with("node", &self.node);
            if !matches!(self.delete_mirror_pod(cx, key, &mirror, why).await, Ok(true)) {
                return try_again(cx, key);
            }
        }
        self.create_mirror_pod(cx, key, pod).await;
    }

    async fn create_mirror_pod(&self, cx: &Cx, key: &Key, pod: &Rc<Pod>) {
        // The mirror pod belongs to the Node, so there is none without it.
        let node = cx.caches().get::<Node>(&self.key).filter(|n| !n.metadata.is_deleting());
        let Some(uid) = node.and_then(|n| n.metadata.uid.clone()) else { return try_again(cx, key) };
        let mut mirror = (**pod).clone();
        let hash = hash_of(pod).to_owned();
        mirror.metadata.annotations.get_or_insert_default().insert(CONFIG_MIRROR_ANNOTATION.into(), hash);
        mirror.metadata.owner_references = Some(vec![OwnerReference {
            api_version: Node::KIND.api_version().into(),
            kind: Node::KIND.as_str().into(),
            name: self.node.to_string(),
            uid,
            controller: Some(true),
            block_owner_deletion: None,
        }]);
        let why = Why::new("kubelet.create_mirror_pod")
            .read(
                "pod",
                ObjectRef::new(Kind::POD, &key.namespace, &key.name),
                "metadata.annotations",
                hash_of(pod),
            )
            .with("node", &self.node);
        match cx.create(mirror).because(why).await {
            Ok(created) => set_latest(cx, key, Some(created)),
            // The informer will tell of the object that is there.
            Err(e) if e.is_already_exists() => {}
            Err(_) => try_again(cx, key),
        }
    }

    /// Deletes a mirror pod at once. Whether it was deleted: it may be gone, or may be another one.
    async fn delete_mirror_pod(&self, cx: &Cx, key: &Key, mirror: &Pod, why: Why) -> Result<bool> {
        let options = DeleteOptions {
            grace_period_seconds: Some(0),
            uid: Some(mirror.metadata.uid().to_owned()),
            ..Default::default()
        };
        let done = match cx.delete(Kind::POD, key.clone(), options).because(why).await {
            Ok(_) => true,
            Err(e) if e.is_not_found() || e.is_conflict() => false,
            Err(e) => return Err(e.into()),
        };
        set_latest(cx, key, None);
        Ok(done)
    }

    /// Deletes the mirror pod of a static pod whose manifest is gone, once nothing of the pod runs any more.
    ///
    /// # Errors
    /// If the API server could not be asked.
    pub(super) async fn delete_orphaned_mirror_pod(&self, cx: &Cx, key: &Key) -> Result {
        let orphan = cx.caches().get::<Pod>(key).filter(|p| pod_manager::is_mirror_pod(p));
        let Some(mirror) = orphan.cloned() else { return Ok(()) };
        let why = Why::new("kubelet.delete_orphaned_mirror_pods")
            .read("pod", ObjectRef::of(&*mirror), "metadata.annotations", hash_of(&mirror))
            .with("node", &self.node);
        self.delete_mirror_pod(cx, key, &mirror, why).await.map(|_| ())
    }
}

/// The hash of a static pod, which its mirror pod has, too.
fn hash_of(pod: &Pod) -> &str {
    pod.metadata.annotation(CONFIG_HASH_ANNOTATION).unwrap_or_default()
}

fn set_latest(cx: &Cx, key: &Key, latest: Option<Rc<Pod>>) {
    let key = key.clone();
    cx.update_state(move |s: &mut State| {
        if let Some(rt) = s.pods.get_mut(&key) {
            Rc::make_mut(rt).latest = latest.clone();
        }
    });
}

/// Plans another attempt. As long as nothing is written anywhere it would fail in the same way, so nobody waits for it.
fn try_again(cx: &Cx, key: &Key) {
    let wait = Wait::Poll { namespace: ANYWHERE.into() };
    cx.enqueue_waiting(Task::Background(key.clone()), SYNC_FREQUENCY, wait);
}

impl Kubelet {
    /// Writes the status of a static pod to its mirror pod. The answer is the mirror pod, and `None` if there is none, or none
    /// of this pod, or if it has that status already.
    pub(super) async fn report_to_mirror_pod(
        &self,
        cx: &Cx,
        key: &Key,
        rt: &PodRuntime,
    ) -> std::result::Result<Option<Rc<Pod>>, Status> {
        let known = cx.state(|s| pod_manager::mirror_pod(s, cx.caches(), key));
        let (Some(mirror), Some(own), Some(pod)) = (known, &rt.status, &rt.static_pod) else {
            return Ok(None);
        };
        let status = merged(&mirror, own);
        if !is_mirror_pod_of(&mirror, pod) || mirror.status.as_deref() == Some(&status) {
            return Ok(None);
        }
        let why = self.why_status(key, rt, &status, cx.now());
        cx.report_pod_status(key.clone(), mirror, status).because(why).await.map(Some)
    }
}

/// The status of a mirror pod: what the kubelet says of the static pod, beside the conditions of others (`mergePodStatus`).
fn merged(mirror: &Pod, own: &PodStatus) -> Shared<PodStatus> {
    let old = mirror.status.as_deref();
    let mine = own.conditions.iter().flatten();
    let is_mine = |type_: &str| is_own(type_) || mine.clone().any(|c| c.type_ == type_);
    let others = old.and_then(|s| s.conditions.as_ref()).into_iter().flatten();
    let others = others.filter(|c| !is_mine(&c.type_));
    Shared::new(PodStatus {
        conditions: Some(others.chain(mine.clone()).cloned().collect()),
        qos_class: old.and_then(|s| s.qos_class.clone()),
        ..own.clone()
    })
}
