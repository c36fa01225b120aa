//! The node lifecycle controller (`k8s.io/kubernetes/pkg/controller/nodelifecycle`): a node whose
//! kubelet is silent becomes Unknown, is tainted, and its pods are no longer ready.
//!
//! Kubernetes looks at every node every five seconds. Here a node is looked at when something
//! about it has changed, and its heartbeats by a [`Wait::Watchdog`]: a deadline that only comes
//! when the kubelet has stopped, so that a healthy cluster is steady and one with a lost node is
//! not.
//!
//! | key | what |
//! | --- | --- |
//! | `heartbeat` | the last sign of life is too long ago: conditions, pods (`tryUpdateNodeHealth`) |
//! | `health` | what follows from the node's Ready condition (`processTaintBaseEviction`) |
//! | `noSchedule` | conditions become taints (`doNoScheduleTaintingPass`) |
//! | `noExecute` | the taint that evicts, as fast as the zone allows (`doNoExecuteTaintingPass`) |
//! | `pods` | pods of a node that is not ready, or one pod that has just come to it |
//! | `zones` | whether all nodes are lost: then nothing is evicted (`handleDisruption`) |

mod eviction;
mod health;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::types::{Lease, MicroTime, Node, NodeCondition, ObjectReference, Pod, Taint, Time};
use crate::api::{ApiKind, Key, Kind, MetaExt, Object, Timestamp};
use crate::apimachinery::Filter;
use crate::client::{Context, EventFlavour, Handler, Notification, Reconciler, Recorded, Result, Wait};
use crate::etcd::Map;

/// The namespace of the leases by which kubelets say that they are alive.
pub const NODE_LEASE_NAMESPACE: &str = "kube-node-lease";
/// How long a node may be silent, in seconds (`--node-monitor-grace-period`).
pub const NODE_MONITOR_GRACE_PERIOD: i64 = 50;
/// How long a node that has never said anything may be silent, in seconds
/// (`--node-startup-grace-period`).
pub const NODE_STARTUP_GRACE_PERIOD: i64 = 60;

/// How often a kubelet renews its lease, in seconds (a quarter of `nodeLeaseDurationSeconds`).
const LEASE_RENEW_INTERVAL: i64 = 10;

const HEARTBEAT: &str = "heartbeat";
const HEALTH: &str = "health";
const NO_SCHEDULE: &str = "noSchedule";
const NO_EXECUTE: &str = "noExecute";
const PODS: &str = "pods";
const ZONES: &str = "zones";

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct NodeLifecycleController;

/// What it remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// By node: its last sign of life.
    health: Map<Rc<str>, NodeHealth>,
    /// By node: its uid, once it has been registered with an event.
    known: Map<Rc<str>, Rc<str>>,
    /// By zone: when a node was last tainted to be emptied.
    tainted_at: Map<Rc<str>, Timestamp>,
}

impl State {
    /// When a node last gave a sign of life.
    pub fn last_probe(&self, node: &str) -> Option<Timestamp> {
        self.health.get(node).map(|h| h.probe)
    }
}

/// A node's signs of life.
#[derive(Clone, Debug)]
struct NodeHealth {
    /// When the last one was seen.
    probe: Timestamp,
    lease: Option<MicroTime>,
    heartbeat: Option<Time>,
}

type Cx = Context<State>;

impl Reconciler for NodeLifecycleController {
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

    fn watches(&self) -> Vec<(Kind, Filter)> {
        vec![(Kind::NODE, Filter::All), (Kind::LEASE, Filter::All), (Kind::POD, Filter::All)]
    }

    fn handle(&self, cx: &mut Handler<'_, State>, seen: &Notification) {
        match seen.object().map(Object::kind) {
            Some(kind) if kind == Kind::NODE => handle_node(cx, seen),
            Some(kind) if kind == Kind::LEASE => handle_lease(cx, seen),
            Some(kind) if kind == Kind::POD => handle_pod(cx, seen),
            _ => {}
        }
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        match &*key.namespace {
            HEARTBEAT => health::check_heartbeat(&cx, &key.name).await,
            HEALTH => health::check(&cx, &key.name).await,
            NO_SCHEDULE => health::taint_no_schedule(&cx, &key.name).await,
            NO_EXECUTE => eviction::taint_no_execute(&cx, &key.name).await,
            ZONES => eviction::handle_disruption(&cx).await,
            _ => eviction::mark_not_ready(&cx, &key.name).await,
        }
    }
}

fn key(what: &str, node: &str) -> Key {
    Key::new(what, node)
}

/// A condition of a node.
pub(super) fn condition<'a>(node: &'a Node, type_: &str) -> Option<&'a NodeCondition> {
    node.status.as_ref()?.conditions.as_ref()?.iter().find(|c| c.type_ == type_)
}

/// Waits for a node's kubelet to be silent for too long. Its last heartbeat is at most a renewal
/// older than its end.
fn watchdog(node: &str) -> Wait {
    let after = SignedDuration::from_secs(NODE_MONITOR_GRACE_PERIOD - LEASE_RENEW_INTERVAL);
    Wait::Watchdog { node: node.into(), after }
}

/// `True`, `False` or `Unknown`; also where it was never said.
fn ready(node: &Node) -> &str {
    condition(node, "Ready").map_or("Unknown", |c| &c.status)
}

fn grace_period(node: &Node) -> SignedDuration {
    let said = condition(node, "Ready").is_some();
    SignedDuration::from_secs(if said { NODE_MONITOR_GRACE_PERIOD } else { NODE_STARTUP_GRACE_PERIOD })
}

fn handle_node(cx: &mut Handler<'_, State>, seen: &Notification) {
    let old = seen.old.as_ref().and_then(Node::from_object);
    let Some(node) = seen.new.as_ref().and_then(Node::from_object) else {
        if let Some(old) = old {
            let name = old.metadata.name();
            cx.state.health.remove(name);
            cx.cancel(&key(HEARTBEAT, name));
            cx.enqueue(key(HEALTH, name));
            cx.enqueue(key(ZONES, ""));
        }
        return;
    };
    let name: Rc<str> = node.metadata.name().into();
    let heartbeat = condition(node, "Ready").and_then(|c| c.last_heartbeat_time.clone());
    match cx.state.health.get_mut(&name) {
        Some(h) if h.heartbeat == heartbeat => {}
        Some(h) => {
            h.probe = cx.now;
            h.heartbeat = heartbeat;
        }
        None => {
            let health = NodeHealth { probe: cx.now, lease: None, heartbeat };
            cx.state.health.insert(name.clone(), health);
            let wait = watchdog(&name);
            cx.enqueue_waiting(&key(HEARTBEAT, &name), grace_period(node), wait);
        }
    }
    let changed = old.is_none_or(|o| signature(o) != signature(node));
    if changed {
        cx.enqueue(key(NO_SCHEDULE, &name));
        cx.enqueue(key(HEALTH, &name));
    }
    if old.is_some_and(|o| ready(o) != ready(node)) {
        cx.enqueue(key(ZONES, ""));
    }
}

/// Taints, whether it is unschedulable, conditions by type and status.
type Signature<'a> = (Option<&'a Vec<Taint>>, bool, Vec<(&'a str, &'a str)>);

/// What of a node matters here; a heartbeat changes none of it.
fn signature(node: &Node) -> Signature<'_> {
    let spec = node.spec.as_ref();
    let conditions = node.status.as_ref().and_then(|s| s.conditions.as_ref());
    (
        spec.and_then(|s| s.taints.as_ref()),
        spec.and_then(|s| s.unschedulable).unwrap_or(false),
        conditions.into_iter().flatten().map(|c| (c.type_.as_str(), c.status.as_str())).collect(),
    )
}

fn handle_lease(cx: &mut Handler<'_, State>, seen: &Notification) {
    let Some(lease) = seen.new.as_ref().and_then(Lease::from_object) else { return };
    if lease.metadata.namespace() != NODE_LEASE_NAMESPACE {
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

fn handle_pod(cx: &mut Handler<'_, State>, seen: &Notification) {
    let node = |o: &Option<Object>| {
        Pod::from_object(o.as_ref()?)?.spec.as_ref()?.node_name.clone().filter(|n| !n.is_empty())
    };
    let Some(name) = node(&seen.new).filter(|n| node(&seen.old).as_ref() != Some(n)) else { return };
    let lost = cx.caches.get::<Node>(&Key::new("", &name)).is_some_and(|n| ready(n) != "True");
    if lost && let Some(pod) = seen.object() {
        cx.enqueue(key(PODS, &format!("{name}/{}", pod.key())));
    }
}

/// How this controller's events refer to a node.
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
