//! The part of a binding cycle that takes time (`PreBind` of
//! `pkg/scheduler/framework/plugins/volumebinding`): the pod has a node, and its claims are bound
//! before it is.
//!
//! The scheduler writes what it decided on the volumes and claims, and the persistent volume binder
//! does the rest. Kubernetes looks once a second whether it has, for ten minutes at most; here that
//! look takes place in those seconds in which a claim or a volume has changed. Meanwhile other pods are
//! scheduled, and this one counts on its node.

use std::fmt;
use std::rc::Rc;

use jiff::SignedDuration;

use super::framework::Handle;
use super::plugins::volume::binding::{self, PodVolumes, reachable};
use super::schedule_one::{Cx, State, Task, bind_pod, event, set_unschedulable, wake_later};
use crate::api::persistent::Map;
use crate::api::types::{Node, PersistentVolume, PersistentVolumeClaim, Pod};
use crate::api::volume::{SELECTED_NODE, bind_volume_to_claim, is_fully_bound, volume_name};
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, Timestamp, later};
use crate::apimachinery::Status;
use crate::client::{Handler, Result, Wait, Why};

/// How long the claims of a pod may take, in seconds (`bindTimeoutSeconds`).
const BIND_TIMEOUT: i64 = 600;
/// How often it is looked at, in seconds.
const POLL: i64 = 1;

/// A pod that has a node and waits for its claims.
#[derive(Clone, Debug)]
pub struct Waiting {
    pod: Rc<Pod>,
    node: Rc<str>,
    /// Nodes it fits on, and nodes in all.
    fits: (usize, usize),
    since: Timestamp,
    /// How often it was tried before.
    attempts: u32,
    /// Volumes the scheduler has bound to claims, as written.
    bindings: Vec<(Key, Rc<PersistentVolume>)>,
    /// Claims to be provisioned, as written.
    provisions: Vec<Rc<PersistentVolumeClaim>>,
}

/// What the scheduler has written and its informers have not shown yet (`AssumeCache`).
#[derive(Clone, Debug, Default)]
pub struct Assumed {
    claims: Map<Key, Rc<PersistentVolumeClaim>>,
    volumes: Map<Key, Rc<PersistentVolume>>,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bindings, provisions) = (self.bindings.len(), self.provisions.len());
        let Waiting { node, attempts, .. } = self;
        write!(f, "waits on {node} for {bindings} volumes and {provisions} claims after {attempts} attempts")
    }
}

fn version<T: ApiKind>(object: &Rc<T>) -> u64 {
    object.meta().resource_version.as_deref().and_then(|v| v.parse().ok()).unwrap_or(0)
}

/// The newer of the two.
fn newer<T: ApiKind>(cached: Option<&Rc<T>>, assumed: Option<&Rc<T>>) -> Option<Rc<T>> {
    let (cached, Some(assumed)) = (cached?, assumed) else { return cached.cloned() };
    Some(if version(assumed) > version(cached) { assumed.clone() } else { cached.clone() })
}

impl Assumed {
    /// What is assumed, a line each.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let claims = self.claims.keys().map(|k| format!("assumes the claim {k} as it was written"));
        let volumes = self.volumes.keys().map(|k| format!("assumes the volume {k} as it was written"));
        claims.chain(volumes)
    }

    /// The claim as it is thought to be.
    pub fn claim(
        &self,
        key: &Key,
        cached: Option<&Rc<PersistentVolumeClaim>>,
    ) -> Option<Rc<PersistentVolumeClaim>> {
        newer(cached, self.claims.get(key))
    }

    /// The volume as it is thought to be.
    pub fn volume(&self, key: &Key, cached: Option<&Rc<PersistentVolume>>) -> Option<Rc<PersistentVolume>> {
        newer(cached, self.volumes.get(key))
    }
}

/// A claim changed: what was assumed about it is known now.
pub(super) fn claim_changed(cx: &mut Handler<'_, State, Task>, claim: &Key) {
    cx.state.assumed.claims.remove(claim);
    look_again(cx);
}

/// A volume changed: what was assumed about it is known now.
pub(super) fn volume_changed(cx: &mut Handler<'_, State, Task>, volume: &Key) {
    cx.state.assumed.volumes.remove(volume);
    look_again(cx);
}

/// Pods that wait for their claims are looked at when their next second begins.
fn look_again(cx: &mut Handler<'_, State, Task>) {
    let now = cx.now;
    let waiting: Vec<(Key, Timestamp)> =
        cx.state.waiting.iter().map(|(key, w)| (key.clone(), w.since)).collect();
    for (key, since) in waiting {
        let step = POLL * 1000;
        let gone = i64::try_from(now.duration_since(since).as_millis()).unwrap_or(0);
        let rest = SignedDuration::from_millis(step - gone.rem_euclid(step));
        cx.enqueue_after(Task::BindingCycle(key), rest);
    }
}

/// Forgets a pod that is gone, or that was bound by another client.
pub(super) fn forget(cx: &mut Handler<'_, State, Task>, key: &Key) {
    if cx.state.waiting.remove(key).is_some() {
        cx.cancel(Task::BindingCycle(key.clone()));
    }
}

/// What is to be done about the pod's claims on a node; none if they are all bound.
pub(super) fn volumes_for(h: &Handle<'_>, state: Option<&binding::State>, node: &str) -> Option<PodVolumes> {
    let volumes = binding::find_pod_volumes(h, state?, h.snapshot.get(node)?).ok()?;
    Some(volumes).filter(|v| *v != PodVolumes::default())
}

/// Writes what was decided about the claims, and waits.
pub(super) async fn start(
    cx: &Cx,
    pod: &Rc<Pod>,
    node: &str,
    fits: (usize, usize),
    attempts: u32,
    volumes: PodVolumes,
) -> Result {
    let key = pod.metadata.key();
    let mut waiting = Waiting {
        pod: pod.clone(),
        node: node.into(),
        fits,
        since: cx.now(),
        attempts,
        bindings: Vec::new(),
        provisions: Vec::new(),
    };
    nominate(cx, pod, node).await;
    match write(cx, &mut waiting, volumes).await {
        Ok(()) => {
            let k = key.clone();
            cx.update_state(move |s| {
                s.waiting.insert(k.clone(), waiting.clone());
            });
            cx.enqueue_after(Task::BindingCycle(key), SignedDuration::from_secs(POLL));
            Ok(())
        }
        Err(status) => give_up(cx, &key, waiting, &status.message).await,
    }
}

/// Writes the node that the pod is about to be bound to into its status (KEP-5278). A refusal does not
/// end the binding cycle.
async fn nominate(cx: &Cx, pod: &Rc<Pod>, node: &str) {
    let mut to = pod.clone();
    Rc::make_mut(&mut to).status.get_or_insert_default().nominated_node_name = Some(node.to_owned());
    if to != *pod {
        let why = Why::new("binding_cycle.nominate")
            .read("pod", at(Kind::POD, pod.metadata.key()), "spec.volumes", pod.metadata.name())
            .with("node", node);
        let _ = cx.patch_status(pod.clone(), to).because(why).await;
    }
}

fn at(kind: Kind, key: Key) -> ObjectRef {
    ObjectRef { kind, key }
}

/// `bindAPIUpdate`
async fn write(cx: &Cx, w: &mut Waiting, volumes: PodVolumes) -> std::result::Result<(), Status> {
    for (claim, volume) in volumes.static_bindings {
        let key = volume.metadata.key();
        let why = Why::new("binding_cycle.bind_volume")
            .read("volume", at(Kind::PERSISTENT_VOLUME, key.clone()), "spec.capacity", &key.name)
            .read(
                "claim",
                at(Kind::PERSISTENT_VOLUME_CLAIM, claim.metadata.key()),
                "spec",
                claim.metadata.name(),
            )
            .with("node", &w.node);
        let to = bind_volume_to_claim(&volume, &claim).map_or(volume, Rc::new);
        let new = cx.update(to).because(why).await?;
        let (k, v) = (key, new.clone());
        cx.update_state(move |s| {
            s.assumed.volumes.insert(k.clone(), v.clone());
        });
        w.bindings.push((claim.metadata.key(), new));
    }
    for claim in volumes.dynamic_provisions {
        let key = claim.metadata.key();
        let why = Why::new("binding_cycle.select_node")
            .read("claim", at(Kind::PERSISTENT_VOLUME_CLAIM, key.clone()), "spec", &key.name)
            .with("pod", w.pod.metadata.name())
            .with("node", &w.node);
        let mut to = claim;
        let annotations = Rc::make_mut(&mut to).metadata.annotations.get_or_insert_default();
        annotations.insert(SELECTED_NODE.into(), w.node.to_string());
        let new = cx.update(to).because(why).await?;
        let (k, c) = (key, new.clone());
        cx.update_state(move |s| {
            s.assumed.claims.insert(k.clone(), c.clone());
        });
        w.provisions.push(new);
    }
    Ok(())
}

/// Looks whether the claims are bound, after a second.
pub(super) async fn go_on(cx: &Cx, key: &Key) -> Result {
    let Some(w) = cx.state(|s| s.waiting.get(key).cloned()) else { return Ok(()) };
    let rest = later(w.since, SignedDuration::from_secs(BIND_TIMEOUT)).duration_since(cx.now());
    match check(cx, &w) {
        Ok(true) => {
            let k = key.clone();
            cx.update_state(move |s| {
                s.waiting.remove(&k);
            });
            cx.cancel(Task::BindingCycle(key.clone()));
            bind_pod(cx, &w.pod, key, &w.node, w.fits, w.attempts).await
        }
        Ok(false) if rest.is_positive() => {
            // The cluster does not wait for a pod that has waited in vain before.
            let wait = if w.attempts > 1 { Wait::Background } else { Wait::Foreground };
            cx.enqueue_waiting(Task::BindingCycle(key.clone()), rest, wait);
            Ok(())
        }
        Ok(false) => give_up(cx, key, w, "context deadline exceeded").await,
        Err(message) => give_up(cx, key, w, &message).await,
    }
}

/// `checkBindings`: whether all claims are bound.
///
/// # Errors
/// Why they never will be, as things are.
fn check(cx: &Cx, w: &Waiting) -> std::result::Result<bool, String> {
    let node = cx.lister::<Node>();
    let Some(node) = node.get(&Key::new("", &w.node)) else {
        let why = format!("node {:?} not found", &*w.node);
        return Err(format!("failed to get node {:?}: {why}", &*w.node));
    };
    let volumes = cx.lister::<PersistentVolume>();
    let claims = cx.lister::<PersistentVolumeClaim>();
    let mut all = true;
    for (claim, written) in &w.bindings {
        let name = written.metadata.name();
        let (Some(volume), Some(claim)) = (volumes.get(&written.metadata.key()), claims.get(claim)) else {
            return Err(format!("failed to check binding: could not find v1.PersistentVolume {name:?}"));
        };
        if version(written) > version(volume) {
            return Ok(false);
        }
        suits(volume, node)?;
        let uid = volume.spec.as_ref().and_then(|s| s.claim_ref.as_ref()?.uid.as_deref());
        if uid.unwrap_or_default().is_empty() {
            return Err(format!("ClaimRef got reset for pv {name:?}"));
        }
        all &= is_fully_bound(claim);
    }
    for written in &w.provisions {
        let key = written.metadata.key();
        let Some(claim) = claims.get(&key) else {
            let why = format!("could not find v1.PersistentVolumeClaim {:?}", key.to_string());
            return Err(format!("failed to check provisioning pvc: {why}"));
        };
        if version(written) > version(claim) {
            return Ok(false);
        }
        if claim.metadata.annotations.is_none() {
            return Err(format!("selectedNode annotation reset for PVC {:?}", &*key.name));
        }
        if claim.metadata.annotation(SELECTED_NODE) != Some(&w.node) {
            return Err(format!("provisioning failed for PVC {:?}", &*key.name));
        }
        if !volume_name(claim).is_empty() {
            match volumes.get(&Key::new("", volume_name(claim))) {
                Some(volume) => suits(volume, node)?,
                None => return Ok(false),
            }
        }
        all &= is_fully_bound(claim);
    }
    Ok(all)
}

fn suits(volume: &PersistentVolume, node: &Node) -> std::result::Result<(), String> {
    if reachable(volume, node) {
        return Ok(());
    }
    let (volume, node) = (volume.metadata.name(), node.metadata.name());
    Err(format!("pv {volume:?} node affinity doesn't match node {node:?}: no matching NodeSelectorTerms"))
}

/// Its claims could not be bound.
async fn give_up(cx: &Cx, key: &Key, w: Waiting, why: &str) -> Result {
    let message = format!("running PreBind plugin {:?}: binding volumes: {why}", binding::NAME);
    failed(cx, key, w.attempts, message).await
}

/// `handleBindingCycleError`: the pod counts on no node any more, gets a condition and an event that say
/// why, and backs off.
pub(super) async fn failed(cx: &Cx, key: &Key, attempts: u32, message: String) -> Result {
    let (k, now) = (key.clone(), cx.now());
    let pod = cx.lister::<Pod>().get(key).cloned();
    let again = pod.clone();
    cx.update_state(move |s| {
        s.waiting.remove(&k);
        s.cache.forget(&k);
        if let Some(pod) = &again {
            s.queue.back_off(pod, attempts, now);
        }
        s.queue.move_parked(now, |_| true);
    });
    cx.cancel(Task::BindingCycle(key.clone()));
    cx.enqueue(Task::ScheduleOne);
    wake_later(cx);
    let Some(pod) = pod else { return Ok(()) };
    cx.record(event(&pod, "Warning", "FailedScheduling", message.clone(), "Scheduling", now));
    let mut to = pod.clone();
    let status = Rc::make_mut(&mut to).status.get_or_insert_default();
    status.nominated_node_name = None;
    set_unschedulable(status, "SchedulerError", &message, pod.metadata.generation, now);
    if to == pod {
        return Ok(());
    }
    let why = Why::new("binding_cycle.failed")
        .read("pod", at(Kind::POD, key.clone()), "spec.volumes", pod.metadata.name())
        .with("message", &message);
    // The pod is tried again whether or not the status was written.
    let _ = cx.patch_status(pod, to).because(why).await;
    Ok(())
}
