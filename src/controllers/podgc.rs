//! The pod garbage collector (`k8s.io/kubernetes/pkg/controller/podgc`). It deletes pods of nodes that do not exist any
//! more, pods that are being deleted and have no node, pods that are being deleted on nodes that are out of service, and
//! the oldest of the terminated pods if there are too many.
//!
//! Kubernetes looks at all pods every twenty seconds; here each of these is a [`Task`], which is planned when something
//! changes that it is about.

use std::fmt;
use std::rc::Rc;

use jiff::SignedDuration;

use super::controller_utils::is_terminal;
use super::taints::taints;
use crate::api::order;
use crate::api::pod::update_pod_condition;
use crate::api::types::{Node, Pod, PodCondition, Time};
use crate::api::{Key, Kind, MetaExt, ObjectRef, Timestamp, seconds};
use crate::apimachinery::{DeleteOptions, Status};
use crate::client::{Context, Handler, Memory, Reconciler, Result, Seen, Watches, Why};

/// How long a node has to be missing, in seconds (`quarantineTime`).
const QUARANTINE: i64 = 40;
/// The interval, in seconds, at which Kubernetes looks at all pods (`gcCheckPeriod`).
const CHECK_PERIOD: i64 = 20;
/// How many terminated pods are kept (`--terminated-pod-gc-threshold`).
const TERMINATED_POD_THRESHOLD: usize = 12_500;
/// The taint by which a person says that a node has lost power, so that nothing runs on it.
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// A key of the collector's work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Delete the pods of a node that may not exist (`gcOrphaned`).
    Orphaned(Key),
    /// Delete the terminating pods of a node that may be out of service (`gcTerminating`).
    Terminating(Key),
    /// Delete a terminating pod that has no node (`gcUnscheduledTerminating`).
    Unscheduled(Key),
    /// Delete the oldest terminated pods if there are too many (`gcTerminated`).
    Terminated,
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Orphaned(node) => write!(f, "orphaned/{}", node.name),
            Task::Terminating(node) => write!(f, "terminating/{}", node.name),
            Task::Unscheduled(pod) => write!(f, "unscheduled/{pod}"),
            Task::Terminated => f.write_str("terminated"),
        }
    }
}

/// What the collector remembers: how many terminated pods its cache has.
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    terminated: usize,
}

impl Memory for State {
    /// The number follows from the cache.
    fn lines(&self, _: Timestamp) -> Vec<String> {
        Vec::new()
    }
}

/// The pod garbage collector.
#[derive(Clone, Copy, Debug)]
pub struct PodGarbageCollector;

type Cx = Context<State, Task>;

impl Reconciler for PodGarbageCollector {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        "pod-garbage-collector-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "pod-garbage-collector".into()
    }

    fn watches(&self) -> Watches<State, Task> {
        Watches::new().watches(handle_node).watches(handle_pod)
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::Orphaned(node) => gc_orphaned(&cx, &node).await,
            Task::Terminating(node) => gc_terminating(&cx, &node).await,
            Task::Unscheduled(pod) => gc_unscheduled(&cx, &pod).await,
            Task::Terminated => gc_terminated(&cx).await,
        }
    }
}

fn pods_on(cx: &Cx, node: &Key) -> Vec<Rc<Pod>> {
    let on = |p: &&Rc<Pod>| node_name(p) == Some(&*node.name);
    cx.lister::<Pod>().list(None).filter(on).cloned().collect()
}

async fn gc_orphaned(cx: &Cx, node: &Key) -> Result {
    let pods = pods_on(cx, node);
    if pods.is_empty() || cx.lister::<Node>().get(node).is_some() {
        return Ok(());
    }
    match cx.get::<Node>(node.clone()).await {
        Err(e) if e.is_not_found() => {}
        Err(e) => return Err(e.into()),
        Ok(_) => return Ok(()),
    }
    let why = Why::new("gc_orphaned").with("node", &node.name);
    delete_all(cx, pods, why, Some("PodGC: node no longer exists")).await
}

async fn gc_terminating(cx: &Cx, node: &Key) -> Result {
    let lost = cx.lister::<Node>().get(node).is_some_and(|n| out_of_service(n));
    let pods = if lost { pods_on(cx, node) } else { Vec::new() };
    let pods = pods.into_iter().filter(|p| p.metadata.is_deleting()).collect();
    let why = Why::new("gc_terminating").with("node", &node.name).with("taint", OUT_OF_SERVICE);
    delete_all(cx, pods, why, None).await
}

async fn gc_unscheduled(cx: &Cx, pod: &Key) -> Result {
    let pod = cx.lister::<Pod>().get(pod).cloned();
    let pods = pod.into_iter().filter(|p| unscheduled_and_terminating(p)).collect();
    delete_all(cx, pods, Why::new("gc_unscheduled_terminating"), None).await
}

async fn gc_terminated(cx: &Cx) -> Result {
    let mut pods: Vec<Rc<Pod>> = cx.lister::<Pod>().list(None).filter(|p| is_terminal(p)).cloned().collect();
    let surplus = pods.len().saturating_sub(TERMINATED_POD_THRESHOLD);
    // Evicted pods go first, then the oldest (`byEvictionAndCreationTimestamp`).
    order::sort_by_key(&mut pods, |p| {
        let evicted = p.status.as_ref().and_then(|s| s.reason.as_deref()) == Some("Evicted");
        let created = p.metadata.creation_timestamp.as_ref().map(|t| t.0);
        (!evicted, created, p.metadata.name().to_owned())
    });
    pods.truncate(surplus);
    let why = Why::new("gc_terminated").with("surplus", surplus).with("kept", TERMINATED_POD_THRESHOLD);
    delete_all(cx, pods, why, None).await
}

fn handle_node(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Node>) {
    if seen.is_gone() {
        cx.enqueue_after(Task::Orphaned(seen.key.clone()), SignedDuration::from_secs(QUARANTINE));
    }
    if seen.new.is_some_and(|n| out_of_service(n)) && !seen.old.is_some_and(|n| out_of_service(n)) {
        soon(cx, Task::Terminating(seen.key.clone()));
    }
}

fn soon(cx: &mut Handler<'_, State, Task>, task: Task) {
    cx.enqueue_after(task, SignedDuration::from_secs(CHECK_PERIOD));
}

fn handle_pod(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Pod>) {
    let terminated = |p: Option<&Rc<Pod>>| usize::from(p.is_some_and(|p| is_terminal(p)));
    let (before, now) = (terminated(seen.old), terminated(seen.new));
    cx.state.terminated = (cx.state.terminated + now).saturating_sub(before);
    if now > before && cx.state.terminated > TERMINATED_POD_THRESHOLD {
        soon(cx, Task::Terminated);
    }
    let Some(pod) = seen.new else { return };
    let newly = |is: fn(&Pod) -> bool| is(pod) && !seen.old.is_some_and(|p| is(p));
    if newly(unscheduled_and_terminating) {
        soon(cx, Task::Unscheduled(seen.key.clone()));
    }
    let Some(name) = node_name(pod) else { return };
    let node = Key::new("", name);
    match cx.caches.get::<Node>(&node) {
        None if seen.old.and_then(|p| node_name(p)) != Some(name) => {
            cx.enqueue_after(Task::Orphaned(node), SignedDuration::from_secs(QUARANTINE));
        }
        Some(n) if newly(|p| p.metadata.is_deleting()) && out_of_service(n) => {
            soon(cx, Task::Terminating(node));
        }
        _ => {}
    }
}

/// Whether a node is not ready, and somebody has said by a taint that nothing runs on it.
fn out_of_service(node: &Node) -> bool {
    let conditions = node.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    let ready = conditions.iter().any(|c| c.type_ == "Ready" && c.status == "True");
    !ready && taints(node).iter().any(|t| t.key == OUT_OF_SERVICE)
}

fn unscheduled_and_terminating(pod: &Pod) -> bool {
    pod.metadata.is_deleting() && node_name(pod).is_none()
}

fn node_name(pod: &Pod) -> Option<&str> {
    pod.spec.as_ref()?.node_name.as_deref().filter(|n| !n.is_empty())
}

/// Deletes pods one after the other. One that cannot be deleted does not keep the others.
async fn delete_all(cx: &Cx, pods: Vec<Rc<Pod>>, why: Why, disruption: Option<&str>) -> Result {
    let mut failed = None;
    for pod in pods {
        match mark_failed_and_delete(cx, pod, &why, disruption).await {
            Err(e) if !e.is_not_found() => failed = failed.or(Some(e)),
            _ => {}
        }
    }
    failed.map_or(Ok(()), |e| Err(e.into()))
}

/// Sets a pod to `Failed`, unless it has ended, and deletes it at once (`markFailedAndDeletePodWithCondition`).
/// `disruption` is the message of the condition `DisruptionTarget`, if the pod gets it.
async fn mark_failed_and_delete(
    cx: &Cx,
    pod: Rc<Pod>,
    why: &Why,
    disruption: Option<&str>,
) -> std::result::Result<(), Status> {
    let at = ObjectRef::of(&*pod);
    let why = || why.clone().read("pod", at.clone(), "status.phase", pod.metadata.name());
    if !is_terminal(&pod) {
        let mut to = pod.clone();
        let m = Rc::make_mut(&mut to);
        let generation = m.metadata.generation;
        let status = m.status.get_or_insert_default();
        status.phase = Some("Failed".into());
        status.observed_generation = generation;
        if let Some(message) = disruption {
            let condition = PodCondition {
                type_: "DisruptionTarget".into(),
                status: "True".into(),
                reason: Some("DeletionByPodGC".into()),
                message: Some(message.into()),
                observed_generation: generation,
                last_transition_time: Some(Time(seconds(cx.now()))),
                ..Default::default()
            };
            update_pod_condition(status, condition);
        }
        cx.patch_status(pod.clone(), to).because(why()).await?;
    }
    let now = DeleteOptions { grace_period_seconds: Some(0), ..Default::default() };
    cx.delete(Kind::POD, pod.metadata.key(), now).because(why()).await.map(|_| ())
}
