//! How pods are evicted from lost nodes: by a taint, at a limited rate in each zone, and not at all while all nodes are
//! lost (`k8s.io/kubernetes/pkg/controller/nodelifecycle/node_lifecycle_controller.go`).

use std::rc::Rc;

use jiff::SignedDuration;

use super::super::controller_utils::pod_condition;
use super::super::taints::{self, NO_EXECUTE, taint};
use super::{Cx, Task, is_lost, ready};
use crate::api::types::{Node, Pod, Taint, Time};
use crate::api::well_known::{TAINT_NODE_NOT_READY, TAINT_NODE_UNREACHABLE};
use crate::api::{Key, Kind, MetaExt, ObjectRef, seconds};
use crate::client::{Result, Why};

/// Nodes with this label are not counted when a zone is checked for a disruption.
const EXCLUDE_DISRUPTION: &str = "node.kubernetes.io/exclude-disruption";

/// The interval, in seconds, between two tainted nodes of a zone (`--node-eviction-rate` 0.1).
const EVICTION_SECONDS: i64 = 10;
/// The interval, in seconds, in a large zone in which most nodes are lost (`--secondary-node-eviction-rate` 0.01).
const SECONDARY_EVICTION_SECONDS: i64 = 100;
/// The longest interval between two tainted nodes of a zone.
pub(super) const LONGEST_WAIT: SignedDuration = SignedDuration::from_secs(SECONDARY_EVICTION_SECONDS);
/// A zone with more nodes than this is large (`--large-cluster-size-threshold`).
const LARGE_CLUSTER_THRESHOLD: usize = 50;
/// The percentage of lost nodes from which on a zone is disrupted (`--unhealthy-zone-threshold`).
const UNHEALTHY_ZONE_PERCENT: usize = 55;
/// The number of lost nodes above which a zone can be disrupted.
const UNHEALTHY_ZONE_NODES: usize = 2;

/// The `NoExecute` taint for this status of `Ready`, and the one for the other status that is not True.
pub(super) fn no_execute(status: &str) -> (Taint, Taint) {
    let (not_ready, unreachable) =
        (taint(TAINT_NODE_NOT_READY, NO_EXECUTE), taint(TAINT_NODE_UNREACHABLE, NO_EXECUTE));
    if status == "False" { (not_ready, unreachable) } else { (unreachable, not_ready) }
}

/// A node's region and zone, from its labels (`GetZoneKey`).
fn zone(node: &Node) -> String {
    let label = |k: &str| node.metadata.label(k).unwrap_or_default();
    format!("{}:\0:{}", label("topology.kubernetes.io/region"), label("topology.kubernetes.io/zone"))
}

fn counts(node: &Node) -> bool {
    node.metadata.label(EXCLUDE_DISRUPTION).is_none()
}

/// Whether no node is ready. The fault is then more likely in the control plane, so no pod is evicted.
fn all_lost(cx: &Cx) -> bool {
    let lister = cx.lister::<Node>();
    let mut nodes = lister.list(None).filter(|n| counts(n)).peekable();
    nodes.peek().is_some() && nodes.all(|n| ready(n) != "True")
}

/// The interval, in seconds, between two tainted nodes of a zone; `None` if none may be tainted
/// (`ComputeZoneState`, `setLimiterInZone`).
fn eviction_seconds(cx: &Cx, of: &str) -> Option<i64> {
    if all_lost(cx) {
        return None;
    }
    let (mut size, mut lost) = (0, 0);
    for node in cx.lister::<Node>().list(None).filter(|n| counts(n) && zone(n) == of) {
        size += 1;
        lost += usize::from(ready(node) != "True");
    }
    let partial = lost < size && lost > UNHEALTHY_ZONE_NODES && lost * 100 >= size * UNHEALTHY_ZONE_PERCENT;
    match partial {
        false => Some(EVICTION_SECONDS),
        true if size > LARGE_CLUSTER_THRESHOLD => Some(SECONDARY_EVICTION_SECONDS),
        true => None,
    }
}

/// Adds the `NoExecute` taint to a lost node when the rate allows it (`doNoExecuteTaintingPass`).
pub(super) async fn taint_no_execute(cx: &Cx, name: &str) -> Result {
    let Some(node) = cx.lister::<Node>().get(&Key::new("", name)).cloned() else { return Ok(()) };
    let status = ready(&node).to_owned();
    let (add, opposite) = no_execute(&status);
    if !is_lost(&node) || taints::has(&node, &add) {
        return Ok(());
    }
    let zone: Rc<str> = zone(&node).into();
    // No node may be tainted now. The end of the disruption enqueues the node again.
    let Some(seconds) = eviction_seconds(cx, &zone) else { return Ok(()) };
    if let Some(last) = cx.state(|s| s.tainted_at.get(&zone).copied()) {
        let left = SignedDuration::from_secs(seconds) - cx.now().duration_since(last);
        if left.is_positive() {
            cx.enqueue_after(Task::NoExecute(name.into()), left);
            return Ok(());
        }
    }
    let now = cx.now();
    cx.update_state(move |s| {
        s.tainted_at.insert(zone.clone(), now);
    });
    let why = Why::new("no_execute_tainting_pass")
        .read("ready", ObjectRef::of(&*node), "status.conditions", &status)
        .with("taint", &add.key);
    taints::swap(cx, &node, &[add], &[opposite], why).await
}

/// When all nodes are lost, removes the `NoExecute` taints; when some are ready again, enqueues the lost
/// ones to be tainted (`handleDisruption`).
pub(super) async fn handle_disruption(cx: &Cx) -> Result {
    let nodes: Vec<Rc<Node>> = cx.lister::<Node>().list(None).cloned().collect();
    if all_lost(cx) {
        for node in &nodes {
            mark_reachable(cx, node).await?;
        }
        return Ok(());
    }
    for node in nodes.iter().filter(|n| is_lost(n)) {
        if !taints::has(node, &no_execute(ready(node)).0) {
            cx.enqueue(Task::NoExecute(node.metadata.name().into()));
        }
    }
    Ok(())
}

/// Removes the `NoExecute` taints from a node (`markNodeAsReachable`).
pub(super) async fn mark_reachable(cx: &Cx, node: &Rc<Node>) -> Result {
    for taint_key in [TAINT_NODE_UNREACHABLE, TAINT_NODE_NOT_READY] {
        let why = Why::new("mark_node_as_reachable")
            .read("ready", ObjectRef::of(&**node), "status.conditions", ready(node))
            .with("taint", taint_key);
        taints::take_off(cx, node, &[taint(taint_key, NO_EXECUTE)], why).await?;
    }
    Ok(())
}

/// Marks the pods of a node, or one of them, as not ready, if the node is not ready.
pub(super) async fn mark_not_ready(cx: &Cx, node: &str, pod: Option<Key>) -> Result {
    let lost = cx.lister::<Node>().get(&Key::new("", node)).is_some_and(|n| is_lost(n));
    if !lost {
        return Ok(());
    }
    let pods = match pod {
        Some(pod) => cx.lister::<Pod>().get(&pod).cloned().into_iter().collect(),
        None => pods_of(cx, node),
    };
    mark_pods(cx, node, pods).await
}

fn pods_of(cx: &Cx, node: &str) -> Vec<Rc<Pod>> {
    let on = |p: &&Rc<Pod>| p.spec.as_ref().and_then(|s| s.node_name.as_deref()) == Some(node);
    cx.lister::<Pod>().list(None).filter(on).cloned().collect()
}

/// Marks the pods of a lost node as not ready, so that they are not published for Services
/// (`MarkPodsNotReady`).
pub(super) async fn mark_pods_not_ready(cx: &Cx, node: &str) -> Result {
    mark_pods(cx, node, pods_of(cx, node)).await
}

async fn mark_pods(cx: &Cx, node: &str, pods: Vec<Rc<Pod>>) -> Result {
    let now = Time(seconds(cx.now()));
    let mut failed = false;
    for mut pod in pods {
        if pod_condition(&pod, "Ready").is_none_or(|c| c.status == "False") {
            continue;
        }
        let at = ObjectRef::of(&*pod);
        let why = Why::new("mark_pods_not_ready").read("ready", at, "status.conditions", "True").read(
            "node",
            ObjectRef::new(Kind::NODE, "", node),
            "status.conditions",
            node,
        );
        let conditions = Rc::make_mut(&mut pod).status.as_mut().and_then(|s| s.conditions.as_mut());
        for c in conditions.into_iter().flatten().filter(|c| c.type_ == "Ready") {
            c.status = "False".into();
            c.last_transition_time = Some(now.clone());
        }
        match cx.update_status(pod.clone()).because(why).await {
            Err(e) if e.is_not_found() => continue,
            Err(_) => failed = true,
            Ok(_) => {}
        }
        cx.event(&*pod, "Warning", "NodeNotReady", "Node is not ready");
    }
    if failed {
        // The failed writes are retried with what the caches have then.
        cx.enqueue_after(Task::Pods { node: node.into(), pod: None }, SignedDuration::from_secs(5));
    }
    Ok(())
}
