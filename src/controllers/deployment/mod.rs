//! The Deployment controller (`k8s.io/kubernetes/pkg/controller/deployment`): it replaces the pods of a
//! Deployment by pods of its newest template, as its strategy says.
//!
//! `sync` has these steps: claim the ReplicaSets, note a pause, scale them if the Deployment's size has
//! changed, or else take a step of the rollout.

mod progress;
mod recreate;
mod rollback;
mod rolling;
mod scale;
mod sync;
pub mod util;

use std::rc::Rc;

use super::controller_ref_manager::claim_objects;
use crate::api::labels::Selector;
use crate::api::types::{Deployment, LabelSelector, Pod, ReplicaSet};
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::client::{
    Context, Error, Handler, Reconciler, Result, Seen, Selects, Watches, Why, controller_of,
};
use util::{new_condition, reason};

/// After this many failures in a row a key is dropped until something changes.
const MAX_RETRIES: u32 = 15;

/// The Deployment controller.
#[derive(Clone, Copy, Debug)]
pub struct DeploymentController;

type Cx = Context;
/// The ReplicaSets of a Deployment: the new one, which has its template, if there is one; the old ones.
type ReplicaSets = (Option<Rc<ReplicaSet>>, Vec<Rc<ReplicaSet>>);

impl Reconciler for DeploymentController {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "deployment-controller".into()
    }

    fn watches(&self) -> Watches {
        Watches::new().for_::<Deployment>().owns::<Deployment, ReplicaSet>().watches(handle_pod)
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        match sync(&cx, &key).await {
            // In a namespace that is being deleted every further creation fails (`handleErr`).
            Err(Error::Api(e)) if e.is_namespace_terminating() => Ok(()),
            done => done,
        }
    }

    fn max_retries(&self) -> Option<u32> {
        Some(MAX_RETRIES)
    }
}

/// Enqueues a Deployment with the strategy `Recreate` when the last pod of its old ReplicaSets is gone.
fn handle_pod(cx: &mut Handler<'_>, seen: Seen<'_, Pod>) {
    if !seen.is_gone() {
        return;
    }
    let rs = controller_of::<ReplicaSet>(cx.caches, &seen.object().metadata);
    let Some(d) = rs.and_then(|rs| controller_of::<Deployment>(cx.caches, &rs.metadata)) else { return };
    if util::strategy(d) != "Recreate" {
        return;
    }
    let sets = cx.caches.of(Kind::REPLICA_SET).controlled_by(d.metadata.uid());
    let left = sets.flat_map(|rs| cx.caches.of(Kind::POD).controlled_by(rs.uid())).count();
    if left == 0 {
        cx.enqueue(d.metadata.key());
    }
}

impl Selects for Deployment {
    fn selector(&self) -> std::result::Result<Selector, String> {
        Selector::from_label_selector(self.spec.as_ref().map(|s| &s.selector))
    }
}

/// Syncs a Deployment (`syncDeployment`).
async fn sync(cx: &Cx, key: &Key) -> Result {
    let Some(d) = cx.lister::<Deployment>().get(key).cloned() else { return Ok(()) };
    if d.spec.as_ref().is_some_and(|s| s.selector == LabelSelector::default()) {
        return selects_everything(cx, d).await;
    }
    // Validation refuses selectors that cannot be parsed.
    let Ok(selector) = d.selector() else { return Ok(()) };
    let all = cx.lister::<ReplicaSet>();
    let candidates = all.list(Some(&key.namespace)).cloned().collect();
    let list = claim_objects(cx, &d, &selector, candidates, |_| true).await?;

    if d.metadata.is_deleting() {
        return sync::sync_status_only(cx, d, &list).await;
    }
    // As in Kubernetes, the answer to a status update is not used in the rest of the sync. A second
    // update in the same sync is refused as a conflict, and the key is tried again.
    let d = check_paused(cx, d).await?;
    if d.spec.as_ref().is_some_and(|s| s.paused == Some(true)) {
        return sync::sync(cx, d, &list).await;
    }
    if let Some(asked) = util::rollback_to(&d) {
        return rollback::rollback(cx, d, &list, asked).await;
    }
    let (d, scaling) = is_scaling_event(cx, d, &list).await?;
    if scaling {
        return sync::sync(cx, d, &list).await;
    }
    match util::strategy(&d) {
        "Recreate" => recreate::rollout(cx, d, &list).await,
        _ => rolling::rollout(cx, d, &list).await,
    }
}

async fn selects_everything(cx: &Cx, d: Rc<Deployment>) -> Result {
    let message = "This deployment is selecting all pods. A non-empty selector is required.";
    cx.event(&*d, "Warning", "SelectingAll", message);
    let observed = d.status.as_ref().and_then(|s| s.observed_generation).unwrap_or(0);
    if observed < d.metadata.generation() {
        let mut new = d.clone();
        let m = Rc::make_mut(&mut new);
        m.status.get_or_insert_default().observed_generation = m.metadata.generation;
        let why = Why::new("selects_everything").read("selector", ObjectRef::of(&*d), "spec.selector", "{}");
        cx.update_status(new).because(why).await?;
    }
    Ok(())
}

/// Notes in the condition `Progressing` that a rollout was paused or resumed, so that the time of the pause
/// does not count towards the progress deadline (`checkPausedConditions`).
async fn check_paused(cx: &Cx, d: Rc<Deployment>) -> Result<Rc<Deployment>> {
    if !util::has_progress_deadline(&d) {
        return Ok(d);
    }
    let status = d.status.clone().unwrap_or_default();
    let current = util::condition(&status, reason::PROGRESSING).and_then(|c| c.reason.as_deref());
    if current == Some(reason::TIMED_OUT) {
        return Ok(d);
    }
    let paused = d.spec.as_ref().is_some_and(|s| s.paused == Some(true));
    let said = current == Some(reason::PAUSED);
    let (reason, message) = match (paused, said) {
        (true, false) => (reason::PAUSED, "Deployment is paused"),
        (false, true) => (reason::RESUMED, "Deployment is resumed"),
        _ => return Ok(d),
    };
    let mut new = d.clone();
    let c = new_condition(reason::PROGRESSING, "Unknown", reason, message.into(), cx.now());
    util::set_condition(Rc::make_mut(&mut new).status.get_or_insert_default(), c);
    let why = Why::new("check_paused_conditions").read("paused", ObjectRef::of(&*d), "spec.paused", paused);
    cx.update_status(new.clone()).because(why).await?;
    Ok(new)
}

/// Whether the ReplicaSets were last scaled for another size than the Deployment has now (`isScalingEvent`).
async fn is_scaling_event(
    cx: &Cx,
    d: Rc<Deployment>,
    list: &[Rc<ReplicaSet>],
) -> Result<(Rc<Deployment>, bool)> {
    let (d, (new, mut all)) = sync::all_replica_sets(cx, d, list, false).await?;
    all.extend(new);
    let scaling = util::active(&all)
        .iter()
        .filter_map(|rs| util::int_annotation(rs, util::DESIRED_REPLICAS))
        .any(|desired| desired != util::wanted(&d));
    Ok((d, scaling))
}
