//! The end of a pod's cycle: the pod is bound, or gets the reason why not.

use std::rc::Rc;

use super::cache::{assigned, node_of};
use super::framework::{Actions, EventResource, PodInfo};
use super::listers::Namespaces;
use super::queue::{Queued, pod_event};
use super::state::{Cx, Task, wake_later};
use crate::api::types::{Pod, PodCondition, PodStatus, Time};
use crate::api::{Kind, MetaExt, ObjectRef, Timestamp, seconds};
use crate::client::{Recorded, Result, Why, object_reference};

/// Binds the pod to the node, and records the event.
pub(super) async fn bind_pod(cx: &Cx, q: Queued, node: &str, fits: (usize, usize)) -> Result {
    let (pod, key) = (q.pod(), q.info.key.clone());
    let why = Why::new("schedule_one.bind")
        .read("pod", ObjectRef { kind: Kind::POD, key: key.clone() }, "spec.nodeName", pod.metadata.name())
        .read("node", ObjectRef::new(Kind::NODE, "", node), "metadata.name", node)
        .with("feasible", fits.0)
        .with("nodes", fits.1);
    match cx.bind(key.clone(), node).because(why).await {
        Ok(_) => {
            let message = format!("Successfully assigned {key} to {node}");
            cx.record(event(pod, "Normal", "Scheduled", message, "Binding", cx.now()));
            Ok(())
        }
        // Another client has bound the pod or it was deleted. The informer will deliver that.
        Err(e) if e.is_not_found() || e.is_conflict() => {
            cx.update_state(move |s| s.cache.forget(&key));
            Ok(())
        }
        Err(e) => {
            let message = format!("binding rejected: running Bind plugin \"DefaultBinder\": {}", e.message);
            failed(cx, q, message).await
        }
    }
}

/// Ends an attempt that failed with an error (`handleBindingCycleError`, `handleSchedulingFailure`): the pod is no
/// longer counted on a node, gets a condition and an event with the reason, and backs off.
pub(super) async fn failed(cx: &Cx, q: Queued, message: String) -> Result {
    let (key, now) = (q.info.key.clone(), cx.now());
    if let Some(node) = cx.state(|s| s.cache.assumed_node(&key).cloned()) {
        let (k, assumed, caches) = (key.clone(), assigned(q.pod(), &node), cx.caches().clone());
        cx.update_state(move |s| {
            s.waiting.remove(&k);
            s.cache.forget(&k);
            let event = pod_event(EventResource::AssignedPod, Actions::DELETE, Some(&assumed), None);
            s.queue.move_all(&event, &Namespaces(&caches), now, |_| true);
        });
    }
    let pod = cx.lister::<Pod>().get(&key).cloned();
    take_back(cx, q, Vec::new());
    let k = key.clone();
    cx.update_state(move |s| s.queue.nominate(&k, None));
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
        .read("pod", ObjectRef { kind: Kind::POD, key: key.clone() }, "spec.volumes", pod.metadata.name())
        .with("message", &message);
    // The pod is scheduled again whether or not this write succeeds.
    let _ = cx.patch_status(pod, to).because(why).await;
    Ok(())
}

/// Sets the condition `PodScheduled` to false. Returns whether that changed anything.
pub(super) fn set_unschedulable(
    status: &mut PodStatus,
    reason: &str,
    message: &str,
    generation: Option<i64>,
    now: Timestamp,
) -> bool {
    let conditions = status.conditions.get_or_insert_default();
    let mut c = PodCondition {
        type_: "PodScheduled".into(),
        status: "False".into(),
        reason: Some(reason.into()),
        message: Some(message.to_owned()),
        last_transition_time: Some(Time(seconds(now))),
        observed_generation: generation,
        ..Default::default()
    };
    match conditions.iter_mut().find(|o| o.type_ == c.type_) {
        Some(old) => {
            if old.status == c.status {
                c.last_transition_time.clone_from(&old.last_transition_time);
            }
            let changed = *old != c;
            *old = c;
            changed
        }
        None => {
            conditions.push(c);
            true
        }
    }
}

/// An event about a pod, to be recorded.
pub(super) fn event(
    pod: &Pod,
    type_: &'static str,
    reason: &str,
    message: String,
    action: &'static str,
    at: Timestamp,
) -> Recorded {
    let about = object_reference(pod);
    Recorded { about, type_, reason: reason.into(), message, action, at }
}

/// Puts a pod whose attempt failed back into the queue, as the informer last delivered it. A pod that is gone, or that
/// has a node by now, is dropped.
pub(super) fn take_back(cx: &Cx, mut q: Queued, refused_by: Vec<&'static str>) {
    let cached = cx.lister::<Pod>().get(&q.info.key).cloned();
    let Some(pod) = cached.filter(|p| node_of(p).is_none()) else { return };
    if !Rc::ptr_eq(&pod, q.pod()) {
        q.info = Rc::new(PodInfo::new(pod));
    }
    let now = cx.now();
    cx.update_state(move |s| s.queue.add_unschedulable(q.clone(), refused_by.clone(), now));
}
