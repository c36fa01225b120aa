//! The pod garbage collector (`k8s.io/kubernetes/pkg/controller/podgc`): pods of a node that does not exist
//! any more are set to `Failed` and deleted.
//!
//! Kubernetes checks every twenty seconds; here each missing node is a key. Terminated pods beyond the
//! threshold (12500) and the out-of-service taint are not handled.

use std::rc::Rc;

use jiff::SignedDuration;

use super::controller_utils::is_terminal;
use crate::api::types::{Node, Pod, PodCondition, Time};
use crate::api::{Key, Kind, MetaExt, ObjectRef, seconds};
use crate::apimachinery::{DeleteOptions, Status};
use crate::client::{Context, Handler, Reconciler, Result, Seen, Watches, Why};

/// How long a node has to be missing, in seconds (`quarantineTime`).
const QUARANTINE: i64 = 40;

/// The pod garbage collector. Its keys are nodes that may be missing.
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
        if pods.is_empty() || cx.lister::<Node>().get(&key).is_some() {
            return Ok(());
        }
        match cx.get::<Node>(key.clone()).await {
            Err(e) if e.is_not_found() => {}
            Err(e) => return Err(e.into()),
            Ok(_) => return Ok(()),
        }
        let mut failed = None;
        for pod in pods {
            match mark_failed_and_delete(&cx, pod, &key).await {
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
    }
}

/// Enqueues the node of a pod that is bound to a node that does not exist.
fn handle_pod(cx: &mut Handler<'_>, seen: Seen<'_, Pod>) {
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

/// Sets a pod to `Failed` and deletes it (`markFailedAndDeletePodWithCondition`).
async fn mark_failed_and_delete(cx: &Cx, pod: Rc<Pod>, node: &Key) -> std::result::Result<(), Status> {
    let at = ObjectRef::of(&*pod);
    let why = |rule| Why::new(rule).read("node", at.clone(), "spec.nodeName", node);
    if !is_terminal(&pod) {
        let mut to = pod.clone();
        let m = Rc::make_mut(&mut to);
        let generation = m.metadata.generation;
        let status = m.status.get_or_insert_default();
        status.phase = Some("Failed".into());
        let conditions = status.conditions.get_or_insert_default();
        conditions.retain(|c| c.type_ != "DisruptionTarget");
        conditions.push(PodCondition {
            type_: "DisruptionTarget".into(),
            status: "True".into(),
            reason: Some("DeletionByPodGC".into()),
            message: Some("PodGC: node no longer exists".into()),
            observed_generation: generation,
            last_transition_time: Some(Time(seconds(cx.now()))),
            ..Default::default()
        });
        cx.patch_status(pod.clone(), to).because(why("gc_orphaned.mark_failed")).await?;
    }
    let now = DeleteOptions { grace_period_seconds: Some(0), ..Default::default() };
    let delete = cx.delete(Kind::POD, pod.metadata.key(), now);
    delete.because(why("gc_orphaned.delete")).await.map(|_| ())
}
