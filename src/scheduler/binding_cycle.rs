//! The part of a binding cycle that takes time (`PreBind` of
//! `pkg/scheduler/framework/plugins/volumebinding`): a node is chosen for the pod, and the pod's claims are
//! bound before the pod itself is.
//!
//! The scheduler writes its decision to the volumes and claims, and the persistent volume binder completes
//! the binding. Kubernetes' plugin polls once a second, for ten minutes at most. Here a poll takes place
//! only at the end of a second in which a claim or a volume has changed. Meanwhile other pods are scheduled,
//! and this pod is counted on its node.

mod devices;

use std::rc::Rc;

use jiff::SignedDuration;

use super::framework::Handle;
use super::outcome::{bind_pod, event, failed, unreserve};
use super::plugins::dynamic_resources;
use super::plugins::volume::binding::{self, PodVolumes, reachable};
use super::queue::Queued;
use super::state::{Begin, Cx, State, Task, Waiting, version};
use crate::api::pod::is_terminal;
use crate::api::quote::go_quote;
use crate::api::resource_claim::is_reserved_for_pod;
use crate::api::types::{Node, PersistentVolume, PersistentVolumeClaim, Pod};
use crate::api::volume::{SELECTED_NODE, bind_volume_to_claim, is_fully_bound, volume_name};
use crate::api::{Key, Kind, MetaExt, ObjectRef, Timestamp, later};
use crate::apimachinery::Status;
use crate::client::{Handler, Result, Wait, Why};

use devices::{bind_claim, check_devices};
pub(super) use devices::{deallocate, resource_claim_changed};

/// How long the binding of a pod's claims may take, in seconds (`bindTimeoutSeconds`).
const BIND_TIMEOUT: i64 = 600;
/// The interval at which the claims are polled, in seconds.
const POLL: i64 = 1;

/// An informer delivered a change of a claim: its assumed version is dropped, and waiting pods are polled.
pub(super) fn claim_changed(cx: &mut Handler<'_, State, Task>, claim: &Key) {
    cx.state.assumed.claims.remove(claim);
    look_again(cx);
}

/// An informer delivered a change of a volume: its assumed version is dropped, and waiting pods are polled.
pub(super) fn volume_changed(cx: &mut Handler<'_, State, Task>, volume: &Key) {
    cx.state.assumed.volumes.remove(volume);
    look_again(cx);
}

/// A pod that has no node was deleted, or has ended. If its claims are being bound, the next poll finds that out.
pub(super) fn pod_gone(cx: &mut Handler<'_, State, Task>, key: &Key) {
    if let Some(since) = cx.state.waiting.get(key).map(|w| w.since) {
        poll(cx, key.clone(), since);
    }
}

/// Plans a poll of every waiting pod.
fn look_again(cx: &mut Handler<'_, State, Task>) {
    let waiting: Vec<(Key, Timestamp)> =
        cx.state.waiting.iter().map(|(key, w)| (key.clone(), w.since)).collect();
    for (key, since) in waiting {
        poll(cx, key, since);
    }
}

/// Plans a poll of a pod that waits since this time, for the end of its current second.
fn poll(cx: &mut Handler<'_, State, Task>, key: Key, since: Timestamp) {
    let step = POLL * 1000;
    let gone = i64::try_from(cx.now.duration_since(since).as_millis()).unwrap_or(0);
    let rest = SignedDuration::from_millis(step - gone.rem_euclid(step));
    cx.enqueue_after(Task::BindingCycle(key), rest);
}

/// Stops waiting for the claims of a pod that was bound by another client, or was created anew under its name.
pub(super) fn forget(cx: &mut Handler<'_, State, Task>, key: &Key) {
    if cx.state.waiting.remove(key).is_some() {
        cx.state.release(key);
        cx.cancel(Task::BindingCycle(key.clone()));
    }
}

/// What has to be written to the pod's claims and volumes for this node; `None` if all claims are bound.
pub(super) fn volumes_for(h: &Handle<'_>, state: Option<&binding::State>, node: &str) -> Option<PodVolumes> {
    let volumes = binding::find_pod_volumes(h, state?, h.snapshot.get(node)?).ok()?;
    Some(volumes).filter(|v| *v != PodVolumes::default())
}

/// Begins to bind the pod's claims: writes `volumes`, and plans the first poll.
pub(super) async fn start(
    cx: &Cx,
    q: Queued,
    node: &str,
    fits: (usize, usize),
    volumes: PodVolumes,
) -> Result {
    let key = q.info.key.clone();
    let pod = q.pod().clone();
    let mut waiting = Waiting::new(q, node, fits, cx.now(), None);
    nominate(cx, &pod, node).await;
    match write(cx, &mut waiting, volumes).await {
        Ok(()) => {
            let k = key.clone();
            cx.update_state(move |s| {
                s.waiting.insert(k.clone(), waiting.clone());
            });
            cx.enqueue_after(Task::BindingCycle(key), SignedDuration::from_secs(POLL));
            Ok(())
        }
        Err(status) => give_up(cx, waiting, binding::NAME, &status.message).await,
    }
}

/// Plans to bind the claims for devices of a pod, and with them those for volumes (`Reserve`).
pub(super) fn plan(cx: &Cx, q: Queued, node: &str, fits: (usize, usize), begin: Begin) {
    let key = q.info.key.clone();
    let k = key.clone();
    let waiting = Waiting::new(q, node, fits, cx.now(), Some(begin.clone()));
    cx.update_state(move |s| {
        for (claim, new) in begin.claims.iter().filter(|(_, new)| new.is_some()) {
            let mut claim = claim.clone();
            let status = Rc::make_mut(&mut claim).status.get_or_insert_default();
            status.allocation.clone_from(new);
            s.pending.insert(claim.metadata.uid().to_owned(), (k.clone(), claim));
        }
        s.waiting.insert(k.clone(), waiting.clone());
    });
    cx.enqueue(Task::BindingCycle(key));
}

/// Writes what is planned, binds the pod if there is nothing to wait for, and plans the first poll otherwise.
async fn begin(cx: &Cx, key: &Key, mut w: Waiting, begin: Begin) -> Result {
    if !begin.gave_way {
        let k = key.clone();
        cx.update_state(move |s| {
            if let Some(begin) = s.waiting.get_mut(&k).and_then(|w| w.begin.as_mut()) {
                begin.gave_way = true;
            }
        });
        cx.enqueue(Task::BindingCycle(key.clone()));
        return Ok(());
    }
    w.begin = None;
    let pod = w.q.pod().clone();
    // If the cycle ends early, these are released as well.
    let own = begin.claims.iter().map(|(claim, _)| claim).filter(|claim| is_reserved_for_pod(&pod, claim));
    w.reserved = own.cloned().collect();
    nominate(cx, &pod, &w.node).await;
    if let Err(status) = write(cx, &mut w, begin.volumes).await {
        return give_up(cx, w, binding::NAME, &status.message).await;
    }
    for (claim, new) in begin.claims {
        if is_reserved_for_pod(&pod, &claim) {
            continue;
        }
        let bound = bind_claim(cx, &pod, &claim, new.as_ref()).await;
        let uid = claim.metadata.uid().to_owned();
        let assumed = bound.as_ref().ok().cloned();
        cx.update_state(move |s| {
            s.pending.remove(&uid);
            if let Some(claim) = &assumed {
                s.assumed.resource_claims.insert(claim.metadata.key(), claim.clone());
            }
        });
        match bound {
            Ok(claim) => w.reserved.push(claim),
            Err(e) => return give_up(cx, w, dynamic_resources::NAME, &e.to_string()).await,
        }
    }
    let conditions = w.reserved.iter().any(|c| dynamic_resources::has_binding_conditions(c));
    if conditions {
        let message = format!("waiting for binding conditions for device on node {}", w.node);
        cx.record(event(&pod, "Normal", "BindingConditionsPending", message, "Scheduling", cx.now()));
    }
    let k = key.clone();
    if !conditions && w.bindings.is_empty() && w.provisions.is_empty() {
        cx.update_state(move |s| {
            s.waiting.remove(&k);
        });
        return bind_pod(cx, w.q, &w.node, w.fits, &w.reserved).await;
    }
    cx.update_state(move |s| {
        s.waiting.insert(k.clone(), w.clone());
    });
    cx.enqueue_after(Task::BindingCycle(key.clone()), SignedDuration::from_secs(POLL));
    Ok(())
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

/// Writes the claims and volumes (`bindAPIUpdate`), and notes the answers in `w`.
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
            .with("pod", w.q.info.name())
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

/// Polls the claims of a waiting pod: binds the pod if they are bound, gives up on an error or after
/// `BIND_TIMEOUT`, and waits on otherwise.
pub(super) async fn go_on(cx: &Cx, key: &Key) -> Result {
    let Some(w) = cx.state(|s| s.waiting.get(key).cloned()) else { return Ok(()) };
    if let Some(planned) = w.begin.clone() {
        return begin(cx, key, w, planned).await;
    }
    let rest = later(w.since, SignedDuration::from_secs(BIND_TIMEOUT)).duration_since(cx.now());
    match check_devices(cx, &w) {
        Ok(true) => {}
        Ok(false) if rest.is_positive() => {
            cx.enqueue_waiting(Task::BindingCycle(key.clone()), rest, Wait::Background);
            return Ok(());
        }
        Ok(false) => return give_up(cx, w, dynamic_resources::NAME, "device binding timeout").await,
        Err(message) => return give_up(cx, w, dynamic_resources::NAME, &message).await,
    }
    match check(cx, &w) {
        Ok(true) => {
            let k = key.clone();
            cx.update_state(move |s| {
                s.waiting.remove(&k);
            });
            cx.cancel(Task::BindingCycle(key.clone()));
            bind_pod(cx, w.q, &w.node, w.fits, &w.reserved).await
        }
        Ok(false) if rest.is_positive() => {
            // After a failed attempt the wait is in the background, so it does not keep the cluster from
            // being steady.
            let wait = if w.q.attempts > 1 { Wait::Background } else { Wait::Foreground };
            cx.enqueue_waiting(Task::BindingCycle(key.clone()), rest, wait);
            Ok(())
        }
        Ok(false) => give_up(cx, w, binding::NAME, "binding volumes: context deadline exceeded").await,
        Err(message) => give_up(cx, w, binding::NAME, &format!("binding volumes: {message}")).await,
    }
}

/// `checkBindings`: whether all claims are bound.
///
/// # Errors
/// The reason why the claims cannot be bound any more.
fn check(cx: &Cx, w: &Waiting) -> std::result::Result<bool, String> {
    let node = cx.lister::<Node>();
    let Some(node) = node.get(&Key::new("", &w.node)) else {
        let why = format!("node {} not found", go_quote(&w.node));
        return Err(format!("failed to get node {}: {why}", go_quote(&w.node)));
    };
    // The scheduler's informer does not see pods that have ended.
    if cx.lister::<Pod>().get(&w.q.info.key).is_none_or(|p| is_terminal(p)) {
        return Err(format!("pod does not exist any more: pod {} not found", go_quote(w.q.info.name())));
    }
    let volumes = cx.lister::<PersistentVolume>();
    let claims = cx.lister::<PersistentVolumeClaim>();
    let missing = |of: &str, key: String| format!("{of} {} not found", go_quote(key));
    for (claim, written) in &w.bindings {
        let name = written.metadata.name();
        let missing = |of, key| Err(format!("failed to check binding: {}", missing(of, key)));
        let Some(volume) = volumes.get(&written.metadata.key()) else {
            return missing("persistentvolumes", name.to_owned());
        };
        let Some(claim) = claims.get(claim) else {
            return missing("persistentvolumeclaims", claim.to_string());
        };
        if version(written) > version(volume) {
            return Ok(false);
        }
        suits(volume, node)?;
        let uid = volume.spec.as_ref().and_then(|s| s.claim_ref.as_ref()?.uid.as_deref());
        if uid.unwrap_or_default().is_empty() {
            return Err(format!("ClaimRef got reset for pv {}", go_quote(name)));
        }
        if !is_fully_bound(claim) {
            return Ok(false);
        }
    }
    for written in &w.provisions {
        let key = written.metadata.key();
        let Some(claim) = claims.get(&key) else {
            let why = missing("persistentvolumeclaims", key.to_string());
            return Err(format!("failed to check provisioning pvc: {why}"));
        };
        if version(written) > version(claim) {
            return Ok(false);
        }
        if claim.metadata.annotations.is_none() {
            return Err(format!("selectedNode annotation reset for PVC {}", go_quote(&key.name)));
        }
        if claim.metadata.annotation(SELECTED_NODE) != Some(&w.node) {
            return Err(format!("provisioning failed for PVC {}", go_quote(&key.name)));
        }
        if !volume_name(claim).is_empty() {
            match volumes.get(&Key::new("", volume_name(claim))) {
                Some(volume) => suits(volume, node)?,
                None => return Ok(false),
            }
        }
        if !is_fully_bound(claim) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn suits(volume: &PersistentVolume, node: &Node) -> std::result::Result<(), String> {
    if reachable(volume, node) {
        return Ok(());
    }
    let (volume, node) = (volume.metadata.name(), node.metadata.name());
    Err(format!(
        "pv {} node affinity doesn't match node {}: no matching NodeSelectorTerms",
        go_quote(volume),
        go_quote(node)
    ))
}

/// Ends the binding cycle of a pod whose claims could not be bound.
async fn give_up(cx: &Cx, w: Waiting, plugin: &str, why: &str) -> Result {
    let message = format!("running PreBind plugin {}: {why}", go_quote(plugin));
    unreserve(cx, w.q.pod(), &w.reserved).await;
    failed(cx, w.q, message).await
}
