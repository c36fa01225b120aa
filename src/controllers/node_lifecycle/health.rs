//! Whether a node's kubelet sends heartbeats, and what follows from the node's conditions (`monitorNodeHealth` of
//! `node_lifecycle_controller.go`).

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use super::super::taints::{self, NO_SCHEDULE, taint, taints};
use super::eviction::{mark_pods_not_ready, mark_reachable, no_execute};
use super::{Cx, Task, condition, grace_period, ready, record, watchdog};
use crate::api::types::{Node, NodeCondition, Taint, Time};
use crate::api::well_known::{TAINT_NODE_NOT_READY, TAINT_NODE_UNREACHABLE, TAINT_NODE_UNSCHEDULABLE};
use crate::api::{Key, MetaExt, ObjectRef, Timestamp, seconds};
use crate::client::{Result, Why};

/// How often the write of a node's status is tried (`NodeHealthUpdateRetry`).
const NODE_HEALTH_UPDATE_RETRY: usize = 5;
/// The interval, in milliseconds, at which Kubernetes checks nodes that wait to be tainted
/// (`NodeEvictionPeriod`).
const NODE_EVICTION_PERIOD: i64 = 100;

/// Conditions with the status that leads to a `NoSchedule` taint, and the taint's key.
const CONDITION_TAINTS: [(&str, &str, &str); 6] = [
    ("Ready", "False", TAINT_NODE_NOT_READY),
    ("Ready", "Unknown", TAINT_NODE_UNREACHABLE),
    ("MemoryPressure", "True", "node.kubernetes.io/memory-pressure"),
    ("DiskPressure", "True", "node.kubernetes.io/disk-pressure"),
    ("NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"),
    ("PIDPressure", "True", "node.kubernetes.io/pid-pressure"),
];

/// Labels of nodes, and the former label that has to have the same value (`labelReconcileInfo`).
pub(super) const RECONCILED_LABELS: [(&str, &str); 2] =
    [("kubernetes.io/os", "beta.kubernetes.io/os"), ("kubernetes.io/arch", "beta.kubernetes.io/arch")];

/// The conditions that a kubelet sets. The network plugin sets `NetworkUnavailable`.
const KUBELET_CONDITIONS: [&str; 4] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/// Sets a node's conditions to Unknown if its last heartbeat is too old (`tryUpdateNodeHealth`).
pub(super) async fn check_heartbeat(cx: &Cx, name: &str) -> Result {
    let Some(mut node) = cx.lister::<Node>().get(&Key::new("", name)).cloned() else { return Ok(()) };
    let Some(probe) = cx.state(|s| s.last_probe(name)) else { return Ok(()) };
    let silent_for = cx.now().duration_since(probe);
    let left = grace_period(&node) - silent_for;
    if left.is_positive() {
        watch(cx, name, left);
        return Ok(());
    }
    let was_ready = ready(&node) == "True";
    let mut tries = 0;
    loop {
        let mut to = node.clone();
        if !set_unknown(Rc::make_mut(&mut to), cx.now()) {
            break;
        }
        let why = Why::new("try_update_node_health.unknown")
            .read("ready", ObjectRef::of(&*node), "status.conditions", ready(&node))
            .with("silent_seconds", silent_for.as_secs())
            .with("grace_seconds", grace_period(&node).as_secs());
        match cx.update_status(to).because(why).await {
            Ok(updated) => {
                node = updated;
                break;
            }
            Err(e) if tries + 1 >= NODE_HEALTH_UPDATE_RETRY => return Err(e.into()),
            Err(_) => node = cx.get::<Node>(node.metadata.key()).await?,
        }
        tries += 1;
    }
    if was_ready {
        let message = format!("Node {name} status is now: NodeNotReady");
        record(cx, name, node.metadata.uid(), "NodeNotReady", message);
        mark_pods_not_ready(cx, name).await?;
    }
    Ok(())
}

/// Plans the next check of a node's heartbeats, which takes place only if its kubelet stops.
fn watch(cx: &Cx, name: &str, after: SignedDuration) {
    let wait = watchdog(name);
    cx.enqueue_waiting(Task::Heartbeat(name.into()), after, wait);
}

/// Sets the kubelet's conditions to Unknown. Returns whether `Ready` changed.
fn set_unknown(node: &mut Node, now: Timestamp) -> bool {
    let now = Time(seconds(now));
    let before = condition(node, "Ready").cloned();
    let created = node.metadata.creation_timestamp.clone();
    let conditions = node.status.get_or_insert_default().conditions.get_or_insert_default();
    for type_ in KUBELET_CONDITIONS {
        match conditions.iter_mut().find(|c| c.type_ == type_) {
            None => conditions.push(NodeCondition {
                type_: type_.into(),
                status: "Unknown".into(),
                reason: Some("NodeStatusNeverUpdated".into()),
                message: Some("Kubelet never posted node status.".into()),
                last_heartbeat_time: created.clone(),
                last_transition_time: Some(now.clone()),
            }),
            Some(c) if c.status != "Unknown" => {
                c.status = "Unknown".into();
                c.reason = Some("NodeStatusUnknown".into());
                c.message = Some("Kubelet stopped posting node status.".into());
                c.last_transition_time = Some(now.clone());
            }
            Some(_) => {}
        }
    }
    condition(node, "Ready") != before.as_ref()
}

/// What follows from a node's `Ready` condition (`monitorNodeHealth` without the heartbeat).
pub(super) async fn check(cx: &Cx, name: &str) -> Result {
    let known = cx.state(|s| s.known.get(name).cloned());
    let Some(node) = cx.lister::<Node>().get(&Key::new("", name)).cloned() else {
        if let Some(uid) = known {
            let message = format!("Node {name} event: Removing Node {name} from Controller");
            record(cx, name, &uid, "RemovingNode", message);
            let n: Rc<str> = name.into();
            cx.update_state(move |s| {
                s.known.remove(&n);
            });
        }
        return Ok(());
    };
    if known.is_none() {
        let message = format!("Node {name} event: Registered Node {name} in Controller");
        record(cx, name, node.metadata.uid(), "RegisteredNode", message);
        let (n, uid): (Rc<str>, Rc<str>) = (name.into(), node.metadata.uid().into());
        cx.update_state(move |s| {
            s.known.insert(n.clone(), uid.clone());
        });
        // What the controller has not tainted itself does not count: it begins with a node that can be reached.
        mark_reachable(cx, &node).await?;
    }
    // Of a node whose kubelet has reported nothing yet, nothing follows until its time to start is over.
    let Some(ready_condition) = condition(&node, "Ready") else { return Ok(()) };
    match &*ready_condition.status {
        "True" => {
            let probe = cx.state(|s| s.last_probe(name)).unwrap_or(cx.now());
            watch(cx, name, grace_period(&node) - cx.now().duration_since(probe));
            mark_reachable(cx, &node).await
        }
        status => {
            let (add, opposite) = no_execute(status);
            if taints::has(&node, &opposite) {
                let why = Why::new("process_taint_base_eviction.swap").read(
                    "ready",
                    ObjectRef::of(&*node),
                    "status.conditions",
                    status,
                );
                taints::swap(cx, &node, &[add], &[opposite], why).await
            } else {
                if !taints::has(&node, &add) {
                    let after = SignedDuration::from_millis(NODE_EVICTION_PERIOD);
                    cx.enqueue_after(Task::NoExecute(name.into()), after);
                }
                Ok(())
            }
        }
    }
}

/// What follows from a node, whether its kubelet sends heartbeats or not (`doNodeProcessingPassWorker`).
pub(super) async fn process(cx: &Cx, name: &str) -> Result {
    let tainted = taint_no_schedule(cx, name).await;
    reconcile_labels(cx, name).await.and(tainted)
}

/// Sets the former labels for the operating system and the architecture to the values of those that took their place
/// (`reconcileNodeLabels`).
async fn reconcile_labels(cx: &Cx, name: &str) -> Result {
    let Some(node) = cx.lister::<Node>().get(&Key::new("", name)).cloned() else { return Ok(()) };
    let outdated = |(present, former): &(&'static str, &'static str)| {
        let value = node.metadata.label(present)?;
        (node.metadata.label(former) != Some(value)).then(|| ((*former).to_owned(), value.to_owned()))
    };
    let labels: BTreeMap<String, String> = RECONCILED_LABELS.iter().filter_map(outdated).collect();
    if labels.is_empty() {
        return Ok(());
    }
    let said: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let from = cx.get::<Node>(node.metadata.key()).await?;
    let mut to = from.clone();
    Rc::make_mut(&mut to).metadata.labels.get_or_insert_default().extend(labels);
    if to == from {
        return Ok(());
    }
    let why = Why::new("reconcile_node_labels")
        .read("node", ObjectRef::of(&*node), "metadata.labels", name)
        .with("labels", said.join(", "));
    cx.patch(from, to).because(why).await?;
    Ok(())
}

/// Adds and removes `NoSchedule` taints according to the node's conditions (`doNoScheduleTaintingPass`).
async fn taint_no_schedule(cx: &Cx, name: &str) -> Result {
    let Some(node) = cx.lister::<Node>().get(&Key::new("", name)).cloned() else { return Ok(()) };
    let conditions = node.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    let taint_of = |c: &NodeCondition| {
        let found =
            CONDITION_TAINTS.iter().find(|(type_, status, _)| *type_ == c.type_ && *status == c.status);
        found.map(|(_, _, taint_key)| taint(taint_key, NO_SCHEDULE))
    };
    let mut want: Vec<Taint> = conditions.iter().filter_map(taint_of).collect();
    let unschedulable = node.spec.as_ref().and_then(|s| s.unschedulable).unwrap_or(false);
    if unschedulable {
        want.push(taint(TAINT_NODE_UNSCHEDULABLE, NO_SCHEDULE));
    }
    let ours = |t: &Taint| {
        t.key == TAINT_NODE_UNSCHEDULABLE
            || CONDITION_TAINTS.iter().any(|(_, _, taint_key)| t.key == *taint_key)
    };
    let have: Vec<Taint> =
        taints(&node).iter().filter(|t| t.effect == NO_SCHEDULE && ours(t)).cloned().collect();
    let missing = |of: &[Taint], from: &[Taint]| -> Vec<Taint> {
        of.iter().filter(|t| !from.iter().any(|f| taints::is_same(f, t))).cloned().collect()
    };
    let (add, remove) = (missing(&want, &have), missing(&have, &want));
    if add.is_empty() && remove.is_empty() {
        return Ok(());
    }
    let differs = |key: &str| add.iter().chain(&remove).any(|t| t.key == key);
    let counts = |c: &&NodeCondition| {
        c.type_ == "Ready" || CONDITION_TAINTS.iter().any(|(type_, _, key)| *type_ == c.type_ && differs(key))
    };
    let reported = conditions.iter().filter(counts).map(|c| format!("{}={}", c.type_, c.status));
    let why = Why::new("no_schedule_tainting_pass")
        .read(
            "conditions",
            ObjectRef::of(&*node),
            "status.conditions",
            reported.collect::<Vec<_>>().join(", "),
        )
        .read("unschedulable", ObjectRef::of(&*node), "spec.unschedulable", unschedulable);
    taints::swap(cx, &node, &add, &remove, why).await
}
