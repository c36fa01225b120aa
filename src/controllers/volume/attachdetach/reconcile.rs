//! The comparison of what is desired with what is actual (`attachdetach/reconciler`): volumes that no pod needs are
//! detached first, then volumes that pods need are attached.

use std::rc::Rc;

use jiff::SignedDuration;

use super::state::{Attached, Operation, Pair, Wanted};
use super::{Cx, State, Task, node, operation};
use crate::api::types::{Node, Pod};
use crate::api::{Key, Kind, MetaExt, ObjectRef, later};
use crate::apimachinery::Status;
use crate::client::{Result, Wait, Why};

/// How long the controller waits for the kubelet of a node that is not ready to unmount a volume
/// (`ReconcilerMaxWaitForUnmountDuration`).
pub const MAX_WAIT_FOR_UNMOUNT: SignedDuration = SignedDuration::from_secs(360);

/// Reconciles a volume, and plans when to look at it again.
pub(super) async fn reconcile(cx: &Cx, volume: &Rc<str>) -> Result {
    let result = detach_and_attach(cx, volume).await;
    let task = || Task::Volume(volume.clone());
    cx.cancel(task());
    let operations: Vec<_> =
        cx.state(|s| State::of(&s.operations, volume).filter_map(|(_, o)| o.next()).collect());
    let forced = cx.state(|s| {
        let unneeded = State::of(&s.actual, volume).filter(|(p, a)| a.mounted && !is_healthy(cx, &p.1));
        unneeded.filter_map(|(_, a)| a.detach_requested).min()
    });
    let forced = forced.map(|since| (later(since, MAX_WAIT_FOR_UNMOUNT), true));
    let next = operations.into_iter().chain(forced).filter(|(at, _)| *at > cx.now()).min();
    if let Some((at, shows_something)) = next {
        let wait = if shows_something { Wait::Foreground } else { Wait::Background };
        cx.enqueue_waiting(task(), at.duration_since(cx.now()), wait);
    }
    result
}

fn is_healthy(cx: &Cx, node: &str) -> bool {
    cx.lister::<Node>().get(&Key::new("", node)).is_some_and(|n| node::is_healthy(n))
}

async fn detach_and_attach(cx: &Cx, volume: &Rc<str>) -> Result {
    operation::observe(cx, volume);
    let attached: Vec<Pair> = cx.state(|s| State::of(&s.actual, volume).map(|(p, _)| p.clone()).collect());
    for pair in attached {
        if cx.state(|s| !s.desired.contains_key(&pair)) {
            detach_unneeded(cx, &pair).await?;
        }
    }
    let wanted: Vec<Pair> = cx.state(|s| State::of(&s.desired, volume).map(|(p, _)| p.clone()).collect());
    for pair in wanted {
        attach_desired(cx, &pair).await?;
    }
    let nodes: Vec<Rc<str>> = cx.state(|s| s.unreported.keys().cloned().collect());
    for name in nodes {
        node::update_status(cx, &name).await?;
    }
    Ok(())
}

/// Whether an operation of the volume is under way or backs off.
fn is_blocked(cx: &Cx, pair: &Pair, of: Option<&super::Spec>) -> bool {
    let key = State::operation_key(pair, of);
    cx.state(|s| s.operations.get(&key).is_some_and(|o: &Operation| o.blocks(cx.now())))
}

/// Detaches a volume that no pod needs, if it is safe: its kubelet has unmounted it, or will never do so because the
/// node has been lost for six minutes or was declared to be out of service.
async fn detach_unneeded(cx: &Cx, pair: &Pair) -> std::result::Result<(), Status> {
    let Some(attached) = cx.state(|s| s.actual.get(pair).cloned()) else { return Ok(()) };
    if is_blocked(cx, pair, attached.spec.as_ref()) {
        return Ok(());
    }
    let since = attached.detach_requested.unwrap_or(cx.now());
    let expired = later(since, MAX_WAIT_FOR_UNMOUNT) <= cx.now();
    set_detach_requested(cx, pair, &attached);
    let node = cx.lister::<Node>().get(&Key::new("", &pair.1)).cloned();
    let healthy = is_healthy(cx, &pair.1);
    let out_of_service = node.as_ref().is_some_and(|n| node::is_out_of_service(n));
    if attached.mounted && (healthy || !expired) && !out_of_service {
        return Ok(());
    }
    // A kubelet does not mount what its Node does not report as attached.
    report(cx, pair, false);
    if let Err(e) = node::update_status(cx, &pair.1).await {
        report(cx, pair, true);
        return Err(e);
    }
    let forced = expired || out_of_service;
    if !forced && !is_safe_to_detach(cx, pair).await? {
        return Ok(());
    }
    let because = match (attached.mounted, out_of_service) {
        (false, _) => "unmounted",
        (true, true) => "out-of-service",
        (true, false) => "timeout",
    };
    let name = attached.spec.as_ref().map_or(&pair.0, |s| &s.volume);
    let at = ObjectRef { kind: Kind::NODE, key: Key::new("", &pair.1) };
    let why = Why::new("reconcile.detach")
        .read("node", at, "status.volumesInUse", &pair.1)
        .with("volume", name)
        .with("because", because);
    operation::detach(cx, pair, attached.spec.clone(), why).await
}

fn set_detach_requested(cx: &Cx, pair: &Pair, attached: &Attached) {
    if attached.detach_requested.is_none() {
        let (pair, now) = (pair.clone(), cx.now());
        cx.update_state(move |s| {
            if let Some(a) = s.actual.get_mut(&pair) {
                a.detach_requested = Some(now);
            }
        });
    }
}

fn report(cx: &Cx, pair: &Pair, attached: bool) {
    let pair = pair.clone();
    cx.update_state(move |s| {
        let changed = s.actual.get_mut(&pair).filter(|a| a.report != attached).map(|a| a.report = attached);
        if changed.is_some() {
            s.unreported.insert(pair.1.clone(), ());
        }
    });
}

/// Whether the API server's newest version of the Node does not have the volume in use either
/// (`verifyVolumeIsSafeToDetach`).
async fn is_safe_to_detach(cx: &Cx, pair: &Pair) -> std::result::Result<bool, Status> {
    match cx.get::<Node>(Key::new("", &pair.1)).await {
        Ok(node) => Ok(!node::volumes_in_use(&node).iter().any(|v| **v == *pair.0)),
        Err(e) if e.is_not_found() => Ok(true),
        Err(e) => Err(e),
    }
}

/// Attaches a volume that pods need (`attachDesiredVolumes`).
async fn attach_desired(cx: &Cx, pair: &Pair) -> std::result::Result<(), Status> {
    let Some(wanted) = cx.state(|s| s.desired.get(pair).cloned()) else { return Ok(()) };
    if is_blocked(cx, pair, Some(&wanted.spec)) {
        return Ok(());
    }
    if cx.state(|s| s.actual.get(pair).is_some_and(|a| a.confirmed)) {
        let pair = pair.clone();
        cx.update_state(move |s| {
            if let Some(a) = s.actual.get_mut(&pair) {
                a.detach_requested = None;
            }
        });
        return Ok(());
    }
    if !wanted.spec.multi_attach {
        let elsewhere = |s: &State| State::of(&s.actual, &pair.0).any(|(_, a)| a.confirmed);
        if cx.state(elsewhere) {
            if !wanted.multi_attach_reported {
                report_multi_attach(cx, pair, &wanted);
            }
            return Ok(());
        }
    }
    operation::attach(cx, pair, &wanted).await
}

/// Records an event about the pods that wait for a volume which is attached to another node (`reportMultiAttachError`).
fn report_multi_attach(cx: &Cx, pair: &Pair, wanted: &Wanted) {
    let users: Vec<Rc<Pod>> = cx.state(|s| {
        let on_others = State::of(&s.actual, &pair.0).filter(|(p, _)| p.1 != pair.1);
        let wanted = on_others.filter_map(|(p, _)| s.desired.get(p));
        wanted.flat_map(|w| w.pods.values().cloned()).collect()
    });
    for pod in wanted.pods.values() {
        let (local, other): (Vec<&Rc<Pod>>, Vec<&Rc<Pod>>) =
            users.iter().partition(|u| u.metadata.namespace == pod.metadata.namespace);
        let names = local.iter().map(|p| p.metadata.name()).collect::<Vec<_>>().join(", ");
        let reason = match (local.len(), other.len()) {
            (0, 0) => "Volume is already exclusively attached to one node and can't be attached to another"
                .to_owned(),
            (0, n) => format!("Volume is already used by {n} pod(s) in different namespaces"),
            (_, 0) => format!("Volume is already used by pod(s) {names}"),
            (_, n) => {
                format!("Volume is already used by pod(s) {names} and {n} pod(s) in different namespaces")
            }
        };
        let message = format!("Multi-Attach error for volume \"{}\" {reason}", wanted.spec.volume);
        cx.event(&**pod, "Warning", "FailedAttachVolume", message);
    }
    let pair = pair.clone();
    cx.update_state(move |s| {
        if let Some(w) = s.desired.get_mut(&pair) {
            w.multi_attach_reported = true;
        }
    });
}
