//! The StatefulSet controller (`k8s.io/kubernetes/pkg/controller/statefulset`): it keeps numbered pods, each with its
//! own name and its own claims, and creates, replaces and deletes them in the order of their ordinals.
//!
//! `sync` has these steps: adopt revisions and pods, find the current revision and the one to update to, create
//! what is missing, delete what is too much, replace one pod of an old revision, and report the status.

mod claims;
mod control;
mod identity;
mod pod_control;
mod revisions;
mod status;

use std::rc::Rc;

use jiff::SignedDuration;

use super::controller_ref_manager::claim_objects;
use super::controller_utils::{is_available, is_ready};
use crate::api::labels::Selector;
use crate::api::types::{ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet};
use crate::api::{Key, MetaExt};
use crate::client::{Consistency, Context, Reconciler, Result, Selects, Watches};
use crate::controllers::history::Revisioned;

/// The StatefulSet controller.
#[derive(Clone, Copy, Debug)]
pub struct StatefulSetController;

/// The state is what was written for each set: a sync begins when the caches have it.
type Cx = Context<Consistency>;

impl Reconciler for StatefulSetController {
    type Key = Key;
    type State = Consistency;

    fn name(&self) -> Rc<str> {
        "statefulset-controller".into()
    }

    fn watches(&self) -> Watches<Consistency> {
        Watches::new()
            .owns::<StatefulSet, Pod>()
            .owns_until_available::<StatefulSet>(|set, _| set.min_ready_seconds())
            .for_::<StatefulSet>()
            .reads::<PersistentVolumeClaim>()
            .reads::<ControllerRevision>()
    }

    /// The owners of claims are read after claims and pods were created.
    fn reads_again(&self) -> bool {
        true
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        sync(&cx, &key).await
    }
}

impl Selects for StatefulSet {
    fn selector(&self) -> std::result::Result<Selector, String> {
        Selector::from_label_selector(self.spec.as_ref().map(|s| &s.selector))
    }
}

/// Syncs a StatefulSet.
async fn sync(cx: &Cx, key: &Key) -> Result {
    cx.state(|s| s.ensure_ready(key, cx.caches()))?;
    let Some(set) = cx.lister::<StatefulSet>().get(key).cloned() else {
        let key = key.clone();
        cx.update_state(move |s| s.clear(&key));
        return Ok(());
    };
    // Validation refuses selectors that cannot be parsed.
    let Ok(selector) = set.selector() else { return Ok(()) };
    revisions::adopt_orphans(cx, &set, &selector).await?;
    let lister = cx.lister::<Pod>();
    let owned = lister.controlled_by(set.metadata.uid());
    let candidates = owned.chain(lister.orphans(set.metadata.namespace())).cloned().collect();
    let pods = claim_objects(cx, &set, &selector, candidates, |p| identity::is_member_of(&set, p)).await?;
    let status = control::update_stateful_set(cx, &set, &selector, &pods).await?;
    if set.min_ready_seconds() > 0 && status.available_replicas != Some(replicas(&set)) {
        look_again(cx, &set, &pods);
    }
    Ok(())
}

/// Enqueues the set again after `minReadySeconds`, if a pod becomes available by the passing of time. (Kubernetes does
/// it as long as any pod is not available, also where only another change can help; that leads to nothing.)
fn look_again(cx: &Cx, set: &StatefulSet, pods: &[Rc<Pod>]) {
    let min = set.min_ready_seconds();
    if pods.iter().any(|p| is_ready(p) && !is_available(p, min, cx.now())) {
        cx.enqueue_after(set.metadata.key(), SignedDuration::from_secs(i64::from(min)));
    }
}

/// How many pods are wanted.
fn replicas(set: &StatefulSet) -> i32 {
    set.spec.as_ref().and_then(|s| s.replicas).unwrap_or(1)
}
