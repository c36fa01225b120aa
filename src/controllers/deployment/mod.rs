//! The Deployment controller: from one template to the next, at the pace that was asked for
//! (`k8s.io/kubernetes/pkg/controller/deployment`).
//!
//! `sync` reads like the manual: claim the ReplicaSets, note a pause, scale if the size changed,
//! else roll out by the strategy.

mod progress;
mod recreate;
mod rolling;
mod scale;
mod sync;
pub mod util;

use std::rc::Rc;

use super::controller_ref_manager::claim_objects;
use crate::api::labels::Selector;
use crate::api::types::{Deployment, LabelSelector, OwnerReference, Pod, ReplicaSet};
use crate::api::{ApiKind, Key, Kind, MetaExt, Object};
use crate::apimachinery::Filter;
use crate::client::{Caches, Context, Handler, Notification, Reconciler, Result, Why};
use util::{new_condition, reason, reference};

/// A key that failed so often is dropped until something changes.
const MAX_RETRIES: u32 = 15;

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct DeploymentController;

type Cx = Context<()>;
/// The ReplicaSets of a Deployment: the one with its template, and the others.
type ReplicaSets = (Option<Rc<ReplicaSet>>, Vec<Rc<ReplicaSet>>);

impl Reconciler for DeploymentController {
    type State = ();

    fn name(&self) -> Rc<str> {
        "deployment-controller".into()
    }

    fn watches(&self) -> Vec<(Kind, Filter)> {
        vec![(Kind::DEPLOYMENT, Filter::All), (Kind::REPLICA_SET, Filter::All), (Kind::POD, Filter::All)]
    }

    fn handle(&self, cx: &mut Handler<'_, ()>, seen: &Notification) {
        match seen.object().map(Object::kind) {
            Some(kind) if kind == Kind::DEPLOYMENT => {
                if let Some(o) = seen.object() {
                    cx.enqueue(o.key());
                }
            }
            Some(kind) if kind == Kind::REPLICA_SET => handle_replica_set(cx, seen),
            Some(kind) if kind == Kind::POD && seen.new.is_none() => handle_deleted_pod(cx, seen),
            _ => {}
        }
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        sync(&cx, &key).await
    }

    fn max_retries(&self) -> Option<u32> {
        Some(MAX_RETRIES)
    }
}

fn handle_replica_set(cx: &mut Handler<'_, ()>, seen: &Notification) {
    let old = seen.old.as_ref().and_then(ReplicaSet::from_object);
    let new = seen.new.as_ref().and_then(ReplicaSet::from_object);
    let Some(new) = new.filter(|n| old.is_some() || !n.metadata.is_deleting()) else {
        // Gone, or seen first while it goes.
        if let Some(rs) = new.or(old)
            && let Some(key) =
                rs.metadata.controller().and_then(|o| resolve(cx.caches, rs.metadata.namespace(), o))
        {
            cx.enqueue(key);
        }
        return;
    };
    let was = old.and_then(|o| o.metadata.controller());
    let is = new.metadata.controller();
    if old.is_some_and(|o| o.metadata.resource_version == new.metadata.resource_version) {
        return;
    }
    if old.is_some()
        && was != is
        && let Some(key) = was.and_then(|o| resolve(cx.caches, new.metadata.namespace(), o))
    {
        cx.enqueue(key);
    }
    match is {
        Some(owner) => {
            if let Some(key) = resolve(cx.caches, new.metadata.namespace(), owner) {
                cx.enqueue(key);
            }
        }
        None => {
            let changed = old.is_none_or(|o| o.metadata.labels != new.metadata.labels) || was != is;
            if changed {
                enqueue_matching(cx, new);
            }
        }
    }
}

/// Recreate waits for the last pod.
fn handle_deleted_pod(cx: &mut Handler<'_, ()>, seen: &Notification) {
    let Some(pod) = seen.old.as_ref().and_then(Pod::from_object) else { return };
    let namespace = pod.metadata.namespace();
    let rs = pod.metadata.controller().and_then(|o| {
        let rs = cx.caches.get::<ReplicaSet>(&Key::new(namespace, &o.name))?;
        (o.kind == Kind::REPLICA_SET.as_str() && rs.metadata.uid() == o.uid).then_some(rs)
    });
    let Some(key) = rs.and_then(|rs| resolve(cx.caches, namespace, rs.metadata.controller()?)) else {
        return;
    };
    let Some(d) = cx.caches.get::<Deployment>(&key) else { return };
    if util::strategy(d) != "Recreate" {
        return;
    }
    let left = cx.caches.of(Kind::REPLICA_SET).controlled_by(d.metadata.uid());
    let left = left.flat_map(|rs| cx.caches.of(Kind::POD).controlled_by(rs.uid())).count();
    if left == 0 {
        cx.enqueue(key);
    }
}

fn resolve(caches: &Caches, namespace: &str, owner: &OwnerReference) -> Option<Key> {
    if owner.kind != Kind::DEPLOYMENT.as_str() {
        return None;
    }
    let key = Key::new(namespace, &owner.name);
    let d = caches.get::<Deployment>(&key)?;
    (d.metadata.uid() == owner.uid).then_some(key)
}

fn enqueue_matching(cx: &mut Handler<'_, ()>, rs: &ReplicaSet) {
    let matching: Vec<Key> = cx
        .caches
        .of(Kind::DEPLOYMENT)
        .list(Some(rs.metadata.namespace()))
        .filter_map(Deployment::from_object)
        .filter(|d| selector(d).is_ok_and(|s| !s.is_empty() && s.matches(rs.metadata.labels_or_empty())))
        .map(|d| d.metadata.key())
        .collect();
    for key in matching {
        cx.enqueue(key);
    }
}

fn selector(d: &Deployment) -> std::result::Result<Selector, String> {
    Selector::from_label_selector(d.spec.as_ref().map(|s| &s.selector))
}

/// `syncDeployment`
async fn sync(cx: &Cx, key: &Key) -> Result {
    let Some(d) = cx.lister::<Deployment>().get(key).cloned() else { return Ok(()) };
    if d.spec.as_ref().is_some_and(|s| s.selector == LabelSelector::default()) {
        return selects_everything(cx, d).await;
    }
    // A selector that cannot be read was refused when it was written.
    let Ok(selector) = selector(&d) else { return Ok(()) };
    let all = cx.lister::<ReplicaSet>();
    let candidates = all.list(Some(&key.namespace)).cloned().collect();
    let list = claim_objects(cx, &d, &selector, candidates, |_| true).await?;

    if d.metadata.is_deleting() {
        return sync::sync_status_only(cx, d, &list).await;
    }
    // As in Kubernetes, what the status updates on the way answer is not taken over: a second one
    // in the same sync comes too late and the key is tried again with what the cache has then.
    let d = check_paused(cx, d).await?;
    if d.spec.as_ref().is_some_and(|s| s.paused == Some(true)) {
        return sync::sync(cx, d, &list).await;
    }
    if d.metadata.annotation(util::ROLLBACK_TO).is_some() {
        return sync::rollback(cx, d, &list).await;
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
        let why = Why::new("selects_everything").read("selector", reference(&d), "spec.selector", "{}");
        cx.update_status(new).because(why).await?;
    }
    Ok(())
}

/// A pause or its end is a condition, so that the clock of the deadline stops
/// (`checkPausedConditions`).
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
    let why = Why::new("check_paused_conditions").read("paused", reference(&d), "spec.paused", paused);
    cx.update_status(new.clone()).because(why).await?;
    Ok(new)
}

/// Whether the Deployment's size is another than its ReplicaSets were last scaled for.
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
