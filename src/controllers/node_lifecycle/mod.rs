//! The node lifecycle controller (`k8s.io/kubernetes/pkg/controller/nodelifecycle`). If a node's kubelet
//! sends no heartbeats, the controller sets the node's conditions to Unknown, taints the node, and marks its
//! pods as not ready.
//!
//! Kubernetes checks every node every five seconds. Here a node is checked when something about it has
//! changed. Its heartbeats are checked by a [`Wait::Watchdog`], a deadline that is met only if the kubelet
//! has stopped, so that a healthy cluster is steady and one with a lost node is not.
//!
//! Each of these checks is a [`Task`].

mod eviction;
mod health;

use std::fmt;
use std::rc::Rc;

use health::RECONCILED_LABELS;
use jiff::SignedDuration;

use crate::api::persistent::Map;
use crate::api::types::{Lease, MicroTime, Node, NodeCondition, ObjectReference, Pod, Taint, Time};
use crate::api::{Key, MetaExt, Timestamp};
use crate::client::{
    Context, EventFlavour, Handler, Memory, Reconciler, Recorded, Result, Seen, Wait, Watches,
};

/// The namespace of the leases that kubelets renew as heartbeats.
pub use crate::api::well_known::NODE_LEASE_NAMESPACE;
/// How long a node may send no heartbeat, in seconds (`--node-monitor-grace-period`).
pub const NODE_MONITOR_GRACE_PERIOD: i64 = 50;
/// How long a new node may send no heartbeat, in seconds (`--node-startup-grace-period`).
pub const NODE_STARTUP_GRACE_PERIOD: i64 = 60;

/// The interval at which a kubelet renews its lease, in seconds (a quarter of `nodeLeaseDurationSeconds`).
const LEASE_RENEW_INTERVAL: i64 = 10;

/// A key of the controller's work queue, mostly with the name of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Act on the node's `Ready` condition (`processTaintBaseEviction`).
    Health(Rc<str>),
    /// Check whether the node's last heartbeat is too old (`tryUpdateNodeHealth`).
    Heartbeat(Rc<str>),
    /// Add the `NoExecute` taint when the zone's rate allows it (`doNoExecuteTaintingPass`).
    NoExecute(Rc<str>),
    /// Derive `NoSchedule` taints from the conditions, and former labels from those that took their place
    /// (`doNoScheduleTaintingPass`, `reconcileNodeLabels`).
    NoSchedule(Rc<str>),
    /// Mark pods of a node that is not ready as not ready (`MarkPodsNotReady`).
    Pods {
        /// The node's name.
        node: Rc<str>,
        /// One pod that was just bound to the node; `None` for all of its pods.
        pod: Option<Key>,
    },
    /// Check whether all nodes are lost, in which case no pod is evicted (`handleDisruption`).
    Zones,
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Health(node) => write!(f, "health/{node}"),
            Task::Heartbeat(node) => write!(f, "heartbeat/{node}"),
            Task::NoExecute(node) => write!(f, "noExecute/{node}"),
            Task::NoSchedule(node) => write!(f, "noSchedule/{node}"),
            Task::Pods { node, pod: None } => write!(f, "pods/{node}"),
            Task::Pods { node, pod: Some(pod) } => write!(f, "pods/{node}/{pod}"),
            Task::Zones => f.write_str("zones"),
        }
    }
}

/// The node lifecycle controller.
#[derive(Clone, Copy, Debug)]
pub struct NodeLifecycleController;

/// What the controller remembers between syncs.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The last heartbeat, by node.
    health: Map<Rc<str>, NodeHealth>,
    /// The uid of each node for which the event `RegisteredNode` was recorded, by node.
    known: Map<Rc<str>, Rc<str>>,
    /// When a node of the zone was last tainted with `NoExecute`, by zone.
    tainted_at: Map<Rc<str>, Timestamp>,
}

impl State {
    /// When the controller received the last heartbeat of a node; `None` if it does not know the node.
    pub fn last_probe(&self, node: &str) -> Option<Timestamp> {
        self.health.get(node).map(|h| h.probe)
    }
}

/// The last heartbeat of a node.
#[derive(Clone, Debug)]
struct NodeHealth {
    /// When the controller received it.
    probe: Timestamp,
    lease: Option<MicroTime>,
    heartbeat: Option<Time>,
}

impl Memory for State {
    /// The times of heartbeats are left out: deadlines follow from them, and the explorer compares deadlines
    /// separately.
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let health = self.health.keys().map(|node| format!("{node} has given a sign of life"));
        let known = self.known.iter().map(|(node, uid)| format!("{node} is registered as {uid}"));
        let tainted = self.tainted_at.iter().filter_map(|(zone, at)| {
            let ago = now.duration_since(*at);
            let recent = ago < eviction::LONGEST_WAIT;
            recent.then(|| format!("zone {zone:?} had a node tainted {} ms ago", ago.as_millis()))
        });
        health.chain(known).chain(tainted).collect()
    }
}

type Cx = Context<State, Task>;

impl Reconciler for NodeLifecycleController {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        "node-lifecycle-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "node-controller".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: self.user(), host: None }
    }

    fn watches(&self) -> Watches<State, Task> {
        Watches::new().watches(handle_node).watches(handle_lease).watches(handle_pod)
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::Health(node) => health::check(&cx, &node).await,
            Task::Heartbeat(node) => health::check_heartbeat(&cx, &node).await,
            Task::NoExecute(node) => eviction::taint_no_execute(&cx, &node).await,
            Task::NoSchedule(node) => health::process(&cx, &node).await,
            Task::Pods { node, pod } => eviction::mark_not_ready(&cx, &node, pod).await,
            Task::Zones => eviction::handle_disruption(&cx).await,
        }
    }
}

/// A node's condition of a type, if there is one.
pub(super) fn condition<'a>(node: &'a Node, type_: &str) -> Option<&'a NodeCondition> {
    node.status.as_ref()?.conditions.as_ref()?.iter().find(|c| c.type_ == type_)
}

/// A deadline that is met only if the node's kubelet has stopped. The kubelet's last heartbeat was at most
/// one lease renewal before that.
fn watchdog(node: &str) -> Wait {
    let after = SignedDuration::from_secs(NODE_MONITOR_GRACE_PERIOD - LEASE_RENEW_INTERVAL);
    Wait::Watchdog { node: node.into(), after }
}

/// The status of the Ready condition; `Unknown` if there is none.
fn ready(node: &Node) -> &str {
    condition(node, "Ready").map_or("Unknown", |c| &c.status)
}

/// Whether a node has a `Ready` condition that is not True.
fn is_lost(node: &Node) -> bool {
    condition(node, "Ready").is_some_and(|c| c.status != "True")
}

fn grace_period(node: &Node) -> SignedDuration {
    let said = condition(node, "Ready").is_some();
    SignedDuration::from_secs(if said { NODE_MONITOR_GRACE_PERIOD } else { NODE_STARTUP_GRACE_PERIOD })
}

fn handle_node(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Node>) {
    let Some(node) = seen.new else {
        let name: Rc<str> = seen.key.name.as_str().into();
        cx.state.health.remove(&name);
        cx.cancel(Task::Heartbeat(name.clone()));
        cx.enqueue(Task::Health(name));
        cx.enqueue(Task::Zones);
        return;
    };
    let name: Rc<str> = node.metadata.name().into();
    let ready_condition = condition(node, "Ready");
    let heartbeat = ready_condition.and_then(|c| c.last_heartbeat_time.clone());
    match cx.state.health.get_mut(&name) {
        Some(h) if h.heartbeat == heartbeat => {}
        Some(h) => {
            h.probe = cx.now;
            h.heartbeat = heartbeat;
        }
        None => {
            let health = NodeHealth { probe: cx.now, lease: None, heartbeat };
            cx.state.health.insert(name.clone(), health);
            // A kubelet that runs has given its node a condition. A node without one may have no kubelet at all.
            let wait = if ready_condition.is_some() { watchdog(&name) } else { Wait::Foreground };
            cx.enqueue_waiting(Task::Heartbeat(name.clone()), grace_period(node), wait);
        }
    }
    if seen.old.is_none_or(|o| signature(o) != signature(node)) {
        cx.enqueue(Task::NoSchedule(name.clone()));
        cx.enqueue(Task::Health(name));
    }
    if seen.old.is_some_and(|o| ready(o) != ready(node)) {
        cx.enqueue(Task::Zones);
    }
}

/// Taints, `spec.unschedulable`, conditions by type and status, and the labels that are kept alike.
type Signature<'a> =
    (Option<&'a Vec<Taint>>, bool, Vec<(&'a str, &'a str)>, [[Option<&'a str>; 2]; RECONCILED_LABELS.len()]);

/// What this controller reads of a node. A heartbeat changes none of it.
fn signature(node: &Node) -> Signature<'_> {
    let spec = node.spec.as_ref();
    let conditions = node.status.as_ref().and_then(|s| s.conditions.as_ref());
    (
        spec.and_then(|s| s.taints.as_ref()),
        spec.and_then(|s| s.unschedulable).unwrap_or(false),
        conditions.into_iter().flatten().map(|c| (c.type_.as_str(), c.status.as_str())).collect(),
        RECONCILED_LABELS
            .map(|(present, former)| [node.metadata.label(present), node.metadata.label(former)]),
    )
}

fn handle_lease(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Lease>) {
    let Some(lease) = seen.new else { return };
    if &*seen.key.namespace != NODE_LEASE_NAMESPACE {
        return;
    }
    let renewed = lease.spec.as_ref().and_then(|s| s.renew_time.clone());
    if let Some(h) = cx.state.health.get_mut(lease.metadata.name())
        && renewed > h.lease
    {
        h.lease = renewed;
        h.probe = cx.now;
    }
}

fn handle_pod(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Pod>) {
    fn node(pod: &Rc<Pod>) -> Option<&str> {
        pod.spec.as_ref()?.node_name.as_deref().filter(|n| !n.is_empty())
    }
    let before = seen.old.and_then(node);
    let Some(name) = seen.new.and_then(node).filter(|n| before != Some(n)) else { return };
    if cx.caches.get::<Node>(&Key::new("", name)).is_some_and(|n| is_lost(n)) {
        cx.enqueue(Task::Pods { node: name.into(), pod: Some(seen.key.clone()) });
    }
}

/// Records an event about a node, with the reference that this controller's events have.
fn record(cx: &Cx, node: &str, uid: &str, reason: &str, message: String) {
    let about = ObjectReference {
        api_version: Some("v1".into()),
        kind: Some("Node".into()),
        name: Some(node.into()),
        uid: Some(uid.into()),
        ..Default::default()
    };
    let reason = reason.into();
    cx.record(Recorded { about, type_: "Normal", reason, message, action: "", at: cx.now() });
}
