//! The pod garbage collector (`k8s.io/kubernetes/pkg/controller/podgc`): pods of a node that does not exist
//! any more are set to `Failed` and deleted, as are pods that are being deleted on a node that is lost and was declared
//! to be out of service (KEP-2268).
//!
//! Kubernetes checks every twenty seconds; here each such node is a key. Terminated pods beyond the threshold (12500) are
//! not handled.

use std::rc::Rc;

use jiff::SignedDuration;

use super::controller_utils::is_terminal;
use crate::api::types::{Node, Pod, PodCondition, Time};
use crate::api::{Key, Kind, MetaExt, ObjectRef, csi, seconds};
use crate::apimachinery::{DeleteOptions, Status};
use crate::client::{Context, Handler, Reconciler, Result, Seen, Watches, Why};

/// How long a node has to be missing, in seconds (`quarantineTime`).
const QUARANTINE: i64 = 40;

/// How often Kubernetes looks for pods to delete, in seconds (`gcCheckPeriod`).
const CHECK_PERIOD: i64 = 20;

/// The pod garbage collector. Its keys are nodes that may be missing or out of service.
#[derive(Clone, Copy, Debug)]
pub struct PodGarbageCollector;

type Cx = Context;

impl Reconciler for PodGarbageCollector {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "pod-garbage-collector-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "pod-garbage-collector".into()
    }

    fn watches(&self) -> Watches {
        Watches::new().watches(handle_node).watches(handle_pod)
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let on = |p: &&Rc<Pod>| node_name(p).as_deref() == Some(&*key.name);
        let pods: Vec<Rc<Pod>> = cx.lister::<Pod>().list(None).filter(on).cloned().collect();
        if pods.is_empty() {
            return Ok(());
        }
        if let Some(node) = cx.lister::<Node>().get(&key) {
            return if is_out_of_service(node) { delete_terminating(&cx, pods, &key).await } else { Ok(()) };
        }
        match cx.get::<Node>(key.clone()).await {
            Err(e) if e.is_not_found() => {}
            Err(e) => return Err(e.into()),
            Ok(_) => return Ok(()),
        }
        let mut failed = None;
        for pod in pods {
            match mark_failed_and_delete(&cx, pod, &key, ORPHANED).await {
                Err(e) if !e.is_not_found() => failed = failed.or(Some(e)),
                _ => {}
            }
        }
        failed.map_or(Ok(()), |e| Err(e.into()))
    }
}

fn handle_node(cx: &mut Handler<'_>, seen: Seen<'_, Node>) {
    if seen.is_gone() {
        cx.enqueue_after(seen.key.clone(), SignedDuration::from_secs(QUARANTINE));
    } else if seen.new.is_some_and(|n| is_out_of_service(n))
        && !seen.old.is_some_and(|n| is_out_of_service(n))
    {
        look_at(cx, seen.key.clone());
    }
}

/// Whether the node is lost and was declared to be out of service.
fn is_out_of_service(node: &Node) -> bool {
    let conditions = node.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    let taints = node.spec.as_ref().and_then(|s| s.taints.as_deref()).unwrap_or_default();
    !conditions.iter().any(|c| c.type_ == "Ready" && c.status == "True")
        && taints.iter().any(|t| t.key == csi::OUT_OF_SERVICE)
}

/// Plans a node for the next of Kubernetes' checks.
fn look_at(cx: &mut Handler<'_>, node: Key) {
    let seconds = CHECK_PERIOD - cx.now.as_second().rem_euclid(CHECK_PERIOD);
    let rest = SignedDuration::from_secs(seconds) - SignedDuration::new(0, cx.now.subsec_nanosecond());
    cx.enqueue_after(node, rest);
}

/// Deletes the pods that are being deleted on a node that is out of service (`gcTerminating`).
async fn delete_terminating(cx: &Cx, pods: Vec<Rc<Pod>>, node: &Key) -> Result {
    let mut failed = None;
    for pod in pods.into_iter().filter(|p| p.metadata.is_deleting()) {
        match mark_failed_and_delete(cx, pod, node, TERMINATING).await {
            Err(e) if !e.is_not_found() => failed = failed.or(Some(e)),
            _ => {}
        }
    }
    failed.map_or(Ok(()), |e| Err(e.into()))
}

/// Enqueues the node of a pod that is bound to a node that does not exist, or that is being deleted on a node that is out
/// of service.
fn handle_pod(cx: &mut Handler<'_>, seen: Seen<'_, Pod>) {
    if let Some(node) = seen.new.filter(|p| p.metadata.is_deleting()).and_then(|p| node_name(p)) {
        let node = Key::new("", &node);
        if cx.caches.get::<Node>(&node).is_some_and(|n| is_out_of_service(n)) {
            look_at(cx, node);
            return;
        }
    }
    let before = seen.old.and_then(|p| node_name(p));
    let Some(node) = seen.new.and_then(|p| node_name(p)).filter(|n| before.as_ref() != Some(n)) else {
        return;
    };
    let node = Key::new("", &node);
    if cx.caches.get::<Node>(&node).is_none() {
        cx.enqueue_after(node, SignedDuration::from_secs(QUARANTINE));
    }
}

fn node_name(pod: &Pod) -> Option<String> {
    pod.spec.as_ref()?.node_name.clone().filter(|n| !n.is_empty())
}

/// The rules of the two writes about a pod, and whether the pod gets a condition that says why it was disrupted.
type Rules = ([&'static str; 2], bool);
const ORPHANED: Rules = (["gc_orphaned.mark_failed", "gc_orphaned.delete"], true);
const TERMINATING: Rules = (["gc_terminating.mark_failed", "gc_terminating.delete"], false);

/// Sets a pod to `Failed` and deletes it (`markFailedAndDeletePodWithCondition`).
async fn mark_failed_and_delete(
    cx: &Cx,
    pod: Rc<Pod>,
    node: &Key,
    ([mark_failed, delete_pod], disrupted): Rules,
) -> std::result::Result<(), Status> {
    let at = ObjectRef::of(&*pod);
    let why = |rule| Why::new(rule).read("node", at.clone(), "spec.nodeName", node);
    if !is_terminal(&pod) {
        let mut to = pod.clone();
        let m = Rc::make_mut(&mut to);
        let generation = m.metadata.generation;
        let status = m.status.get_or_insert_default();
        status.phase = Some("Failed".into());
        let condition = PodCondition {
            type_: "DisruptionTarget".into(),
            status: "True".into(),
            reason: Some("DeletionByPodGC".into()),
            message: Some("PodGC: node no longer exists".into()),
            observed_generation: generation,
            last_transition_time: Some(Time(seconds(cx.now()))),
            ..Default::default()
        };
        if disrupted {
            let conditions = status.conditions.get_or_insert_default();
            conditions.retain(|c| c.type_ != "DisruptionTarget");
            conditions.push(condition);
        }
        cx.patch_status(pod.clone(), to).because(why(mark_failed)).await?;
    }
    let now = DeleteOptions { grace_period_seconds: Some(0), ..Default::default() };
    let delete = cx.delete(Kind::POD, pod.metadata.key(), now);
    delete.because(why(delete_pod)).await.map(|_| ())
}
