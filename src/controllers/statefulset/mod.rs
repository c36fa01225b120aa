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

use super::controller_ref_manager::claim_objects_noted;
use super::controller_utils::next_availability_check;
use crate::api::labels::Selector;
use crate::api::types::{ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet, StatefulSetStatus};
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
    let is_member = |p: &Pod| identity::is_member_of(&set, p);
    let adopted = |pod: &Rc<Pod>| cx.wrote(&set.metadata, pod);
    let pods = claim_objects_noted(cx, &set, &selector, candidates, is_member, &[], adopted).await?;
    let status = control::update_stateful_set(cx, &set, &selector, &pods).await?;
    check_availability_later(cx, &set, &status, &pods);
    Ok(())
}

/// Enqueues the set for the moment at which the next pod becomes available (`syncStatefulSet`).
fn check_availability_later(cx: &Cx, set: &StatefulSet, status: &StatefulSetStatus, pods: &[Rc<Pod>]) {
    let min = set.min_ready_seconds();
    if min <= 0 || status.ready_replicas.unwrap_or(0) == status.available_replicas.unwrap_or(0) {
        return;
    }
    let next = next_availability_check(pods, min, cx.now());
    cx.enqueue_after(set.metadata.key(), next.unwrap_or(SignedDuration::from_secs(i64::from(min))));
}

/// How many pods are wanted.
fn replicas(set: &StatefulSet) -> i32 {
    set.spec.as_ref().and_then(|s| s.replicas).unwrap_or(1)
}
